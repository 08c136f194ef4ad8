from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given

from tests.promises import keeps
from tests.tools.definitions import rows, schemas
from toolwright.errors import InvalidDefinitionError
from toolwright.schema import Schema, SchemaBuilder
from toolwright.tools.checking import check_definition
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.parameters import ToolParameter, rows_of

NODE = {
    "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
    "$ref": "#/$defs/Node",
}


def define(*parameters: ToolParameter) -> ToolDefinition:
    return ToolDefinition.from_parameters("probe", "Probe it.", parameters)


def faults(*parameters: dict[str, Any]) -> dict[str, str]:
    draft: dict[str, Any] = {"name": "probe", "description": "Probe it.", "parameters": list(parameters)}
    report = check_definition(draft)
    if report.errors:
        with pytest.raises(InvalidDefinitionError) as caught:
            ToolDefinition(**draft)
        assert caught.value.report is not None
        assert caught.value.report.errors == report.errors
    return {issue.path: issue.code for issue in report.errors}


@keeps("definition.from_parameters")
def test_parameters_written_one_by_one_become_a_schema() -> None:
    definition = define(
        ToolParameter("path", "The file path", "string", required=True),
        ToolParameter("encoding", "Its encoding", "string", default="utf-8", enum=["utf-8", "ascii"]),
        ToolParameter("options", "More", "object", schema={"properties": {"deep": {"type": "boolean"}}}),
    )
    assert definition.parameters.to_dict() == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file path"},
            "encoding": {
                "type": "string",
                "description": "Its encoding",
                "enum": ["utf-8", "ascii"],
                "default": "utf-8",
            },
            "options": {
                "type": "object",
                "properties": {"deep": {"type": "boolean"}},
                "description": "More",
                "additionalProperties": False,
            },
        },
        "required": ["path"],
        "additionalProperties": False,
    }


@keeps("definition.from_parameters", "definition.parameter_list")
@given(rows)
def test_the_list_gives_back_what_a_definition_was_made_of(parameters: list[ToolParameter]) -> None:
    definition = ToolDefinition.from_parameters("probe", "Probe it.", parameters, strict=False)
    assert list(definition.parameter_list) == parameters
    again = ToolDefinition.from_parameters("probe", "Probe it.", definition.parameter_list, strict=False)
    assert again == definition


@keeps("definition.parameter_list")
def test_a_built_schema_and_its_list_are_one() -> None:
    schema = (
        SchemaBuilder()
        .string("name", "The name", required=True, min_length=1)
        .integer("count", "How many", minimum=0, default=3)
        .enum("status", "Which", ["on", "off"])
        .string_array("tags", "Words", max_items=4)
        .object("options", "More", lambda inner: inner.boolean("deep", "All the way down"))
        .build()
    )
    definition = ToolDefinition("probe", "Probe it.", schema)
    assert define(*definition.parameter_list).parameters == schema


@keeps("definition.parameter_list")
@given(schemas)
def test_any_schema_has_a_list_that_means_the_same(property: dict[str, Any]) -> None:
    schema = Schema({"type": "object", "properties": {"a": property}, "required": ["a"]})
    (row,) = rows_of(schema)
    assert (row.name, row.required) == ("a", True)
    made = ToolDefinition.from_dict(
        {"name": "probe", "description": "x", "strict": False, "parameters": [{**row.to_dict(), "required": False}]}
    )
    for value in (None, 1, 1.5, "a", True, [], [1], {}, {"a": 1}, {"a": {"a": "x"}}):
        assert made.parameters.validate({"a": value}).valid == schema.validate({"a": value}).valid


@keeps("definition.parameter_list")
def test_references_still_lead_where_they_led() -> None:
    schema = Schema(
        {
            "type": "object",
            "properties": {
                "tree": {"$ref": "#/definitions/Tree"},
                "same": {"$ref": "#/properties/kind"},
                "kind": {"type": "string", "enum": ["a", "b"]},
                "nested": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
            },
            "definitions": {"Tree": {"type": "array", "items": {"$ref": "#/definitions/Tree"}}},
        }
    )
    made = ToolDefinition.from_parameters("probe", "Probe it.", rows_of(schema), strict=False).parameters
    for value, valid in [
        ({"tree": [[], [[]]]}, True),
        ({"tree": [1]}, False),
        ({"same": "b"}, True),
        ({"same": "c"}, False),
        ({"nested": {"nested": None, "kind": "a"}}, True),
        ({"nested": {"kind": "c"}}, False),
    ]:
        assert schema.validate(value).valid is made.validate(value).valid is valid


@keeps("definition.parameter_list")
def test_an_old_dialect_goes_with_its_rows() -> None:
    old = "http://json-schema.org/draft-07/schema#"
    schema = {
        "$schema": old,
        "type": "object",
        "properties": {"pair": {"type": "array", "items": [{"type": "string"}]}},
    }
    definition = ToolDefinition("probe", "Probe it.", schema)
    assert define(*definition.parameter_list).parameters == definition.parameters
    newer = ToolParameter("n", "", "integer", schema={"$schema": "http://json-schema.org/draft-06/schema#"})
    with pytest.raises(InvalidDefinitionError):
        define(*definition.parameter_list, newer)


def test_definitions_of_two_rows_do_not_get_mixed_up() -> None:
    other = {"$defs": {"Node": {"type": "integer"}}, "$ref": "#/$defs/Node"}
    made = define(
        ToolParameter("a", "", "object", schema=NODE), ToolParameter("b", "", "integer", schema=other)
    ).parameters
    assert made.validate({"a": {"next": {"next": {}}}, "b": 5}).valid
    assert {issue.path for issue in made.validate({"a": 5, "b": {}}).errors} == {"a", "b"}


