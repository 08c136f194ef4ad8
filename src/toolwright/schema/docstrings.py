"""What a docstring says: its text, and what it says of each parameter.

Google, NumPy and Sphinx styles are understood, also mixed and written carelessly; whatever fits none of them is text.
Docstrings are read once, line by line, in time linear in their length, and reading never fails.

This module knows text only: no types, no schemas, and not where a docstring comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, final

import msgspec

__all__ = ["Docstring", "parse"]


@final
class Docstring(msgspec.Struct, frozen=True):
    """What was read from a docstring.

    ``summary`` is its first paragraph on one line, ``description`` all text outside of sections (summary included),
    ``parameters`` what it says of each name, and ``returns`` what it says of the result.
    """

    summary: str = ""
    description: str = ""
    parameters: dict[str, str] = {}
    returns: str = ""


_MOST: Final = 100_000
# Characters that are looked at. No docstring is longer; a generated text may be.

_PARAMETERS, _RETURNS, _IGNORED = "parameters", "returns", "ignored"
_SECTIONS: Final = {
    **dict.fromkeys(
        ("args", "arguments", "parameters", "params", "attributes", "keyword args", "keyword arguments",
         "other parameters", "fields"),
        _PARAMETERS,
    ),
    **dict.fromkeys(("returns", "return"), _RETURNS),
    **dict.fromkeys(
        ("raises", "raise", "except", "exceptions", "yields", "yield", "receives", "warns", "example", "examples",
         "see also", "references", "todo", "methods"),
        _IGNORED,
    ),
}  # fmt: skip

_BULLETS: Final = ("- ", "* ", "+ ")
_UNDERLINE: Final = re.compile(r"(?:-{3,}|={3,})\Z")
_NAME: Final = re.compile(r"[*`\\]{0,4}([^\W\d]\w*)[*`]{0,4}\s*")
_FIELD: Final = re.compile(r"[:@]([a-z]+)(?:\s([^:]*))?:(?:\s+|\Z)")
_FIELD_KINDS: Final = {
    **dict.fromkeys(("param", "parameter", "arg", "argument", "key", "keyword", "ivar", "var", "cvar"), _PARAMETERS),
    **dict.fromkeys(("return", "returns"), _RETURNS),
    **dict.fromkeys(("raises", "raise", "except", "exception", "type", "rtype", "yields", "yield", "meta"), _IGNORED),
}


def parse(text: object) -> Docstring:
    """Return what a docstring says; anything that is not text says nothing."""
    if not isinstance(text, str) or not text.strip():
        return Docstring()
    first, *lines = text[:_MOST].expandtabs().splitlines()
    reader = _Reader([first.strip(), *_dedent(lines)])
    reader.read()
    paragraphs = _join(reader.free)
    parameters = {name: text for name, lines in reader.parameters.items() if (text := _flow(lines))}
    return Docstring(
        summary=" ".join(paragraphs.partition("\n\n")[0].split()),
        description=paragraphs,
        parameters=parameters,
        returns=_flow(reader.returns),
    )


def _join(lines: list[str]) -> str:
    """Return lines as paragraphs: one blank line where there were any, and none around."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _flow(lines: list[str]) -> str:
    """Return lines as running text: one line for each paragraph and each item of a list."""
    pieces: list[str] = []
    before = "\n\n"
    for line in map(str.strip, lines):
        if line:
            pieces += ["\n" if before == " " and line.startswith(_BULLETS) else before, line]
        before = " " if line else "\n\n"
    return "".join(pieces).strip()


def _dedent(lines: list[str]) -> list[str]:
    # Not inspect.cleandoc: it takes quadratic time over blank lines.
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    return [line[margin:].rstrip() for line in lines]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


