from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from tests.tools.definitions import schemas
from toolwright.errors import InvalidDefinitionError
from toolwright.schema import Schema
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.strictness import is_closed

CLOSED = {"additionalProperties": False}


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def closed(document: dict[str, Any], *, strict: bool = True) -> dict[str, Any]:
    return ToolDefinition("probe", "Probe it.", document, strict=strict).parameters.to_dict()


@keeps("definition.strict")
def test_objects_that_say_nothing_are_closed_at_every_depth() -> None:
    inner = obj(x={"type": "integer"})
    document = obj(
        one=inner,
        many={"type": "array", "items": inner},
        maybe={"anyOf": [inner, {"type": "null"}]},
        pair={"type": "array", "prefixItems": [inner]},
        either={"type": ["object", "null"], "properties": {}},
    )
    shut = {**inner, **CLOSED}
    assert closed(document) == {
        **obj(
            one=shut,
            many={"type": "array", "items": shut},
            maybe={"anyOf": [shut, {"type": "null"}]},
            pair={"type": "array", "prefixItems": [shut]},
            either={"type": ["object", "null"], "properties": {}, **CLOSED},
        ),
        **CLOSED,
    }


@keeps("definition.strict")
def test_definitions_that_are_referred_to_are_closed() -> None:
    node = obj(next={"$ref": "#/$defs/Node"})
    assert closed({**obj(first={"$ref": "#/$defs/Node"}), "$defs": {"Node": node}}) == {
        **obj(first={"$ref": "#/$defs/Node"}),
        "$defs": {"Node": {**node, **CLOSED}},
        **CLOSED,
    }


@keeps("definition.strict")
def test_without_strict_a_schema_stays_as_it_is() -> None:
    document = {**obj(a=obj()), "additionalProperties": True}
    assert closed(document, strict=False) == document


@keeps("definition.strict_meaning")
@pytest.mark.parametrize("keyword", ["not", "if", "contains"])
def test_conditions_are_left_alone(keyword: str) -> None:
    document = {**obj(a={keyword: obj(b={"const": 1})}), **CLOSED}
    assert closed(document) == document


@keeps("definition.strict_meaning")
def test_parts_of_one_object_are_left_alone() -> None:
    parts = {"type": "object", "allOf": [obj(a=obj()), {"$ref": "#/$defs/B"}], "$defs": {"B": obj(b={})}}
    schema = Schema(closed(parts))
    assert schema.to_dict()["allOf"] == parts["allOf"]
    assert schema.to_dict()["$defs"] == parts["$defs"]
    assert schema.validate({"a": {"free": 1}, "b": 2}).valid
    assert not schema.validate({"a": {}, "b": 2, "c": 3}).valid


@keeps("definition.strict_meaning")
def test_alternatives_beside_properties_keep_them_all() -> None:
    choice = {
        **obj(kind={"type": "string"}),
        "oneOf": [{"required": ["a"], **obj(a={})}, {"required": ["b"], **obj(b={})}],
    }
    schema = Schema(closed(choice))
    assert schema.validate({"kind": "x", "a": 1}).valid
    assert not schema.validate({"kind": "x", "a": 1, "c": 1}).valid


@keeps("definition.strict_meaning")
def test_alternatives_that_name_nothing_new_do_not_matter() -> None:
    choice = {**obj(a={}, b={}), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert closed(choice) == {**choice, **CLOSED}


@keeps("definition.strict_meaning")
def test_an_old_dialect_that_cannot_count_stays_open() -> None:
    parts = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "allOf": [obj(a={}), obj(b={})]}
    assert closed(parts) == parts


@keeps("definition.strict_true")
@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({**obj(), "additionalProperties": True}, "parameters.additionalProperties"),
        (obj(a={**obj(), "additionalProperties": True}), "parameters.properties.a.additionalProperties"),
        (
            obj(a={"anyOf": [{**obj(), "additionalProperties": True}]}),
            "parameters.properties.a.anyOf[0].additionalProperties",
        ),
    ],
)
def test_an_object_that_says_it_is_open_is_refused(document: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidDefinitionError) as caught:
        closed(document)
    assert caught.value.report is not None
    assert [issue.path for issue in caught.value.report.errors] == [path]


@keeps("definition.strict_schema")
@pytest.mark.parametrize("extra", [{"type": "integer"}, {}, False])
def test_a_schema_for_further_properties_stays(extra: object) -> None:
    document = {**obj(a={"type": "object", "additionalProperties": extra}), **CLOSED}
    assert closed(document) == document


@keeps("definition.strict")
@given(schemas)
def test_closing_once_is_closing_for_good(schema: dict[str, Any]) -> None:
    once = closed(obj(a=schema))
    assert is_closed(once)
    assert closed(once) == once


values: st.SearchStrategy[Any] = st.recursive(
    st.integers(0, 1),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=6,
)


@keeps("definition.strict")
@given(schemas, values)
def test_closing_never_admits_what_was_refused(schema: dict[str, Any], value: object) -> None:
    # Where a closed branch fails, oneOf may come to have exactly one that fits: the one place where less is more.
    if "oneOf" not in str(schema) and "if" not in str(schema):
        before, after = Schema(obj(a=schema)), Schema(closed(obj(a=schema)))
        assert before.validate({"a": value}).valid or not after.validate({"a": value}).valid
