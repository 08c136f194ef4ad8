"""Providers that take JSON Schema as it is, but for the outermost schema and a few oddities."""

from __future__ import annotations

import re
from typing import Any, Final

from toolwright.schema.dialects.changes import Changes
from toolwright.schema.dialects.rewriter import Schema
from toolwright.schema.dialects.roots import open_root
from toolwright.schema.parts import children

__all__ = ["anthropic", "mcp", "openai"]

# "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level"
_OPENAI_REFUSES: Final = ("allOf", "anyOf", "const", "enum", "not", "oneOf")
# "input schema does not support oneOf, allOf, or anyOf at the top level"
_ANTHROPIC_REFUSES: Final = ("allOf", "anyOf", "oneOf")
# "Property keys should match pattern"; said of the outermost properties only.
_ANTHROPIC_NAME: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def openai(document: Schema, changes: Changes) -> Schema:
    """Return the schema for functions that are not strict."""
    root = open_root(document, changes, _OPENAI_REFUSES, "OpenAI")
    if root.get("type") == "object":
        root.setdefault("properties", {})  # "object schema missing properties"
    waiting = [root]
    while waiting:
        schema = waiting.pop()
        kinds: Any = schema.get("type", ())
        if "items" not in schema and ("array" in kinds if isinstance(kinds, (list, tuple)) else kinds == "array"):
            schema["items"] = {}  # "array schema missing items"
        waiting += children(schema)
    return root


def anthropic(document: Schema, changes: Changes) -> Schema:
    """Return the schema for a tool's input."""
    root = open_root(document, changes, _ANTHROPIC_REFUSES, "Anthropic")
    required = root.get("required", ())
    kept: dict[str, Any] = {}
    for name, schema in root.get("properties", {}).items():
        legal = _ANTHROPIC_NAME.fullmatch(name) is not None
        if legal or name in required:
            kept[name] = schema
        if not legal:
            note = "will be refused: rename it" if name in required else "left out"
            changes.add(name, "properties", f"Anthropic wants 1 to 64 letters, digits, _, . or - for a name; {note}")
    return {**root, "properties": kept} if "properties" in root else root


def mcp(document: Schema, changes: Changes) -> Schema:
    """Return the schema as a server lists it: any object."""
    return open_root(document, changes, (), "MCP")
