"""What both interfaces of OpenAI have in common: names that are legal there, and how an error is said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from toolwright.errors import LLMError

__all__ = ["NAME", "openai_error"]

NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What a function may be called."""

_CODES: Final[Mapping[str, str]] = {
    "authentication_failed": "invalid_api_key",
    "rate_limited": "rate_limit_exceeded",
    "context_length_exceeded": "context_length_exceeded",
    "model_not_found": "model_not_found",
    "content_filtered": "content_filter",
}


def openai_error(error: LLMError, status: int) -> dict[str, Any]:
    """Return the body that says what went wrong."""
    usual = ("server_error", "server_error") if status >= 500 else ("invalid_request_error", None)
    return {
        "error": {
            "message": error.message,
            "type": usual[0],
            "param": None,
            "code": _CODES.get(error.code, usual[1]),
        }
    }
