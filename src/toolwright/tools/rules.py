"""Rules for one field at a time: what it may hold, and how it is written down.

A rule takes a value, the place where it stands and the list of faults found so far. It returns the value in its settled
form; where it found a fault, it returns something harmless, so that the other rules can go on looking. Thus all faults
are found at once.

This module may not know the fields themselves: which there are stands beside each type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from difflib import get_close_matches
from itertools import islice
from typing import Any, Final, TypeAlias, TypeGuard

from msgspec.structs import replace

from toolwright.errors import InvalidDefinitionError, InvalidSchemaError, NotJsonError, UnknownWordError
from toolwright.levels import Word
from toolwright.schema import Schema, ValidationIssue, ValidationReport
from toolwright.values import JsonObject, JsonValue, freeze, freeze_object, join_path

__all__ = [
    "Issues",
    "Rule",
    "any_text",
    "flag",
    "is_mapping",
    "is_sequence",
    "json_object",
    "json_type",
    "json_value",
    "mismatch",
    "moved",
    "note_keys",
    "number",
    "optional",
    "refuse",
    "schema",
    "sequence",
    "settled_fields",
    "text",
    "word",
]

Issues: TypeAlias = list[ValidationIssue]
Rule: TypeAlias = Callable[[Any, str, Issues], Any]

_JSON_TYPES: Final[tuple[tuple[type | tuple[type, ...], str], ...]] = (
    (type(None), "null"),
    (bool, "boolean"),  # before the integers, which booleans are to Python
    (str, "string"),
    (int, "integer"),
    (float, "number"),
    (Mapping, "object"),
    ((list, tuple), "array"),
)
_USUAL_TYPES: Final[Mapping[Any, str]] = {kind: word for kind, word in _JSON_TYPES if isinstance(kind, type)}


def json_type(value: object) -> str:
    """Return the JSON type of a value; what has none is called by its Python type."""
    kind = type(value)
    usual = _USUAL_TYPES.get(kind)
    return usual or next((word for base, word in _JSON_TYPES if issubclass(kind, base)), kind.__name__)


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Say whether a value is what JSON calls an object."""
    return isinstance(value, Mapping)


def is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    """Say whether a value is what JSON calls an array."""
    return isinstance(value, (list, tuple))


def moved(issue: ValidationIssue, path: str) -> ValidationIssue:
    """Return an issue as it is seen from further out."""
    below = issue.path
    place = f"{path}.{below}" if below and not below.startswith("[") else path + below
    result = replace(issue, path=place)
    vars(result).update(vars(issue))  # what was given is kept beside the fields
    return result


def refuse(what: str, issues: Issues) -> InvalidDefinitionError:
    """Return the error that carries these faults; ``what`` names the thing that has them."""
    report = ValidationReport.invalid(*dict.fromkeys(issues))
    return InvalidDefinitionError(f"{what} is not valid:\n{report.message}", report=report)


def mismatch(value: object, path: str, expected: str, issues: Issues) -> None:
    """Note that a value has the wrong type."""
    issues.append(ValidationIssue.type_mismatch(path, expected, json_type(value), provided=value))


def any_text(value: Any, path: str, issues: Issues) -> str:
    """Hold text, also none."""
    if not isinstance(value, str):
        mismatch(value, path, "string", issues)
        return ""
    return value if value.__class__ is str else str.__str__(value)


def text(value: Any, path: str, issues: Issues) -> str:
    """Hold text that is not blank."""
    result = any_text(value, path, issues)
    if isinstance(value, str) and (not result or result.isspace()):
        issues.append(ValidationIssue.invalid_value(path, "must not be empty", provided=value))
    return result


def flag(value: Any, path: str, issues: Issues) -> bool:
    """Hold true or false."""
    if value is not True and value is not False:
        mismatch(value, path, "boolean", issues)
        return False
    return value


