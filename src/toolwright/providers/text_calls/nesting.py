"""Where a value ends that began with a bracket: JSON, literals as Python writes them, and Gemma's own.

Brackets are counted and texts skipped; whether the value is right is seen when it is read as a whole. What cannot be
part of one (a line end inside a text, a backslash outside) is reported at once, so that a value that lost its end does
not swallow what follows it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal, NamedTuple, TypeAlias, final

from toolwright.providers.text_calls.readers import Closing, overlap, prefixes

__all__ = ["Kind", "Nesting", "Progress"]

Kind: TypeAlias = Literal["json", "python", "gemma"]

_OUTSIDE: Final[dict[Kind, str]] = {
    "json": r'["{}\[\]\\]',
    "python": r"'''|\"\"\"|['\"(){}\[\]\\]",
    "gemma": r'<escape>|<\|"\|>|[{}\[\]\\]',
}
_LONG_QUOTES: Final[dict[Kind, tuple[str, ...]]] = {"json": (), "python": (), "gemma": ("<escape>", '<|"|>')}
_OPENING: Final = frozenset("{[(")
_CLOSING: Final = frozenset("}])")
_LONGEST_WORD: Final = 64
_NO_BLANK: Final = re.compile(r"\S")
_AFTER_TEXT: Final = frozenset(",:;)]}\"'")


class Progress(NamedTuple):
    """How far a value was followed: it is whole at ``place``, broken there, or goes on from there."""

    place: int
    state: Literal["whole", "broken", "open", "on"]


@final
class Nesting:
    """Follows one value to its end, in any pieces.

    Where a text inside of it does not end, or ends where none can, ``back`` is how many characters before that place a
    word stands in it that ends the block, or begins the next: that was its end.
    """

    __slots__ = ("_depth", "_ends", "_kind", "_marked", "_quote", "_read", "_words", "back")

    def __init__(self, kind: Kind, end: Closing) -> None:
        self._kind: Kind = kind
        self._words = end.words
        self._ends = end.words + end.stops
        self._depth = 0
        self._quote = ""
        self._read = 0  # characters so far
        self._marked = -1  # where, among them, the block may have ended inside of a text
        self.back = 0

    def follow(self, text: str, at: int, *, last: bool) -> Progress:
        """Follow the value from a place on."""
        before = self._read - at
        progress = Progress(at, "on")
        while progress.state == "on":
            step = self._skip_text if self._quote else self._step if self._marked < 0 else self._follow_text
            progress = step(text, progress.place, before, last)
        self._read = before + progress.place
        if self._marked >= 0 and (last or progress.state == "broken"):
            self.back = self._read - self._marked
        return progress

    def _step(self, text: str, at: int, before: int, last: bool) -> Progress:
        found = _outside(self._kind, self._ends).search(text, at)
        if found is None:
            held = 0 if last else overlap(text, at, prefixes(self._ends + _LONG_QUOTES[self._kind]))
            return Progress(len(text) - held, "open")
        mark = found[0]
        if not last and mark in _OPENING and self._may_end(text, found.start()):
            return Progress(found.start(), "open")
        if mark in _OPENING:
            self._depth += 1
        elif mark in _CLOSING:
            self._depth -= 1
            if self._depth <= 0:
                return Progress(found.end(), "whole")
        elif mark == "\\" or mark in self._ends:  # the end of the block, before that of the value
            return Progress(found.start(), "broken")
        elif self._kind == "python" and not last and found.end() + 1 >= len(text) and text[found.end() :] in ("", mark):
            return Progress(found.start(), "open")  # it may become a triple one
        else:
            self._quote = mark
        return Progress(found.end(), "on")

    def _follow_text(self, text: str, at: int, before: int, last: bool) -> Progress:
        """Look at what follows a text that held the end of the block: if it is nothing that may, it was that end."""
        place = _NO_BLANK.search(text, at)
        if place is None:
            return Progress(len(text), "open")
        if place[0] not in _AFTER_TEXT:
            return Progress(place.start(), "broken")
        self._marked = -1
        return Progress(place.start(), "on")

    def _may_end(self, text: str, at: int) -> bool:
        """Say whether a text ends on what may become the end of the block, from a place on."""
        return len(text) - at < _LONGEST_WORD and text[at:] in prefixes(self._ends)

    def _skip_text(self, text: str, at: int, before: int, last: bool) -> Progress:
        pattern = _in_text(self._quote, self._ends)
        while (found := pattern.search(text, at)) is not None:
            at, mark = found.end(), found[0]
            if mark == self._quote:
                self._quote = ""
                return Progress(at, "on")
            if mark in ("\n", "\r"):
                return Progress(found.start(), "broken")
            if mark[0] != "\\" and self._marked < 0:
                self._marked = before + (at if mark in self._words else found.start())
        if last:
            return Progress(len(text), "open")
        held = overlap(text, at, prefixes((*self._ends, self._quote)))
        if text.endswith("\\") and len(text) > at and self._quote[0] != "<":
            held = max(held, 1)  # what it escapes has not come yet
        return Progress(len(text) - held, "open")


@cache
def _outside(kind: Kind, ends: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join([*map(re.escape, ends), _OUTSIDE[kind]]))


@cache
def _in_text(quote: str, words: tuple[str, ...]) -> re.Pattern[str]:
    """Return what matters inside a text: its end, an escape, a line end where none may be, and what ends the block."""
    marks = [re.escape(quote), *map(re.escape, words)]
    if quote[0] != "<":  # what is not written in special tokens has escapes
        marks.append(r"\\.")
    if len(quote) == 1:
        marks.append(r"[\r\n]")
    return re.compile("|".join(marks), re.DOTALL)
