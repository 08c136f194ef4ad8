from __future__ import annotations

import pytest

from tests.promises import keeps
from tests.providers.text_calls.reading import letter_by_letter, read
from tests.providers.text_calls.samples import TOOLS

HERMES = "<tool_call>"


@keeps("text_calls.truncated", "text_calls.no_markup")
@pytest.mark.parametrize(
    ("format", "text", "arguments"),
    [
        ("hermes", '<tool_call>{"name": "get_weather", "arguments": {"city": "Pa', '{"city": "Pa'),
        ("hermes", '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}', '{"city": "Paris"}'),
        ("hermes", '<tool_call>{"name": "get_weather", "arguments": {city: 1}}</tool_call>', "{city: 1}}"),
        (
            "hermes",
            '<tool_call>{"name": "get_weather", "arguments": {"city": "Pa\nris"}}</tool_call>',
            '{"city": "Pa\nris"}}',
        ),
        ("qwen3-coder", "<tool_call><function=get_weather><parameter=city>Par", "<parameter=city>Par"),
        ("qwen3-coder", "<function=get_weather>Paris</function>", "Paris"),
        ("qwen3-coder", "<function=get_weather>", ""),
        ("llama3", '{"name": "get_weather", "parameters": {"city": "Pa', '{"city": "Pa'),
        ("llama3", '[get_weather(city="Pa', '(city="Pa'),
        ("llama3", '[get_weather("Paris")]', '[get_weather("Paris")]'),
        ("mistral", '[TOOL_CALLS]get_weather[ARGS]{"city"', '{"city"'),
        ("mistral", "[TOOL_CALLS]get_weather[ARGS]", ""),
        ("kimi", "<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{", "{"),
        ("harmony", "<|channel|>commentary to=functions.get_weather<|message|>Paris<|call|>", "Paris"),
        ("glm", "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Pa", "<arg_key>city</arg_key><arg_value>Pa"),
        ("gemma", "<start_function_call>call:get_weather{city:<escape>Pa", "{city:<escape>Pa"),
        ("apertus", "<|tools_prefix|>[1]<|tools_suffix|>", None),
        ("granite", '<|tool_call|>[{"name": "get_weather", "arguments": {}}', "{}}"),
    ],
)
def test_a_cut_or_broken_call_is_an_invalid_one_with_its_text(format: str, text: str, arguments: str | None) -> None:
    outcome = read(text, format)
    assert read(text, format, letter_by_letter(text)) == outcome
    if arguments is None:
        assert (outcome.text, outcome.calls, outcome.invalid) == (text, (), ())
        return
    (call,) = outcome.invalid
    assert (outcome.text, outcome.calls, call.name, call.arguments_text) == ("", (), "get_weather", arguments)
    assert "again" in call.reason


@keeps("text_calls.truncated", "text_calls.no_markup")
@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"na',
        "<tool_call>\n",
        "<|tool_call_begin|>functions.get_wea",
        "[TOOL_CALLS]get_",
        "<|channel|>commentary to=",
    ],
)
def test_a_call_that_was_cut_before_its_name_is_an_invalid_one_without_one(text: str) -> None:
    outcome = read(f"Yes. {text}")
    assert (outcome.text, outcome.calls, [call.name for call in outcome.invalid]) == ("Yes. ", (), [""])
    assert read(text, tools=()).text == text


@keeps("text_calls.only_offered")
@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "delete_all", "arguments": {"x": "`"}}</tool_call> and ',
        "<function=delete_all>\n<parameter=x>1</parameter>\n</function>",
        "[TOOL_CALLS]delete_all[ARGS]{}",
        "<tool_call>one\n</tool_call> two",
        "<tool_call>[1, 2]</tool_call>",
        "<tool_call>{}</tool_call>",
        "<|channel|>commentary to=browser.open<|message|>{}<|call|>",
        "<function_calls>nothing()</function_calls>",
    ],
)
def test_what_calls_no_offered_tool_stays_text_as_it_is(text: str) -> None:
    outcome = read(text)
    assert (outcome.text, outcome.calls, outcome.invalid) == (text, (), ())
    assert read(text, "auto", letter_by_letter(text)) == outcome


@keeps("text_calls.only_offered")
def test_beside_a_call_a_call_of_an_unknown_tool_is_an_invalid_one() -> None:
    text = '<tool_calls>[{"name": "get_time", "arguments": {}}, {"name": "delete_all", "arguments": {}}]</tool_calls>'
    outcome = read(text)
    assert (outcome.text, outcome.named) == ("", (("get_time", {}),))
    assert [(call.name, call.reason) for call in outcome.invalid] == [
        ("delete_all", "There is no tool of this name here.")
    ]


@keeps("text_calls.any_name")
def test_without_tools_a_name_that_no_tool_may_have_makes_an_invalid_call() -> None:
    outcome = read('<tool_call>{"name": "näme!", "arguments": {}}</tool_call>', "hermes", tools=None)
    assert [call.name for call in outcome.invalid] == ["näme!"]


@keeps("text_calls.truncated")
def test_one_broken_call_does_not_take_those_around_it() -> None:
    good = '<tool_call>{"name": "get_time", "arguments": {}}</tool_call>'
    bad = '<tool_call>{"name": "get_weather", "arguments": {"city": "Par}}</tool_call>'
    for text in (good + bad + good, bad + good, good + bad.removesuffix("</tool_call>") + good):
        outcome = read(text, "hermes")
        assert read(text, "hermes", letter_by_letter(text)) == outcome
        assert [call.name for call in outcome.invalid] == ["get_weather"]
        assert len(outcome.calls) == text.count(good)
        assert outcome.text == ""


@keeps("text_calls.truncated")
def test_a_parameter_that_is_given_twice_is_not_guessed() -> None:
    text = "<function=get_weather><parameter=city>A</parameter><parameter=city>B</parameter></function>"
    assert [call.name for call in read(text).invalid] == ["get_weather"]


@keeps("text_calls.text_stays")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"Before {HERMES}CALL</tool_call> after", "Before  after"),
        (f"Before\n\n{HERMES}CALL</tool_call>\n\nafter\n", "Before\n\n\n\nafter\n"),
        (f"\n {HERMES}CALL</tool_call> \n {HERMES}CALL</tool_call>\n\n", ""),
        (f"A{HERMES}CALL</tool_call>\n{HERMES}CALL</tool_call>B", "AB"),
        (f"{HERMES}CALL</tool_call></tool_call>\n</s>", ""),
        ("</tool_call> is an end, and so is </s>.", "</tool_call> is an end, and so is </s>."),
        (" \n\t ", " \n\t "),
        ("", ""),
    ],
)
def test_blanks_belong_to_calls_only_where_nothing_but_calls_stands_around_them(text: str, said: str) -> None:
    text = text.replace("CALL", '{"name": "get_time", "arguments": {}}')
    assert read(text).text == said
    assert read(text, "auto", letter_by_letter(text)).text == said


def test_a_parser_that_was_closed_says_the_same_again() -> None:
    from toolwright.providers import text_calls

    parser = text_calls("auto", TOOLS)
    assert parser.feed("Hi") != []
    assert parser.close() == parser.close() == ("Hi", (), ())
    assert parser.end() == []
