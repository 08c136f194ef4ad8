"""A model that answers from a script, and remembers what it was asked.

It streams as a real one does: texts and calls in pieces, the whole answer last. This module knows no wire format.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from inspect import isawaitable
from types import TracebackType
from typing import Any, Final, Self, TypeAlias, Unpack, cast

import msgspec

from toolwright.messages import ChatMessage, InvalidToolCall, ToolCall, ToolCallDelta
from toolwright.providers.types import ChatOptions, ChatResponse, Completed, ReasoningDelta, StreamEvent, TextDelta
from toolwright.tools.definition import ToolDefinition
from toolwright.values import encode

__all__ = ["ScriptedAnswer", "ScriptedProvider", "ScriptedRequest", "pieces_of"]

ScriptedAnswer: TypeAlias = object
"""A text, a call, a list of calls and texts, a :class:`ChatResponse`, an exception, a function of the messages that
gives one of these (sync or async), or None for no answer ever."""


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


class ScriptedProvider:
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
        self.model_name: Final = model_name
        self.chunk_size: Final = chunk_size
        self.requests: list[ScriptedRequest] = []
        self.cancelled = 0
        self._script: deque[ScriptedAnswer] = deque()
        self._unexpected = 0
        self.extend(script)

    def extend(self, script: Iterable[ScriptedAnswer]) -> None:
        """Add answers to the end of the script.

        Raises:
            TypeError: One is no answer; a text alone is one answer, and belongs into a list.
        """
        if isinstance(script, str):
            raise TypeError("a script is a list of answers: put the text into one")
        given = list(script)
        for answer in given:
            _check(answer)
        self._script += given

    async def chat(self, messages: Iterable[ChatMessage]) -> str:
        """Give the text of the next answer."""
        return (await self.chat_with_tools(messages, ())).text or ""

    async def chat_with_tools(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition], **options: Unpack[ChatOptions]
    ) -> ChatResponse:
        """Give the next answer."""
        return await self._next(ScriptedRequest(tuple(messages), tuple(tools), dict(options)))

    async def stream(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> AsyncIterator[StreamEvent]:
        """Give the next answer in pieces; the last event is ``Completed``."""
        response = await self._next(ScriptedRequest(tuple(messages), tuple(tools), dict(options), streamed=True))
        for event in pieces_of(response, self.chunk_size):
            await asyncio.sleep(0)  # as a real one, it does not have it all at once
            yield event
        yield Completed(response)

    def assert_done(self) -> None:
        """Check that every answer was asked for, and that nobody asked for more.

        Raises:
            AssertionError: Some are left, or some were missing.
        """
        if self._unexpected:
            raise AssertionError(f"the script has run out: {self._unexpected} more answers were asked for")
        if self._script:
            raise AssertionError(f"{len(self._script)} answers of the script were not asked for")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:  # else the fault that is on its way says more
            self.assert_done()

    def __repr__(self) -> str:
        return f"<ScriptedProvider: {len(self.requests)} requests, {len(self._script)} answers left>"

    async def _next(self, request: ScriptedRequest) -> ChatResponse:
        self.requests.append(request)
        if not self._script:
            self._unexpected += 1
            raise AssertionError(f"the script has run out: nobody expected request {len(self.requests)}")
        try:
            return await _given(self._script.popleft(), request)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


def pieces_of(response: ChatResponse, size: int) -> Iterator[StreamEvent]:
    """Yield an answer as it would arrive, in pieces of so many characters; never ``Completed``."""
    yield from (ReasoningDelta(piece) for piece in _cut(response.reasoning or "", size))
    yield from (TextDelta(piece) for piece in _cut(response.text or "", size))
    calls: tuple[ToolCall | InvalidToolCall, ...] = (*response.tool_calls, *response.invalid_tool_calls)
    for index, call in enumerate(calls):
        yield ToolCallDelta(index, call.id, call.name, "")
        text = encode(call.arguments).decode() if isinstance(call, ToolCall) else call.arguments_text
        yield from (ToolCallDelta(index, arguments_delta=piece) for piece in _cut(text, size))


def _cut(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def _check(answer: ScriptedAnswer) -> None:
    """Refuse what is no answer before anybody asks for it."""
    parts: Iterable[object] = cast("Iterable[object]", answer) if type(answer) in (list, tuple) else (answer,)
    if all(map(_is_part, parts)):
        return
    if answer is None or isinstance(answer, (ChatResponse, BaseException)) or callable(answer):
        return
    kind = type(answer).__name__
    raise TypeError(
        f"a {kind} is no answer of a model: give a text, a ToolCall, a list of these, a ChatResponse, "
        "an exception, or a function of the messages"
    )


def _is_part(value: object) -> bool:
    return isinstance(value, (str, ToolCall, InvalidToolCall))


async def _given(answer: ScriptedAnswer, request: ScriptedRequest) -> ChatResponse:
    if answer is None:
        await asyncio.get_running_loop().create_future()
    if isinstance(answer, ChatResponse):
        return answer
    if isinstance(answer, BaseException):
        raise answer
    if callable(answer):
        said: Any = cast("Callable[[tuple[ChatMessage, ...]], Any]", answer)(request.messages)
        said = await said if isawaitable(said) else said
        _check(said)
        return await _given(said, request)
    return _response([answer] if _is_part(answer) else list(cast("Iterable[object]", answer)))


def _response(parts: list[object]) -> ChatResponse:
    texts = [part for part in parts if isinstance(part, str)]
    calls = [part for part in parts if isinstance(part, ToolCall)]
    invalid = [part for part in parts if isinstance(part, InvalidToolCall)]
    return ChatResponse(
        text="".join(texts) if texts else None,
        tool_calls=tuple(calls),
        invalid_tool_calls=tuple(invalid),
        finish_reason="tool_calls" if calls or invalid else "stop",
        model="scripted",
    )
