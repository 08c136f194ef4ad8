"""OpenAI's strict functions, whose arguments are held to the schema while they are written.

Every property is required and every object closed; what is optional may be null. The subset of JSON Schema and its
limits are those of OpenAI's page on structured outputs.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Any, Final

from toolwright.schema.dialects.changes import Changes
from toolwright.schema.dialects.rewriter import Rewriter, Schema, kind_of, kinds_of
from toolwright.schema.dialects.strict_limits import NotStrict, check_limits
from toolwright.schema.dialects.words import SILENT, tell
from toolwright.schema.parts import is_schema, lookup
from toolwright.values import join_path

__all__ = ["openai_strict"]

_KEPT: Final = frozenset({
    "type", "description", "title", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "minItems", "maxItems",
})  # fmt: skip
_FORMATS: Final = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_HANDLED: Final = frozenset({"properties", "required", "additionalProperties", "items", "prefixItems", "enum",
                             "unevaluatedProperties"})  # fmt: skip
_REMARKS: Final = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
_IMPOSSIBLE: Final = frozenset({
    "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties", "$dynamicRef",
    "$recursiveRef",
})  # fmt: skip
# Look-around and back-references, which the engine that holds the model to a pattern does not know.
_BEYOND_REGULAR: Final = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]|\\k<")


def openai_strict(document: Schema, changes: Changes) -> Schema:
    """Return the strict form.

    Raises:
        NotStrict: There is none.
    """
    strict = _Strict(document, changes)
    root = strict.root_form()
    check_limits(root)
    return root


class _Strict(Rewriter):
    def __init__(self, root: Schema, changes: Changes) -> None:
        super().__init__(root, changes)
        self._names: dict[str, str] = {}
        self._definitions: dict[str, Schema] = {}
        self._waiting: deque[tuple[str, Schema, str]] = deque()

    def root_form(self) -> Schema:
        """Return the whole document."""
        root, met = self.root, set[str]()
        while "$ref" in root and root["$ref"] not in met:
            met.add(root["$ref"])
            target = lookup(self.root, root["$ref"])
            beside = {key: value for key, value in root.items() if key != "$ref" and key not in SILENT}
            root = self.both(beside, target, "") if is_schema(target) else beside
        root = self.fold(root, "")
        for keyword in ("anyOf", "oneOf", "$ref"):
            if keyword in root:
                raise NotStrict("", keyword, "may not stand at the top")
        if not root.keys() & {"type", "properties"} or kinds_of(root) != ["object"]:
            raise NotStrict("", "type", "must be an object at the top")
        form = self.leaf(root, "")
        while self._waiting:
            name, target, path = self._waiting.popleft()
            self._definitions[name] = self.rewrite(target, path)
        return {**form, "$defs": self._definitions} if self._definitions else form

    def unmergeable(self, keyword: str, path: str) -> None:
        raise NotStrict(path, keyword, "schemas that must all hold cannot be made one")

    def cut(self, target: Schema, beside: Schema, path: str) -> Schema:
        raise NotStrict(path, "$ref", "constraints stand beside a reference that leads back to itself")

    def too_deep(self, path: str) -> None:
        raise NotStrict(path, "type", "is nested too deeply")

    def anything(self, words: Schema, path: str) -> Schema:
        raise NotStrict(path, "type", "anything is allowed here; give it a type")

    def reference(self, schema: Schema, path: str) -> Schema:
        place = str(schema["$ref"])
        target = lookup(self.root, place)
        if not is_schema(target):
            return self.anything({}, path)
        beside = {key: value for key, value in schema.items() if key != "$ref" and key not in SILENT}
        if beside.keys() - _REMARKS:
            return super().reference(schema, path)
        reference = {"$ref": self._refer(place, target, path)}
        if not beside:
            return reference
        # "$ref cannot have keywords"; a union of one may.
        return self._with_words({"anyOf": [reference]}, beside, path)

    def _refer(self, place: str, target: Schema, path: str) -> str:
        """Return the reference to a definition, which is translated when the root is done."""
        if place == "#":
            return place
        if place not in self._names:
            name = stem = re.sub(r"\W+", "_", place.rpartition("/")[2]) or "Type"
            while name in self._definitions:
                name = f"{stem}_{len(self._definitions)}"
            self._names[place] = name
            self._definitions[name] = {}
            self._waiting.append((name, target, path))
        return f"#/$defs/{self._names[place]}"

    def union(self, words: Schema, branches: list[Schema], path: str) -> Schema:
        if not branches:
            raise NotStrict(path, "anyOf", "nothing is allowed here")
        return self._with_words({"anyOf": [self.rewrite(branch, path) for branch in branches]}, words, path)

    def _with_words(self, form: Schema, words: Schema, path: str) -> Schema:
        form |= {key: words[key] for key in ("title", "description") if key in words}
        tell(form, [self.dropped(key, value, path) for key, value in words.items() if key not in form])
        return form

    def leaf(self, schema: Schema, path: str) -> Schema:
        impossible = sorted(schema.keys() & _IMPOSSIBLE)
        if impossible:
            raise NotStrict(path, impossible[0], "has no strict form")
        kinds = kinds_of(schema)
        if not kinds:
            raise NotStrict(path, "type", "is not given")
        form: Schema = {} if "type" in schema else {"type": kinds[0] if len(kinds) == 1 else kinds}
        remarks: list[str] = []
        for keyword, value in schema.items():
            if self._keeps(keyword, value):
                form[keyword] = value
            elif keyword not in _HANDLED:
                remarks.append(self.dropped(keyword, value, path))
        if "enum" in schema:
            form["enum"] = self._values(schema["enum"], path)
        if "object" in kinds:
            form |= self._object(schema, path)
        if "array" in kinds:
            form |= self._array(schema, path, remarks)
        tell(form, remarks)
        return form

    @staticmethod
    def _keeps(keyword: str, value: Any) -> bool:
        if keyword == "pattern":
            return not _BEYOND_REGULAR.search(str(value))
        return keyword in _KEPT or (keyword == "format" and value in _FORMATS)

    @staticmethod
    def _values(values: list[Any], path: str) -> list[Any]:
        if any(kind_of(value) in ("object", "array") for value in values):
            raise NotStrict(path, "enum", "may hold only texts, numbers, true, false and null")
        return list(values)

    def _object(self, schema: Schema, path: str) -> Schema:
        properties: dict[str, Any] = schema.get("properties", {})
        required: list[str] = schema.get("required", [])
        extra = schema.get("additionalProperties", schema.get("unevaluatedProperties"))
        if extra not in (False, None) or (extra is None and not properties):
            raise NotStrict(path, "additionalProperties", "properties of any name cannot be closed")
        if extra is None:
            self.changes.add(path, "additionalProperties", "only the properties that are named can be given")
        unknown = [name for name in required if properties.get(name, False) is False]
        if unknown:
            raise NotStrict(path, "required", "a property is required that is not defined")
        found = {
            name: self._property(inner, join_path(path, name), optional=name not in required)
            for name, inner in properties.items()
            if inner is not False
        }
        return {"properties": found, "required": list(found), "additionalProperties": False}

    def _property(self, schema: Any, path: str, *, optional: bool) -> Schema:
        form = self.rewrite(schema, path)
        return _nullable(form) if optional and not self._allows_null(schema) else form

    def _allows_null(self, schema: Any) -> bool:
        """Tell whether a schema surely allows null; where in doubt it does not."""
        waiting, met = [schema], set[str]()
        while waiting:
            current = waiting.pop()
            if not is_schema(current):
                continue
            said = current.keys() - _REMARKS - SILENT
            place = str(current.get("$ref"))
            if said == {"$ref"} and place not in met:
                met.add(place)
                waiting.append(lookup(self.root, place))
            elif said in ({"anyOf"}, {"oneOf"}):
                waiting += current[said.pop()]
            elif "null" in kinds_of(current) and None in current.get("enum", [None]) and "$ref" not in said:
                return True
        return False

    def _array(self, schema: Schema, path: str, remarks: list[str]) -> Schema:
        inner = f"{path}[]"
        first: list[Any] = schema.get("prefixItems", [])
        rest = schema.get("items")
        if not first:
            return {"items": self.rewrite(rest, inner)}
        most = schema.get("maxItems")
        closed = rest is False or (isinstance(most, int) and most <= len(first))
        if not closed:
            first = [*first, {} if rest is None else rest]
        forms: list[Schema] = []
        for item in first:
            form = self.rewrite(item, inner)
            if form not in forms:
                forms.append(form)
        limit = {"maxItems": len(first)} if rest is False and most is None else {}
        if len(forms) == 1:
            return {"items": forms[0], **limit}
        self.changes.add(
            path, "prefixItems", "any of the items may stand at any place; the order is in the description"
        )
        remarks.append(f"in this order: {', '.join(_called(item) for item in first)}")
        return {"items": {"anyOf": forms}, **limit}


def _called(schema: Any) -> str:
    if not is_schema(schema):
        return "anything"
    return str(schema.get("title") or schema.get("description") or " or ".join(kinds_of(schema)) or "another")


def _nullable(form: Schema) -> Schema:
    """Return what allows null besides."""
    if "anyOf" in form:
        return {**form, "anyOf": [*form["anyOf"], {"type": "null"}]}
    if "$ref" in form:
        return {"anyOf": [form, {"type": "null"}]}
    kinds = [form["type"]] if isinstance(form["type"], str) else form["type"]
    if "const" in form:
        form = {"enum" if key == "const" else key: [value] if key == "const" else value for key, value in form.items()}
    allowed = {"enum": [*form["enum"], None]} if "enum" in form and None not in form["enum"] else {}
    return {**form, "type": kinds if "null" in kinds else [*kinds, "null"], **allowed}
