"""How deep a value may be nested before the compiled engine would take too long.

The engine evaluates every reference anew. Where a schema applies two references to the same value and they lead back to
it for what is inside, every level doubles the work. This computes, without any value, an upper bound of how often the
engine evaluates subschemas on one place of a value at each depth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolwright.schema.document import Document
from toolwright.schema.editions import Node, Step, children
from toolwright.values import MAX_DEPTH

__all__ = ["safe_depth"]

_MOST_EVALUATIONS: Final = 1_000
# On one place of a value: 50 us or so. Unions of two hundred alternatives stay below it.
_MOST_EFFORT: Final = 200_000
# Additions spent on the bound itself, 0.1 s or so; a schema that would take more is never given to the engine.

_UNEVALUATED: Final = frozenset(["unevaluatedProperties", "unevaluatedItems"])
_REVISITS: Final = 3
# To find out what was evaluated the engine evaluates again; nested, each level measured 2.7 times the one below.

_EVERY_PROPERTY: Final = ("patternProperties", "propertyNames", "unevaluatedProperties")
_EVERY_ITEM: Final = ("contains", "unevaluatedItems")

_TOTAL: Final = 0
# Stands for "any subschema" in a tally, where the other keys are the ids of subschemas.
_Tally = dict[int, int]


def safe_depth(document: Document) -> int:
    """Return how deep a value may be nested to be given to the engine; -1 where none may be."""
    if not document.has_references and _UNEVALUATED.isdisjoint(document.keywords):
        return MAX_DEPTH
    if document.dynamic or isinstance(document.root, bool):
        return -1
    try:
        return _Bound(document).depth(document.root)
    except _TooMuchError:
        return -1


class _TooMuchError(Exception):
    """The bound itself would take too long to compute."""


class _Bound:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._effort = 0
        self._here: dict[int, _Tally] = {}
        self._inside: dict[int, _Tally] = {}

    def depth(self, root: dict[str, Any]) -> int:
        nodes = {id(node): node for node in self._document.schemas}
        counts = self._tally(root)
        for depth in range(MAX_DEPTH + 1):
            if counts.get(_TOTAL, 0) > _MOST_EVALUATIONS:
                return depth - 1
            following = self._sum((self._below(nodes[key]), count) for key, count in counts.items() if key != _TOTAL)
            if following == counts or not following:
                break
            counts = following
        return MAX_DEPTH

    def _tally(self, start: Node) -> _Tally:
        """Return how often each subschema is evaluated on the value that one of them is applied to."""
        if isinstance(start, bool):
            return {_TOTAL: 1}
        waiting = [start]
        while waiting:
            node = waiting[-1]
            below = [child for child in self._document.in_place(node) if isinstance(child, dict)]
            missing = [child for child in below if id(child) not in self._here]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if id(node) not in self._here:
                weight = 1 if _UNEVALUATED.isdisjoint(node) else _REVISITS
                tally = self._sum((self._here[id(child)], weight) for child in below)
                self._here[id(node)] = self._sum([(tally, 1), ({_TOTAL: 1, id(node): 1}, 1)])
        return self._here[id(start)]

    def _below(self, node: dict[str, Any]) -> _Tally:
        """Return how often each subschema is evaluated on one property or one item, whichever is worse."""
        known = self._inside.get(id(node))
        if known is None:
            by_keyword: dict[str, list[_Tally]] = defaultdict(list)
            steps = self._document.dialect.applicators
            for keyword, argument in node.items():
                if steps.get(keyword) in (Step.PROPERTY, Step.ITEM):
                    by_keyword[keyword] += [self._tally(child) for _, child in children(keyword, argument)]
            known = self._inside[id(node)] = self._worst(by_keyword)
        return known

    def _worst(self, by_keyword: Mapping[str, list[_Tally]]) -> _Tally:
        worst: _Tally = {}
        for step, shared in ((Step.PROPERTY, _EVERY_PROPERTY), (Step.ITEM, _EVERY_ITEM)):
            applicators = [key for key in by_keyword if self._document.dialect.applicators[key] is step]
            # A value has one property of a name and one item at an index: of these schemas one applies, not all.
            one_of = [tally for key in applicators if key not in shared for tally in by_keyword[key]]
            all_of = [tally for key in applicators if key in shared for tally in by_keyword[key]]
            worst = self._most([worst, self._sum([(self._most(one_of), 1), *((tally, 1) for tally in all_of)])])
        return worst

    def _sum(self, tallies: Iterable[tuple[_Tally, int]]) -> _Tally:
        total: _Tally = defaultdict(int)
        for tally, weight in tallies:
            self._spend(len(tally))
            for key, count in tally.items():
                # What is beyond all bounds need not be exact, and must not become a number of a thousand digits.
                total[key] = min(total[key] + count * weight, _MOST_EFFORT)
        return dict(total)

    def _most(self, tallies: Iterable[_Tally]) -> _Tally:
        most: _Tally = {}
        for tally in tallies:
            self._spend(len(tally))
            for key, count in tally.items():
                most[key] = max(most.get(key, 0), count)
        return most

    def _spend(self, effort: int) -> None:
        self._effort += effort + 1
        if self._effort > _MOST_EFFORT:
            raise _TooMuchError
