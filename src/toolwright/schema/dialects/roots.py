"""The outermost schema, which every provider wants to be an object, and some without alternatives."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from toolwright.schema.dialects.changes import Changes
from toolwright.schema.dialects.rewriter import Rewriter, Schema, kinds_of
from toolwright.schema.dialects.words import tell
from toolwright.schema.parts import is_schema, lookup

__all__ = ["open_root"]

_FURTHEST: Final = 20
# References from one to the next; one that leads in a circle is given up.


class _Folder(Rewriter):
    """Folds ``allOf``; nothing else is changed."""

    def leaf(self, schema: Schema, path: str) -> Schema:
        return schema

    def union(self, words: Schema, branches: list[Schema], path: str) -> Schema:
        return words

    def anything(self, words: Schema, path: str) -> Schema:
        return words


def open_root(document: Schema, changes: Changes, forbidden: Collection[str], provider: str) -> Schema:
    """Return the document with an object at the top, and without the forbidden keywords there.

    What the root refers to takes its place. Alternatives become one object with the properties of all of them; which
    belong together is said in the description.
    """
    folder = _Folder(document, changes)
    root = _resolve(document, folder)
    if "allOf" in forbidden:
        root = folder.fold(root, "")
        root = _resolve(root, folder)
    for keyword in ("anyOf", "oneOf"):
        if keyword in forbidden and root.get(keyword):
            root = _combine(root, keyword, folder)
    for keyword in sorted(root.keys() & set(forbidden)):
        changes.add("", keyword, f"left out: {provider} refuses it at the top")
    root = {keyword: value for keyword, value in root.items() if keyword not in forbidden}
    if "$ref" in root:
        changes.add("", "$ref", "left out: it leads nowhere")
        del root["$ref"]
    kinds = kinds_of(root) if root.keys() & {"type", "enum", "const"} else ["object"]
    if "object" in kinds:
        return {**root, "type": "object"}
    changes.add("", "type", f"is not an object: {provider} will refuse it")
    return root


def _resolve(root: Schema, folder: Rewriter) -> Schema:
    for _ in range(_FURTHEST):
        target = lookup(folder.root, root.get("$ref"))
        if not is_schema(target):
            return root
        beside = {keyword: value for keyword, value in root.items() if keyword != "$ref"}
        # The definitions stay with the root: what it refers to may refer to others.
        kept: Schema = {keyword: folder.root[keyword] for keyword in ("$defs", "definitions") if keyword in folder.root}
        root = {**folder.both({key: value for key, value in beside.items() if key not in kept}, target, ""), **kept}
    return root


def _combine(root: Schema, keyword: str, folder: Rewriter) -> Schema:
    """Return the one object that has the properties of all alternatives."""
    branches = [folder.fold(_resolve(branch, folder), "") for branch in root[keyword] if is_schema(branch)]
    branches = [branch for branch in branches if kinds_of(branch) in ([], ["object"])]
    combined = {key: value for key, value in root.items() if key != keyword}
    properties: dict[str, Any] = dict(combined.get("properties", {}))
    closed = combined.get("additionalProperties") is False
    for name, schema in (
        (name, schema) for branch in branches for name, schema in branch.get("properties", {}).items()
    ):
        if name in properties:
            properties[name] = _either(properties[name], schema)
        elif not closed:  # a closed root allows no property that only an alternative names
            properties[name] = schema
    needed = [branch.get("required", []) for branch in branches]
    always = [name for name in needed[0] if all(name in names for names in needed)] if needed else []
    required = list(dict.fromkeys([*combined.get("required", []), *always]))
    if branches and all(branch.get("additionalProperties") is False for branch in branches):
        combined.setdefault("additionalProperties", False)
    folder.changes.add("", keyword, "becomes one object; what belongs together is said in the description")
    tell(combined, [f"either {', or '.join(_told(branch) for branch in branches)}"] if branches else [])
    combined |= {"type": "object", "properties": properties}
    return {**combined, "required": required} if required else combined


def _either(one: Any, other: Any) -> Any:
    if one == other:
        return one
    known = one["anyOf"] if is_schema(one) and one.keys() == {"anyOf"} else [one]
    return {"anyOf": known if other in known else [*known, other]}


def _told(branch: Schema) -> str:
    names = branch.get("required") or list(branch.get("properties", {}))
    return " and ".join(map(str, names)) or "others"
