"""Requests for tests of the transport: by a clock that runs ahead, and with chances that are known."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from tests.servers.unruly import Behaviour, Unruly, unruly
from toolwright.providers.transport import Address, Exchange, Pools, Request, Transport
from toolwright.testing import FakeClock

KEY = "a-key-that-nobody-may-see-1234"
LIMIT = 15.0
"""Seconds after which a test has hung."""


class HastyClock(FakeClock):
    """A clock for which a wait takes no time; ``waits`` are those that were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Let the time pass at once."""
        self.waits.append(round(seconds, 3))
        self.advance(seconds)


def request(url: str, path: str = "/ask", **fields: Any) -> Request:
    """Return a question with a key."""
    asked: dict[str, Any] = {
        "body": b'{"q":1}',
        "private": lambda: {"authorization": f"Bearer {KEY}"},
        "timeout": LIMIT,
    }
    return Request(address=Address.of(url), path=path, **(asked | fields))


class Asking:
    """A server, and a transport of its own to it."""

    def __init__(self, server: Unruly, transport: Transport, clock: HastyClock) -> None:
        self.server = server
        self.transport = transport
        self.clock = clock

    def exchange(self, path: str = "/ask", **fields: Any) -> Exchange:
        """Return a question that is on its way."""
        return self.transport.exchange(request(self.server.url, path, **fields))

    async def fetch(self, path: str = "/ask", **fields: Any) -> bytes:
        """Ask."""
        return await self.exchange(path, **fields).fetch()

    async def read_into(self, read: list[bytes], **fields: Any) -> None:
        """Ask for a stream, and keep what of it arrives."""
        async for chunk in self.exchange(streaming=True, **fields).stream():
            read.append(chunk)  # noqa: PERF401  what came before an error is kept

    def said(self) -> list[Mapping[str, str]]:
        """Return the headers of all requests so far."""
        return [each.headers for each in self.server.requests]


@asynccontextmanager
async def asking(
    *behaviours: Behaviour | list[Behaviour],
    chance: float = 0.0,
    own_clock: bool = True,
    tls: ssl.SSLContext | None = None,
    **settings: Any,
) -> AsyncIterator[Asking]:
    """Serve, and ask over connections that are closed at the end."""
    clock = HastyClock()
    pools = Pools()
    transport = Transport(clock=clock if own_clock else None, chance=lambda: chance, pools=pools, tls=tls, **settings)
    async with unruly(*behaviours, tls=tls is not None) as server:
        try:
            yield Asking(server, transport, clock)
        finally:
            await transport.aclose()
