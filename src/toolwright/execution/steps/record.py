"""Step 9: how a call ended, on record, told to whoever listens, measured, and in the log.

Nothing here loses the outcome. Arguments and results go into logs and spans only where that was switched on.
"""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Awaitable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from toolwright.execution.course import shown
from toolwright.execution.events import Events, ExecutionCompleted
from toolwright.execution.execution import Execution
from toolwright.execution.sinks import Recorder
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.redact import redact
from toolwright.tools.codes import count_as
from toolwright.values import encode

if TYPE_CHECKING:
    from toolwright.telemetry import Span, Telemetry

__all__ = ["Ledger", "announce", "open_span", "record", "record_at_once", "whereabouts"]

_log: Final = logging.getLogger("toolwright.execution")

_WORDS: Final[Mapping[str, tuple[str, int]]] = {
    "completed": ("completed", logging.INFO),
    "cancelled": ("cancelled", logging.INFO),
    "denied": ("denied", logging.INFO),
    "timed_out": ("timed out", logging.WARNING),
}
_FAILED: Final = ("failed", logging.WARNING)
_LONGEST_ID: Final = 256


class Ledger(msgspec.Struct, frozen=True, eq=False):
    """Where it is written how calls end."""

    recorder: Recorder | None
    events: Events
    telemetry: Telemetry | None
    log_arguments: bool
    log_results: bool


def open_span(call: ToolCall | InvalidToolCall, telemetry: Telemetry) -> Span | None:
    """Open the span of a call; what is no call has no name that could be told."""
    return telemetry.tool_span(call.name if isinstance(call, ToolCall) else "invalid", call.id)


def record(
    execution: Execution, ledger: Ledger, span: Span | None = None
) -> Coroutine[Any, Any, CancelledError | None] | None:
    """Put on record how a call ended, and tell of it.

    Where that takes waiting, what is returned does it, and gives the cancellation of whoever was cancelled meanwhile.
    """
    writing = None if ledger.recorder is None else ledger.recorder.finished(execution)
    if writing is not None:
        return _record_later(writing, execution, ledger, span)
    announce(execution, ledger, span)
    return None


async def _record_later(
    writing: Awaitable[None], execution: Execution, ledger: Ledger, span: Span | None
) -> CancelledError | None:
    cancellation = None
    try:
        await writing
    except CancelledError as error:
        cancellation = error.with_traceback(None)  # which leads back here
    announce(execution, ledger, span)
    return cancellation


def record_at_once(execution: Execution, ledger: Ledger, span: Span | None = None) -> None:
    """Put on record how a call ended when nothing can be awaited any more: the program is being ended."""
    if ledger.recorder is not None:
        ledger.recorder.finished_at_once(execution)
    announce(execution, ledger, span)


def announce(execution: Execution, ledger: Ledger, span: Span | None = None) -> None:
    """Tell of a call that has ended, without waiting for anything."""
    if span is not None:
        _close(span, execution, ledger)
    if ledger.events.heard:
        ledger.events.emit(
            ExecutionCompleted(
                at=execution.completed_at,
                tool_name=execution.tool_name,
                execution_id=execution.execution_id,
                execution=execution,
            )
        )
    if ledger.telemetry is not None and ledger.telemetry.measured:
        code = "ok" if execution.outcome.success else count_as(execution.outcome.error_code) or "tool_error"
        there_is_none = code == "tool_not_found" or execution.call.__class__ is InvalidToolCall
        ledger.telemetry.ended(None if there_is_none else execution.tool_name, code, execution.duration)
    words, level = _WORDS.get(execution.status, _FAILED)
    if _log.isEnabledFor(level):
        _write(execution, ledger, words, level)


def _close(span: Span, execution: Execution, ledger: Ledger) -> None:
    """Close the span of a call, with how it ended."""
    if not span.recording:
        span.close()
        return
    facts: dict[str, Any] = {"toolwright.execution.id": execution.execution_id, "toolwright.status": execution.status}
    name = None
    if isinstance(execution.call, ToolCall):
        name = f"execute_tool {execution.tool_name}"
        facts["gen_ai.tool.name"] = execution.tool_name
    if execution.outcome.error_code is not None:
        facts["error.type"] = execution.outcome.error_code
    if ledger.log_arguments:
        facts["gen_ai.tool.call.arguments"] = encode(redact(_sent(execution.call))).decode()
    if ledger.log_results:
        facts["gen_ai.tool.call.result"] = encode(redact(execution.outcome.data)).decode()
    span.close(facts, name=name)


def _sent(call: ToolCall | InvalidToolCall) -> Any:
    """Return what a model sent: of what is no call, the text."""
    return call.arguments if isinstance(call, ToolCall) else call.arguments_text


def _write(execution: Execution, ledger: Ledger, words: str, level: int) -> None:
    outcome = execution.outcome
    facts: dict[str, Any] = {
        "event": f"execution.{words.replace(' ', '_')}",
        "tool": execution.tool_name,
        "execution_id": execution.execution_id,
        "call_id": shown(execution.call.id, _LONGEST_ID),
        "duration": execution.duration,
        "waited": execution.waited,
        "code": outcome.error_code,
    }
    if outcome.exception is not None and execution.status == "failed":
        facts |= whereabouts(outcome.exception)
        level = logging.ERROR
    if ledger.log_arguments:
        facts["arguments"] = redact(_sent(execution.call))
    if ledger.log_results:
        facts["result"] = redact(outcome.data)
    _log.log(level, "execution of %s %s", execution.tool_name, words, extra=facts)


def whereabouts(error: BaseException) -> dict[str, Any]:
    """Return the type and the place of an exception; never its text, which may hold anything."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = None if trace is None else f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}"
    return {"error": type(error).__name__, "place": place}
