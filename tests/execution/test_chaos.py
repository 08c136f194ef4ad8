"""Everything around a call goes wrong at once, and it is cut off at every place where it waits."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections import Counter
from collections.abc import Awaitable
from typing import Any

import pytest

from tests.execution.calling import WITHIN, codes, executor_of, settle, until
from tests.promises import keeps
from toolwright.execution import (
    Decision,
    Execution,
    ExecutionCompleted,
    Executor,
    InboxReviewer,
    Intent,
    Limits,
    MemoryInbox,
    MemorySink,
    Policy,
    ReviewRequest,
)
from toolwright.messages import ToolCall
from toolwright.testing import FakeReviewer, MockTool
from toolwright.tools import ToolContext

STEPS = 3
"""How often each part lets others run: each time is a place where it can be cut off."""


async def some_steps() -> None:
    for _ in range(STEPS):
        await asyncio.sleep(0)


class Slow:
    """A reviewer, a sink, a tool, each of which waits several times; and what was seen of them."""

    def __init__(self) -> None:
        self.approved: list[str] = []
        self.begun: list[str] = []
        self.ran: list[str] = []
        self.intents: list[str] = []
        self.finished: list[Execution] = []

    async def review(self, request: ReviewRequest) -> Decision:
        await some_steps()
        self.approved.append(request.execution_id)
        return Decision.approve()

    async def started(self, intent: Intent) -> None:
        await some_steps()
        self.intents.append(intent.execution_id)

    async def finished_(self, execution: Execution) -> None:
        self.finished.append(execution)
        await some_steps()

    async def run(self, context: ToolContext) -> str:
        self.begun.append(context.execution_id)
        await some_steps()
        self.ran.append(context.execution_id)
        return "done"


class SlowSink:
    def __init__(self, slow: Slow) -> None:
        self.started = slow.started
        self.finished = slow.finished_


def slowly() -> tuple[Slow, Executor]:
    slow = Slow()
    tool = MockTool("slow", run=slow.run, risk="high")
    policy = Policy(limits=Limits(calls=2))
    return slow, executor_of(tool, reviewer=slow.review, audit=SlowSink(slow), concurrency=1, policy=policy)


async def cut_off_after(rounds: int, how: str) -> tuple[bool, bool]:
    """Cut two calls off after so many rounds, look at everything, and say whether all had ended, or nothing begun."""
    slow, executor = slowly()
    async with executor.events.listen() as events:
        calls = [asyncio.create_task(executor.execute(ToolCall.new("slow"), session="s")) for _ in range(2)]
        await settle(rounds)
        over = all(call.done() for call in calls)
        if how == "task":
            for call in calls:
                call.cancel()
        else:
            executor.cancel(session="s")
        async with asyncio.timeout(WITHIN):
            await asyncio.wait(calls)
        await settle()  # what is still being written down
        completed = [each.execution for each in events.heard() if isinstance(each, ExecutionCompleted)]
    assert set(slow.ran) <= set(slow.begun) <= set(slow.intents) <= set(slow.approved)
    assert Counter(each.execution_id for each in slow.finished) == Counter(each.execution_id for each in completed)
    assert len(completed) == (0 if how == "task" and not rounds else 2)
    for execution in completed:
        done = execution.outcome.success
        assert done == (execution.execution_id in slow.ran)
        assert done or execution.status == "cancelled"
    if how == "session":
        assert sorted(call.result().execution_id for call in calls) == sorted(each.execution_id for each in completed)
    assert (executor.active, executor.queued, executor.cancel(session="s")) == (0, 0, 0)
    # Of two places under the limit, those of calls that did not run are free again.
    left = 2 - len(slow.begun)
    answers = [await executor.execute(ToolCall.new("slow"), session="s") for _ in range(3)]
    assert codes(answers) == ["ok"] * left + ["permission_denied"] * (3 - left)
    return over, not slow.begun


@keeps("execution.chaos")
@pytest.mark.parametrize("how", ["task", "session"])
async def test_cut_off_wherever_it_waits_a_call_has_one_end_and_gives_everything_back(how: str) -> None:
    rounds, over = 0, False
    places: Counter[bool] = Counter()
    while not over:
        over, nothing_begun = await cut_off_after(rounds, how)
        places[nothing_begun] += 1
        rounds += 1
    assert min(places.values()) > STEPS  # before they ran, and after that
    assert rounds < 200


def capricious() -> FakeReviewer:
    """Return a reviewer that crashes, hangs, answers twice at once, changes its mind, and now and then approves."""
    two = [Decision.approve(), Decision.approve()]
    return FakeReviewer(*[*(None, two, Decision.change({"again": 1}), Decision.approve(), OSError("gone"))] * 30)


class CapriciousSink:
    def __init__(self) -> None:
        self.count = 0

    def started(self, _intent: Intent) -> Awaitable[object] | None:
        self.count += 1
        if self.count % 3 == 0:
            raise OSError("full")
        return some_steps() if self.count % 3 == 1 else None

    def finished(self, _execution: Execution) -> None:
        raise OSError("full")


@keeps("execution.chaos")
async def test_a_reviewer_a_sink_and_a_subscriber_that_all_fail_harm_no_call() -> None:
    gate = threading.Event()

    def stuck(_event: object) -> None:
        gate.wait(60)

    async def broken(_event: object) -> None:
        raise ValueError

    tools = [
        MockTool("safe", 1),
        MockTool("risky", 1, risk="high"),
        MockTool.throwing("bad"),
        MockTool("hangs", run=lambda _context: asyncio.Event().wait()),
    ]
    executor = executor_of(*tools, reviewer=capricious(), audit=CapriciousSink(), review_timeout=0.005)
    ends = [executor.events.subscribe(each, limit=5) for each in (stuck, broken)]
    names = [tools[number % 4].definition.name for number in range(80)]
    try:
        async with asyncio.timeout(WITHIN):
            answers = await executor.execute_many([ToolCall.new(name) for name in names], timeout=0.005)
    finally:
        gate.set()
        for end in ends:
            end()
    assert [each.tool_name for each in answers] == names
    found = {name: set(codes(each for each in answers if each.tool_name == name)) for name in set(names)}
    assert found["safe"] <= {"ok", "record_failed"}
    assert found["risky"] <= {"ok", "record_failed", "denied", "approval_expired"}
    assert found["bad"] <= {"tool_error", "record_failed"}
    assert found["hangs"] <= {"timed_out", "record_failed"}
    assert {"ok", "denied", "approval_expired", "record_failed"} <= found["safe"] | found["risky"]
    assert (executor.active, executor.queued) == (0, 0)


@keeps("execution.chaos")
async def test_whoever_answers_twice_or_late_decides_once_or_not_at_all() -> None:
    inbox = MemoryInbox()
    tool = MockTool("risky", 1, risk="high")
    executor = executor_of(tool, reviewer=InboxReviewer(inbox, expires_after=60))

    async def waiting() -> str:
        async with asyncio.timeout(WITHIN):
            while not (found := await inbox.pending()):  # noqa: ASYNC110  an inbox tells nobody of new requests
                await asyncio.sleep(0)
        return found[0].id

    calling = asyncio.create_task(executor.execute(ToolCall.new("risky"), session="s"))
    id = await waiting()
    said = [await inbox.decide(id, Decision.deny("no")), await inbox.decide(id, Decision.approve())]
    assert (said, (await calling).outcome.error_code, tool.calls) == ([True, False], "denied", [])

    calling = asyncio.create_task(executor.execute(ToolCall.new("risky"), session="s"))
    id = await waiting()
    assert await inbox.withdraw(id)
    assert (await calling).outcome.error_code == "approval_expired"
    assert not await inbox.decide(id, Decision.approve())
    await settle()
    assert tool.calls == []


@keeps("execution.chaos")
async def test_a_call_that_is_ended_twice_and_cancelled_ends_once() -> None:
    finished: list[Any] = []

    class Sink:
        def started(self, _intent: Intent) -> None:
            """Say nothing."""

        def finished(self, execution: Execution) -> None:
            finished.append(execution.status)

    tool = MockTool("hangs", run=lambda _context: asyncio.Event().wait())
    executor = executor_of(tool, audit=Sink())
    calling = asyncio.create_task(executor.execute(ToolCall.new("hangs"), session="s"))
    await until(lambda: tool.calls)
    executor.cancel(session="s")
    executor.cancel(session="s")
    calling.cancel()
    async with asyncio.timeout(WITHIN):
        with pytest.raises(asyncio.CancelledError):
            await calling
    assert (finished, executor.active) == (["cancelled"], 0)


def test_calls_whose_loop_was_closed_in_the_middle_end_on_record_and_hold_no_slot() -> None:
    async def holds(_context: ToolContext) -> None:
        await asyncio.Event().wait()

    sink = MemorySink()
    executor = executor_of(MockTool("holds", run=holds), MockTool("plain", 1), audit=sink, concurrency=1)
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda _loop, _context: None)  # which tells that tasks were left behind
    calls = [loop.create_task(executor.execute(ToolCall.new("holds"), session="s")) for _ in range(3)]
    while executor.queued < 2:
        loop.run_until_complete(asyncio.sleep(0))
    executor.cancel(session="s")  # comes too late
    loop.close()
    calls.clear()
    for _ in range(3):
        gc.collect()
    assert [each.status for each in sink.executions] == ["cancelled"] * 3
    assert (executor.active, executor.queued, executor.cancel(session="s")) == (0, 0, 0)
    assert executor.execute_sync(ToolCall.new("plain")).outcome.data == 1
