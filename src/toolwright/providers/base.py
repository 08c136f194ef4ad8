"""What every provider of ours has beside questions and answers: a text alone, and calls without an event loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Unpack

from toolwright.messages import ChatMessage
from toolwright.providers.types import ChatOptions, ChatResponse, StreamEvent

if TYPE_CHECKING:
    from toolwright.providers.sync_provider import SyncProvider
    from toolwright.tools.definition import ToolDefinition

__all__ = ["ProviderBase"]


class ProviderBase(ABC):
    """A provider that answers :meth:`chat_with_tools` and :meth:`stream`; the rest follows from these."""

    @property
    @abstractmethod
    def model_name(self) -> str:
        """The model that is asked, as its provider names it."""

    @property
    def sync(self) -> SyncProvider:
        """The same calls for code without an event loop."""
        from toolwright.providers.sync_provider import SyncProvider  # loads asyncio's side of things

        return SyncProvider(self)

    async def chat(self, messages: Iterable[ChatMessage], **options: Unpack[ChatOptions]) -> str:
        """Return the text of the answer, empty where there is none.

        Raises:
            LLMError: There is no answer; ``code`` says why.
        """
        return (await self.chat_with_tools(messages, (), **options)).text or ""

    @abstractmethod
    async def chat_with_tools(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> ChatResponse:
        """Return the answer: a text, calls, or both. Without tools it behaves as :meth:`chat`.

        Raises:
            LLMError: There is no answer; ``code`` says why.
        """

    @abstractmethod
    def stream(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> AsyncIterator[StreamEvent]:
        """Yield the answer as it arrives; the last event is ``Completed``.

        Raises:
            LLMError: There is no answer, or it broke off; ``code`` says why.
        """