@keeps("definition.parameter_rules")
def test_a_required_parameter_has_no_default() -> None:
    row = {"name": "a", "description": "", "required": True, "default": "x"}
    assert faults(row) == {"parameters[0].default": "invalid_value"}


@keeps("definition.parameter_rules")
@pytest.mark.parametrize(
    ("type", "value"),
    [
        ("string", 1),
        ("integer", 1.5),
        ("integer", True),
        ("number", "1"),
        ("boolean", 0),
        ("array", {}),
        ("object", []),
    ],
)
def test_values_of_another_type_are_refused(type: str, value: object) -> None:
    schema = {"type": type}
    row: dict[str, Any] = {"name": "a", "description": "", "type": type}
    expected = {"parameters[0].enum[0]": "type_mismatch"}
    assert faults({**row, "enum": [value]}) == faults({**row, "enum": [value], "schema": schema}) == expected
    if type in {"array", "object"}:
        row["schema"] = schema
    assert faults({**row, "default": value}) == {"parameters[0].default": "type_mismatch"}


@keeps("definition.parameter_rules")
def test_values_fit_the_schema_of_the_parameter_too() -> None:
    row = {"name": "a", "description": "", "type": "integer", "schema": {"type": "integer", "maximum": 3}}
    assert faults({**row, "enum": [1, 3], "default": 3}) == {}
    assert faults({**row, "enum": [1, 4]}) == {"parameters[0].enum[1]": "out_of_range"}
    assert faults({**row, "default": 5}) == {"parameters[0].default": "out_of_range"}
    assert faults({**row, "enum": [1, 3], "default": 2}) == {"parameters[0].default": "invalid_enum"}
    rows = {"name": "b", "description": "", "type": "array", "schema": {"items": {"type": "string"}}, "default": [1]}
    assert faults(rows) == {"parameters[0].default[0]": "type_mismatch"}
    assert faults({**rows, "default": "x"}) == {"parameters[0].default": "type_mismatch"}
    assert faults({**rows, "default": [], "enum": [[], {}]}) == {"parameters[0].enum[1]": "type_mismatch"}


@keeps("definition.parameter_rules", "definition.check")
def test_a_default_is_checked_although_another_row_is_wrong() -> None:
    row = {"name": "a", "description": "", "type": "array", "schema": {"items": {"type": "string"}}}
    assert faults({**row, "default": [1]}, {**row, "default": ["x"]}) == {
        "parameters[0].default[0]": "type_mismatch",
        "parameters[1].name": "invalid_value",
    }


@keeps("definition.parameter_rules")
@pytest.mark.parametrize("value", [1, 1.0, 10**30])
def test_what_json_calls_an_integer_is_one(value: float) -> None:
    for type in ("integer", "number"):
        assert faults({"name": "a", "description": "", "type": type, "default": value}) == {}


@keeps("definition.parameter_rules")
@pytest.mark.parametrize("type", ["array", "object"])
def test_arrays_and_objects_have_a_schema_or_an_enum(type: str) -> None:
    row = {"name": "a", "description": "", "type": type}
    assert faults(row) == {"parameters[0].schema": "required"}
    assert faults({**row, "schema": {}}) == faults({**row, "enum": [[] if type == "array" else {}]}) == {}
    assert faults({**row, "schema": {"type": "string"}}) == {"parameters[0].schema.type": "invalid_value"}


@keeps("definition.parameter_rules")
def test_names_of_parameters_are_snake_case_and_unique() -> None:
    named = [{"name": name, "description": ""} for name in ("a_b2", "aB", "2a", "", "a-b", "a_b2", "a" * 65)]
    assert faults(*named) == {
        "parameters[1].name": "invalid_value",
        "parameters[2].name": "invalid_value",
        "parameters[3].name": "invalid_value",
        "parameters[4].name": "invalid_value",
        "parameters[5].name": "invalid_value",
        "parameters[6].name": "invalid_value",
    }


@keeps("definition.unknown_key", "definition.check")
def test_a_row_that_is_wrong_in_many_ways_is_told_all() -> None:
    assert faults({"nam": "a", "type": "text", "required": "yes", "enum": [], "schema": {"type": 5}}, 5) == {  # type: ignore[arg-type]
        "parameters[0].nam": "additional_property",
        "parameters[0].name": "required",
        "parameters[0].description": "required",
        "parameters[0].type": "invalid_enum",
        "parameters[0].required": "type_mismatch",
        "parameters[0].schema.type": "invalid_value",
        "parameters[1]": "type_mismatch",
    }


def test_a_row_is_a_value_like_any_other() -> None:
    row = ToolParameter("a", "b", "Integer", default=1, enum=[1, 2], schema={"type": "integer"})
    assert row.type == "integer"
    assert ToolParameter.from_json(row.to_json()) == row == pickle.loads(pickle.dumps(row))  # noqa: S301
    assert row != ToolParameter("a", "b", "integer", default=True, enum=[1, 2], schema={"type": "integer"})
    assert hash(row) == hash(ToolParameter.from_dict(row.to_dict()))
    assert repr(row) == "ToolParameter(name='a', type=integer, required=False)"
    with pytest.raises(InvalidDefinitionError):
        ToolParameter("a", type="text")
    with pytest.raises(InvalidDefinitionError, match="default.x"):
        ToolParameter("a", default={"x": object()})
