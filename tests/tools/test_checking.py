from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from tests.tools.definitions import definitions, drafts
from toolwright.errors import InvalidDefinitionError, UnknownWordError
from toolwright.schema import ValidationIssue, ValidationReport
from toolwright.tiers import Tier
from toolwright.tools.checking import check_definition
from toolwright.tools.definition import ToolDefinition

PLAIN: dict[str, Any] = {"name": "probe", "description": "Probe it."}

FILE = """
name = "read_file"
description = "Read a text file."
category = "file_system"
risk = "safe"
permissions = ["tool.filesystem.read"]

[[parameters]]
name = "path"
description = "Relative to the workspace"
required = true

[[parameters]]
name = "depth"
description = "How deep"
type = "integer"
default = 3

[constraints]
max_execution_time = 5
side_effects = false

[handler]
kind = "command"
argv = ["cat", "{path}"]
"""


def found(report: ValidationReport) -> dict[str, str]:
    return {issue.path: issue.code for issue in report.errors}


def check(**fields: Any) -> ValidationReport:
    return check_definition({**PLAIN, **fields})


def construct(draft: dict[str, Any]) -> tuple[ValidationIssue, ...]:
    try:
        ToolDefinition(**draft)
    except InvalidDefinitionError as error:
        return error.report.errors if error.report else ()
    return ()


@keeps("definition.check", "definition.invalid")
@given(drafts)
def test_checking_never_raises_and_agrees_with_the_constructor(draft: object) -> None:
    report = check_definition(draft)
    assert report.errors or isinstance(draft, dict)
    for tier in Tier:
        assert set(report.errors) <= set(check_definition(draft, tier=tier, stored=True).errors)
    if (
        isinstance(draft, dict)
        and draft.keys() <= ToolDefinition.rules.keys()
        and {"name", "description"} <= draft.keys()
    ):
        assert construct(draft) == report.errors


@keeps("definition.check")
@pytest.mark.parametrize("draft", [None, 5, "name", [], [PLAIN], object(), {1: 2}, {None: {}, ("a",): 1}])
def test_what_is_no_definition_at_all_is_reported(draft: object) -> None:
    assert not check_definition(draft).valid


@keeps("definition.check")
def test_values_that_are_no_json_are_reported_like_others() -> None:
    endless: dict[str, Any] = {}
    endless["properties"] = endless
    weird: Any = object()
    report = check(parameters=endless, metadata={"x": weird}, examples=[{"x": weird}], tags=weird, risk=weird)
    assert {path.partition(".")[0].partition("[")[0] for path in found(report)} == {
        "parameters",
        "metadata",
        "examples",
        "tags",
        "risk",
    }


@keeps("definition.check")
def test_everything_that_is_wrong_is_found_at_once() -> None:
    report = check_definition(
        {
            "name": "Read File",
            "description": " ",
            "category": "kitchen",
            "parameters": [{"name": "path", "description": "", "required": True, "default": "a"}],
            "constraints": {"max_execution_time": 601, "isolation": "iron"},
            "permissions": ["read"],
            "version": "one",
        }
    )
    assert found(report) == {
        "name": "pattern_mismatch",
        "description": "invalid_value",
        "category": "invalid_enum",
        "parameters[0].default": "invalid_value",
        "constraints.max_execution_time": "out_of_range",
        "constraints.isolation": "invalid_enum",
        "permissions[0]": "invalid_value",
        "version": "invalid_value",
    }
    assert all(issue.message in report.message for issue in report.errors)


@keeps("definition.check")
@given(definitions)
def test_a_definition_that_exists_is_valid(definition: ToolDefinition) -> None:
    assert check_definition(definition).valid
    assert check_definition(definition, tier="enterprise").valid


@keeps("definition.check")
def test_a_definition_file_is_checked_as_it_is_written() -> None:
    draft = tomllib.loads(FILE)
    assert check_definition(draft, tier=Tier.CORE, stored=True) == ValidationReport.ok()
    assert found(check_definition({**draft, "handler": "cat"})) == {"handler": "type_mismatch"}


@keeps("definition.unknown_key")
def test_an_unknown_key_is_answered_with_the_nearest() -> None:
    report = check(desciption="x", constraints={"max_time": 5}, zzz=1)
    assert found(report) == {
        "desciption": "additional_property",
        "zzz": "additional_property",
        "constraints.max_time": "additional_property",
    }
    assert "did you mean 'description'?" in report.errors[0].message


