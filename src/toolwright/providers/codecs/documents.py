"""JSON as servers send it: mostly in order, sometimes not UTF-8, half a surrogate pair, or two lines for one."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from toolwright.errors import NotJsonError
from toolwright.values import MAX_DEPTH, decode, freeze

__all__ = ["as_index", "as_list", "as_object", "as_text", "is_keepable", "read_document", "read_documents"]

_ROOM: Final = MAX_DEPTH - 8  # what is kept stands some levels deep in its message
_DIGITS: Final = 12
_MOST: Final = 2**31  # what is beyond this counts nothing
_read: Final = msgspec.json.Decoder().decode
_FAULTS: Final = (msgspec.DecodeError, RecursionError, UnicodeError)


def read_document(text: bytes) -> Any:
    """Return a JSON text as plain values; bytes that are not UTF-8 are read as U+FFFD.

    Raises:
        ValueError: It is not JSON. The error does not quote it.
    """
    try:
        return _read(text)
    except _FAULTS:
        pass
    try:
        return decode(text.decode("utf-8", "replace").strip("\ufeff\x00"))
    except _FAULTS:
        pass
    raise ValueError("this is not JSON")


def read_documents(text: bytes) -> list[Any]:
    """Return the JSON texts of one piece of a stream: one, or one on each line where a server forgot to part them.

    Raises:
        ValueError: It is not JSON.
    """
    try:
        return [_read(text)]
    except _FAULTS:
        pass
    try:
        return [read_document(text)]
    except ValueError:
        lines = [line for line in text.split(b"\n") if line.strip()]
        if len(lines) < 2:
            raise
    return [read_document(line) for line in lines]


def as_object(value: Any) -> dict[str, Any]:
    """Return what is an object; an empty one for everything else."""
    return value if value.__class__ is dict else {}


def as_list(value: Any) -> list[Any]:
    """Return what is a list; an empty one for everything else."""
    return value if value.__class__ is list else []


def as_text(value: Any) -> str:
    """Return what is a text; an empty one for everything else."""
    return value if value.__class__ is str else ""


def as_index(value: Any) -> int | None:
    """Return what counts something: most servers send a number, some a text or a float, some what is none."""
    if value.__class__ is str:
        return int(value) if value.isascii() and value.isdecimal() and len(value) < _DIGITS else None
    if value.__class__ is float and value.is_integer():
        value = int(value)
    return value if value.__class__ is int and 0 <= value < _MOST else None


def is_keepable(value: Any) -> bool:
    """Say whether something can be part of a message, which nothing is that is nested without end."""
    try:
        freeze(value, _ROOM)
    except NotJsonError:
        return False
    return True
