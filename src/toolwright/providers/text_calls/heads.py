"""How a piece of markup begins: short patterns that say early whether they match, may still match, or cannot.

A regular expression cannot say "not yet". A head can: it is a row of literals and runs of characters, and tells after
every character whether it is whole. What it decides on the beginning of a text holds however the text goes on, so an
answer reads the same in any pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypeAlias, final

__all__ = ["BLANKS", "BODY", "NAME", "Atom", "Either", "Head", "Match", "Run", "first_match"]


class Run(NamedTuple):
    """Characters of one class, ``least`` to ``most`` of them; what follows in a head must begin with another one."""

    chars: str
    least: int
    most: int
    name: str = ""


class Either(NamedTuple):
    """One of several words, none of which is the beginning of another."""

    words: tuple[str, ...]


Atom: TypeAlias = str | Run | Either

BLANKS: Final = Run(r"\s", 0, 64)
NAME: Final = Run(r"\w.:/-", 1, 128, "name")
BODY: Final = ""
"""Marks the place where what follows the head begins, where that is not its end."""


class Match(NamedTuple):
    """A head that is whole: where it ends, where the body begins, and its named runs."""

    end: int
    body: int
    runs: dict[str, str]


@final
class Head:
    """A row of literals and runs."""

    __slots__ = ("_atoms", "_pattern")

    def __init__(self, *atoms: Atom) -> None:
        self._atoms = atoms
        self._pattern: re.Pattern[str] | None = None  # of all the heads there are, an answer needs a few

    def match(self, text: str, at: int, *, last: bool) -> Match | Literal["wait"] | None:
        """Return the match at a place, ``"wait"`` where more text could make one, or ``None``.

        Where this is the ``last`` text, nothing is waited for.
        """
        found = (self._pattern or self._compile()).match(text, at)
        if found is None:
            return None
        if found["whole_"] is None:
            return None if last else "wait"
        runs = found.groupdict("")
        body = found.start("body_") if "body_" in runs else found.end()
        return Match(found.end(), body, runs)

    def _compile(self) -> re.Pattern[str]:
        pattern = "(?P<whole_>)"
        for atom in reversed(self._atoms):
            pattern = _before(atom, pattern)
        self._pattern = re.compile(pattern, re.DOTALL)
        return self._pattern


def _before(atom: Atom, rest: str) -> str:
    """Return the pattern of an atom and what follows, which also matches a text that ends somewhere inside."""
    if atom == BODY:
        return f"(?P<body_>){rest}"
    if isinstance(atom, Either):
        begun = {word[:size] for word in atom.words for size in range(len(word))}
        return rf"(?:(?:{_any(atom.words)}){rest}|(?:{_any(begun)})\Z)"
    if isinstance(atom, str):
        for char in reversed(atom):
            rest = rf"(?:\Z|{re.escape(char)}{rest})"
        return rest
    group = f"?P<{atom.name}>" if atom.name else "?:"
    if atom.least == atom.most == 1:
        return rf"(?:\Z|({group}[{atom.chars}]){rest})"
    run = rf"({group}[{atom.chars}]{{{atom.least},{atom.most}}}+)(?:\Z|{rest})"
    return run if atom.least == 0 else rf"(?:{run}|[{atom.chars}]{{0,{atom.least - 1}}}\Z)"


def _any(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words)))


def first_match(
    heads: tuple[Head, ...], text: str, at: int, *, last: bool
) -> tuple[int, Match] | Literal["wait"] | None:
    """Return the number and the match of the first head that matches; one before it that may yet do is waited for."""
    for number, head in enumerate(heads):
        match = head.match(text, at, last=last)
        if match == "wait":
            return "wait"
        if match is not None:
            return number, match
    return None
