"""Where markup begins, what begins there, and what a format is made of.

A format is a tuple of openings. An opening is a head and what to do once it has matched: to read a block of calls, or
to pass over something that is no call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias, final

from toolwright.providers.text_calls.heads import Atom, Head, Match
from toolwright.providers.text_calls.readers import Reader, prefixes

__all__ = ["Begin", "Format", "Opening", "Passage", "Place", "opening"]

Place: TypeAlias = Literal["anywhere", "line", "start", "after"]
"""Where an opening counts: outside of quotes, at the beginning of a line, of the text, or right after a call."""


class Passage(NamedTuple):
    """A stretch of text in which no call is looked for, up to one of ``ends``, or to where one of ``stops`` begins.

    An ``answer`` is text without its markup; ``reasoning`` is told as such; a ``thought`` stays in the text as it is.
    Without any end it is markup alone, and is left out.
    """

    kind: Literal["answer", "reasoning", "thought"]
    ends: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()


Begin: TypeAlias = Callable[[Mapping[str, str]], Reader | Passage]
"""What begins at an opening, given the named runs of its head."""


class Opening(NamedTuple):
    """How something begins: ``first`` are the characters by which it is found.

    What is ``lone`` is a call only if it is the whole text and fits a tool: it might be an answer in that form.
    """

    first: str
    head: Head
    begin: Begin
    place: Place
    lone: bool


def opening(*atoms: Atom, begin: Begin, place: Place = "anywhere", lone: bool = False) -> Opening:
    """Return an opening whose head is a row of atoms; but for the start of a text the first must be a literal."""
    first = atoms[0] if isinstance(atoms[0], str) else ""
    return Opening(first, Head(*atoms), begin, place, lone)


_NEVER: Final = "(?!)"


@final
class Format:
    """Openings, sorted for finding them."""

    __slots__ = ("_by_trigger", "_pattern", "_starting", "_triggers")

    def __init__(self, openings: Iterable[Opening]) -> None:
        listed = tuple(openings)
        self._starting = tuple([each for each in listed if each.place == "start"])
        others = [each for each in listed if each.place != "start"]
        self._triggers = tuple(sorted({each.first for each in others}, key=len))
        self._pattern = re.compile("|".join(map(re.escape, self._triggers)) or _NEVER)
        # A trigger may be the beginning of another one: it is found first, and stands for both.
        self._by_trigger = {
            trigger: tuple(
                [each for each in others if each.first.startswith(trigger) or trigger.startswith(each.first)]
            )
            for trigger in self._triggers
        }

    @property
    def beginnings(self) -> frozenset[str]:
        """What a text may end on that may yet become a trigger."""
        return prefixes(self._triggers)

    def search(self, text: str, at: int) -> re.Match[str] | None:
        """Return the next place where something may begin."""
        return self._pattern.search(text, at)

    def at_start(self, text: str, at: int, *, last: bool) -> tuple[Opening, Match] | Literal["wait"] | None:
        """Return what begins here, where the text begins."""
        return _first(self._starting, text, at, last=last)

    def at_trigger(
        self, trigger: str, places: Iterable[Place], text: str, at: int, *, last: bool
    ) -> tuple[Opening, Match] | Literal["wait"] | None:
        """Return what begins at a trigger, of the openings that count in such places."""
        wanted = [each for each in self._by_trigger[trigger] if each.place in places]
        return _first(wanted, text, at, last=last)


def _first(
    openings: Iterable[Opening], text: str, at: int, *, last: bool
) -> tuple[Opening, Match] | Literal["wait"] | None:
    """Return the first opening that matches; an earlier one that may still match is waited for."""
    for each in openings:
        match = each.head.match(text, at, last=last)
        if match == "wait":
            return "wait"
        if match is not None:
            return each, match
    return None
