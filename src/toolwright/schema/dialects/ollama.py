"""Ollama's tools, whose server reads a handful of keywords and drops all others without a word."""

from __future__ import annotations

from typing import Any, Final

from toolwright.schema.dialects.changes import Changes
from toolwright.schema.dialects.rewriter import Rewriter, Schema, kinds_of
from toolwright.schema.dialects.roots import open_root
from toolwright.schema.dialects.words import tell
from toolwright.schema.parts import is_schema
from toolwright.values import join_path

__all__ = ["ollama"]

_KEPT: Final = frozenset({"type", "description", "enum", "required"})
_HANDLED: Final = frozenset({"properties", "items", "prefixItems", "const"})
_ROOT: Final = ("allOf", "anyOf", "const", "enum", "not", "oneOf")


def ollama(document: Schema, changes: Changes) -> Schema:
    """Return the schema of a function's parameters."""
    root = open_root(document, changes, _ROOT, "Ollama")
    return _Ollama(document, changes).rewrite(root, "")


class _Ollama(Rewriter):
    def anything(self, words: Schema, path: str) -> Schema:
        return self._told({}, words, path)

    def union(self, words: Schema, branches: list[Schema], path: str) -> Schema:
        forms = [self.rewrite(branch, path) for branch in branches]
        return self._told({"anyOf": forms} if forms else {}, words, path)

    def _told(self, form: Schema, words: Schema, path: str) -> Schema:
        if "description" in words:
            form["description"] = words["description"]
        tell(form, [self.dropped(key, value, path) for key, value in words.items() if key not in form])
        return form

    def leaf(self, schema: Schema, path: str) -> Schema:
        form = {keyword: value for keyword, value in schema.items() if keyword in _KEPT}
        remarks = [
            self.dropped(keyword, value, path)
            for keyword, value in schema.items()
            if keyword not in _KEPT | _HANDLED and (keyword, value) != ("additionalProperties", False)
        ]
        if "const" in schema:
            form["enum"] = [schema["const"]]
        if "type" not in schema and "enum" in form:
            kinds = kinds_of(schema)
            form["type"] = kinds[0] if len(kinds) == 1 else kinds
        properties: dict[str, Any] = schema.get("properties", {})
        if properties:
            form["properties"] = {
                name: self.rewrite(inner, join_path(path, name))
                for name, inner in properties.items()
                if inner is not False
            }
        elif "properties" in schema:
            form["properties"] = {}
        if is_schema(schema.get("items")):
            form["items"] = self.rewrite(schema["items"], f"{path}[]")
        if "prefixItems" in schema:
            self._tuple(schema, path, form, remarks)
        tell(form, remarks)
        return form

    def _tuple(self, schema: Schema, path: str, form: Schema, remarks: list[str]) -> None:
        forms: list[Schema] = []
        for item in schema["prefixItems"]:
            inner = self.rewrite(item, f"{path}[]")
            if inner not in forms:
                forms.append(inner)
        if "items" in form:
            forms.append(form["items"])
        form["items"] = forms[0] if len(forms) == 1 else {"anyOf": forms}
        self.changes.add(path, "prefixItems", "any of the items may stand at any place")
        remarks.append(f"in this order: {', '.join(str(inner.get('type', 'anything')) for inner in forms)}")
