"""How an answer of Cohere's is read, whole or streamed event by event.

An event has the shape of a whole answer, one level deeper, with the one part in it that has grown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

from toolwright.providers.codecs.answer import Answer, count
from toolwright.providers.codecs.bodies import read_body
from toolwright.providers.codecs.calls import arguments_text
from toolwright.providers.codecs.documents import as_index, as_object, as_text, is_keepable, read_documents
from toolwright.providers.codecs.faults import BROKEN, read_failure
from toolwright.providers.codecs.framing import EventFrames
from toolwright.providers.types import ChatResponse, FinishReason, StreamEvent, Usage

__all__ = ["CODEC", "OF_A_CALL", "ChatDecoder", "decode_chat"]

CODEC: Final = "cohere"
OF_A_CALL: Final = frozenset({"id", "type", "function"})
_FINISHES: Final[Mapping[str, FinishReason]] = {
    "COMPLETE": "stop",
    "STOP_SEQUENCE": "stop",
    "TOOL_CALL": "tool_calls",
    "MAX_TOKENS": "length",
    "ERROR_LIMIT": "length",
    "ERROR_TOXIC": "content_filter",
}  # whatever else is said ("ERROR", "TIMEOUT", ...) is no proper end


def decode_chat(body: bytes) -> ChatResponse:
    """Read a whole answer.

    Raises:
        LLMError: The body is not JSON (``bad_response``).
    """
    decoder = ChatDecoder()
    return read_body(body, decoder, lambda value: decoder.read(value, []))


class _Part:
    """A part of the content that is being received: what was said, or thought."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.pieces: list[str] = []

    def settled(self) -> dict[str, Any]:
        text = "".join(self.pieces)
        return {"type": "text", "length": len(text)} if self.kind == "text" else {"type": self.kind, self.kind: text}


@final
class ChatDecoder:
    """Reads one answer from its bytes, in whatever pieces they come."""

    def __init__(self) -> None:
        self._frames = EventFrames()
        self._answer = Answer(CODEC)
        self._parts: list[_Part] = []
        self._open: dict[int | None, _Part] = {}
        self._calls: dict[int | None, int] = {}  # the place of each call, by its index
        self._plan: list[str] = []
        self._citations: list[Any] = []
        self._response: ChatResponse | None = None

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Take the next bytes and return what they brought."""
        events: list[StreamEvent] = []
        for frame in self._frames.feed(chunk):
            self._read_frame(frame, events)
        return events

    def close(self) -> ChatResponse:
        """Say that no bytes follow, and return the answer."""
        if self._response is None:
            for frame in self._frames.close():
                self._read_frame(frame, [])
            kept = self._answer.kept
            parts = [part.settled() for part in self._parts if part.pieces]
            if any(part["type"] != "text" for part in parts):
                kept["parts"] = parts
            fields = {"tool_plan": "".join(self._plan), "citations": self._citations}
            fields = {key: value for key, value in fields.items() if value}
            if fields:
                kept["fields"] = fields
            self._response = self._answer.respond()
        return self._response

    def _read_frame(self, frame: bytes, events: list[StreamEvent]) -> None:
        if frame.strip() in (b"", b"[DONE]"):
            return
        try:
            values = read_documents(frame)
        except ValueError:
            self._answer.failure = self._answer.failure or BROKEN
            return
        for value in values:
            self.read(value, events)

    def read(self, value: Any, events: list[StreamEvent]) -> None:
        """Read one event of a stream, or a whole answer."""
        event = as_object(value)
        delta = as_object(event.get("delta"))
        message = as_object(delta.get("message")) or as_object(event.get("message"))
        index = as_index(event.get("index"))
        if not message and (event.get("error") or delta.get("error") or as_text(event.get("message"))):
            self._answer.failure = self._answer.failure or read_failure(delta if delta.get("error") else event)
        self._read_plan(as_text(message.get("tool_plan")), events)
        self._read_content(message.get("content"), index, event.get("type") == "content-start", events)
        self._read_calls(message.get("tool_calls"), index, event.get("type") == "tool-call-start", events)
        citations: Any = message.get("citations")
        self._citations += filter(is_keepable, _each(citations))
        for ending in (event, delta):
            self._read_end(ending)

    def _read_end(self, ending: dict[str, Any]) -> None:
        reason = as_text(ending.get("finish_reason"))
        if reason:
            self._answer.finish = _FINISHES.get(reason.upper(), "error")
        usage = as_object(ending.get("usage"))
        if usage:
            self._answer.usage = _usage(usage)

    def _read_plan(self, plan: str, events: list[StreamEvent]) -> None:
        if plan:
            self._plan.append(plan)
            events.append(self._answer.add_reasoning(plan))

    def _read_content(self, content: Any, index: int | None, begins: bool, events: list[StreamEvent]) -> None:
        """Read parts: all of them as a list, or one, or a piece of one, by itself."""
        if content.__class__ is str:
            content = [{"type": "text", "text": content}]
        whole = content.__class__ is list
        for part in _each(content):
            kind = "thinking" if "thinking" in part else "text"
            open = self._open.get(index)
            if whole or begins or open is None or open.kind != kind:
                open = self._open[index] = _Part(kind)
                self._parts.append(open)
            piece = as_text(part.get(kind))
            if piece:
                open.pieces.append(piece)
                add = self._answer.add_reasoning if kind == "thinking" else self._answer.add_text
                events.append(add(piece))

    def _read_calls(self, calls: Any, index: int | None, begins: bool, events: list[StreamEvent]) -> None:
        """Read calls: all of them as a list, or one, or a piece of one, by itself."""
        whole = calls.__class__ is list
        for call in _each(calls):
            function = as_object(call.get("function"))
            if whole or begins or index not in self._calls:
                self._calls[index] = len(self._answer.calls)
            place = self._calls[index]
            fields = {key: value for key, value in call.items() if key not in OF_A_CALL and value is not None}
            if fields:
                self._answer.calls.keep(place, {"fields": fields})
            id, name = as_text(call.get("id")), as_text(function.get("name"))
            events.append(self._answer.calls.add(place, id, name, arguments_text(function.get("arguments"))))


def _each(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, or the one that stands by itself."""
    return [one for one in (value if value.__class__ is list else [value]) if one.__class__ is dict]


def _usage(usage: dict[str, Any]) -> Usage:
    tokens = as_object(usage.get("tokens")) or as_object(usage.get("billed_units"))
    return Usage(
        input_tokens=count(tokens.get("input_tokens")),
        output_tokens=count(tokens.get("output_tokens")),
        cached_tokens=count(usage.get("cached_tokens")),
    )
