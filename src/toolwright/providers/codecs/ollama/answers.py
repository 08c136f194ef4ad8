"""How an answer of Ollama's is read: one row whole, or many rows, each with a piece of the message.

Calls come complete, over any number of rows before the last.
"""

from __future__ import annotations

from typing import Any, Final, final

from toolwright.errors import LLMError
from toolwright.providers.codecs.answer import Answer, count
from toolwright.providers.codecs.calls import arguments_text
from toolwright.providers.codecs.documents import is_keepable, read_document, read_documents
from toolwright.providers.codecs.faults import BROKEN, find_failure
from toolwright.providers.codecs.framing import RowFrames
from toolwright.providers.types import ChatResponse, StreamEvent, Usage

__all__ = ["CODEC", "RowDecoder", "decode_row"]

CODEC: Final = "ollama"

_OF_A_MESSAGE: Final = frozenset({"role", "content", "thinking", "tool_calls"})
_OF_A_FUNCTION: Final = frozenset({"name", "arguments"})
_BROKEN_OFF: Final = frozenset({"load", "unload"})  # the model was moved, and said nothing


def decode_row(body: bytes) -> ChatResponse:
    """Read a whole answer, or rows that came in one piece.

    Raises:
        LLMError: The body is not JSON (``bad_response``).
    """
    decoder = RowDecoder()
    try:
        row = read_document(body)
    except ValueError:
        # A server streams unless it is told not to.
        decoder.feed(body)
        response = decoder.close()
        if not decoder.saw_row:
            raise LLMError("bad_response", "the provider's answer is not JSON") from None
        return response
    decoder.read(row, [])
    return decoder.close()


@final
class RowDecoder:
    """Reads one answer from its bytes, in whatever pieces they come."""

    def __init__(self) -> None:
        self._frames = RowFrames()
        self._answer = Answer(CODEC)
        self._fields: dict[str, Any] = {}
        self._response: ChatResponse | None = None
        self.saw_row = False

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Take the next bytes and return what they brought."""
        events: list[StreamEvent] = []
        for frame in self._frames.feed(chunk):
            if not self._read_frame(frame, events):
                self._answer.failure = self._answer.failure or BROKEN
        return events

    def close(self) -> ChatResponse:
        """Say that no bytes follow, and return the answer."""
        if self._response is None:
            for frame in self._frames.close():
                self._read_frame(frame, [])  # or the beginning of a row, if the stream broke off there
            if self._answer.reasoning:
                self._answer.kept["thinking"] = "".join(self._answer.reasoning)
            if self._fields and is_keepable(self._fields):
                self._answer.kept["fields"] = self._fields
            self._response = self._answer.respond()
        return self._response

    def _read_frame(self, frame: bytes, events: list[StreamEvent]) -> bool:
        """Read a piece of the stream; say whether it is JSON."""
        try:
            rows = read_documents(frame)
        except ValueError:
            return False
        for row in rows:
            self.read(row, events)
        return True

    def read(self, row: Any, events: list[StreamEvent]) -> None:
        """Read one row, or a whole answer."""
        failure = find_failure(row)
        if row.__class__ is not dict or failure is not None:
            self._answer.failure = failure or BROKEN
            return
        self.saw_row = True
        self._answer.set_model(row.get("model"))
        message = row.get("message")
        if message.__class__ is dict:
            self._read_message(message, events)
        if row.get("done") is True:
            self._end(row)

    def _read_message(self, message: dict[str, Any], events: list[StreamEvent]) -> None:
        thinking, content = message.get("thinking"), message.get("content")
        if thinking.__class__ is str and thinking:
            events.append(self._answer.add_reasoning(str(thinking)))
        if content.__class__ is str and content:
            events.append(self._answer.add_text(str(content)))
        calls: Any = message.get("tool_calls")
        for call in calls if calls.__class__ is list else ():
            if call.__class__ is dict:
                self._read_call(call, events)
        if not _OF_A_MESSAGE.issuperset(message):
            self._fields.update({key: value for key, value in message.items() if key not in _OF_A_MESSAGE and value})

    def _read_call(self, call: dict[str, Any], events: list[StreamEvent]) -> None:
        function: Any = call.get("function")
        if function.__class__ is not dict:
            return
        calls = self._answer.calls
        place = len(calls)
        id, name = call.get("id"), function.get("name")
        fields = {key: value for key, value in call.items() if key not in ("id", "function")}
        extras = {key: value for key, value in function.items() if key not in _OF_A_FUNCTION}
        kept = {key: value for key, value in (("fields", fields), ("function", extras)) if value}
        if kept:
            calls.keep(place, kept)
        wanted = id if isinstance(id, str) and id else f"call_{place}"
        arguments = arguments_text(function.get("arguments"))
        events.append(calls.add(place, wanted, name if isinstance(name, str) else None, arguments))

    def _end(self, row: dict[str, Any]) -> None:
        reason = row.get("done_reason")
        if not (isinstance(reason, str) and reason in _BROKEN_OFF):
            self._answer.finish = "length" if reason == "length" else "stop"
        self._answer.usage = Usage(
            # Missing where the whole prompt was read from the cache.
            input_tokens=count(row.get("prompt_eval_count")),
            output_tokens=count(row.get("eval_count")),
        )
