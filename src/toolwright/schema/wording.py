"""The sentences: a fault becomes an issue that a model can mend its call from.

One function per keyword, in one table. Sentences may quote the schema, never the value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final, TypeAlias

import msgspec

from toolwright.schema.editions import Place
from toolwright.schema.faults import Fault
from toolwright.schema.plain import type_of
from toolwright.schema.report import ValidationIssue, listed, number_range, of_type
from toolwright.values import join_path

__all__ = ["schema_problem", "to_issue", "to_issues", "to_path"]

_LONGEST_KEY: Final = 100

_Worder: TypeAlias = "Callable[[str, Fault], ValidationIssue]"


def to_path(place: Place) -> str:
    """Return a place as people write it: ``options.depth``, ``tags[2]``."""
    if len(place) == 1 and isinstance(place[0], str):
        return _shortened(place[0])
    path = ""
    for key in place:
        path = join_path(path, _shortened(key) if isinstance(key, str) else key)
    return path


def _shortened(key: str) -> str:
    return key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]}..."


def to_issues(faults: Collection[Fault]) -> tuple[ValidationIssue, ...]:
    """Return what was found in words, each thing once."""
    issues = map(to_issue, faults)
    # Comparing places is quicker than comparing issues, and mostly says enough.
    different = len({fault.place for fault in faults}) == len(faults)
    return tuple(issues) if different else tuple(dict.fromkeys(issues))


def to_issue(fault: Fault) -> ValidationIssue:
    """Return one fault in words."""
    path = to_path(fault.place)
    worder = _WORDERS.get(fault.keyword)
    if worder is None:
        return ValidationIssue.invalid_value(path, "does not fit the schema", provided=fault.value)
    return worder(path, fault)


def _type(path: str, fault: Fault) -> ValidationIssue:
    expected = " or ".join(fault.argument)
    return ValidationIssue.type_mismatch(path, expected, type_of(fault.value), provided=fault.value)


def _enum(path: str, fault: Fault) -> ValidationIssue:
    return ValidationIssue.invalid_enum(path, fault.argument, provided=fault.value)


def _bound(name: str) -> _Worder:
    return lambda path, fault: ValidationIssue.out_of_range(path, fault.value, **{name: fault.argument})


def _count(name: str) -> _Worder:
    def word(path: str, fault: Fault) -> ValidationIssue:
        limit, counted = fault.argument
        return ValidationIssue.out_of_range(path, fault.value, counted=counted, **{name: limit})

    return word


def _multiple(path: str, fault: Fault) -> ValidationIssue:
    return ValidationIssue.out_of_range(path, fault.value, multiple_of=fault.argument)


def _pattern(path: str, fault: Fault) -> ValidationIssue:
    return ValidationIssue.pattern_mismatch(path, fault.argument, provided=fault.value)


def _format(path: str, fault: Fault) -> ValidationIssue:
    return ValidationIssue.pattern_mismatch(path, format=fault.argument, provided=fault.value)


def _required(path: str, fault: Fault) -> ValidationIssue:
    return ValidationIssue.required(path, because_of=fault.argument)


def _undefined(path: str, fault: Fault) -> ValidationIssue:
    return ValidationIssue.additional_property(path, fault.argument or None, provided=fault.value)


def _unique(path: str, fault: Fault) -> ValidationIssue:
    message = f"is the same as item [{fault.argument}]; every item must be different"
    return ValidationIssue.invalid_value(path, message, provided=fault.value)


def _contains(path: str, fault: Fault) -> ValidationIssue:
    bound, count, schema = fault.argument
    items = "item" if count == 1 else "items"
    message = f"must contain {bound} {count} {items} of a certain kind{_kind(schema)}"
    return ValidationIssue.invalid_value(path, message, provided=fault.value)


def _name(path: str, fault: Fault) -> ValidationIssue:
    reason = to_issue(fault.argument)
    message = f"has a name that is not allowed: the name {reason.message}"
    code = "pattern_mismatch" if reason.code == "pattern_mismatch" else "invalid_value"
    return msgspec.structs.replace(ValidationIssue.invalid_value(path, message), code=code)


def _several(path: str, fault: Fault) -> ValidationIssue:
    message = f"fits {fault.argument} of the alternatives, and must fit exactly one: make clear which is meant"
    return ValidationIssue.invalid_value(path, message, provided=fault.value)


def _not(path: str, fault: Fault) -> ValidationIssue:
    kind = _kind(fault.argument) or ": this value is excluded by the schema"
    return ValidationIssue.invalid_value(path, f"is not allowed{kind}", provided=fault.value)


def _nothing(path: str, fault: Fault) -> ValidationIssue:
    return ValidationIssue.invalid_value(path, "is not allowed: no value is valid here", provided=fault.value)


def _schema(path: str, fault: Fault) -> ValidationIssue:
    return ValidationIssue.invalid_value(path, "must be a valid JSON Schema", provided=fault.value)


def _kind(schema: Any) -> str:
    """Return a few words about a simple schema, to go after a sentence."""
    match schema:
        case {"const": value}:
            return f": {listed([value], 1)}"
        case {"enum": [*values]}:
            return f": {listed(values, len(values))}"
        case {"type": str(name)}:
            return f": {of_type(name)}"
        case {"required": [*names]}:
            return f": having {listed(names, len(names))}"
        case {"pattern": str(pattern)}:
            return f": matching the pattern {pattern}"
        case _:
            return ""


_WORDERS: Final[dict[str, _Worder]] = {
    "type": _type,
    "enum": _enum,
    "minimum": _bound("minimum"),
    "maximum": _bound("maximum"),
    "exclusiveMinimum": _bound("above"),
    "exclusiveMaximum": _bound("below"),
    "multipleOf": _multiple,
    "least": _count("minimum"),
    "most": _count("maximum"),
    "pattern": _pattern,
    "format": _format,
    "required": _required,
    "undefined": _undefined,
    "uniqueItems": _unique,
    "contains": _contains,
    "propertyNames": _name,
    "oneOf": _several,
    "not": _not,
    "false": _nothing,
    "schema": _schema,
}


def schema_problem(keyword: str, argument: Any) -> str:
    """Return what is wrong with a schema, by the keyword of the meta-schema that it does not satisfy."""
    match keyword, argument:
        case "type", [*types]:
            return f"must be {of_type(' or '.join(types))}"
        case "enum", [*values]:
            return f"must be one of {listed(values, len(values))}"
        case (("minimum" | "exclusiveMinimum"), limit):
            return f"must be {number_range(limit) if keyword == 'minimum' else number_range(above=limit)}"
        case "uniqueItems", _:
            return "must not hold the same thing twice"
        case _:
            return "is not valid JSON Schema"
