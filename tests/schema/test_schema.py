"""The schema as a value."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.errors import InvalidSchemaError
from toolwright.schema import Schema
from toolwright.values import freeze

SEARCH: dict[str, Any] = {
    "title": "Search",
    "description": "Finds files.",
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Where"},
        "depth": {"$ref": "#/$defs/depth"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["path"],
    "additionalProperties": False,
    "$defs": {"depth": {"type": "integer", "minimum": 1, "description": "How deep"}},
}


@keeps("schema.constructors")
def test_a_schema_is_made_from_a_mapping_json_a_type_or_nothing() -> None:
    @dataclass
    class Search:
        path: str

    assert Schema(SEARCH) == Schema(MappingProxyType(SEARCH)) == Schema(freeze(SEARCH))
    assert Schema.from_json(json.dumps(SEARCH)) == Schema(SEARCH) == Schema.from_json(json.dumps(SEARCH).encode())
    assert Schema.of(Search).required == ("path",)
    assert Schema.empty().validate({}).valid
    assert not Schema.empty().validate({"a": 1}).valid


@keeps("schema.tells")
def test_a_schema_tells_what_it_says() -> None:
    schema = Schema(SEARCH)
    assert schema.to_dict() == SEARCH
    assert json.loads(schema.to_json()) == SEARCH
    assert list(schema.to_dict()) == list(SEARCH)
    assert (schema.title, schema.description) == ("Search", "Finds files.")
    assert list(schema.properties) == ["path", "depth", "tags"]
    assert (schema.required, schema.optional) == (("path",), ("depth", "tags"))
    assert schema.is_required("path")
    assert not schema.is_required("depth")
    assert not schema.is_required("nothing")
    assert (Schema({}).title, Schema(True).description, Schema({"title": ""}).title) == (None, None, "")


@keeps("schema.property")
def test_the_schema_of_a_property_checks_one_value() -> None:
    depth = Schema(SEARCH).property("depth")
    assert depth is not None
    assert depth.validate(3).valid
    (issue,) = depth.validate(0).errors
    assert (issue.path, issue.message) == ("", "must be at least 1")
    assert depth.description == "How deep"
    assert Schema(SEARCH).property("nothing") is None


def test_properties_are_found_behind_references_and_in_all_parts() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "v": {}}, "required": ["v"]}
    schema = Schema({"$ref": "#/$defs/node", "$defs": {"node": node}, "allOf": [{"properties": {"w": False}}]})
    assert (set(schema.properties), schema.required, set(schema.optional)) == (
        {"next", "v", "w"},
        ("v",),
        {"next", "w"},
    )
    inner = schema.properties["next"].property("next")
    assert inner is not None
    assert not inner.validate({"v": 1, "next": {}}).valid
    assert Schema({"$ref": "http://json-schema.org/draft-07/schema#"}).properties == {}


@keeps("schema.immutable")
def test_a_schema_cannot_be_changed() -> None:
    given_ = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema = Schema(given_)
    given_["properties"]["b"] = {}  # type: ignore[index]
    schema.to_dict()["properties"]["c"] = {}
    assert list(schema.properties) == ["a"]
    with pytest.raises(TypeError):
        schema.properties["d"] = schema  # type: ignore[index]
    with pytest.raises(AttributeError):
        schema.title = "x"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        schema.anything = 1  # type: ignore[attr-defined]
    assert copy.copy(schema) is copy.deepcopy(schema) is schema


@keeps("schema.equality")
def test_schemas_are_equal_in_whatever_order_their_keys_stand() -> None:
    one = Schema({"type": "object", "properties": {"a": {"minimum": 1, "type": "integer"}, "b": {}}})
    other = Schema({"properties": {"b": {}, "a": {"type": "integer", "minimum": 1}}, "type": "object"})
    assert one == other
    assert hash(one) == hash(other)
    assert {one: 1}[other] == 1
    assert one != Schema({"type": "object"})
    assert one != {"type": "object"}
    assert Schema(True) != Schema({})
    assert Schema({"enum": [1, 2]}) != Schema({"enum": [2, 1]})


def test_properties_are_equal_when_they_mean_the_same() -> None:
    assert Schema(SEARCH).property("path") == Schema({"description": "Where", "type": "string"})
    pointing = {"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"type": "string"}}}
    elsewhere = {**pointing, "$defs": {"x": {"type": "integer"}}}
    assert Schema(pointing).property("a") == Schema(pointing).property("a")
    assert Schema(pointing).property("a") != Schema(elsewhere).property("a")
    d7 = Schema({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"format": "date"}}})
    assert d7.property("a") != Schema({"format": "date"})


def test_a_schema_survives_pickling() -> None:
    schema = Schema(SEARCH)
    parts: list[Schema | None] = [
        schema,
        schema.property("depth"),
        Schema(True),
        Schema({"properties": {"a": False}}).property("a"),
    ]
    for part in parts:
        assert part is not None
        again: Schema = pickle.loads(pickle.dumps(part))  # noqa: S301  our own bytes
        assert again == part
        assert again.validate(0) == part.validate(0)


def test_a_repr_shows_no_content() -> None:
    assert repr(Schema(SEARCH)) == "Schema(type=object, properties=<3>)"
    assert repr(Schema(False)) == "Schema(False)"
    assert repr(Schema({"enum": ["hunter2"]})) == "Schema(type=any, properties=<0>)"


INVALID: list[tuple[Any, str]] = [
    ({"type": "strnig"}, "type"),
    ({"properties": {"a": {"minLength": -1}}}, "properties.a.minLength"),
    ({"properties": {"a": {"type": "integer", "minimum": "3"}}}, "properties.a.minimum"),
    ({"anyOf": [{}, {"required": "a"}]}, "anyOf[1].required"),
    ({"required": ["a", "a"]}, "required"),
    ({"properties": []}, "properties"),
    ({"items": [{}]}, "items"),
    ({"multipleOf": 0}, "multipleOf"),
    ({"not": 3}, "not"),
    ({"$id": "#foo"}, "$id"),
    ({"$id": "::no uri"}, ""),
    ({"$anchor": "not an anchor"}, "$anchor"),
    ({"$defs": {"unused": {"type": "nothing"}}}, "$defs.unused.type"),
    ({"properties": {"a": {"pattern": "("}}}, "properties.a.pattern"),
    ({"patternProperties": {"[": {}}}, "patternProperties.["),
    ({"pattern": "(a{1000}){1000}"}, "pattern"),
    ({"$ref": "#/$defs/nothing"}, "$ref"),
    ({"properties": {"a": {"$ref": "#nowhere"}}}, "properties.a.$ref"),
    ({"$ref": "#/title", "title": "t"}, "$ref"),
    ({"$ref": "#/x-own/a", "x-own": {"a": {"type": "strnig"}}}, "$ref.type"),
    ({"$ref": 3}, "$ref"),
    ({"$schema": "http://json-schema.org/draft-04/schema#", "$ref": 3}, "$ref"),
    ({"$ref": "#/allOf/7", "allOf": [{}]}, "$ref"),
    ({"$schema": "https://example.com/my-dialect"}, "$schema"),
    ({"$schema": 5}, "$schema"),
    ({"$defs": {"a": {"$id": "a", "$schema": "http://json-schema.org/draft-07/schema#"}}}, "$defs.a.$schema"),
    ({"$schema": "http://json-schema.org/draft-07/schema#", "if": 3}, "if"),
    ({"default": float("nan")}, "default"),
    ({"const": {1, 2}}, "const"),
    ([], ""),
    ("string", ""),
    (None, ""),
    (3, ""),
]


@keeps("schema.invalid")
@pytest.mark.parametrize(("source", "path"), INVALID)
def test_a_schema_that_is_not_valid_is_refused_with_the_path_of_the_fault(source: Any, path: str) -> None:
    with pytest.raises(InvalidSchemaError) as caught:
        Schema(source)
    assert caught.value.path == path
    assert caught.value.code
    assert caught.value.problem


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": NaN}', b"\xff", "[" * 100_000, '"a"'])
def test_json_that_holds_no_schema_is_refused(text: str | bytes) -> None:
    with pytest.raises(InvalidSchemaError):
        Schema.from_json(text)


def test_the_text_of_an_error_says_what_to_mend() -> None:
    with pytest.raises(InvalidSchemaError, match=r"^properties\.a\.minLength: must be at least 0$"):
        Schema({"properties": {"a": {"minLength": -1}}})
    with pytest.raises(InvalidSchemaError, match=r"^additionalProperties: must be a boolean or an object$"):
        Schema({"additionalProperties": "no"})


REMOTE = [
    {"$ref": "https://example.com/schema.json"},
    {"properties": {"a": {"items": {"$ref": "other.json#/$defs/a"}}}},
    {"$id": "https://example.com/a", "$ref": "b"},
    {"$ref": "file:///etc/passwd"},
    {"$defs": {"never used": {"$ref": "http://169.254.169.254/latest"}}},
    {"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "https://example.com/schema.json"},
    {"$dynamicRef": "https://example.com/schema.json#a"},
]


@keeps("schema.remote_refs")
@pytest.mark.parametrize("source", REMOTE)
def test_a_remote_reference_is_refused_by_name_and_never_fetched(source: dict[str, Any]) -> None:
    with pytest.raises(InvalidSchemaError, match=r"is not in this schema and is never fetched") as caught:
        Schema(source)
    assert caught.value.code == "remote_ref"
    assert caught.value.path.endswith(("$ref", "$dynamicRef"))


def test_importing_schemas_loads_no_engine() -> None:
    script = "import sys, toolwright.schema; assert 'jsonschema_rs' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0


def test_a_schema_may_be_used_from_many_threads() -> None:
    schema = Schema(SEARCH)
    with ThreadPoolExecutor(8) as pool:
        reports = list(pool.map(schema.validate, [{"path": "a", "depth": 0}] * 200))
    assert {report.message for report in reports} == {"- depth: must be at least 1"}


def test_defaults_are_filled_in_for_what_is_missing() -> None:
    schema = Schema(
        {
            "properties": {
                "a": {"default": [1]},
                "b": {"$ref": "#/$defs/b"},
                "inner": {"anyOf": [{"properties": {"x": {"default": 1}}, "required": ["y"]}, {"type": "null"}]},
                "rows": {"items": {"properties": {"z": {"default": None}}}},
                "free": {"type": "string"},
            },
            "$defs": {"b": {"default": "b"}},
        }
    )
    value = {"inner": {"y": 1}, "rows": [{}, {"z": 2}]}
    before = copy.deepcopy(value)
    filled = schema.with_defaults(value)
    assert filled == {"a": [1], "b": "b", "inner": {"x": 1, "y": 1}, "rows": [{"z": None}, {"z": 2}]}
    assert value == before
    filled["a"].append(2)
    assert schema.with_defaults({})["a"] == [1]
    assert schema.with_defaults(filled) is filled
    frozen = freeze(value)
    assert schema.with_defaults(frozen)["a"] == [1]
    unusable = {"a": object()}
    assert schema.with_defaults(unusable) is unusable


PARTS = [
    {},
    True,
    {"type": "integer", "default": 7},
    {"type": "array", "items": {"type": "string"}, "default": ["a"]},
    {"type": "object", "properties": {"x": {"type": "integer"}}, "default": {"x": 1}},
    {"type": "object", "properties": {"x": {"default": 2}}},
    {"items": {"properties": {"x": {"default": 3}}}},
    {"$ref": "#/$defs/b"},
    {"allOf": [{"default": 4}]},
    {"anyOf": [{"properties": {"x": {"default": 5}}}]},
    {"enum": [{"default": 6}], "default": {"default": 6}},
]
AROUND: list[dict[str, Any]] = [
    {},
    {"additionalProperties": False},
    {"additionalProperties": {"properties": {"x": {"default": 8}}}},
    {"allOf": [{"properties": {"d": {"default": 9}}}]},
    {"if": {"required": ["a"]}, "then": {"properties": {"d": {"default": 10}}}},
]


@given(
    st.dictionaries(st.sampled_from("abc"), st.sampled_from(PARTS)),
    st.sampled_from(AROUND),
    st.dictionaries(st.sampled_from("abcde"), st.sampled_from([1, None, [{}], {}, {"x": 0}, [1, {"x": 0}]])),
)
def test_defaults_of_what_is_frozen_are_those_of_the_same_plain_value(
    properties: dict[str, Any], around: dict[str, Any], value: dict[str, Any]
) -> None:
    schema = Schema({"properties": properties, "$defs": {"b": {"default": "b"}}, **around})
    frozen = freeze(value)
    filled = schema.with_defaults(frozen)
    assert filled == schema.with_defaults(value)
    assert list(filled) == list(schema.with_defaults(value))
    assert (filled is frozen) == (filled == value)


def test_a_schema_is_translated_for_a_provider() -> None:
    schema = Schema({"type": "object", "properties": {"a": {"type": "string"}}})
    assert schema.for_provider("mcp").changes == ()
    with pytest.raises(ValueError, match="openai-strict"):
        schema.for_provider("nobody")


def test_what_cannot_be_judged_gets_no_defaults() -> None:
    choking = {"properties": {"b": {"pattern": r"(a+)+\1$"}}}
    schema = Schema({"properties": {"a": {"default": 1}}, "anyOf": [choking]})
    value = {"b": "a" * 5_000 + "b"}
    assert schema.with_defaults(value) is value
    assert Schema({"properties": {"a": {}}}).with_defaults({}) == {}


@given(st.dictionaries(st.sampled_from(["a", "b", "title", "x"]), st.integers() | st.text(), max_size=4))
def test_a_schema_says_what_it_was_given(properties: dict[str, Any]) -> None:
    source = {
        "properties": {name: {"const": value} for name, value in properties.items()},
        "required": list(properties),
    }
    schema = Schema(source)
    assert schema.to_dict() == source
    assert Schema.from_json(schema.to_json()) == schema
    assert schema.validate(properties).valid
