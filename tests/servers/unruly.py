"""A real HTTP server on loopback with every bad habit: it answers each request as the next of its behaviours says."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import struct
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

TLS: Final = Path(__file__).parent / "tls"
OK: Final = b'{"fine":true}'
LONGEST_WAIT: Final = 20.0

End: TypeAlias = Literal["keep", "close", "reset", "hang"]
Behaviour: TypeAlias = Callable[["Unruly", asyncio.StreamWriter], Awaitable[End]]


@dataclass
class Received:
    """One request, as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


def head(status: int = 200, **headers: str) -> bytes:
    """Return the head of an answer; underscores in names of headers are hyphens."""
    lines = [f"HTTP/1.1 {status} Because", *(f"{name.replace('_', '-')}: {text}" for name, text in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def says(body: bytes = OK, status: int = 200, **headers: str) -> Behaviour:
    """Answer as one should."""
    return sends(head(status, **({"content_length": str(len(body))} | headers)) + body, then="keep")


def compressed(body: bytes, *, cut: int = 0) -> Behaviour:
    """Answer with gzip, all but the last ``cut`` bytes of it."""
    packed = gzip.compress(body, 1)
    return says(packed[: len(packed) - cut], content_encoding="gzip")


def sends(*pieces: bytes, then: End) -> Behaviour:
    """Send these bytes, each in a packet of its own, and go on as told."""

    async def behave(server: Unruly, writer: asyncio.StreamWriter) -> End:
        del server
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
        return then

    return behave


def gated(*pieces: bytes) -> Behaviour:
    """Send each piece when the server's gate lets it, and close."""

    async def behave(server: Unruly, writer: asyncio.StreamWriter) -> End:
        for piece in pieces:
            await server.gate.acquire()
            writer.write(piece)
            await writer.drain()
        return "close"

    return behave


def endless(start: bytes, piece: bytes) -> Behaviour:
    """Never stop sending; ``written`` counts how much somebody took."""

    async def behave(server: Unruly, writer: asyncio.StreamWriter) -> End:
        writer.write(start)
        while True:
            writer.write(piece)
            await writer.drain()
            server.written += len(piece)
            await asyncio.sleep(0)

    return behave


@dataclass
class Unruly:
    """The server: what it was asked, and how many connections it had and has."""

    behaviours: deque[Behaviour]
    requests: list[Received] = field(default_factory=list)
    connections: int = 0
    open: int = 0
    written: int = 0
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""
    _moved: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def until(self, claim: Callable[[], bool]) -> None:
        """Return when something is so of the server."""
        async with asyncio.timeout(LONGEST_WAIT), self._moved:
            await self._moved.wait_for(claim)

    async def _tell(self) -> None:
        async with self._moved:
            self._moved.notify_all()

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Have one connection, to its end."""
        self.connections += 1
        self.open += 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, TimeoutError):
                await self._answer_all(reader, writer)
        finally:
            self.open -= 1
            writer.close()
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(1):
                    await writer.wait_closed()
            await self._tell()

    async def _answer_all(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            self.requests.append(await receive(reader))
            await self._tell()
            behave = self.behaviours.popleft() if self.behaviours else says(b"nobody expected this", 418)
            end = await behave(self, writer)
            if end == "hang":  # until somebody else ends it
                ended = asyncio.create_task(self.ended.wait())
                left = asyncio.create_task(reader.read())
                _, waiting = await asyncio.wait([ended, left], return_when="FIRST_COMPLETED")
                for task in waiting:
                    task.cancel()
            if end == "reset":  # without lingering, what is closed is reset
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
            if end != "keep":
                return


async def receive(reader: asyncio.StreamReader) -> Received:
    """Read one request."""
    text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    start, *lines = text.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    method, path, _ = start.split(" ")
    return Received(method, path, headers, await reader.readexactly(int(headers.get("content-length", 0))))


def server_tls() -> ssl.SSLContext:
    """Return what makes a server one with TLS; only who trusts ``client_tls`` believes it."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(TLS / "server.pem")
    return context


def client_tls() -> ssl.SSLContext:
    """Return what trusts the servers of these tests."""
    return ssl.create_default_context(cafile=str(TLS / "ca.pem"))


@asynccontextmanager
async def unruly(*behaviours: Behaviour | Iterable[Behaviour], tls: bool = False) -> AsyncIterator[Unruly]:
    """Serve for the length of a block."""
    flat: list[Behaviour] = []
    for each in behaviours:
        flat += [each] if callable(each) else list(each)
    server = Unruly(deque(flat))
    listening = await asyncio.start_server(server.talk, "127.0.0.1", 0, ssl=server_tls() if tls else None)
    port = listening.sockets[0].getsockname()[1]
    server.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
    try:
        yield server
    finally:
        server.ended.set()
        for _ in range(1000):
            server.gate.release()
        listening.close()
        await server.until(lambda: server.open == 0)


@asynccontextmanager
async def nobody() -> AsyncIterator[str]:
    """Give the address of a port where nobody listens."""
    listening = await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    listening.close()
    await listening.wait_closed()
    yield f"http://127.0.0.1:{port}"
