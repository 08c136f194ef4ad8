"""Schemas that must all hold, as one."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.schema import Schema
from toolwright.schema.dialects.merging import merge

names = st.sampled_from(["a", "b"])
counts = st.integers(0, 3)
schemas = st.recursive(
    st.booleans()
    | st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(
                ["integer", "number", "string", "object", ["integer", "string"], ["number", "null"]]
            ),
            "enum": st.lists(st.sampled_from([1, "x", None, True, 1.5, "xyz"]), min_size=1, unique_by=repr),
            "minimum": counts,
            "maximum": counts,
            "minLength": counts,
            "maxLength": counts,
            "description": st.sampled_from(["D", "E"]),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["array", "object", ["array", "object"]]),
            "properties": st.dictionaries(names, inner, max_size=2),
            "required": st.lists(names, unique=True, max_size=2),
            "additionalProperties": inner,
            "items": inner,
            "uniqueItems": st.booleans(),
            "maxItems": counts,
        },
    ),
    max_leaves=6,
)
values = st.recursive(
    st.sampled_from([None, True, 0, 1, 2, 1.5, "", "x", "xyz", "four"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3),
    max_leaves=5,
)


@keeps("schema.dialect_changes")
@given(schemas.filter(lambda one: isinstance(one, dict)), schemas.filter(lambda one: isinstance(one, dict)), values)
def test_the_one_schema_holds_exactly_where_both_do(first: Any, second: Any, value: object) -> None:
    merged = merge(first, second)
    if merged is not None:
        both = Schema(first).validate(value).valid and Schema(second).validate(value).valid
        assert Schema(merged).validate(value).valid == both


def test_the_words_of_the_first_are_kept() -> None:
    first = {"description": "First.", "type": "integer", "minimum": 1, "enum": [1, 2]}
    second = {"description": "Second.", "default": 2, "type": "number", "minimum": 2, "enum": [2, 3]}
    assert merge(first, second) == {
        "description": "First.", "default": 2, "type": "integer", "minimum": 2, "enum": [2],
    }  # fmt: skip


def test_where_nothing_can_hold_or_two_keywords_collide_there_is_no_one_schema() -> None:
    for first, second in (
        ({"type": "string"}, {"type": "integer"}),
        ({"enum": [1]}, {"enum": [2]}),
        ({"enum": [1]}, {"enum": [True]}),
        ({"pattern": "a"}, {"pattern": "b"}),
        ({"anyOf": [{"type": "string"}]}, {"anyOf": [{"type": "integer"}]}),
        ({"properties": {}, "additionalProperties": False}, {"properties": {"a": {}}, "required": ["a"]}),
        ({"additionalProperties": False, "patternProperties": {"a": {}}}, {"properties": {"a": {}}}),
    ):
        assert merge(first, second) is None
