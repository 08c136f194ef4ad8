"""The local model as a provider: started when it is first asked, and honest about what it is.

Knows the process that serves the model and speaks to it as to any server with that wire format. How calls are asked
for and read from a model that has no native ones is not known here.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from contextlib import aclosing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, Unpack

from toolwright.errors import LLMError, ModelFileError
from toolwright.messages import ChatMessage
from toolwright.providers.local.models import QWEN, Model
from toolwright.providers.local.places import standing
from toolwright.providers.local.server import Address, LocalServer, Wanted, check_runtime
from toolwright.providers.local.weights import find_weights
from toolwright.providers.types import ChatOptions, ChatResponse, StreamEvent

if TYPE_CHECKING:
    from toolwright.providers.http_provider import HttpProvider
    from toolwright.providers.sync_provider import SyncProvider
    from toolwright.tools.definition import ToolDefinition

__all__ = ["NOTE", "LocalProvider", "local_provider"]

NOTE: Final = "a small local model: trust the results of its calls, and read its sentences with care"
"""What a user should be told beside an answer of it."""

_NO_LONGER_SMALL: Final = 4_000_000_000  # bytes: seven thousand million parameters, at four bits each
_MOST_THREADS: Final = 4  # more than that no longer helps a model that waits for memory
_CONTEXT: Final = 16_384  # tokens: 0.2 GB beside the weights
_MOST_TOKENS: Final = 1_024  # of one answer: a model of this size that goes on for longer repeats itself


def local_provider(
    model: Model = QWEN,
    *,
    folder: Path | None = None,
    context: int = _CONTEXT,
    max_tokens: int = _MOST_TOKENS,
    temperature: float = 0.0,
    threads: int | None = None,
) -> LocalProvider:
    """Return the local model; nothing is loaded before it is asked something.

    Args:
        model: Which of ``MODELS``; where ``TOOLWRIGHT_LOCAL_MODEL`` names a file, it is that one.
        folder: Where the weights were pulled to; by default the user's cache folder.
        context: How many tokens a conversation and its answer may have together.
        max_tokens: The most that one answer may have, unless a request says otherwise.
        temperature: 0 gives the same answer to the same question.
        threads: How many to compute with; by default one less than there are processors, at most 4.

    Raises:
        MissingExtraError: The runtime is not installed.
        LLMError: The weights are not there, or cannot be used (``model_not_found``); the text says what to do.
    """
    check_runtime()
    there = standing(model, folder=folder)
    if there.state != "here":
        raise LLMError("model_not_found", f"the local model cannot be used: {there.advice}")
    wanted = Wanted(
        path=there.path,
        name=there.path.stem if there.own else model.name,
        context=context,
        threads=threads or _usual_threads(),
        most_tokens=max_tokens,
    )
    return LocalProvider(
        wanted,
        check=None if there.own else partial(find_weights, model, folder=folder, own=False),
        defaults={"max_tokens": max_tokens, "temperature": temperature},
        note=NOTE if there.size < _NO_LONGER_SMALL else None,
    )


def _usual_threads() -> int:
    """Leave one processor to everybody else: threads that compute together wait for each other actively.

    Measured on two processors that others used as well: 2.3 seconds for an answer with one thread, 1.7 to 25 with two.
    """
    usable = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(_MOST_THREADS, usable - 1))


class LocalProvider:
    """A model in a process of its own on this machine, asked over loopback; :func:`local_provider` makes one.

    ``note`` is what to tell a user beside its answers; a large file of one's own needs none. ``check`` is called before
    the process is started, and refuses weights that may not be opened.
    """

    def __init__(
        self, wanted: Wanted, *, check: Callable[[], object] | None, defaults: ChatOptions, note: str | None
    ) -> None:
        self.note: Final = note
        self._wanted = wanted
        self._check = check
        self._server = LocalServer(wanted)
        self._defaults = defaults
        self._client: tuple[Address, HttpProvider] | None = None

    @property
    def model_name(self) -> str:
        """The model, by the name of its file or of what was pulled."""
        return self._wanted.name

    @property
    def pid(self) -> int | None:
        """The number of the model's process, while there is one."""
        return self._server.pid

    @property
    def sync(self) -> SyncProvider:
        """The same calls for code without an event loop."""
        from toolwright.providers.sync_provider import SyncProvider  # loaded when it is used

        return SyncProvider(self)

    async def chat(self, messages: Iterable[ChatMessage], **options: Unpack[ChatOptions]) -> str:
        """Return the text of the answer, empty where there is none.

        Raises:
            LLMError: There is no answer; ``code`` says why.
        """
        return (await self.chat_with_tools(messages, (), **options)).text or ""

    async def chat_with_tools(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> ChatResponse:
        """Return the answer: a text or a call. Cancelling the task ends the generation.

        Raises:
            LLMError: There is no answer; ``code`` says why.
        """
        client = await self._reach()
        with self._saying_if_it_died():
            return await client.chat_with_tools(messages, tools, **(self._defaults | options))

    async def stream(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> AsyncGenerator[StreamEvent]:
        """Yield the answer as it arrives; the last event is ``Completed``.

        Raises:
            LLMError: There is no answer, or it broke off; ``code`` says why.
        """
        client = await self._reach()
        with self._saying_if_it_died():
            async with aclosing(client.stream(messages, tools, **(self._defaults | options))) as events:
                async for event in events:
                    yield event

    async def aclose(self) -> None:
        """End the process of the model; another question starts it again."""
        client, self._client = self._client, None
        if client is not None:
            await client[1].aclose()
        await asyncio.to_thread(self._server.stop)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def _reach(self) -> HttpProvider:
        """Return what speaks to the server, which is started, or started again, in a thread."""
        from toolwright.providers.http_provider import HttpProvider  # the transport is loaded when it is used

        address = await asyncio.to_thread(self._serve)
        if self._client is None or self._client[0] != address:
            stale = self._client
            client = HttpProvider(
                "openai-chat",
                self.model_name,
                base_url=f"{address.url}/v1",
                api_key=address.key,
                tool_mode="prompted",
            )
            self._client = address, client
            if stale is not None:
                await stale[1].aclose()
            return client
        return self._client[1]

    @contextmanager
    def _saying_if_it_died(self) -> Generator[None]:
        try:
            yield
        except LLMError as error:
            if error.code != "connection_failed" or self._server.pid is not None:
                raise
            problem = "the process of the local model ended; asking again starts it again"
            raise LLMError("connection_failed", problem, retryable=True) from error

    def _serve(self) -> Address:
        if self._server.pid is None and self._check is not None:
            try:
                self._check()
            except ModelFileError as error:
                raise LLMError("model_not_found", str(error)) from error
        return self._server.address()
