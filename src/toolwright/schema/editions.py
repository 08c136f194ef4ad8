"""The editions of JSON Schema: which keywords hold other schemas in each, and what a schema is to be read as.

Where schemas stand is settled here; what keywords mean for a value is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

from toolwright.errors import InvalidSchemaError
from toolwright.values import join_path

__all__ = [
    "DIALECTS",
    "REFERENCES",
    "Dialect",
    "Node",
    "Place",
    "Step",
    "children",
    "dialect_of",
    "fault",
    "is_standard",
]

Node: TypeAlias = "dict[str, Any] | bool"
"""A schema as JSON has it: an object of keywords, or ``true`` or ``false``."""

Place: TypeAlias = "tuple[str | int, ...]"
"""Where something stands: the keys and indexes that lead there from the root."""


class Step(Enum):
    """How a keyword passes a value on to the schemas below it."""

    SAME = "the value itself"
    PROPERTY = "a property of it, or its name"
    ITEM = "an item of it"
    NOWHERE = "not at all: the schemas are there to be referred to"


class Dialect(NamedTuple):
    """One edition of JSON Schema, as far as places are concerned."""

    number: int
    """4, 6, 7, 19 (2019-09) or 20 (2020-12)."""
    applicators: dict[str, Step]

    @property
    def id_keyword(self) -> str:
        """The keyword that names a schema."""
        return "id" if self.number == 4 else "$id"

    @property
    def ref_stands_alone(self) -> bool:
        """Up to draft 7 a ``$ref`` hides whatever stands beside it."""
        return self.number <= 7


_DRAFT_4: Final = {
    **dict.fromkeys(["allOf", "anyOf", "oneOf", "not", "dependencies"], Step.SAME),
    **dict.fromkeys(["properties", "patternProperties", "additionalProperties"], Step.PROPERTY),
    **dict.fromkeys(["items", "additionalItems"], Step.ITEM),
    # "$defs" came later, but schemas of every age carry it, and references into it work in every edition.
    **dict.fromkeys(["definitions", "$defs"], Step.NOWHERE),
}
_DRAFT_6: Final = {**_DRAFT_4, "contains": Step.ITEM, "propertyNames": Step.PROPERTY}
_DRAFT_7: Final = {**_DRAFT_6, **dict.fromkeys(["if", "then", "else"], Step.SAME)}
_DRAFT_2019: Final = {
    **_DRAFT_7,
    "dependentSchemas": Step.SAME,
    "unevaluatedProperties": Step.PROPERTY,
    "unevaluatedItems": Step.ITEM,
    "contentSchema": Step.NOWHERE,
}
_DRAFT_2020: Final = {key: step for key, step in _DRAFT_2019.items() if key != "additionalItems"} | {
    "prefixItems": Step.ITEM
}

DIALECTS: Final = {
    "draft-04/schema": Dialect(4, _DRAFT_4),
    "draft-06/schema": Dialect(6, _DRAFT_6),
    "draft-07/schema": Dialect(7, _DRAFT_7),
    "draft/2019-09/schema": Dialect(19, _DRAFT_2019),
    "draft/2020-12/schema": Dialect(20, _DRAFT_2020),
    "schema": Dialect(20, _DRAFT_2020),
}
_LATEST: Final = DIALECTS["schema"]
_STANDARD: Final = re.compile(r"https?://json-schema\.org/((?:draft/20(?:19-09|20-12)/|draft-0[467]/)?schema)#?")

# These hold a mapping from names to schemas; the others hold a schema or, where the dialect allows, an array of them.
_NAMED: Final = frozenset(
    ["properties", "patternProperties", "dependentSchemas", "dependencies", "definitions", "$defs"]
)
REFERENCES: Final = {19: ("$ref", "$recursiveRef"), 20: ("$ref", "$dynamicRef")}
"""Which keywords refer to other schemas, in the dialects that have more than ``$ref``."""


def fault(problem: str, place: Place, code: str) -> InvalidSchemaError:
    """Return the error that says what is wrong with a schema, and where."""
    path = ""
    for key in place:
        path = join_path(path, key)
    return InvalidSchemaError(problem, code=code, path=path)


def children(keyword: str, argument: Any) -> Iterator[tuple[Place, Node]]:
    """Go through the schemas that an applicator holds, and where below it each stands."""
    if argument.__class__ is list:
        for index, child in enumerate(argument):
            yield (keyword, index), child
    elif keyword not in _NAMED:
        yield (keyword,), argument
    elif argument.__class__ is dict:
        for name, child in argument.items():
            if child.__class__ is not list:  # "dependencies" may also hold lists of names
                yield (keyword, name), child


def dialect_of(root: Node | str) -> Dialect:
    """Return the dialect that a schema names, or that a URI is the name of; the latest where none is named.

    Raises:
        InvalidSchemaError: It is none of those known here.
    """
    name = root.get("$schema") if isinstance(root, dict) else root if isinstance(root, str) else None
    if name is None:
        return _LATEST
    match = _STANDARD.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise fault(
            "is not a dialect known here: use draft 2020-12, 2019-09, 7, 6 or 4", ("$schema",), "unknown_dialect"
        )
    return DIALECTS[match[1]]


def is_standard(uri: str) -> bool:
    """Tell whether a URI names one of the standard meta-schemas."""
    return _STANDARD.fullmatch(uri) is not None
