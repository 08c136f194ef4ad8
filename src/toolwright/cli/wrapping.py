"""Text that streams, broken between words at the width of a terminal instead of anywhere.

Code and tables are left alone: a terminal breaks their lines itself, and they are still copied as they were written.

Pure: what is to be written comes out.
"""

from __future__ import annotations

import re
from typing import Final

from toolwright.cli.console import width_of

__all__ = ["Wrapping"]

# A line end, blanks, a letter of a script that has no blanks, or a word.
_PART: Final = re.compile(
    r"\n|[^\S\n]+|[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]+"
)
_TAB: Final = 8


class Wrapping:
    """Knows where in its line a text has come to; its pieces are given as they come."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._column = 0
        self._gap = ""  # blanks that are written with the word behind them, or not at all
        self._in_word = False
        self._in_code = False
        self._as_is = False  # whether this line is left alone

    def feed(self, text: str) -> str:
        """Return a piece as it is to be written."""
        return "".join(map(self._part, _PART.findall(text)))

    def _part(self, part: str) -> str:
        if part == "\n":
            self._column, self._gap, self._in_word, self._as_is = 0, "", False, self._in_code
            return part
        if part.isspace():
            self._gap, self._in_word = self._gap + part, False
            return ""
        if not self._column:
            self._begin_line(part)
        letter = len(part) == 1 and width_of(part) > 1  # behind and before which a line may be broken
        wide = self._gap.count("\t") * (_TAB - 1) + len(self._gap) + width_of(part)
        begins_anew = (
            not (self._as_is or (self._in_word and not letter)) and self._column and self._column + wide > self._width
        )
        written = f"\n{part}" if begins_anew else f"{self._gap}{part}"
        self._column = width_of(part) if begins_anew else self._column + wide
        self._gap, self._in_word = "", not letter
        return written

    def _begin_line(self, word: str) -> None:
        if word.startswith("```"):
            self._in_code = not self._in_code
            self._as_is = True
        elif word.startswith("|"):
            self._as_is = True
