"""The careful evaluator: what exactly is wrong with a value, keyword by keyword.

The compiled engine says yes or no, fast; this says what, where and why, in bounded time for every schema. What it has
found out about a subschema and a place it remembers, so that references and alternatives that double at every level do
not double the work. It words nothing: :mod:`toolwright.schema.wording` does.

Values are plain JSON (dictionaries, lists, exact built-in types), as :mod:`toolwright.schema.validate` hands them in.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, Final, TypeAlias

from toolwright.schema import engine
from toolwright.schema.document import Document
from toolwright.schema.editions import Node, Place
from toolwright.schema.faults import MOST_FAULTS, Fault, NotPlainError, Unanswerable
from toolwright.schema.keywords import Check, checks_for, fits_by_kind
from toolwright.schema.plain import PLAIN, same_key

__all__ = ["Evaluation"]

_Plan: TypeAlias = "tuple[tuple[Check, Any], ...]"
_Memory: TypeAlias = "dict[tuple[object, ...], list[Fault]]"

_NONE: Final[Sequence[Fault]] = ()
_REVISITED: Final = frozenset(["unevaluatedProperties", "unevaluatedItems"])
_MOST_GUESSES: Final = 20


class Evaluation:
    """One value held against one schema document; made anew for every value."""

    __slots__ = ("_guesses", "_memory", "_plans", "_scope", "document", "formats")

    def __init__(self, document: Document) -> None:
        self.document: Final = document
        self.formats: Final = not document.names_dialect
        self._plans: dict[type, dict[int, _Plan]] = document.plans
        # Without references every subschema meets every place once: then remembering only costs.
        remembers = document.has_references or not _REVISITED.isdisjoint(document.keywords)
        self._memory: _Memory | None = {} if remembers else None
        self._scope: list[str] = [""]
        self._guesses = 0

    def faults(self, node: Node, value: Any, place: Place) -> Sequence[Fault]:
        """Return everything that is wrong with a value at a place, by one subschema; nothing if it is valid.

        Raises:
            NotPlainError: The value there is not plain JSON.
            Unanswerable: It cannot be told within limits.
            RecursionError: The value is nested too deeply for the schema.
        """
        plan = self.plan(node, value)
        return self.carry_out(plan, node, value, place) if plan else _NONE

    def plan(self, node: Node, value: Any) -> _Plan:
        """Return what is left to check for values of this type; nothing, where the type says it all."""
        kind = value.__class__
        plans = self._plans.get(kind)
        if plans is None:
            if kind not in PLAIN:
                raise NotPlainError
            plans = self._plans[kind] = {}
        plan = plans.get(id(node))
        if plan is None:
            plan = plans[id(node)] = self._make_plan(node, kind)
        return plan

    def _make_plan(self, node: Node, kind: type) -> _Plan:
        dialect = self.document.dialect
        checks = checks_for(dialect.number)[kind]
        if isinstance(node, bool):
            return () if node else ((checks["false"], None),)
        keywords = {"$ref": node["$ref"]} if dialect.ref_stands_alone and "$ref" in node else node
        plan = [(checks[key], argument) for key, argument in keywords.items() if key in checks]
        if "$ref" in keywords:
            plan[plan.index((checks["$ref"], node["$ref"]))] = (checks["$ref"], self.document.target(node, "$ref"))
        if fits_by_kind(kind, keywords.get("type", ())):
            plan.remove((checks["type"], node["type"]))
        return ((checks["finite"], None), *plan) if kind is float else tuple(plan)

    def carry_out(self, plan: _Plan, node: Any, value: Any, place: Place) -> Sequence[Fault]:
        """Return what the checks of a plan find."""
        if self._memory is not None:
            return self._remember(self._memory, plan, node, value, place)
        found: list[Fault] = []
        for check, argument in plan:
            check(self, argument, value, place, node, found)
            if len(found) >= MOST_FAULTS:
                break
        return found

    def _remember(self, memory: _Memory, plan: _Plan, node: Any, value: Any, place: Place) -> Sequence[Fault]:
        """Do the same, once for each subschema and place."""
        entered = self.document.dynamic and self._enter(node)
        try:
            key = (id(node), place, *self._scope) if self.document.dynamic else (id(node), place)
            found = memory.get(key)
            if found is None:
                # The same loop again: a call more would be a level less that values may be nested.
                found = memory[key] = []
                for check, argument in plan:
                    check(self, argument, value, place, node, found)
                    if len(found) >= MOST_FAULTS:
                        break
            return found
        finally:
            if entered:
                self._scope.pop()

    def _enter(self, node: Any) -> bool:
        """Note that evaluation has come into another resource: dynamic references mean something else from there."""
        base = self._scope[-1] if node.__class__ is bool else self.document.base(node)
        if base == self._scope[-1]:
            return False
        self._scope.append(base)
        return True

    def fits(self, node: Node, value: Any, place: Place) -> bool:
        """Tell whether a value at a place is valid by one subschema."""
        return not self.faults(node, value, place)

    def target(self, node: dict[str, Any], keyword: str) -> Node | str:
        """Return what a reference leads to from where the evaluation stands."""
        if keyword == "$ref":
            return self.document.target(node, keyword)
        return self.document.dynamic_target(node, keyword, self._scope)

    def matches(self, pattern: str, text: str, place: Place) -> bool:
        """Tell whether a regular expression occurs in a text.

        Raises:
            Unanswerable: The expression needs backtracking, and too much of it.
        """
        matchers = self.document.matchers
        if pattern not in matchers:
            matchers[pattern] = engine.find_matcher(pattern, engine.expression_room(self.document))
        matcher: engine.Matcher | None = matchers[pattern]
        answer = matcher.matches(text) if matcher else None
        if answer is None:
            raise Unanswerable(place, "cannot be matched against its pattern within limits; use a shorter text")
        return answer

    def options(self, enum: list[Any]) -> Container[object]:
        """Return the keys of the values that an ``enum`` allows."""
        keys = self.document.options.get(id(enum))
        if keys is None:
            keys = self.document.options[id(enum)] = frozenset(map(same_key, enum))
        return keys

    def may_guess(self) -> bool:
        """Tell whether one more guess at a misspelt name is worth its time; the first few help, hundreds do not."""
        self._guesses += 1
        return self._guesses <= _MOST_GUESSES
