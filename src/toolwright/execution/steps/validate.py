"""Step 2: the arguments, in the words of a model where they are wrong.

What was plainly meant is put right, where the policy lets it; what is missing is filled in from the schema's defaults;
then the tool's own check has its say.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

from toolwright.execution.known import KnownTool
from toolwright.execution.stages import Checked, Located, Refused
from toolwright.schema import Schema, ValidationIssue, ValidationReport
from toolwright.tools.outcome import ToolOutcome
from toolwright.values import JsonObject, freeze_object

__all__ = ["report_on", "validate"]


def validate(located: Located, arguments: JsonObject, *, repair: bool) -> Checked:
    """Make the arguments valid and complete: those that the model sent, or a reviewer put in their place.

    ``null`` for a property that may be left out means that it was not given.

    Raises:
        Refused: They are not valid; the outcome says where and how.
    """
    completed, report = report_on(located.known, arguments, repair=repair)
    if report.errors:
        raise Refused(ToolOutcome.invalid(report))
    return Checked(located, completed, report.warnings)


def report_on(known: KnownTool, arguments: JsonObject, *, repair: bool) -> tuple[JsonObject, ValidationReport]:
    """Return the arguments as they would be run, and what there is to say about them."""
    completed = _completed(known.schema, arguments)
    report = _check(known, completed)
    if not report.errors:
        return completed, report
    mended, mending = known.schema.repair(completed) if repair else _without_nulls(known.schema, completed)
    if mended is completed or mending.errors:
        return completed, report if completed is arguments else _as_sent(known, arguments, report)
    completed = _completed(known.schema, freeze_object(mended))
    return completed, ValidationReport.combine(ValidationReport(warnings=mending.warnings), _check(known, completed))


def _as_sent(known: KnownTool, arguments: JsonObject, report: ValidationReport) -> ValidationReport:
    """Return the faults of what was sent, before defaults were filled in, if the schema finds any there.

    The nearest name of a misspelt key is one that was not given.
    """
    sent = known.schema.validate(arguments)
    return sent if sent.errors else report


def _completed(schema: Schema, arguments: JsonObject) -> JsonObject:
    filled = schema.with_defaults(arguments)
    return filled if filled is arguments or filled.__class__ is MappingProxyType else freeze_object(filled)


def _check(known: KnownTool, arguments: JsonObject) -> ValidationReport:
    """Ask the schema, and then the tool; a check that fails is an error: what could not be checked is not valid."""
    try:
        report = known.check(arguments)
    except Exception as error:  # noqa: BLE001  around the user's own code
        report = type(error).__name__
    if isinstance(report, ValidationReport):
        return report
    problem = "the arguments could not be checked: the tool's own check failed"
    return ValidationReport.invalid(ValidationIssue.invalid_value("", problem))


def _without_nulls(schema: Schema, arguments: JsonObject) -> tuple[JsonObject, ValidationReport]:
    """Return arguments without the nulls that mean "not given", and the report on them."""
    stripped = _stripped(schema, arguments)
    return stripped, schema.validate(stripped)


def _stripped(schema: Schema, value: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, item in value.items():
        part = schema.property(name)
        if item is None and part is not None and not schema.is_required(name) and part.validate(None).errors:
            continue
        if part is not None and isinstance(item, Mapping):
            kept[name] = _stripped(part, cast("Mapping[str, Any]", item))
        else:
            kept[name] = item
    return kept
