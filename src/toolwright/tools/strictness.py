"""Closing a schema: what is not described is not allowed.

A model that invents an argument should be told, not ignored. So every object of a strict definition that says nothing
about further properties gets ``additionalProperties: false``, unless that would change what the schema means:

- Within ``allOf``, ``not``, ``if`` and their kin, several schemas speak of one object, and none of them knows all its
  properties. These stay as they are, and so does a definition that one of them refers to.
- An object whose properties are partly described by such schemas is closed by ``unevaluatedProperties: false``, which
  counts theirs; dialects that lack this keyword leave it open.

This module may not know what the schema is for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from toolwright.schema import Schema
from toolwright.schema.document import Document
from toolwright.schema.editions import Node, Place, Step, children

__all__ = ["Opening", "find_opening", "is_closed", "without_true"]

_SHARING: Final = frozenset(
    ["allOf", "not", "if", "then", "else", "dependentSchemas", "dependencies", "contains", "propertyNames"]
)
_CHOOSING: Final = frozenset(["anyOf", "oneOf"])
_REFERRING: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_CLOSING: Final = ("additionalProperties", "unevaluatedProperties")
_FIRST_TO_COUNT: Final = 19  # draft 2019-09 brought unevaluatedProperties

_PARTS: Final = tuple(
    frozenset(group)
    for group in (
        ["properties", "patternProperties"],
        *([keyword] for keyword in ("allOf", "anyOf", "oneOf", *_REFERRING)),
        ["if", "then", "else"],
        ["dependentSchemas", "dependencies"],
    )
)
# Where an object is described by more than one of these, each is only a part of the description.

_USUAL: Final = "properties"
_SUBTLE: Final = _SHARING.union(*_PARTS, ["unevaluatedProperties", "prefixItems"]) - {_USUAL}


class Opening(NamedTuple):
    """What stands in the way of a schema being closed."""

    said: list[Place]
    """Where it says that it is open."""
    silent: list[tuple[dict[str, Any], str]]
    """The objects that say nothing, each with the keyword that closes it."""


def find_opening(root: dict[str, Any]) -> Opening:
    """Return what there is to do and to refuse about a schema that is to be closed, and has been found valid."""
    return _survey_plain(root) or _survey(_document(root))


def is_closed(root: dict[str, Any]) -> bool:
    """Say whether closing a schema would leave it as it is."""
    return find_opening(root) == Opening([], [])


def _document(root: dict[str, Any]) -> Document:
    return Document(root, lambda _node, _place: None)  # it has been held against its meta-schema before


def _survey_plain(root: dict[str, Any]) -> Opening | None:
    """Do the same for the usual schema, of properties and items only; None for any other."""
    found = Opening([], [])
    waiting: list[tuple[Any, Place]] = [(root, ())]
    while waiting:
        node, place = waiting.pop()
        if node.__class__ is not dict:
            continue  # true and false
        if not _SUBTLE.isdisjoint(node):
            return None
        if _describes_object(node):
            if "additionalProperties" not in node:
                found.silent.append((node, "additionalProperties"))
            elif node["additionalProperties"] is True:
                found.said.append((*place, "additionalProperties"))
        waiting += [(child, (*place, "properties", name)) for name, child in node.get("properties", {}).items()]
        waiting += [
            (node[keyword], (*place, keyword)) for keyword in ("items", "additionalProperties") if keyword in node
        ]
    return found


def _survey(document: Document) -> Opening:
    seen = _Reach(document)
    found = Opening([], [])
    for key, node in seen.alone.items():
        if key in seen.shared or not _describes_object(node):
            continue
        said = [keyword for keyword in _CLOSING if keyword in node]
        found.said.extend((*document.place(node), keyword) for keyword in said if node[keyword] is True)
        keyword = None if said else _closing_keyword(document, node)
        if keyword is not None:
            found.silent.append((node, keyword))
    return found


class _Reach:
    """Which schemas speak of a value alone, and which share it with others."""

    def __init__(self, document: Document) -> None:
        self.alone: dict[int, dict[str, Any]] = {}
        self.shared: dict[int, dict[str, Any]] = {}
        self._document = document
        waiting: list[tuple[Node, bool]] = [(document.root, False)]
        while waiting:
            node, shares = waiting.pop()
            known = self.shared if shares else self.alone
            if isinstance(node, dict) and id(node) not in known:
                known[id(node)] = node
                waiting += self._below(node, shares=shares)

    def _below(self, node: dict[str, Any], *, shares: bool) -> Iterator[tuple[Node, bool]]:
        document = self._document
        applicators = document.dialect.applicators
        hidden = document.dialect.ref_stands_alone and "$ref" in node
        partly = shares or (not hidden and sum(not group.isdisjoint(node) for group in _PARTS) > 1)
        for keyword in _REFERRING:
            if isinstance(node.get(keyword), str):
                target = document.target(node, keyword)
                if not isinstance(target, str):  # a standard meta-schema is named, and not ours to close
                    yield target, partly
        for keyword, argument in node.items():
            step = applicators.get(keyword)
            if step is not None and step is not Step.NOWHERE and not hidden:
                sharing = shares or keyword in _SHARING or (partly and keyword in _CHOOSING)
                yield from ((child, sharing) for _, child in children(keyword, argument))


def _describes_object(node: dict[str, Any]) -> bool:
    kind = node.get("type")
    return kind == "object" or "properties" in node or (isinstance(kind, list) and "object" in kind)


def _closing_keyword(document: Document, node: dict[str, Any]) -> str | None:
    """Return what closes a silent object, or None where its dialect has no keyword for it."""
    if all(_adds_nothing(part, node) for part in _parts_of(document, node)):
        return "additionalProperties"
    return "unevaluatedProperties" if document.dialect.number >= _FIRST_TO_COUNT else None


def _parts_of(document: Document, node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Go through the other schemas that speak of the same object."""
    seen = {id(node)}
    waiting = list(document.in_place(node))
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict) and id(part) not in seen:
            seen.add(id(part))
            waiting += document.in_place(part)
            yield part


def _adds_nothing(part: dict[str, Any], node: dict[str, Any]) -> bool:
    """Say whether a part names only properties that the object describes itself."""
    described: Any = node.get("properties", {})
    named: Any = part.get("properties", {})
    return "patternProperties" not in part and named.keys() <= described.keys()


def without_true(schema: Schema) -> Schema:
    """Return a schema that says ``{}`` where it said ``additionalProperties: true``.

    The two mean the same. In a strict definition ``true`` is taken for an oversight; in the schema of a Python type it
    is what the author wrote: a dictionary of anything.
    """
    document = schema.to_dict()
    told = [node for node in _document(document).schemas if node.get("additionalProperties") is True]
    for node in told:
        node["additionalProperties"] = {}
    return Schema(document) if told else schema
