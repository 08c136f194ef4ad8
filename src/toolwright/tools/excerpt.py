"""The beginning and the end of something too long to show.

A value of 100 MB costs no more than what is shown of it, apart from one measuring pass at the speed of the encoder.
Text is made fit to be seen (``hide``) before it is cut, with some room to spare on both sides, so that no cut goes
through a secret and leaves half of it unrecognised.

This module knows JSON and text, and nothing of outcomes. It does no I/O.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

from toolwright.redact import is_secret_key, redact
from toolwright.values import encode

__all__ = ["Excerpt", "Hide", "json_excerpt", "shorten", "text_excerpt"]

_SPARE: Final = 8192
"""More than the longest secret that is looked for: what is within it of a cut is hidden, but not shown."""

_ESCAPE: Final = re.compile(r'\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])')
_LONGEST_ESCAPE: Final = 6

_JOINER: Final = "\u200d"
_MOST_JOINED: Final = 32

Hide = Callable[[str], str]
"""What makes a text fit to be seen."""


class Excerpt(NamedTuple):
    """What is shown of a text: all of it (``omitted`` is 0 and ``tail`` empty), or its two ends."""

    head: str
    tail: str
    omitted: int


def text_excerpt(text: str, room: int, hide: Hide) -> Excerpt:
    """Return what fits into ``room`` characters of a text: all, or a beginning and an end."""
    if len(text) <= _affordable(room):
        return _cut(hide(text), room)
    head, tail = _head(text, room - room // 2, hide), _tail(text, room // 2, hide)
    return Excerpt(head, tail, len(text) - len(head) - len(tail))


def json_excerpt(value: Any, room: int, hide: Hide) -> Excerpt:
    """Return what fits into ``room`` characters of a value's compact JSON, never cutting an escape sequence."""
    written = encode(value)
    size = len(written) if written.isascii() else len(written.decode())
    if size <= _affordable(room):
        return _cut(encode(redact(value, text=hide)).decode(), room, escapes=True)
    writer = _Writer(room, hide)
    head = _gather(writer.forwards(value, secret=False), room - room // 2)
    if len(head) <= room - room // 2:  # nearly all of it was hidden
        return Excerpt(head, "", size - len(head))
    tail = _gather(writer.backwards(value, secret=False), room // 2, backwards=True)
    begin, end = _before_escape(head, room - room // 2), _after_escape(tail, room // 2)
    return Excerpt(begin, end, size - len(begin) - len(end))


def _affordable(room: int) -> int:
    """Return up to what size a value is made fit to be seen as a whole: above it, the two ends cannot meet."""
    return 2 * room + 4 * _SPARE


def shorten(text: str, room: int) -> str:
    """Return the beginning of a text that should have been short, marked where it was cut."""
    return text if len(text) <= room else text[: max(0, room - 4)] + " ..."[: min(4, room)]


def _cut(text: str, room: int, *, escapes: bool = False) -> Excerpt:
    if len(text) <= room:
        return Excerpt(text, "", 0)
    first, last = room - room // 2, room // 2
    head = _before_escape(text, first) if escapes else _beginning(text, first)
    tail = _after_escape(text, last) if escapes else _ending(text, len(text) - last)
    return Excerpt(head, tail, len(text) - len(head) - len(tail))


def _head(text: str, room: int, hide: Hide) -> str:
    if len(text) <= room + _SPARE:
        return _beginning(hide(text), room)
    seen = hide(text[: room + _SPARE])
    return _beginning(seen, min(room, max(0, len(seen) - _SPARE)))


def _tail(text: str, room: int, hide: Hide) -> str:
    if len(text) <= room + _SPARE:
        seen = hide(text)
        return _ending(seen, max(0, len(seen) - room))
    seen = hide(text[len(text) - room - _SPARE :])
    return _ending(seen, max(_SPARE, len(seen) - room))


def _beginning(text: str, end: int) -> str:
    return text[: _apart(text, end, -1)]


def _ending(text: str, start: int) -> str:
    return text[_apart(text, start, 1) :]


def _apart(text: str, at: int, step: int) -> int:
    """Return the nearest place, in steps to the one side, where a cut goes through nothing that is seen as one."""
    for place in range(at, at + step * _MOST_JOINED, step):
        if not 0 < place < len(text) or not (_joins(text[place]) or text[place - 1] == _JOINER):
            return place
    return at  # no writing heaps so many marks on a letter


def _joins(character: str) -> bool:
    """Say whether a character only changes the one before: an accent, the colour of a skin, what joins two emoji."""
    return character > "\u02ff" and (
        unicodedata.category(character)[0] == "M" or character == _JOINER or "\U0001f3fb" <= character <= "\U0001f3ff"
    )


def _gather(pieces: Iterator[str], room: int, *, backwards: bool = False) -> str:
    """Return as many pieces as are needed to fill the room, and one more where there is one."""
    found: list[str] = []
    size = 0
    for piece in pieces:
        found.append(piece)
        size += len(piece)
        if size > room:
            break
    return "".join(reversed(found) if backwards else found)


def _before_escape(text: str, room: int) -> str:
    """Return the first characters of a JSON text, up to a cut that goes through no escape sequence."""
    return text[: _clear(text, _apart(text, room, -1))] if room < len(text) else text


def _after_escape(text: str, room: int) -> str:
    start = _apart(text, len(text) - room, 1)
    if start <= 0:
        return text
    clear = _clear(text, start)
    return text[start if clear == start else clear + len(_escape_at(text, clear)) :]


def _clear(text: str, at: int) -> int:
    """Return where the escape sequence begins that ``at`` lies inside of; ``at`` itself where it lies in none."""
    for start in range(max(0, at - _LONGEST_ESCAPE + 1), at):
        if text[start] == "\\" and start + len(_escape_at(text, start)) > at and _begins_escape(text, start):
            return start
    return at


def _escape_at(text: str, at: int) -> str:
    found = _ESCAPE.match(text, at)
    return found[0] if found else ""


def _begins_escape(text: str, at: int) -> bool:
    """Say whether a backslash is the first of its sequence: those before it pair up."""
    start = at
    while start > 0 and text[start - 1] == "\\":
        start -= 1
    return (at - start) % 2 == 0


class _Writer:
    """Writes JSON piece by piece, from either end, so that nobody pays for what nobody reads."""

    def __init__(self, room: int, hide: Hide) -> None:
        self._room = room
        self._hide = hide

    def forwards(self, value: Any, *, secret: bool) -> Iterator[str]:
        if isinstance(value, Mapping):
            comma = "{"
            for key, item in cast("Mapping[str, Any]", value).items():
                yield f"{comma}{_json(self._hide(key))}:"
                yield from self.forwards(item, secret=secret or is_secret_key(key))
                comma = ","
            yield "}" if value else "{}"
        elif isinstance(value, tuple):
            comma = "["
            for item in value:  # pyright: ignore[reportUnknownVariableType]
                yield comma
                yield from self.forwards(item, secret=secret)
                comma = ","
            yield "]" if value else "[]"
        else:
            yield self._leaf(value, _head, secret=secret)

    def backwards(self, value: Any, *, secret: bool) -> Iterator[str]:
        if isinstance(value, Mapping):
            comma = "}"
            for key, item in reversed(cast("dict[str, Any]", value).items()):
                yield comma
                yield from self.backwards(item, secret=secret or is_secret_key(key))
                yield f"{_json(self._hide(key))}:"
                comma = ","
            yield "{" if value else "{}"
        elif isinstance(value, tuple):
            comma = "]"
            for item in reversed(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
                yield comma
                yield from self.backwards(item, secret=secret)
                comma = ","
            yield "[" if value else "[]"
        else:
            yield self._leaf(value, _tail, secret=secret)

    def _leaf(self, value: Any, part: Callable[[str, int, Hide], str], *, secret: bool) -> str:
        if secret:
            return _json(redact({"secret": value})["secret"])
        return _json(part(value, self._room, self._hide) if isinstance(value, str) else value)


def _json(value: Any) -> str:
    return encode(value).decode()
