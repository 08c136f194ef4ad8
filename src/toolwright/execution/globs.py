"""Globs over the arguments of a call: what a rule says with ``*``, ``?`` and ``[abc]``.

A glob is asked in one of two ways, because a mistake costs differently on the two sides. What lets a call pass is held
**strictly**: character for character, and a wildcard stands only for what a person can see. What stops a call is held
**widely**: letter case, width and other compatible forms of a character, invisible characters and the amount of white
space make no difference. So neither a line break after an allowed command nor ``RM`` for ``rm`` gets through.

Letters of other scripts that merely look alike name something else, and are not taken for one another.

The cost of a match is linear in the length of the text. Pure: this module knows texts, and nothing of rules or tools.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from unicodedata import normalize

from toolwright.errors import PolicyError
from toolwright.values import encode

__all__ = ["Glob", "text_of"]

_LONGEST: Final = 1_000  # characters; the cost of a match grows with the product of both lengths

# What no reader sees: soft hyphens, joiners, marks of direction, selectors of variants, fillers, tags.
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\x00-\x08\x0e-\x1b\x7f\x80-\x84\x86-\x9f]+"
)
_BLANKS: Final = re.compile(r"\s+")
_IDEOGRAPHIC_STOP: Final = "\u3002"  # names of hosts are read with it as a full stop

_Part = tuple[str, str] | None  # an expression for the part as written and one for it widely; None is a star


class Glob:
    """A pattern over a text: ``*`` is any number of characters, ``?`` one, ``[a-z]`` and ``[!a-z]`` one of a set.

    It is held against the whole text; ``*`` also stands for ``/``. A special character is itself in brackets: ``[*]``.

    Raises:
        PolicyError: A bracket is not closed, a range runs backwards, or the pattern is too long.
    """

    __slots__ = ("_exact", "_literal", "_wide", "pattern")

    def __init__(self, pattern: str) -> None:
        if len(pattern) > _LONGEST:
            raise PolicyError(f"is a glob of more than {_LONGEST:,} characters", code="invalid_rule")
        self.pattern = pattern
        parts = _parts(pattern)
        self._literal = None if any(character in pattern for character in "*?[") else pattern
        self._exact = _expression([part and part[0] for part in parts])
        self._wide = _expression([part and part[1] for part in parts])

    def fits_strictly(self, text: str) -> bool:
        """Say whether the text is what the pattern says, and all of it can be seen.

        Control characters (line breaks and tabs among them) and invisible ones fit a pattern without wildcards only.
        """
        if self._literal is not None:
            return text == self._literal
        return text.isprintable() and self._exact.fullmatch(text) is not None

    def fits_widely(self, text: str) -> bool:
        """Say whether the text could be taken for what the pattern says."""
        return self._exact.fullmatch(text) is not None or self._wide.fullmatch(_folded(text).strip()) is not None

    def __eq__(self, other: object) -> bool:
        return self.pattern == other.pattern if isinstance(other, Glob) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.pattern)

    def __repr__(self) -> str:
        return f"Glob({self.pattern!r})"


def _folded(text: str) -> str:
    """Return what is left of a text when differences that nobody should rely on are gone."""
    if not text.isascii():
        text = normalize("NFKD", text).replace(_IDEOGRAPHIC_STOP, ".")
    if not text.isprintable():
        text = _INVISIBLE.sub("", text)
    text = _BLANKS.sub(" ", text).casefold()
    # Casefolding may leave what normalizing would take apart once more.
    return text if text.isascii() else normalize("NFKD", text)


def _parts(pattern: str) -> list[_Part]:
    parts: list[_Part] = []
    place = 0
    while place < len(pattern):
        character = pattern[place]
        if character == "[":
            part, place = _set(pattern, place)
            parts.append(part)
            continue
        if character == "*":
            parts.append(None)
        elif character == "?":
            parts.append((".", "."))
        else:
            end = min((at for at in (pattern.find(special, place) for special in "*?[") if at >= 0), default=None)
            literal = pattern[place:end]
            parts.append((re.escape(literal), re.escape(_folded(literal))))
            place += len(literal)
            continue
        place += 1
    return parts


def _set(pattern: str, start: int) -> tuple[tuple[str, str], int]:
    """Read ``[...]``, and return it as an expression, with the place after it."""
    first = start + (2 if pattern[start + 1 : start + 2] == "!" else 1)
    end = pattern.find("]", first + 1)  # a bracket that comes first stands for itself
    if end < 0:
        raise PolicyError("is a glob whose bracket is not closed; [[] is a bracket itself", code="invalid_rule")
    inside = pattern[first:end]
    ranges = re.findall(r"(.)-(.)|(.)", inside, re.DOTALL)
    if any(low > high for low, high, _ in ranges):
        raise PolicyError("is a glob with a range that runs backwards", code="invalid_rule")
    negation = "^" if first - start == 2 else ""
    written = "".join(re.escape(one) if one else f"{re.escape(low)}-{re.escape(high)}" for low, high, one in ranges)
    return (f"[{negation}{written}]", f"(?i:[{negation}{written}])"), end + 1


def _expression(parts: list[str | None]) -> re.Pattern[str]:
    """Return the pattern as an expression that never tries the same place twice.

    Where several stretches between stars could begin, the first place is as good as any later one. So each stretch is
    an atomic group, and once found is not looked for again.
    """
    stretches = [""]
    for part in parts:
        if part is None:
            stretches.append("")
        else:
            stretches[-1] += part
    head, *middle = stretches
    tail = f".*{middle.pop()}" if middle else ""
    return re.compile(head + "".join(f"(?>.*?{stretch})" for stretch in middle) + tail, re.DOTALL)


def text_of(value: Any) -> str | None:
    """Return an argument as the text that globs see; None where there is none.

    Lists are joined by blanks. What is neither text nor a list is seen as JSON with its keys in order, whole numbers
    without a fraction. An argument that is null counts as not given.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        try:
            return " ".join(value)  # pyright: ignore[reportUnknownArgumentType]
        except TypeError:  # not all of them are texts
            return " ".join(_json(item) if item is None else text_of(item) or "" for item in value)  # pyright: ignore[reportUnknownVariableType]
    return _json(value)


def _json(value: Mapping[str, Any] | float | bool | None) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return encode(value, canonical=True).decode()
