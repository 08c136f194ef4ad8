"""The index of the tools of one view: kept up to date when it is asked, and ranking what matches.

A search has two steps. The first finds tools that share a telling word with the question; the second looks at each of
these closely and ranks them. So a question takes the same time whether a hundred tools are registered or ten thousand.

This module may not know availability, events or who asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Final

from toolwright.registry.documents import Document, read_definition
from toolwright.registry.postings import FullText, Postings, Scan, has_full_text
from toolwright.registry.query import Vocabulary, Wish, read_question
from toolwright.tools.definition import ToolDefinition

__all__ = ["ToolIndex"]

# Settled on the tuning half of benchmarks/retrieval.
_COVERAGE: Final = 0.5  # how much of the score depends on the share of the wishes that are met
_NAMED: Final = 0.35  # what a name is worth of which each word was asked for

_ROOM: Final = 1_500
# Postings that the first step may read: about 1 us each. Words that are in more tools than that tell little, and are
# looked at in the second step only.


class ToolIndex:
    """Ranks definitions for a question. Safe for several threads, one of which searches at a time.

    ``full_text`` says whether SQLite's full-text search is used: by default if this build has it.
    """

    def __init__(self, *, full_text: bool | None = None) -> None:
        self._full_text = full_text
        self._lock = Lock()
        self._postings: Postings = Scan()
        self._known: Mapping[str, ToolDefinition] = {}
        self._places: dict[str, int] = {}  # what fits alike comes in this order: that of registration
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._documents: dict[int, Document] = {}
        self._counts: dict[str, int] = {}
        self._vocabulary = Vocabulary({}, [], "\n", 0)
        self._last = 0

    def rank(self, question: str, definitions: Mapping[str, ToolDefinition], count: int) -> list[tuple[str, float]]:
        """Return the names of the ``count`` tools that fit best, best first, each with its score.

        ``definitions`` are the tools there are now, by name. The same mapping as last time costs nothing; of another,
        what differs is indexed anew.
        """
        with self._lock:
            if definitions is not self._known:
                self._update(definitions)
            wishes = read_question(question, self._vocabulary)
            return self._best(wishes, count) if wishes else []

    def _best(self, wishes: list[Wish], count: int) -> list[tuple[str, float]]:
        candidates = self._postings.having(self._telling_terms(wishes), count)
        judge = _Judge(wishes, self._vocabulary)
        scored = [(self._names[number], judge.score(self._documents[number])) for number in candidates]
        scored.sort(key=lambda pair: (-pair[1], self._places[pair[0]]))
        return scored

    def _telling_terms(self, wishes: list[Wish]) -> list[str]:
        """Return the stems that tell most, as many as the first step has room for, and one at least."""
        weights: dict[str, float] = {}
        for wish in wishes:
            for term, weight in wish.items():
                weights[term] = max(weight, weights.get(term, 0.0))
        terms: list[str] = []
        room = _ROOM
        for term in sorted(weights, key=lambda term: (-weights[term], term)):
            room -= self._counts[term]
            if room < 0 and terms:
                break
            terms.append(term)
        return terms

    # Keeping up to date

    def _update(self, definitions: Mapping[str, ToolDefinition]) -> None:
        known = self._known
        gone = [name for name in known if definitions.get(name) is not known[name]]
        new = [name for name, definition in definitions.items() if known.get(name) is not definition]
        documents = [(name, read_definition(name, definitions[name])) for name in new]
        if not known and documents:
            wanted = has_full_text() if self._full_text is None else self._full_text
            self._postings = FullText() if wanted else Scan()
        removed = [self._remove(name) for name in gone]
        added = [self._add(name, document) for name, document in documents]
        self._postings.change(removed, added)
        self._take_stock(len(definitions))
        self._places = {name: place for place, name in enumerate(definitions)}
        self._known = definitions

    def _add(self, name: str, document: Document) -> tuple[int, Document]:
        self._last += 1
        self._numbers[name] = self._last
        self._names[self._last] = name
        self._documents[self._last] = document
        counts = self._counts
        for term in document.weights:
            counts[term] = counts.get(term, 0) + 1
        return self._last, document

    def _remove(self, name: str) -> int:
        number = self._numbers.pop(name)
        del self._names[number]
        counts = self._counts
        for term in self._documents.pop(number).weights:
            counts[term] -= 1
            if not counts[term]:
                del counts[term]
        return number

    def _take_stock(self, size: int) -> None:
        ordered = self._vocabulary.ordered
        if len(ordered) != len(self._counts) or not all(map(self._counts.__contains__, ordered)):
            ordered = sorted(self._counts)
            self._vocabulary = Vocabulary(self._counts, ordered, "\n".join(["", *ordered, ""]), size)
        else:
            self._vocabulary = self._vocabulary._replace(size=size)


class _Judge:
    """Scores documents against one question."""

    def __init__(self, wishes: Iterable[Wish], vocabulary: Vocabulary) -> None:
        self._wishes = [(max(wish.values()), wish) for wish in wishes]
        self._most = sum(most for most, _ in self._wishes)
        self._weight = vocabulary.weight

    def score(self, document: Document) -> float:
        """Return how well a tool fits: by the best form of each wish, and by the share of the wishes that are met."""
        total = met = 0.0
        named: dict[str, float] = {}
        weights = document.weights
        for most, wish in self._wishes:
            best = 0.0
            for term in wish.keys() & weights.keys():
                best = max(best, wish[term] * weights[term])
                if term in document.name:
                    named[term] = max(named.get(term, 0.0), wish[term])
            if best:
                total += best
                met += most
        covered = 1 - _COVERAGE + _COVERAGE * met / self._most
        return total * covered * (1 + _NAMED * self._share_of_name(document, named))

    def _share_of_name(self, document: Document, named: Mapping[str, float]) -> float:
        if not named:
            return 0.0
        return sum(named.values()) / sum(map(self._weight, document.name))
