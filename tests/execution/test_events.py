"""Events: in order, bounded, and told to subscribers that may be slow, stuck or broken."""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import Any

import pytest

from tests.execution.calling import WITHIN, LibraryStop, executor_of, settle, until
from tests.execution.deciding import NOW
from tests.promises import keeps
from toolwright.execution import (
    DefinitionCreated,
    DefinitionDeleted,
    DefinitionUpdated,
    DefinitionValidated,
    Event,
    Events,
    ExecutionCompleted,
    ExecutionProgress,
    ExecutionStarted,
)
from toolwright.levels import ToolCategory
from toolwright.messages import ToolCall
from toolwright.testing import MockTool
from toolwright.tools import ToolContext
from toolwright.tools.progress import ToolProgress


def started(number: int = 0) -> ExecutionStarted:
    return ExecutionStarted(at=NOW, tool_name="tool", execution_id=f"exec_{number}")


def progress(number: int) -> ExecutionProgress:
    return ExecutionProgress(at=NOW, tool_name="tool", execution_id="e", progress=ToolProgress(f"step {number}"))


@keeps("execution.events")
async def test_the_events_of_a_call_come_in_order_typed_and_immutable() -> None:
    async def works(context: ToolContext) -> int:
        context.report("half", percent=50)
        return 1

    executor = executor_of(MockTool("works", run=works))
    async with executor.events.listen() as events:
        answer = await executor.execute(ToolCall.new("works"))
        told = events.heard()
    assert [type(each) for each in told] == [ExecutionStarted, ExecutionProgress, ExecutionCompleted]
    assert {each.execution_id for each in told} == {answer.execution_id}
    assert {each.tool_name for each in told} == {"works"}
    assert (told[1].progress.percent, told[2].execution) == (50, answer)
    assert all(each.at.tzinfo is not None for each in told)
    with pytest.raises(AttributeError):
        told[0].tool_name = "other"


@keeps("execution.events.definitions")
def test_definitions_have_events_of_the_same_kind() -> None:
    told: list[Event] = [
        DefinitionValidated(at=NOW, tool_name="a", category=ToolCategory.GIT, parameter_count=2, duration=0.1),
        DefinitionCreated(at=NOW, tool_name="a", definition_id="1", by="ann", category=ToolCategory.GIT),
        DefinitionUpdated(at=NOW, tool_name="a", definition_id="1", changed_fields=("risk",)),
        DefinitionDeleted(at=NOW, tool_name="a", definition_id="1"),
    ]
    assert all(each.tool_name == "a" for each in told)


@keeps("execution.events.listen")
async def test_events_are_iterated_over_as_they_come_until_somebody_closes() -> None:
    events = Events()
    listening = events.listen()
    heard: list[str] = []

    async def listen() -> None:
        async for event in listening:
            heard.append(event.execution_id)  # noqa: PERF401  each as it comes

    task = asyncio.create_task(listen())
    for number in range(3):
        events.emit(started(number))
        await settle()
    assert heard == ["exec_0", "exec_1", "exec_2"]
    listening.close()
    async with asyncio.timeout(WITHIN):
        await task
    assert not events.heard


async def test_whoever_leaves_a_loop_over_events_hears_no_more() -> None:
    events = Events()
    events_of_loop = events.listen()
    events.emit(started())
    async for _ in events_of_loop:
        break
    assert events.heard
    del events_of_loop
    gc.collect()
    assert not events.heard


def test_whoever_iterates_needs_a_loop() -> None:
    with pytest.raises(RuntimeError):
        Events().listen()
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="limit"):
            Events().subscribe(print, limit=wrong)


@keeps("execution.events.subscribe")
async def test_sync_callbacks_are_called_in_a_thread_and_async_ones_in_the_loop_each_in_order() -> None:
    events = Events()
    in_thread: list[tuple[str, bool]] = []
    in_loop: list[tuple[str, bool]] = []
    here = threading.get_ident()

    def sync(event: ExecutionStarted) -> None:
        in_thread.append((event.execution_id, threading.get_ident() == here))

    async def later(event: ExecutionStarted) -> None:
        await asyncio.sleep(0)
        in_loop.append((event.execution_id, threading.get_ident() == here))

    ends = [events.subscribe(sync), events.subscribe(later)]
    for number in range(5):
        events.emit(started(number))
    await until(lambda: len(in_thread) == len(in_loop) == 5)
    assert in_thread == [(f"exec_{number}", False) for number in range(5)]
    assert in_loop == [(f"exec_{number}", True) for number in range(5)]
    for end in ends:
        end()
        end()
    events.emit(started(9))
    await settle()
    assert (len(in_thread), len(in_loop), events.heard) == (5, 5, False)


