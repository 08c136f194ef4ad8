"""The same calls for code without an event loop. Nothing is written twice: each crosses to the async one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterable
from typing import TYPE_CHECKING, Unpack, cast, final

from toolwright.bridge import iterate_from_outside, run_from_outside
from toolwright.messages import ChatMessage
from toolwright.providers.types import ChatOptions, ChatProvider, ChatResponse, StreamEvent

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["SyncProvider"]


@final
class SyncProvider:
    """A provider for any thread, also inside a running event loop, which stands still meanwhile."""

    def __init__(self, provider: ChatProvider) -> None:
        self._provider = provider

    @property
    def model_name(self) -> str:
        """The model that is asked, as its provider names it."""
        return self._provider.model_name

    def chat(self, messages: Iterable[ChatMessage]) -> str:
        """Return the text of the answer, empty where there is none.

        Raises:
            LLMError: There is no answer; ``code`` says why.
        """
        return run_from_outside(lambda: self._provider.chat(messages))

    def chat_with_tools(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> ChatResponse:
        """Return the answer: a text, calls, or both. Without tools it behaves as :meth:`chat`.

        Raises:
            LLMError: There is no answer; ``code`` says why.
        """
        return run_from_outside(lambda: self._provider.chat_with_tools(messages, tools, **options))

    def stream(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> Generator[StreamEvent]:
        """Yield the answer as it arrives; the last event is ``Completed``. Closing the iterator ends the request.

        Raises:
            LLMError: There is no answer, or it broke off; ``code`` says why.
        """
        events = self._provider.stream
        return iterate_from_outside(
            lambda: cast("AsyncGenerator[StreamEvent]", events(messages, tools, **options)),
        )

    def close(self) -> None:
        """Close the connections that were opened by these calls."""
        close = getattr(self._provider, "aclose", None)
        if close is not None:
            run_from_outside(close)

    def __repr__(self) -> str:
        return f"{self._provider!r}.sync"
