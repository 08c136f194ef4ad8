"""Where one piece of a stream ends and the next begins: server-sent events, rows of JSON, one JSON array.

Bytes go in, cut anywhere; the bytes of whole pieces come out, the same for any cut. Every byte is looked at a bounded
number of times, however small the chunks are. What the pieces mean is not known here.
"""

from __future__ import annotations

import re
from typing import Final, Protocol

__all__ = ["ArrayFrames", "EventFrames", "Frames", "Nesting", "RowFrames"]

_BOM: Final = b"\xef\xbb\xbf"


class Frames(Protocol):
    """Cuts a stream into its pieces."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take the next bytes and return the pieces that they complete."""
        ...

    def close(self) -> list[bytes]:
        """Say that no bytes follow, and return what was still waiting for its end."""
        ...


class _Lines:
    """Cuts at LF, CRLF and CR."""

    __slots__ = ("_ended", "_fresh", "_waiting")

    def __init__(self) -> None:
        self._waiting: list[bytes] = []  # joined only when a line ends: chunks may be single bytes
        self._fresh = True
        self._ended = False  # whether what waits is a line, of whose end there may be more

    def feed(self, chunk: bytes) -> list[bytes]:
        if not self._ended and b"\n" not in chunk and b"\r" not in chunk:
            if chunk:
                self._waiting.append(chunk)
            return []
        if not chunk:
            return []
        if self._waiting:
            self._waiting.append(chunk)
            chunk = b"".join(self._waiting)
            self._waiting.clear()
        if self._fresh:
            chunk = self._begin(chunk)
        lines = chunk.splitlines()
        if chunk[-1:] != b"\n":
            # A last CR stays with its line, since an LF may follow that belongs to it.
            self._ended = chunk[-1:] == b"\r"
            self._waiting.append(lines.pop() + (b"\r" if self._ended else b""))
        else:
            self._ended = False
        return lines

    def _begin(self, chunk: bytes) -> bytes:
        self._fresh = False
        return chunk.removeprefix(_BOM)

    def close(self) -> list[bytes]:
        rest = b"".join(self._waiting)
        self._waiting.clear()
        return (self._begin(rest) if self._fresh else rest).splitlines()


class EventFrames:
    """Server-sent events: gives the data of each; comments, ids and names of events are passed over.

    A body that is no event stream but plain JSON (an error, an answer that was not streamed) comes out of ``close`` as
    one piece.
    """

    __slots__ = ("_data", "_lines", "_plain")

    def __init__(self) -> None:
        self._lines = _Lines()
        self._data: list[bytes] = []
        self._plain: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take the next bytes and return the data of the events that they complete."""
        lines = self._lines.feed(chunk)
        return self._read(lines) if lines else lines

    def _read(self, lines: list[bytes]) -> list[bytes]:
        events: list[bytes] = []
        data = self._data
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line[6:] if line.startswith(b"data: ") else line[5:])
            elif not line:
                if data:
                    events.append(data[0] if len(data) == 1 else b"\n".join(data))
                    data.clear()
            elif self._plain or line.lstrip()[:1] in (b"{", b"["):
                self._plain.append(line)
        return events

    def close(self) -> list[bytes]:
        """Return the event that lacks its empty line, and a body that is none."""
        events = self._read([*self._lines.close(), b""])
        if self._plain:
            events.append(b"\n".join(self._plain))
            self._plain.clear()
        return events


class RowFrames:
    """Rows, as in newline-delimited JSON: gives each that is not blank."""

    __slots__ = ("_lines",)

    def __init__(self) -> None:
        self._lines = _Lines()

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take the next bytes and return the rows that they complete."""
        return [line for line in self._lines.feed(chunk) if line and not line.isspace()]

    def close(self) -> list[bytes]:
        """Return the last row, if it has no end."""
        return [line for line in self._lines.close() if line and not line.isspace()]


_BRACKETS: Final = re.compile(rb'["{}\[\]]')
_IN_TEXT: Final = re.compile(rb'["\\]')
_OPENING: Final = frozenset(b"{[")
_QUOTE: Final = ord('"')


class Nesting:
    """Follows JSON as it arrives: how many brackets are open. Texts are skipped; nothing is checked."""

    __slots__ = ("_escaped", "_in_text", "depth", "opened")

    def __init__(self) -> None:
        self.depth = 0
        self.opened = False
        self._in_text = False
        self._escaped = False

    @property
    def is_whole(self) -> bool:
        """Whether something was opened, and all of it is closed."""
        return self.opened and self.depth == 0 and not self._in_text

    def step(self, chunk: bytes, position: int) -> int:
        """Read on to the next bracket and past it, and return the place after it; -1 where there is none."""
        while True:
            if self._in_text:
                position = self._skip_text(chunk, position)
                if position < 0:
                    return -1
            found = _BRACKETS.search(chunk, position)
            if found is None:
                return -1
            position = found.end()
            mark = chunk[found.start()]
            if mark != _QUOTE:
                self.depth = self.depth + 1 if mark in _OPENING else max(0, self.depth - 1)
                self.opened = True
                return position
            self._in_text = True

    def _skip_text(self, chunk: bytes, position: int) -> int:
        """Return the place after the quote that ends a text; -1 where it goes on."""
        if self._escaped and position < len(chunk):
            self._escaped = False
            position += 1
        while (found := _IN_TEXT.search(chunk, position)) is not None:
            position = found.end()
            if chunk[found.start()] == _QUOTE:
                self._in_text = False
                return position
            if position == len(chunk):
                self._escaped = True
                return -1
            position += 1
        return -1

    def feed(self, chunk: bytes) -> None:
        """Read a whole chunk."""
        position = 0
        while position >= 0:
            position = self.step(chunk, position)


class ArrayFrames:
    """One JSON array: gives each of its objects (or arrays) as soon as it is whole.

    Objects that stand one after another without an array around them are given as well.
    """

    __slots__ = ("_nesting", "_outside", "_waiting")

    def __init__(self) -> None:
        self._nesting = Nesting()
        self._outside: int | None = None  # the depth between items: inside the array, if there is one
        self._waiting: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take the next bytes and return the items that they complete."""
        items: list[bytes] = []
        nesting = self._nesting
        start = position = 0
        while (position := nesting.step(chunk, position)) >= 0:
            depth = nesting.depth
            if self._outside is None:
                self._outside = 1 if chunk[position - 1 : position] == b"[" else 0
                start = position if self._outside else position - 1
            elif depth == self._outside + 1 and chunk[position - 1] in _OPENING:
                start = position - 1
            if depth == self._outside and chunk[position - 1] not in _OPENING:
                self._waiting.append(chunk[start:position])
                items.append(b"".join(self._waiting))
                self._waiting.clear()
                start = position
        if self._outside is not None and nesting.depth > self._outside:
            self._waiting.append(chunk[start:])
        return items

    def close(self) -> list[bytes]:
        """Return the item that was not finished, if there is one."""
        rest = b"".join(self._waiting)
        self._waiting.clear()
        return [rest] if rest.strip() else []
