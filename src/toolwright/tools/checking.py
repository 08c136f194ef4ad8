"""What is wrong with a definition, all at once, before anything is made of it.

The same rules hold here and in the constructor. Here come those that depend on where a definition is to live: with
others in a store, or under a tier. This module may not know a store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, Final

from toolwright.errors import LicenseError
from toolwright.schema import Schema, ValidationIssue, ValidationReport
from toolwright.tiers import Tier, validate_custom_validator, validate_isolation, validate_keywords
from toolwright.tools.constraints import ToolConstraints
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.fields import FIELDS, REQUIRED_FIELDS, settle
from toolwright.tools.noting import note_check
from toolwright.tools.parameters import faults_of_parameters
from toolwright.tools.rules import (
    Issues,
    Rule,
    is_mapping,
    is_sequence,
    json_object,
    mismatch,
    note_keys,
    settled_fields,
)
from toolwright.tools.written import plain
from toolwright.values import encode

__all__ = ["LONGEST_DESCRIPTION", "check_definition", "examine"]

LONGEST_DESCRIPTION: Final = 1024
"""Characters: a longer one costs tokens with every request, and is not stored."""

_LONGEST_TEXTS: Final = {"description": LONGEST_DESCRIPTION, "version": 32}
_LARGEST_FIELD: Final = 256 * 1024
_LARGEST: Final = {"permissions": 4096, "constraints": 4096}
# Characters, and bytes of JSON: the widths of the columns that they are stored in.

_DRAFT_FIELDS: Final[Mapping[str, Rule]] = {**FIELDS, "handler": json_object}
# A definition file says what runs as well. Here that is only looked at for what a tier may not have.


def check_definition(draft: object, *, tier: Tier | str | None = None, stored: bool = False) -> ValidationReport:
    """Return everything that is wrong with a definition, or with a mapping that is to become one; never raises for it.

    The mapping is what JSON or TOML gives: parameters as a schema or as an array of rows, and a ``handler`` where it
    has one. With ``stored``, the sizes that a store takes are checked, and the rules for parameters hold for a schema
    as they do for rows; a ``tier`` is asked for schema keywords, isolation and custom validators. How many definitions
    a tier takes is for whoever counts them.

    Raises:
        UnknownWordError: There is no such tier.
    """
    started = perf_counter()
    fields, report = examine(draft, tier=tier, stored=stored)
    note_check(fields, report, perf_counter() - started)
    return report


def examine(
    draft: object, *, tier: Tier | str | None = None, stored: bool = False
) -> tuple[Mapping[str, Any], ValidationReport]:
    """Return what a definition says, field by field, and what is wrong with it; for whoever has more to look at."""
    issues: Issues = []
    if isinstance(draft, ToolDefinition):
        fields: dict[str, Any] = {name: getattr(draft, name) for name in FIELDS}
    elif is_mapping(draft):
        note_keys(draft, _DRAFT_FIELDS, REQUIRED_FIELDS, "", issues)
        fields = settled_fields(draft, _DRAFT_FIELDS, "", issues)
        settle(fields, issues)
    else:
        mismatch(draft, "", "object", issues)
        return {}, ValidationReport.invalid(*issues)
    if stored:
        issues += _faults_in_store(fields)
        if not _has_rows(draft):  # rows have been held to these rules as they were read
            issues += faults_of_parameters(fields["parameters"]) if fields.get("parameters") else []
    if tier is not None:
        issues += _faults_of_tier(fields, Tier.parse(tier))
    warnings = [] if stored else _warnings(fields)
    return fields, ValidationReport(tuple(dict.fromkeys(issues)), tuple(warnings))


def _warnings(fields: Mapping[str, Any]) -> Issues:
    length = len(fields.get("description", ""))
    if length <= LONGEST_DESCRIPTION:
        return []
    return [ValidationIssue.large_value("description", f"{length:,} characters, sent with every request")]


def _faults_in_store(fields: Mapping[str, Any]) -> Issues:
    found: Issues = []
    for name, limit in _LONGEST_TEXTS.items():
        if len(fields.get(name) or "") > limit:
            found.append(ValidationIssue.out_of_range(name, maximum=limit, counted="characters"))
    for name, value in fields.items():
        limit = _LARGEST.get(name, _LARGEST_FIELD)
        if len(encode(plain(value))) > limit:
            found.append(ValidationIssue.out_of_range(name, maximum=limit, counted="bytes of JSON"))
    return found


def _has_rows(draft: object) -> bool:
    return is_mapping(draft) and is_sequence(draft.get("parameters"))


def _faults_of_tier(fields: Mapping[str, Any], tier: Tier) -> Issues:
    found: Issues = []

    def hold(path: str, validate: Callable[..., None], *wanted: object) -> None:
        try:
            validate(tier, *wanted)
        except LicenseError as error:
            found.append(ValidationIssue.invalid_value(path, str(error)))

    constraints: ToolConstraints | None = fields.get("constraints")
    if constraints is not None and constraints.isolation is not None:
        hold("constraints.isolation", validate_isolation, constraints.isolation)
    for name in ("parameters", "output_schema"):
        schema: Schema | None = fields.get(name)
        if schema is not None:
            hold(name, validate_keywords, schema.to_dict())
    if "check" in fields.get("handler", {}):
        hold("handler.check", validate_custom_validator)
    return found
