from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given

from tests.messages.strategies import json_values
from toolwright.errors import NotJsonError
from toolwright.values import JsonArray, convert, decode, encode, freeze, join_path, thaw


@given(json_values)
def test_thawing_gives_back_what_was_frozen(value: Any) -> None:
    frozen = freeze(value)
    assert thaw(frozen) == value
    assert frozen == value
    assert encode(frozen) == msgspec.json.encode(value)


@given(json_values)
def test_what_is_written_can_be_read(value: Any) -> None:
    assert decode(encode(freeze(value))) == value


def test_canonical_json_does_not_depend_on_the_order_of_keys() -> None:
    assert encode({"b": {"d": 1, "c": 2}, "a": 3}, canonical=True) == b'{"a":3,"b":{"c":2,"d":1}}'


def test_arrays_equal_lists_and_tuples_of_the_same_items() -> None:
    array = freeze([1, [2], {"a": [3]}])
    assert array == [1, [2], {"a": [3]}]
    assert [1, [2], {"a": [3]}] == array
    assert array == (1, freeze([2]), {"a": [3]})
    assert array != [1, [2]]
    assert array != 5
    assert repr(freeze(["a", [1]])) == "['a', [1]]"
    assert hash(JsonArray((1, 2))) == hash((1, 2))


@pytest.mark.parametrize(
    ("value", "code", "path"),
    [
        (object(), "not_json", ""),
        ({"a": [1, {"b": object()}]}, "not_json", "a[1].b"),
        ([[float("inf")]], "not_finite", "[0][0]"),
        ({"a": {1: 2}}, "key_not_text", "a"),
        ({"a": -(10**5000)}, "number_too_long", "a"),
        ({"k" * 100: object()}, "not_json", "k" * 64),
    ],
)
def test_what_is_not_json_is_named_by_its_place(value: Any, code: str, path: str) -> None:
    with pytest.raises(NotJsonError) as caught:
        freeze(value)
    assert (caught.value.code, caught.value.path) == (code, path)


def test_a_value_that_contains_itself_is_too_deep() -> None:
    array: list[Any] = []
    array.append({"a": array})
    with pytest.raises(NotJsonError, match="deeper than 200"):
        freeze(array)


@pytest.mark.parametrize(
    ("parent", "key", "path"), [("", "a", "a"), ("a", "b", "a.b"), ("a", 2, "a[2]"), ("", 0, "[0]")]
)
def test_places_read_as_people_write_them(parent: str, key: str | int, path: str) -> None:
    assert join_path(parent, key) == path


def test_only_json_is_written() -> None:
    with pytest.raises(TypeError):
        encode({"a": object()})


def test_paths_are_made_from_text_alone() -> None:
    assert convert("a/b", Path) == Path("a/b")
    with pytest.raises(msgspec.ValidationError):
        convert(5, Path)
