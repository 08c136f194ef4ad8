"""How an answer of Anthropic's Messages API is read, whole or streamed block by block.

A whole answer is read as blocks that are complete when they begin; those of a stream grow by deltas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

from toolwright.messages import ChatMessage
from toolwright.providers.codecs.answer import Answer, count
from toolwright.providers.codecs.anthropic.blocks import Block, is_plain, settled
from toolwright.providers.codecs.anthropic.turns import CODEC
from toolwright.providers.codecs.bodies import read_body
from toolwright.providers.codecs.calls import arguments_text
from toolwright.providers.codecs.documents import as_index, as_object, as_text, is_keepable, read_documents
from toolwright.providers.codecs.faults import BROKEN, read_failure
from toolwright.providers.codecs.framing import EventFrames
from toolwright.providers.types import ChatResponse, FinishReason, StreamEvent, Usage

__all__ = ["MessageDecoder", "decode_message", "read_answer"]

_FINISHES: Final[Mapping[str, FinishReason]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}  # whatever else is said ("end_turn", "tool_use", "pause_turn", ...) is an ordinary end
_OF_A_CALL: Final = frozenset({"type", "id", "name", "input"})
_BEGUN_BY: Final = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "thinking"}


def decode_message(body: bytes) -> ChatResponse:
    """Read a whole answer.

    Raises:
        LLMError: The body is not JSON (``bad_response``).
    """
    decoder = MessageDecoder()
    return read_body(body, decoder, lambda value: decoder.read_whole(value, []))


def read_answer(content: Any) -> ChatMessage:
    """Return the message that the content of an assistant's turn makes."""
    decoder = MessageDecoder()
    decoder.read_whole({"content": content}, [])
    return decoder.close().to_message()


