from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.messages.strategies import json_values
from tests.promises import keeps
from tests.providers.text_calls.reading import read
from tests.providers.text_calls.samples import TOOLS, WEATHER
from toolwright.providers import text_calls
from toolwright.tools.definition import ToolDefinition
from toolwright.values import encode


def coded(**given: str) -> str:
    tags = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in given.items())
    return f"<tool_call>\n<function=get_weather>\n{tags}</function>\n</tool_call>"


@keeps("text_calls.types")
@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("city", "3", "3"),
        ("city", "  Paris ", "  Paris "),
        ("city", '"Paris"', '"Paris"'),
        ("city", "null", "null"),
        ("city", "line one\nline <two>\n", "line one\nline <two>\n"),
        ("city", "", ""),
        ("days", "3", 3),
        ("days", " 3 ", 3),
        ("days", "three", "three"),
        ("hourly", "true", True),
        ("hourly", "True", True),
        ("hourly", "False", False),
        ("unit", "null", None),
        ("unit", "None", None),
        ("unit", "celsius", "celsius"),
        ("places", '["a", "b"]', ["a", "b"]),
        ("places", "one", ["one"]),
        ("box", '{"a": {"b": [1, null]}}', {"a": {"b": [1, None]}}),
        ("box", "{'a': 1}", "{'a': 1}"),
        ("unknown", "3", "3"),
    ],
)
def test_a_bare_text_becomes_what_its_schema_says(key: str, text: str, value: Any) -> None:
    (call,) = read(coded(**{key: text})).calls
    assert dict(call.arguments) == {key: value}


@keeps("text_calls.types")
def test_without_a_schema_a_bare_text_stays_a_text() -> None:
    (call,) = read(coded(days="3"), "qwen3-coder", tools=None).calls
    assert dict(call.arguments) == {"days": "3"}


@keeps("text_calls.types")
def test_a_format_that_says_what_is_text_is_believed() -> None:
    tags = '<tool_calls><invoke name="get_weather"><parameter name="city">5</parameter></invoke></tool_calls>'
    (call,) = read(tags).calls
    assert dict(call.arguments) == {"city": "5"}
    dsml = tags.replace("<", "<\uff5cDSML\uff5c").replace("<\uff5cDSML\uff5c/", "</\uff5cDSML\uff5c")
    for flag, value in (("true", "5"), ("false", 5)):
        (call,) = read(dsml.replace('name="city"', f'name="city" string="{flag}"'), "deepseek").calls
        assert dict(call.arguments) == {"city": value}


@keeps("text_calls.types")
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="<\r"), max_size=40))
@settings(max_examples=60)
def test_a_text_between_tags_comes_through_as_it_is(text: str) -> None:
    (call,) = read(coded(city=text)).calls
    assert call.arguments["city"] == text
    (call,) = read(
        f"<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>{text}</arg_value>\n</tool_call>"
    ).calls
    assert call.arguments["city"] == text


ANY = ToolDefinition("keep", "Keep a value.", {"type": "object", "properties": {"value": {}}})


@keeps("text_calls.types")
@given(value=json_values)
@settings(max_examples=60)
def test_any_json_comes_through_formats_that_write_json(value: Any) -> None:
    text = encode({"name": "keep", "arguments": {"value": value}}).decode()
    parser = text_calls("hermes", [ANY])
    parser.feed(f"<tool_call>{text}</tool_call>")
    said, (call,), invalid = parser.close()
    assert (said, call.arguments["value"], invalid) == ("", value, ())


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc é\"'", max_size=5), inner, max_size=3),
    max_leaves=8,
)


