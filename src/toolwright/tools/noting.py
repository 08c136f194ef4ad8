"""What is told of a definition that was checked: in the log, and where somebody measures.

This module may not know how a definition is checked, nor where it goes.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from toolwright.schema import ValidationReport
from toolwright.telemetry import telemetry
from toolwright.tools.names import NAME_LENGTH, normalize_name

__all__ = ["note_check"]

_log: Final = logging.getLogger("toolwright.definitions")


def note_check(fields: Mapping[str, Any], report: ValidationReport, seconds: float) -> None:
    """Tell what came of a check that took so long; of the definition its name and numbers, never its texts."""
    measures = telemetry()
    if measures is not None:
        measures.definition_validated(seconds, valid=report.valid)
    if report.valid:
        _note_valid(fields, seconds)
    elif _log.isEnabledFor(logging.WARNING):
        _note_faults(fields, report)


def _note_valid(fields: Mapping[str, Any], seconds: float) -> None:
    name = fields["name"]
    facts = {
        "event": "definition.validated",
        "tool": name,
        "category": fields["category"].value,
        "parameters": len(fields["parameters"].properties),
        "duration": seconds,
    }
    _log.info("definition %s validated", name, extra=facts)


def _note_faults(fields: Mapping[str, Any], report: ValidationReport) -> None:
    name = normalize_name(fields.get("name", "")[:NAME_LENGTH])  # which may be anything
    facts: dict[str, Any] = {
        "event": "definition.validation_failed",
        "tool": name,
        "codes": [issue.code for issue in report.errors],
        "paths": [issue.path for issue in report.errors],
    }
    _log.warning("validation of definition %s failed", name, extra=facts)
    for issue in report.errors:
        constraint = issue.path.removeprefix("constraints.")
        if issue.code == "out_of_range" and constraint != issue.path:
            facts = {
                "event": "definition.constraint_violated",
                "tool": name,
                "constraint": constraint,
                "value": issue.provided,
                "limit": issue.expected,
            }
            _log.warning("definition %s violates constraint %s", name, constraint, extra=facts)
