"""What a real model once said, again and again: recorded on a cassette, and played to whoever asks the same.

``tape`` knows how a cassette is written. This module may not know a wire format: questions and answers are those of
every provider.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, Unpack, cast

from toolwright.errors import LLMError
from toolwright.messages import ChatMessage
from toolwright.messages.decoding import read
from toolwright.providers.base import ProviderBase
from toolwright.providers.types import ChatOptions, ChatProvider, ChatResponse, Completed, StreamEvent
from toolwright.redact import redact
from toolwright.schema import Schema
from toolwright.testing.scripted import pieces_of
from toolwright.testing.tape import Asked, Exchange, Tape, difference, load, plain, save
from toolwright.tools.definition import ToolDefinition
from toolwright.values import encode, thaw

__all__ = ["RecordingProvider", "ReplayingProvider", "record", "replay"]

_NOT_ASKED: Final = ("timeout", "extra_headers")  # how it was sent; no part of the question
_CHUNK: Final = 16


def record(
    provider: ChatProvider, file: str | os.PathLike[str], *, names: Mapping[str, str] | None = None
) -> RecordingProvider:
    """Return a provider that asks another one, and writes down what it was asked and what was said.

    The file is written anew with the first answer, and is whole after each one. What looks like a secret is hidden in
    it. ``names`` are words for texts that differ from run to run: ``names={str(tmp_path): "<workspace>"}``.
    """
    return RecordingProvider(provider, Path(file), dict(names or {}))


def replay(
    file: str | os.PathLike[str], *, names: Mapping[str, str] | None = None, chunk_size: int = _CHUNK
) -> ReplayingProvider:
    """Return a provider that answers as it is recorded in a file, without a model or a network.

    Whoever asks otherwise than it was recorded fails with the difference. ``names`` are as in :func:`record`, with the
    texts of this run; in answers, the texts stand again. A stream comes in pieces of ``chunk_size`` characters.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is no cassette.
    """
    return ReplayingProvider(Path(file), load(Path(file)), dict(names or {}), chunk_size)


class RecordingProvider(ProviderBase):
    """Asks a provider and writes down the answers; :func:`record` makes one."""

    def __init__(self, provider: ChatProvider, file: Path, names: Mapping[str, str]) -> None:
        self._provider = provider
        self._file = file
        self._names = names
        self._exchanges: list[Exchange | None] = []

    @property
    def model_name(self) -> str:
        """The model that is asked."""
        return self._provider.model_name

    async def chat_with_tools(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> ChatResponse:
        """Ask, and write down the answer, or the error that came instead."""
        history, offered = tuple(messages), tuple(tools)
        place = self._begin(_asked(history, offered, options, self._names))
        try:
            answer = await self._provider.chat_with_tools(history, offered, **options)
        except LLMError as error:
            self._end(place, error)
            raise
        self._end(place, answer)
        return answer

    async def stream(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> AsyncGenerator[StreamEvent]:
        """Ask, and write down the answer when it is whole, or the error with which it broke off."""
        history, offered = tuple(messages), tuple(tools)
        place = self._begin(_asked(history, offered, options, self._names))
        events = self._provider.stream(history, offered, **options)
        async with AsyncExitStack() as stack:
            if isinstance(events, AsyncGenerator):
                await stack.enter_async_context(aclosing(cast("AsyncGenerator[StreamEvent]", events)))
            try:
                async for event in events:
                    if isinstance(event, Completed):
                        self._end(place, event.response)
                    yield event
            except LLMError as error:
                self._end(place, error)
                raise

    def __repr__(self) -> str:
        return f"<RecordingProvider: {self._provider!r} to {self._file}>"

    def _begin(self, asked: Asked) -> tuple[int, Asked]:
        self._exchanges.append(None)
        return len(self._exchanges) - 1, asked

    def _end(self, place: tuple[int, Asked], answer: ChatResponse | LLMError) -> None:
        index, asked = place
        said = _renamed_answer(answer, self._names)
        self._exchanges[index] = Exchange(asked, said)
        done = tuple(exchange for exchange in self._exchanges if exchange is not None)
        save(Tape(self._provider.model_name, done), self._file)


class ReplayingProvider(ProviderBase):
    """Answers as it is recorded, each answer once; :func:`replay` makes one.

    Questions that are asked at the same time may come in any order. As a context manager it looks at the end of the
    block whether all was asked.
    """

    def __init__(self, file: Path, tape: Tape, names: Mapping[str, str], chunk_size: int) -> None:
        if chunk_size < 1:
            raise ValueError("chunk_size: a number of characters, 1 or more")
        self._file = file
        self._tape = tape
        self._names = names
        self._size = chunk_size
        self._left = list(tape.exchanges)

    @property
    def model_name(self) -> str:
        """The model that was asked."""
        return self._tape.model

    async def chat_with_tools(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> ChatResponse:
        """Return the recorded answer.

        Raises:
            AssertionError: This was not asked when it was recorded; the text has the difference.
            LLMError: That is what came when it was recorded.
        """
        return self._answer(_asked(tuple(messages), tuple(tools), options, self._names))

    async def stream(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> AsyncGenerator[StreamEvent]:
        """Give the recorded answer in pieces; the last event is ``Completed``."""
        answer = self._answer(_asked(tuple(messages), tuple(tools), options, self._names))
        for event in pieces_of(answer, self._size):
            await asyncio.sleep(0)  # as a real one, it does not have it all at once
            yield event
        yield Completed(answer)

    def assert_done(self) -> None:
        """Check that everything that was recorded was asked.

        Raises:
            AssertionError: Something was not.
        """
        if self._left:
            raise AssertionError(f"{len(self._left)} of the questions recorded in {self._file} were not asked")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:  # else the fault that is on its way says more
            self.assert_done()

    def __repr__(self) -> str:
        return f"<ReplayingProvider: {self._file}, {len(self._left)} answers left>"

    def _answer(self, asked: Asked) -> ChatResponse:
        number = len(self._tape.exchanges) - len(self._left) + 1
        if not self._left:
            raise AssertionError(f"{self._file} has no request {number}; record it again, if one more is meant")
        place = next((place for place, exchange in enumerate(self._left) if exchange.asked == asked), None)
        if place is None:
            raise AssertionError(
                f"request {number} is not the one that was recorded in {self._file}; record it again, if the change "
                f"is meant\n{difference(self._left[0].asked, asked)}"
            )
        recorded = self._left.pop(place).answer
        answer = _renamed_answer(recorded, {word: text for text, word in self._names.items()})
        if isinstance(answer, LLMError):
            raise answer
        return answer


def _asked(
    messages: tuple[ChatMessage, ...],
    tools: tuple[ToolDefinition, ...],
    options: Mapping[str, Any],
    names: Mapping[str, str],
) -> Asked:
    """Return a question as it is compared: what the model sees, without secrets and passing texts."""
    offered = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters.to_dict()} for tool in tools
    ]
    wanted = {key: value for key, value in options.items() if value is not None and key not in _NOT_ASKED}
    schema = wanted.get("response_schema")
    if isinstance(schema, Schema):
        wanted["response_schema"] = schema.to_dict()
    told = {"messages": plain(messages), "tools": offered, "options": thaw(wanted)}
    return Asked(**json.loads(encode(redact(_renamed(told, names)))))  # as it will come back from the file


def _renamed_answer(answer: ChatResponse | LLMError, names: Mapping[str, str]) -> ChatResponse | LLMError:
    if not names:
        return answer
    if isinstance(answer, LLMError):
        message = _renamed(answer.message, names)
        return LLMError(answer.code, message, status=answer.status, retryable=answer.retryable)
    return read(ChatResponse, encode(_renamed(json.loads(answer.to_json()), names)))


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return JSON in whose texts each name stands for what it is the name of."""
    if isinstance(value, str):
        for text in sorted(names, key=len, reverse=True):  # the longest first: one may be the beginning of another
            value = value.replace(text, names[text])
        return value
    if isinstance(value, Mapping):
        return {key: _renamed(item, names) for key, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_renamed(item, names) for item in cast("Sequence[Any]", value)]
    return value
