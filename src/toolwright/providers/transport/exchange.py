"""One request and its answer, whatever that takes: attempts, waits, redirects, limits, and one error in the end.

An attempt that comes to nothing is a ``Setback``. Here it is decided whether there is another one; if not, the
``LLMError`` is raised where no exception of the HTTP library is being handled, so that none hangs on it.
"""

from __future__ import annotations

import asyncio
import logging
import re
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Final, NoReturn, TypeVar, final

import msgspec

from toolwright.providers.transport.addresses import Address, redirected
from toolwright.providers.transport.clock import Clock
from toolwright.providers.transport.failures import (
    CLOSED,
    TIMED_OUT,
    Setback,
    Trouble,
    bad_response,
    failure_of_answer,
    trouble_of,
    trouble_of_status,
)
from toolwright.providers.transport.inflating import ENCODINGS, NotInflated, inflater
from toolwright.providers.transport.pools import Pool, Pools
from toolwright.providers.transport.retrying import asked_wait, own_wait
from toolwright.redact import MASK

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

__all__ = ["Exchange", "Means", "Request"]

_log: Final = logging.getLogger("toolwright.providers")

T = TypeVar("T")

_MOST_REDIRECTS: Final = 5
_LONGEST_WAIT: Final = 600.0  # seconds; who is asked to come back tomorrow is told so instead
_FAULT_BYTES: Final = 64 * 1024  # of a body that explains an error
_REQUEST_IDS: Final = ("x-request-id", "request-id", "x-goog-request-id", "apim-request-id")
_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_OWN_HEADERS: Final = frozenset(["connection", "content-length", "host", "te", "transfer-encoding", "upgrade"])
_TELLING: Final = 4  # characters of a secret; what is shorter is in too many words
_NO_SECRETS: Final[Mapping[str, str]] = {}


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One request, as it goes out.

    ``private`` gives the headers that only this address may see, the key among them; it is asked before every attempt.
    ``timeout`` is for everything together: attempts, waits and the body. ``facts`` are told in logs.
    """

    address: Address
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = {}
    private: Callable[[], Mapping[str, str]] = dict
    timeout: float | None = None
    streaming: bool = False
    facts: Mapping[str, str] = {}

    def __repr__(self) -> str:
        return f"Request({self.address.join(self.path.partition('?')[0])!r}, body=<{len(self.body or b'')} bytes>)"


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """What all exchanges of one transport have in common."""

    pools: Pools
    user: object
    clock: Clock
    chance: Callable[[], float]
    retries: int
    max_bytes: int
    tls: ssl.SSLContext | None


@final
class Exchange:
    """One request on its way; it is made once, and read once: whole, or as it arrives.

    ``request_id`` is what the server calls it, and ``attempts`` how often it was sent, as soon as they are known.
    """

    def __init__(self, request: Request, means: Means) -> None:
        self.request_id: str | None = None
        self.attempts = 0
        self._request = request
        self._means = means
        self._secrets = _NO_SECRETS
        self._answered = False
        self._deadline = None if request.timeout is None else means.clock.monotonic() + request.timeout

    async def fetch(self) -> bytes:
        """Return the answer's body, whole.

        Raises:
            LLMError: There is none; ``code`` says why.
            MissingExtraError: The HTTP library is not installed.
        """
        while True:
            try:
                async with self._attempt() as chunks:
                    return b"".join([chunk async for chunk in chunks])
            except Setback as setback:
                trouble = setback.trouble
            await self._recover(trouble)

    async def stream(self) -> AsyncGenerator[bytes]:
        """Yield the answer's body as it arrives; closing the iterator closes the connection.

        Raises:
            LLMError: There is none, or it broke off; ``code`` says why.
            MissingExtraError: The HTTP library is not installed.
        """
        passed_on = False
        while True:
            try:
                async with self._attempt() as chunks:
                    async for chunk in chunks:
                        passed_on = True
                        yield chunk
            except Setback as setback:
                trouble = setback.trouble
            else:
                return
            if passed_on:
                self._give_up(trouble)
            await self._recover(trouble)

    async def _recover(self, trouble: Trouble) -> None:
        """Wait until the next attempt, or raise what became of this one."""
        if not trouble.again or self.attempts > self._means.retries:
            self._give_up(trouble)
        wait = own_wait(self.attempts, self._means.chance()) if trouble.wait is None else trouble.wait
        left = self._left()
        if wait > _LONGEST_WAIT or (left is not None and wait >= left):  # nothing is won by waiting for too long
            self._give_up(trouble)
        failure = trouble.failure
        told = {"code": failure.code, "status": failure.status, "request_id": self.request_id}
        facts = {**self._request.facts, **told, "attempt": self.attempts, "wait": round(wait, 3)}
        _log.warning("a model is asked again", extra={"event": "provider.retry", **facts})
        await self._means.clock.sleep(wait)

    def _give_up(self, trouble: Trouble) -> NoReturn:
        failure = trouble.failure
        failure = msgspec.structs.replace(failure, message=self.without_secrets(failure.message))
        raise failure.to_error(request_id=self.request_id) from trouble.cause

    def without_secrets(self, text: str) -> str:
        """Return a text without what only this server may see: some servers quote the key."""
        for secret in self._secrets.values():
            bare = secret.removeprefix("Bearer ")
            if len(bare) >= _TELLING:
                text = text.replace(bare, MASK)
        return text

    def _left(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - self._means.clock.monotonic())

    @asynccontextmanager
    async def _attempt(self) -> AsyncGenerator[AsyncGenerator[bytes]]:
        """Send the request and give the body of its answer."""
        self.attempts += 1
        self._answered = False
        means, request = self._means, self._request
        self._secrets = _checked(request.private())
        pool = await means.pools.pool(request.address, means.user, tls=means.tls)
        async with pool.lend(streaming=request.streaming) as client:
            response = await self._send(client, pool)
            try:
                if not response.is_success:
                    raise Setback(await self._explained(response, pool))
                async with aclosing(self._read(response, pool, means.max_bytes)) as chunks:
                    yield chunks
            finally:
                await response.aclose()

    async def _send(self, client: AsyncClient, pool: Pool) -> Response:
        """Return the answer, of which only the head is read; where it leads elsewhere, that one's answer."""
        request = self._request
        url, private = request.address.join(request.path), self._secrets
        for _ in range(_MOST_REDIRECTS + 1):
            headers = {"accept-encoding": ENCODINGS, **request.headers, **private}
            method = "GET" if request.body is None else "POST"
            sent = client.build_request(method, url, headers=headers, content=request.body)
            response = await self._within(client.send(sent, stream=True), pool)
            self._answered = True
            self.request_id = next(filter(None, map(response.headers.get, _REQUEST_IDS)), None)
            location = response.headers.get("location")
            if not 300 <= response.status_code < 400 or location is None:
                return response
            await response.aclose()
            target = redirected(url, response.status_code, location)
            if isinstance(target, str):
                raise Setback(bad_response(f"the server answered {response.status_code} and {target}"))
            url, same = target
            private = private if same else _NO_SECRETS  # once gone, the key does not come back
        raise Setback(bad_response("the server redirects in a circle"))

    async def _explained(self, response: Response, pool: Pool) -> Trouble:
        """Return what an answer with an error means, as far as its body can be read."""
        body = bytearray()
        try:
            async with aclosing(self._read(response, pool, None)) as chunks:
                async for chunk in chunks:
                    body += chunk
                    if len(body) > _FAULT_BYTES:
                        break
        except Setback:
            pass  # the status alone says enough
        failure = failure_of_answer(response.status_code, response.headers, bytes(body[:_FAULT_BYTES]))
        return trouble_of_status(failure, asked_wait(response.headers, self._means.clock.now()))

    async def _read(self, response: Response, pool: Pool, most: int | None) -> AsyncGenerator[bytes]:
        """Yield the body as it arrives and as it was before it was compressed."""
        count = 0
        try:
            body = inflater(response.headers.get("content-encoding", ""))
            async with aclosing(response.aiter_raw()) as raw:
                while (piece := await self._within(anext(raw, None), pool)) is not None:
                    for chunk in body.feed(piece):
                        count += len(chunk)
                        if most is not None and count > most:
                            raise Setback(bad_response(f"the answer is larger than {most:,} bytes"))
                        yield chunk
            body.close()
        except NotInflated as problem:
            text = f"the answer cannot be read: {problem}"
        else:
            return
        raise Setback(bad_response(text))

    async def _within(self, work: Awaitable[T], pool: Pool) -> T:
        """Wait for one step, no longer than there is time, and say in our words what went wrong with it."""
        try:
            async with asyncio.timeout(self._left()):
                return await work
        except TimeoutError:
            trouble = TIMED_OUT
        except Exception as error:  # noqa: BLE001  some exceptions of its own parts pass through the HTTP library
            origin = self._request.address.origin
            trouble = CLOSED if pool.closed else trouble_of(error, origin, answered=self._answered)
        raise Setback(trouble)


def _checked(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Return headers that can be sent; what cannot is refused here, where its value is not quoted."""
    for name, value in headers.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of a header")
        if name.lower() in _OWN_HEADERS:
            raise ValueError(f"the header {name!r} is set by whoever sends the request")
        if type(value) is not str or not value.isascii() or not value.isprintable():
            raise ValueError(f"the header {name!r} holds what no header may have: give printable ASCII")
    return headers
