"""One server on loopback that speaks every provider's interface, each at its own paths, from one script.

This module may not know how any interface writes anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from inspect import isawaitable
from types import TracebackType
from typing import Any, Final, Self, TypeAlias, cast

import msgspec

from toolwright.bridge import run_from_outside
from toolwright.errors import LLMError
from toolwright.testing.script import Script, ScriptedAnswer, Spoken, spoken
from toolwright.testing.servers.anthropic import Anthropic
from toolwright.testing.servers.cohere import Cohere
from toolwright.testing.servers.gemini import Gemini
from toolwright.testing.servers.http import ServerRequest, read_request, write_chunks, write_whole
from toolwright.testing.servers.interface import Interface, Turn, status_of
from toolwright.testing.servers.ollama import Ollama
from toolwright.testing.servers.openai_chat import OpenAIChat
from toolwright.testing.servers.openai_responses import OpenAIResponses
from toolwright.values import encode

__all__ = ["ScriptedServer"]

_INTERFACES: Final[tuple[Interface, ...]] = (
    OpenAIChat(),
    OpenAIResponses(),
    Anthropic(),
    Gemini(),
    Ollama(),
    Cohere(),
)
_NO_ANSWER: Final = b"<html><title>This is no answer of a model</title></html>"
_CHUNK: Final = 16  # characters
_HEAD: Final = 256 * 1024  # bytes

_STEPS_IN: Final = 4  # of the loop, that a connection takes from its arrival to whoever talks to it

_Reply: TypeAlias = tuple[int, bytes]


class ScriptedServer:
    """A server that gives each answer once, in order, to whoever asks in any provider's way.

    ::

        with ScriptedServer(["Hello."]) as server:
            llm = tw.provider("ollama:qwen3", base_url=server.url)

    The script is that of ``ScriptedProvider``; a function is called with the :class:`ServerRequest`. An ``LLMError`` is
    answered in the interface's own form, with its ``status`` or the usual one of its code; at the end of a list it
    comes in the middle of a stream. Two of its codes are done and not said: ``connection_failed`` ends the connection
    without an answer, ``bad_response`` sends something that is none. None never answers.

    What the real interface would refuse is refused here too, with 400, and takes no answer from the script: a history
    whose calls are not answered, a name that is not legal there, a field that is missing.

    Args:
        script: The answers.
        models: The models there are; any, where there are none.
        key: What has to be shown, in the interface's own header; by default nothing.
        chunk_size: How many characters each piece of a stream has.

    Raises:
        TypeError: Something in the script is no answer.
        ValueError: ``chunk_size`` is less than 1.
    """

    def __init__(
        self,
        script: Iterable[ScriptedAnswer] = (),
        *,
        models: Sequence[str] = (),
        key: str | None = None,
        chunk_size: int = _CHUNK,
    ) -> None:
        if chunk_size < 1:
            raise ValueError("chunk_size: a number of characters, 1 or more")
        self.requests: list[ServerRequest] = []
        self.refused: list[str] = []
        self.url = ""
        self._script = Script(script)
        self._models = tuple(models)
        self._key = key
        self._size = chunk_size
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()

    def extend(self, script: Iterable[ScriptedAnswer]) -> None:
        """Add answers to the end of the script.

        Raises:
            TypeError: One is no answer.
        """
        self._script.extend(script)

    def assert_done(self) -> None:
        """Check that every answer was asked for, that nobody asked for more, and that nothing was refused.

        Raises:
            AssertionError: Something of it is not so.
        """
        if self.refused:
            raise AssertionError("the interface refuses what it was sent:\n" + "\n".join(self.refused))
        self._script.assert_done()

    def start(self) -> Self:
        """Listen on a port that the system chooses; ``url`` says where."""
        run_from_outside(self._listen)
        return self

    def close(self) -> None:
        """End the server and all its connections."""
        run_from_outside(self._end)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if kind is None:  # else the fault that is on its way says more
            self.assert_done()

    def __repr__(self) -> str:
        return f"<ScriptedServer at {self.url or 'no port'}: {len(self.requests)} requests, {len(self._script)} left>"

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._begin, "127.0.0.1", 0, limit=_HEAD)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def _end(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            # First nobody new, then whoever is half in: a server that is closed in between forgets such a connection.
            loop = asyncio.get_running_loop()
            for listening in server.sockets:
                loop.remove_reader(listening.fileno())
            for _ in range(_STEPS_IN):
                await asyncio.sleep(0)
            server.close()
        talks = list(self._talks)
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._server is None:  # a connection that was taken just before the end
            writer.transport.abort()
            return
        talk = asyncio.get_running_loop().create_task(self._talk(reader, writer))
        self._talks.add(talk)
        talk.add_done_callback(self._talks.discard)
        talk.add_done_callback(lambda _: writer.close())  # also of one that was ended before its first step

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while await self._answer(reader, writer):
                    pass
        except Exception as fault:  # noqa: BLE001  told at the end, whatever it is; who asked sees its connection end
            self.refused.append(f"a request could not be answered: {type(fault).__name__}: {fault}")
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer the next request of a connection; say whether it goes on."""
        try:
            request = await read_request(reader)
        except (ValueError, msgspec.DecodeError, asyncio.LimitOverrunError) as fault:
            self.refused.append(f"a request cannot be read: {fault}")
            await write_whole(writer, 400, encode({"error": {"message": str(fault)}}))
            return False
        interface = next((one for one in _INTERFACES if one.takes(request)), None)
        if interface is not None:
            return await self._speak(interface, request, writer)
        await write_whole(writer, *self._listed(request))
        return True

    def _listed(self, request: ServerRequest) -> _Reply:
        interface = next((one for one in _INTERFACES if one.lists(request)), None)
        if interface is None:
            self.refused.append(f"{request.method} {request.path}: no interface has this path")
            return 404, encode({"error": {"message": "not found"}})
        refusal = self._refusal(interface, request)
        return refusal or (200, encode(interface.models(self._models or ("scripted",))))

    async def _speak(self, interface: Interface, request: ServerRequest, writer: asyncio.StreamWriter) -> bool:
        refusal = self._refusal(interface, request) or self._fault(interface, request)
        if refusal is not None:
            await write_whole(writer, *refusal)
            return True
        self.requests.append(request)
        number = len(self.requests)
        said = await self._said(request, number)
        error = None if said.error is None else _as_told(said.error)
        turn = Turn(
            number=number,
            model=interface.model(request),
            answer=said.response,
            request=request,
            size=self._size,
        )
        streams = interface.streams(request) and not (error is not None and _is_empty(said))
        if streams:
            return await _stream(interface, turn, error, writer)
        return await _whole(interface, turn, error, writer)

    async def _said(self, request: ServerRequest, number: int) -> Spoken:
        try:
            answer = self._script.next(number)
            while callable(answer) and not isinstance(answer, BaseException):
                said: Any = cast("Callable[[ServerRequest], Any]", answer)(request)
                answer = await said if isawaitable(said) else said
        except Exception as error:  # noqa: BLE001  whoever asks is told, whatever it is
            return spoken(error)
        if answer is None:
            await asyncio.get_running_loop().create_future()
        return spoken(answer)

    def _refusal(self, interface: Interface, request: ServerRequest) -> _Reply | None:
        """Return the answer to who shows no key, or asks for a model that is not there."""
        if self._key is not None and interface.key(request) != self._key:
            return _told(interface, LLMError("authentication_failed", "The API key is not valid."))
        model = interface.model(request)
        if self._models and model and model not in self._models:
            return _told(interface, LLMError("model_not_found", f"model '{model}' not found"))
        return None

    def _fault(self, interface: Interface, request: ServerRequest) -> _Reply | None:
        """Return the answer to a request that the real one would refuse."""
        faults = list(_faults(interface, request))
        if not faults:
            return None
        self.refused += [f"{request.method} {request.path}: {fault}" for fault in faults]
        return _told(interface, LLMError("api_call_failed", faults[0], status=400))


