"""What the executor wants of whoever keeps a record, and how it gives it: in time, and whatever the sink does.

This module may not know how a record is kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from inspect import isawaitable, iscoroutine
from typing import Any, Final, Protocol

from toolwright.execution.execution import Execution, Intent
from toolwright.execution.running import Running, drive, is_no_failure

__all__ = ["AuditSink", "Recorder"]

_log: Final = logging.getLogger("toolwright.execution")

_LONGEST_WAIT: Final = 10.0  # seconds that a sink may take: without a bound, one that hangs would hold every call


class AuditSink(Protocol):
    """Whoever keeps the record of calls; both methods may be async, and both may raise."""

    def started(self, intent: Intent, /) -> Awaitable[object] | None:
        """Put on record that a call is about to run. A call with side effects does not run where this fails."""
        ...

    def finished(self, execution: Execution, /) -> Awaitable[object] | None:
        """Put on record how a call ended; also one that never ran."""
        ...


class Recorder:
    """Gives the record to a sink."""

    def __init__(self, sink: AuditSink, seconds: float = _LONGEST_WAIT) -> None:
        self._sink: Final = sink
        self._seconds: Final = seconds
        self._writing: set[asyncio.Task[None]] = set()  # tasks are kept alive by whoever knows them

    async def started(self, intent: Intent, running: Running) -> BaseException | None:
        """Put an intent on record; what went wrong is returned."""
        try:
            waiting: Any = self._sink.started(intent)
            if waiting is not None and isawaitable(waiting):  # which takes longer to find out
                await drive(running, _awaited(waiting), self._seconds)
        except BaseException as error:
            if is_no_failure(error) and (running.interrupted or not isinstance(error, asyncio.CancelledError)):
                raise
            _note("started", intent.tool_name, intent.execution_id, error)
            return error
        return None

    async def finished(self, execution: Execution) -> None:
        """Put on record how a call ended. Whoever waits here may be cancelled: the record is written nevertheless."""
        try:
            waiting: Any = self._sink.finished(execution)
        except BaseException as error:
            if is_no_failure(error) and not isinstance(error, asyncio.CancelledError):  # nothing was awaited here
                raise
            _note("finished", execution.tool_name, execution.execution_id, error)
            return
        if waiting is not None and isawaitable(waiting):
            task = asyncio.get_running_loop().create_task(self._write(waiting, execution))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)
            await asyncio.shield(task)

    def finished_at_once(self, execution: Execution) -> None:
        """Put on record how a call ended when nothing can be waited for any more, if the sink can do that."""
        try:
            waiting: object = self._sink.finished(execution)
        except Exception as error:  # noqa: BLE001  likewise
            _note("finished", execution.tool_name, execution.execution_id, error)
            return
        if iscoroutine(waiting):
            waiting.close()

    async def _write(self, waiting: Awaitable[object], execution: Execution) -> None:
        running = Running(execution.execution_id, execution.session)
        try:
            await drive(running, _awaited(waiting), self._seconds)
        except BaseException as error:
            if is_no_failure(error) and (running.interrupted or not isinstance(error, asyncio.CancelledError)):
                raise
            _note("finished", execution.tool_name, execution.execution_id, error)


async def _awaited(waiting: Awaitable[object]) -> object:
    return await waiting


def _note(kind: str, tool: str, execution_id: str, error: BaseException) -> None:
    facts = {
        "event": "sink.failed",
        "kind": kind,
        "tool": tool,
        "execution_id": execution_id,
        "error": type(error).__name__,
    }
    _log.warning("the audit sink failed for %s", tool, extra=facts)
