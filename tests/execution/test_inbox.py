from __future__ import annotations

import asyncio
import threading
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.deciding import NOW, asked
from tests.promises import keeps
from toolwright.errors import MessageDecodeError
from toolwright.execution.inbox import Inbox, InboxReviewer, MemoryInbox, Pending, pending_id
from toolwright.execution.reviewers import Decision, ReviewRequest
from toolwright.messages import ToolCall
from toolwright.testing import FakeClock


async def until_pending(inbox: Inbox, number: int = 1) -> tuple[Pending, ...]:
    async with asyncio.timeout(10):
        while len(waiting := await inbox.pending()) < number:  # noqa: ASYNC110  an inbox tells nobody of new requests
            await asyncio.sleep(0)
    return waiting


def made(request: ReviewRequest | None = None, seconds: float = 60) -> Pending:
    asks = request or asked(session="s")
    expires_at = NOW + timedelta(seconds=seconds)
    return Pending(id=pending_id(asks), request=asks, requested_at=NOW, expires_at=expires_at)


@keeps("reviewers.inbox")
async def test_a_request_waits_in_the_inbox_until_it_is_decided() -> None:
    inbox = MemoryInbox()
    assert isinstance(inbox, Inbox)
    review = asyncio.create_task(InboxReviewer(inbox).review(asked({"command": "ls"})))
    (pending,) = await until_pending(inbox)
    assert pending.request.arguments == {"command": "ls"}
    assert pending.request.expires_at == pending.expires_at
    assert not review.done()
    assert await inbox.decide(pending.id, Decision.deny("no", by="ann"))
    assert await review == Decision.deny("no", by="ann")
    assert await inbox.pending() == ()


@keeps("reviewers.inbox")
async def test_a_decision_made_while_nobody_waited_is_found_after_a_restart() -> None:
    inbox = MemoryInbox()
    before = asyncio.create_task(InboxReviewer(inbox).review(asked(session="s", execution_id="exec_1")))
    (pending,) = await until_pending(inbox)
    before.cancel()
    with pytest.raises(asyncio.CancelledError):
        await before
    assert await inbox.pending() == (pending,)
    assert await inbox.decide(pending.id, Decision.approve(by="ann"))
    again = await InboxReviewer(inbox).review(asked(session="s", execution_id="exec_2"))
    assert again == Decision.approve(by="ann")


@keeps("reviewers.inbox.once")
async def test_a_decision_is_taken_once() -> None:
    inbox = MemoryInbox(clock=FakeClock(NOW))
    pending = made()
    await inbox.put(pending)
    waiting = [asyncio.create_task(inbox.wait(pending.id)) for _ in range(3)]
    await asyncio.sleep(0)
    assert await inbox.decide(pending.id, Decision.approve())
    async with asyncio.timeout(10):
        decisions = await asyncio.gather(*waiting)
    assert sorted(map(str, decisions)) == sorted(["None", "None", str(Decision.approve())])
    await inbox.put(pending)
    assert await inbox.pending() == (pending,)


@keeps("reviewers.inbox.once")
def test_of_many_who_decide_at_once_one_wins_and_its_decision_holds() -> None:
    inbox = MemoryInbox(clock=FakeClock(NOW))
    pending = made()
    asyncio.run(inbox.put(pending))
    start = threading.Barrier(9)
    won: list[str] = []
    got: list[Decision | None] = []

    def decide(name: str) -> None:
        start.wait(10)
        if asyncio.run(inbox.decide(pending.id, Decision.deny(name))):
            won.append(name)

    def wait() -> None:
        start.wait(10)
        got.append(asyncio.run(inbox.wait(pending.id)))

    threads = [threading.Thread(target=decide, args=[f"person {number}"]) for number in range(8)]
    threads.append(threading.Thread(target=wait))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(won) == 1
    assert got == [Decision.deny(won[0])]


