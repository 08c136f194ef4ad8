"""A provider's answer, read with the calls that its text holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, final

from msgspec.structs import replace

from toolwright.messages import InvalidToolCall, ToolCall, ToolCallDelta
from toolwright.providers.codecs.calls import parted
from toolwright.providers.codecs.ids import UnusedIds
from toolwright.providers.text_calls.formats import format_named
from toolwright.providers.text_calls.offered import Offered
from toolwright.providers.text_calls.parser import TextCalls
from toolwright.providers.types import ChatResponse, FinishReason, StreamEvent, TextDelta

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["TextReading", "answer_with"]


_BEHIND_NATIVE: Final = 1 << 20
"""The index of the first call from the text: native ones come before it, also those that arrive later."""


@final
class TextReading:
    """Reads an answer: what its format has as calls, and then those in the text.

    Raises:
        ValueError: There is no such format; the text names those there are.
    """

    def __init__(self, format: str, tools: Iterable[ToolDefinition]) -> None:
        self._ids = UnusedIds()
        self._parser = TextCalls(format_named(format), Offered(tools), self._ids)
        self._native: set[str] = set()  # ids of calls that the format has
        self._seen = 0  # characters of the text

    def feed(self, event: StreamEvent) -> list[StreamEvent]:
        """Take an event and return what is to be told instead."""
        if isinstance(event, TextDelta):
            self._seen += len(event.text)
            return _behind(self._parser.feed(event.text))
        if isinstance(event, ToolCallDelta) and event.id:
            self._spare(event.id)
        return [event]

    def _spare(self, id: str) -> None:
        """See to it that no call from the text has this id."""
        if id not in self._native:
            self._native.add(id)
            self._ids.take(id)

    def finish(self, response: ChatResponse) -> tuple[list[StreamEvent], ChatResponse]:
        """Take the whole answer; return the last events, and the answer with the calls."""
        native: tuple[ToolCall | InvalidToolCall, ...] = (*response.tool_calls, *response.invalid_tool_calls)
        for call in native:
            self._spare(call.id)
        events = self._parser.feed((response.text or "")[self._seen :]) + self._parser.end()
        text, valid, invalid = self._parser.close()
        thoughts = self._parser.reasoning
        if text == (response.text or "") and not thoughts:
            return events, response  # where there are calls, the text has become shorter
        return _behind(events), answer_with(response, text, (*valid, *invalid), thoughts)


def answer_with(
    response: ChatResponse, text: str, calls: Sequence[ToolCall | InvalidToolCall], thoughts: str = ""
) -> ChatResponse:
    """Return an answer whose text turned out to be another one, and calls."""
    valid, invalid = parted(calls)
    ended: FinishReason = "tool_calls" if calls and response.finish_reason == "stop" else response.finish_reason
    return replace(
        response,
        text=text or None,
        tool_calls=response.tool_calls + valid,
        invalid_tool_calls=response.invalid_tool_calls + invalid,
        finish_reason=ended,
        reasoning=(response.reasoning or "") + thoughts or None,
    )


def _behind(events: list[StreamEvent]) -> list[StreamEvent]:
    return [
        replace(event, index=event.index + _BEHIND_NATIVE) if isinstance(event, ToolCallDelta) else event
        for event in events
    ]
