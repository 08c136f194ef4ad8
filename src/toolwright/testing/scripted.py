"""A model that answers from a script, and remembers what it was asked.

It streams as a real one does: texts and calls in pieces, the whole answer last. This module knows no wire format.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from inspect import isawaitable
from types import TracebackType
from typing import Any, Final, Self, Unpack, cast

import msgspec

from toolwright.messages import ChatMessage, InvalidToolCall, ToolCall, ToolCallDelta
from toolwright.providers.base import ProviderBase
from toolwright.providers.types import ChatOptions, ChatResponse, Completed, ReasoningDelta, StreamEvent, TextDelta
from toolwright.testing.script import Script, ScriptedAnswer, Spoken, cut, spoken
from toolwright.tools.definition import ToolDefinition
from toolwright.values import encode

__all__ = ["ScriptedProvider", "ScriptedRequest", "pieces_of"]


class ScriptedRequest(msgspec.Struct, frozen=True, eq=False):
    """What a model was asked: the messages, the tools that it was shown, the options, and whether it was to stream."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolDefinition, ...] = ()
    options: Mapping[str, Any] = {}
    streamed: bool = False

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of the tools that the model was shown."""
        return tuple(tool.name for tool in self.tools)


class ScriptedProvider(ProviderBase):
    """Gives each answer once, in order: ``ScriptedProvider([ToolCall.new("echo"), "It is 42."])``.

    An exception is raised, a function is called with the messages, and None waits until it is cancelled. A stream
    comes in pieces of ``chunk_size`` characters. ``requests`` grows with each question; ``cancelled`` counts those
    that nobody waited for to the end.

    More questions than answers are an ``AssertionError``, at once and again in :meth:`assert_done`; so are answers
    that nobody asked for. As a context manager it looks at the end of the block.

    Raises:
        ValueError: ``chunk_size`` is less than 1.
        TypeError: Something in the script is no answer.
    """

    def __init__(
        self, script: Iterable[ScriptedAnswer] = (), *, chunk_size: int = 16, model_name: str = "scripted"
    ) -> None:
        if chunk_size < 1:
            raise ValueError("chunk_size: a number of characters, 1 or more")
        self._model_name: Final = model_name
        self.chunk_size: Final = chunk_size
        self.requests: list[ScriptedRequest] = []
        self.cancelled = 0
        self._script: Final = Script(script)

    @property
    def model_name(self) -> str:
        """The name that was given."""
        return self._model_name

    def extend(self, script: Iterable[ScriptedAnswer]) -> None:
        """Add answers to the end of the script.

        Raises:
            TypeError: One is no answer; a text alone is one answer, and belongs into a list.
        """
        self._script.extend(script)

    async def chat_with_tools(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> ChatResponse:
        """Give the next answer."""
        said = await self._next(ScriptedRequest(tuple(messages), tuple(tools), dict(options)))
        if said.error is not None:
            raise said.error
        return said.response

    async def stream(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> AsyncIterator[StreamEvent]:
        """Give the next answer in pieces; the last event is ``Completed``."""
        said = await self._next(ScriptedRequest(tuple(messages), tuple(tools), dict(options), streamed=True))
        for event in pieces_of(said.response, self.chunk_size):
            await asyncio.sleep(0)  # as a real one, it does not have it all at once
            yield event
        if said.error is not None:
            raise said.error
        yield Completed(said.response)

    def assert_done(self) -> None:
        """Check that every answer was asked for, and that nobody asked for more.

        Raises:
            AssertionError: Some are left, or some were missing.
        """
        self._script.assert_done()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:  # else the fault that is on its way says more
            self.assert_done()

    def __repr__(self) -> str:
        return f"<ScriptedProvider: {len(self.requests)} requests, {len(self._script)} answers left>"

    async def _next(self, request: ScriptedRequest) -> Spoken:
        self.requests.append(request)
        answer = self._script.next(len(self.requests))
        try:
            return await _given(answer, request)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


async def _given(answer: ScriptedAnswer, request: ScriptedRequest) -> Spoken:
    if answer is None:
        await asyncio.get_running_loop().create_future()
    if callable(answer) and not isinstance(answer, BaseException):
        said: Any = cast("Callable[[tuple[ChatMessage, ...]], Any]", answer)(request.messages)
        return await _given(await said if isawaitable(said) else said, request)
    return spoken(answer)


def pieces_of(response: ChatResponse, size: int) -> Iterator[StreamEvent]:
    """Yield an answer as it would arrive, in pieces of so many characters; never ``Completed``."""
    yield from (ReasoningDelta(piece) for piece in cut(response.reasoning or "", size))
    yield from (TextDelta(piece) for piece in cut(response.text or "", size))
    calls: tuple[ToolCall | InvalidToolCall, ...] = (*response.tool_calls, *response.invalid_tool_calls)
    for index, call in enumerate(calls):
        yield ToolCallDelta(index, call.id, call.name, "")
        text = encode(call.arguments).decode() if isinstance(call, ToolCall) else call.arguments_text
        yield from (ToolCallDelta(index, arguments_delta=piece) for piece in cut(text, size))
