"""Plain JSON values: built-in types and nothing else, as the evaluators here need them.

Knows no schema.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, Final, NamedTuple

from toolwright.values import MAX_DEPTH, freeze, thaw

__all__ = [
    "LARGE_ARRAY",
    "LARGE_TEXT",
    "PLAIN",
    "Overview",
    "look_over",
    "make_plain",
    "same_key",
    "type_of",
    "type_of_kind",
]

LARGE_TEXT: Final = 100_000
"""A text of more characters is unusually large."""
LARGE_ARRAY: Final = 10_000
"""An array of more items is unusually large."""

_LONG: Final = 2**63  # beyond it the engine compares integers one with each other
_LONGEST: Final = 10**4000  # what values.freeze lets in
_TYPES: Final = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}


PLAIN: Final = frozenset([*_TYPES, type(None)])
"""The types of plain values; what is derived from them is not plain."""


def type_of(value: Any) -> str:
    """Return the JSON type of a plain value."""
    return _TYPES.get(value.__class__, "null")


def type_of_kind(kind: type) -> str:
    """Return the JSON type of the plain values of a Python type."""
    return _TYPES.get(kind, "null")


def same_key(value: Any) -> object:
    """Return something hashable that is equal for values that JSON Schema holds equal: 1 and 1.0, but not ``true``."""
    kind = value.__class__
    if kind is bool:
        return (kind, value)
    if kind is list:
        return (kind, *map(same_key, value))
    if kind is dict:
        return (kind, frozenset((key, same_key(item)) for key, item in value.items()))
    return value


class Overview(NamedTuple):
    """What one look at a plain value tells."""

    depth: int
    has_large: bool
    """A text or an array in it is unusually large."""
    has_huge: bool
    """A number in it has more than 64 bits."""


def look_over(value: Any) -> Overview | None:
    """Go through a value once; ``None`` where it is not plain, or nested deeper than is allowed."""
    depth = 0
    has_large = has_huge = False
    level = [value]
    while level:
        below: list[Any] = []
        inner = False
        for item in level:
            kind = item.__class__
            if kind is str:
                has_large = has_large or len(item) > LARGE_TEXT
            elif kind is int:
                if not -_LONG < item < _LONG:
                    has_huge = True
                    if not -_LONGEST < item < _LONGEST:
                        return None
            elif kind is dict:
                inner = True
                if not all(key.__class__ is str for key in item):
                    return None
                below += item.values()
            elif kind is list:
                inner = True
                has_large = has_large or len(item) > LARGE_ARRAY
                below += item
            elif not (kind is bool or item is None or (kind is float and isfinite(item))):
                return None
        depth += inner
        if depth > MAX_DEPTH:
            return None
        level = below
    return Overview(depth, has_large, has_huge)


def make_plain(value: object) -> Any:
    """Return a value as plain JSON; a copy unless it is nothing but plain.

    Raises:
        NotJsonError: It is not JSON, or nested too deeply.
    """
    return thaw(freeze(value))
