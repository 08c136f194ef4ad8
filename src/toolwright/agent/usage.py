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


def added(first: Usage, second: Usage) -> Usage:
    """Return the sum; what neither knows stays unknown."""
    return Usage(**{name: _sum(getattr(first, name), getattr(second, name)) for name in Usage.__struct_fields__})


def _sum(first: int | None, second: int | None) -> int | None:
    return first if second is None else second if first is None else first + second


def usage_to(usage: Usage) -> dict[str, int] | None:
    """Return what is known of it as plain JSON; None where nothing is."""
    known = {name: number for name in Usage.__struct_fields__ if (number := getattr(usage, name)) is not None}
    return known or None


def usage_from(known: object) -> Usage:
    """Return what :func:`usage_to` gave; whatever else it is counts as nothing."""
    given: Mapping[str, Any] = known if isinstance(known, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]
    return Usage(**{name: number for name in Usage.__struct_fields__ if type(number := given.get(name)) is int})


def usage_of(outcome: ToolOutcome) -> Mapping[str, int] | None:
    """Return what the answers behind an outcome took, where models were asked for it."""
    return usage_to(usage_from(outcome.metadata.get(USAGE))) if outcome.metadata else None
