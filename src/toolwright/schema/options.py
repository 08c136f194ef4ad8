"""What may be said of each kind of property in a schema written by hand.

These are names and types only; what each becomes is the builder's business.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypedDict

__all__ = [
    "ArrayOptions",
    "ChoiceOptions",
    "NumberOptions",
    "ObjectOptions",
    "PathOptions",
    "PropertyOptions",
    "StringOptions",
]


class PropertyOptions(TypedDict, total=False):
    """What may be said of any property.

    A default of None is a default: leave it out where there is none. Everything else that is None is not said.
    """

    required: bool
    default: Any
    examples: Iterable[Any] | None
    nullable: bool
    deprecated: bool
    title: str | None


class ChoiceOptions(PropertyOptions, total=False):
    """What may be said of a property that is one of a few values: nothing further."""


class StringOptions(PropertyOptions, total=False):
    """What may be said of text."""

    pattern: str | None
    format: str | None
    min_length: int | None
    max_length: int | None
    enum: Iterable[str] | None


class PathOptions(PropertyOptions, total=False):
    """What may be said of a path."""

    pattern: str | None
    min_length: int | None
    max_length: int | None


class NumberOptions(PropertyOptions, total=False):
    """What may be said of a number, whole or not."""

    minimum: float | None
    maximum: float | None
    exclusive_minimum: float | None
    exclusive_maximum: float | None
    multiple_of: float | None
    enum: Iterable[float] | None


class ArrayOptions(PropertyOptions, total=False):
    """What may be said of an array."""

    min_items: int | None
    max_items: int | None
    unique: bool


class ObjectOptions(PropertyOptions, total=False):
    """What may be said of an object besides its properties."""

    min_properties: int | None
    max_properties: int | None
