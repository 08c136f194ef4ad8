"""What is written where: data to stdout, messages to stderr, and colours only where a person looks.

A person sees every character: what would move a cursor or hide something is shown as its number. Into a pipe goes the
text as it is.

This module may not know what is written.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from textwrap import wrap
from typing import Any, Final, TextIO, TypeAlias
from unicodedata import category, combining, east_asian_width

from toolwright.cli.exits import ExitCode, Stop
from toolwright.values import thaw

__all__ = ["Console", "Style", "cut", "is_terminal", "one_line", "seen", "table", "width_of", "wrapped"]

_ESCAPE: Final = "\x1b["
_NARROWEST: Final = 40
_WIDEST: Final = 120
_MOST_PIPED: Final = 1_000_000  # characters: a quarter of a million tokens, which few models take
_LEFT_ALONE: Final = frozenset("\n\t\u200c\u200d")

Style: TypeAlias = str
"""What a text looks like: ``bold``, ``dim``, or a colour."""

_STYLES: Final[Mapping[Style, str]] = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "cyan": "36",
    "safe": "32",
    "low": "34",
    "medium": "33",
    "high": "31",
    "critical": "1;31",
}


# What our own signs are where a terminal has none of them.
_PLAINER: Final = str.maketrans({"✓": "+", "✗": "x", "…": "...", "│": "|", "█": "#", "░": "."})


class Console:
    """The two streams of a program, its environment, and who is at the other end of them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._dumb = environment.get("TERM") == "dumb"
        self._plain = bool(environment.get("NO_COLOR")) or self._dumb

    @property
    def out(self) -> TextIO:
        """Where data goes."""
        return sys.stdout

    @property
    def err(self) -> TextIO:
        """Where messages go."""
        return sys.stderr

    @property
    def is_person(self) -> bool:
        """Whether a person can be asked: both ends are a terminal."""
        return is_terminal(sys.stdin) and is_terminal(sys.stdout)

    def piped(self) -> str | None:
        """Return what was handed in through a pipe, or from a file; None where a person could type instead.

        Raises:
            Stop: It is no text, or more of it than any model reads.
        """
        source = sys.stdin
        if source is None or is_terminal(source):  # pyright: ignore[reportUnnecessaryComparison]  a daemon has none
            return None
        try:
            text = source.read(_MOST_PIPED + 1)
            text.encode()  # some locales let bytes through that are no text, as halves of characters
        except UnicodeError:
            raise Stop("What was piped in is not text in UTF-8.", ExitCode.WRONG_USE) from None
        if len(text) > _MOST_PIPED:
            problem = (
                f"More than {_MOST_PIPED:,} characters were piped in; name the file instead, and the model can read"
            )
            raise Stop(f"{problem} what it needs of it.", ExitCode.WRONG_USE)
        return text

    @property
    def shows(self) -> bool:
        """Whether a person looks at the data."""
        return is_terminal(sys.stdout)

    @property
    def can_redraw(self) -> bool:
        """Whether messages go to a terminal on which a line can be written anew."""
        return is_terminal(self.err) and not self._dumb

    @property
    def width(self) -> int:
        """How many columns a line may have; there is no limit where nobody looks."""
        return _columns() if self.shows else sys.maxsize

    @property
    def err_width(self) -> int:
        """How many columns a line of messages may have, likewise."""
        return _columns() if is_terminal(self.err) else sys.maxsize

    # Writing

    def data(self, text: str = "") -> None:
        """Write one line, or several, of data."""
        _write(self.out, f"{text}\n")

    def text(self, text: str) -> None:
        """Write text as it is, and end its line; a person sees every character of it."""
        shown = seen(text) if self.shows else text
        _write(self.out, shown if shown.endswith("\n") else f"{shown}\n")

    def json(self, value: Any) -> None:
        """Write one object: in several lines for a person, in one for a program."""
        _write(self.out, json.dumps(thaw(value), ensure_ascii=False, indent=2 if self.shows else None) + "\n")

    def say(self, text: str, style: Style = "") -> None:
        """Write a message."""
        shown = "\n".join(map(one_line, text.splitlines())) if is_terminal(self.err) else text
        self.write_err(f"{self.style_err(shown, style)}\n")

    def write_err(self, text: str) -> None:
        """Write to where messages go, as it is and without ending the line; nobody need be there to read them."""
        with suppress(BrokenPipeError):
            _write(self.err, text)

    def write_out(self, text: str) -> None:
        """Write to where data goes, likewise."""
        _write(self.out, text)

    # Colours

    def style(self, text: str, style: Style = "") -> str:
        """Return data as it looks where it goes."""
        return self._styled(text, style, self.out)

    def style_err(self, text: str, style: Style = "") -> str:
        """Return a message as it looks where it goes."""
        return self._styled(text, style, self.err)

    def _styled(self, text: str, style: Style, stream: TextIO) -> str:
        if not style or self._plain or not is_terminal(stream):
            return text
        return f"{_ESCAPE}{_STYLES[style]}m{text}{_ESCAPE}0m"

    def table(self, rows: Sequence[Sequence[str]], styles: Sequence[Style] = (), *, wraps: bool = False) -> None:
        """Write rows in columns; the last one is cut at the width of the terminal. A style may be a column's text.

        Where it ``wraps``, the last column goes on in the next line instead: for what must be read to its end.
        """
        shown = (
            wrapped(rows, self.width) if wraps and self.shows else [*zip(rows, table(rows, self.width), strict=True)]
        )
        for row, plain in shown:
            self.data("  ".join(self._cell(cell, row, place, styles) for place, cell in enumerate(plain)).rstrip())

    def _cell(self, cell: str, row: Sequence[str], place: int, styles: Sequence[Style]) -> str:
        style = styles[place] if place < len(styles) else ""
        if style == "=":  # the word itself says how it looks
            style = row[place] if row[place] in _STYLES else ""
        return self.style(cell, style)


