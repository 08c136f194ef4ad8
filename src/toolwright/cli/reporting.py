"""What happens in a run, as a program reads it: one JSON object in each line of stdout, as soon as it happens.

Each has an ``event``; the last one is ``run``. Texts are as they came: nothing is cut, hidden or coloured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from toolwright.cli.console import Console
from toolwright.execution import (
    ApprovalDecided,
    ApprovalRequested,
    ExecutionCompleted,
    ExecutionProgress,
    ExecutionStarted,
)
from toolwright.providers import ReasoningDelta, TextDelta
from toolwright.values import encode

if TYPE_CHECKING:
    from toolwright.agent import Run

__all__ = ["Lines"]


class Lines:
    """Tells of runs in lines of JSON."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def begin(self) -> None:
        """Say nothing: the question is the program's own."""

    def tick(self) -> None:
        """Say nothing: a program has a clock."""

    def end(self) -> None:
        """Say nothing: the line of the run is the end."""

    def show(self, event: Any) -> None:
        """Tell what happened."""
        match event:
            case TextDelta():
                self.tell("text", text=event.text)
            case ReasoningDelta():
                self.tell("reasoning", text=event.text)
            case ExecutionStarted():
                self.tell("started", execution_id=event.execution_id, tool=event.tool_name)
            case ExecutionProgress():
                progress = msgspec.structs.asdict(event.progress)
                self.tell("progress", execution_id=event.execution_id, tool=event.tool_name, progress=progress)
            case ApprovalRequested():
                reason = event.request.reason
                self.tell("approval_asked", execution_id=event.execution_id, tool=event.tool_name, reason=reason)
            case ApprovalDecided():
                answer = event.decision.answer
                self.tell("approval_decided", execution_id=event.execution_id, tool=event.tool_name, answer=answer)
            case ExecutionCompleted():
                self.tell("completed", execution=msgspec.Raw(event.execution.to_json()))
            case _:
                return

    def ended(self, run: Run, seconds: float) -> None:
        """Tell how the run ended."""
        usage = {name: number for name, number in msgspec.structs.asdict(run.usage).items() if number is not None}
        error = None if run.error is None else str(run.error)
        self.tell(
            "run", id=run.id, status=run.status, text=run.text, error=error, usage=usage, seconds=round(seconds, 3)
        )

    def tell(self, event: str, **facts: Any) -> None:
        """Write one line."""
        self._console.write_out(encode({"event": event, **facts}).decode() + "\n")