def _faults(interface: Interface, request: ServerRequest) -> Iterator[str]:
    try:
        yield from interface.faults(request)
    except (TypeError, KeyError, AttributeError) as fault:  # a field that is not of its kind
        yield f"the request has not the form that is wanted: {type(fault).__name__}: {fault}"


def _told(interface: Interface, error: LLMError) -> _Reply:
    status = status_of(error)
    return status, encode(interface.error(error, status))


def _as_told(error: BaseException) -> LLMError:
    return error if isinstance(error, LLMError) else LLMError("api_call_failed", str(error) or type(error).__name__)


def _is_empty(said: Spoken) -> bool:
    answer = said.response
    return answer.text is None and answer.reasoning is None and not (answer.tool_calls or answer.invalid_tool_calls)


async def _whole(interface: Interface, turn: Turn, error: LLMError | None, writer: asyncio.StreamWriter) -> bool:
    if error is not None and error.code == "connection_failed":
        return False
    if error is not None and error.code == "bad_response":
        await write_whole(writer, 200, _NO_ANSWER, "text/html")
        return True
    failure = turn.answer.failure
    if error is not None:
        await write_whole(writer, *_told(interface, error))
    elif failure is not None:  # some report an error under a status that says there is none
        await write_whole(writer, 200, encode(interface.error(failure.to_error(), 500)))
    else:
        await write_whole(writer, 200, encode(interface.whole(turn)))
    return True


async def _stream(interface: Interface, turn: Turn, error: LLMError | None, writer: asyncio.StreamWriter) -> bool:
    if error is None and turn.answer.failure is not None:
        error = turn.answer.failure.to_error()
    ends = error is None or error.code != "connection_failed"
    pieces = interface.stream(turn, error)
    if not ends:
        pieces = iter(list(pieces)[:-1])
    await write_chunks(writer, interface.kind, pieces, end=ends)
    return ends
