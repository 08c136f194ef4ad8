"""A tool as search sees it: the stems of its definition, each with a weight.

A word counts for more in a name than in the description of a parameter, the second time less than the first, and less
in a long text than in a short one (the idea of BM25F, with fixed lengths in place of averages, so that a tool weighs
the same whatever else is registered).

This module may not know what was asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple, cast

from toolwright.registry.words import stem, stems, words
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.names import title_of

__all__ = ["FIELDS", "Document", "read_definition"]


class _Field(NamedTuple):
    weight: float
    length: float  # in stems, where the weight is as it stands; longer texts weigh less, shorter ones more
    slope: float  # how much of the weight depends on the length


# Settled on the tuning half of benchmarks/retrieval; the figures are flat around these values.
FIELDS: Final = {
    "name": _Field(3.0, 3, 0.3),
    "description": _Field(1.5, 12, 0.6),
    "tags": _Field(1.5, 4, 0.3),
    "parameters": _Field(0.8, 6, 0.7),
    "notes": _Field(0.6, 14, 0.7),
}
"""The texts of a tool; ``notes`` are the descriptions of its parameters."""

_SATURATION: Final = 2.0  # the weight at which a stem counts for half of what it can count for at most
_MOST_CHARACTERS: Final = 4_000  # of one field: what follows in a longer text is about details
_MOST_PARAMETERS: Final = 100
_DEEPEST: Final = 6  # levels of schemas within schemas

# Where schemas stand in a schema: as it is, as values of an object, or in an array.
_NESTING: Final = {
    "properties": dict,
    "items": None,
    "$defs": dict,
    "definitions": dict,
    "allOf": list,
    "anyOf": list,
    "oneOf": list,
}


class Document(NamedTuple):
    """What is compared with a question."""

    weights: Mapping[str, float]
    """How much each stem says about the tool, from 0 to 1."""
    name: frozenset[str]
    """The stems of its name."""
    columns: tuple[str, str, str]
    """Stems as texts, for a full-text index: of the name, of what describes the tool, and of its parameters."""


def read_definition(name: str, definition: ToolDefinition) -> Document:
    """Return what search needs of a definition; ``name`` is what the tool is called where it is looked for."""
    spaced = name.replace("_", " ")
    title = definition.title
    named = stems(spaced)
    every = [stem(word) for word in words(spaced)]  # a name may be made of words that mean nothing elsewhere: who_is
    own_title = title != title_of(definition.name)
    parameters, notes = _parameter_texts(definition)
    texts = {
        "name": every + _initials(spaced),
        "description": stems(definition.description[:_MOST_CHARACTERS])
        + (stems(title[:_MOST_CHARACTERS]) if own_title else []),
        "tags": stems(" ".join(definition.tags)[:_MOST_CHARACTERS]),
        "parameters": stems(parameters),
        "notes": stems(notes),
    }
    return Document(_weigh(texts), frozenset(named or every), _columns(texts))


def _weigh(texts: Mapping[str, list[str]]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for field, found in texts.items():
        if found:
            weight, length, slope = FIELDS[field]
            each = weight / (1 - slope + slope * len(found) / length)
            for term in found:
                weights[term] = weights.get(term, 0.0) + each
    return {term: weight / (weight + _SATURATION) for term, weight in weights.items()}


def _columns(texts: Mapping[str, list[str]]) -> tuple[str, str, str]:
    return (
        " ".join(texts["name"]),
        " ".join(texts["description"] + texts["tags"]),
        " ".join(texts["parameters"] + texts["notes"]),
    )


def _initials(spaced: str) -> list[str]:
    """Return what people abbreviate a name to: ``gcd`` for ``greatest_common_divisor``, with or without its verb."""
    letters = "".join(word[0] for word in spaced.split())
    return [letters[at:] for at in (0, 1) if 3 <= len(letters[at:]) <= 5]


def _parameter_texts(definition: ToolDefinition) -> tuple[str, str]:
    """Return the names and the descriptions of the parameters, nested ones included."""
    names: list[str] = []
    notes: list[str] = []
    for name, schema in islice(_properties(definition.parameters.to_dict(), _DEEPEST), _MOST_PARAMETERS):
        names.append(name)
        note = schema.get("description")
        if isinstance(note, str):
            notes.append(note)
    return " ".join(names).replace("_", " ")[:_MOST_CHARACTERS], " ".join(notes)[:_MOST_CHARACTERS]


def _properties(schema: Mapping[str, Any], room: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each property with its schema, also those of nested, combined and referred-to schemas."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    for name, below in properties.items():
        if isinstance(below, dict):
            yield name, cast("dict[str, Any]", below)
    if room and not _NESTING.keys().isdisjoint(schema):  # mostly disjoint: a plain parameter
        for below in _schemas_below(schema):
            yield from _properties(below, room - 1)


def _schemas_below(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for keyword, kind in _NESTING.items():
        below = schema.get(keyword)
        if below and below is not True:
            found = [below] if kind is None else below.values() if kind is dict else below
            yield from (part for part in found if isinstance(part, dict))
