"""Taking a run up again: where it stands, from its records alone.

This module may not know how a run goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from msgspec.structs import replace

from toolwright.agent.final import FinalAnswer
from toolwright.agent.journal import Journal, messages_of
from toolwright.agent.position import Position
from toolwright.agent.repetition import REPEATED
from toolwright.agent.run import Run
from toolwright.agent.runs import StoredRun
from toolwright.agent.turn import WRONG_CODES, key_of
from toolwright.agent.usage import added, usage_from
from toolwright.conversation import Conversation
from toolwright.errors import ConversationOrderError, InvalidMessageError, RunError
from toolwright.messages import ChatMessage, MessageRole, ToolResult
from toolwright.transcript import Record, to_messages

__all__ = ["ended_run", "found_in", "position_of"]


def position_of(records: Sequence[Record], run_id: str, final: FinalAnswer | None) -> Position:
    """Return where a run stands.

    Raises:
        RunError: These are not the records of this run, or not as they were written.
    """
    start = max((place for place, record in enumerate(records) if record.data.get("run") == run_id), default=None)
    if start is None:
        raise RunError(f"the records of the run {run_id} are not its own", code="run_unreadable")
    try:
        return _position(records, start, final)
    except (InvalidMessageError, ConversationOrderError, LookupError, TypeError, ValueError, StopIteration) as error:
        raise RunError(
            f"the records of the run {run_id} are not as they were written", code="run_unreadable"
        ) from error


def _position(records: Sequence[Record], start: int, final: FinalAnswer | None) -> Position:
    before = messages_of(records[: start + 1])
    conversation = Conversation(before, require_system=before[0].role is MessageRole.SYSTEM)
    replay = _Replay(Position(conversation, Journal(records), final))
    replay.follow(records[start + 1 :])
    return replay.position


def found_in(records: Iterable[Record]) -> Iterator[str]:
    """Yield the names of the tools that calls have found, in the order in which they were found."""
    for record in records:
        found = record.data.get("found")
        if isinstance(found, Sequence):
            yield from (name for name in cast("Sequence[object]", found) if isinstance(name, str))


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
