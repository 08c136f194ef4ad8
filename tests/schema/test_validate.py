"""What a report says about a value."""

from __future__ import annotations

import sys
from collections import OrderedDict
from decimal import Decimal
from enum import Enum, IntEnum
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.schema import Schema, ValidationIssue
from toolwright.values import freeze, thaw

SECRET = "hunter2-hunter2"


def issues(schema: Any, value: object) -> list[tuple[str, str, str]]:
    """Return the path, code and message of each error."""
    return [(issue.path, issue.code, issue.message) for issue in Schema(schema).validate(value).errors]


# Each: a schema, a value, and the one error that is reported.
SENTENCES: list[tuple[Any, Any, tuple[str, str, str]]] = [
    ({"required": ["a"]}, {}, ("a", "required", "is missing")),
    ({"properties": {"o": {"required": ["d"]}}}, {"o": {}}, ("o.d", "required", "is missing")),
    (
        {"dependentRequired": {"card": ["address"]}},
        {"card": 1},
        ("address", "required", "is missing; it must be given with 'card'"),
    ),
    (
        {"dependencies": {"card": ["address"]}},
        {"card": 1},
        ("address", "required", "is missing; it must be given with 'card'"),
    ),
    ({"type": "integer"}, "5", ("", "type_mismatch", "must be an integer, not a string")),
    ({"type": "integer"}, 1.5, ("", "type_mismatch", "must be an integer, not a number")),
    ({"type": "integer"}, True, ("", "type_mismatch", "must be an integer, not a boolean")),
    ({"type": ["string", "null"]}, [], ("", "type_mismatch", "must be a string or null, not an array")),
    ({"items": {"type": "string"}}, ["a", "b", None], ("[2]", "type_mismatch", "must be a string, not null")),
    (
        {"properties": {"tags": {"items": {"items": {"type": "object"}}}}},
        {"tags": [[], [{}, 1]]},
        ("tags[1][1]", "type_mismatch", "must be an object, not an integer"),
    ),
    ({"enum": ["a", "b"]}, "c", ("", "invalid_enum", "must be one of 'a', 'b'")),
    ({"enum": [1, None, True, {"x": 1}]}, 2, ("", "invalid_enum", 'must be one of 1, null, true, {"x":1}')),
    ({"const": "a"}, "b", ("", "invalid_enum", "must be 'a'")),
    ({"minimum": 1}, 0, ("", "out_of_range", "must be at least 1")),
    ({"maximum": 10}, 12, ("", "out_of_range", "must be at most 10")),
    ({"exclusiveMinimum": 0}, 0, ("", "out_of_range", "must be more than 0")),
    ({"exclusiveMaximum": 1.5}, 2, ("", "out_of_range", "must be less than 1.5")),
    ({"multipleOf": 5}, 7, ("", "out_of_range", "must be a multiple of 5")),
    ({"minLength": 1}, "", ("", "out_of_range", "must have at least 1 character")),
    ({"maxLength": 3}, "abcd", ("", "out_of_range", "must have at most 3 characters")),
    ({"minItems": 2}, [1], ("", "out_of_range", "must have at least 2 items")),
    ({"maxItems": 1}, [1, 2], ("", "out_of_range", "must have at most 1 item")),
    ({"minProperties": 2}, {}, ("", "out_of_range", "must have at least 2 properties")),
    ({"maxProperties": 1}, {"a": 1, "b": 2}, ("", "out_of_range", "must have at most 1 property")),
    ({"prefixItems": [{}, {}], "items": False}, [1, 2, 3], ("", "out_of_range", "must have at most 2 items")),
    ({"pattern": "^a+$"}, "b", ("", "pattern_mismatch", "must match the pattern ^a+$")),
    ({"format": "date"}, "tomorrow", ("", "pattern_mismatch", "must be a valid date")),
    ({"additionalProperties": False}, {"a": 1}, ("a", "additional_property", "is not defined here; leave it out")),
    (
        {"properties": {"path": {}}, "additionalProperties": False},
        {"paht": 1},
        ("paht", "additional_property", "is not defined here; did you mean 'path'?"),
    ),
    (
        {"properties": {"max_depth": {}}, "additionalProperties": False},
        {"maxDepth": 1},
        ("maxDepth", "additional_property", "is not defined here; did you mean 'max_depth'?"),
    ),
    ({"properties": {"a": False}}, {"a": 1}, ("a", "additional_property", "is not defined here; leave it out")),
    (
        {"properties": {"a": {}}, "unevaluatedProperties": False},
        {"b": 1},
        ("b", "additional_property", "is not defined here; leave it out"),
    ),
    (
        {"prefixItems": [{}], "unevaluatedItems": False},
        [1, 2],
        ("[1]", "additional_property", "is not defined here; leave it out"),
    ),
    (
        {"uniqueItems": True},
        ["a", "b", "a"],
        ("[2]", "invalid_value", "is the same as item [0]; every item must be different"),
    ),
    (
        {"contains": {"type": "string"}},
        [1],
        ("", "invalid_value", "must contain at least 1 item of a certain kind: a string"),
    ),
    (
        {"contains": {"const": 1}, "maxContains": 1},
        [1, 1],
        ("", "invalid_value", "must contain at most 1 item of a certain kind: 1"),
    ),
    (
        {"contains": {"minimum": 1}, "minContains": 2},
        [1],
        ("", "invalid_value", "must contain at least 2 items of a certain kind"),
    ),
    (
        {"propertyNames": {"pattern": "^[a-z]+$"}},
        {"A": 1},
        ("A", "pattern_mismatch", "has a name that is not allowed: the name must match the pattern ^[a-z]+$"),
    ),
    (
        {"propertyNames": {"maxLength": 1}},
        {"ab": 1},
        ("ab", "invalid_value", "has a name that is not allowed: the name must have at most 1 character"),
    ),
    ({"not": {"type": "null"}}, None, ("", "invalid_value", "is not allowed: null")),
    ({"not": {"enum": ["a", "b"]}}, "a", ("", "invalid_value", "is not allowed: 'a', 'b'")),
    ({"not": {"required": ["a", "b"]}}, {"a": 1, "b": 1}, ("", "invalid_value", "is not allowed: having 'a', 'b'")),
    ({"not": {"minimum": 1}}, 1, ("", "invalid_value", "is not allowed: this value is excluded by the schema")),
    (
        {"oneOf": [{"type": "integer"}, {"minimum": 2}]},
        3,
        ("", "invalid_value", "fits 2 of the alternatives, and must fit exactly one: make clear which is meant"),
    ),
    (False, 1, ("", "invalid_value", "is not allowed: no value is valid here")),
    ({"if": {"const": 1}, "then": False}, 1, ("", "invalid_value", "is not allowed: no value is valid here")),
    (
        {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        {"type": 1},
        ("", "invalid_value", "must be a valid JSON Schema"),
    ),
    ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 1}, ("b", "required", "is missing")),
    (
        {"$defs": {"x": {"minimum": 1}}, "properties": {"a": {"$ref": "#/$defs/x"}}},
        {"a": 0},
        ("a", "out_of_range", "must be at least 1"),
    ),
    # unions: what helps is what the nearest alternative lacks
    (
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        1,
        ("", "type_mismatch", "must be a string or null, not an integer"),
    ),
    (
        {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
        "abcd",
        ("", "out_of_range", "must have at most 3 characters"),
    ),
    (
        {"oneOf": [{"const": "a"}, {"const": "b"}, {"enum": ["c", "b"]}]},
        "d",
        ("", "invalid_enum", "must be one of 'a', 'b', 'c'"),
    ),
    (
        {"anyOf": [{"type": "object", "properties": {"n": {"type": "integer"}}}, {"type": "array"}]},
        {"n": "x"},
        ("n", "type_mismatch", "must be an integer, not a string"),
    ),
    (
        {
            "oneOf": [
                {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"]},
                {"properties": {"kind": {"const": "square"}, "side": {"type": "number"}}, "required": ["kind", "side"]},
            ]
        },
        {"kind": "square"},
        ("side", "required", "is missing"),
    ),
    (
        {"oneOf": [{"properties": {"kind": {"const": "circle"}}}, {"properties": {"kind": {"const": "square"}}}]},
        {"kind": "line"},
        ("kind", "invalid_enum", "must be one of 'circle', 'square'"),
    ),
    ({"anyOf": [{"required": ["a", "b", "c"]}, {"required": ["a", "d"]}]}, {"a": 1}, ("d", "required", "is missing")),
    (
        {"anyOf": [{"type": "integer"}, {"anyOf": [{"type": "string"}, {"type": "null"}]}]},
        [],
        ("", "type_mismatch", "must be an integer or a string or null, not an array"),
    ),
]


@keeps("schema.codes", "schema.for_models", "schema.report", "schema.enum_listed", "schema.nearest")
@pytest.mark.parametrize(("schema", "value", "expected"), SENTENCES)
def test_what_is_wrong_is_said_so_that_a_model_can_mend_it(
    schema: Any, value: Any, expected: tuple[str, str, str]
) -> None:
    assert issues(schema, value) == [expected]


WIDE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "depth": {"type": "integer", "minimum": 1},
        "mode": {"enum": ["fast", "slow"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "options": {
            "type": "object",
            "properties": {"deep": {"type": "boolean"}},
            "required": ["deep", "wide"],
            "additionalProperties": False,
        },
    },
    "required": ["path"],
    "additionalProperties": False,
}


@keeps("schema.all_errors", "schema.message")
def test_everything_that_is_wrong_is_found_in_one_pass() -> None:
    value = {"depth": 0, "mode": "x", "tags": ["a", 1, None], "options": {"deep": "yes", "high": 1}, "pth": ""}
    report = Schema(WIDE).validate(value)
    assert not report.valid
    assert sorted(report.message.splitlines()) == [
        "- depth: must be at least 1",
        "- mode: must be one of 'fast', 'slow'",
        "- options.deep: must be a boolean, not a string",
        "- options.high: is not defined here; leave it out",
        "- options.wide: is missing",
        "- path: is missing",
        "- pth: is not defined here; did you mean 'path'?",
        "- tags[1]: must be a string, not an integer",
        "- tags[2]: must be a string, not null",
    ]


@keeps("schema.report")
def test_a_valid_value_has_an_empty_report() -> None:
    report = Schema(WIDE).validate(
        {"path": "a", "options": {"deep": True, "wide": 1}} | {"options": {"deep": True, "wide": 1}}
    )
    assert [issue.path for issue in report.errors] == ["options.wide"]
    report = Schema(WIDE).validate({"path": "a", "depth": 2, "mode": "fast", "tags": ["a"]})
    assert (report.valid, report.errors, report.warnings, report.message) == (True, (), (), "")


def test_a_misspelt_name_is_not_taken_for_one_that_is_given_already() -> None:
    schema = {"properties": {"path": {}}, "additionalProperties": False}
    assert issues(schema, {"path": 1, "paht": 2}) == [
        ("paht", "additional_property", "is not defined here; leave it out")
    ]


@keeps("schema.provided_hidden", "schema.issue")
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer"},
        {"enum": ["a"]},
        {"const": 1},
        {"maxLength": 1},
        {"pattern": "^$"},
        {"format": "date"},
        {"not": {}},
        {"allOf": [False]},
        {"anyOf": [{"type": "null"}, {"maxLength": 1}]},
        {"oneOf": [{}, {}]},
    ],
)
def test_no_message_quotes_the_value(schema: Any) -> None:
    for value, place in (
        (SECRET, schema),
        ([SECRET], {"items": schema}),
        ({"a": SECRET}, {"properties": {"a": schema}}),
    ):
        report = Schema(place).validate(value)
        assert not report.valid
        assert SECRET not in report.message + repr(report)
        assert report.errors[0].provided == SECRET


