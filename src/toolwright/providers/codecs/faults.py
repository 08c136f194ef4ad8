"""Errors as providers write them, in all their spellings, and what they mean.

One table turns words and statuses into codes. A provider's message is passed on, without what looks like a secret and
not at any length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolwright.providers.types import ErrorCode, Failure
from toolwright.redact import redact_text

__all__ = ["BROKEN", "find_failure", "read_failure"]

BROKEN: Final = Failure(code="bad_response", message="the provider sent something that is not of its own format")
"""What is said of bytes that cannot be read."""

_LENGTH: Final = 2_000  # characters of a message: enough for any explanation, too few for a prompt sent back

_SPELLINGS: Final[Mapping[ErrorCode, str]] = {
    "authentication_failed": "invalid_api_key authentication_error authentication_failed permission_error "
    "permission_denied unauthenticated unauthorized forbidden invalid_authentication account_deactivated",
    "rate_limited": "rate_limit_exceeded rate_limit_error rate_limit rate_limited resource_exhausted "
    "too_many_requests insufficient_quota tokens requests",
    "context_length_exceeded": "context_length_exceeded string_above_max_length context_window_exceeded "
    "exceed_context_size_error",
    "model_not_found": "model_not_found invalid_model no_such_model model_not_supported",
    "content_filtered": "content_filter content_policy_violation content_filtered moderation_error "
    "responsibleaipolicyviolation data_inspection_failed",
    "timeout": "timeout timeout_error request_timeout deadline_exceeded",
    "cancelled": "cancelled canceled request_cancelled",
}
_WORDS: Final[Mapping[str, ErrorCode]] = {word: code for code, words in _SPELLINGS.items() for word in words.split()}
_STATUSES: Final[Mapping[int, ErrorCode]] = {
    401: "authentication_failed", 403: "authentication_failed", 408: "timeout", 429: "rate_limited", 504: "timeout",
}  # fmt: skip
_TOO_LONG: Final = re.compile(
    r"(?:maximum|max|model's|available) context|context (?:length|window|size)|prompt is too long|too many tokens|"
    r"exceeds? the maximum number of tokens|input is too long",
    re.IGNORECASE,
)
_NO_MODEL: Final = re.compile(r"(?is)model\b.{0,200}?(?:not found|does not exist|not exist|no such)")
_PASSING: Final = frozenset(
    "overloaded_error overloaded server_error internal_server_error internal unavailable service_unavailable api_error "
    "engine_overloaded aborted".split()
)
_RETRYABLE: Final = frozenset({"rate_limited", "timeout"})
_SPENT: Final = "insufficient_quota"  # called a rate limit, and waiting does not help


def find_failure(value: Any) -> Failure | None:
    """Return the error that a body or an event reports beside or instead of an answer, if it does."""
    if value.__class__ is list and len(value) == 1:
        value = value[0]
    if value.__class__ is not dict:
        return None
    error = value.get("error")
    if error:
        return read_failure(value)
    return None


def read_failure(value: Any, *, status: int | None = None) -> Failure:
    """Return what a body means that is known to be an error: ``{error: ...}``, ``{message}``, ``{detail}``, a text.

    ``status`` is that of the HTTP answer; without one, a number in the body stands for it.
    """
    if value.__class__ is list and value:
        value = value[0]
    words = [word.lower() for word in _words(value, 3)]
    status = status or next((int(word) for word in words if word.isdecimal() and 400 <= int(word[:9]) < 600), None)
    message = redact_text(_message(value)[:_LENGTH])
    code = _code(words, status, message)
    passing = not _PASSING.isdisjoint(words) or (status is not None and (status >= 500 or status == 409))
    retryable = (passing or code in _RETRYABLE) and _SPENT not in words
    return Failure(code=code, message=message, status=status, retryable=retryable)


def _code(words: list[str], status: int | None, message: str) -> ErrorCode:
    found: ErrorCode | None = next((_WORDS[word] for word in words if word in _WORDS), None)
    if found is not None:
        return found
    if _TOO_LONG.search(message):
        return "context_length_exceeded"
    if status in (None, 400, 404) and _NO_MODEL.search(message):
        return "model_not_found"
    if status is not None and status in _STATUSES:
        return _STATUSES[status]
    return "api_call_failed"


def _words(value: Any, room: int) -> Iterator[str]:
    """Yield the words and numbers that say which error it is, the inmost first."""
    if value.__class__ is not dict or not room:
        return
    yield from _words(value.get("error"), room - 1)
    for key in ("code", "type", "status"):
        word = value.get(key)
        if word.__class__ in (str, int):
            yield str(word)[:_LENGTH]


def _message(value: Any, room: int = 4) -> str:
    """Return the text of an error, wherever it stands."""
    if value.__class__ is str:
        return str(value)
    if value.__class__ is list and value and room:
        return _message(value[0], room - 1)
    if value.__class__ is not dict or not room:
        return ""
    parts = (_message(value.get(key), room - 1) for key in ("error", "message", "detail", "msg", "reason"))
    return next(filter(None, parts), "")
