"""Contexts for tests: what a tool gets, without anybody who would give it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any, Final

from toolwright.messages import ToolCall
from toolwright.tools.context import ProgressListener, ToolContext
from toolwright.tools.services import Services, ServiceSource
from toolwright.values import freeze_object

__all__ = ["tool_context"]

_numbers: Final = count(1)


def tool_context(
    arguments: Mapping[str, Any] | None = None,
    workspace: str | os.PathLike[str] | None = None,
    services: ServiceSource | None = None,
    *,
    name: str = "tool",
    call: ToolCall | None = None,
    session_id: str | None = None,
    approved: bool = False,
    attempt: int = 1,
    metadata: Mapping[str, Any] | None = None,
    progress: ProgressListener | None = None,
) -> ToolContext:
    """Return a context to run a tool with directly: ``await tool.execute(tool_context({"path": "a.txt"}, tmp_path))``.

    The tool validates the arguments itself then. ``services`` is a mapping from types to objects, or a container.

    Raises:
        NotJsonError: An argument is not JSON: give it as a model would.
    """
    given = freeze_object({} if arguments is None else arguments)
    number = next(_numbers)
    return ToolContext(
        execution_id=f"test_{number}",
        call=call or ToolCall(f"call_test_{number}", name, given),
        arguments=given,
        session_id=session_id,
        workspace=None if workspace is None else Path(workspace),
        services=services if isinstance(services, Services) else Services(services),
        approved=approved,
        attempt=attempt,
        metadata=freeze_object({} if metadata is None else metadata),
        progress=progress,
    )
