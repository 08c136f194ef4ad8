"""One question to a model, ready to be sent: how it is written down, and how its answer is to be read.

Between the format and the caller stands a reading: none where calls are native, one that finds calls in the text, one
that asks for calls by a constrained answer.

Pure. This module may not know how anything is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast, final

import msgspec

from toolwright.messages import ChatMessage
from toolwright.providers.types import AnswerReading, ChatOptions, ChatResponse, Codec, StreamEvent, ToolMode

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["OFF", "Question", "question"]

OFF: Final = "off"
"""The option for text that is never read as a call."""

_PROMPTED_HAS_ITS_OWN: Final = "tool_mode='prompted' constrains the answer itself: leave response_schema out"


class Question(msgspec.Struct, frozen=True):
    """A request's body, and what reads the answer."""

    body: bytes
    reading: AnswerReading


@final
class _AsItIs:
    """Reads an answer as its format has it."""

    def feed(self, event: StreamEvent) -> list[StreamEvent]:
        return [event]

    def finish(self, response: ChatResponse) -> tuple[list[StreamEvent], ChatResponse]:
        return [], response


_AS_IT_IS: Final = _AsItIs()


def question(
    codec: Codec,
    messages: Sequence[ChatMessage],
    tools: Sequence[ToolDefinition],
    options: ChatOptions,
    *,
    tool_mode: ToolMode,
    text_calls: str,
) -> Question:
    """Return a question as it is sent.

    Raises:
        TypeError: There is no such option.
        ValueError: An option cannot be expressed in this format; the text says what to do.
    """
    if not tools:
        return Question(codec.encode_bytes(messages, **options), _AS_IT_IS)
    if tool_mode == "prompted":
        return _prompted(codec, messages, tools, options)
    callable_now = () if options.get("tool_choice") == "none" else tools
    reading = _AS_IT_IS if text_calls == OFF else _text_reading(text_calls, callable_now)
    return Question(codec.encode_bytes(messages, tools, **options), reading)


def _text_reading(text_calls: str, tools: Sequence[ToolDefinition]) -> AnswerReading:
    from toolwright.providers.text_calls import reading  # where calls are native, never needed

    return reading(text_calls, tools)


def _prompted(
    codec: Codec, messages: Sequence[ChatMessage], tools: Sequence[ToolDefinition], options: ChatOptions
) -> Question:
    from toolwright.providers.prompted import prompted  # likewise

    if options.get("response_schema") is not None:
        raise ValueError(_PROMPTED_HAS_ITS_OWN)
    asked = prompted(tools, options.get("tool_choice"))
    left = cast("ChatOptions", {key: options[key] for key in options if key not in _SAID_IN_WORDS})  # type: ignore[literal-required]
    left["response_schema"] = asked.response_schema
    return Question(codec.encode_bytes(asked.messages(messages), **left), asked.reading())


_SAID_IN_WORDS: Final = frozenset(["tool_choice", "parallel_tool_calls"])
