from __future__ import annotations

import pytest

from tests.promises import keeps
from tests.providers.text_calls.reading import letter_by_letter, read

CALL = '{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}'
NAMED = (("get_weather", {"city": "Paris", "days": 3}),)


@keeps("text_calls.lone")
@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"\n  {CALL}\n",
        f"```json\n{CALL}\n```",
        f"```\n{CALL}\n```\n\n",
        f" ```JSON\n{CALL}```",
        CALL.replace("arguments", "parameters"),
        '{"arguments": {"city": "Paris", "days": 3}, "name": "get_weather"}',
        '{\n  "name": "get_weather",\n  "arguments": {\n    "city": "Paris",\n    "days": "3"\n  }\n}',
        f"[{CALL}]",
        '{"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}}',
        '[get_weather(city="Paris", days=3)]',
    ],
)
def test_an_answer_that_is_nothing_but_a_call_that_fits_is_one(text: str) -> None:
    outcome = read(text)
    assert read(text, "auto", letter_by_letter(text)) == outcome
    ((name, arguments),) = outcome.named
    assert (name, outcome.text, outcome.invalid) == ("get_weather", "", ())
    assert arguments == NAMED[0][1] | {"days": arguments["days"]}


@keeps("text_calls.lone", "text_calls.quoted")
@pytest.mark.parametrize(
    "text",
    [
        f"{CALL} is what I would write.",
        f"I would write:\n{CALL}",
        f"Like this:\n\n```json\n{CALL}\n```",
        f"```json\n{CALL}\n```\nThat is how.",
        f"```json\n{CALL}\n{CALL}\n```",
        f"{CALL}{CALL}",
        CALL.replace("get_weather", "get_whether"),
        CALL.replace('"city"', '"town"'),
        CALL.replace('"Paris"', "5"),
        CALL.replace("3", '"three"'),
        CALL.replace("arguments", "values"),
        '{"name": "get_weather"}',
        '{"name": "get_weather", "arguments": "Paris"}',
        CALL[:-1],
        CALL[:40],
        f"```json\n{CALL}",
        '{"name": "Paris", "population": 2100000}',
        '{"answer": 42}',
        f"[{CALL}, 1]",
        f'[{CALL}, {{"name": "other", "arguments": {{}}}}]',
        '[get_weather(city="Paris", days="x")]',
        '[get_weather("Paris")]',
        "[link](http://localhost)",
        "[1, 2]",
        "{}",
        "[",
    ],
)
def test_an_answer_that_may_mean_something_else_stays_text(text: str) -> None:
    outcome = read(text)
    assert read(text, "auto", letter_by_letter(text)) == outcome
    assert (outcome.text, outcome.calls, outcome.invalid) == (text, (), ())


@keeps("text_calls.lone")
def test_what_is_no_lone_call_is_still_searched_for_others() -> None:
    call = '<tool_call>{"name": "get_time", "arguments": {}}</tool_call>'
    outcome = read(f'{{"name": "note", "arguments": {{}}}}\n{call}')
    assert outcome.named == (("get_time", {}),)
    assert outcome.text == '{"name": "note", "arguments": {}}\n'


@keeps("text_calls.lone", "text_calls.only_offered")
def test_where_nothing_is_offered_a_lone_object_is_an_answer() -> None:
    assert read(CALL, tools=()).text == CALL
