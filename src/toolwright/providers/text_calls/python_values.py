"""Calls in the form of Python's: ``f(a=1, b=["x"])``, read without Python.

Only literals are values: texts, numbers, ``True``, ``False``, ``None`` (JSON's words too), lists, tuples and
dictionaries. Nothing is evaluated, and what is anything else makes the call an invalid one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, final

from toolwright.providers.text_calls.tokens import Tokens, Unreadable, is_word, number, word
from toolwright.values import MAX_DEPTH

__all__ = ["PythonCall", "read_calls"]

_TOKEN: Final = re.compile(
    r"""\s*+(?:(?P<text>'''(?:[^\\']++|\\.|'(?!''))*+'''|\"\"\"(?:[^\\"]++|\\.|"(?!""))*+\"\"\"
    |'(?:[^\\'\r\n]++|\\.)*+'|"(?:[^\\"\r\n]++|\\.)*+")
    |(?P<number>[-+]?(?:(?:0|[1-9][0-9]*+)(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]{1,3}+)?(?![\w.]))
    |(?P<word>[^\W\d][\w.-]*+)
    |(?P<sign>[()\[\]{}=,:;])
    |(?P<end>\Z))""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(\r\n|.))", re.DOTALL
)
_ESCAPED: Final[Mapping[str, str]] = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "a": "\a",
    "\n": "",
    "\r\n": "",
    "\\": "\\",
    "'": "'",
    '"': '"',
}


class PythonCall(NamedTuple):
    """A call: its name, and its arguments where all have names."""

    name: str
    arguments: dict[str, Any] | None


def read_calls(text: str) -> list[PythonCall]:
    """Read ``[f(a=1), g()]``, or calls one after another, with commas, semicolons or line ends between them.

    Raises:
        Unreadable: It is anything else.
    """
    reader = _Calls(_TOKEN, text)
    in_list = reader.takes("[")
    calls: list[PythonCall] = []
    while not (reader.takes("]") if in_list else reader.kind == "end"):
        calls.append(reader.call())
        while reader.takes(",") or reader.takes(";"):
            pass
    if reader.kind != "end":
        raise Unreadable
    return calls


@final
class _Calls(Tokens):
    """Reads calls, and the values in them."""

    __slots__ = ()

    def call(self) -> PythonCall:
        """Read one call."""
        if self.kind != "word":
            raise Unreadable
        name = self.next()
        self.want("(")
        arguments: dict[str, Any] = {}
        all_named = True
        while not self.takes(")"):
            named = self.kind == "word" and not is_word(self.token)
            if named:
                key = self.next()
                self.want("=")
                if key in arguments:
                    raise Unreadable
                arguments[key] = self._value(MAX_DEPTH)
            else:
                all_named = False
                self._value(MAX_DEPTH)
            if not self.takes(","):
                self.want(")")
                break
        return PythonCall(name, arguments if all_named else None)

    def _value(self, room: int) -> Any:
        if room <= 0:
            raise Unreadable
        match self.kind:
            case "text":
                return self._texts()
            case "number":
                return number(self.next())
            case "word":
                return word(self.next())
            case _:
                pass
        if self.takes("["):
            return self._list("]", room)
        if self.takes("("):
            return self._tuple(room)
        self.want("{")
        return self._dictionary(room)

    def _texts(self) -> str:
        """Read a text, and those that stand beside it: together they are one."""
        pieces: list[str] = []
        while self.kind == "text":
            pieces.append(_text(self.next()))
        return "".join(pieces)

    def _list(self, end: str, room: int) -> list[Any]:
        items: list[Any] = []
        while not self.takes(end):
            items.append(self._value(room - 1))
            if not self.takes(","):
                self.want(end)
                break
        return items

    def _tuple(self, room: int) -> Any:
        if self.takes(")"):
            return []
        first = self._value(room - 1)
        if self.takes(")"):
            return first  # brackets around one value
        self.want(",")
        return [first, *self._list(")", room)]

    def _dictionary(self, room: int) -> dict[str, Any]:
        items: dict[str, Any] = {}
        while not self.takes("}"):
            if self.kind != "text":
                raise Unreadable
            key = self._texts()
            self.want(":")
            items[key] = self._value(room - 1)
            if not self.takes(","):
                self.want("}")
                break
        return items


def _text(token: str) -> str:
    quotes = 3 if token[:3] in ("'''", '"""') and len(token) >= 6 else 1
    return _ESCAPE.sub(_unescaped, token[quotes:-quotes])


def _unescaped(match: re.Match[str]) -> str:
    hexadecimal = match[1] or match[2] or match[3]
    if hexadecimal:
        code = int(hexadecimal, 16)
        if code > 0x10FFFF:
            raise Unreadable
        return chr(code)
    if match[4]:
        return chr(int(match[4], 8))
    return _ESCAPED.get(match[5], match[0])
