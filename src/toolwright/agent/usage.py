"""Sums of what answers took.

Pure: this module adds up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolwright.providers import Usage
from toolwright.tools import ToolOutcome

__all__ = ["USAGE", "added", "usage_from", "usage_of", "usage_to"]

USAGE: Final = "agent_usage"
"""Where an outcome says, in its metadata, what the answers behind it took: that of a sub-agent."""


_UNKNOWN: Final = Usage()


def added(first: Usage, second: Usage) -> Usage:
    """Return the sum; what neither knows stays unknown."""
    if second == _UNKNOWN:
        return first
    return Usage(
        input_tokens=_sum(first.input_tokens, second.input_tokens),
        output_tokens=_sum(first.output_tokens, second.output_tokens),
        cached_tokens=_sum(first.cached_tokens, second.cached_tokens),
        reasoning_tokens=_sum(first.reasoning_tokens, second.reasoning_tokens),
    )


def _sum(first: int | None, second: int | None) -> int | None:
    return first if second is None else second if first is None else first + second


def usage_to(usage: Usage) -> dict[str, int] | None:
    """Return what is known of it as plain JSON; None where nothing is."""
    if usage == _UNKNOWN:
        return None
    return {name: number for name in Usage.__struct_fields__ if (number := getattr(usage, name)) is not None}


def usage_from(known: object) -> Usage:
    """Return what :func:`usage_to` gave; whatever else it is counts as nothing."""
    given: Mapping[str, Any] = known if isinstance(known, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]
    return Usage(**{name: number for name in Usage.__struct_fields__ if type(number := given.get(name)) is int})


def usage_of(outcome: ToolOutcome) -> Mapping[str, int] | None:
    """Return what the answers behind an outcome took, where models were asked for it."""
    return usage_to(usage_from(outcome.metadata.get(USAGE))) if outcome.metadata else None
