"""The course of one call: what is known about it until it ends, and the ``Execution`` that comes of it.

This module may not know in what order things happen.
"""

from __future__ import annotations

import os
from binascii import b2a_hex
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from typing import Final

from toolwright.execution.clock import Clock
from toolwright.execution.execution import Execution, status_of
from toolwright.execution.limits import Reservation
from toolwright.execution.running import Running
from toolwright.execution.stages import Scope
from toolwright.levels import SandboxIsolationLevel
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.schema import ValidationIssue
from toolwright.tools.outcome import ToolOutcome

__all__ = ["Course", "as_call", "new_id", "shown"]

_LONGEST_NAME: Final = 64


class _Ids:
    """Ids that no two processes share: some random letters and a counter."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self.prefix = f"exec_{b2a_hex(os.urandom(8)).decode()}_"
        self.numbers = count(1)


_ids: Final = _Ids()
if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork either
    os.register_at_fork(after_in_child=_ids.renew)


def new_id() -> str:
    """Return an id that no other execution has."""
    return f"{_ids.prefix}{next(_ids.numbers)}"


def as_call(given: object) -> ToolCall | InvalidToolCall:
    """Return a call as one of the two kinds: of kinds derived from them, a copy of what they say at this moment.

    Raises:
        TypeError: It is no call.
    """
    if type(given) is ToolCall or type(given) is InvalidToolCall:
        return given
    if isinstance(given, ToolCall):
        return ToolCall(given.id, given.name, given.arguments, given.provider_data)
    if isinstance(given, InvalidToolCall):
        return InvalidToolCall(given.id, given.name, given.arguments_text, given.reason, given.provider_data)
    raise TypeError(f"a ToolCall is executed, not a {type(given).__name__}")


def shown(text: str, longest: int = _LONGEST_NAME) -> str:
    """Return what a model or a server made up as it may stand in a log: not long, and nothing that cannot be seen."""
    short = text[:longest]
    return short if short.isprintable() else "".join(each if each.isprintable() else "?" for each in short)


class Course(Running):
    """One call on its way, and what is known about it so far."""

    # What is so until something happens: shared by all, as most calls never get further.
    waited = 0.0
    warnings: tuple[ValidationIssue, ...] = ()
    approved_by: str | None = None
    isolation: SandboxIsolationLevel | None = None
    reservation: Reservation | None = None
    ran = False
    waits_for_itself = False  # whoever wants its answer stands still, and what would free a slot with it

    def __init__(
        self, execution_id: str, call: ToolCall | InvalidToolCall, scope: Scope, attempt: int, clock: Clock
    ) -> None:
        self.execution_id = execution_id
        self.session = scope.session
        self.call = call
        self.scope = scope
        self.attempt = attempt
        self.tool_name = call.name if call.__class__ is ToolCall else shown(call.name)
        self._clock = clock
        self.started_at: datetime = clock.now()
        self._began = clock.monotonic()

    @contextmanager
    def waiting(self) -> Generator[None]:
        """Count the time of the block as waiting."""
        self.attach()
        began = self._clock.monotonic()
        try:
            yield
        finally:
            self.waited += self._clock.monotonic() - began

    def ended(self, outcome: ToolOutcome) -> Execution:
        """Decide how the call ended, and return what came of it."""
        self.settle()
        scope = self.scope
        workspace = scope.workspace
        spent = self._clock.monotonic() - self._began - self.waited
        return Execution(
            execution_id=self.execution_id,
            tool_name=self.tool_name,
            call=self.call,
            outcome=outcome,
            status=status_of(outcome),
            started_at=self.started_at,
            completed_at=self._clock.now(),
            duration=max(0.0, spent),
            waited=self.waited,
            approved_by=self.approved_by,
            warnings=self.warnings,
            isolation=self.isolation,
            attempt=self.attempt,
            session=scope.session,
            workspace=None if workspace is None else str(workspace),
        )
