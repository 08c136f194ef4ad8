"""One page of the web: a GET to an address that was checked, redirects one by one, and never more than was asked for.

The HTTP library is given the address itself, so that a name which leads elsewhere a moment later changes nothing; the
certificate is still checked for the name. No proxy is asked, no cookie kept, and no password taken from anywhere.

This module knows neither tools nor texts.
"""

from __future__ import annotations

import ssl
from collections.abc import Collection
from contextlib import aclosing
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from toolwright.builtin.hosts import Address, Network, addresses_of
from toolwright.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from httpx2 import URL, AsyncClient, Response

    from toolwright.tools.threads import Threads

__all__ = ["Answer", "NotFetched", "get"]

_REDIRECTS: Final = frozenset([301, 302, 303, 307, 308])
_MOST_REDIRECTS: Final = 10
_CONNECT_SECONDS: Final = 10.0
_HEADERS: Final = {
    "user-agent": "toolwright",
    "accept": "text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5",
    "connection": "close",
}


class NotFetched(Exception):  # noqa: N818  a signal inside this room
    """There is no answer; the text says why, in words for a model."""

    def __init__(self, problem: str, *, code: str) -> None:
        super().__init__(problem)
        self.code = code


class Answer(NamedTuple):
    """What a server answered: where it came from in the end, and as much of the body as was wanted."""

    url: str
    status: int
    content_type: str
    body: bytes
    is_whole: bool


async def get(
    url: str, *, most: int, threads: Threads, networks: Collection[Network] = (), tls: ssl.SSLContext | None = None
) -> Answer:
    """Fetch a URL; of its body at most so many bytes.

    ``networks`` may be reached although they are not public. ``tls`` says whom to trust instead of the usual
    authorities. There is no time limit: whoever awaits this sets it.

    Raises:
        NotFetched: There is no answer.
        MissingExtraError: The HTTP library is not installed.
    """
    try:
        import httpx2  # optional (the extra `http`), and heavy
    except ImportError:
        raise MissingExtraError("fetch_url", extra="http") from None
    client = httpx2.AsyncClient(
        verify=tls or _usual_tls(),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
    )
    async with client:
        target = _read_url(url)
        for _ in range(_MOST_REDIRECTS + 1):
            response = await _ask(client, target, threads, networks)
            try:
                location = response.headers.get("location")
                if response.status_code not in _REDIRECTS or location is None:
                    return await _answer(response, target, most)
            finally:
                await response.aclose()
            target = _redirected(target, location)
    raise NotFetched("The server redirects in a circle.", code="bad_answer")


@cache
def _usual_tls() -> ssl.SSLContext:
    """Return what trusts the usual authorities: they are read from the disk once."""
    import httpx2

    return httpx2.create_ssl_context()


def _read_url(text: str) -> URL:
    import httpx2

    try:
        url = httpx2.URL(text)
    except (httpx2.InvalidURL, ValueError):
        raise NotFetched("This is not a URL.", code="bad_url") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise NotFetched("The URL must begin with https:// or http:// and a host.", code="bad_url")
    if url.port is not None and not 0 < url.port < 65_536:
        raise NotFetched("The port of the URL is none.", code="bad_url")
    if url.userinfo:
        raise NotFetched("The URL may not hold a user name or password.", code="bad_url")
    return url.copy_with(fragment=None)


def _redirected(url: URL, location: str) -> URL:
    """Return where a redirect leads, on the same host: any other one is a call of its own, to be allowed as such."""
    import httpx2

    try:
        there = _read_url(str(url.join(location)))
    except (NotFetched, httpx2.InvalidURL, ValueError):
        raise NotFetched("The server redirects to what is no URL that can be fetched.", code="bad_answer") from None
    if _bare(there.host) != _bare(url.host):
        problem = f"The server redirects to another host. If that is wanted, fetch {there}"
        raise NotFetched(problem, code="redirected_elsewhere")
    if url.scheme == "https" and there.scheme == "http":
        raise NotFetched(f"The server redirects to an address without TLS: {there}", code="redirected_elsewhere")
    return there


def _bare(host: str) -> str:
    return host.lower().rstrip(".").removeprefix("www.")


async def _ask(client: AsyncClient, url: URL, threads: Threads, networks: Collection[Network]) -> Response:
    """Return the head of an answer, from the first address of the host that can be connected to."""
    import httpx2

    host = url.raw_host.decode("ascii")
    port = url.port or (443 if url.scheme == "https" else 80)
    problem = "nothing answers there"
    for address in await _looked_up(host, port, threads, networks):
        try:
            return await _send(client, url, address)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            problem = str(error) or "no connection in time"
        except (httpx2.HTTPError, OSError) as error:
            problem = str(error) or type(error).__name__
            break
    raise NotFetched(f"{host} cannot be reached: {problem[:300].rstrip('.')}.", code="not_reached")


async def _looked_up(host: str, port: int, threads: Threads, networks: Collection[Network]) -> list[Address]:
    try:
        usable = await threads.run(partial(addresses_of, host, port, networks))
    except OSError as error:
        problem = f"{host} cannot be found: {error.strerror or 'there is no such host'}."
        raise NotFetched(problem, code="no_such_host") from None
    if not usable:
        problem = f"{host} leads to a private or reserved address, and only the public internet is fetched from."
        raise NotFetched(problem, code="private_address")
    return usable


async def _send(client: AsyncClient, url: URL, address: Address) -> Response:
    headers = {**_HEADERS, "host": url.netloc.decode("ascii"), "accept-encoding": _encodings()}
    # The name goes to the server, and to the check of its certificate; the connection goes to the address.
    extensions = {"sni_hostname": url.raw_host.decode("ascii")}
    request = client.build_request("GET", url.copy_with(host=str(address)), headers=headers, extensions=extensions)
    return await client.send(request, stream=True)


def _encodings() -> str:
    from toolwright.providers.transport.inflating import ENCODINGS  # with a room that knows how to ask models

    return ENCODINGS


async def _answer(response: Response, url: URL, most: int) -> Answer:
    import httpx2

    from toolwright.providers.transport.inflating import NotInflated, inflater

    body, is_whole = bytearray(), True
    try:
        unpacked = inflater(response.headers.get("content-encoding", ""))
        async with aclosing(cast("AsyncGenerator[bytes, Any]", response.aiter_raw())) as pieces:
            async for piece in pieces:
                for part in unpacked.feed(piece):
                    body += part
                    if len(body) > most:
                        break
                if len(body) > most:
                    is_whole = False
                    break
            else:
                unpacked.close()
    except (NotInflated, httpx2.HTTPError, OSError) as error:
        raise NotFetched(f"The answer broke off, or cannot be read: {error}.", code="bad_answer") from None
    content_type = response.headers.get("content-type", "")
    return Answer(str(url), response.status_code, content_type, bytes(body[:most]), is_whole)
