"""Gemini's ``Schema``, a part of OpenAPI 3.0.

It has no references, no constants and no lists of types, and it refuses a request with a keyword that it does not know.
(The newer field for plain JSON Schema is not offered by every endpoint, and is not meant here.)
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor
from typing import Any, Final

from toolwright.schema.dialects.changes import Changes
from toolwright.schema.dialects.rewriter import Rewriter, Schema, kind_of, kinds_of
from toolwright.schema.dialects.roots import open_root
from toolwright.schema.dialects.words import SILENT, in_words, tell
from toolwright.schema.parts import is_schema
from toolwright.values import join_path

__all__ = ["gemini"]

_WORDS: Final = frozenset({"title", "description", "default"})
_KEPT: Final[dict[str, frozenset[str]]] = {
    "string": frozenset({"minLength", "maxLength", "pattern"}),
    "integer": frozenset({"minimum", "maximum"}),
    "number": frozenset({"minimum", "maximum"}),
    "array": frozenset({"minItems", "maxItems"}),
    "object": frozenset({"minProperties", "maxProperties"}),
}
_FORMATS: Final = {
    "string": ("date-time", "enum"),  # "only 'enum' and 'date-time' are supported for STRING type"
    "integer": ("int32", "int64"),
    "number": ("float", "double"),
}
_HANDLED: Final = frozenset({"type", "properties", "required", "items", "prefixItems", "enum", "const", "nullable"})
_BELONGS: Final[dict[str, frozenset[str]]] = {
    "string": frozenset({"minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"}),
    "object": frozenset({"properties", "required", "additionalProperties", "patternProperties", "propertyNames",
                         "minProperties", "maxProperties"}),
}  # fmt: skip
_ROOT: Final = ("allOf", "anyOf", "const", "enum", "not", "oneOf")


def gemini(document: Schema, changes: Changes) -> Schema:
    """Return the schema of a function's parameters."""
    root = open_root(document, changes, _ROOT, "Gemini")
    return _Gemini(document, changes).rewrite(root, "")


