"""The definitions of a document in the making: each under a name of its own, referred to from anywhere.

This module moves schemas about, and does not know where they come from.
"""

from __future__ import annotations

import re
from typing import Any, Final

from toolwright.schema.parts import is_schema, pointer, references
from toolwright.values import thaw

__all__ = ["Definitions"]

_HOMES: Final = ("$defs", "definitions")
_WORDS: Final = frozenset({"$ref", "title", "description", "default", "examples", "deprecated", "readOnly"})
# What may stand beside a reference, and still does when the definition itself takes its place.


class Definitions:
    """Definitions by name, in the order in which they were first needed."""

    def __init__(self) -> None:
        self.bodies: dict[str, dict[str, Any]] = {}

    def reserve(self, wanted: str) -> str:
        """Return a free name like the one wanted, taken from now on."""
        stem = re.sub(r"\W+", "_", wanted).strip("_") or "Type"
        name, number = stem, 1
        while name in self.bodies:
            number += 1
            name = f"{stem}_{number}"
        self.bodies[name] = {}
        return name

    def refer(self, name: str) -> dict[str, Any]:
        """Return a reference to a definition."""
        return {"$ref": f"#/$defs/{name}"}

    def target(self, reference: dict[str, Any]) -> str:
        """Return the name of the definition that a reference points at, or into."""
        return str(reference["$ref"]).removeprefix("#/$defs/").partition("/")[0]

    def adopt(self, document: dict[str, Any], *, name: str, reserved: bool = False) -> dict[str, Any]:
        """Take in a whole document: its definitions get names here, and its schema is returned to be used anywhere.

        Where something in it points at the document itself, it becomes a definition called like ``name``, or exactly
        so if that is ``reserved``, for the caller to fill. The document is changed.
        """
        pointed = list(references(document))
        moved: dict[tuple[str, ...], str] = {}
        for home in _HOMES:
            bodies: Any = document.pop(home, {})
            for old, body in bodies.items():
                if is_schema(body):
                    new = moved[home, old] = self._reserve_for(old, body)
                    self.bodies[new] = body
        own = name if reserved else ""
        for reference in pointed:
            words = pointer(reference["$ref"])
            if words is None:
                continue
            if tuple(words[:2]) in moved:
                head, tail = moved[tuple(words[:2])], words[2:]
            else:
                own = own or self.reserve(name)
                head, tail = own, words
            reference["$ref"] = "/".join(["#", "$defs", head, *map(_escape, tail)])
        if reserved or not own:
            return document
        self.bodies[own] = document
        return self.refer(own)

    def _reserve_for(self, old: str, body: dict[str, Any]) -> str:
        """Return a name for a definition: that of the same one where there is one, and it points nowhere."""
        same = self.bodies.get(old) == body and next(references(body), None) is None
        return old if same else self.reserve(old)

    def settle(self, root: dict[str, Any]) -> dict[str, Any]:
        """Return the finished document: what is used once and not inside itself is put in its place.

        The rest is under ``$defs``. A root that is but a reference shows what it refers to.
        """
        if not self.bodies:
            return root
        uses: dict[str, list[dict[str, Any]]] = {}
        for schema in (root, *self.bodies.values()):
            for reference in references(schema):
                uses.setdefault(self.target(reference), []).append(reference)
        once = {
            name: places[0]
            for name, places in uses.items()
            if len(places) == 1 and places[0].keys() <= _WORDS and not self._recurs(name)
        }
        while once:
            self._place(next(iter(once)), once)
        if "$ref" in root:
            _fill(root, thaw(self.bodies[self.target(root)]))
        return {**root, "$defs": self.bodies} if self.bodies else root

    def used_in(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return ``$defs`` with the definitions that a schema needs, or nothing where it needs none."""
        waiting, needed = [schema], set[str]()
        while waiting:
            for reference in references(waiting.pop()):
                name = self.target(reference)
                if name in self.bodies and name not in needed:
                    needed.add(name)
                    waiting.append(self.bodies[name])
        return {"$defs": {name: body for name, body in self.bodies.items() if name in needed}} if needed else {}

    def _place(self, name: str, once: dict[str, dict[str, Any]]) -> None:
        reference, body = once.pop(name), self.bodies.pop(name)
        if "$ref" in body and once.get(inner := self.target(body)) is body:
            self._place(inner, once)
        _fill(reference, body)

    def _recurs(self, name: str) -> bool:
        """Tell whether a definition leads back to itself."""
        waiting, seen = [name], set[str]()
        while waiting:
            for reference in references(self.bodies[waiting.pop()]):
                target = self.target(reference)
                if target == name:
                    return True
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return False


def _escape(word: str) -> str:
    return word.replace("~", "~0").replace("/", "~1").replace("%", "%25")


def _fill(reference: dict[str, Any], body: dict[str, Any]) -> None:
    """Put a schema where a reference to it stands; the words beside the reference go before those of the schema."""
    words = {keyword: value for keyword, value in reference.items() if keyword != "$ref"}
    reference.clear()
    reference |= {**body, **words}