@final
class MessageDecoder:
    """Reads one answer from its bytes, in whatever pieces they come."""

    def __init__(self) -> None:
        self._frames = EventFrames()
        self._answer = Answer(CODEC)
        self._blocks: list[Block] = []
        self._open: dict[int, Block] = {}
        self._usage: dict[str, Any] = {}
        self._response: ChatResponse | None = None

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
                self._read_frame(frame, [])  # or the beginning of an event, if the stream broke off there
            for block in self._blocks if self._answer.finish else ():
                self._end(block, [])
            entries = list(filter(is_keepable, map(settled, self._blocks)))
            if not is_plain(entries):
                self._answer.kept["content"] = entries
            self._answer.usage = _usage(self._usage)
            self._response = self._answer.respond()
        return self._response

    def _read_frame(self, frame: bytes, events: list[StreamEvent]) -> bool:
        """Read a piece of the stream; say whether it is JSON."""
        try:
            values = read_documents(frame)
        except ValueError:
            return False
        for value in values:
            if value.__class__ is dict:
                self._read_event(value, events)
        return True

    def _read_event(self, event: dict[str, Any], events: list[StreamEvent]) -> None:
        match event.get("type"):
            case "content_block_delta":
                self._grow(_index(event), as_object(event.get("delta")), events)
            case "content_block_start":
                # After a second message_start, indices begin at 0 again: the newest block has the index.
                self._open[_index(event)] = self._begin(as_object(event.get("content_block")), events)
            case "content_block_stop":
                self._end(self._open.get(_index(event)), events)
            case "message_start":
                self._start(as_object(event.get("message")), events)
            case "message_delta":
                self._stop(as_object(event.get("delta")))
                self._count(event.get("usage"))
            case "message_stop":
                self._answer.finish = self._answer.finish or "stop"
            case "message":
                self.read_whole(event, events)
            case kind:
                failure = read_failure(event) if kind == "error" or kind is None or event.get("error") else None
                if failure is not None and (failure.message or kind == "error"):
                    self._answer.failure = failure

    def _start(self, message: dict[str, Any], events: list[StreamEvent]) -> None:
        """Read the beginning of an answer, which has blocks already where it goes on with an earlier one."""
        if not self._usage:
            self._count(message.get("usage"))
        self._answer.set_model(message.get("model"))
        self._answer.finish = None
        self._stop(message)
        if not self._blocks:
            self._read_blocks(message.get("content"), events)

    def read_whole(self, message: Any, events: list[StreamEvent]) -> None:
        """Read a whole answer, or the error that stands in its place."""
        if message.__class__ is not dict or message.get("error") or "content" not in message:
            failure = read_failure(message)
            self._answer.failure = failure if failure.message else BROKEN
            return
        self._read_blocks(message["content"], events)
        self._answer.set_model(message.get("model"))
        self._count(message.get("usage"))
        self._stop(message)
        self._answer.finish = self._answer.finish or "stop"

    def _read_blocks(self, content: Any, events: list[StreamEvent]) -> None:
        """Read blocks that are complete."""
        blocks = [{"type": "text", "text": content}] if content.__class__ is str else content
        for index, block in enumerate(blocks if blocks.__class__ is list else ()):
            if block.__class__ is dict:
                self._open[index] = self._begin(block, events)
                self._end(self._open[index], events)

    def _begin(self, start: dict[str, Any], events: list[StreamEvent]) -> Block:
        """Begin a block with what is there of it."""
        if self._blocks and self._blocks[-1].call is not None:
            self._answer.calls.end(self._blocks[-1].call)
        block = Block(as_text(start.get("type")), start)
        if not block.kind:
            return block  # nothing that could be sent back
        self._blocks.append(block)
        match block.kind:
            case "text":
                # No citations are written as null, or as none of them.
                block.entry = {key: value for key, value in start.items() if key != "text" and value not in (None, [])}
                self._add_text(block, start.get("text"), events)
            case "thinking":
                block.entry = {key: value for key, value in start.items() if key != "thinking"}
                self._add_thinking(block, start.get("thinking"), events)
            case "tool_use":
                self._begin_call(block, start, events)
            case _:
                pass
        return block

    def _begin_call(self, block: Block, start: dict[str, Any], events: list[StreamEvent]) -> None:
        calls = self._answer.calls
        block.call = len(calls)
        extras = {key: value for key, value in start.items() if key not in _OF_A_CALL and value is not None}
        if extras:
            calls.keep(block.call, extras)
        # A call without arguments has an empty object here, as has one whose arguments are still to come.
        block.waiting = arguments_text(start.get("input") or None)
        id = as_text(start.get("id")) or f"call_{block.call}"
        delta = calls.add(block.call, id, as_text(start.get("name")), "")
        block.entry = {"type": "tool_use", "id": delta.id}
        events.append(delta)

    def _end(self, block: Block | None, events: list[StreamEvent]) -> None:
        """Take the arguments with which a call began, since no others followed."""
        if block is not None and block.call is not None and block.waiting:
            events.append(self._answer.calls.add(block.call, None, None, block.waiting))
            block.waiting = ""

    def _grow(self, index: int, delta: dict[str, Any], events: list[StreamEvent]) -> None:
        kind = as_text(delta.get("type"))
        block = self._open.get(index)
        if block is None:
            if kind not in _BEGUN_BY:
                return
            # Its beginning was lost on the way.
            block = self._open[index] = self._begin({"type": _BEGUN_BY[kind]}, events)
        match kind:
            case "text_delta":
                self._add_text(block, delta.get("text"), events)
            case "input_json_delta":
                self._add_input(block, as_text(delta.get("partial_json")), events)
            case "thinking_delta":
                self._add_thinking(block, delta.get("thinking"), events)
            case "signature_delta":
                block.entry["signature"] = delta.get("signature")
            case "citations_delta":
                block.citations.append(delta.get("citation"))
            case _ if block.call is None:  # a compaction, or what is not known yet: fields that come later than others
                block.entry.update({key: value for key, value in delta.items() if key != "type" and value is not None})
            case _:
                pass

    def _add_text(self, block: Block, text: Any, events: list[StreamEvent]) -> None:
        if text.__class__ is str and text and block.kind == "text":
            block.length += len(text)
            events.append(self._answer.add_text(text))

    def _add_thinking(self, block: Block, thinking: Any, events: list[StreamEvent]) -> None:
        if thinking.__class__ is str and block.kind == "thinking":
            block.pieces.append(thinking)
            if thinking:
                events.append(self._answer.add_reasoning(thinking))

    def _add_input(self, block: Block, piece: str, events: list[StreamEvent]) -> None:
        if block.call is None:
            block.pieces.append(piece)
        else:
            if piece:
                block.waiting = ""
            events.append(self._answer.calls.add(block.call, None, None, piece))

    def _stop(self, ending: dict[str, Any]) -> None:
        reason = as_text(ending.get("stop_reason"))
        if reason:
            self._answer.finish = _FINISHES.get(reason, "stop")
        explanation = as_text(as_object(ending.get("stop_details")).get("explanation"))
        if explanation:
            self._answer.refusals = [explanation]

    def _count(self, usage: Any) -> None:
        """Take note of tokens: what is said later are totals again, and overrides what was said before."""
        self._usage.update({key: value for key, value in as_object(usage).items() if value is not None})


def _index(event: dict[str, Any]) -> int:
    index = as_index(event.get("index"))
    return -1 if index is None else index


def _usage(usage: dict[str, Any]) -> Usage:
    read, written = count(usage.get("cache_read_input_tokens")), count(usage.get("cache_creation_input_tokens"))
    fresh = count(usage.get("input_tokens"))
    return Usage(
        # Unlike elsewhere, what is read from the cache or put into it is not among the input_tokens.
        input_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
        output_tokens=count(usage.get("output_tokens")),
        cached_tokens=read,
        reasoning_tokens=count(as_object(usage.get("output_tokens_details")).get("thinking_tokens")),
    )
