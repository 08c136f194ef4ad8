from __future__ import annotations

import dataclasses
import enum
import re
from datetime import date
from pathlib import Path
from typing import Any, TypedDict

import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolwright as tw
from tests.messages.strategies import json_objects
from tests.promises import keeps


@keeps("call.new")
def test_new_calls_have_fresh_ids() -> None:
    made = [tw.ToolCall.new("read_file", path="a", name="b", id="c") for _ in range(100)]
    assert all(re.fullmatch(r"call_[A-Za-z0-9_-]{24}", call.id) for call in made)
    assert len({call.id for call in made}) == 100
    assert made[0].arguments == {"path": "a", "name": "b", "id": "c"}


@dataclasses.dataclass
class AsDataclass:
    path: Path
    when: date
    depth: int = 3


class AsStruct(msgspec.Struct):
    path: Path
    when: date
    depth: int = 3


class AsTypedDict(TypedDict):
    path: str
    when: date


@attrs.define
class AsAttrs:
    path: Path
    when: date
    depth: int = 3


class AsPydantic(pydantic.BaseModel):
    path: Path
    when: date
    depth: int = 3


_CALL = tw.ToolCall(
    "c", "n", {"path": "a/b", "when": "2026-01-02", "sizes": [1, 2], "nested": {"path": "c", "when": "2026-01-03"}}
)


@keeps("call.arguments_as")
@pytest.mark.parametrize("type", [AsDataclass, AsStruct, AsAttrs, AsPydantic])
def test_arguments_become_the_type_that_is_asked_for(type: Any) -> None:
    made = _CALL.arguments_as(type)
    assert isinstance(made, type)
    assert (made.path, made.when, made.depth) == (Path("a/b"), date(2026, 1, 2), 3)
    nested: Any = _CALL.get_argument("nested", type)
    assert nested.path == Path("c")


@keeps("call.arguments_as")
def test_arguments_become_a_typed_dict() -> None:
    assert _CALL.arguments_as(AsTypedDict)["when"] == date(2026, 1, 2)


@keeps("call.arguments_as")
@pytest.mark.parametrize("type", [AsDataclass, AsStruct, AsAttrs, AsPydantic, AsTypedDict, int, Path])
def test_arguments_that_do_not_fit_are_refused(type: Any) -> None:
    with pytest.raises(tw.InvalidMessageError) as caught:
        tw.ToolCall("c", "n", {"path": 5}).arguments_as(type)
    assert caught.value.code == "argument_mismatch"


class Colour(enum.Enum):
    RED = "red"


@keeps("call.get_argument", "call.has_argument")
def test_one_argument_is_converted_or_defaulted() -> None:
    call = tw.ToolCall(
        "c", "n", {"depth": 5, "when": "2026-01-02", "tags": ["a"], "colour": "red", "none": None, "yes": True}
    )
    assert call.get_argument("depth", int) == 5
    assert call.get_argument("depth", float) == 5.0
    assert call.get_argument("when", date) == date(2026, 1, 2)
    assert call.get_argument("tags", list[str]) == ["a"]
    assert call.get_argument("colour", Colour) is Colour.RED
    assert call.get_argument("missing", int) is None
    assert call.get_argument("missing", int, 7) == 7
    assert call.get_argument("none", type(None)) is None
    assert call.has_argument("none")
    assert not call.has_argument("missing")


@keeps("call.get_argument")
@pytest.mark.parametrize(
    ("key", "type"), [("depth", str), ("depth", date), ("text", int), ("yes", int), ("none", int), ("tags", list[int])]
)
def test_an_argument_that_does_not_fit_is_refused(key: str, type: Any) -> None:
    call = tw.ToolCall("c", "n", {"depth": 5, "text": "5", "yes": True, "none": None, "tags": ["a"]})
    with pytest.raises(tw.InvalidMessageError) as caught:
        call.get_argument(key, type, "default")
    assert (caught.value.code, caught.value.path) == ("argument_mismatch", f"arguments.{key}")


@keeps("call.get_argument", "messages.deeply_immutable")
def test_what_get_argument_gives_is_the_callers_own() -> None:
    call = tw.ToolCall("c", "n", {"tags": ["a", ["b"]]})
    tags: list[Any] = call.get_argument("tags", list) or []
    tags[1].append("c")
    assert call.arguments == {"tags": ["a", ["b"]]}


@keeps("call.parsed_once")
def test_arguments_are_the_same_object_at_every_look() -> None:
    call = tw.ToolCall.parse("c", "n", '{"a": {"b": [1]}}')
    assert isinstance(call, tw.ToolCall)
    assert call.arguments is call.arguments
    assert call.arguments["a"] is call.arguments["a"]


@keeps("call.parse")
@given(json_objects)
def test_parsing_the_text_of_arguments_gives_the_arguments(arguments: dict[str, Any]) -> None:
    text = msgspec.json.encode(arguments).decode()
    assert tw.ToolCall.parse("c", "n", text) == tw.ToolCall("c", "n", arguments)


@keeps("call.no_arguments")
@pytest.mark.parametrize("text", [None, "", " ", "\n\t  ", "null", " null\n", " " * 1000, "{}", " {} "])
def test_no_arguments_mean_an_empty_object(text: str | None) -> None:
    assert tw.ToolCall.parse("c", "n", text) == tw.ToolCall("c", "n", {})


@keeps("call.parse_invalid")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1', "not valid JSON"),
        ("{'a': 1}", "not valid JSON"),
        ('{"a": NaN}', "not valid JSON"),
        ("[1]", "not a JSON object"),
        ('"text"', "not a JSON object"),
        ("5", "not a JSON object"),
        ("true", "not a JSON object"),
        ('{"a": 1e999}', "out of range"),
        ('{"a":' * 300 + "1" + "}" * 300, "nested deeper"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"a": 1} {"b": 2}', "not valid JSON"),
    ],
)
def test_what_is_no_json_object_is_an_invalid_call(text: str, said: str) -> None:
    call = tw.ToolCall.parse("c", "n", text)
    assert isinstance(call, tw.InvalidToolCall)
    assert (call.id, call.name, call.arguments_text) == ("c", "n", text)
    assert said in call.reason


@keeps("call.parse_invalid", "call.invalid_is_another_type")
def test_an_illegal_name_is_an_invalid_call() -> None:
    call = tw.ToolCall.parse("c", "get weather!", '{"a": 1}', provider_data={"x": {}})
    assert isinstance(call, tw.InvalidToolCall)
    assert not isinstance(call, tw.ToolCall)
    assert "name" in call.reason
    assert call.provider_data == {"x": {}}


@keeps("call.parse")
@given(st.text(), st.text())
def test_parsing_takes_any_text_without_an_exception(name: str, text: str) -> None:
    call = tw.ToolCall.parse("c", name, text)
    assert isinstance(call, (tw.ToolCall, tw.InvalidToolCall))


@keeps("call.fields")
def test_words_of_enums_and_numbers_of_libraries_become_plain_values() -> None:
    class Word(enum.StrEnum):
        A = "a"

    class Real(float):
        pass

    call = tw.ToolCall("c", "n", {Word.A: (Word.A, Real(1.5), True)})
    assert [type(item) for item in call.arguments["a"]] == [str, float, bool]
    assert [type(key) for key in call.arguments] == [str]
