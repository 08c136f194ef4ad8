"""Several schemas that must all hold, as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolwright.values import encode

__all__ = ["merge"]

_FIRST: Final = frozenset({"title", "description", "default", "examples", "$comment", "deprecated", "readOnly"})
_LARGEST: Final = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"})
_SMALLEST: Final = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"})


class _Conflict(Exception):  # noqa: N818  (a signal that never leaves this module)
    """Two schemas say what one cannot."""


def merge(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any] | None:
    """Return the one schema that holds where both do, or None where there is none without ``allOf``.

    Words (titles, descriptions, defaults) are those of the first.
    """
    try:
        return _merge(first, second)
    except (_Conflict, RecursionError):
        return None


def _merge(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    merged = {**second, **first}
    for keyword in first.keys() & second.keys():
        one, other = first[keyword], second[keyword]
        if keyword in _FIRST or _same(one, other):
            continue
        if keyword in _LARGEST or keyword in _SMALLEST:
            merged[keyword] = (max if keyword in _LARGEST else min)(one, other)
        elif keyword in _RULES:
            merged[keyword] = _RULES[keyword](one, other)
        else:
            raise _Conflict
    return _closed(merged, first, second)


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and encode(one, canonical=True) == encode(other, canonical=True)


def _closed(merged: dict[str, Any], first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Leave out the properties of one schema that the other does not allow."""
    for schema, other in ((first, second), (second, first)):
        extra = schema.get("additionalProperties", True)
        names = other.get("properties", {}).keys() - schema.get("properties", {}).keys()
        if extra is True or not names:
            continue
        if extra is not False or "patternProperties" in schema or names & set(merged.get("required", ())):
            raise _Conflict
        merged["properties"] = {name: value for name, value in merged["properties"].items() if name not in names}
    return merged


def _types(one: Any, other: Any) -> Any:
    ours, theirs = ([kinds] if isinstance(kinds, str) else list(kinds) for kinds in (one, other))
    common = [kind for kind in ours if kind in theirs or (kind == "integer" and "number" in theirs)]
    common += [kind for kind in theirs if kind == "integer" and "number" in ours and kind not in common]
    if not common:
        raise _Conflict
    return common[0] if len(common) == 1 else common


def _enums(one: Any, other: Any) -> Any:
    allowed = {encode(value, canonical=True) for value in other}
    common = [value for value in one if encode(value, canonical=True) in allowed]
    if not common:
        raise _Conflict
    return common


def _maps(one: Any, other: Any) -> Any:
    return {**one, **{name: _schemas(one[name], schema) if name in one else schema for name, schema in other.items()}}


def _schemas(one: Any, other: Any) -> Any:
    if one is True or other is True:
        return other if one is True else one
    if one is False or other is False:
        return False
    return _merge(one, other)


_RULES: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "type": _types,
    "enum": _enums,
    "required": lambda one, other: [*one, *(name for name in other if name not in one)],
    "properties": _maps,
    "$defs": lambda one, other: {**other, **one},
    "items": _schemas,
    "additionalProperties": _schemas,
    "uniqueItems": lambda one, other: one or other,
}
