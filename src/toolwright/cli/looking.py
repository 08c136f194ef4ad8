"""A model of little power, made to look before it says anything.

Left to itself, the embedded model answers most questions about files from what it makes up: it chose to use a tool for
5 of 9 such questions, and the right one for 8 of 9 where its first answer had to be a call. So the first answer to a
question is one. After some calls, or the same one twice, it has to say something: it would go round in circles.

This module may not know which model it is, nor what the tools are.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, Final

from toolwright.messages import ChatMessage, MessageRole, ToolCall
from toolwright.providers import ChatProvider, ChatResponse, StreamEvent
from toolwright.tools import ToolDefinition
from toolwright.values import encode

__all__ = ["Looking"]

_MOST_CALLS: Final = 3  # for one question
_FEW_WORDS: Final = 3  # "Hello" and "thanks a lot" are no questions about anything


class Looking:
    """A provider that answers a question after one call or a few."""

    def __init__(self, provider: ChatProvider) -> None:
        self._provider = provider
        self.note: str | None = getattr(provider, "note", None)

    @property
    def model_name(self) -> str:
        """The model, as its provider names it."""
        return self._provider.model_name

    async def chat(self, messages: Iterable[ChatMessage]) -> str:
        """Return the text of the answer.

        Raises:
            LLMError: There is no answer.
        """
        return await self._provider.chat(messages)

    async def chat_with_tools(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition], **options: Any
    ) -> ChatResponse:
        """Return the answer: to a question, first a call.

        Raises:
            LLMError: There is no answer.
        """
        said, offered = tuple(messages), tuple(tools)
        return await self._provider.chat_with_tools(said, offered, **(_wanted(said, offered) | options))

    def stream(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Any
    ) -> AsyncIterator[StreamEvent]:
        """Yield the answer as it arrives: to a question, first a call.

        Raises:
            LLMError: There is no answer.
        """
        said, offered = tuple(messages), tuple(tools)
        return self._provider.stream(said, offered, **(_wanted(said, offered) | options))

    async def aclose(self) -> None:
        """End what the provider began."""
        close = getattr(self._provider, "aclose", None)
        if close is not None:
            await close()


def _wanted(messages: Sequence[ChatMessage], tools: Sequence[ToolDefinition]) -> dict[str, Any]:
    """Return what the next answer has to be: a call, a text, or whatever the model likes."""
    if not tools:
        return {}
    asked, made = _since_question(messages)
    if not made:
        return {"tool_choice": "required"} if "?" in asked or len(asked.split()) > _FEW_WORDS else {}
    keys = [(call.name, encode(call.arguments, canonical=True)) for call in made]
    return {"tool_choice": "none"} if len(keys) >= _MOST_CALLS or len(set(keys)) < len(keys) else {}


def _since_question(messages: Sequence[ChatMessage]) -> tuple[str, list[ToolCall]]:
    made: list[ToolCall] = []
    for message in reversed(messages):
        if message.role is MessageRole.USER:
            return message.content or "", made
        made += message.tool_calls
    return "", made
