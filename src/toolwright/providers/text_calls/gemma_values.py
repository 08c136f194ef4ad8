"""Arguments as Gemma writes them: ``{city:<escape>Rome<escape>,days:3}``, texts between special tokens."""

from __future__ import annotations

import re
from math import isfinite
from typing import Any, Final, final

from toolwright.providers.text_calls.python_values import Unreadable
from toolwright.values import MAX_DEPTH

__all__ = ["read_gemma"]

_TOKEN: Final = re.compile(
    r"""\s*+(?:(?P<text><escape>.*?<escape>|<\|"\|>.*?<\|"\|>)
    |(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]{1,3}+)?(?=[\s,\]}]))
    |(?P<sign>[{}\[\],:])
    |(?P<word>[^\s{}\[\],:<]++)
    |(?P<end>\Z))""",
    re.DOTALL | re.VERBOSE,
)
_WORDS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
_LONGEST_NUMBER: Final = 400
_QUOTES: Final = ("<escape>", '<|"|>')


def read_gemma(text: str) -> dict[str, Any]:
    """Read the arguments of a call.

    Raises:
        Unreadable: They are not written as they should be.
    """
    reader = _Values(text)
    value: Any = reader.value(MAX_DEPTH)
    if value.__class__ is not dict or reader.kind != "end":
        raise Unreadable
    arguments: dict[str, Any] = value
    return arguments


@final
class _Values:
    __slots__ = ("_place", "_text", "_token", "kind")

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self.kind = ""
        self._token = ""
        self._next()

    def _next(self) -> str:
        taken = self._token
        match = _TOKEN.match(self._text, self._place)
        if match is None:
            raise Unreadable
        self._place = match.end()
        self.kind = match.lastgroup or ""
        self._token = match[self.kind]
        return taken

    def _takes(self, sign: str) -> bool:
        if self.kind != "sign" or self._token != sign:
            return False
        self._next()
        return True

    def _want(self, sign: str) -> None:
        if not self._takes(sign):
            raise Unreadable

    def value(self, room: int) -> Any:
        """Read one value."""
        if room <= 0:
            raise Unreadable
        match self.kind:
            case "text":
                return _text(self._next())
            case "number":
                return _number(self._next())
            case "word":
                word = self._next()
                if word not in _WORDS:
                    raise Unreadable
                return _WORDS[word]
            case _:
                pass
        if self._takes("["):
            return self._list(room)
        self._want("{")
        return self._object(room)

    def _list(self, room: int) -> list[Any]:
        items: list[Any] = []
        while not self._takes("]"):
            items.append(self.value(room - 1))
            if not self._takes(","):
                self._want("]")
                break
        return items

    def _object(self, room: int) -> dict[str, Any]:
        items: dict[str, Any] = {}
        while not self._takes("}"):
            key = self._key()
            self._want(":")
            if key in items:
                raise Unreadable
            items[key] = self.value(room - 1)
            if not self._takes(","):
                self._want("}")
                break
        return items

    def _key(self) -> str:
        if self.kind == "text":
            return _text(self._next())
        if self.kind not in ("word", "number"):
            raise Unreadable
        return self._next()


def _text(token: str) -> str:
    quote = next(quote for quote in _QUOTES if token.startswith(quote))
    return token[len(quote) : -len(quote)]


def _number(token: str) -> int | float:
    if len(token) > _LONGEST_NUMBER:
        raise Unreadable
    if not set(token) & set(".eE"):
        return int(token)
    number = float(token)
    if not isfinite(number):
        raise Unreadable
    return number
