"""What the executor wants of whoever keeps a record, and how it gives it: in time, and whatever the sink does.

This module may not know how a record is kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Coroutine
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

    def started(
        self, intent: Intent, running: Running
    ) -> Coroutine[Any, Any, BaseException | None] | BaseException | None:
        """Put an intent on record; what went wrong is returned, or what has to be awaited to know."""
        try:
            waiting: Any = self._sink.started(intent)
        except BaseException as error:  # noqa: BLE001  the sink is the application's own code
            return _failed("started", intent, error)
        if waiting is None or not isawaitable(waiting):  # which takes longer to find out
            return None
        return self._starting(waiting, intent, running)

    async def _starting(self, waiting: Awaitable[object], intent: Intent, running: Running) -> BaseException | None:
        try:
            await drive(running, _awaited(waiting), self._seconds)
        except BaseException as error:  # noqa: BLE001  likewise
            return _failed("started", intent, error, interrupted=running.interrupted)
        return None

    def finished(self, execution: Execution) -> Awaitable[None] | None:
        """Put on record how a call ended, and return what has to be awaited for that, if anything.

        Whoever waits may be cancelled: the record is written nevertheless.
        """
        try:
            waiting: Any = self._sink.finished(execution)
        except BaseException as error:  # noqa: BLE001  likewise
            _failed("finished", execution, error)
            return None
        if waiting is None or not isawaitable(waiting):
            return None
        task = asyncio.get_running_loop().create_task(self._write(waiting, execution))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
        return asyncio.shield(task)

    def finished_at_once(self, execution: Execution) -> None:
        """Put on record how a call ended when nothing can be waited for any more, if the sink can do that."""
        try:
            waiting: object = self._sink.finished(execution)
        except BaseException as error:  # noqa: BLE001  likewise
            _failed("finished", execution, error)
            return
        if iscoroutine(waiting):
            waiting.close()

    async def _write(self, waiting: Awaitable[object], execution: Execution) -> None:
        running = Running(execution.execution_id, execution.session)
        try:
            await drive(running, _awaited(waiting), self._seconds)
        except BaseException as error:  # noqa: BLE001  likewise; only a loop that ends interrupts this, and loses it
            _failed("finished", execution, error)


async def _awaited(waiting: Awaitable[object]) -> object:
    return await waiting


def _failed(kind: str, about: Intent | Execution, error: BaseException, *, interrupted: bool = False) -> BaseException:
    """Note that a sink has failed, and return with what; a cancellation is its own unless somebody interrupted it.

    Raises:
        BaseException: It is no failure of the sink: somebody ends the call, or the program.
    """
    if is_no_failure(error) and (interrupted or not isinstance(error, asyncio.CancelledError)):
        raise error
    facts = {
        "event": "sink.failed",
        "kind": kind,
        "tool": about.tool_name,
        "execution_id": about.execution_id,
        "error": type(error).__name__,
    }
    _log.warning("the audit sink failed for %s", about.tool_name, extra=facts)
    return error
