"""The journal of a run: what was said and what came of it, in the order in which it happened.

It is the one thing that a run is written into. Its records are what is stored and shown; they are made when somebody
wants them. Results stand where they arrived; the model is sent them in the order of the calls (:func:`messages_of`).

Pure but for the values that it holds: this module asks, runs and stores nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from toolwright.agent.turn import NOT_RUN, Call, Why
from toolwright.execution import Execution
from toolwright.messages import ChatMessage, MessageRole, ToolResult
from toolwright.transcript import Record, result_record, to_messages, to_records
from toolwright.values import decode

__all__ = ["Journal", "messages_of"]

_Entry: TypeAlias = "tuple[ChatMessage | ToolResult, Execution | Why | None, Mapping[str, Any]]"

_NOTHING: Final[Mapping[str, Any]] = {}


class Journal:
    """What happened in one run, and before it in the same conversation."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._records: list[Record] = [*records]
        self._entries: list[_Entry] = []  # those of which no record was made yet
        self._answers = max(map(_response_of, self._records), default=0) if self._records else 0

    def __len__(self) -> int:
        """Return how many records there are."""
        self._write()
        return len(self._records)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of all that happened."""
        self._write()
        return tuple(self._records)

    def since(self, length: int) -> Sequence[Record]:
        """Return the records from a place on."""
        self._write()
        return self._records[length:]

    def add(self, message: ChatMessage, **facts: Any) -> None:
        """Write down what was said; facts that are None are left out."""
        self._entries.append((message, None, facts))

    def add_result(self, result: ToolResult, origin: Execution | Why, **facts: Any) -> None:
        """Write down what a call gave, or why it was not run."""
        self._entries.append((result, origin, facts))

    def _write(self) -> None:
        for said, origin, facts in self._entries:
            if isinstance(said, ToolResult):
                self._records.append(_result(said, origin, facts))
            else:
                self._records += self._said(said, facts)
        self._entries.clear()

    def _said(self, message: ChatMessage, facts: Mapping[str, Any]) -> Sequence[Record]:
        has_calls = bool(message.tool_calls or message.invalid_tool_calls)
        first, *rest = to_records([message], first_response=self._answers + 1)
        self._answers += has_calls
        known = {name: value for name, value in facts.items() if value is not None}
        return [replace(first, data={**first.data, **known}) if known else first, *rest]


def messages_of(records: Iterable[Record]) -> list[ChatMessage]:
    """Return the messages that records stand for, the results of each answer in the order of its calls."""
    ordered: list[ChatMessage] = []
    places: dict[str, int] = {}
    results: list[ChatMessage] = []
    for message in to_messages(records):
        if message.role is MessageRole.TOOL:
            results.append(message)
            continue
        ordered += sorted(results, key=lambda result: places.get(result.tool_call_id or "", 0))
        results = []
        calls: tuple[Call, ...] = (*message.tool_calls, *message.invalid_tool_calls)
        places = {call.id: place for place, call in enumerate(calls)}
        ordered.append(message)
    return ordered + sorted(results, key=lambda result: places.get(result.tool_call_id or "", 0))


def _result(result: ToolResult, origin: Execution | Why | None, facts: Mapping[str, Any]) -> Record:
    if not isinstance(origin, Execution):
        said = NOT_RUN[origin or "failed"]
        code = {"error_code": said.code} if said.code else {}
        return result_record(result, facts={"status": said.status, **code, **facts})
    outcome = origin.outcome
    known: dict[str, Any] = {
        "status": origin.status,
        "duration_ms": round(origin.duration * 1000, 3),
        "truncated": outcome.truncated or outcome.more is not None,
        "artifacts": [decode(artifact.to_json()) for artifact in outcome.artifacts],
        "execution_id": origin.execution_id,
    }
    if outcome.error_code is not None:
        known["error_code"] = outcome.error_code
    if origin.attempt > 1:
        known["attempt"] = origin.attempt
    # What the model reads has no secrets and no paths of this machine in it; the code stands beside it.
    line = result.result.removeprefix(f"Error ({outcome.error_code}): ")
    return result_record(result, summary=outcome.message if outcome.success else line, facts={**known, **facts})


def _response_of(record: Record) -> int:
    number = record.data.get("response")
    return number if isinstance(number, int) else 0
