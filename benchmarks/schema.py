"""What it costs to make a schema and to hold values against it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema_rs  # noqa: TID253  the floor

from benchmarks.harness import Pair, workload
from toolwright.schema import Schema

SEARCH: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "Where to look"},
        "pattern": {"type": "string", "description": "What to look for"},
        "mode": {"enum": ["text", "regex", "glob"]},
        "depth": {"type": "integer", "minimum": 0, "maximum": 20},
        "ratio": {"type": "number"},
        "hidden": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
        "options": {
            "type": "object",
            "properties": {"limit": {"type": "integer", "minimum": 1}},
            "additionalProperties": False,
        },
    },
    "required": ["path", "pattern"],
    "additionalProperties": False,
}

VALID: dict[str, Any] = {
    "path": "src",
    "pattern": "TODO",
    "mode": "text",
    "depth": 3,
    "ratio": 0.5,
    "hidden": False,
    "tags": ["a", "b"],
    "options": {"limit": 10},
}

INVALID: dict[str, Any] = {
    "path": "",
    "mode": "fuzzy",
    "depth": 99,
    "ratio": "0.5",
    "hidden": "no",
    "tags": ["a", 2],
    "options": {"limit": 0, "extra": 1},
    "colour": "red",
}


def floor_of(value: dict[str, Any]) -> Callable[[], object]:
    validator = jsonschema_rs.validator_for(SEARCH)
    return lambda: list(validator.iter_errors(value))


@workload("W3", "validate 8-property arguments, valid", goal=1.7)
def valid() -> Pair:
    validate, floor = Schema(SEARCH).validate, jsonschema_rs.validator_for(SEARCH).is_valid
    return lambda: validate(VALID), lambda: floor(VALID)


@workload("W3", "validate 8-property arguments, all of them wrong, all errors", goal=1.5)
def invalid() -> Pair:
    validate = Schema(SEARCH).validate
    return lambda: validate(INVALID), floor_of(INVALID)


@workload("W3", "validate 8-property arguments, one of them wrong (floor: its bare errors)")
def one_wrong() -> Pair:
    validate, value = Schema(SEARCH).validate, {**VALID, "depth": 99}
    return lambda: validate(value), floor_of(value)


@workload("W3", "make a schema of 8 properties (floor: compile it)", limit=100e-6)
def making() -> Pair:
    return lambda: Schema(SEARCH), lambda: jsonschema_rs.validator_for(SEARCH)
