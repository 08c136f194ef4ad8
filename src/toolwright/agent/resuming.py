"""Taking a run up again: where it stands, from its records alone, and what becomes of calls that were cut off.

This module may not know how a run goes on from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, get_args

from msgspec.structs import replace

from toolwright.agent.final import FinalAnswer
from toolwright.agent.journal import Journal, messages_of
from toolwright.agent.limits import RunLimits
from toolwright.agent.position import Position
from toolwright.agent.repetition import REPEATED
from toolwright.agent.run import Run
from toolwright.agent.runs import StoredRun
from toolwright.agent.stopping import waited_out
from toolwright.agent.turn import WRONG_CODES, Call, RunCalls, Why, key_of, next_step
from toolwright.agent.usage import added, usage_from
from toolwright.conversation import Conversation
from toolwright.errors import RunError
from toolwright.execution import Execution, Executor
from toolwright.messages import ChatMessage, MessageRole, ToolCall, ToolResult
from toolwright.transcript import Record, to_messages

__all__ = ["Decided", "Unknown", "ended_run", "execute_again", "found_in", "position_of", "settle_unknown"]

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


def position_of(records: Sequence[Record], run_id: str, final: FinalAnswer | None) -> Position:
    """Return where a run stands.

    Raises:
        RunError: These are not the records of this run.
    """
    start = max((place for place, record in enumerate(records) if record.data.get("run") == run_id), default=None)
    if start is None:
        raise RunError(f"the records of the run {run_id} are not its own", code="run_unreadable")
    before = messages_of(records[: start + 1])
    conversation = Conversation(before, require_system=before[0].role is MessageRole.SYSTEM)
    replay = _Replay(Position(conversation, Journal(records), final))
    replay.follow(records[start + 1 :])
    return replay.position


def found_in(records: Iterable[Record]) -> Iterator[str]:
    """Yield the names of the tools that calls have found, in the order in which they were found."""
    for record in records:
        yield from record.data.get("found", ())


class _Replay:
    """Puts down once more what is in the records, but for the journal, which has it."""

    def __init__(self, position: Position) -> None:
        self.position: Final = position

    def follow(self, records: Sequence[Record]) -> None:
        facts = iter([record.data for record in records if "ending" in record.data])
        results = iter([record.data for record in records if record.kind == "tool_result"])
        position = self.position
        for message in to_messages(records):
            if message.role is MessageRole.TOOL:
                self._result(message, next(results))
                continue
            self._close()
            if message.role is MessageRole.USER:
                position.take_correction(message)
            else:
                said = next(facts)
                usage, refused = usage_from(said.get("usage")), said.get("refused", False)
                position.take_answer(message, usage, said["ending"], refused=refused)
        self._close()

    def _result(self, message: ChatMessage, facts: Mapping[str, Any]) -> None:
        position = self.position
        result = ToolResult(message.tool_call_id or "", message.content or "", message.is_error)
        position.results[result.tool_call_id] = result
        key = key_of(next(call for call in position.calls if call.id == result.tool_call_id))
        why = facts.get("not_run")
        position.exhausted |= why == "limit"
        if why is None:
            position.ran += 1
            position.repetition.notice(position.state.turns, key, result.result.removesuffix(REPEATED))
            position.usage = added(position.usage, usage_from(facts.get("usage")))
        if why == "cut" or (why is None and facts.get("error_code") in WRONG_CODES):
            position.wrong.add(key)

    def _close(self) -> None:
        """Close the calls of the last answer, if each has its result; those of the very last one may be cut off."""
        position = self.position
        missing = position.missing()
        if missing:
            state = position.state
            position.state = replace(state, pending=missing, calls=state.calls + position.ran)
            position.ran, position.interrupted = 0, True
        elif position.calls:
            position.close_calls("failed")


def settle_unknown(
    position: Position, executor: Executor, limits: RunLimits, decided: Mapping[str, Decided], unknown: Unknown
) -> None:
    """Decide about the calls of which nobody knows whether they happened; a person may still have to.

    Raises:
        ValueError: Somebody has decided about a call that is not in doubt, or in other words than there are.
    """
    step = next_step(position.state, limits)
    doubtful = [call for call in step.calls if _in_doubt(call, executor)] if isinstance(step, RunCalls) else []
    if not set(decided.values()) <= set(get_args(Decided)):
        raise ValueError(f"decided: one of {', '.join(get_args(Decided))}")
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
    if doubtful and not position.missing():
        position.close_calls("unknown")  # none is left that this could be the reason of


def _in_doubt(call: Call, executor: Executor) -> bool:
    """Say whether a call that was cut off may have had effects that a second one would have again."""
    tool = executor.registry.get(call.name) if isinstance(call, ToolCall) else None
    if tool is None:
        return False
    return tool.definition.side_effects and not tool.definition.idempotency_key


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


def ended_run(stored: StoredRun, position: Position) -> Run:
    """Return a run that has ended, as far as it is kept."""
    status: Any = stored.head.status
    return Run(
        id=stored.head.id,
        status=status,
        text=position.text,
        conversation=position.conversation,
        journal=position.journal,
        usage=position.usage,
        value=position.reading.value if status == "completed" else None,
    )