class _Gemini(Rewriter):
    def anything(self, words: Schema, path: str) -> Schema:
        self.changes.add(
            path, "type", "anything is allowed, which cannot be said: text, numbers, true, false and null are"
        )
        kinds: list[Schema] = [{"type": "string", "nullable": True}, {"type": "number"}, {"type": "boolean"}]
        return self._joined(words, kinds, path)

    def union(self, words: Schema, branches: list[Schema], path: str) -> Schema:
        found = [branch for branch in branches if kinds_of(branch) != ["null"]]
        forms: list[Schema] = []
        for branch in found:
            form = self.rewrite(branch, path)
            forms += [inner for inner in form.get("anyOf", [form]) if inner not in forms]
        if not forms:
            return self._joined(words, [{"type": "null"}], path)
        if len(found) < len(branches):
            forms[0] = {**forms[0], "nullable": True}
        return self._joined(words, forms, path)

    def _joined(self, words: Schema, forms: list[Schema], path: str) -> Schema:
        """Return a union; what is said of it is said of its members, for nothing may stand beside ``anyOf``."""
        kept = {key: value for key, value in words.items() if key in _WORDS and (len(forms) == 1 or key != "default")}
        rest = [in_words(key, value) for key, value in words.items() if key not in kept and key not in SILENT]
        told: list[Schema] = []
        for form in forms:
            both = {**form, **kept} if len(forms) == 1 else {**kept, **form}
            tell(both, rest)
            told.append(both)
        return told[0] if len(told) == 1 else {"anyOf": told}

    def leaf(self, schema: Schema, path: str) -> Schema:
        kinds = kinds_of(schema)
        real = [kind for kind in kinds if kind != "null"]
        if not kinds:
            return self.anything({key: value for key, value in schema.items() if key in _WORDS}, path)
        if len(real) > 1:
            words = {key: value for key, value in schema.items() if key in _WORDS}
            return self.union(words, [_only(schema, kind) for kind in kinds], path)
        nullable = {"nullable": True} if "null" in kinds or schema.get("nullable") is True else {}
        return {**self._one(schema, real[0] if real else "null", path), **(nullable if real else {})}

    def _one(self, schema: Schema, kind: str, path: str) -> Schema:
        form: Schema = {"type": kind}
        remarks: list[str] = []
        for keyword, value in schema.items():
            if keyword in _WORDS or keyword in _KEPT.get(kind, ()) or (keyword, kind) == ("nullable", "null"):
                form[keyword] = value
            elif keyword == "format" and value in _FORMATS.get(kind, ()):
                form["format"] = value
            elif keyword not in _HANDLED and (keyword, value) != ("additionalProperties", False):
                # That an object is closed goes without saying here: there is no way to open one.
                remarks.append(self._other(keyword, value, kind, path, form))
        self._choices(schema, kind, path, form, remarks)
        if kind == "object":
            form |= self._object(schema, path)
        if kind == "array":
            form |= self._array(schema, path, remarks)
        tell(form, remarks)
        return form

    def _other(self, keyword: str, value: Any, kind: str, path: str, form: Schema) -> str:
        """Say a keyword in another way: by a bound next to it, or in words."""
        if keyword in _OPEN_BOUNDS and kind == "integer" and isinstance(value, (int, float)):
            bound, tighter, step = _OPEN_BOUNDS[keyword]
            form[bound] = tighter(step(value), form.get(bound, step(value)))
            return ""
        return self.dropped(keyword, value, path)

    def _choices(self, schema: Schema, kind: str, path: str, form: Schema, remarks: list[str]) -> None:
        values = schema.get("enum", [schema["const"]] if "const" in schema else [])
        values = [value for value in values if value is not None]
        if not values:
            return
        if kind == "string":
            form["enum"] = [value for value in values if isinstance(value, str)]
        else:  # "only allowed for STRING type"
            keyword = "enum" if "enum" in schema else "const"
            remarks.append(self.dropped(keyword, values if keyword == "enum" else values[0], path))

    def _object(self, schema: Schema, path: str) -> Schema:
        properties: dict[str, Any] = schema.get("properties", {})
        found = {
            name: self.rewrite(inner, join_path(path, name)) for name, inner in properties.items() if inner is not False
        }
        required = [name for name in schema.get("required", ()) if name in found]
        if len(required) < len(schema.get("required", ())):
            self.changes.add(path, "required", "a property that is not defined is not asked for")
        return {**({"properties": found} if properties else {}), **({"required": required} if required else {})}

    def _array(self, schema: Schema, path: str, remarks: list[str]) -> Schema:
        inner = f"{path}[]"
        first: list[Any] = schema.get("prefixItems", [])
        rest = schema.get("items")
        if not first:
            return {"items": self.rewrite({} if rest is None else rest, inner)}
        most = schema.get("maxItems")
        if rest is not False and not (isinstance(most, int) and most <= len(first)):
            first = [*first, rest if is_schema(rest) else {}]
        limit = {"maxItems": len(first)} if rest is False and most is None else {}
        if any(item != first[0] for item in first):
            self.changes.add(path, "prefixItems", "any of the items may stand at any place")
            kinds = (" or ".join(kinds_of(item)) or "anything" for item in first if is_schema(item))
            remarks.append(f"in this order: {', '.join(kinds)}")
        return {"items": self.union({}, [item for item in first if is_schema(item)], inner), **limit}


_OPEN_BOUNDS: Final[dict[str, tuple[str, Callable[[int, int], int], Callable[[float], int]]]] = {
    "exclusiveMinimum": ("minimum", max, lambda value: floor(value) + 1),
    "exclusiveMaximum": ("maximum", min, lambda value: ceil(value) - 1),
}


def _only(schema: Schema, kind: str) -> Schema:
    """Return what a schema of several types says of one of them."""
    family = "number" if kind == "integer" else kind
    others = frozenset[str]().union(*(words for name, words in _BELONGS.items() if name != family))
    form = {key: value for key, value in schema.items() if key not in others and key not in _WORDS}
    if "enum" in schema:
        values = [
            value
            for value in schema["enum"]
            if kind_of(value) in (kind, family) or (kind, kind_of(value)) == ("number", "integer")
        ]
        form["enum"] = values
    return {**form, "type": kind}
