"""The ordinary value: one that is valid and about which nothing needs to be said.

A schema is narrowed so that whatever passes is valid by the schema itself, is JSON through and through, is nested no
deeper than the schema, uses nothing deprecated and is not unusually large. Compiled, that answers for nearly every call
in one step. What does not pass may still be valid: it is looked at closely.
"""

from __future__ import annotations

from typing import Any, Final

from toolwright.schema.document import Document
from toolwright.schema.editions import Node
from toolwright.schema.plain import LARGE_ARRAY, LARGE_TEXT

__all__ = ["narrow"]

_SCALARS: Final = ("null", "boolean", "number", "string")
_MOST_UNIQUE: Final = 256
# The engine compares numbers beyond 64 bits one with each other; with this many it takes 30 ms.

_WORDS: Final = frozenset(["$comment", "$schema", "default", "description", "examples", "format", "readOnly", "title"])
_LIMITS: Final = frozenset(
    "const enum exclusiveMaximum exclusiveMinimum maximum maxItems maxLength maxProperties minimum minItems minLength"
    " minProperties multipleOf pattern required type".split()
)
_INSIDE: Final = frozenset(["additionalProperties", "items", "prefixItems", "properties"])
_UNIONS: Final = frozenset(["allOf", "anyOf"])
_KNOWN: Final = (
    {"uniqueItems"} | _WORDS | _LIMITS | _INSIDE | _UNIONS | {"$ref", "$defs", "definitions", "deprecated", "writeOnly"}
)


class _NotPlainError(Exception):
    """The schema says more than can be narrowed without a closer look at its meaning."""


def narrow(document: Document) -> Node | None:
    """Return the schema of the ordinary value, or ``None`` where there is no telling from the schema alone."""
    if document.dialect.number not in (7, 20) or document.has_resources:
        return None
    if any(key not in _KNOWN and not key.startswith("x-") for key in document.keywords) or _is_recursive(document):
        return None
    try:
        return _narrow(document.root, document.dialect.number)
    except _NotPlainError:
        return None


def _is_recursive(document: Document) -> bool:
    """Tell whether a reference leads to something that stands around it, or refers back to it."""
    if not document.has_references:
        return False
    open_: set[int] = set()
    finished: set[int] = set()
    waiting: list[tuple[Node, bool]] = [(document.root, False)]
    while waiting:
        node, left = waiting.pop()
        if not isinstance(node, dict):
            continue
        if left:
            open_.discard(id(node))
            finished.add(id(node))
        elif id(node) in open_:
            return True
        elif id(node) not in finished:
            open_.add(id(node))
            waiting.append((node, True))
            waiting += [(child, False) for child in document.used(node)]
    return False


def _narrow(node: Node, dialect: int) -> Node:
    if node is False:
        return False
    if node is True:
        return _close({}, {}, dialect)
    if node.get("deprecated") is True:
        return False
    narrowed: dict[str, Any] = {key: node[key] for key in _LIMITS & node.keys()}
    if "format" in node:
        narrowed["format"] = node["format"]
    for keyword in ("$defs", "definitions"):
        if keyword in node:
            narrowed[keyword] = {name: _narrow(child, dialect) for name, child in node[keyword].items()}
    if "$ref" in node:
        if not node["$ref"].startswith(("#/$defs/", "#/definitions/")):
            raise _NotPlainError
        narrowed["$ref"] = node["$ref"]
    for keyword in _UNIONS & node.keys():
        narrowed[keyword] = [_narrow(child, dialect) for child in node[keyword]]
    if not narrowed.keys() & {"$ref", "allOf", "anyOf", "enum", "const"}:
        return _close(node, narrowed, dialect)
    if _INSIDE & node.keys() or "uniqueItems" in node:
        raise _NotPlainError
    return narrowed


def _close(node: dict[str, Any], narrowed: dict[str, Any], dialect: int) -> Node:
    """Leave nothing open that a value of the node's type could hold."""
    types = node.get("type", list(_SCALARS))
    if "type" not in node and _INSIDE & node.keys():
        types = [*_SCALARS, "object", "array"]
    types = [types] if isinstance(types, str) else types
    if "string" in types:
        narrowed.setdefault("maxLength", LARGE_TEXT)
    if "object" in types:
        narrowed["properties"] = {name: _narrow(each, dialect) for name, each in node.get("properties", {}).items()}
        narrowed["additionalProperties"] = _narrow(node.get("additionalProperties", False), dialect)
    if "array" in types:
        _close_array(node, narrowed, dialect)
    return {**narrowed, **_typed(types, narrowed)}


def _typed(types: list[str], narrowed: dict[str, Any]) -> dict[str, Any]:
    """Return the types as the engine must be asked for them.

    Integers that Python cannot write (beyond 4,300 digits) it takes for small ones, whatever limits there are; only
    where a number and nothing else is wanted it refuses them.
    """
    if "integer" not in types and "number" not in types:
        return {"type": types if len(types) > 1 else types[0]}
    others = [name for name in types if name not in ("integer", "number")]
    number: dict[str, Any] = {"type": "number"}
    if "number" not in types:
        number = (
            {**number, "multipleOf": 1} if "multipleOf" not in narrowed else {**number, "allOf": [{"multipleOf": 1}]}
        )
    return {"anyOf": [number, {"type": others}]} if others else number


def _close_array(node: dict[str, Any], narrowed: dict[str, Any], dialect: int) -> None:
    items = node.get("items", False)
    if isinstance(items, list):
        raise _NotPlainError
    most = narrowed.get("maxItems", LARGE_ARRAY)
    narrowed["items"] = _narrow(items, dialect)
    if dialect >= 20 and "prefixItems" in node:
        narrowed["prefixItems"] = [_narrow(child, dialect) for child in node["prefixItems"]]
    narrowed["maxItems"] = most
    if node.get("uniqueItems") is True:
        narrowed["maxItems"] = min(most, _MOST_UNIQUE)
        # In two steps, so that nothing is compared before the items are known to be few.
        narrowed |= {"if": {"maxItems": _MOST_UNIQUE}, "then": {"uniqueItems": True}}
