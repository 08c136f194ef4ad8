"""What comes out of the executor for each call: one ``Execution``, whatever happened.

These are values: facts about a call that has ended, and the intent that stands on record before it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal, TypeAlias

import msgspec

from toolwright.levels import SandboxIsolationLevel
from toolwright.messages import InvalidToolCall, ToolCall, ToolResult
from toolwright.schema import ValidationIssue
from toolwright.tools.outcome import ToolOutcome
from toolwright.values import JsonObject, encode

__all__ = ["Execution", "Intent", "Status", "status_of"]

Status: TypeAlias = Literal[
    "pending", "in_progress", "completed", "denied", "timed_out", "cancelled", "unknown", "failed"
]
"""Where a call stands: the first two until the end, then one of the others."""

_STATUSES: Final[Mapping[str, Status]] = {
    "permission_denied": "denied",
    "denied": "denied",
    "approval_expired": "denied",
    "timed_out": "timed_out",
    "cancelled": "cancelled",
    "unknown_outcome": "unknown",
}


def status_of(outcome: ToolOutcome) -> Status:
    """Return where a call stands that ended like this."""
    return "completed" if outcome.success else _STATUSES.get(outcome.error_code or "", "failed")


class Intent(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A call that is about to run: what is on record before anything happens.

    ``arguments`` are those that hold: validated, with defaults, and as a reviewer changed them. ``definition`` is the
    digest of the definition that they were held against.
    """

    execution_id: str
    tool_name: str
    call: ToolCall
    arguments: JsonObject
    definition: str
    side_effects: bool
    idempotency_key: bool
    approved_by: str
    isolation: SandboxIsolationLevel
    attempt: int
    session: str | None
    at: datetime
    status: Status = "in_progress"


class Execution(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One call and how it ended.

    ``started_at`` is when it came in. ``waited`` are the seconds that it waited for a person or a slot, ``duration``
    the others. ``approved_by`` is ``policy``, ``caller`` or who decided, and None where nobody let it run.
    ``isolation`` is what held while it ran, and None where it did not run. ``warnings`` tell what was put right in the
    arguments.
    """

    execution_id: str
    tool_name: str
    call: ToolCall | InvalidToolCall
    outcome: ToolOutcome
    status: Status
    started_at: datetime
    completed_at: datetime
    duration: float
    waited: float = 0.0
    approved_by: str | None = None
    warnings: tuple[ValidationIssue, ...] = ()
    isolation: SandboxIsolationLevel | None = None
    attempt: int = 1
    session: str | None = None
    workspace: str | None = None

    def to_result(self, max_chars: int = 50_000) -> ToolResult:
        """Return what goes back to the model: the answer to its call, never longer than ``max_chars``."""
        text = self.outcome.for_model(max_chars, workspace=self.workspace)
        return ToolResult(self.call.id, text, is_error=not self.outcome.success)

    def to_json(self) -> bytes:
        """Return it as JSON; the exception of the outcome is not in it."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__ if name != "outcome"}
        return encode({**fields, "outcome": msgspec.Raw(self.outcome.to_json())})

    def __repr__(self) -> str:
        return (
            f"Execution(execution_id={self.execution_id!r}, tool_name={self.tool_name!r}, status={self.status!r}, "
            f"outcome={self.outcome!r})"
        )
