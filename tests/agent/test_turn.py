"""What comes next, as tables: no clock, no model, no executor."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwright.agent.limits import RunLimits
from toolwright.agent.turn import (
    NOT_RUN,
    Ask,
    Ending,
    Finish,
    RunCalls,
    RunStatus,
    State,
    Why,
    answered,
    closed,
    corrected,
    key_of,
    next_step,
)
from toolwright.messages import InvalidToolCall, ToolCall

LIMITS = RunLimits(max_turns=3, max_tool_calls=5, corrections=1)
ONE = ToolCall("call_1", "look", {"n": 1})
TWO = ToolCall("call_2", "look", {"n": 2})
BAD = InvalidToolCall("call_3", "look", "{", "this is not JSON")


def test_a_run_begins_with_a_question() -> None:
    assert next_step(State(), LIMITS) == Ask()


@pytest.mark.parametrize(
    ("ending", "refused", "status"),
    [
        ("stop", False, "completed"),
        ("tool_calls", False, "completed"),
        ("length", False, "length"),
        ("content_filter", False, "refused"),
        ("stop", True, "refused"),
        ("length", True, "refused"),
        ("error", False, "provider_error"),
        ("error", True, "provider_error"),
    ],
)
def test_an_answer_without_calls_ends_the_run(ending: Ending, refused: bool, status: RunStatus) -> None:
    state = answered(State(), (), ending, refused=refused)
    assert next_step(state, LIMITS) == Finish(status)


@pytest.mark.parametrize("ending", ["stop", "tool_calls"])
def test_the_calls_of_an_answer_are_run(ending: Ending) -> None:
    assert next_step(answered(State(), (ONE, BAD), ending), LIMITS) == RunCalls((ONE, BAD))


@pytest.mark.parametrize(
    ("ending", "refused", "why", "status"),
    [
        ("length", False, "cut", None),
        ("error", False, "broken", "provider_error"),
        ("content_filter", False, "withheld", "refused"),
        ("stop", True, "withheld", "refused"),
    ],
)
def test_calls_of_an_answer_that_cannot_be_relied_on_are_not_run(
    ending: Ending, refused: bool, why: Why, status: RunStatus | None
) -> None:
    state = answered(State(), (ONE, TWO), ending, refused=refused)
    assert next_step(state, LIMITS) == RunCalls((), (ONE, TWO), why)
    after = closed(state, ran=0)
    assert next_step(after, LIMITS) == (Ask() if status is None else Finish(status))


def test_of_more_calls_than_are_left_the_first_ones_run() -> None:
    state = answered(State(calls=4), (ONE, TWO, BAD), "tool_calls")
    assert next_step(state, LIMITS) == RunCalls((ONE,), (TWO, BAD))
    assert next_step(closed(state, ran=1, exhausted=True), LIMITS) == Finish("max_tool_calls")


def test_a_run_that_has_made_all_its_calls_may_still_answer() -> None:
    state = closed(answered(State(calls=3), (ONE, TWO), "tool_calls"), ran=2)
    assert state.calls == 5
    assert next_step(state, LIMITS) == Ask()
    assert next_step(answered(state, (ONE,), "tool_calls"), LIMITS) == RunCalls((), (ONE,))


def test_the_calls_of_the_last_turn_are_run_before_the_run_ends() -> None:
    state = answered(State(turns=2), (ONE,), "tool_calls")
    assert next_step(state, LIMITS) == RunCalls((ONE,))
    assert next_step(closed(state, ran=1), LIMITS) == Finish("max_turns")


def test_the_same_wrong_call_in_three_answers_in_a_row_ends_the_run() -> None:
    limits = RunLimits(max_turns=100)
    state = State()
    for _ in range(2):
        state = closed(answered(state, (ONE,), "tool_calls"), ran=1, wrong=[key_of(ONE), key_of(ONE)])
        assert next_step(state, limits) == Ask()
    state = closed(answered(state, (ONE,), "tool_calls"), ran=1, wrong=[key_of(ONE)])
    assert next_step(state, limits) == Finish("wrong_calls")


def test_another_wrong_call_or_a_right_one_begins_a_new_count() -> None:
    state = State()
    for wrong in ([key_of(ONE)], [key_of(ONE)], [key_of(TWO)], [key_of(ONE)], [], [key_of(ONE)], [key_of(ONE)]):
        state = closed(answered(state, (ONE,), "tool_calls"), ran=1, wrong=wrong)
        assert next_step(state, RunLimits()) == Ask()


def test_an_answer_that_does_not_fit_is_mended_so_many_times() -> None:
    state = answered(State(), (), "stop", fits=False)
    assert next_step(state, LIMITS) == Ask(correcting=True)
    state = corrected(state)
    assert next_step(state, LIMITS) == Ask()
    state = answered(state, (), "stop", fits=False)
    assert next_step(state, LIMITS) == Finish("failed")
    assert next_step(answered(corrected(state), (), "stop"), LIMITS) == Finish("completed")


def test_an_answer_is_not_mended_beyond_the_last_turn() -> None:
    assert next_step(answered(State(turns=2), (), "stop", fits=False), LIMITS) == Finish("max_turns")


def test_a_run_waits_while_a_person_has_to_decide() -> None:
    state = State(turns=1, ending="tool_calls", called=True, pending=(ONE,), undecided=True)
    assert next_step(state, LIMITS) == Finish("waiting")


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["stop", "tool_calls", "length"]))))
def test_every_run_ends_within_its_limits(answers: list[tuple[int, Any]]) -> None:
    """Whatever the answers, there are no more turns and calls than allowed, and each call is run or refused."""
    state, turns, ran = State(), 0, 0
    answers = [*answers, *[(1, "tool_calls")] * 4]  # a model that would never stop
    while not isinstance(step := next_step(state, LIMITS), Finish):
        if isinstance(step, Ask):
            count, ending = answers[turns]
            turns += 1
            calls = tuple(ToolCall(f"call_{place}", "look", {"n": turns, "m": place}) for place in range(count))
            state = answered(state, calls, ending)
        else:
            assert (*step.calls, *step.refused) == state.pending
            ran += len(step.calls)
            state = closed(state, ran=len(step.calls), exhausted=bool(step.refused) and step.why == "limit")
    assert turns <= LIMITS.max_turns
    assert ran <= LIMITS.max_tool_calls


def test_two_calls_are_the_same_when_name_and_arguments_are() -> None:
    swapped = ToolCall("other", "look", {"b": 1, "a": 2})
    assert key_of(swapped) == key_of(ToolCall("call", "look", {"a": 2, "b": 1}))
    assert key_of(swapped) != key_of(ToolCall("call", "see", {"a": 2, "b": 1}))
    assert key_of(BAD) == key_of(InvalidToolCall("other", "look", "{", "another reason"))
    assert key_of(BAD) != key_of(InvalidToolCall("call_3", "look", "}", "this is not JSON"))
    assert len({key_of(call) for call in (swapped, BAD, ONE, TWO)}) == 4


@pytest.mark.parametrize("why", sorted(NOT_RUN))
def test_each_reason_for_not_running_a_call_is_told_in_words(why: Why) -> None:
    said = NOT_RUN[why]
    assert len(said.text.split()) > 5
    assert said.is_error == bool(said.code)


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        ({"max_turns": 0}, "max_turns"),
        ({"max_turns": True}, "max_turns"),
        ({"max_tool_calls": -1}, "max_tool_calls"),
        ({"corrections": 1.5}, "corrections"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": float("inf")}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
    ],
)
def test_a_limit_out_of_range_is_refused_by_name(limits: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        RunLimits(**limits)
