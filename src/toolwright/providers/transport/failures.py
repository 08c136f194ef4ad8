"""What went wrong with a request, in our words: a status, a body that is no answer, a connection that was not there.

Every exception of the HTTP library ends here, and none of them is handed on: they hold the request, and with it the
key. What the provider itself said is read by the codecs' own table.
"""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import msgspec

from toolwright.providers.codecs.documents import read_document
from toolwright.providers.codecs.faults import read_failure
from toolwright.providers.transport.retrying import is_passing
from toolwright.providers.types import ErrorCode, Failure

__all__ = [
    "CLOSED",
    "TIMED_OUT",
    "Setback",
    "Trouble",
    "bad_response",
    "failure_of_answer",
    "trouble_of",
    "trouble_of_status",
]

_DENIED: Final = frozenset([401, 403])
_MARKUP: Final = re.compile(r"<[^>]{0,1000}>")
_TITLE: Final = re.compile(r"(?is)<title[^>]{0,200}>([^<]{1,200})</title>")
_SHOWN: Final = 500  # characters of a body that is no JSON


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why one attempt came to nothing; ``again`` says whether another one may do better, ``wait`` after how long."""

    failure: Failure
    again: bool = False
    wait: float | None = None
    cause: OSError | None = None


class Setback(Exception):  # noqa: N818  a signal inside this room: the exchange tries again or makes an LLMError of it
    """One attempt came to nothing."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.failure.code)
        self.trouble = trouble


TIMED_OUT: Final = Trouble(failure=Failure(code="timeout", message="there was no whole answer in time", retryable=True))
CLOSED: Final = Trouble(failure=Failure(code="cancelled", message="the provider was closed while it was asked"))


def bad_response(message: str) -> Trouble:
    """Return the trouble of an answer that cannot be read; the same request would get the same answer."""
    return Trouble(failure=Failure(code="bad_response", message=message))


def failure_of_answer(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """Return what an answer means whose status says that it is an error."""
    failure = read_failure(_content(headers, body), status=status)
    changes: dict[str, Any] = {"status": status, "message": failure.message or _phrase(status)}
    if status in _DENIED:
        changes |= {"code": "authentication_failed", "retryable": False}
    return msgspec.structs.replace(failure, **changes)


def _content(headers: Mapping[str, str], body: bytes) -> Any:
    try:
        return read_document(body)
    except ValueError:
        text = body.decode("utf-8", "replace").strip()
    if "html" in headers.get("content-type", "").lower() or text.startswith("<"):
        title = _TITLE.search(text)
        text = title[1] if title else _MARKUP.sub(" ", text)
    return " ".join(text[: 4 * _SHOWN].split())[:_SHOWN]


def _phrase(status: int) -> str:
    try:
        return f"the server answered {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"the server answered {status}"


def trouble_of(error: Exception, origin: str, *, answered: bool) -> Trouble:
    """Return what an exception of the HTTP library means; ``answered`` says whether the answer had begun."""
    import httpx2  # optional (the extra `http`)

    cause = _innermost(error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return _not_connected(f"the certificate of {origin} cannot be verified: {cause.verify_message}", cause)
    if isinstance(error, httpx2.ConnectTimeout):
        return _not_connected(f"{origin} did not take the connection in time", cause, again=True)
    if isinstance(error, httpx2.ProxyError):
        return _not_connected(f"the proxy on the way to {origin} refused", cause)
    if isinstance(error, httpx2.ConnectError):
        reason = _reason(cause) or "it cannot be connected to"
        return _not_connected(f"there is no connection to {origin}: {reason}", cause, again=True)
    if isinstance(error, httpx2.RemoteProtocolError) and not answered and "disconnect" not in str(error):
        return bad_response(f"{origin} does not speak HTTP as it should")
    known = isinstance(error, httpx2.HTTPError | httpx2.StreamError | OSError)
    if not known or isinstance(error, httpx2.LocalProtocolError | httpx2.UnsupportedProtocol):
        problem = f"the request cannot be sent as it is ({type(error).__name__})"
        return Trouble(failure=Failure(code="api_call_failed", message=problem))
    where = "in the middle of its answer" if answered else "without an answer"
    return _not_connected(f"{origin} ended the connection {where}", cause, again=True)


def _reason(cause: OSError | None) -> str:
    """Return what the system says; for a refusal in its own words, as asyncio puts the address in their place."""
    if cause is None:
        return ""
    return os.strerror(cause.errno) if isinstance(cause, ConnectionError) and cause.errno else cause.strerror or ""


def _not_connected(message: str, cause: OSError | None, *, again: bool = False) -> Trouble:
    code: ErrorCode = "connection_failed"
    return Trouble(failure=Failure(code=code, message=message, retryable=again), again=again, cause=cause)


def trouble_of_status(failure: Failure, wait: float | None) -> Trouble:
    """Return the trouble of an answer with an error, and whether its status is one of those that pass."""
    again = failure.status is not None and is_passing(failure.status) and failure.retryable
    return Trouble(failure=failure, again=again, wait=wait)


def _innermost(error: BaseException) -> OSError | None:
    """Return what the system itself said. It holds no request, unlike everything around it."""
    found: OSError | None = None
    seen: BaseException | None = error
    for _ in range(10):
        if seen is None:
            break
        if isinstance(seen, OSError):
            found = seen
        seen = seen.__cause__ or seen.__context__
    return found