@keeps("reviewers.inbox.expiry")
async def test_what_nobody_decides_expires_and_cannot_be_decided_any_more() -> None:
    clock = FakeClock(NOW)
    inbox = MemoryInbox(clock=clock)
    review = asyncio.create_task(InboxReviewer(inbox, expires_after=60, clock=clock).review(asked()))
    (pending,) = await until_pending(inbox)
    clock.advance(60)
    assert not await inbox.decide(pending.id, Decision.approve())
    assert await inbox.pending() == ()
    async with asyncio.timeout(10):
        with pytest.raises(TimeoutError):
            await review


@keeps("reviewers.inbox.expiry")
async def test_waiting_ends_by_itself_when_the_time_has_come() -> None:
    inbox = MemoryInbox()
    async with asyncio.timeout(10):
        with pytest.raises(TimeoutError):
            await InboxReviewer(inbox, expires_after=0.01).review(asked())
    assert await inbox.pending() == ()


async def test_an_approval_that_nobody_fetches_expires_as_well() -> None:
    clock = FakeClock(NOW)
    inbox = MemoryInbox(clock=clock)
    await inbox.put(made())
    assert await inbox.decide(made().id, Decision.approve())
    clock.advance(60)
    assert await inbox.wait(made().id) is None


async def test_a_withdrawn_request_wakes_whoever_waits_for_it() -> None:
    inbox = MemoryInbox()
    review = asyncio.create_task(InboxReviewer(inbox).review(asked()))
    (pending,) = await until_pending(inbox)
    assert await inbox.withdraw(pending.id)
    assert not await inbox.withdraw(pending.id)
    async with asyncio.timeout(10):
        with pytest.raises(TimeoutError):
            await review
    assert not await inbox.decide(pending.id, Decision.approve())


async def test_what_is_no_decision_decides_nothing() -> None:
    inbox = MemoryInbox(clock=FakeClock(NOW))
    await inbox.put(made())
    with pytest.raises(TypeError):
        await inbox.decide(made().id, "approve")  # type: ignore[arg-type]
    assert await inbox.pending() == (made(),)
    assert not await inbox.decide("approval_of_nothing", Decision.approve())
    assert await inbox.wait("approval_of_nothing") is None


async def test_requests_are_listed_the_oldest_first() -> None:
    clock = FakeClock(NOW)
    inbox = MemoryInbox(clock=clock)
    reviewer = InboxReviewer(inbox, clock=clock)
    tasks: list[asyncio.Task[Decision]] = []
    for number in range(3):
        tasks.append(asyncio.create_task(reviewer.review(asked({"number": number}))))
        await until_pending(inbox, number + 1)
        clock.advance(1)
    assert [each.request.arguments["number"] for each in await inbox.pending()] == [0, 1, 2]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


CHANGES: dict[str, Any] = {
    "session": "t",
    "call": ToolCall("call_2", "run_command"),
    "tool_name": "other",
    "arguments": {"a": 2},
    "definition": "1" * 64,
    "workspace": "/elsewhere",
    "risk": "critical",
}


@given(st.sets(st.sampled_from(sorted(CHANGES))))
def test_only_the_same_call_of_a_session_is_found_again(changed: set[str]) -> None:
    base: dict[str, Any] = {"session": "s", "arguments": {"a": 1}}
    one = asked(**base)
    two = asked(**(base | {key: CHANGES[key] for key in changed}), execution_id="exec_9", summary="Other words")
    assert (pending_id(one) == pending_id(two)) == (not changed)


def test_without_a_session_only_the_same_execution_is_found_again() -> None:
    assert pending_id(asked(execution_id="exec_1")) == pending_id(asked(execution_id="exec_1"))
    assert pending_id(asked(execution_id="exec_1")) != pending_id(asked(execution_id="exec_2"))
    assert pending_id(asked(execution_id="exec_1")) != pending_id(asked(session="execution:exec_1"))


def test_a_pending_request_survives_json_and_a_wrong_time_is_refused() -> None:
    assert Pending.from_json(made().to_json()) == made()
    with pytest.raises(MessageDecodeError):
        Pending.from_json("{}")
    for wrong in (0, -1, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="expires_after"):
            InboxReviewer(MemoryInbox(), expires_after=wrong)
