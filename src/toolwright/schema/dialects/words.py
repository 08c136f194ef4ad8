"""Constraints in words, for descriptions, where a provider does not know the keyword."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolwright.values import encode

__all__ = ["SILENT", "in_words", "tell"]

SILENT: Final = frozenset(
    {"$comment", "$id", "$anchor", "$schema", "$defs", "definitions", "$vocabulary", "$dynamicAnchor"}
)
"""Keywords that say nothing of values: where one goes, nothing is lost."""

_LONGEST: Final = 1_000
# Characters of a single remark: a list of ten thousand words helps nobody who reads a description.


_MOST_VALUES: Final = 20


def _json(value: Any) -> str:
    text = encode(value).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _count(least: str, noun: str, plural: str) -> Callable[[Any], str]:
    return lambda value: f"{least} {value} {noun if value == 1 else plural}"


def _listed(lead: str) -> Callable[[Any], str]:
    return lambda values: f"{lead} {', '.join(map(_json, values[:_MOST_VALUES]))}"


_FORMATS: Final = {"path": "the path of a file or folder", "decimal": "a decimal number"}

_WORDS: Final[Mapping[str, Callable[[Any], str]]] = {
    "minLength": _count("at least", "character", "characters"),
    "maxLength": _count("at most", "character", "characters"),
    "minItems": _count("at least", "item", "items"),
    "maxItems": _count("at most", "item", "items"),
    "minProperties": _count("at least", "property", "properties"),
    "maxProperties": _count("at most", "property", "properties"),
    "minimum": lambda value: f"at least {_json(value)}",
    "maximum": lambda value: f"at most {_json(value)}",
    "exclusiveMinimum": lambda value: f"more than {_json(value)}",
    "exclusiveMaximum": lambda value: f"less than {_json(value)}",
    "multipleOf": lambda value: f"a multiple of {_json(value)}",
    "uniqueItems": lambda value: "no item twice" if value is True else "",
    "pattern": lambda value: f"matches {value}",
    "format": lambda value: _FORMATS.get(value, f"format: {value}"),
    "contentEncoding": lambda value: f"encoded as {value}",
    "contentMediaType": lambda value: f"holds {value}",
    "default": lambda value: f"default: {_json(value)}",
    "examples": _listed("for example"),
    "enum": _listed("one of"),
    "const": lambda value: f"always {_json(value)}",
    "deprecated": lambda value: "deprecated" if value is True else "",
    "readOnly": lambda value: "normally left out" if value is True else "",
    "propertyNames": lambda value: f"each name fits {_json(value)}",
    "additionalProperties": lambda value: (
        "any further properties"
        if value is True or not value
        else f"any further properties, each fitting {_json(value)}"
    ),
    "contains": lambda value: f"one item fits {_json(value)}",
    "dependentRequired": lambda value: f"needed together: {_json(value)}",
    "not": lambda value: f"but not what fits {_json(value)}",
}


def in_words(keyword: str, value: Any) -> str:
    """Return what a keyword says, as a remark; empty where there are no words for it."""
    return _WORDS[keyword](value) if keyword in _WORDS else ""


def tell(schema: dict[str, Any], remarks: list[str]) -> None:
    """Add remarks to the description of a schema."""
    remarks = [remark for remark in remarks if remark]
    if remarks:
        before = schema.get("description")
        schema["description"] = f"{before} ({'; '.join(remarks)})" if before else f"({'; '.join(remarks)})"
