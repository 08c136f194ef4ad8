"""What is put right, and what is not."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from tests.schema.test_validate import SCHEMAS, VALUES
from toolwright.schema import Schema
from toolwright.values import freeze

INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
BOOLEAN = {"type": "boolean"}
TEXTS = {"type": "array", "items": {"type": "string"}}

# Each: a schema, a value, what it becomes, and the warning about it.
MENDED: list[tuple[Any, Any, Any, str]] = [
    (INTEGER, "5", 5, "read the text as an integer"),
    (INTEGER, "-12", -12, "read the text as an integer"),
    (INTEGER, "0", 0, "read the text as an integer"),
    (INTEGER, "1" + "0" * 40, 10**40, "read the text as an integer"),
    (NUMBER, "5", 5, "read the text as a number"),
    (NUMBER, "1.5", 1.5, "read the text as a number"),
    (NUMBER, "-0.25e2", -25.0, "read the text as a number"),
    (NUMBER, "0.1", 0.1, "read the text as a number"),
    (BOOLEAN, "true", True, "read the text as a boolean"),
    (BOOLEAN, "false", False, "read the text as a boolean"),
    ({"type": ["integer", "null"]}, "5", 5, "read the text as an integer"),
    ({"anyOf": [INTEGER, {"type": "null"}]}, "5", 5, "read the text as an integer"),
    ({"oneOf": [BOOLEAN, NUMBER]}, "true", True, "read the text as a boolean"),
    ({"oneOf": [BOOLEAN, NUMBER]}, "2.5", 2.5, "read the text as a number"),
    ({"type": "object"}, '{"a": [1, null]}', {"a": [1, None]}, "read the text as an object"),
    ({"type": "array"}, ' ["a"] ', ["a"], "read the text as an array"),
    (TEXTS, '["a", "b"]', ["a", "b"], "read the text as an array"),
    (TEXTS, "a", ["a"], "put the single item into an array"),
    (TEXTS, "[not json", ["[not json"], "put the single item into an array"),
    ({"type": "array", "items": INTEGER}, 5, [5], "put the single item into an array"),
    (
        {"type": "array", "items": {"type": "object", "required": ["a"]}},
        {"a": 1},
        [{"a": 1}],
        "put the single item into an array",
    ),
]

# Each: a schema, a value that is left as it is.
LEFT: list[tuple[Any, Any]] = [
    *(
        (INTEGER, text)
        for text in (
            "5.0",
            "05",
            " 5",
            "5 ",
            "+5",
            "-0",
            "1e3",
            "five",
            "",
            "\u0665",
            "5_0",
            "0x5",
            "--5",
            "1" * 500,
            "true",
        )
    ),
    *(
        (NUMBER, text)
        for text in (
            "1.",
            ".5",
            "01.5",
            "NaN",
            "Infinity",
            "1e999",
            "0.1000000000000000055511151231257827",
            " 1.5",
            "1,5",
        )
    ),
    *((BOOLEAN, value) for value in ("True", "yes", "1", "", 1, 0, "TRUE", " true")),
    ({"type": "null"}, "null"),
    ({"type": "null"}, ""),
    ({"type": "string"}, 5),
    ({"type": "string"}, True),
    ({"type": "string"}, None),
    (INTEGER, True),
    (INTEGER, 5.5),
    (INTEGER, [5]),
    ({"enum": [1, 2]}, "1"),
    ({"const": True}, "true"),
    ({"type": "object"}, "{'a': 1}"),
    ({"type": "object"}, "[1]"),
    ({"type": "object"}, "{"),
    ({"type": "object"}, '"{}"'),
    ({"type": "object"}, '{"a": 1} trailing'),
    ({"type": "object"}, "[" * 10_000),
    ({"type": "object"}, '{"a":' * 300 + "1" + "}" * 300),
    ({"type": "array", "items": INTEGER}, "a"),
    ({"type": "array", "items": INTEGER}, None),
    ({"type": "array", "items": INTEGER, "minItems": 2}, 5),
    ({"anyOf": [{"type": "array", "items": INTEGER}, {"type": "boolean"}]}, 5),
    ({"properties": {"a": INTEGER}, "required": ["a"]}, {"a": None}),
    ({"additionalProperties": False}, {"a": None}),
    ({"items": INTEGER}, [None]),
    ({"propertyNames": {"maxLength": 1}}, {"ab": None}),
    (False, "5"),
]


@keeps("schema.repair", "schema.repair_warns")
@pytest.mark.parametrize(("schema", "value", "mended", "warning"), MENDED)
def test_what_was_plainly_meant_is_put_right_with_a_warning(schema: Any, value: Any, mended: Any, warning: str) -> None:
    result, report = Schema(schema).repair(value)
    assert (result, type(result)) == (mended, type(mended))
    assert report.valid
    assert [(issue.path, issue.code, issue.message) for issue in report.warnings] == [("", "coerced", warning)]


@keeps("schema.repair_never_guesses")
@pytest.mark.parametrize(("schema", "value"), LEFT, ids=range(len(LEFT)))
def test_what_might_mean_something_else_is_left_as_it_is(schema: Any, value: Any) -> None:
    result, report = Schema(schema).repair(value)
    assert result is value
    assert not report.valid
    assert report == Schema(schema).validate(value)


@keeps("schema.repair", "schema.repair_warns")
def test_a_null_for_a_property_that_may_be_left_out_is_dropped() -> None:
    schema = Schema(
        {"properties": {"a": INTEGER, "b": {"type": ["string", "null"]}, "c": {"enum": ["x"]}}, "required": ["b"]}
    )
    value = {"a": None, "b": None, "c": None}
    result, report = schema.repair(value)
    assert result == {"b": None}
    assert [(issue.path, issue.message) for issue in report.warnings] == [
        ("a", "left out the null, which means: not given"),
        ("c", "left out the null, which means: not given"),
    ]
    assert value == {"a": None, "b": None, "c": None}


@keeps("schema.repair", "schema.repair_warns")
def test_everything_in_a_value_is_put_right() -> None:
    schema = Schema(
        {
            "properties": {
                "rows": {"type": "array", "items": {"type": "object", "properties": {"n": INTEGER, "on": BOOLEAN}}},
                "deep": {"type": "object", "properties": {"inner": {"type": "object", "properties": {"n": NUMBER}}}},
                "tags": TEXTS,
                "left": {"type": "null"},
            },
        }
    )
    value = {
        "rows": [{"n": "1"}, '{"n": "2", "on": "true"}', {"n": "x"}],
        "deep": '{"inner": "{\\"n\\": \\"1.5\\"}"}',
        "tags": "a",
    }
    before = copy.deepcopy(value)
    result, report = schema.repair(value)
    assert result == {
        "rows": [{"n": 1}, {"n": 2, "on": True}, {"n": "x"}],
        "deep": {"inner": {"n": 1.5}},
        "tags": ["a"],
    }
    assert [issue.path for issue in report.errors] == ["rows[2].n"]
    assert {issue.path for issue in report.warnings} == {
        "rows[0].n",
        "rows[1]",
        "rows[1].n",
        "rows[1].on",
        "deep",
        "deep.inner",
        "deep.inner.n",
        "tags",
    }
    assert value == before


@keeps("schema.repair")
def test_a_valid_value_is_returned_as_it_is() -> None:
    value = {"a": "5", "b": [None]}
    result, report = Schema({"properties": {"a": {"type": "string"}}}).repair(value)
    assert result is value
    assert report.warnings == ()


def test_a_frozen_value_is_put_right_too() -> None:
    result, report = Schema({"properties": {"a": INTEGER, "b": TEXTS}}).repair(freeze({"a": "5", "b": ["x"]}))
    assert (result, report.valid) == ({"a": 5, "b": ["x"]}, True)


def test_what_is_put_right_may_still_be_wrong() -> None:
    result, report = Schema({"type": "integer", "maximum": 3}).repair("5")
    assert result == 5
    assert report.message == "- must be at most 3"
    assert [issue.code for issue in report.warnings] == ["coerced"]


def test_what_is_not_json_is_left_as_it_is() -> None:
    value = {"a": object()}
    result, report = Schema({"properties": {"a": INTEGER}}).repair(value)
    assert result is value
    assert not report.valid


def test_an_object_is_put_right_and_then_into_the_array_of_objects_that_is_wanted() -> None:
    item = {"type": "object", "properties": {"n": INTEGER}, "required": ["n"]}
    schema = Schema({"type": "array", "items": item, "properties": {"n": INTEGER}})
    result, _ = schema.repair({"n": "5"})
    assert result == [{"n": 5}]


LIKELY = st.recursive(
    VALUES | st.sampled_from(["5", "true", "1.5", "[]", "[1]", '{"a": "1"}', "null", None]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@keeps("schema.repair", "schema.repair_never_guesses")
@given(SCHEMAS, LIKELY)
def test_a_repaired_value_is_valid_or_its_errors_are_reported(part: Any, value: Any) -> None:
    schema = Schema({"anyOf": [part, False], "$defs": {"r": {"items": {"$ref": "#/$defs/r"}}}})
    before = copy.deepcopy(value)
    result, report = schema.repair(value)
    assert value == before
    assert schema.validate(result).errors == report.errors
    assert schema.validate(result).valid is report.valid
    if schema.validate(value).valid:
        assert result is value
    again, second = schema.repair(result)
    assert not report.valid or again is result
    assert {issue.code for issue in report.warnings} <= {"coerced"}
    assert not (report.valid and second.errors)
