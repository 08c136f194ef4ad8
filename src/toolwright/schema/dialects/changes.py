"""What became of a schema on its way to a provider, and what was lost.

This module holds values only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import msgspec

from toolwright.values import JsonObject

if TYPE_CHECKING:
    from toolwright.schema.schema import Schema

__all__ = ["Change", "Changes", "Dialected", "Translation"]

_MOST: Final = 1_000
# A short document can be written out to thousands of places; a list of all of them helps nobody.


@final
class Change(msgspec.Struct, frozen=True):
    """One thing that a provider's dialect cannot say as the schema does.

    ``path`` is the place (``options.tags[]``; empty for the whole), ``keyword`` what was said there, and ``note`` what
    became of it.
    """

    path: str
    keyword: str
    note: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.path or "the schema", self.keyword, self.note)))


@final
class Translation(msgspec.Struct, frozen=True):
    """A schema document as a provider accepts it, every loss, and whether the provider can hold the model to it."""

    document: JsonObject
    changes: tuple[Change, ...] = ()
    strict: bool = False


@final
class Dialected(msgspec.Struct, frozen=True):
    """A schema as a provider accepts it.

    ``changes`` lists every loss. ``strict`` tells whether the provider can hold the model to this form.
    """

    schema: Schema
    changes: tuple[Change, ...] = ()
    strict: bool = False


class Changes:
    """The changes of one translation, each listed once."""

    def __init__(self) -> None:
        self._found: dict[Change, None] = {}

    def add(self, path: str, keyword: str, note: str) -> None:
        """List a change, unless it is listed."""
        if len(self._found) < _MOST:
            self._found[Change(path, keyword, note)] = None
        else:
            self._found[Change("", "", f"{_MOST} changes are listed; there are more")] = None

    def listed(self) -> tuple[Change, ...]:
        """Return the changes in the order in which they were met."""
        return tuple(self._found)