def _columns() -> int:
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size().columns))


def is_terminal(stream: TextIO | None) -> bool:
    """Say whether a stream is a terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def table(rows: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """Return the cells of rows at the widths of their columns; the last column is cut at what is left of the width."""
    shown = [[one_line(cell) for cell in row] for row in rows]
    columns = max(map(len, shown), default=0)
    widths = [max((width_of(row[place]) for row in shown if len(row) > place), default=0) for place in range(columns)]
    left = max(12, width - sum(each + 2 for each in widths[:-1]))
    return [
        [cut(cell, left) if place == columns - 1 else _filled(cell, widths[place]) for place, cell in enumerate(row)]
        for row in shown
    ]


def wrapped(rows: Sequence[Sequence[str]], width: int) -> list[tuple[Sequence[str], list[str]]]:
    """Return each row with the lines of cells that it takes where its last column goes on in the next line."""
    columns = max(map(len, rows), default=0)
    before = [
        max((width_of(one_line(row[place])) for row in rows if len(row) > place), default=0)
        for place in range(columns - 1)
    ]
    left = max(_NARROWEST // 2, width - sum(each + 2 for each in before))
    lines: list[tuple[Sequence[str], list[str]]] = []
    for row in rows:
        *first, last = [*map(one_line, row), *[""] * (columns - len(row))]
        for number, piece in enumerate(wrap(last, left, break_long_words=False, break_on_hyphens=False) or [""]):
            cells = first if number == 0 else [""] * len(first)
            lines.append((row, [*map(_filled, cells, before), piece]))
    return lines


def _filled(cell: str, width: int) -> str:
    return cell + " " * (width - width_of(cell))


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes: letters of East Asia take two, marks above letters none."""
    if text.isascii():
        return len(text)
    return sum(_columns_of(each) for each in text)


def _columns_of(character: str) -> int:
    if combining(character) or category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in ("W", "F") else 1


def cut(text: str, width: int) -> str:
    """Return a line of at most so many columns; an ellipsis says that something is missing."""
    if width_of(text) <= width:
        return text
    columns = accumulate(map(_columns_of, text))
    kept = "".join(character for character, column in zip(text, columns, strict=True) if column < width)
    return f"{kept.rstrip()}…"


def seen(text: str) -> str:
    """Return a text of lines in which every character can be seen, tabs, blanks and line ends left alone.

    What joins two letters of a script, or two pictures, to one is left alone too: it moves nothing.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or _is_harmless(each) else f"<U+{ord(each):04X}>" for each in text)


def _is_harmless(character: str) -> bool:
    return character in _LEFT_ALONE or category(character) == "Zs"


def one_line(text: str) -> str:
    """Return a text as one line in which every character can be seen."""
    return text if text.isprintable() else seen(" ".join(text.split()))


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError:  # a terminal of another encoding, or half a character from a file's name
        encoding = stream.encoding or "ascii"
        stream.write(text.translate(_PLAINER).encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()