@keeps("text_calls.types")
@given(value=PLAIN)
@settings(max_examples=80)
def test_whatever_python_writes_is_read_back(value: Any) -> None:
    parser = text_calls("llama3", [ANY])
    parser.feed(f"[keep(value={value!r})]")
    said, calls, invalid = parser.close()
    assert (said, invalid) == ("", ())
    assert calls[0].arguments["value"] == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'a' 'b'", "ab"),
        ("'''a'b\n''c'''", "a'b\n''c"),
        (r"'\x41\u00e9\U0001F642\101\n\q\'' ", "Aé🙂A\n\\q'"),
        ("(1, 2)", [1, 2]),
        ("(1)", 1),
        ("()", []),
        ("[1, 2,]", [1, 2]),
        ("{'a': true, 'b': null}", {"a": True, "b": None}),
        ("-1.5e3", -1500.0),
        (".5", 0.5),
    ],
)
def test_literals_of_python_are_read_without_running_anything(text: str, value: Any) -> None:
    (call,) = read(f"[keep(value={text})]", "llama3", tools=[ANY]).calls
    assert call.arguments["value"] == value


@keeps("text_calls.truncated")
@pytest.mark.parametrize(
    "text",
    [
        "open('x')",
        "__import__('os')",
        "1 + 1",
        "[x for x in y]",
        "lambda: 1",
        "f'{a}'",
        "9" * 500,
        "1e999",
        r"'\U99999999'",
        "{1: 2}",
        "{'a' 1}",
        "1 2",
        "[" * 300 + "]" * 300,
        "city",
    ],
)
def test_what_is_no_literal_of_python_makes_the_call_an_invalid_one(text: str) -> None:
    outcome = read(f"[keep(value={text})]", "llama3", tools=[ANY])
    assert (outcome.calls, [call.name for call in outcome.invalid]) == ((), ["keep"])


@keeps("text_calls.truncated")
@pytest.mark.parametrize(
    "text",
    [
        "city:Paris",
        "city:<escape>a<escape>b",
        "city:1,city:2",
        "city:1e999",
        "city:" + "9" * 500,
        "city",
        "1 2",
        "city:[1}",
        "city:[1 2]",
        "[1]:2",
        "city:" + "[" * 300,
    ],
)
def test_what_is_no_value_of_gemmas_makes_the_call_an_invalid_one(text: str) -> None:
    outcome = read(f"<start_function_call>call:get_weather{{{text}}}<end_function_call>", "gemma")
    assert (outcome.calls, [call.name for call in outcome.invalid]) == ((), ["get_weather"])


def test_gemmas_values_are_read() -> None:
    text = '<|tool_call>call:keep{value:{<|"|>a b<|"|>:[1,-2.5,true,null,{}],c:<|"|>x}y<|"|>,}}<tool_call|>'
    (call,) = read(text, "gemma", tools=[ANY]).calls
    assert call.arguments["value"] == {"a b": [1, -2.5, True, None, {}], "c": "x}y"}


@pytest.mark.parametrize(
    "call",
    [
        '{"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Rome"}}}',
        '{"id": "x", "name": "get_weather", "arguments": "{\\"city\\": \\"Rome\\"}"}',
        '{"name": "get_weather", "arguments": "\\"{\\\\\\"city\\\\\\": \\\\\\"Rome\\\\\\"}\\""}',
        '{"tool_name": "get_weather", "parameters": {"city": "Rome"}}',
        '{"name": "get-weather", "args": {"city": "Rome"}}',
        '{"name": "get_weather", "tool_input": {"city": "Rome"}}',
    ],
)
def test_the_fields_of_a_call_are_read_in_every_spelling(call: str) -> None:
    outcome = read(f"<tool_call>{call}</tool_call>")
    assert outcome.named == (("get_weather", {"city": "Rome"}),)


def test_ids_are_kept_where_there_are_some_and_are_unique() -> None:
    calls = "[TOOL_CALLS]get_time[CALL_ID]x[ARGS]{}[TOOL_CALLS]get_time[CALL_ID]x[ARGS]{}[TOOL_CALLS]get_time[ARGS]{}"
    ids = [call.id for call in read(calls, "mistral").calls]
    assert ids[0] == "x"
    assert len(set(ids)) == 3


def test_names_of_tools_are_read_from_the_definitions_themselves() -> None:
    assert WEATHER in TOOLS
    outcome = read("<tool_call>get_time</tool_call>", "glm", tools=iter(TOOLS))  # type: ignore[arg-type]
    assert outcome.named == (("get_time", {}),)
