"""Schemas of older drafts in the words of draft 2020-12, the only one that providers know."""

from __future__ import annotations

from typing import Any, Final

from toolwright.schema.parts import children, is_schema

__all__ = ["modernize"]

_WORDS: Final = frozenset({"$ref", "$defs", "definitions", "title", "description", "default", "examples", "$comment"})
_OLD: Final = ("draft-04", "draft-06", "draft-07")


def modernize(document: dict[str, Any]) -> dict[str, Any]:
    """Rewrite a document in place and return it; ``$schema`` is gone, for it is the same everywhere now."""
    edition = str(document.pop("$schema", ""))
    old = any(draft in edition for draft in _OLD)
    waiting = [document]
    while waiting:
        schema = waiting.pop()
        if old and "$ref" in schema:  # what stands beside a reference had no meaning then
            for keyword in schema.keys() - _WORDS:
                del schema[keyword]
        _split_items(schema)
        _split_dependencies(schema)
        _number_bounds(schema)
        waiting += children(schema)
    return document


def _split_items(schema: dict[str, Any]) -> None:
    if isinstance(schema.get("items"), list):
        first = schema.pop("items")
        if first:
            schema["prefixItems"] = first
        if "additionalItems" in schema:
            schema["items"] = schema["additionalItems"]
    schema.pop("additionalItems", None)  # without a list of items it never had a meaning


def _split_dependencies(schema: dict[str, Any]) -> None:
    dependencies = schema.get("dependencies")
    if not is_schema(dependencies):
        return
    del schema["dependencies"]
    for name, needed in dependencies.items():
        home = "dependentRequired" if isinstance(needed, list) else "dependentSchemas"
        schema.setdefault(home, {})[name] = needed


def _number_bounds(schema: dict[str, Any]) -> None:
    for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(schema.get(flag), bool) and schema.pop(flag) and bound in schema:
            schema[flag] = schema.pop(bound)
