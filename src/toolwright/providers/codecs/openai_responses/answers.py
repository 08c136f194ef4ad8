"""How an answer of the responses format is read, streamed or whole.

An answer is a list of items. A stream brings them in pieces and then whole, so it is the whole ones that are read in
the end, by the same code that reads an answer that was not streamed; the pieces are for whoever watches, and for
streams that break off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

from toolwright.messages import ToolCallDelta
from toolwright.providers.codecs.answer import Answer, count
from toolwright.providers.codecs.bodies import read_body
from toolwright.providers.codecs.documents import as_list, as_object, as_text, read_documents
from toolwright.providers.codecs.faults import BROKEN, find_failure, read_failure
from toolwright.providers.codecs.framing import EventFrames
from toolwright.providers.codecs.ids import UnusedIds
from toolwright.providers.codecs.names import legal_call_name
from toolwright.providers.codecs.openai_responses.items import BETWEEN, CUSTOM_CALL, Item, call_id, parts_of, read_items
from toolwright.providers.types import ChatResponse, FinishReason, ReasoningDelta, StreamEvent, TextDelta, Usage

__all__ = ["ResponsesDecoder", "decode_response"]

_STATUSES: Final[Mapping[str, FinishReason]] = {
    "completed": "stop", "complete": "stop", "incomplete": "length",
    "failed": "error", "cancelled": "error", "canceled": "error",
}  # fmt: skip
_ENDS: Final[Mapping[str, FinishReason]] = {
    "response.completed": "stop", "response.done": "stop",
    "response.incomplete": "length", "response.failed": "error", "response.cancelled": "error",
}  # fmt: skip
_TEXT: Final = ("response.output_text.delta", "response.text.delta")
_THOUGHTS: Final = ("response.reasoning_text.delta", "response.reasoning_summary_text.delta")
_CALLS: Final = ("function_call", CUSTOM_CALL)
_INPUTS: Final = {
    "response.function_call_arguments.delta": "function_call",
    "response.custom_tool_call_input.delta": CUSTOM_CALL,
}
_ENDINGS: Final = {
    "response.output_text.done": ("response.output_text.delta", "text"),
    "response.refusal.done": ("response.refusal.delta", "refusal"),
    "response.function_call_arguments.done": ("response.function_call_arguments.delta", "arguments"),
    "response.custom_tool_call_input.done": ("response.custom_tool_call_input.delta", "input"),
}  # which pieces end with them, and where they repeat all of those


def decode_response(body: bytes, codec: str) -> ChatResponse:
    """Read a whole answer.

    Raises:
        LLMError: The body is not JSON (``bad_response``).
    """
    decoder = ResponsesDecoder(codec)
    return read_body(body, decoder, lambda value: decoder.read(value, []))


@final
class ResponsesDecoder:
    """Reads one answer from its bytes, in whatever pieces they come."""

    def __init__(self, codec: str) -> None:
        self._frames = EventFrames()
        self._answer = Answer(codec)
        self._items: list[Item] = []
        self._by_index: dict[int, Item] = {}
        self._latest: Item | None = None  # that was spoken of
        self._calls = 0
        self._ids = UnusedIds()
        self._thinking: tuple[Any, ...] | None = None
        self._final: list[dict[str, Any]] = []
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
            items = self._final or [item.whole() for item in self._items]
            entries = read_items(items, self._answer)
            if entries:
                self._answer.kept["items"] = entries
            self._response = self._answer.respond()
        return self._response

    def _read_frame(self, frame: bytes, events: list[StreamEvent]) -> None:
        if frame.strip() in (b"", b"[DONE]"):  # says nothing: the end is an event of its own
            return
        try:
            values = read_documents(frame)
        except ValueError:
            self._fail(BROKEN)
            return
        for value in values:
            self.read(value, events)

    def _fail(self, failure: Any) -> None:
        self._answer.failure = self._answer.failure or failure

    def read(self, value: Any, events: list[StreamEvent]) -> None:
        """Read one event of a stream, or a whole answer."""
        value = value if value.__class__ is dict else {"error": value} if find_failure(value) else {}
        kind = as_text(value.get("type"))
        if kind in _TEXT:
            self._read_text(value, "output_text", events)
        elif kind in _INPUTS:
            self._read_input(value, _INPUTS[kind], events)
        elif kind in _THOUGHTS:
            self._read_thought(value, events)
        elif kind == "response.refusal.delta":
            self._read_text(value, "refusal", events)
        elif kind in _ENDINGS:
            self._read_ending(value, *_ENDINGS[kind], events)
        elif kind in ("response.output_item.added", "response.output_item.done"):
            self._read_item(value, events, done=kind.endswith("done"))
        elif "response" in value:
            self._read_response(as_object(value["response"]), _ENDS.get(kind), events)
        elif "output" in value or value.get("object") == "response":
            self._read_response(value, _STATUSES.get(as_text(value.get("status"))), events, whole=True)
        elif kind == "error" or value.get("error") or (not kind and _is_failure(value)):
            self._fail(read_failure(value))

    def _at(self, index: Any) -> Item:
        """Return the item of an index; without one, that which was spoken of before."""
        if index.__class__ is int:
            self._latest = self._by_index.get(index)
        return self._latest or self._begin(index)

    def _begin(self, index: Any) -> Item:
        self._latest = Item()
        self._items.append(self._latest)
        if index.__class__ is int:
            self._by_index[index] = self._latest
        return self._latest

    def _read_item(self, event: dict[str, Any], events: list[StreamEvent], *, done: bool) -> None:
        """Read an item that begins or is whole; some servers have one index for all, or none."""
        index, value = event.get("output_index"), as_object(event.get("item"))
        item = self._at(index)
        if item.done or (item.item and not done):
            item = self._begin(index)
        if done:
            self._finish_item(item, value, events)
        else:
            item.item = value
            self._announce(item, events)

    def _read_text(self, event: dict[str, Any], kind: str, events: list[StreamEvent]) -> None:
        piece = as_text(event.get("delta"))
        if piece:
            place = _place(event.get("content_index"), 0)
            self._at(event.get("output_index")).texts.setdefault((kind, place), []).append(piece)
            if kind == "output_text":
                events.append(TextDelta(piece))

    def _read_ending(self, event: dict[str, Any], kind: str, field: str, events: list[StreamEvent]) -> None:
        """Read what ends a text or an input: all of it, which some servers send without any pieces before."""
        item = self._at(event.get("output_index"))
        place = ("refusal" if field == "refusal" else "output_text", _place(event.get("content_index"), 0))
        if not item.done and not item.arguments and place not in item.texts:
            self.read({**event, "type": kind, "delta": event.get(field)}, events)

    def _read_thought(self, event: dict[str, Any], events: list[StreamEvent]) -> None:
        piece = as_text(event.get("delta"))
        if piece:
            place = _place(event.get("summary_index", event.get("content_index")), 0)
            kind = as_text(event.get("type"))
            self._at(event.get("output_index")).texts.setdefault((kind, place), []).append(piece)
            begun = (_place(event.get("output_index"), 0), kind, place)
            lead = BETWEEN if self._thinking not in (None, begun) else ""
            self._thinking = begun
            events.append(ReasoningDelta(lead + piece))

    def _read_input(self, event: dict[str, Any], kind: str, events: list[StreamEvent]) -> None:
        item = self._at(event.get("output_index"))
        if item.call is None:
            item.item = {"type": kind, **item.item}
        self._announce(item, events)
        if item.call is not None:
            events.append(item.take_input(as_text(event.get("delta"))))

    def _announce(self, item: Item, events: list[StreamEvent]) -> None:
        """Say that a call has begun."""
        if item.item.get("type") in _CALLS and item.call is None:
            item.call = self._calls
            self._calls += 1
            id = call_id(item.item)
            name = legal_call_name(as_text(item.item.get("name")))
            events.append(ToolCallDelta(item.call, self._ids.take(id) if id else None, name or None, ""))

    def _finish_item(self, item: Item, whole: dict[str, Any], events: list[StreamEvent]) -> None:
        """Take an item that has come whole, and tell what of it was not streamed."""
        if not whole or item.done:
            return
        item.item, item.done = whole, True
        self._announce(item, events)
        if item.call is not None:
            events += item.finish_input()
        if whole.get("type") == "message" and not item.texts:
            texts = [text for part in parts_of(whole) if (text := as_text(part.get("text")))]
            events += map(TextDelta, texts)
            item.texts[("output_text", 0)] = texts

    def _read_response(
        self, response: dict[str, Any], end: FinishReason | None, events: list[StreamEvent], *, whole: bool = False
    ) -> None:
        answer = self._answer
        answer.set_model(response.get("model"))
        usage = as_object(response.get("usage"))
        if usage:
            answer.usage = _usage(usage)
        if response.get("error"):
            self._fail(read_failure(response))
        items = [item for item in as_list(response.get("output")) if item.__class__ is dict]
        if whole and items and end is None:
            end = "stop"  # "in_progress", or no status at all, although the items are there
        if end is None:
            return
        reason = as_text(as_object(response.get("incomplete_details")).get("reason"))
        if reason or response.get("status") == "incomplete":
            end = "content_filter" if reason == "content_filter" else "length"
        answer.finish = end
        if items:  # some servers leave them out of the last event
            self._final = items
            told = {as_text(one.item.get("id")) for one in self._items if one.done} - {""}
            for index, item in enumerate(items):
                if as_text(item.get("id")) not in told:  # by id: not all servers count from 0
                    self._finish_item(self._at(index), item, events)


def _place(value: Any, otherwise: int) -> int:
    return value if value.__class__ is int else otherwise


def _is_failure(value: dict[str, Any]) -> bool:
    return bool(value.get("detail")) or value.get("message").__class__ is str


def _usage(usage: dict[str, Any]) -> Usage:
    return Usage(
        input_tokens=count(usage.get("input_tokens", usage.get("prompt_tokens"))),
        output_tokens=count(usage.get("output_tokens", usage.get("completion_tokens"))),
        cached_tokens=count(as_object(usage.get("input_tokens_details")).get("cached_tokens")),
        reasoning_tokens=count(as_object(usage.get("output_tokens_details")).get("reasoning_tokens")),
    )
