"""Structured answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agent.running import agent_of, calling, check, echo, model_of, within
from tests.promises import keeps
from toolwright.agent.final import FinalAnswer
from toolwright.errors import RunError, UnsupportedTypeError
from toolwright.messages import MessageRole
from toolwright.providers import ChatResponse


@dataclass
class City:
    name: str
    people: int


class Point(msgspec.Struct):
    x: int
    y: int = 0


class Options(TypedDict):
    deep: bool


class Page(pydantic.BaseModel):
    title: str
    tags: list[str] = []


@keeps("agent.final")
@pytest.mark.parametrize(
    ("type", "text", "value"),
    [
        (City, '{"name": "Ulm", "people": 126000}', City("Ulm", 126000)),
        (Point, '{"x": 3}', Point(3)),
        (Options, '{"deep": true}', {"deep": True}),
        (Page, '{"title": "A", "tags": ["b"]}', Page(title="A", tags=["b"])),
        (int, '{"value": 3}', 3),
        (list[int], '{"value": [1, 2]}', [1, 2]),
        (Literal["yes", "no"], '{"value": "yes"}', "yes"),
        (list[City], '{"value": [{"name": "Ulm", "people": 1}]}', [City("Ulm", 1)]),
        (City, 'Here it is:\n```json\n{"name": "Ulm", "people": 1}\n```\nAnything else?', City("Ulm", 1)),
        (City, 'It is {"name": "Ulm", "people": 1}, I think.', City("Ulm", 1)),
        (City, '{"name": "Ulm", "people": "1"}', City("Ulm", 1)),
    ],
)
async def test_an_answer_of_the_form_that_was_asked_for_is_a_value(type: Any, text: str, value: object) -> None:
    agent = agent_of([calling("echo"), text], echo())
    run = await within(agent.run("Go.", final=type))
    assert (run.status, run.value, run.text) == ("completed", value, text)
    assert all("response_schema" in request.options for request in model_of(agent).requests)
    check(run)


@keeps("agent.final")
async def test_the_model_mends_an_answer_that_does_not_fit() -> None:
    agent = agent_of(["Ulm.", '{"name": "Ulm"}', '{"name": "Ulm", "people": 1}'])
    run = await within(agent.run("Go.", final=City))
    assert run.value == City("Ulm", 1)
    told = [message.content or "" for message in run.conversation if message.role is MessageRole.USER]
    assert "not valid JSON" in told[1]
    assert "people" in told[2]
    assert run.records[-2].data["correction"] is True
    check(run)


async def test_what_a_class_checks_by_itself_is_told_to_the_model_as_well() -> None:
    class Even(pydantic.BaseModel):
        number: int

        @pydantic.field_validator("number")
        @classmethod
        def is_even(cls, number: int) -> int:
            if number % 2:
                raise ValueError("must be even")
            return number

    agent = agent_of(['{"number": 3}', '{"number": 4}'])
    run = await within(agent.run("Go.", final=Even))
    assert run.value == Even(number=4)
    assert "does not have the form" in str(run.conversation[2].content)


async def test_a_model_that_never_gives_the_form_ends_the_run_as_failed() -> None:
    agent = agent_of(["No.", "No.", "No."])
    run = await within(agent.run("Go.", final=City))
    assert isinstance(run.error, RunError)
    assert (run.status, run.error.code, run.value, run.text) == ("failed", "answer_invalid", None, "No.")
    check(run)


async def test_an_answer_that_was_cut_or_refused_gives_no_value() -> None:
    for answer in (ChatResponse(text='{"value": 3}', finish_reason="length"), ChatResponse(refusal="No.")):
        run = await within(agent_of([answer]).run("Go.", final=int))
        assert run.value is None
        assert run.status in ("length", "refused")


async def test_a_type_that_no_schema_describes_is_refused_at_once() -> None:
    with pytest.raises(UnsupportedTypeError):
        await agent_of(["Hi."]).run("Go.", final=complex)


@given(st.text(max_size=200) | st.text(alphabet='{}[]",:0a`\n', max_size=60))
def test_any_text_is_a_value_or_a_problem(text: str) -> None:
    reading = FinalAnswer(dict[str, int]).read(text)
    assert (reading.problem is None) == isinstance(reading.value, dict)


@pytest.mark.parametrize("piece", ["\n", " ", "```", "```\n", "```json\n", "```json ", "{", "```\n{\n"])
def test_what_a_model_repeats_without_end_is_read_at_once(piece: str) -> None:
    """Looked for with an expression that goes back, such a text takes years."""
    assert FinalAnswer(dict[str, int]).read("```" + piece * 30_000).problem


def test_references_within_the_form_hold_when_it_is_wrapped() -> None:
    class Tree(msgspec.Struct):
        children: list[Tree] = []

    globals()["Tree"] = Tree
    answer = FinalAnswer(list[Tree])
    assert answer.read('{"value": [{"children": [{}]}]}').value == [Tree([Tree()])]
    assert answer.read('{"value": [{"children": 3}]}').problem is not None
    assert "$defs" in answer.read("x").correction
