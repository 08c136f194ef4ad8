"""Step 9: how a call ended, on record, told to whoever listens, and in the log. Nothing here loses the outcome."""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from toolwright.execution.events import Events, ExecutionCompleted
from toolwright.execution.execution import Execution
from toolwright.execution.sinks import Recorder
from toolwright.redact import redact
from toolwright.tools.codes import count_as

if TYPE_CHECKING:
    from toolwright.telemetry import Telemetry

__all__ = ["Ledger", "announce", "record", "record_at_once"]

_log: Final = logging.getLogger("toolwright.execution")

_WORDS: Final[Mapping[str, tuple[str, int]]] = {
    "completed": ("completed", logging.INFO),
    "cancelled": ("cancelled", logging.INFO),
    "denied": ("denied", logging.INFO),
    "timed_out": ("timed out", logging.WARNING),
}
_FAILED: Final = ("failed", logging.WARNING)


class Ledger(msgspec.Struct, frozen=True, eq=False):
    """Where it is written how calls end."""

    recorder: Recorder | None
    events: Events
    telemetry: Telemetry | None
    log_arguments: bool
    log_results: bool


async def record(execution: Execution, ledger: Ledger) -> bool:
    """Put on record how a call ended, tell of it, and say whether whoever waits was cancelled meanwhile."""
    cancelled = False
    if ledger.recorder is not None:
        try:
            await ledger.recorder.finished(execution)
        except CancelledError:
            cancelled = True
    announce(execution, ledger)
    return cancelled


def record_at_once(execution: Execution, ledger: Ledger) -> None:
    """Put on record how a call ended when nothing can be awaited any more: the program is being ended."""
    if ledger.recorder is not None:
        ledger.recorder.finished_at_once(execution)
    announce(execution, ledger)


def announce(execution: Execution, ledger: Ledger) -> None:
    """Tell of a call that has ended, without waiting for anything."""
    if ledger.events:
        ledger.events.emit(
            ExecutionCompleted(
                at=execution.completed_at,
                tool_name=execution.tool_name,
                execution_id=execution.execution_id,
                execution=execution,
            )
        )
    if ledger.telemetry is not None:
        code = "ok" if execution.outcome.success else str(count_as(execution.outcome.error_code))
        ledger.telemetry.ended(execution.tool_name, code, execution.duration)
    words, level = _WORDS.get(execution.status, _FAILED)
    if _log.isEnabledFor(level):
        _write(execution, ledger, words, level)


def _write(execution: Execution, ledger: Ledger, words: str, level: int) -> None:
    outcome = execution.outcome
    facts: dict[str, Any] = {
        "event": f"execution.{words.replace(' ', '_')}",
        "tool": execution.tool_name,
        "execution_id": execution.execution_id,
        "call_id": execution.call.id,
        "duration": execution.duration,
        "waited": execution.waited,
        "code": outcome.error_code,
    }
    if outcome.exception is not None and execution.status == "failed":
        facts |= _whereabouts(outcome.exception)
        level = logging.ERROR
    if ledger.log_arguments:
        facts["arguments"] = redact(getattr(execution.call, "arguments", None))
    if ledger.log_results:
        facts["result"] = redact(outcome.data)
    _log.log(level, "execution of %s %s", execution.tool_name, words, extra=facts)


def _whereabouts(error: BaseException) -> dict[str, Any]:
    """Return the type and the place of an exception; never its text, which may hold anything."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = None if trace is None else f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}"
    return {"error": type(error).__name__, "place": place}
