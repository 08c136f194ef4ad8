"""Matching lines of a file, with those around them, read block by block: a file of any size takes the same room."""

from __future__ import annotations

import codecs
import os
from collections import deque
from collections.abc import Callable, Iterator
from typing import IO, Any, Final

from toolwright.builtin.paging import Page
from toolwright.builtin.patterns import Expression
from toolwright.builtin.texts import LOOK, Encoding, encoding_of

__all__ = ["Matches", "matches_in"]

_LONGEST: Final = 400  # characters of a line that are shown


class Matches:
    """The lines that match, those of one page with their surroundings, and how many there are in each file."""

    def __init__(self, expression: Expression, *, around: int, offset: int, limit: int) -> None:
        self.expression: Final = expression
        self.around: Final = around
        self.counts: dict[str, int] = {}
        self._page: Page[dict[str, Any]] = Page(offset, limit)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The matching lines of the page."""
        return self._page.items

    @property
    def total(self) -> int:
        """How many lines match altogether."""
        return self._page.total

    def hints(self) -> list[str]:
        """Return how to get what is not on the page."""
        return self._page.hints("match")

    def take(self, path: str, number: int, line: str, before: list[str]) -> dict[str, Any] | None:
        """Count a match, and return what is told of it, if it is on the page: lines after it may be added."""
        self.counts[path] = self.counts.get(path, 0) + 1
        known = len(self._page.items)

        def make() -> dict[str, Any]:
            match: dict[str, Any] = {"path": path, "line": number, "text": _excerpt(line, self.expression)}
            if self.around:
                match |= {"before": before, "after": []}
            return match

        self._page.take(make)
        return self._page.items[-1] if len(self._page.items) > known else None


def _excerpt(line: str, expression: Expression) -> str:
    """Return a line, or of a long one what stands around the first match."""
    if len(line) <= _LONGEST:
        return line
    low, high = 0, len(line)
    while low < high:  # the shortest beginning that matches ends where the first match does
        middle = (low + high) // 2
        low, high = (low, middle) if expression.matches(line[:middle]) else (middle + 1, high)
    start = max(0, min(high - _LONGEST // 2, len(line) - _LONGEST))
    return ("…" if start else "") + line[start : start + _LONGEST] + ("…" if start + _LONGEST < len(line) else "")


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "…"


def matches_in(handle: int, path: str, found: Matches, cancelled: Callable[[], bool]) -> bool:
    """Look for matches in an open file, and close it; say whether it was text."""
    with os.fdopen(handle, "rb") as file:
        encoding = encoding_of(file.read(LOOK))
        if encoding is None:
            return False
        file.seek(len(encoding.mark))
        reader = _Reader(path, found)
        for block in _blocks(file, encoding, found.expression.reach):
            if block is None:  # text up to here, and something else from here on
                return bool(reader.hits)
            if cancelled():
                break
            reader.read(block)
    return True


def _blocks(file: IO[bytes], encoding: Encoding, size: int) -> Iterator[str | None]:
    """Yield a text in blocks of whole lines, a line that is longer than one in pieces; None where it is no text."""
    decoder = codecs.getincrementaldecoder(encoding.codec)("replace")
    zeros = encoding.codec in ("utf-8", "latin-1")  # in the others they are halves of characters
    rest = ""
    while piece := file.read(size):
        if zeros and b"\0" in piece:
            yield None
            return
        rest += decoder.decode(piece)
        cut = rest.rfind("\n") + 1
        if not cut and len(rest) >= size:
            cut = len(rest) - rest.endswith("\r")
        if cut:
            yield rest[:cut].replace("\r\n", "\n")
            rest = rest[cut:]
    rest += decoder.decode(b"", final=True)
    if rest:
        yield rest


class _Reader:
    """Goes through the lines of one file."""

    def __init__(self, path: str, found: Matches) -> None:
        self._path = path
        self._found = found
        self._before: deque[str] = deque(maxlen=found.around)
        self._open: list[dict[str, Any]] = []  # matches that lack lines after them
        self._number = 0
        self._is_inside = False  # the last block has ended within a line, of which the next one has more
        self._last_hit = 0
        self.hits = 0

    def read(self, block: str) -> None:
        """Go through the next lines; a block without any match is passed over at once."""
        self._number -= self._is_inside
        self._is_inside = not block.endswith("\n")
        lines = block.removesuffix("\n").split("\n")
        around = self._found.around
        if not self._found.expression.may_occur(block):
            for line in lines[:around] if self._open else ():
                self._add_after(line)
            self._before.extend(map(_shortened, lines[-around:] if around else ()))
            self._number += len(lines)
            return
        for line in lines:
            self._number += 1
            if self._open:
                self._add_after(line)
            if self._number != self._last_hit and self._found.expression.matches(line):
                self._hit(line)
            if around:
                self._before.append(_shortened(line))

    def _hit(self, line: str) -> None:
        self.hits += 1
        self._last_hit = self._number  # of which more may come, in the next block
        match = self._found.take(self._path, self._number, line, list(self._before))
        if match is not None and self._found.around:
            self._open.append(match)

    def _add_after(self, line: str) -> None:
        for match in self._open:
            match["after"].append(_shortened(line))
        self._open = [match for match in self._open if len(match["after"]) < self._found.around]