@keeps("schema.compiled_once")
def test_a_schema_is_compiled_once() -> None:
    schema = Schema({"properties": {"a": {"type": "integer"}}, "required": ["a"]})
    values: list[dict[str, Any]] = [{"a": 1}, {"a": "x"}, {"a": 1, "b": [2]}, {}]
    for value in values:
        schema.validate(value)
    called: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        called.add(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        for value in values:
            schema.validate(value)
    finally:
        sys.setprofile(None)
    assert "validate" in called
    assert called.isdisjoint({"compile_schema", "narrow", "safe_depth", "_make_plan"})


class Word(str, Enum):  # noqa: UP042  what older code has
    A = "a"


class Number(IntEnum):
    ONE = 1


class Text(str):
    __slots__ = ()


NOT_JSON: list[tuple[object, str]] = [
    (object(), ""),
    ({"a": object()}, "a"),
    ([1, {"a": [b"x"]}], "[1].a[0]"),
    (float("nan"), ""),
    ({"a": float("inf")}, "a"),
    ({1: "a"}, ""),
    ({"a": {None: 1}}, "a"),
    ({"a": {1, 2}}, "a"),
    (10**5000, ""),
]


@pytest.mark.parametrize(
    "schema",
    [
        {},
        True,
        WIDE,
        {"type": "number"},
        {"properties": {"a": {"type": "number"}}},
        {"properties": {"a": {}}, "additionalProperties": False},
        {"$ref": "#/$defs/n", "$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}},
        {"not": {"type": "string"}},
    ],
)
@pytest.mark.parametrize(("value", "path"), NOT_JSON, ids=range(len(NOT_JSON)))
def test_what_is_not_json_is_an_error_and_never_an_exception(schema: Any, value: object, path: str) -> None:
    report = Schema(schema).validate(value)
    assert not report.valid
    if schema is True:
        assert [(issue.path, issue.code) for issue in report.errors] == [(path, "invalid_value")]


@pytest.mark.parametrize(
    "value",
    [
        {"path": Word.A, "depth": Number.ONE},
        {"path": Text("a"), "tags": ("a", Text("b"))},
        OrderedDict(path="a"),
        {Text("path"): "a"},
        freeze({"path": "a", "tags": ["a"]}),
        freeze({"path": "a"}),
    ],
)
def test_what_json_can_express_is_validated_as_such(value: Any) -> None:
    assert Schema(WIDE).validate(value).valid
    assert not Schema({**WIDE, "required": ["path", "mode"]}).validate(value).valid


def test_decimals_are_numbers_where_a_number_is_wanted() -> None:
    assert Schema({"type": "number"}).validate(Decimal("1.5")).valid


OLD: dict[str, Any] = {
    "properties": {
        "mode": {"type": "string", "deprecated": True, "description": "Deprecated: use `style` instead."},
        "style": {"type": "string"},
        "speed": {"deprecated": True, "x-use-instead": "pace"},
        "gone": {"$ref": "#/$defs/gone"},
        "rows": {
            "type": "array",
            "items": {"properties": {"old": {"deprecated": True, "description": "Use something."}}},
        },
        "either": {"anyOf": [{"type": "integer"}, {"type": "string", "deprecated": True}]},
    },
    "$defs": {"gone": {"deprecated": True}},
}


@keeps("schema.deprecated", "schema.warnings_never_block")
def test_a_deprecated_property_is_valid_with_a_warning_that_names_the_alternative() -> None:
    value = {"mode": "a", "speed": 1, "gone": 1, "rows": [{}, {"old": 1}], "either": "x"}
    report = Schema(OLD).validate(value)
    assert report.valid
    assert report.warnings == (
        ValidationIssue.deprecated("mode", use="style"),
        ValidationIssue.deprecated("speed", use="pace"),
        ValidationIssue.deprecated("gone"),
        ValidationIssue.deprecated("rows[1].old"),
        ValidationIssue.deprecated("either"),
    )
    assert Schema(OLD).validate({"style": "a", "either": 1}).warnings == ()


LARGE: list[tuple[Any, Any, list[tuple[str, str]]]] = [
    ({"type": "string"}, "x" * 100_001, [("", "is unusually large: 100,001 characters")]),
    ({"type": "string"}, "x" * 100_000, []),
    ({"type": "string", "maxLength": 200_000}, "x" * 100_001, []),
    ({}, "x" * 100_001, [("", "is unusually large: 100,001 characters")]),
    ({"type": "array", "items": {"type": "integer"}}, [1] * 10_001, [("", "is unusually large: 10,001 items")]),
    ({"type": "array", "items": {"type": "integer"}}, [1] * 10_000, []),
    ({"type": "array", "maxItems": 20_000}, [1] * 10_001, []),
    (
        {"properties": {"a": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"type": "string"}}},
        {"a": "x" * 100_001},
        [("a", "is unusually large: 100,001 characters")],
    ),
    ({"properties": {"a": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"maxLength": 10**6}}}, {"a": "x" * 100_001}, []),
    (
        {"properties": {"a": {"anyOf": [{"type": "string", "maxLength": 10**6}, {"type": "null"}]}}},
        {"a": "x" * 100_001},
        [],
    ),
    (
        {"properties": {"a": {"items": {"type": "string"}}}},
        {"a": ["x", "x" * 100_001]},
        [("a[1]", "is unusually large: 100,001 characters")],
    ),
    (
        {"additionalProperties": {"type": "string"}},
        {"a": "x" * 100_001},
        [("a", "is unusually large: 100,001 characters")],
    ),
    ({"patternProperties": {"^a": {"maxLength": 10**6}}}, {"a": "x" * 100_001}, []),
]