def number(minimum: int, maximum: int, *, whole: bool = False) -> Rule:
    """Return the rule for a number in a range; one without a fraction is an integer."""

    def rule(value: Any, path: str, issues: Issues) -> int | float:
        kinds = int if whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds):
            mismatch(value, path, "integer" if whole else "number", issues)
            return minimum
        if not minimum <= value <= maximum:  # also what is not a number at all
            issues.append(ValidationIssue.out_of_range(path, value, minimum=minimum, maximum=maximum))
            return minimum
        return int(value) if value == int(value) else float(value)

    return rule


def word(kind: type[Word]) -> Rule:
    """Return the rule for one word of a list, in any spelling that the list can read."""

    def rule(value: Any, path: str, issues: Issues) -> Word:
        if isinstance(value, kind):
            return value
        if not isinstance(value, str):
            mismatch(value, path, "string", issues)
        else:
            try:
                return kind.parse(value)
            except UnknownWordError:
                issues.append(ValidationIssue.invalid_enum(path, kind, provided=value))
        return next(iter(kind))

    return rule


def optional(rule: Rule) -> Rule:
    """Return a rule that also lets None pass."""
    return lambda value, path, issues: None if value is None else rule(value, path, issues)


def sequence(rule: Rule) -> Rule:
    """Return the rule for an array of which each item follows ``rule``; sets are put in order."""

    def each(value: Any, path: str, issues: Issues) -> tuple[Any, ...]:
        items = sorted(value, key=str) if _is_set(value) else value
        if not is_sequence(items):
            mismatch(value, path, "array", issues)
            return ()
        return tuple([rule(item, join_path(path, index), issues) for index, item in enumerate(items)])

    return each


def _is_set(value: object) -> TypeGuard[AbstractSet[Any]]:
    return isinstance(value, AbstractSet)


def json_value(value: Any, path: str, issues: Issues) -> JsonValue:
    """Hold a JSON value, frozen."""
    try:
        return freeze(value)
    except NotJsonError as error:
        issues.append(moved(ValidationIssue.invalid_value(error.path, error.problem), path))
    return None


def json_object(value: Any, path: str, issues: Issues) -> JsonObject:
    """Hold a JSON object, frozen."""
    if is_mapping(value):
        try:
            return freeze_object(value)
        except NotJsonError as error:
            issues.append(moved(ValidationIssue.invalid_value(error.path, error.problem), path))
    else:
        mismatch(value, path, "object", issues)
    return freeze_object({})


def schema(value: Any, path: str, issues: Issues) -> Schema | None:
    """Hold a JSON Schema; None stands for one that is not valid."""
    if isinstance(value, Schema):
        return value
    if not is_mapping(value):
        mismatch(value, path, "object", issues)
        return None
    try:
        return Schema(value)
    except (InvalidSchemaError, NotJsonError) as error:
        issues.append(moved(ValidationIssue.invalid_value(error.path, error.problem), path))
    return None


def note_keys(
    draft: Mapping[Any, Any], rules: Mapping[str, Rule], required: Iterable[str], path: str, issues: Issues
) -> None:
    """Note which keys of a draft are unknown, and which are missing."""
    for key in islice((key for key in draft if key not in rules), _MOST_UNKNOWN):
        shown = _shown(key)
        nearest = get_close_matches(shown, rules, n=1)
        issues.append(ValidationIssue.additional_property(join_path(path, shown), nearest[0] if nearest else None))
    issues += [ValidationIssue.required(join_path(path, name)) for name in required if name not in draft]


def settled_fields(draft: Mapping[Any, Any], rules: Mapping[str, Rule], path: str, issues: Issues) -> dict[str, Any]:
    """Return the fields of a draft that exist, each settled by its rule."""
    return {name: rule(draft[name], join_path(path, name), issues) for name, rule in rules.items() if name in draft}


_UNPRINTABLE: Final = re.compile(r"[^ -~]")
_MOST_UNKNOWN: Final = 50  # comparing each with every field takes time, and nobody reads more


def _shown(key: object) -> str:
    return _UNPRINTABLE.sub("?", key[:64]) if isinstance(key, str) else type(key).__name__