@keeps("definition.name")
@pytest.mark.parametrize("name", ["ReadFile", "read file", "read-file", "123_tool", ""])
def test_an_illegal_name_fails_with_a_clear_error(name: str) -> None:
    report = check_definition({**PLAIN, "name": name, "category": "system"})
    assert found(report) == {"name": "pattern_mismatch"}
    assert "a letter first" in report.message


@keeps("definition.description")
def test_a_long_description_is_a_warning_in_code_and_an_error_when_stored() -> None:
    longest, longer = {**PLAIN, "description": "x" * 1024}, {**PLAIN, "description": "x" * 1025}
    assert check_definition(longest, stored=True) == check_definition(longest) == ValidationReport.ok()
    for draft in (longer, ToolDefinition(**longer)):
        assert [issue.code for issue in check_definition(draft).warnings] == ["large_value"]
        assert check_definition(draft).valid
        assert found(check_definition(draft, stored=True)) == {"description": "out_of_range"}


@keeps("definition.sizes")
@pytest.mark.parametrize(
    ("name", "fits", "exceeds"),
    [
        ("version", f"1.0.0-{'a' * 26}", f"1.0.0-{'a' * 27}"),
        ("permissions", [f"a.{'b' * 4090}"], [f"a.{'b' * 4091}"]),
        ("constraints", {"resource": "x" * 4081}, {"resource": "x" * 4082}),
        ("metadata", {"x": "y" * (256 * 1024 - 8)}, {"x": "y" * (256 * 1024 - 7)}),
        ("title", "x" * (256 * 1024 - 2), "x" * (256 * 1024 - 1)),
        ("tags", ["x" * (256 * 1024 - 4)], ["x" * (256 * 1024 - 3)]),
    ],
)
def test_a_stored_definition_is_held_to_its_sizes(name: str, fits: object, exceeds: object) -> None:
    assert check_definition({**PLAIN, name: fits}, stored=True).valid
    for draft in ({**PLAIN, name: exceeds}, ToolDefinition(**{**PLAIN, name: exceeds})):
        assert found(check_definition(draft, stored=True)) == {name: "out_of_range"}
        assert check_definition(draft).valid


@keeps("definition.parameter_rules")
def test_a_stored_schema_follows_the_rules_of_parameters() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "default": "x"},
            "b": {"type": "integer", "enum": [1, "x"], "default": 2},
        },
        "required": ["a"],
    }
    assert check(parameters=schema).valid, "others write such schemas, and they are mounted as they are"
    assert found(check_definition({**PLAIN, "parameters": schema}, stored=True)) == {
        "parameters.properties.a.default": "invalid_value",
        "parameters.properties.b.enum[1]": "type_mismatch",
        "parameters.properties.b.default": "invalid_enum",
    }


@keeps("definition.check_tier")
def test_of_a_tier_the_keywords_the_isolation_and_the_validator_are_checked() -> None:
    draft = {
        **PLAIN,
        "parameters": {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a"}}},
        "output_schema": {"type": "integer", "minimum": 0},
        "constraints": {"isolation": "restricted"},
        "handler": {"kind": "entrypoint", "check": "package.module:function"},
    }
    wrong = {tier: set(found(check_definition(draft, tier=tier))) for tier in Tier}
    assert wrong == {
        Tier.CORE: {"parameters", "output_schema", "constraints.isolation", "handler.check"},
        Tier.WRITER_PRO: {"parameters", "output_schema", "constraints.isolation", "handler.check"},
        Tier.TEAMS: {"constraints.isolation", "handler.check"},
        Tier.ENTERPRISE: set(),
    }
    assert "Teams lifts this" in check_definition(draft, tier="core").message
    with pytest.raises(UnknownWordError):
        check_definition(draft, tier="gold")


@keeps("definition.check")
@given(st.integers(0, 3))
def test_the_report_holds_no_value_that_was_given(number: int) -> None:
    draft = {**PLAIN, "metadata": "hunter2", "version": "hunter2", "risk": "hunter2", "parameters": {"type": "hunter2"}}
    report = check_definition(draft, tier=Tier.from_number(number), stored=True)
    assert len(report.errors) == 4
    assert "hunter2" not in report.message + repr(report) + json.dumps([issue.message for issue in report.errors])
