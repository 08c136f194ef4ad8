"""Patterns for names and texts, matched in linear time, whatever a model or a file in a project says.

Python's own ``re`` backtracks, and so does everything built on it: a pattern of thirty characters can keep it busy for
years. What is here goes to the engine that schemas are validated with, which cannot be hung.

Texts in, texts out: this module knows no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Final, NamedTuple

from toolwright.schema.engine import Matcher, find_matcher

__all__ = ["BadPatternError", "Expression", "Glob", "segment_expression"]

_ROOM: Final = 10_000_000  # bytes that a glob may take when it is compiled
# Linear time is the length of the text times the size of the expression, and the engine lets no other thread run
# meanwhile. So the larger an expression is, the less text it is given at once: what we tried takes a second at most.
_ROOMS: Final = (20_000, 100_000, 500_000, 2_000_000)
_WORK: Final = 8_000_000_000
_MOST_ALTERNATIVES: Final = 500
_DEEPEST_BRACES: Final = 8
_PLAIN: Final = re.compile(r"[A-Za-z0-9_/]|[^\x00-\x7f]")
# What means another thing in a whole text than in each of its lines: ends of the text, switched-off modes.
_NEEDS_LINES: Final = re.compile(r"\\[AzZ]|\(\?[a-zA-Z]*-|\(\?[a-zA-Z]*[sR]")


class BadPatternError(ValueError):
    """A pattern cannot be used; the text says why, in words for a model."""


class Expression:
    """A regular expression, or a plain text, that is looked for in lines."""

    def __init__(self, pattern: str, *, regex: bool = True, ignore_case: bool = False) -> None:
        self.pattern: Final = ("(?i)" if ignore_case else "") + (pattern if regex else _literal(pattern))
        room, self._line = _smallest(self.pattern)
        self.reach: Final = _WORK // room
        """How many characters it may be given at once."""
        self.whole_texts: Final = not _NEEDS_LINES.search(pattern) if regex else True
        """Whether a text without any match can be told from one look at the whole of it."""
        self._text = _smallest(f"(?m){self.pattern}")[1] if self.whole_texts else None

    def matches(self, line: str) -> bool:
        """Say whether it occurs in a line."""
        return bool(self._line.matches(line))

    def may_occur(self, text: str) -> bool:
        """Say whether it can occur in any line of a text."""
        return self._text is None or bool(self._text.matches(text))


def _smallest(pattern: str) -> tuple[int, Matcher]:
    """Return a compiled expression, and about how large it is."""
    matcher: Matcher | None = None
    for room in _ROOMS:
        matcher = find_matcher(pattern, room)
        if matcher is not None and not matcher.backtracks:
            return room, matcher
    if matcher is not None:
        raise BadPatternError("look-around and back-references cannot be matched in linear time: do without them")
    raise BadPatternError("it is not a regular expression, or too large a one; for a plain text set regex to false")


def _literal(text: str) -> str:
    return "".join(each if _PLAIN.match(each) else f"\\x{{{ord(each):x}}}" for each in text)


class Glob(NamedTuple):
    """A glob over paths: ``*`` and ``?`` within a name, ``**`` for any folders, ``[a-z]``, ``{one,other}``.

    ``start`` are the names that every match begins with, ``depth`` is how many names below that a match can have, None
    where ``**`` says any number.
    """

    start: tuple[str, ...]
    depth: int | None
    matcher: Matcher

    @classmethod
    def of(cls, pattern: str) -> Glob:
        """Read a pattern.

        Raises:
            BadPatternError: It is none, or leads out of the folder.
        """
        alternatives = [_names(each) for each in _alternatives(pattern)]
        start = _common_start(alternatives)
        depths = [None if "**" in names else len(names) - len(start) for names in alternatives]
        expression = "|".join(_path_expression(names) for names in alternatives)
        matcher = find_matcher(f"(?s)^(?:{expression})$", _ROOM)
        if matcher is None:
            raise BadPatternError("it is too large, or has a character that no name can have")
        return cls(start, None if None in depths else max(filter(None, depths), default=0), matcher)

    def matches(self, path: str) -> bool:
        """Say whether a path, relative and with ``/`` in it, fits."""
        return bool(self.matcher.matches(path))


def _names(pattern: str) -> list[str]:
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    if pattern.startswith("/") or ".." in names or not names:
        raise BadPatternError("it must be relative, without '..', such as src/**/*.py")
    return names


def _alternatives(pattern: str, depth: int = 0) -> Iterator[str]:
    """Write out the braces of a pattern: ``{a,b}.py`` is ``a.py`` and ``b.py``."""
    spans = _braces(pattern)
    if not spans:
        yield pattern
        return
    if depth > _DEEPEST_BRACES:
        raise BadPatternError(f"its braces stand within each other more than {_DEEPEST_BRACES} deep")
    pieces: list[list[str]] = []
    end = 0
    for start, stop, parts in spans:
        pieces.append([pattern[end:start]])
        pieces.append([each for part in parts for each in _alternatives(part, depth + 1)])
        end = stop
    pieces.append([pattern[end:]])
    count = 1
    for piece in pieces:
        count *= len(piece)
        if count > _MOST_ALTERNATIVES:
            raise BadPatternError(f"its braces stand for more than {_MOST_ALTERNATIVES} patterns")
    yield from map("".join, product(*pieces))


def _braces(pattern: str) -> list[tuple[int, int, list[str]]]:
    """Return where the outermost braces with commas stand, and what is between the commas."""
    found: list[tuple[int, int, list[str]]] = []
    depth, start, cuts = 0, 0, [0]
    position = 0
    while position < len(pattern):
        char = pattern[position]
        if char == "\\":
            position += 1
        elif char == "{":
            depth += 1
            if depth == 1:
                start, cuts = position, [position]
        elif char == "," and depth == 1:
            cuts.append(position)
        elif char == "}" and depth:
            depth -= 1
            if depth == 0 and len(cuts) > 1:
                parts = [pattern[one + 1 : two] for one, two in zip(cuts, [*cuts[1:], position], strict=True)]
                found.append((start, position + 1, parts))
        position += 1
    return found


def _common_start(alternatives: list[list[str]]) -> tuple[str, ...]:
    """Return the plain names that all alternatives begin with, but for their last name."""
    start: list[str] = []
    for names in zip(*(names[:-1] for names in alternatives), strict=False):
        if len(set(names)) > 1 or any(char in names[0] for char in "*?[\\{}"):
            break
        start.append(names[0])
    return tuple(start)


def _path_expression(names: list[str]) -> str:
    *folders, last = names
    written = "".join("(?:[^/]+/)*" if name == "**" else f"{segment_expression(name)}/" for name in folders)
    return written + ("[^/]+(?:/[^/]+)*" if last == "**" else segment_expression(last))


def segment_expression(name: str) -> str:
    """Return the expression for a glob that stands for one name."""
    written: list[str] = []
    position = 0
    while position < len(name):
        char = name[position]
        position += 1
        if char == "*":
            if not written or written[-1] != "[^/]*":
                written.append("[^/]*")
        elif char == "?":
            written.append("[^/]")
        elif char == "[" and (end := _class_end(name, position)):
            written.append(_class(name[position:end]))
            position = end + 1
        elif char == "\\" and position < len(name):
            written.append(_literal(name[position]))
            position += 1
        else:
            written.append(_literal(char))
    return "".join(written)


def _class_end(name: str, position: int) -> int:
    """Return where a class of characters ends; 0 where it does not."""
    start = position + (name[position : position + 1] in ("!", "^"))
    end = name.find("]", start + 1)
    return max(0, end)


def _class(inside: str) -> str:
    negated = inside[0] in "!^"
    members = inside[1:] if negated else inside
    written: list[str] = []
    position = 0
    while position < len(members):
        first = last = members[position]
        if members[position + 1 : position + 2] == "-" and position + 2 < len(members):
            last = members[position + 2]
            position += 2
        position += 1
        if first <= last:
            written.append(f"\\x{{{ord(first):x}}}-\\x{{{ord(last):x}}}")
    if not written:  # a range that runs backwards holds nothing
        return "[^/]" if negated else r"[^\x{0}-\x{10ffff}]"
    return f"[^/{''.join(written)}]" if negated else f"[{''.join(written)}]"
