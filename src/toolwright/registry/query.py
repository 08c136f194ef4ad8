"""A question as search sees it: what it asks for, and by which words of the tools each of that may be met.

Each word of a question becomes a ``Wish``: the stem itself, and whatever may stand for it among the stems that
occur in tools (related words, longer and shorter forms, the nearest spelling), each with a weight. Rare words weigh
more than common ones.

This module may not know any tool: only which stems occur, and in how many.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import islice, takewhile
from math import log
from string import ascii_lowercase
from typing import Final, NamedTuple, TypeAlias

from toolwright.registry.literals import hints
from toolwright.registry.thesaurus import related
from toolwright.registry.words import STOP_WORDS, stem, words

__all__ = ["Vocabulary", "Wish", "read_question"]

_MOST_CHARACTERS: Final = 2_000
_MOST_WISHES: Final = 32

# How much a stem counts that stands for a word: settled on the tuning half of benchmarks/retrieval.
_RELATED: Final = 0.5  # beside the word itself
_INSTEAD: Final = 0.65  # where no tool has the word itself
_PART: Final = 0.4  # of the word, or the other way round, times the ratio of their lengths
_RESPELT: Final = 0.8
_HINT: Final = 0.35  # what a value in the question hints at

_MOST_FORMS: Final = 8
_NAMES: Final = re.compile(r"(?<=[\w,] )[A-Z]\w+")

Wish: TypeAlias = "Mapping[str, float]"
"""Stems that fulfil one wish, with the weight of each."""


class Vocabulary(NamedTuple):
    """The stems that occur in tools."""

    counts: Mapping[str, int]
    """In how many tools each occurs; stems that have gone may be left with 0."""
    ordered: list[str]
    """The same stems by the alphabet."""
    joined: str
    """The same again as one text, a line break around each: what looks inside words looks here."""
    size: int
    """How many tools there are."""

    def weight(self, term: str) -> float:
        """Return how much it says that a tool has this stem."""
        count = self.counts[term]
        return log(1 + (self.size - count + 0.5) / (count + 0.5))

    def has(self, term: str) -> bool:
        """Say whether any tool has this stem."""
        return self.counts.get(term, 0) > 0


def read_question(text: str, vocabulary: Vocabulary) -> list[Wish]:
    """Return what a question asks for, as far as any tool has words for it."""
    text = text[:_MOST_CHARACTERS]
    named = {name.lower() for name in _NAMES.findall(text)}
    wishes: list[Wish] = []
    for word in islice(_telling_words(text), _MOST_WISHES):
        wish = _forms(stem(word), vocabulary, respell=word not in named)
        if wish:
            wishes.append(wish)
    for hint in dict.fromkeys(map(stem, hints(text))):
        if vocabulary.has(hint):
            weight = _HINT * vocabulary.weight(hint)
            if not any(wish.get(hint, 0.0) >= weight for wish in wishes):
                wishes.append({hint: weight})
    return wishes


def _telling_words(text: str) -> Iterator[str]:
    """Return each word once: those that tell something, or all of them where none does."""
    found = list(dict.fromkeys(words(text)))
    telling = [word for word in found if word not in STOP_WORDS and not word.isdigit()]
    return iter(telling or found)


def _forms(term: str, vocabulary: Vocabulary, *, respell: bool) -> Wish:
    forms: dict[str, float] = {}
    known = vocabulary.has(term)
    most = vocabulary.weight(term) if known else log(1 + 2 * vocabulary.size)
    if known:
        forms[term] = most
    factor = _RELATED if known else _INSTEAD
    for other in related(term):
        if vocabulary.has(other):
            # A rare word that stands for a common one says no more than the common one.
            forms[other] = factor * min(most, vocabulary.weight(other))
    for other in _parts(term, vocabulary):
        likeness = min(len(term), len(other)) / max(len(term), len(other))
        forms[other] = max(forms.get(other, 0.0), _PART * likeness * vocabulary.weight(other))
    if not forms:
        found = _compounds(term, vocabulary) or (_respellings(term, vocabulary) if respell else [])
        forms = {other: _RESPELT * vocabulary.weight(other) for other in found}
    return forms


def _parts(term: str, vocabulary: Vocabulary) -> Iterator[str]:
    """Find stems that begin as this one does, and those that it begins with: ``auth`` and ``authent``."""
    if len(term) >= 3:
        start = bisect_left(vocabulary.ordered, term)
        longer = takewhile(lambda other: other.startswith(term), islice(vocabulary.ordered, start, start + _MOST_FORMS))
        yield from (other for other in longer if other != term and vocabulary.has(other))
        shorter = (term[:-cut] for cut in range(1, 5))
        yield from (other for other in shorter if len(other) >= 4 and vocabulary.has(other))


def _compounds(term: str, vocabulary: Vocabulary) -> list[str]:
    """Find the two stems that a word is made of (``filename``), or else the stems that it is a part of."""
    for at in range(3, len(term) - 2):
        if vocabulary.has(term[:at]) and vocabulary.has(tail := stem(term[at:])):
            return [term[:at], tail]
    return list(islice(_around(term, vocabulary), _MOST_FORMS)) if len(term) >= 4 else []


def _around(term: str, vocabulary: Vocabulary) -> Iterator[str]:
    text, at = vocabulary.joined, -1
    while (at := text.find(term, at + 1)) >= 0:
        other = text[text.rfind("\n", 0, at) + 1 : text.find("\n", at)]
        if vocabulary.has(other):
            yield other


def _respellings(term: str, vocabulary: Vocabulary) -> list[str]:
    """Find known stems that are one slip of a finger away, but for the first letter: ``next`` is not ``text``."""
    if not 4 <= len(term) <= 24 or not term.isascii():
        return []
    splits = [(term[:at], term[at:]) for at in range(1, len(term) + 1)]
    slips = {
        *(head + tail[1:] for head, tail in splits if tail),
        *(head + tail[1] + tail[0] + tail[2:] for head, tail in splits if len(tail) > 1),
        *(head + letter + tail[1:] for head, tail in splits if tail for letter in ascii_lowercase),
        *(head + letter + tail for head, tail in splits for letter in ascii_lowercase),
    }
    found = [slip for slip in slips if vocabulary.has(slip)]
    return sorted(found, key=lambda slip: (-vocabulary.counts[slip], slip))[:2]
