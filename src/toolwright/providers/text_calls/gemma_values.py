"""Arguments as Gemma writes them: ``{city:<escape>Rome<escape>,days:3}``, texts between special tokens."""

from __future__ import annotations

import re
from typing import Any, Final, final

from toolwright.providers.text_calls.tokens import Tokens, Unreadable, number, word
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
_QUOTES: Final = ("<escape>", '<|"|>')


def read_gemma(text: str) -> dict[str, Any]:
    """Read the arguments of a call.

    Raises:
        Unreadable: They are not written as they should be.
    """
    reader = _Values(_TOKEN, text)
    value: Any = reader.value(MAX_DEPTH)
    if value.__class__ is not dict or reader.kind != "end":
        raise Unreadable
    arguments: dict[str, Any] = value
    return arguments


@final
class _Values(Tokens):
    """Reads values."""

    __slots__ = ()

    def value(self, room: int) -> Any:
        """Read one value."""
        if room <= 0:
            raise Unreadable
        match self.kind:
            case "text":
                return _text(self.next())
            case "number":
                return number(self.next())
            case "word":
                return word(self.next())
            case _:
                pass
        if self.takes("["):
            return self._list(room)
        self.want("{")
        return self._object(room)

    def _list(self, room: int) -> list[Any]:
        items: list[Any] = []
        while not self.takes("]"):
            items.append(self.value(room - 1))
            if not self.takes(","):
                self.want("]")
                break
        return items

    def _object(self, room: int) -> dict[str, Any]:
        items: dict[str, Any] = {}
        while not self.takes("}"):
            key = self._key()
            self.want(":")
            if key in items:
                raise Unreadable
            items[key] = self.value(room - 1)
            if not self.takes(","):
                self.want("}")
                break
        return items

    def _key(self) -> str:
        if self.kind == "text":
            return _text(self.next())
        if self.kind not in ("word", "number"):
            raise Unreadable
        return self.next()


def _text(token: str) -> str:
    quote = next(quote for quote in _QUOTES if token.startswith(quote))
    return token[len(quote) : -len(quote)]
