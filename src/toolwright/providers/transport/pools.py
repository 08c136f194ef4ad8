"""Connections, shared: one pool for each origin and event loop.

A pool belongs to the loop that made it, and ends with it: sockets of one loop are of no use in another. Providers of
one origin share a pool; when the last of them is closed, so is the pool.
"""

from __future__ import annotations

import asyncio
import atexit
import ssl
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias, final
from weakref import WeakSet

from toolwright.errors import MissingExtraError
from toolwright.providers.transport.addresses import Address
from toolwright.providers.transport.failures import Setback

if TYPE_CHECKING:
    from httpx2 import AsyncClient

__all__ = ["Pool", "Pools", "shared_pools"]

_CONNECTIONS: Final = 200
_IDLE: Final = 20  # connections that are kept although nobody uses them
_IDLE_SECONDS: Final = 60.0  # the turns of a run come seconds apart
_CONNECT_SECONDS: Final = 10.0
_END_SECONDS: Final = 1.0

_Key: TypeAlias = tuple[str, ssl.SSLContext | None]


class _Line:
    """A client of the HTTP library, and how many exchanges it has under way."""

    def __init__(self, client: AsyncClient) -> None:
        self.client = client
        self.busy = 0
        self.retired = False


@final
class Pool:
    """The connections to one origin.

    Answers that come whole share connections by HTTP/2 where the server offers it. Streams have theirs for themselves,
    by HTTP/1.1: what a reader no longer wants is given up by closing the connection, which is how the server learns of
    it. An HTTP/2 connection on which somebody stopped waiting takes no further requests, for the same reason.
    """

    def __init__(self, open_client: Callable[[bool], AsyncClient]) -> None:
        self.users: WeakSet[object] = WeakSet()
        self.closed = False
        self._open_client = open_client
        self._lines: dict[bool, _Line] = {}
        self._end: AsyncGenerator[None] | None = None

    @asynccontextmanager
    async def lend(self, *, streaming: bool) -> AsyncGenerator[AsyncClient]:
        """Give a client for one exchange."""
        line = self._lines.get(streaming)
        if line is None:
            line = self._lines[streaming] = _Line(self._open_client(not streaming))
        line.busy += 1
        try:
            yield line.client
        except Setback:
            raise
        except BaseException:
            if not streaming:
                self._retire(line)
            raise
        finally:
            line.busy -= 1
            if line.retired and not line.busy:
                await line.client.aclose()

    def _retire(self, line: _Line) -> None:
        line.retired = True
        if self._lines.get(False) is line:
            del self._lines[False]

    async def close_with_loop(self, forget: Callable[[], None]) -> None:
        """Have this pool closed when its loop ends: loops do so with the generators that are open in them."""

        async def until_the_end() -> AsyncGenerator[None]:
            try:
                yield
            finally:
                forget()
                await self._close_lines()

        self._end = until_the_end()
        await anext(self._end)

    async def close(self) -> None:
        """Close all connections, those that are in use as well."""
        if self._end is not None:
            await self._end.aclose()

    async def _close_lines(self) -> None:
        self.closed = True
        lines = list(self._lines.values())
        self._lines.clear()
        for line in lines:
            await line.client.aclose()


@final
class Pools:
    """Every pool there is. Safe to share between threads and loops."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: dict[asyncio.AbstractEventLoop, dict[_Key, Pool]] = {}

    async def pool(self, address: Address, user: object, *, tls: ssl.SSLContext | None = None) -> Pool:
        """Return the running loop's pool for an address, and note who uses it.

        Raises:
            MissingExtraError: The HTTP library is not installed.
        """
        loop = asyncio.get_running_loop()
        key = (address.origin, tls)
        with self._lock:
            known = self._of.get(loop, {}).get(key)
        if known is None:
            known = Pool(_opener(address, tls))
            await known.close_with_loop(lambda: self._forget(loop, key))
            with self._lock:
                for ended in [one for one in self._of if one.is_closed()]:
                    del self._of[ended]
                known = self._of.setdefault(loop, {}).setdefault(key, known)
        known.users.add(user)
        return known

    def _forget(self, loop: asyncio.AbstractEventLoop, key: _Key) -> None:
        with self._lock:
            pools = self._of.get(loop, {})
            pools.pop(key, None)
            if not pools:
                self._of.pop(loop, None)

    async def leave(self, user: object) -> None:
        """Note that somebody uses the running loop's pools no longer; close those that nobody uses."""
        with self._lock:
            pools = list(self._of.get(asyncio.get_running_loop(), {}).values())
        for pool in pools:
            if user in pool.users:
                pool.users.discard(user)
                if not pool.users:
                    await pool.close()

    def end(self) -> None:
        """Close what loops in other threads still have open, where that takes a moment only: for a program's end."""
        with self._lock:
            pools = [(loop, pool) for loop, those in self._of.items() for pool in those.values() if loop.is_running()]
        for loop, pool in pools:
            with suppress(TimeoutError, RuntimeError):  # it hangs, or ends itself just now
                asyncio.run_coroutine_threadsafe(pool.close(), loop).result(_END_SECONDS)


@cache
def shared_pools() -> Pools:
    """Return the pools that all providers share; they end with the program."""
    pools = Pools()
    atexit.register(pools.end)
    return pools


def _opener(address: Address, tls: ssl.SSLContext | None) -> Callable[[bool], AsyncClient]:
    try:
        import httpx2  # optional (the extra `http`), and heavy
    except ImportError:
        raise MissingExtraError("Asking a model over HTTP", extra="http") from None
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    def open_client(multiplexed: bool) -> AsyncClient:
        # Authorities are read from the disk; without TLS there is nothing to verify.
        context = tls or (True if address.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        return httpx2.AsyncClient(
            verify=context,
            http2=multiplexed and address.scheme == "https",
            trust_env=not address.is_loopback,  # no proxy between this machine and itself
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            follow_redirects=False,
            timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
            limits=httpx2.Limits(
                max_connections=_CONNECTIONS, max_keepalive_connections=_IDLE, keepalive_expiry=_IDLE_SECONDS
            ),
        )

    return open_client
