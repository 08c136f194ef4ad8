"""What a body of the chat format says beside its answer: tokens in all their spellings, and errors."""

from __future__ import annotations

from typing import Any

from toolwright.providers.codecs.answer import count
from toolwright.providers.codecs.documents import as_object
from toolwright.providers.types import Usage

__all__ = ["is_failure", "read_usage"]


def is_failure(value: dict[str, Any]) -> bool:
    """Say whether what has no choices reports an error: ``{code, message, type}``, ``{detail}``, ``{message}``."""
    return bool(value.get("detail")) or value.get("message").__class__ is str or value.get("object") == "error"


def _first(usage: dict[str, Any], *names: str) -> Any:
    """Return the first of these counts that is there: some servers have several spellings, and null in most."""
    return next((usage[name] for name in names if usage.get(name) is not None), None)


def read_usage(usage: dict[str, Any]) -> Usage:
    """Return the tokens that an answer took."""
    read = as_object(usage.get("prompt_tokens_details"))
    written = as_object(usage.get("completion_tokens_details"))
    # Moonshot and DeepSeek have some of them on the outside.
    cached = _first(read, "cached_tokens"), _first(usage, "cached_tokens", "prompt_cache_hit_tokens")
    thought = _first(written, "reasoning_tokens"), _first(usage, "reasoning_tokens")
    return Usage(
        input_tokens=count(_first(usage, "prompt_tokens", "input_tokens")),
        output_tokens=count(_first(usage, "completion_tokens", "output_tokens")),
        cached_tokens=count(cached[1] if cached[0] is None else cached[0]),
        reasoning_tokens=count(thought[1] if thought[0] is None else thought[0]),
    )
