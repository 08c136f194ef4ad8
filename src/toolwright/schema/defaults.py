"""Filling in what a schema says a missing property stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolwright.errors import NotJsonError
from toolwright.schema.document import Document
from toolwright.schema.editions import Node, Place
from toolwright.schema.evaluate import Evaluation
from toolwright.schema.faults import Unanswerable
from toolwright.schema.notes import inner_schemas, members_of, spread
from toolwright.schema.plain import make_plain
from toolwright.values import freeze, thaw

__all__ = ["fill_defaults", "flat_defaults"]

# What a schema may say beside its properties without any of it applying another schema to the value itself.
_PLAIN: Final = frozenset(
    "$schema $defs definitions type title description examples properties required additionalProperties".split()
)
_ELSEWHERE: Final = frozenset(["default", "$ref", "$dynamicRef", "$recursiveRef"])


def flat_defaults(node: Node) -> Mapping[str, Any] | None:
    """Return the defaults, frozen, of a schema that has some for its own properties and nowhere else.

    None where it takes a look at the value to know them; :func:`fill_defaults` does that.
    """
    if isinstance(node, bool) or not node.keys() <= _PLAIN:
        return None
    found: dict[str, Any] = {}
    for name, schema in node.get("properties", {}).items():
        if isinstance(schema, bool):
            continue
        if _looks_elsewhere({key: each for key, each in schema.items() if key != "default"}):
            return None
        if "default" in schema:
            found[name] = freeze(schema["default"])
    return None if _looks_elsewhere(node.get("additionalProperties")) else found


def _looks_elsewhere(part: Any) -> bool:
    if part.__class__ is dict:
        return not _ELSEWHERE.isdisjoint(part) or any(map(_looks_elsewhere, part.values()))
    return part.__class__ is list and any(map(_looks_elsewhere, part))


def fill_defaults(document: Document, root: Node, value: Any) -> Any:
    """Return a value with the defaults of missing properties; the value itself where none is missing.

    A value that is not JSON, or that cannot be judged within limits, is returned as it is: validation says so.
    """
    if "default" not in document.keywords:
        return value
    try:
        plain = make_plain(value)
        filled = _fill(Evaluation(document), [root], plain, ())
    except (NotJsonError, Unanswerable, RecursionError):
        return value
    return value if filled is plain else filled


def _fill(run: Evaluation, schemas: list[Node], value: Any, place: Place) -> Any:
    members = members_of(value)
    if members is None:
        return value
    here = spread(run, schemas, value, place)
    changed: dict[str | int, Any] = {}
    for key, member in members:
        filled = _fill(run, inner_schemas(run, here, key, (*place, key)), member, (*place, key))
        if filled is not member:
            changed[key] = filled
    if value.__class__ is list:
        return [changed.get(index, item) for index, item in enumerate(value)] if changed else value
    missing = {name: default for name, default in _defaults(run, here).items() if name not in value}
    return {**value, **changed, **missing} if changed or missing else value


def _defaults(run: Evaluation, schemas: list[dict[str, Any]]) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for node in schemas:
        for name, schema in node.get("properties", {}).items():
            for part in run.document.certain(schema):
                if "default" in part and name not in found:
                    found[name] = thaw(part["default"])
    return found
