"""Schemas and values made to hang, exhaust or crash: each ends in an answer or a clear error."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from tests.promises import keeps
from toolwright.errors import InvalidSchemaError
from toolwright.schema import Schema
from toolwright.schema.cost import safe_depth
from toolwright.values import MAX_DEPTH


def nested(levels: int, bottom: Any = None, key: str = "a") -> Any:
    """Return objects inside each other."""
    value: Any = {} if bottom is None else bottom
    for _ in range(levels):
        value = {key: value}
    return value


CIRCLES: list[tuple[dict[str, Any], str]] = [
    ({"$ref": "#"}, ""),
    ({"allOf": [{"$ref": "#"}]}, ""),
    ({"not": {"$ref": "#"}}, ""),
    ({"if": {"$ref": "#"}}, ""),
    ({"then": {"$ref": "#"}}, ""),
    ({"dependentSchemas": {"a": {"$ref": "#"}}}, ""),
    (
        {"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}},
        "$defs.a",
    ),
    ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"oneOf": [{}, {"$ref": "#/$defs/a"}]}}}, "$defs.b"),
    ({"properties": {"x": {"$ref": "#/properties/x"}}}, "properties.x"),
    ({"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": {"$ref": "#"}}}, ""),
]


@keeps("schema.cannot_hang")
@pytest.mark.parametrize(("source", "path"), CIRCLES)
def test_a_reference_that_comes_back_to_the_same_value_is_refused(source: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidSchemaError, match="refers to itself without end") as caught:
        Schema(source)
    assert caught.value.code == "endless_ref"
    assert caught.value.path in {path, path.replace("b", "a")}


def test_recursion_into_the_value_is_no_circle() -> None:
    for source, valid, invalid in (
        ({"type": "object", "additionalProperties": {"$ref": "#"}}, {"a": {}}, {"a": 1}),
        ({"maxLength": 1, "propertyNames": {"$ref": "#"}}, {"a": 1}, {"ab": 1}),
        ({"type": "array", "items": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}, [[None]], [[1]]),
        ({"anyOf": [{"type": "null"}, {"contains": {"$ref": "#"}, "type": "array"}]}, [[None]], [[]]),
        ({"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"const": 1}}}, 1, 2),
    ):
        schema = Schema(source)
        assert schema.validate(valid).valid
        assert not schema.validate(invalid).valid


@keeps("schema.cannot_hang")
@pytest.mark.parametrize(
    "source",
    [
        {"$dynamicAnchor": "x", "$dynamicRef": "#x"},
        {"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": True, "$recursiveRef": "#"},
    ],
)
def test_a_dynamic_reference_to_itself_ends(source: dict[str, Any]) -> None:
    assert Schema(source).validate(1).valid


DEEP = MAX_DEPTH + 1


@keeps("schema.cannot_hang", "schema.limits_stated")
@pytest.mark.parametrize("levels", [DEEP, 5_000, 100_000])
def test_what_is_nested_too_deeply_is_refused_and_the_limit_is_stated(levels: int) -> None:
    with pytest.raises(InvalidSchemaError, match=f"is nested deeper than {MAX_DEPTH} levels"):
        Schema(nested(levels, {}, "not"))
    for schema in (
        {},
        {"type": "object"},
        {"additionalProperties": {"$ref": "#"}},
        {"uniqueItems": True},
        {"not": {"type": "null"}},
    ):
        (issue,) = Schema(schema).validate(nested(levels)).errors
        assert issue.code == "invalid_value"
        assert issue.message == f"is nested deeper than {MAX_DEPTH} levels"


def test_a_value_as_deep_as_is_allowed_is_validated() -> None:
    assert Schema({"additionalProperties": {"$ref": "#"}}).validate(nested(MAX_DEPTH - 1)).valid
    assert Schema({}).validate(nested(MAX_DEPTH - 1)).valid
    assert not Schema({"additionalProperties": {"$ref": "#"}, "type": "object"}).validate(nested(20, 5)).valid


def test_a_value_that_contains_itself_is_an_error() -> None:
    value: list[Any] = []
    value.append(value)
    for schema in ({}, {"items": {"$ref": "#"}}, {"type": "array", "items": {"type": "array"}}):
        assert f"deeper than {MAX_DEPTH} levels" in Schema(schema).validate(value).message


def doubling(levels: int, keyword: str, bottom: Any) -> dict[str, Any]:
    """Return a schema that applies twice as many subschemas to the same value at every step."""
    definitions: dict[str, Any] = {
        f"d{level}": {keyword: [{"$ref": f"#/$defs/d{level + 1}"}, {"$ref": f"#/$defs/d{level + 1}"}]}
        for level in range(levels)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{levels}": bottom}}


@keeps("schema.cannot_hang")
@pytest.mark.parametrize("keyword", ["allOf", "anyOf"])
def test_references_that_double_on_the_same_value_take_no_time(keyword: str) -> None:
    schema = Schema(doubling(50, keyword, {"type": "integer"}))
    assert schema.validate(3).valid
    assert schema.validate("x").message == "- must be an integer, not a string"
    assert schema.repair("3")[0] == 3


BRANCHES: list[dict[str, Any]] = [
    {
        "oneOf": [
            {"type": "null"},
            {"type": "object", "properties": {"k": {"const": 1}}, "additionalProperties": {"$ref": "#"}},
            {"type": "object", "required": ["k"], "additionalProperties": {"$ref": "#"}},
        ]
    },
    {"allOf": [{"additionalProperties": {"$ref": "#"}}, {"patternProperties": {"": {"$ref": "#"}}}], "type": "object"},
    {
        "anyOf": [{"additionalProperties": {"$ref": "#"}, "required": ["x"]}, {"additionalProperties": {"$ref": "#"}}],
        "type": "object",
    },
    {"additionalProperties": {"$ref": "#"}, "allOf": [{"additionalProperties": {"$ref": "#"}}], "type": "object"},
]


@keeps("schema.cannot_hang", "schema.limits_stated")
@pytest.mark.parametrize("source", BRANCHES, ids=range(len(BRANCHES)))
def test_branches_that_double_at_every_level_of_the_value_take_no_time(source: dict[str, Any]) -> None:
    schema = Schema(source)
    assert schema.validate(nested(40)).valid
    assert not schema.validate(nested(40, 5)).valid
    # Deeper still there is an answer or an error that says that it is too deep.
    deepest = schema.validate(nested(MAX_DEPTH - 1))
    assert deepest.valid or deepest.message == "- is nested too deeply to be checked against this schema"


@pytest.mark.parametrize(
    ("source", "depth"),
    [
        ({"properties": {"a": {"type": "integer"}}}, MAX_DEPTH),
        ({"properties": {"l": {"$ref": "#"}, "r": {"$ref": "#"}}}, MAX_DEPTH),
        ({"items": {"$ref": "#"}, "prefixItems": [{"$ref": "#"}], "properties": {"x": {"$ref": "#"}}}, MAX_DEPTH),
        ({"anyOf": [{"type": "null"}, {"additionalProperties": {"$ref": "#"}}]}, MAX_DEPTH),
        (doubling(5, "allOf", {}), MAX_DEPTH),
        (doubling(50, "allOf", {}), -1),
        ({"$dynamicAnchor": "x", "items": {"$dynamicRef": "#x"}}, -1),
    ],
)
def test_ordinary_recursion_is_left_to_the_engine(source: dict[str, Any], depth: int) -> None:
    assert safe_depth(Schema(source)._document) == depth  # noqa: SLF001  the bound has no other face


def test_a_doubling_recursion_is_left_to_the_engine_only_where_it_is_shallow() -> None:
    for source in BRANCHES:
        assert 3 <= safe_depth(Schema(source)._document) <= 12  # noqa: SLF001


@keeps("schema.cannot_hang")
@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_nested_unevaluated_keywords_take_no_time(keyword: str) -> None:
    properties: Any = {"properties": {"a": {}}}
    items: Any = {"prefixItems": [{}]}
    for _ in range(60):
        properties = {keyword: [properties], "unevaluatedProperties": False}
        items = {keyword: [items], "unevaluatedItems": False}
    assert Schema(properties).validate({"a": 1}).valid
    assert not Schema(properties).validate({"b": 1}).valid
    assert Schema(items).validate([1]).valid
    assert not Schema(items).validate([1, 2]).valid


SLOW = [
    ("(a+)+$", "a" * 100_000 + "b"),
    ("^(a|a)*$", "a" * 100_000 + "b"),
    ("(x+x+)+y", "x" * 100_000),
    ("(.*)*=", "a" * 100_000),
]


@keeps("schema.cannot_hang")
@pytest.mark.parametrize(("pattern", "text"), SLOW)
def test_an_expression_that_other_engines_choke_on_takes_linear_time(pattern: str, text: str) -> None:
    assert not Schema({"pattern": pattern}).validate(text).valid
    assert Schema({"not": {"pattern": pattern}}).validate(text).valid
    assert Schema({"patternProperties": {pattern: False}}).validate({text: 1}).valid


CHOKING = [
    (r"(a+)+\1$", "a" * 5_000 + "b"),
    (r"((a*)*)*\1$", "a" * 5_000 + "!"),
    ("(?=.*(?=.*(?=.*x)))", "a" * 9_000),
    ("(?=a)(a+)+$", "a" * 50_000 + "b"),
]


@keeps("schema.cannot_hang", "schema.limits_stated")
@pytest.mark.parametrize(("pattern", "text"), CHOKING)
def test_an_expression_that_backtracks_too_long_is_an_error_whatever_stands_around_it(pattern: str, text: str) -> None:
    said = "cannot be matched against its pattern within limits; use a shorter text"
    for schema, value, path in (
        ({"pattern": pattern}, text, ""),
        ({"not": {"pattern": pattern}}, text, ""),
        ({"properties": {"a": {"anyOf": [{"pattern": pattern}, {}]}}}, {"a": text}, "a"),
        ({"items": {"if": {"pattern": pattern}, "then": {}, "else": {}}}, [text], "[0]"),
    ):
        result, report = Schema(schema).repair(value)
        assert result is value
        assert [(issue.path, issue.code, issue.message) for issue in report.errors] == [(path, "invalid_value", said)]
    assert said in Schema({"propertyNames": {"not": {"pattern": pattern}}}).validate({text: 1}).message


@keeps("schema.limits_stated")
@pytest.mark.parametrize("pattern", ["(a{1000}){1000}", "(?:(?:(?:a{100}){100}){100}){100}", "(" * 100_000, "("])
def test_an_expression_that_is_none_or_too_large_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidSchemaError, match="is not a regular expression, or too large a one"):
        Schema({"pattern": pattern})


@keeps("schema.cannot_hang")
def test_masses_of_faults_are_cut_short() -> None:
    report = Schema({"items": {"type": "integer"}}).validate(["x"] * 200_000)
    assert len(report.errors) == 1_000
    many = {f"x{index}": 1 for index in range(20_000)}
    assert len(Schema({"additionalProperties": False, "properties": {"y": {}}}).validate(many).errors) == 1_000
    assert len(Schema({"uniqueItems": True}).validate([1] * 20_000).errors) == 1_000
    assert len(Schema({"required": [f"x{index}" for index in range(20_000)]}).validate({}).message) < 2_000_000


@keeps("schema.cannot_hang")
def test_huge_lists_of_allowed_values_cost_little_and_say_little() -> None:
    texts = Schema({"items": {"enum": [f"v{index}" for index in range(100_000)]}})
    assert texts.validate(["v99999"] * 1_000).valid
    report = texts.validate(["x"] * 2_000)
    assert len(report.errors) == 1_000
    assert len(report.message) < 1_000_000


@keeps("schema.cannot_hang")
def test_large_numbers_are_compared_quickly() -> None:
    numbers = [10**30 + index for index in range(20_000)]
    assert Schema({"type": "array", "uniqueItems": True}).validate(numbers).valid
    assert not Schema({"type": "array", "uniqueItems": True}).validate([*numbers, 10**30]).valid
    for source in ({"uniqueItems": True}, {"type": ["array", "number"], "items": {}, "uniqueItems": True}):
        schema = Schema(source)
        assert schema.validate(numbers).valid
        assert schema.validate(numbers).valid  # the second time everything is compiled
        assert not schema.validate([*numbers, 10**30]).valid
    assert not Schema({"type": "integer", "maximum": 10}).validate(10**5_000).valid


def test_unions_of_thousands_are_answered() -> None:
    union = Schema(
        {"anyOf": [{"properties": {"kind": {"const": index}}, "required": ["kind"]} for index in range(3_000)]}
    )
    assert union.validate({"kind": 2_999}).valid
    (issue,) = union.validate({"kind": -1}).errors
    assert issue.path == "kind"
    assert issue.message.endswith("18, 19 and 2,980 more")


def test_a_long_way_of_references_is_answered() -> None:
    definitions: dict[str, Any] = {f"d{index}": {"$ref": f"#/$defs/d{index + 1}"} for index in range(3_000)}
    schema = Schema({"$ref": "#/$defs/d0", "$defs": {**definitions, "d3000": {"type": "integer"}}})
    report = schema.validate(3)
    assert report.valid or report.message == "- is nested too deeply to be checked against this schema"


CRASHING = """
import sys, threading
from toolwright.schema import Schema
def nested(levels):
    value = {}
    for _ in range(levels): value = {"a": value}
    return value
chain = {f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i+1}"}]} for i in range(300)}
chain["d300"] = {"type": "object", "additionalProperties": {"$ref": "#/$defs/d0"}}
def run():
    Schema({"$ref": "#/$defs/d0", "$defs": chain}).validate(nested(199))
    Schema({"additionalProperties": {"$ref": "#"}}).validate(nested(100_000))
    Schema({"items": {"uniqueItems": True}}).validate([[nested(100_000), nested(100_000)]])
    Schema({"enum": [nested(150)]}).validate(nested(100_000))
run()
thread = threading.Thread(target=run); thread.start(); thread.join()
print("alive")
"""


@keeps("schema.cannot_hang")
def test_nothing_brings_the_process_down() -> None:
    child = subprocess.run([sys.executable, "-c", CRASHING], capture_output=True, text=True, check=False, timeout=120)
    assert (child.returncode, child.stdout) == (0, "alive\n"), child.stderr