@keeps("schema.large_value", "schema.warnings_never_block")
@pytest.mark.parametrize(("schema", "value", "warnings"), LARGE, ids=range(len(LARGE)))
def test_an_unusually_large_value_is_valid_with_a_warning(
    schema: Any, value: Any, warnings: list[tuple[str, str]]
) -> None:
    report = Schema(schema).validate(value)
    assert report.valid
    assert [(issue.path, issue.message) for issue in report.warnings] == warnings
    assert {issue.code for issue in report.warnings} <= {"large_value"}


def test_a_frozen_value_is_validated_like_a_plain_one() -> None:
    for value in ({"path": 1, "tags": ["a", 2], "options": {"deep": True}}, [1, [2]], "a", None):
        frozen = freeze(value)
        assert Schema(WIDE).validate(frozen) == Schema(WIDE).validate(value)
        assert thaw(frozen) == value


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from("abc")
    many = st.lists(inner, min_size=1, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(names, inner, max_size=3),
            "additionalProperties": inner,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$"]), inner, max_size=2),
            "items": inner,
            "prefixItems": many,
            "contains": inner,
            "anyOf": many,
            "oneOf": many,
            "allOf": many,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "dependentSchemas": st.dictionaries(names, inner, max_size=2),
            "propertyNames": inner,
            "unevaluatedProperties": inner,
            "unevaluatedItems": inner,
            "required": st.lists(names, max_size=2, unique=True),
            "type": st.sampled_from(["string", "integer", "number", "object", "array", ["null", "string"]]),
            "enum": st.lists(st.sampled_from([1, "a", None, True, [], {}]), min_size=1, max_size=2),
            "minimum": st.integers(-2, 2),
            "maxLength": st.integers(0, 2),
            "maxItems": st.integers(0, 2),
            "uniqueItems": st.booleans(),
            "multipleOf": st.sampled_from([0.5, 2]),
        },
    )


SCHEMAS = st.recursive(
    st.booleans()
    | st.sampled_from([{"type": "string"}, {"const": 1}, {"$ref": "#/$defs/r"}, {"maximum": 1}, {"minProperties": 1}]),
    _schemas,
    max_leaves=8,
)


@given(SCHEMAS, VALUES)
def test_the_engine_and_the_evaluator_agree_and_say_why(schema: Any, value: Any) -> None:
    recursive = {
        "type": ["object", "integer", "array"],
        "additionalProperties": {"$ref": "#/$defs/r"},
        "items": {"$ref": "#/$defs/r"},
    }
    whole = Schema({"properties": {"v": schema}, "$defs": {"r": recursive}})
    part = whole.property("v")  # a part that refers elsewhere is judged by the evaluator alone
    assert part is not None
    report = whole.validate({"v": value})
    assert report.valid is part.validate(value).valid
    # Where the engine said no and nothing was found wrong, this would be all that is said.
    assert "does not fit the schema" not in report.message
    assert all(issue.path.startswith("v") for issue in report.errors)
