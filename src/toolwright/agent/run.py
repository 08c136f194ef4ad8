"""What comes out of a run.

These are values. How a run got there is not known here.
"""

from __future__ import annotations

from typing import Any

import msgspec

from toolwright.agent.journal import Journal
from toolwright.agent.turn import RunStatus
from toolwright.conversation import Conversation
from toolwright.execution import Execution
from toolwright.providers import Usage
from toolwright.transcript import Record

__all__ = ["Run", "RunCompleted"]


class Run(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A run that has ended, or waits.

    ``text`` is what the model said last, empty where it said nothing. ``conversation`` is the whole of it, to go on
    from. ``executions`` are the calls that were handed to the executor, in the order of the calls. ``usage`` is the
    sum over all answers, those of sub-agents too. ``error`` is there where the status is ``provider_error`` or
    ``failed``. ``value`` is the structured answer, where one was asked for and the run is ``completed``.
    """

    id: str
    status: RunStatus
    text: str
    conversation: Conversation
    journal: Journal
    executions: tuple[Execution, ...] = ()
    usage: Usage = Usage()
    error: Exception | None = None
    value: Any = None

    @property
    def records(self) -> tuple[Record, ...]:
        """The transcript, with what went before in the same conversation: what is stored, shown and replayed."""
        return self.journal.records

    def __repr__(self) -> str:
        parts = [f"id={self.id!r}", f"status={self.status!r}", f"text=<{len(self.text)} chars>"]
        parts.append(f"executions=<{len(self.executions)}>")
        if self.error is not None:
            parts.append(f"error={type(self.error).__name__}({str(self.error)[:200]!r})")
        return f"Run({', '.join(parts)})"


class RunCompleted(msgspec.Struct, frozen=True, eq=False):
    """The last event of a run: the run."""

    run: Run
