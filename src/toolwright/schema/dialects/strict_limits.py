"""How large and how deeply nested OpenAI's strict form may be."""

from __future__ import annotations

from collections import Counter, deque
from typing import Final

from toolwright.schema.dialects.rewriter import Schema
from toolwright.schema.parts import children, subschemas

__all__ = ["NotStrict", "check_limits"]

_MOST_PROPERTIES: Final = 5_000
_DEEPEST: Final = 10
_LONGEST_WORDS: Final = 120_000
_MOST_ENUM_VALUES: Final = 1_000
_LARGE_ENUM: Final = 250
_LONGEST_LARGE_ENUM: Final = 15_000


class NotStrict(Exception):  # noqa: N818  (a signal that never leaves this room)
    """The strict form cannot say this; never leaves the room, where the other form is taken instead."""

    def __init__(self, path: str, keyword: str, why: str) -> None:
        super().__init__(why)
        self.path = path
        self.keyword = keyword
        self.why = why


def check_limits(root: Schema) -> None:
    """Refuse what is larger than the strict form may be.

    Raises:
        NotStrict: A limit is exceeded.
    """
    properties = values = words = 0
    for schema in subschemas(root):
        names = [*schema.get("properties", ()), *schema.get("$defs", ())]
        properties += len(schema.get("properties", ()))
        choices = [str(value) for value in schema.get("enum", ())]
        values += len(choices)
        length = sum(map(len, choices))
        words += sum(map(len, names)) + length + len(str(schema.get("const", "")))
        if len(choices) > _LARGE_ENUM and length > _LONGEST_LARGE_ENUM:
            raise NotStrict("", "enum", f"more than {_LARGE_ENUM} values have over {_LONGEST_LARGE_ENUM:,} characters")
    for count, most, what in (
        (properties, _MOST_PROPERTIES, "properties"),
        (values, _MOST_ENUM_VALUES, "enum values"),
        (words, _LONGEST_WORDS, "characters in names and enum values"),
        (_levels(root), _DEEPEST, "levels of nesting"),
    ):
        if count > most:
            raise NotStrict("", "properties", f"more than {most:,} {what}")


def _levels(root: Schema) -> int:
    """Return how many objects stand inside each other at most, what is referred to included.

    A definition that leads back to itself counts once for each place from where it is not its own.
    """
    definitions: dict[str, Schema] = root.get("$defs", {})
    bodies: dict[str, Schema] = {"#": {**root, "$defs": {}}}
    bodies |= {f"#/$defs/{name}": body for name, body in definitions.items()}
    own = {place: _levels_inside(body) for place, body in bodies.items()}
    waited_for = Counter(target for _, targets in own.values() for target in targets if target != "#")
    entry = dict.fromkeys(bodies, 0)
    ready = deque(place for place in bodies if not waited_for[place])
    deepest = 0
    while ready:
        place = ready.popleft()
        depth, targets = own[place]
        deepest = max(deepest, entry[place] + depth)
        for target, level in targets.items():
            if target in entry and target != "#":
                entry[target] = max(entry[target], entry[place] + level)
                waited_for[target] -= 1
                if not waited_for[target]:
                    ready.append(target)
    circles = (entry[place] + own[place][0] for place in bodies if waited_for[place] > 0)
    return max([deepest, *circles])


def _levels_inside(body: Schema) -> tuple[int, dict[str, int]]:
    """Return how many levels a schema has itself, and at which level it refers to each other."""
    deepest, targets = 0, dict[str, int]()
    waiting = [(body, 0)]
    while waiting:
        schema, level = waiting.pop()
        level += "properties" in schema
        deepest = max(deepest, level)
        if "$ref" in schema:
            targets[schema["$ref"]] = max(targets.get(schema["$ref"], 0), level)
        waiting += [(child, level) for child in children(schema)]
    return deepest, targets