@keeps("execution.events.harmless")
async def test_a_stuck_subscriber_neither_slows_nor_fails_a_call() -> None:
    gate = threading.Event()
    woken: list[object] = []

    def stuck(event: object) -> None:
        woken.append(event)
        gate.wait(60)

    async def stuck_too(_event: object) -> None:
        await asyncio.get_running_loop().create_future()

    executor = executor_of(MockTool("one", 1), concurrency=50)
    ends = [executor.events.subscribe(each, limit=10) for each in (stuck, stuck_too)]
    try:
        async with asyncio.timeout(WITHIN):
            for _ in range(100):
                assert (await executor.execute(ToolCall.new("one"))).outcome.success
        assert executor.events.dropped >= 2 * (200 - 11)
        assert len(woken) <= 1
    finally:
        gate.set()
        for end in ends:
            end()
    assert executor.events.dropped >= 2 * (200 - 11)  # those who have left are counted as well


@keeps("execution.events.harmless")
@pytest.mark.parametrize("fault", [ValueError("secret"), LibraryStop(), SystemExit(1)], ids=repr)
async def test_a_subscriber_that_fails_is_logged_and_hears_the_next_event(
    fault: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    events = Events()
    heard: list[str] = []

    def sync(_event: object) -> None:
        heard.append("sync")
        raise fault

    async def later(_event: object) -> None:
        heard.append("async")
        raise fault

    ends = [events.subscribe(sync), events.subscribe(later)]
    for number in range(2):
        events.emit(started(number))
    await until(lambda: len(caplog.records) == 4)
    assert sorted(heard) == ["async", "async", "sync", "sync"]
    assert {vars(record)["event"] for record in caplog.records} == {"subscriber.failed"}
    assert "secret" not in caplog.text
    for end in ends:
        end()


@keeps("execution.events.bounded")
async def test_of_a_full_queue_progress_is_dropped_first_and_drops_are_counted() -> None:
    events = Events()
    async with events.listen(limit=4) as listening:
        for event in (
            started(0),
            progress(1),
            progress(2),
            started(1),
            progress(3),
            started(2),
            started(3),
            started(4),
        ):
            events.emit(event)
        assert [getattr(each, "progress", each.execution_id) for each in listening.heard()] == [
            *("exec_1", "exec_2", "exec_3", "exec_4"),
        ]
        assert (listening.dropped, events.dropped) == (4, 4)
    assert events.dropped == 4


async def test_an_async_subscriber_of_a_loop_that_has_gone_is_served_in_the_next() -> None:
    events = Events()
    heard: list[int] = []

    async def later(event: Any) -> None:
        heard.append(int(event.execution_id.removeprefix("exec_")))

    async def elsewhere() -> None:
        events.subscribe(later)
        events.emit(started(1))
        await until(lambda: heard == [1])

    await asyncio.to_thread(asyncio.run, elsewhere())
    await asyncio.to_thread(events.emit, started(2))  # in a thread without a loop: it waits
    assert heard == [1]
    events.emit(started(3))
    await until(lambda: heard == [1, 2, 3])


async def test_a_subscriber_that_is_ending_with_its_loop_goes_on_in_another() -> None:
    events = Events()
    heard: list[str] = []

    async def later(event: Any) -> None:
        heard.append(event.execution_id)
        if len(heard) == 1:
            await asyncio.get_running_loop().create_future()

    async def elsewhere() -> None:
        events.subscribe(later)
        events.emit(started(1))
        events.emit(started(2))
        await until(lambda: heard)

    await asyncio.to_thread(asyncio.run, elsewhere())
    events.emit(started(3))
    await until(lambda: heard == ["exec_1", "exec_2", "exec_3"])


async def test_a_callback_may_end_its_own_subscription() -> None:
    events = Events()
    heard: list[object] = []

    async def once(event: object) -> None:
        heard.append(event)
        end()
        await asyncio.sleep(0)
        heard.append("went on")

    end = events.subscribe(once)
    events.emit(started(1))
    events.emit(started(2))
    await until(lambda: len(heard) == 2)
    assert (heard[1], events.heard) == ("went on", False)


async def test_the_thread_of_a_subscriber_ends_with_its_subscription() -> None:
    events = Events()
    heard: list[object] = []
    end = events.subscribe(heard.append)
    events.emit(started())
    await until(lambda: heard)
    end()

    def is_running() -> bool:
        return any(thread.name == "toolwright-events" for thread in threading.enumerate())

    await until(lambda: not is_running())


def test_events_from_many_threads_are_all_heard_each_thread_s_in_order() -> None:
    events = Events()
    heard: list[str] = []
    events.subscribe(lambda event: heard.append(event.execution_id), limit=10_000)

    def emit(thread: int) -> None:
        for number in range(100):
            events.emit(started(thread * 100 + number))

    threads = [threading.Thread(target=emit, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WITHIN)

    async def all_heard() -> None:
        await until(lambda: len(heard) == 800)

    asyncio.run(all_heard())
    for number in range(8):
        own = [id for id in heard if number * 100 <= int(id.removeprefix("exec_")) < number * 100 + 100]
        assert own == [f"exec_{number * 100 + each}" for each in range(100)]
