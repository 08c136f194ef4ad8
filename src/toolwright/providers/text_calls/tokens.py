"""What the readers of literals have in common: tokens taken one by one, numbers, and words that stand for values."""

from __future__ import annotations

import re
from math import isfinite
from typing import Any, Final

__all__ = ["Tokens", "Unreadable", "is_word", "number", "word"]

_LONGEST_NUMBER: Final = 400
_WORDS: Final[dict[str, Any]] = {
    "True": True,
    "False": False,
    "None": None,
    "true": True,
    "false": False,
    "null": None,
}


class Unreadable(Exception):  # noqa: N818  (a signal of this folder, not an error)
    """What stands there is no value, or no call."""


class Tokens:
    """Reads a text token by token; ``kind`` and ``token`` are the one that comes next.

    The pattern has a group for each kind, ``sign`` and ``end`` among them.
    """

    __slots__ = ("_pattern", "_place", "_text", "kind", "token")

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._pattern = pattern
        self._text = text
        self._place = 0
        self.kind = ""
        self.token = ""
        self.next()

    def next(self) -> str:
        """Return the token that comes next, and go on to the one after it."""
        taken = self.token
        match = self._pattern.match(self._text, self._place)
        if match is None:
            raise Unreadable
        self._place = match.end()
        self.kind = match.lastgroup or ""
        self.token = match[self.kind]
        return taken

    def takes(self, sign: str) -> bool:
        """Go past a sign, if it comes next."""
        if self.kind != "sign" or self.token != sign:
            return False
        self.next()
        return True

    def want(self, sign: str) -> None:
        """Go past a sign, which must come next."""
        if not self.takes(sign):
            raise Unreadable


def is_word(token: str) -> bool:
    """Say whether a word stands for a value."""
    return token in _WORDS


def word(token: str) -> Any:
    """Return what a word stands for, as Python or JSON has it."""
    if token not in _WORDS:
        raise Unreadable
    return _WORDS[token]


def number(token: str) -> int | float:
    """Return a number, if it is one that can be kept."""
    if len(token) > _LONGEST_NUMBER:
        raise Unreadable
    if not set(token) & set(".eE"):
        return int(token)
    real = float(token)
    if not isfinite(real):
        raise Unreadable
    return real
