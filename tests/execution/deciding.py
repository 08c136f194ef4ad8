"""What tests of deciding are made of."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from toolwright.execution.reviewers import ReviewRequest
from toolwright.execution.verdict import CallFacts
from toolwright.levels import RiskLevel
from toolwright.messages import ToolCall
from toolwright.tools import ToolDefinition
from toolwright.values import freeze_object

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

ANYTHING = {"type": "object", "additionalProperties": True}


def defined(name: str = "run_command", **fields: Any) -> ToolDefinition:
    usual: dict[str, Any] = {"description": "For tests.", "parameters": ANYTHING, "strict": False, "risk": "medium"}
    return ToolDefinition(name, **(usual | fields))


def facts(
    arguments: Mapping[str, Any] | None = None,
    *,
    definition: ToolDefinition | None = None,
    risk: RiskLevel | str | None = None,
    session: str | None = None,
    workspace: str | None = None,
    paths: frozenset[str] = frozenset(),
    **fields: Any,
) -> CallFacts:
    described = definition or defined(**fields)
    return CallFacts(
        definition=described,
        arguments=freeze_object(arguments or {}),
        risk=described.risk if risk is None else RiskLevel(risk),
        session=session,
        workspace=workspace,
        paths=paths,
    )


def asked(arguments: Mapping[str, Any] | None = None, **fields: Any) -> ReviewRequest:
    usual: dict[str, Any] = {
        "execution_id": "exec_1",
        "tool_name": "run_command",
        "call": ToolCall("call_1", "run_command", {}),
        "summary": "Run 'git push'",
        "arguments": arguments or {},
        "risk": RiskLevel.HIGH,
        "reason": "its risk is high, and a person is asked",
        "definition": "0" * 64,
    }
    return ReviewRequest(**(usual | fields))
