from __future__ import annotations

from collections import ChainMap, UserDict
from pathlib import Path
from types import MappingProxyType
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


class CopiesNothing(dict[str, Any]):
    def copy(self) -> CopiesNothing:
        return self


@pytest.mark.parametrize("make", [dict, CopiesNothing, UserDict, lambda given: ChainMap({}, given)])
def test_a_read_only_view_of_any_mapping_is_copied(make: Any) -> None:
    given = make({"a": 1})
    frozen = freeze(MappingProxyType(given))
    getattr(given, "maps", [given])[-1]["a"] = 2
    assert frozen == {"a": 1}
    assert encode(frozen) == b'{"a":1}'


class Seven(int):
    def __int__(self) -> int:
        return 7

    def __lt__(self, other: object) -> bool:
        return True

    __gt__ = __lt__


class NotANumber(float):
    def __float__(self) -> float:
        return float("nan")


def test_what_a_subclass_overrides_is_not_asked() -> None:
    assert freeze([Seven(5), NotANumber(0.5)]) == [5, 0.5]
    with pytest.raises(NotJsonError, match="digits"):
        freeze(Seven(10**5000))


@pytest.mark.parametrize("number", [10**4300, -(10**4299)], ids=["positive", "negative"])
def test_an_integer_that_could_not_be_read_again_is_refused(number: int) -> None:
    with pytest.raises(NotJsonError, match="digits"):
        freeze(number)


@pytest.mark.parametrize("claimed", [str, int, float, bool, list, dict])
def test_what_only_claims_to_be_json_is_refused(claimed: Any) -> None:
    claims = type("Claims", (), {"__class__": claimed})()
    assert isinstance(claims, claimed)
    for place in (claims, [claims], {"a": claims}):
        with pytest.raises(NotJsonError, match="is a Claims"):
            freeze(place)
    with pytest.raises(NotJsonError, match="not text"):
        freeze({claims: 1})


@pytest.mark.parametrize("digits", [4_000, 4_001, 4_300])
def test_each_integer_that_can_be_read_can_be_kept_and_written(digits: int) -> None:
    text = b'{"a":' + b"9" * digits + b',"b":[-' + b"9" * (digits - 1) + b"]}"
    assert encode(freeze(decode(text))) == text


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview])
def test_json_is_read_from_all_kinds_of_bytes(make: Any) -> None:
    assert decode(make(rb'["\ud800", 1]')) == ["\ufffd", 1]
    with pytest.raises(msgspec.DecodeError):
        decode(make(b'["'))


def test_a_text_that_needs_both_ways_of_mending_is_mended() -> None:
    class Text(str):
        __slots__ = ()

    text = '["\ud800", "\\ud800"]'
    assert decode(text) == decode(Text(text)) == ["\ufffd", "\ufffd"]


def test_bytes_that_are_not_utf_8_are_no_json_wherever_they_stand() -> None:
    for text in (b'["\xff"]', rb'["\ud800", "' + b'\xff"]'):
        with pytest.raises(msgspec.DecodeError) as caught:
            decode(text)
        assert caught.value.__context__ is None


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
