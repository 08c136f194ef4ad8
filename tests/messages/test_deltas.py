from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolwright as tw
from tests.messages.strategies import calls, json_objects, texts
from tests.promises import keeps


def _pieces(draw: st.DrawFn, text: str) -> list[str]:
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@st.composite
def _streams(draw: st.DrawFn) -> tuple[list[Any], list[tw.ToolCallDelta]]:
    """Several calls, and their deltas in an interleaving that keeps the order within each call."""
    expected = draw(st.lists(calls, max_size=4, unique_by=lambda call: call.id))
    queues: list[list[tw.ToolCallDelta]] = []
    for index, call in enumerate(expected):
        text = json.dumps(dict(json.loads(call.to_json())["arguments"]))
        first, *rest = _pieces(draw, text)
        queue = [tw.ToolCallDelta(index * 2, call.id, call.name, first)]
        queues.append(
            queue + [tw.ToolCallDelta(index * 2, None, draw(st.none() | st.just("")), piece) for piece in rest]
        )
    deltas: list[tw.ToolCallDelta] = []
    while any(queues):
        deltas.append(draw(st.sampled_from([queue for queue in queues if queue])).pop(0))
    return [(call.id, call.name, call.arguments) for call in expected], deltas


@keeps("assembler.any_interleaving")
@given(_streams())
def test_any_interleaving_gives_the_same_calls(stream: tuple[list[Any], list[tw.ToolCallDelta]]) -> None:
    expected, deltas = stream
    assembler = tw.ToolCallAssembler()
    for delta in deltas:
        assembler.add(delta)
    finished = assembler.finish()
    assert [(call.id, call.name, getattr(call, "arguments", None)) for call in finished] == expected
    assert assembler.finish() == finished


@keeps("assembler.any_interleaving")
def test_broken_calls_come_out_as_invalid_ones_beside_the_others() -> None:
    assembler = tw.ToolCallAssembler()
    assembler.add(tw.ToolCallDelta(7, "b", "second", '{"x": '))
    assembler.add(tw.ToolCallDelta(2, "a", "first", None))
    assembler.add(tw.ToolCallDelta(9, None, "third", "{}"))
    first, second, third = assembler.finish()
    assert first == tw.ToolCall("a", "first", {})
    assert isinstance(second, tw.InvalidToolCall)
    assert third == tw.ToolCall("call_9", "third", {})


@keeps("message.calls")
def test_repeated_ids_are_made_unique_so_that_the_calls_fit_into_a_message() -> None:
    assembler = tw.ToolCallAssembler()
    for index in range(3):
        assembler.add(tw.ToolCallDelta(index, "same", "n", ""))
    finished = assembler.finish()
    assert [call.id for call in finished] == ["same", "same_2", "same_3"]
    assert tw.assistant(None, [call for call in finished if isinstance(call, tw.ToolCall)]).tool_calls == finished


@keeps("assembler.linear")
def test_ids_that_many_calls_share_cost_no_more_than_others() -> None:
    assembler = tw.ToolCallAssembler()
    for index in range(50_000):
        assembler.add(tw.ToolCallDelta(index, ("same", "same_7")[index % 2], "n"))
    assert len({call.id for call in assembler.finish()}) == 50_000


@keeps("assembler.linear")
def test_each_fragment_is_kept_once_and_joined_once() -> None:
    """Cost is shown by the benchmark; here a size that anything quadratic would not survive."""
    assembler = tw.ToolCallAssembler()
    assembler.add(tw.ToolCallDelta(0, "c", "n", '{"text": "'))
    for _ in range(300_000):
        assembler.add(tw.ToolCallDelta(0, None, None, "word "))
    assembler.add(tw.ToolCallDelta(0, None, None, '"}'))
    (call,) = assembler.finish()
    assert isinstance(call, tw.ToolCall)
    assert len(call.arguments["text"]) == 1_500_000


def _partial(text: str) -> Any:
    assembler = tw.ToolCallAssembler()
    assembler.add(tw.ToolCallDelta(0, "c", "n", text))
    return json.loads(tw.ToolCall("c", "n", assembler.partial(0)).to_json())["arguments"]


@keeps("assembler.partial")
@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("", {}),
        ("{", {}),
        ('{"pa', {}),
        ('{"path"', {}),
        ('{"path": ', {}),
        ('{"path": "a', {"path": "a"}),
        ('{"path": "a\\', {"path": "a"}),
        ('{"path": "a\\u00', {"path": "a"}),
        ('{"path": "a\\\\', {"path": "a\\"}),
        ('{"path": "a", "n": 12', {"path": "a"}),
        ('{"path": "a", "n": 12,', {"path": "a", "n": 12}),
        ('{"n": [1, {"x": tru', {"n": [1, {}]}),
        ('{"n": [1, {"x": true}', {"n": [1, {"x": True}]}),
        ('{"a": {}}', {"a": {}}),
        ('{"a": "\\ud83d', {"a": "�"}),
        ("not json", {}),
        ("[1, 2", {}),
        ('}"{', {}),
    ],
)
def test_partial_gives_what_is_readable_so_far(text: str, readable: Any) -> None:
    assert _partial(text) == readable


@keeps("assembler.partial")
def test_partial_of_an_unknown_index_is_empty() -> None:
    assert tw.ToolCallAssembler().partial(3) == {}


def _begins(part: Any, whole: Any) -> bool:
    """Say whether a partial value is a beginning of the whole one."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and _begins(item, whole[key]) for key, item in part.items())
    if isinstance(part, list):
        pairs = zip(part, whole, strict=False)
        return (
            isinstance(whole, list) and len(part) <= len(whole) and all(_begins(item, other) for item, other in pairs)
        )
    if isinstance(part, str):
        return isinstance(whole, str) and whole.startswith((part, part[:-1]))
    return bool(part == whole)


@keeps("assembler.partial")
@given(json_objects, st.data())
def test_partial_never_shows_what_is_not_there(arguments: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(arguments)
    part = _partial(text[: data.draw(st.integers(0, len(text)))])
    assert _begins(part, json.loads(text))
    assert _partial(text) == json.loads(text)


@keeps("assembler.partial")
@given(st.text(alphabet='{}[]":,\\ut0a \n') | texts)
def test_partial_takes_any_text(text: str) -> None:
    assert isinstance(_partial(text), dict)
