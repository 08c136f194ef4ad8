"""Sizes that anything quadratic or recursive would not survive; what they cost is shown by the benchmarks."""

from __future__ import annotations

import pytest

from tests.promises import keeps
from tests.providers.text_calls.reading import read

SIZE = 60_000

HOSTILE = {
    "less-than signs": "<",
    "ticks": "`",
    "quotation marks": ' "a',
    "line ends": "\n",
    "blanks": " ",
    "brackets": "[",
    "braces": "{",
    "openers": "<tool_call>",
    "openers of objects": "<tool_call>{",
    "openers of texts": '<tool_call>{"',
    "calls without an end": '<tool_call>{"name": "get_weather", "arguments": {',
    "functions": "<function=get_weather>",
    "parameters": "<function=get_weather><parameter=city>",
    "channels": "<|channel|>commentary to=functions.get_weather<|message|>{",
    "passages": "<|channel|>final<|message|>",
    "names": "[TOOL_CALLS]get_weather[ARGS]",
    "long texts of Python's": '<|python_tag|>get_weather(a="""',
    "ends in texts": '<tool_call>{"a": "</tool_call>',
    "thoughts": "<think>\n",
    "ends": "</tool_call>",
    "whole calls": '<tool_call>{"name": "get_time", "arguments": {}}</tool_call>',
    "ids that are all the same": "[TOOL_CALLS]get_time[CALL_ID]a[ARGS]{}",
}
DEEP = {
    "lists": "<tool_call>" + "[" * SIZE,
    "objects": "<tool_call>" + '{"a":' * (SIZE // 5),
    "whole lists": "<tool_call>" + "[" * SIZE + "]" * SIZE + "</tool_call>",
    "lists of Python's": "[get_weather(city=" + "[" * SIZE + "]" * SIZE + ")]",
    "objects of Gemma's": "<|tool_call>call:get_weather{a:" + "{a:" * SIZE + "}" * SIZE + "}<tool_call|>",
    "a long number": '<tool_call>{"name": "get_weather", "arguments": {"days": ' + "9" * SIZE + "}}</tool_call>",
    "backslashes": '<tool_call>{"name": "get_weather", "arguments": {"city": "' + "\\" * SIZE,
    "a lone call with words behind it": '{"name": "get_weather", "arguments": {"city": "' + "x" * SIZE + '"}} x',
    "a parameter": "<function=get_weather><parameter=city>" + "<" * SIZE,
    "a name": "<tool_call>" + "a" * SIZE,
}


@keeps("text_calls.linear", "text_calls.any_cut")
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_many_pieces_of_markup_cost_what_they_are_long(piece: str) -> None:
    text = piece * (SIZE // len(piece))
    whole = read(text)
    assert read(text, "auto", range(0, len(text), 7)) == whole
    assert len(whole.text) + 100 * (len(whole.calls) + len(whole.invalid)) > 0 or "final" in piece


@keeps("text_calls.linear", "text_calls.truncated")
@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_deep_and_long_values_are_no_calls_and_no_exception(text: str) -> None:
    for format in ("auto", "mistral", "hermes"):
        outcome = read(text, format)
        assert outcome.calls == ()
        assert read(text, format, range(0, len(text), 11)) == outcome


@keeps("text_calls.linear")
def test_a_long_argument_is_read_in_pieces_of_any_size() -> None:
    text = '<tool_call>{"name": "get_weather", "arguments": {"city": "' + "Paris " * (SIZE // 6) + '"}}</tool_call>'
    (call,) = read(text, "hermes", range(0, len(text), 3)).calls
    assert len(str(call.arguments["city"])) == SIZE


@keeps("text_calls.linear")
@pytest.mark.parametrize("piece", ["<tool_call>{}", '<tool_call>{"name": "get_time", "arguments": {}}</tool_call>'])
def test_a_text_that_comes_whole_costs_no_more_than_one_in_pieces(piece: str) -> None:
    """What is left of it behind a block is not copied with each of the many blocks."""
    many = 40_000
    outcome = read(piece * many)
    assert len(outcome.calls) in (0, many)
    assert len(outcome.text) in (0, len(piece) * many)
