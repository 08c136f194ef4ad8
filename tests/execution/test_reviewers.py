from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.deciding import NOW, asked
from tests.promises import keeps
from toolwright.errors import MessageDecodeError, NotJsonError, PolicyError
from toolwright.execution.inbox import InboxReviewer, MemoryInbox
from toolwright.execution.remembered import Remember
from toolwright.execution.reviewers import (
    Decision,
    Reviewer,
    ReviewRequest,
    approve_all,
    deny_all,
    patience_of,
    review_of,
)
from toolwright.levels import RiskLevel
from toolwright.testing import FakeClock, FakeReviewer


@keeps("reviewers.decision")
def test_a_decision_approves_denies_or_changes() -> None:
    assert Decision.approve(remember="tool").remember == Remember(covers="tool")
    denied = Decision.deny("not today", remember=Remember(lasts="always"), by="ann")
    assert (denied.answer, denied.reason, denied.remember, denied.by) == (
        *("deny", "not today", Remember(lasts="always"), "ann"),
    )
    changed = Decision.change({"a": [1]}, remember="call")
    assert changed.arguments == {"a": [1]}
    with pytest.raises(TypeError):
        changed.arguments["a"] = 2  # type: ignore[index]


def test_a_decision_that_is_none_cannot_be_made() -> None:
    for wrong in ({"answer": "yes"}, {"answer": "change"}, {"answer": "approve", "arguments": {}}):
        with pytest.raises(ValueError, match="."):
            Decision(**wrong)
    with pytest.raises(PolicyError):
        Decision.approve(remember="for ever")
    with pytest.raises(NotJsonError):
        Decision.change({"a": object()})


@keeps("reviewers.request")
def test_a_request_says_all_that_a_person_needs_and_hides_it_from_logs() -> None:
    request = asked({"command": "secret"}, warnings=("slow",), diff="+a", expires_at=NOW)
    assert (request.summary, request.reason, request.diff, request.warnings) == (
        *("Run 'git push'", "its risk is high, and a person is asked", "+a", ("slow",)),
    )
    assert request.risk.color.startswith("#")
    assert request.expires_at == NOW
    assert "secret" not in repr(request) + str(request)
    assert "secret" not in repr(Decision.change({"command": "secret"}))


@given(
    st.dictionaries(st.text(max_size=3), st.none() | st.integers(-9, 9) | st.text(max_size=3), max_size=3),
    st.sampled_from(list(RiskLevel)),
    st.booleans(),
)
def test_requests_and_decisions_come_back_from_json(arguments: dict[str, Any], risk: RiskLevel, some: bool) -> None:
    request = asked(arguments, risk=risk, expires_at=NOW if some else None, session="s" if some else None)
    assert ReviewRequest.from_json(request.to_json()) == request
    for decision in (Decision.approve(remember="project"), Decision.deny("no", by="ann"), Decision.change(arguments)):
        assert Decision.from_json(decision.to_json()) == decision


def test_json_of_something_else_is_refused_and_not_quoted() -> None:
    for text in ("secret", "{}", '{"answer":"secret"}', '{"answer":"change"}', "[" * 5_000):
        with pytest.raises(MessageDecodeError) as caught:
            Decision.from_json(text)
        assert "secret" not in str(caught.value)
        assert caught.value.__cause__ is None


@keeps("reviewers.any")
async def test_any_async_function_and_anything_with_review_is_a_reviewer() -> None:
    class Called:
        async def __call__(self, request: ReviewRequest) -> Decision:
            return Decision.deny(request.tool_name)

    for reviewer, answer in ((approve_all, "approve"), (deny_all, "deny"), (Called(), "deny")):
        decision = await review_of(reviewer)(asked())
        assert isinstance(decision, Decision)
        assert decision.answer == answer
    scripted = FakeReviewer(Decision.approve())
    assert await review_of(scripted)(asked()) == Decision.approve()
    assert isinstance(scripted, Reviewer)
    for wrong in (None, "yes", FakeReviewer, lambda request: Decision.approve(), object()):
        with pytest.raises(TypeError):
            review_of(wrong)  # type: ignore[arg-type]


@keeps("reviewers.any")
async def test_whoever_denies_all_says_how_to_allow() -> None:
    denied = await deny_all(asked())
    assert "a rule of the policy can allow calls of run_command" in (denied.reason or "")


@keeps("reviewers.inbox.expiry")
def test_a_reviewer_may_have_a_patience_of_its_own() -> None:
    assert patience_of(approve_all, 600) == 600
    assert patience_of(InboxReviewer(MemoryInbox(), expires_after=9), 600) == 9
    reviewer = FakeReviewer()
    for wrong in (True, -1, 0, "9", None):
        reviewer.expires_after = wrong  # type: ignore[attr-defined]
        assert patience_of(reviewer, 600) == 600


@keeps("testing.fakes")
async def test_a_fake_reviewer_answers_as_it_is_told_and_remembers_the_questions() -> None:
    async def later(request: ReviewRequest) -> Decision:
        return Decision.deny(request.summary)

    reviewer = FakeReviewer(Decision.approve(), later, lambda _request: "nonsense", RuntimeError("broken"), None)
    assert (await reviewer.review(asked())).answer == "approve"
    assert (await reviewer.review(asked())).reason == "Run 'git push'"
    assert await reviewer.review(asked()) == "nonsense"
    with pytest.raises(RuntimeError, match="broken"):
        await reviewer.review(asked())
    with pytest.raises(AssertionError, match="1 answers were not asked for"):
        reviewer.assert_done()
    waiting = asyncio.create_task(reviewer.review(asked()))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (reviewer.cancelled, len(reviewer.requests)) == (1, 5)
    reviewer.assert_done()
    with pytest.raises(AssertionError, match="nobody expected question 6"):
        await reviewer.review(asked())
    usual = FakeReviewer.always(Decision.deny("no"))
    assert [(await usual.review(asked())).answer for _ in range(3)] == ["deny"] * 3


@keeps("testing.fakes")
def test_a_fake_clock_stands_still_until_it_is_moved() -> None:
    clock = FakeClock(NOW)
    assert (clock.now(), clock.monotonic()) == (NOW, 0.0)
    clock.advance(1.5)
    assert ((clock.now() - NOW).total_seconds(), clock.monotonic()) == (1.5, 1.5)
    with pytest.raises(ValueError, match="backwards"):
        clock.advance(-1)
    with pytest.raises(ValueError, match="time zone"):
        FakeClock(NOW.replace(tzinfo=None))
