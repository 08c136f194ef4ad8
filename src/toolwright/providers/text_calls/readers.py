"""What the readers of calls have in common: how far one has come, what it found, and where a block of markup ends.

A reader takes over where a head has matched, is given the text that follows in any pieces, and says where its block
ends. It looks at every character a bounded number of times. What it found are names and arguments as they stand there;
which of them are calls is decided by the parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

from toolwright.providers.text_calls.heads import BLANKS, Head, first_match

__all__ = ["BROKEN", "CUT", "NO_END", "Closing", "Found", "Reader", "Step", "Untyped", "closing", "overlap", "prefixes"]

CUT: Final = "The answer was cut off before the call was complete. Send the whole call again, or a shorter one."
BROKEN: Final = "The call is not written in a form that can be read. Send the whole call again, in its proper form."


class Untyped(NamedTuple):
    """An argument that stands there as bare text: its schema says what it is."""

    text: str


class Found(NamedTuple):
    """A call as it stands in the text; ``problem`` says why it cannot be run, if so."""

    name: str
    arguments: str | Mapping[str, Any]
    id: str = ""
    problem: str = ""


class Step(NamedTuple):
    """How far a reader has come: all before ``place`` is its own.

    ``open`` wants more text, from that place on; ``done`` has its end there, which may lie before the text it was
    given; ``refused`` means that it was no call after all.
    """

    place: int
    state: Literal["open", "done", "refused"]


class Reader(Protocol):
    """Reads one block of markup."""

    def read(self, text: str, at: int, *, last: bool) -> Step:
        """Read on from a place; where this is the ``last`` text, the block ends with it at the latest."""
        ...

    def found(self) -> tuple[Found, ...]:
        """Return what the block holds, once it is done; nothing if it holds no call."""
        ...


_Heads: TypeAlias = tuple[Head, ...]


class Closing(NamedTuple):
    """The end of a block: the forms it may have, and the words by which it is found after something broken."""

    heads: _Heads
    words: tuple[str, ...]
    stops: tuple[str, ...]
    """What cannot be part of a broken block any more: where the next one begins."""

    def after(self, text: str, at: int, *, last: bool) -> int | None:
        """Return the place after the end that stands here, with blanks before it; ``None`` if none does, -1 to wait."""
        found = first_match(self.heads, text, at, last=last)
        if found == "wait":
            return -1
        return found[1].end if found else None

    def cut_from(self, text: str) -> str:
        """Return a text without the word at its end."""
        return next((text.removesuffix(word) for word in self.words if text.endswith(word)), text)

    def search(self, text: str, at: int, *, last: bool) -> Step:
        """Look for the end of a block that is broken."""
        found = _words(self.words, self.stops).search(text, at) if self.words or self.stops else None
        if found is not None:
            if found["stop"] is not None:
                return Step(found.start(), "done")
            place = found.end()
            for head in self.heads:  # the end may have further parts, as it has after what is whole
                match = head.match(text, found.start(), last=last)
                if match == "wait":
                    return Step(found.start(), "open")
                if match is not None:
                    return Step(match.end, "done")
            return Step(place, "done")
        held = 0 if last else overlap(text, at, prefixes(self.words + self.stops))
        return Step(len(text) - held, "done" if last else "open")


def closing(*words: str, then: Iterable[str] = (), stops: Iterable[str] = ()) -> Closing:
    """Return an end that is one of some words, each with one of ``then`` after it or without."""
    heads = [Head(BLANKS, word, BLANKS, outer) for outer in then for word in words]
    return Closing((*heads, *(Head(BLANKS, word) for word in words)), words, tuple(stops))


NO_END: Final = closing()


@cache
def _words(words: tuple[str, ...], stops: tuple[str, ...]) -> re.Pattern[str]:
    never = "(?!)"
    either = "|".join(map(re.escape, words)) or never
    return re.compile(f"(?:{either})|(?P<stop>{'|'.join(map(re.escape, stops)) or never})")


@cache
def prefixes(words: tuple[str, ...]) -> frozenset[str]:
    """Return every beginning of some words that is not the whole word."""
    return frozenset(word[:size] for word in words for size in range(1, len(word)))


def overlap(text: str, at: int, beginnings: frozenset[str]) -> int:
    """Return how much of the end of a text, from ``at`` on, may be the beginning of a word."""
    if not beginnings:
        return 0
    most = min(len(text) - at, _longest(beginnings))
    return next((size for size in range(most, 0, -1) if text[len(text) - size :] in beginnings), 0)


@cache
def _longest(beginnings: frozenset[str]) -> int:
    return max(map(len, beginnings))
