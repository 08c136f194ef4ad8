"""Calls that were cut off: of which nobody knows whether they happened, and what becomes of them.

This module may not know how a run goes on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from inspect import isawaitable
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from msgspec.structs import replace

from toolwright.agent.limits import RunLimits
from toolwright.agent.position import Position
from toolwright.agent.stopping import waited_out
from toolwright.agent.turn import Call, RunCalls, Why, next_step
from toolwright.execution import Execution, Executor
from toolwright.execution.execution import status_of
from toolwright.messages import ToolCall
from toolwright.tools import Services, Tool, ToolContext, ToolOutcome

__all__ = ["Decided", "Unknown", "execute_again", "reconciled", "settle"]

_log: Final = logging.getLogger("toolwright.agent")

Unknown: TypeAlias = Literal["ask", "tell", "rerun"]
"""What becomes of a call of which nobody knows whether it happened: a person is asked, the model is told, or it is run
again."""

Decided: TypeAlias = Literal["happened", "did_not_happen", "run_again"]
"""What a person found out about such a call, or wants done about it."""

_FOUND_OUT: Final[Mapping[str, Why]] = {
    "happened": "happened",
    "did_not_happen": "did_not_happen",
    "tell": "unknown",
}


def settle(
    position: Position, executor: Executor, limits: RunLimits, decided: Mapping[str, Decided], unknown: Unknown
) -> None:
    """Decide about the calls of which nobody knows whether they happened; a person may still have to.

    Raises:
        ValueError: Somebody has decided about a call that is not in doubt, or in other words than there are.
    """
    if not set(decided.values()) <= set(get_args(Decided)):
        raise ValueError(f"decided: one of {', '.join(get_args(Decided))}")
    doubtful = [call for call, _ in _in_doubt(position, executor, limits)]
    wrong = decided.keys() - {call.id for call in doubtful}
    if wrong:
        raise ValueError(f"decided: {', '.join(sorted(wrong)[:3])}: there is no call of this id that is in doubt")
    undecided = False
    for call in doubtful:
        verdict = decided.get(call.id, unknown)  # "rerun" and "run_again" leave it pending
        if verdict in _FOUND_OUT:
            position.put_unrun(call, _FOUND_OUT[verdict])
        undecided |= verdict == "ask"
    position.state = replace(position.state, pending=position.missing(), undecided=undecided)
    if position.calls and not position.missing():
        position.close_calls("unknown")  # none is left that this could be the reason of


def _in_doubt(position: Position, executor: Executor, limits: RunLimits) -> Iterator[tuple[ToolCall, Tool]]:
    """Yield the calls that would be run now, and may have had effects that they would have again; and their tools."""
    step = next_step(position.state, limits)
    for call in step.calls if isinstance(step, RunCalls) else ():
        tool = executor.registry.get(call.name) if isinstance(call, ToolCall) else None
        if tool is not None and tool.definition.side_effects and not tool.definition.idempotency_key:
            yield call, tool  # type: ignore[misc]  # only a ToolCall has a tool


async def reconciled(
    position: Position,
    executor: Executor,
    limits: RunLimits,
    run_id: str,
    attempt: int,
    options: Mapping[str, Any],
    decided: Mapping[str, Decided],
) -> Mapping[str, Decided]:
    """Ask the tools that can find out what became of their calls, and return what is decided by then.

    What a tool knows is put down as the result. What it says did not happen is run again.
    """
    found, ids = dict(decided), position.execution_ids(run_id)
    for call, tool in list(_in_doubt(position, executor, limits)):
        hook: Any = getattr(tool, "reconcile", None)
        if hook is None or call.id in found:
            continue
        context = _context(call, tool, ids[call.id], executor, attempt, options)
        known, outcome = await _asked(hook, tool, context)
        if isinstance(outcome, ToolOutcome):
            position.put_execution(call, _execution(context, tool, outcome))
        elif known:
            found[call.id] = "run_again"
    position.state = replace(position.state, pending=position.missing())
    return found


async def _asked(hook: Callable[[ToolContext], Any], tool: Tool, context: ToolContext) -> tuple[bool, object]:
    """Return whether a tool knows what became of a call, and the outcome, if there is one."""
    try:
        async with asyncio.timeout(tool.definition.time_limit):
            said = hook(context)
            outcome = await said if isawaitable(said) else said
    except Exception as error:  # noqa: BLE001  the tool's own code
        facts = {"event": "tool.reconcile_failed", "tool": tool.definition.name, "error": type(error).__name__}
        _log.warning("tool %s cannot say what became of a call", tool.definition.name, extra=facts)
        return False, None
    return outcome is None or isinstance(outcome, ToolOutcome), outcome


def _context(
    call: ToolCall, tool: Tool, execution_id: str, executor: Executor, attempt: int, options: Mapping[str, Any]
) -> ToolContext:
    parameters, services = tool.definition.parameters, options.get("services")
    workspace = options.get("workspace")
    return ToolContext(
        execution_id=execution_id,
        call=call,
        arguments=parameters.with_defaults(call.arguments),
        session_id=options.get("session"),
        workspace=None if workspace is None else Path(workspace).absolute(),
        services=executor.scope.services if services is None else Services(services),
        attempt=attempt,
        checked=True,
    )


def _execution(context: ToolContext, tool: Tool, outcome: ToolOutcome) -> Execution:
    return Execution(
        execution_id=context.execution_id,
        tool_name=tool.definition.name,
        call=context.call,
        outcome=outcome,
        status=status_of(outcome),
        started_at=context.started_at,
        completed_at=datetime.now(UTC),
        duration=0.0,
        attempt=context.attempt,
        session=context.session_id,
        workspace=None if context.workspace is None else str(context.workspace),
    )


async def execute_again(
    executor: Executor,
    calls: Sequence[Call],
    execution_ids: Sequence[str],
    attempt: int,
    done: Callable[[int, Execution], object],
    options: Mapping[str, Any],
) -> None:
    """Execute calls that may have been begun before, one after the other, as another attempt of the same execution."""
    for place, (call, id) in enumerate(zip(calls, execution_ids, strict=True)):
        work = executor.execute(call, execution_id=id, attempt=attempt, **options)
        task = asyncio.get_running_loop().create_task(work)
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            executor.cancel(execution_id=id)
            await waited_out(task)
            raise
        finally:
            done(place, task.result())
