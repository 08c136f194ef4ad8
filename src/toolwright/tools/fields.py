"""The fields of a definition: the rule of each, and what must hold between them.

A constructor and a check go the same way: :data:`FIELDS` for each field by itself, then :func:`settle` for all.

This module may not know the type that has the fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import reduce
from typing import Any, Final

from toolwright.levels import RiskLevel, ToolCategory
from toolwright.schema import Schema, ValidationIssue
from toolwright.tools.constraints import ToolConstraints, placeholders
from toolwright.tools.names import NAME_LENGTH, RESERVED_NAMES, is_legal_name, normalize_name, title_of
from toolwright.tools.parameters import parameters_of
from toolwright.tools.permissions import permission
from toolwright.tools.rules import (
    Issues,
    Rule,
    any_text,
    flag,
    json_object,
    moved,
    optional,
    schema,
    sequence,
    text,
    word,
)
from toolwright.tools.strictness import Opening, find_opening
from toolwright.values import join_path

__all__ = ["FIELDS", "REQUIRED_FIELDS", "settle"]

_SEMANTIC_VERSION: Final = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
    r"(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?",
    re.ASCII,
)


def _name(value: Any, path: str, issues: Issues) -> str:
    name = any_text(value, path, issues)
    if isinstance(value, str) and not is_legal_name(name):
        if name in RESERVED_NAMES:
            problem = "is a reserved word: say what the tool does"
        else:
            problem = f"must be a-z, 0-9 and _, a letter first, at most {NAME_LENGTH} characters"
            near = normalize_name(name[:NAME_LENGTH])
            if is_legal_name(near):
                problem += f" (such as {near})"
        issues.append(ValidationIssue(path=path, message=problem, code="pattern_mismatch"))
    return name


def _description(value: Any, path: str, issues: Issues) -> str:
    description = any_text(value, path, issues)
    if isinstance(value, str) and (not description or description.isspace()):
        problem = "must not be empty: say what the tool does, in description= or in a function's docstring"
        issues.append(ValidationIssue.invalid_value(path, problem, provided=value))
    return description


def _version(value: Any, path: str, issues: Issues) -> str:
    version = text(value, path, issues)
    if version and not version.isspace() and not _SEMANTIC_VERSION.fullmatch(version):
        problem = "must be a semantic version, such as 1.0.0"
        issues.append(ValidationIssue.invalid_value(path, problem, provided=value))
    return version


FIELDS: Final[Mapping[str, Rule]] = {
    "name": _name,
    "description": _description,
    "title": optional(text),
    "category": word(ToolCategory),
    "risk": optional(word(RiskLevel)),
    "tags": sequence(text),
    "parameters": optional(parameters_of),
    "strict": flag,
    "output_schema": optional(schema),
    "constraints": optional(ToolConstraints.read),
    "permissions": sequence(permission),
    "requires_confirmation": flag,
    "version": optional(_version),
    "metadata": optional(json_object),
    "examples": sequence(json_object),
}
"""The rule of each field by itself."""

REQUIRED_FIELDS: Final = ("name", "description")


def settle(fields: dict[str, Any], issues: Issues) -> None:
    """Fill in what follows from other fields, and note what does not go together.

    Each field that was given has followed its own rule; the faults found there are in ``issues``.
    """
    if fields.get("title") is None:
        fields["title"] = title_of(fields.get("name", ""))
    fields.setdefault("category", ToolCategory.CUSTOM)
    if fields.get("risk") is None:
        fields["risk"] = fields["category"].default_risk
    if any(issue.parameter == "parameters" for issue in issues):
        fields["parameters"] = None
        return  # what follows is about parameters
    parameters = _settled(fields.get("parameters"), issues, strict=fields.get("strict", True))
    fields["parameters"] = parameters
    if parameters is None:
        return
    _check_resource(fields.get("constraints"), parameters, issues)
    for index, example in enumerate(fields.get("examples", ())):
        faults = parameters.validate(example).errors
        issues += [moved(issue, join_path("examples", index)) for issue in faults]


def _settled(parameters: Schema | dict[str, Any] | None, issues: Issues, *, strict: bool) -> Schema | None:
    """Return the parameters as a schema, closed where that is wanted."""
    if parameters is None:
        return Schema.empty()
    document = parameters.to_dict() if isinstance(parameters, Schema) else parameters
    if document.get("type") != "object":
        problem = "must be object: what a call gives is one object with a property for each argument"
        issues.append(ValidationIssue.invalid_value("parameters.type", problem))
    opening = find_opening(document) if strict else Opening([], [])
    for place in opening.said:
        problem = "may not be true where strict is: leave it out, give a schema for the further properties, or be lax"
        issues.append(ValidationIssue.invalid_value(reduce(join_path, place, "parameters"), problem))
    for node, keyword in opening.silent:
        node[keyword] = False
    if isinstance(parameters, Schema) and not opening.silent:
        return parameters
    return schema(document, "parameters", issues)


def _check_resource(constraints: ToolConstraints | None, parameters: Schema, issues: Issues) -> None:
    if constraints is not None and constraints.resource is not None:
        for name in placeholders(constraints.resource):
            if name not in parameters.properties:
                problem = f"has a placeholder for {name[:NAME_LENGTH]}, which is no parameter"
                issues.append(ValidationIssue.invalid_value("constraints.resource", problem))
