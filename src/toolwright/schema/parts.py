"""The parts of a schema document: the schemas inside it, and what its references point at.

This module knows which keywords hold schemas, and nothing of what they mean. Documents are plain values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeGuard
from urllib.parse import unquote

__all__ = ["children", "is_schema", "lookup", "pointer", "references", "subschemas"]

_ONE: Final = frozenset({
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
_MANY: Final = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
_NAMED: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)


def is_schema(found: object) -> TypeGuard[dict[str, Any]]:
    """Tell whether what stands in the place of a schema is one with keywords, and not merely true or false."""
    return isinstance(found, dict)


def _is_list(found: object) -> TypeGuard[list[Any]]:
    return isinstance(found, list)


def children(schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the schemas directly inside a schema; those that are merely true or false are left out."""
    for keyword, inside in schema.items():
        if is_schema(inside):
            if keyword in _ONE:
                yield inside
            elif keyword in _NAMED:
                yield from filter(is_schema, inside.values())
        elif keyword in _MANY and _is_list(inside):
            yield from filter(is_schema, inside)


def lookup(document: Mapping[str, Any], reference: object) -> Any:
    """Return what a reference inside the document points at (``#/$defs/Node``), or None where it points nowhere."""
    words = pointer(reference)
    found: Any = None if words is None else document
    for word in words or ():
        found = _step(found, word)
    return found


def pointer(reference: object) -> list[str] | None:
    """Return the names and indexes that a reference inside a document leads through; None for any other reference."""
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
        return None
    return [unquote(word).replace("~1", "/").replace("~0", "~") for word in reference.split("/")[1:]]


def _step(found: Any, word: str) -> Any:
    try:
        return found[word] if is_schema(found) else found[int(word)]
    except (LookupError, TypeError, ValueError):
        return None


def subschemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema and every schema inside it."""
    waiting = [schema]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += children(current)


def references(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every schema in a document, itself included, that is a reference."""
    return (inner for inner in subschemas(schema) if "$ref" in inner)
