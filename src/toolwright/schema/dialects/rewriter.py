"""What all translations share: walking a document, following references, folding what must all hold.

A translation is a :class:`Rewriter` that says what becomes of a union and of a schema with a type. Sizes are bounded,
because a short document can refer to itself many times over.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolwright.schema.dialects.changes import Changes
from toolwright.schema.dialects.merging import merge
from toolwright.schema.dialects.words import SILENT, in_words, tell
from toolwright.schema.parts import is_schema, lookup, subschemas

__all__ = ["Rewriter", "Schema", "disjoint", "kind_of", "kinds_of"]

Schema = dict[str, Any]

_MOST_SCHEMAS: Final = 10_000
_DEEPEST: Final = 40
_UNROLLED: Final = 2
# A type that contains itself is written out this often; then it says that it goes on.

_SIGNS: Final = (
    (
        "object",
        ("properties", "required", "additionalProperties", "minProperties", "maxProperties", "patternProperties"),
    ),
    ("array", ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains")),
    ("string", ("pattern", "minLength", "maxLength", "format", "contentEncoding")),
    ("number", ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
)
_WORDS: Final = ("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly")
_KINDS: Final = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (type(None), "null"),
                 (Mapping, "object"))  # fmt: skip


def kind_of(value: object) -> str:
    """Return the JSON type of a value."""
    return next((word for kind, word in _KINDS if isinstance(value, kind)), "array")


def kinds_of(schema: Schema) -> list[str]:
    """Return the types that a schema names, or lets one guess; none where anything may fit."""
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return [kinds]
    if kinds:
        return list(kinds)
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if values:
        return list(dict.fromkeys(map(kind_of, values)))
    return [kind for kind, signs in _SIGNS if any(sign in schema for sign in signs)][:1]


def disjoint(branches: Iterable[Schema]) -> bool:
    """Tell whether no value can fit two of these, as far as types and constants show."""
    seen = set[str]()
    tags: list[Mapping[str, Any]] = []
    for branch in branches:
        kinds = ["number" if kind == "integer" else kind for kind in kinds_of(branch)]
        if kinds == ["object"]:
            tags.append(_constants(branch))
        elif not kinds or not seen.isdisjoint(kinds) or "object" in kinds:
            return False
        seen.update(kinds)
    common = set(tags[0]).intersection(*tags) if tags else set[str]()
    return len(tags) < 2 or any(len({repr(tag[name]) for tag in tags}) == len(tags) for name in common)


def _constants(schema: Schema) -> Mapping[str, Any]:
    """Return the required properties that have one possible value."""
    properties = schema.get("properties", {})
    inner = {name: properties.get(name) for name in schema.get("required", ())}
    return {name: one["const"] for name, one in inner.items() if is_schema(one) and "const" in one}


class Rewriter(ABC):
    """One translation of one document. ``rewrite`` is called for each schema in it, ``path`` being its place."""

    def __init__(self, root: Schema, changes: Changes) -> None:
        self.root = root
        self.changes = changes
        self._room = _MOST_SCHEMAS
        self._depth = 0
        self._entered: Counter[str] = Counter()

    @abstractmethod
    def leaf(self, schema: Schema, path: str) -> Schema:
        """Return what becomes of a schema that is neither a reference nor a union."""

    @abstractmethod
    def union(self, words: Schema, branches: list[Schema], path: str) -> Schema:
        """Return what becomes of a union; ``words`` is what is said of it as a whole."""

    @abstractmethod
    def anything(self, words: Schema, path: str) -> Schema:
        """Return what becomes of a schema that allows anything."""

    def unmergeable(self, keyword: str, path: str) -> None:
        """Take note of schemas that must all hold and cannot be one."""
        self.changes.add(path, keyword, "part of it cannot be combined with the rest, and is left out")

    def too_deep(self, path: str) -> None:
        """Take note of a schema that is nested too deeply to be looked at."""
        self.changes.add(path, "type", f"nested more than {_DEEPEST} levels deep: anything is allowed here")

    def rewrite(self, schema: Any, path: str) -> Schema:
        """Return what becomes of any schema."""
        if not is_schema(schema) or not schema.keys() - SILENT:
            if schema is False:
                self.changes.add(path, "false", "nothing is allowed here, which cannot be said")
            return self.anything({}, path)
        if "$ref" in schema:
            return self.reference(schema, path)
        if self._depth >= _DEEPEST:
            self.too_deep(path)
            return self.anything({}, path)
        self._room -= 1
        self._depth += 1
        try:
            return self._dispatch(schema, path)
        finally:
            self._depth -= 1

    def _dispatch(self, schema: Schema, path: str) -> Schema:
        schema = self.fold(schema, path)
        if "$ref" in schema:  # what was folded in is itself a reference
            return self.reference(schema, path)
        keyword = next((keyword for keyword in ("anyOf", "oneOf") if schema.get(keyword)), None)
        if keyword is not None:
            return self._alternatives(schema, keyword, path)
        return self.leaf(schema, path) if schema.keys() - SILENT - set(_WORDS) else self.anything(schema, path)

    def reference(self, schema: Schema, path: str) -> Schema:
        """Return what becomes of a reference: here, what it refers to in its place."""
        passed: list[str] = []
        try:
            while "$ref" in schema:
                place = str(schema["$ref"])
                target = lookup(self.root, place)
                beside = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
                if not is_schema(target):
                    return self._nowhere(target, beside, path)
                if self._entered[place] >= _UNROLLED or self._room <= 0:
                    return self.cut(target, beside, path)
                self._room -= 1
                self._entered[place] += 1
                passed.append(place)
                schema = self.both(beside, target, path)
            return self.rewrite(schema, path)
        finally:
            self._entered.subtract(passed)

    def _nowhere(self, target: object, beside: Schema, path: str) -> Schema:
        if not isinstance(target, bool):
            self.changes.add(path, "$ref", "leads nowhere: anything is allowed here")
        return self.anything(beside, path)

    def both(self, beside: Schema, target: Schema, path: str) -> Schema:
        """Return a schema together with what stands beside the reference to it."""
        merged = merge(beside, target)
        if merged is None:
            self.unmergeable("$ref", path)
            return {**target, **{keyword: beside[keyword] for keyword in _WORDS if keyword in beside}}
        return merged

    def cut(self, target: Schema, beside: Schema, path: str) -> Schema:
        """Return what stands for a reference that is not followed any further."""
        self.changes.add(path, "$ref", "goes on as above, which is not written out any further")
        kinds = kinds_of(target)
        words = {keyword: value for keyword, value in (target | beside).items() if keyword == "description"}
        tell(words, ["nested further as above"])
        return {"type": kinds[0], **words} if kinds else self.anything(words, path)

    def fold(self, schema: Schema, path: str) -> Schema:
        """Return a schema with everything in its ``allOf`` made part of it."""
        met: set[str] = set()
        while "allOf" in schema:
            waiting = list(schema["allOf"])
            schema = {keyword: value for keyword, value in schema.items() if keyword != "allOf"}
            for part in waiting:
                found = self._follow(part, met)
                merged = merge(schema, found) if is_schema(found) else None
                if merged is None and found is not True:
                    self.unmergeable("allOf", path)
                schema = schema if merged is None else merged
        return schema

    def _follow(self, part: Any, met: set[str]) -> Any:
        """Return the schema that a part of ``allOf`` refers to; one that was met already adds nothing."""
        while is_schema(part) and "$ref" in part and len(part) == 1:
            place = str(part["$ref"])
            if place in met:
                return True
            self._room -= 1
            if self._room <= 0:
                return None
            met.add(place)
            part = lookup(self.root, place)
        return part

    def _alternatives(self, schema: Schema, keyword: str, path: str) -> Schema:
        branches = [branch for branch in schema[keyword] if branch is not False]
        base = {key: value for key, value in schema.items() if key != keyword}
        if "oneOf" in base:
            del base["oneOf"]
            self.changes.add(path, "oneOf", "left out: there is an anyOf beside it")
        if keyword == "oneOf" and not self._are_disjoint(branches):
            self.changes.add(path, "oneOf", "becomes anyOf: a value may fit more than one")
        if branches and all(is_schema(branch) and branch.keys() == {"required"} for branch in branches):
            self.changes.add(path, keyword, "which properties are needed together is said in the description")
            sets = (" and ".join(map(str, branch["required"])) for branch in branches)
            tell(base, [f"needed: {', or '.join(sets)}"])
            return self.rewrite(base, path)
        words: Schema = {key: base.pop(key) for key in _WORDS if key in base}
        rest = {key: value for key, value in base.items() if key not in SILENT}
        size = sum(1 for _ in subschemas(rest))
        return self.union(words, [self._branch(branch, rest, size, path) for branch in branches], path)

    def _are_disjoint(self, branches: list[Any]) -> bool:
        found = [self._follow(branch, set()) for branch in branches]
        return disjoint([branch for branch in found if is_schema(branch)]) and all(
            is_schema(branch) for branch in found
        )

    def _branch(self, branch: Any, rest: Schema, size: int, path: str) -> Schema:
        """Return one of the alternatives with what is demanded of all of them."""
        own: Schema = branch if is_schema(branch) else {}
        if not rest:
            return own
        self._room -= size
        merged = merge(own, rest) if self._room > 0 else None
        if merged is not None:
            return merged
        self.unmergeable("anyOf", path)
        return own

    def dropped(self, keyword: str, value: Any, path: str) -> str:
        """Take note of a keyword that the provider does not know, and return it in words."""
        if keyword in SILENT or (keyword == "default" and value is None):
            return ""
        words = in_words(keyword, value)
        self.changes.add(path, keyword, "said in the description instead" if words else "left out")
        return words