class _Reader:
    """One pass over the lines of a docstring; every line goes to the text, to one parameter, to the result, or away."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self.free: list[str] = []
        self.parameters: dict[str, list[str]] = {}
        self.returns: list[str] = []

    def read(self) -> None:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            field = _FIELD.match(line.lstrip())
            if field is not None and field[1] in _FIELD_KINDS:
                self._field(_indent(line), field)
            elif (kind := self._underlined()) is not None:
                self._at += 2
                self._section(kind, _indent(line), numpy=True)
            elif (kind := self._header(line)) is not None:
                self._at += 1
                self._section(kind, _indent(line), numpy=False)
            else:
                self.free.append(line)
                self._at += 1

    def _underlined(self) -> str | None:
        """Return the kind of NumPy section that starts here; unknown ones (Notes) are text."""
        if self._at + 1 >= len(self._lines) or not _UNDERLINE.match(self._lines[self._at + 1].strip()):
            return None
        return _SECTIONS.get(self._lines[self._at].strip().lower())

    def _header(self, line: str) -> str | None:
        """Return the kind of Google section that starts here: a known word with a colon, and something below it."""
        word = line.strip()
        if not word.endswith(":") or (kind := _SECTIONS.get(word[:-1].lower())) is None:
            return None
        below = next((later for later in self._lines[self._at + 1 : self._at + 3] if later), "")
        return kind if _indent(below) > _indent(line) else None

    def _section(self, kind: str, header: int, *, numpy: bool) -> None:
        block = list(self._block(header, numpy=numpy))
        if kind == _RETURNS:
            self.returns += _result(block) if numpy else block
        elif kind == _PARAMETERS:
            self._items(block, numpy=numpy)

    def _block(self, header: int, *, numpy: bool) -> Iterator[str]:
        """Take the lines of a section: to the next one, or to what is not indented below a Google header."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line and numpy and (self._ends_underlined() or _indent(line) < header):
                return
            if line and not numpy and _indent(line) <= header:
                return
            self._at += 1
            yield line

    def _ends_underlined(self) -> bool:
        following = self._lines[self._at + 1] if self._at + 1 < len(self._lines) else ""
        field = _FIELD.match(self._lines[self._at].lstrip())
        return _UNDERLINE.match(following.strip()) is not None or (field is not None and field[1] in _FIELD_KINDS)

    def _items(self, block: list[str], *, numpy: bool) -> None:
        """Read ``name (type): text`` or ``name : type`` with the text below; deeper lines belong to the last name."""
        level = next((_indent(line) for line in block if line), 0)
        current: list[str] | None = None
        for line in block:
            item = _item(line.strip(), numpy=numpy) if line and _indent(line) <= level else None
            if item is not None:
                names, first = item
                current = [first]
                for name in names:
                    self.parameters.setdefault(name, current)
            elif current is not None:
                current.append(line.strip())

    def _field(self, indent: int, field: re.Match[str]) -> None:
        """Read a Sphinx field: its line, and the lines up to a blank one or the next field."""
        kind, subject = _FIELD_KINDS[field[1]], (field[2] or "").split()
        lines = [self._lines[self._at].lstrip()[field.end() :]]
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line and not self._goes_on(indent):
                break
            if line.lstrip().startswith((":", "@")) or self._header(line) is not None:
                break
            lines.append(line.strip())
            self._at += 1
        if kind == _PARAMETERS and subject and (name := _NAME.fullmatch(subject[-1])):
            self.parameters.setdefault(name[1], lines)
        elif kind == _RETURNS:
            self.returns += lines

    def _goes_on(self, indent: int) -> bool:
        """Tell whether the line after a blank one is indented below the field."""
        following = self._lines[self._at + 1] if self._at + 1 < len(self._lines) else ""
        return bool(following) and _indent(following) > indent


def _result(block: list[str]) -> list[str]:
    """Return the text of a NumPy result, whose first line is its type where more is below."""
    lines = [line for line in block if line]
    return lines[1:] if len(lines) > 1 and _indent(lines[1]) > _indent(lines[0]) else lines


def _item(line: str, *, numpy: bool) -> tuple[list[str], str] | None:
    """Return the names and the first text of a parameter's line, or None for any other line.

    What NumPy writes behind the colon is a type; its text stands on the lines below.
    """
    names: list[str] = []
    at = 0
    while (name := _NAME.match(line, at)) is not None:
        names.append(name[1])
        at = name.end()
        if not line.startswith(", ", at):
            break
        at += 2
    if not names:
        return None
    rest = line[_close(line, at) :].lstrip()
    if numpy:
        return (names, "") if not rest or rest.startswith(":") else None
    return (names, rest[1:].strip()) if rest.startswith(":") else None


def _close(line: str, at: int) -> int:
    """Return the place behind the parenthesis that opens at ``at``, or ``at`` where none opens or it never closes."""
    depth = 0
    for index in range(at, len(line) if line.startswith("(", at) else at):
        depth += (line[index] == "(") - (line[index] == ")")
        if depth == 0:
            return index + 1
    return at
