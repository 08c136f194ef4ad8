"""Where requests go: a base URL, looked at once, and the redirects that may be followed from there.

Pure. What is refused is refused without being quoted: it may hold a password.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Final, Self
from urllib.parse import parse_qsl, urljoin, urlsplit

import msgspec

from toolwright.redact import is_secret_key

__all__ = ["Address", "redirected"]

_PORTS: Final = {"http": 80, "https": 443}
_SHAPE: Final = re.compile(r"[!-\[\]-~]+")  # printable ASCII, without blanks and backslashes
_KEYS_HERE: Final = frozenset(["key", "sig", "signature"])  # in a URL these words have no other meaning
_SAME_METHOD: Final = frozenset([307, 308])


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """A base URL that may be asked: whole, over HTTP, and without credentials in it."""

    scheme: str
    host: str
    port: int
    path: str
    query: str = ""

    @classmethod
    def of(cls, url: str) -> Self:
        """Look at a base URL.

        Raises:
            ValueError: It is none, or holds what does not belong there; the text says what to do.
        """
        problem = _fault_of(url)
        if problem:
            raise ValueError(f"the base URL {problem}")
        parts = urlsplit(url)
        return cls(
            scheme=parts.scheme,
            host=parts.hostname or "",
            port=parts.port or _PORTS[parts.scheme],
            path=parts.path.rstrip("/"),
            query=parts.query,
        )

    @property
    def origin(self) -> str:
        """Scheme, host and port: what a connection leads to."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + (f":{self.port}" if self.port != _PORTS[self.scheme] else "")

    @property
    def is_loopback(self) -> bool:
        """Whether it is this very machine."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost" or self.host.endswith(".localhost")

    def join(self, path: str) -> str:
        """Return the URL of a path below this one, with the queries of both."""
        path, _, query = path.partition("?")
        queries = "&".join(filter(None, (self.query, query)))
        return f"{self.origin}{self.path}{path}" + (f"?{queries}" if queries else "")

    def __str__(self) -> str:
        return f"{self.origin}{self.path}"


def _fault_of(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "is not a URL"
    if port == 0:
        return "names port 0, where nobody can listen"
    if "@" in parts.netloc:
        return "may not hold a user name or password: pass the key as api_key"
    if parts.scheme not in _PORTS or not host:
        return "must begin with https:// or http:// and a host"
    if not _SHAPE.fullmatch(url):
        return "holds characters that no URL has"
    if parts.fragment or url.endswith("#"):
        return "may not have a fragment, which is never sent"
    if any(_holds_secret(name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
        return "may not hold a key: pass it as api_key"
    return ""


def _holds_secret(name: str) -> bool:
    """Say whether a query of this name holds a secret: as part of a URL it would be logged with it."""
    return is_secret_key(name) or name.lower() in _KEYS_HERE


def redirected(url: str, status: int, location: str) -> tuple[str, bool] | str:
    """Return where a redirect leads and whether it is the same origin, or why it is not followed.

    Only the two redirects that keep method and body are followed: of any other, the request would lose its question.
    """
    if status not in _SAME_METHOD:
        return "moves it to another address, which has to be set as base_url"
    try:
        target = urljoin(url, location).partition("#")[0]
    except ValueError:
        target = ""
    if _fault_of(target):
        return "redirects to an address that is not followed"
    here, there = Address.of(url), Address.of(target)
    if here.scheme == "https" and there.scheme != "https":
        return "redirects to an address without TLS, which is not followed"
    return target, here.origin == there.origin
