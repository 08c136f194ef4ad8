"""The canonical, provider-free record of a run: what is stored, shown and replayed.

A model's answer is one message and several records: its text, then each of its calls. They carry the number of the
answer, so that the message can be put together again. The two forms say the same: :func:`to_records` and
:func:`to_messages` are inverse.

This module knows messages. It does not know who runs a call: an execution's facts come to it as plain JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, groupby
from typing import Any, Final, Literal, get_args

from msgspec.structs import force_setattr

from toolwright.errors import InvalidMessageError
from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall, ToolResult
from toolwright.messages.decoding import MessageValue, frozen_object, plain_text
from toolwright.values import MAX_DEPTH, JsonObject, encode, freeze_object

__all__ = ["Record", "RecordKind", "result_record", "to_messages", "to_records"]

RecordKind = Literal["system", "user", "assistant", "tool_call", "tool_result"]

_KINDS: Final = frozenset(get_args(RecordKind))
_EMPTY: Final[JsonObject] = freeze_object({})
_LINE_LENGTH: Final = 200
_ROOM: Final = MAX_DEPTH + 1  # the arguments of a call lie one level down, and may be as deep as those of any call


class Record(MessageValue, frozen=True, gc=False):
    """One line of a transcript: ``content`` is for a person, ``data`` is the structure.

    ===============  =================================  ==========================================================
    kind             content                            data
    ===============  =================================  ==========================================================
    system, user     the text                           ``provider_data`` where there is any
    assistant        the text                           the same; ``response`` where the answer has calls too
    tool_call        ``glob(pattern="**/*.py")``        ``id``, ``name``, ``arguments`` (an invalid call:
                                                        ``arguments_text`` and ``reason``), ``response``,
                                                        ``provider_data``
    tool_result      ``12 files``, ``error: no ...``    ``tool_call_id``, ``result``, ``is_error``, and the facts of
                                                        the execution
    ===============  =================================  ==========================================================

    ``response`` numbers the answers of the model: records with one number are one message. What the provider wants to
    see again of an answer without a text lies as ``response_provider_data`` with the first of its calls.

    Raises:
        InvalidMessageError: ``wrong_shape`` or ``not_json_value``.
    """

    kind: RecordKind
    content: str
    data: JsonObject = _EMPTY

    def __post_init__(self) -> None:
        force_setattr(self, "kind", plain_text(self.kind, "kind"))
        if self.kind not in _KINDS:
            raise InvalidMessageError("is not a kind of record", code="wrong_shape", path="kind")
        force_setattr(self, "content", plain_text(self.content, "content"))
        force_setattr(self, "data", frozen_object(self.data, "data", _ROOM) or _EMPTY)

    def __hash__(self) -> int:
        return hash((self.kind, self.content))

    def __repr__(self) -> str:
        return f"Record(kind={self.kind!r}, content=<{len(self.content)} chars>, data=[{', '.join(self.data)}])"


def to_records(messages: Iterable[ChatMessage], *, first_response: int = 1) -> tuple[Record, ...]:
    """Return the records of messages, in order.

    ``first_response`` is the number of the first answer with calls among them: one more than the last one that the
    transcript has, when they are to be appended to it.
    """
    numbers = count(first_response)
    return tuple(record for message in messages for record in _records(message, numbers))


def to_messages(records: Iterable[Record]) -> tuple[ChatMessage, ...]:
    """Return the messages that records stand for.

    Two user records in a row (the model never answered the first) become one message, a blank line between them.

    Raises:
        InvalidMessageError: A record lacks what its kind needs; ``path`` says which.
    """
    numbered = tuple(_Numbered(index, record) for index, record in enumerate(records))
    return tuple(_message(list(parts)) for _, parts in groupby(numbered, _message_of))


def result_record(result: ToolResult, *, summary: str | None = None, facts: Mapping[str, Any] | None = None) -> Record:
    """Return the record of one result, as it is appended when it is there.

    ``summary`` is the line that a person reads (default: the beginning of the result). ``facts`` are what is known of
    the execution: ``status``, ``duration_ms``, ``truncated``, ``artifacts``.
    """
    return _result(result, {} if facts is None else facts, summary)


def _records(message: ChatMessage, numbers: Iterator[int]) -> Iterator[Record]:
    if message.role is MessageRole.TOOL:
        answer = ToolResult(message.tool_call_id or "", message.content or "", message.is_error)
        yield _result(answer, _known(provider_data=message.provider_data))
    elif message.tool_calls or message.invalid_tool_calls:
        yield from _answer(message, next(numbers))
    else:
        yield _text(message, _known(provider_data=message.provider_data))


def _text(message: ChatMessage, structure: dict[str, Any]) -> Record:
    return Record(message.role.value, message.content or "", structure)  # type: ignore[arg-type]  # not TOOL


def _answer(message: ChatMessage, response: int) -> Iterator[Record]:
    """Return the text, then the calls, of an answer that has calls."""
    unplaced = message.provider_data
    if message.content is not None:
        yield _text(message, {"response": response, **_known(provider_data=unplaced)})
        unplaced = None
    calls: tuple[ToolCall | InvalidToolCall, ...] = (*message.tool_calls, *message.invalid_tool_calls)
    for call in calls:
        structure = {"id": call.id, "name": call.name, **_asked(call), "response": response}
        extra = _known(provider_data=call.provider_data, response_provider_data=unplaced)
        yield Record("tool_call", _call_line(call), {**structure, **extra})
        unplaced = None


def _asked(call: ToolCall | InvalidToolCall) -> dict[str, Any]:
    if isinstance(call, ToolCall):
        return {"arguments": call.arguments}
    return {"arguments_text": call.arguments_text, "reason": call.reason}


def _known(**fields: JsonObject | None) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _result(result: ToolResult, extra: Mapping[str, Any], summary: str | None = None) -> Record:
    text = result.result if summary is None else summary
    content = next((line for line in text[: _LINE_LENGTH + 1].splitlines() if line.strip()), "")
    structure = {"tool_call_id": result.tool_call_id, "result": result.result, "is_error": result.is_error}
    return Record("tool_result", _one_line(f"error: {content}" if result.is_error else content), {**extra, **structure})


def _call_line(call: ToolCall | InvalidToolCall) -> str:
    if isinstance(call, InvalidToolCall):
        return _one_line(f"{call.name}({call.arguments_text[:_LINE_LENGTH]})")
    shown = ", ".join(f"{key}={_argument(value)}" for key, value in call.arguments.items())
    return _one_line(f"{call.name}({shown})")


def _argument(value: Any) -> str:
    # A long text is cut before it is encoded: the line has no room for more, and it may have megabytes.
    return encode(value[:_LINE_LENGTH] if isinstance(value, str) else value).decode()


def _one_line(text: str) -> str:
    line = " ".join(text.splitlines())
    return line if len(line) <= _LINE_LENGTH else line[: _LINE_LENGTH - 1] + "…"


class _Numbered:
    """A record and its place, which each error names."""

    __slots__ = ("index", "record")

    def __init__(self, index: int, record: Record) -> None:
        self.index = index
        self.record = record

    def need(self, key: str, type: type) -> Any:
        """Return an entry that a record of this kind must have.

        Raises:
            InvalidMessageError: It is missing, or of another type.
        """
        value = self.record.data.get(key)
        if not isinstance(value, type):
            problem = "is missing in a record of this kind, or is not what it should be"
            raise InvalidMessageError(problem, code="wrong_shape", path=f"[{self.index}].data.{key}")
        return value

    def provider_data(self, key: str = "provider_data") -> JsonObject | None:
        """Return what a provider wants to see again, where there is any.

        Raises:
            InvalidMessageError: It is not an object.
        """
        return self.need(key, Mapping) if key in self.record.data else None

    def placed(self, error: InvalidMessageError) -> InvalidMessageError:
        """Return a fault with its place: what messages refuse does not know yet that it lies in this record."""
        if error.path.startswith("["):
            return error
        inside = "" if error.code == "duplicate_call_id" else f".data.{error.path}"
        return InvalidMessageError(error.problem, code=error.code, path=f"[{self.index}]{inside}")


def _message_of(numbered: _Numbered) -> tuple[Any, ...]:
    """Return a key that neighbouring records share when they are one message."""
    record = numbered.record
    if record.kind == "user":
        return ("user",)
    if record.kind in ("assistant", "tool_call") and "response" in record.data:
        return "response", record.data["response"]
    return "alone", numbered.index


def _message(parts: Sequence[_Numbered]) -> ChatMessage:
    make = _MAKERS[parts[0].record.kind]
    try:
        return make(parts)
    except InvalidMessageError as error:
        raise parts[0].placed(error) from None


def _spoken_message(parts: Sequence[_Numbered]) -> ChatMessage:
    content = "\n\n".join(part.record.content for part in parts)
    found = [data for part in parts if (data := part.provider_data()) is not None]
    merged = {key: value for data in found for key, value in data.items()}
    return ChatMessage(MessageRole(parts[0].record.kind), content, provider_data=merged if found else None)


def _tool_message(parts: Sequence[_Numbered]) -> ChatMessage:
    part = parts[0]
    return ChatMessage(
        MessageRole.TOOL,
        part.need("result", str),
        tool_call_id=part.need("tool_call_id", str),
        is_error=part.need("is_error", bool),
        provider_data=part.provider_data(),
    )


def _answer_message(parts: Sequence[_Numbered]) -> ChatMessage:
    texts = [part for part in parts if part.record.kind == "assistant"]
    calls = [_call(part) for part in parts if part.record.kind == "tool_call"]
    return ChatMessage.assistant(
        "".join(text.record.content for text in texts) if texts else None,
        [call for call in calls if isinstance(call, ToolCall)],
        [call for call in calls if isinstance(call, InvalidToolCall)],
        provider_data=texts[0].provider_data() if texts else parts[0].provider_data("response_provider_data"),
    )


_MAKERS: Final[dict[RecordKind, Callable[[Sequence[_Numbered]], ChatMessage]]] = {
    "system": _spoken_message,
    "user": _spoken_message,
    "assistant": _answer_message,
    "tool_call": _answer_message,
    "tool_result": _tool_message,
}


def _call(part: _Numbered) -> ToolCall | InvalidToolCall:
    try:
        id, name, provider_data = part.need("id", str), part.need("name", str), part.provider_data()
        if "reason" not in part.record.data:
            return ToolCall(id, name, part.need("arguments", Mapping), provider_data)
        return InvalidToolCall(id, name, part.need("arguments_text", str), part.need("reason", str), provider_data)
    except InvalidMessageError as error:
        raise part.placed(error) from None
