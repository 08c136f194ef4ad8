"""What is worth knowing about a value though it may be valid: deprecated properties, unusual sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from toolwright.schema.document import Document
from toolwright.schema.editions import Node, Place
from toolwright.schema.evaluate import Evaluation
from toolwright.schema.evaluated import applied
from toolwright.schema.plain import LARGE_ARRAY, LARGE_TEXT
from toolwright.schema.report import ValidationIssue
from toolwright.schema.wording import to_path

__all__ = ["find_notes", "inner_schemas", "members_of", "spread"]

_MOST_NOTES: Final = 100
_MOST_VISITED: Final = 100_000
_CONTAINERS: Final[frozenset[type]] = frozenset([dict, list])
_INSTEAD: Final = re.compile(r"\buse\s+[`'\"]?(\w+)", re.IGNORECASE)


def spread(run: Evaluation, schemas: list[Node], value: Any, place: Place) -> list[dict[str, Any]]:
    """Return all the schemas that speak about a value at a place, starting from some that do; each once."""
    found: dict[int, dict[str, Any]] = {}
    waiting = list(schemas)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, dict) and id(node) not in found:
            found[id(node)] = node
            waiting += applied(run, node, value, place)
    return list(found.values())


def inner_schemas(run: Evaluation, schemas: list[dict[str, Any]], key: str | int, place: Place) -> list[Node]:
    """Return what some schemas say about one property or item of the value that they are applied to."""
    return [inner for node in schemas for inner in _inner(run, node, key, place)]


def _inner(run: Evaluation, node: dict[str, Any], key: str | int, place: Place) -> Iterator[Node]:
    if isinstance(key, int):
        yield from _inner_item(node, key, "prefixItems" if run.document.dialect.number >= 20 else "items")
        return
    patterns = node.get("patternProperties", {})
    found = [schema for pattern, schema in patterns.items() if run.matches(pattern, key, place)]
    if key in node.get("properties", ()):
        found.append(node["properties"][key])
    yield from found or [node.get("additionalProperties", True)]


def _inner_item(node: dict[str, Any], index: int, positional: str) -> Iterator[Node]:
    first: Any = node.get(positional)
    if first.__class__ is not list:
        yield node.get("items", True)
    elif index < len(first):
        yield first[index]
    else:
        yield node.get("items" if positional == "prefixItems" else "additionalItems", True)


def find_notes(document: Document, root: Node, value: Any) -> Iterator[ValidationIssue]:
    """Go through the warnings that a plain value deserves, the first hundred of them."""
    run = Evaluation(document)
    waiting: list[tuple[Place, Any, list[Node], list[dict[str, Any]]]] = [((), value, [root], [])]
    any_place = "deprecated" in document.keywords
    noted = visited = 0
    while waiting and noted < _MOST_NOTES and visited < _MOST_VISITED:
        visited += 1
        place, item, schemas, around = waiting.pop()
        here = spread(run, schemas, item, place)
        for note in _notes(place, item, here, around):
            noted += 1
            yield note
        for key, member in reversed(_of_interest(item, any_place=any_place)):
            waiting.append(((*place, key), member, inner_schemas(run, here, key, (*place, key)), here))


def members_of(value: Any) -> list[tuple[str | int, Any]] | None:
    """Return what is inside a plain value, by key or index; ``None`` where it is neither an object nor an array."""
    if value.__class__ is dict:
        members: dict[str, Any] = value
        return list(members.items())
    if value.__class__ is list:
        items: list[Any] = value
        return list(enumerate(items))
    return None


def _of_interest(value: Any, *, any_place: bool) -> list[tuple[str | int, Any]]:
    """Return the members that may deserve a note: where nothing is deprecated, what is or holds something large."""
    members = members_of(value)
    if members is None:
        return []
    if any_place:
        return members
    return [(key, item) for key, item in members if item.__class__ in _CONTAINERS or _is_large_text(item)]


def _is_large_text(value: Any) -> bool:
    return value.__class__ is str and len(value) > LARGE_TEXT


def _notes(
    place: Place, value: Any, schemas: list[dict[str, Any]], around: list[dict[str, Any]]
) -> Iterator[ValidationIssue]:
    if place and any(node.get("deprecated") is True for node in schemas):
        yield ValidationIssue.deprecated(to_path(place), use=_replacement(schemas, around))
    if _is_large_text(value) and not _limits(schemas, "maxLength"):
        yield ValidationIssue.large_value(to_path(place), f"{len(value):,} characters")
    if value.__class__ is list and len(value) > LARGE_ARRAY and not _limits(schemas, "maxItems"):
        yield ValidationIssue.large_value(to_path(place), f"{len(value):,} items")


def _limits(schemas: list[dict[str, Any]], keyword: str) -> bool:
    return any(keyword in node or "enum" in node or "const" in node for node in schemas)


def _replacement(schemas: list[dict[str, Any]], around: list[dict[str, Any]]) -> str | None:
    """Return the property that a deprecated one tells to use instead: in ``x-use-instead``, or in its description."""
    siblings = {name for node in around for name in node.get("properties", ())}
    for node in schemas:
        instead = node.get("x-use-instead")
        if isinstance(instead, str):
            return instead
        for name in _INSTEAD.findall(str(node.get("description", ""))):
            if name in siblings:
                return str(name)
    return None
