"""Which schemas speak about a value at a place, and which of its properties and items they have spoken about.

The second is for the ``unevaluated`` keywords. An alternative counts where the value is valid by it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolwright.schema.editions import Node, Place
    from toolwright.schema.evaluate import Evaluation

__all__ = ["applied", "evaluated_items", "evaluated_names"]


def evaluated_names(run: Evaluation, node: dict[str, Any], value: dict[str, Any], place: Place) -> set[str]:
    """Return the properties of an object that a schema, or what it applies in place, has spoken about."""
    names: set[str] = set()
    defined = node.get("properties", {})
    patterns = node.get("patternProperties", ())
    for name in value:
        if (
            name in defined
            or "additionalProperties" in node
            or any(run.matches(pattern, name, (*place, name)) for pattern in patterns)
        ):
            names.add(name)
    for branch in applied(run, node, value, place):
        if isinstance(branch, dict):
            names |= set(value) if "unevaluatedProperties" in branch else evaluated_names(run, branch, value, place)
    return names


def evaluated_items(run: Evaluation, node: dict[str, Any], value: list[Any], place: Place) -> Container[int]:
    """Return the indexes of an array that a schema, or what it applies in place, has spoken about."""
    latest = run.document.dialect.number >= 20
    items: Any = node.get("items")
    first: Any = node.get("prefixItems" if latest else "items")
    indexes = set(range(len(first) if first.__class__ is list else 0))
    if "items" in node and items.__class__ is not list:
        return range(len(value))
    if items.__class__ is list and "additionalItems" in node and not latest:
        return range(len(value))
    if latest and "contains" in node:
        indexes |= {index for index, item in enumerate(value) if run.fits(node["contains"], item, (*place, index))}
    for branch in applied(run, node, value, place):
        if isinstance(branch, dict):
            whole = "unevaluatedItems" in branch
            others = range(len(value)) if whole else evaluated_items(run, branch, value, place)
            indexes |= {index for index in range(len(value)) if index in others}
    return indexes


def applied(run: Evaluation, node: dict[str, Any], value: Any, place: Place) -> Iterator[Node]:
    """Go through the schemas that a schema applies to the same value: all that must hold, and alternatives that do."""
    document = run.document
    for keyword in document.references(node):
        target = run.target(node, keyword)
        if not isinstance(target, str):
            yield target
    if document.dialect.ref_stands_alone and "$ref" in node:
        return
    yield from node.get("allOf", ())
    for branch in _alternatives(run, node, value, place):
        if run.fits(branch, value, place):
            yield branch


def _alternatives(run: Evaluation, node: dict[str, Any], value: Any, place: Place) -> Iterator[Node]:
    applicators = run.document.dialect.applicators
    yield from node.get("anyOf", ())
    yield from node.get("oneOf", ())
    if value.__class__ is dict:
        for keyword in ("dependentSchemas", "dependencies"):
            needs: dict[str, Any] = node.get(keyword, {}) if keyword in applicators else {}
            yield from (needs[name] for name in needs if name in value and needs[name].__class__ is not list)
    if "if" in node and "if" in applicators:
        yield node["if"]
        yield node.get("then" if run.fits(node["if"], value, place) else "else", True)
