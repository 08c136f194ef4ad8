"""Deadlines, cancellation, and what will not end: every call is answered, and nothing is left behind unseen."""

from __future__ import annotations

import asyncio
import gc
import threading
import types
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import pytest

from tests.execution.calling import WITHIN, LibraryStop, codes, executor_of, gathered, run, settle, until
from tests.promises import keeps
from toolwright.execution import Concurrency, Execution, Executor, MemorySink
from toolwright.execution.running import Overdue, Running, drive
from toolwright.messages import ToolCall
from toolwright.testing import MockTool
from toolwright.tools import ToolContext, ToolOutcome, tool

SOON = 0.02
"""Seconds: the deadline of what is meant to miss it."""


def forsake(task: asyncio.Task[Any]) -> None:
    """Let a task go whose loop is closed: that it never ended is the point, and not to be complained about."""
    task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001  asyncio has no other word for it


async def forever() -> None:
    await asyncio.get_running_loop().create_future()


class Held:
    """A gate that sync tools wait at, each counted; it opens at the end of a test, whatever happened."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.inside = 0

    def wait(self, _context: ToolContext | None = None) -> str:
        self.inside += 1
        self.opened.wait(60)
        self.inside -= 1
        return "late"


@pytest.fixture
def held() -> Iterator[Held]:
    gate = Held()
    yield gate
    gate.opened.set()


def blocking(gate: Held) -> Any:
    @tool(name="blocked", risk="safe", side_effects=False)
    def blocked() -> str:
        """Wait at the gate."""
        return gate.wait()

    return blocked


# Deadlines


@keeps("execution.deadline")
async def test_an_async_tool_is_interrupted_at_its_await_and_can_clean_up() -> None:
    seen: list[str] = []

    async def slow(context: ToolContext) -> None:
        try:
            await forever()
        finally:
            seen.append("cleaned up")
            await asyncio.sleep(0)
            seen.append(f"cancelled: {context.cancelled}")

    answer = await run(MockTool("slow", run=slow), timeout=SOON)
    assert (answer.outcome.error_code, answer.status) == ("timed_out", "timed_out")
    assert str(answer.isolation) == "none"
    assert seen == ["cleaned up", "cancelled: False"]


async def swallows(_context: ToolContext) -> None:
    while True:
        try:
            await forever()
        except asyncio.CancelledError:
            continue


async def spins(_context: ToolContext) -> None:
    while True:
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            continue


async def returns_late(_context: ToolContext) -> str:
    try:
        await forever()
    except asyncio.CancelledError:
        return "too late"
    return "never"


async def raises_late(_context: ToolContext) -> None:
    try:
        await forever()
    finally:
        raise OSError("on the way out")


async def cleans_up_for_ever(_context: ToolContext) -> None:
    try:
        await forever()
    finally:
        await forever()


@keeps("execution.deadline.ignored")
@pytest.mark.parametrize("body", [swallows, spins, returns_late, raises_late, cleans_up_for_ever])
async def test_a_tool_that_ignores_its_deadline_is_answered_and_no_longer_driven(
    body: Callable[[ToolContext], Awaitable[object]],
) -> None:
    executor = executor_of(MockTool("deaf", run=body))
    others = asyncio.all_tasks()
    async with asyncio.timeout(WITHIN):
        answer = await executor.execute(ToolCall.new("deaf"), timeout=SOON)
    assert (answer.outcome.error_code, answer.status) == ("timed_out", "timed_out")
    assert (asyncio.all_tasks(), executor.active) == (others, 0)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await asyncio.sleep(0)  # a cancellation that was left behind would come here


@types.coroutine
def pause() -> Generator[None]:
    yield


@pytest.mark.parametrize(("refusals", "told"), [(0, "failed while it was ended"), (2, "failed"), (3, "left alone")])
async def test_what_does_not_even_let_itself_be_closed_is_left_alone_and_that_is_logged(
    refusals: int, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def stubborn() -> None:
        left = refusals
        while True:
            try:
                await pause()
            except asyncio.CancelledError:
                continue
            except GeneratorExit:
                if not left and refusals < 3:
                    raise OSError("on the way out") from None
                if not left:
                    return  # the collector comes last
                left -= 1

    async with asyncio.timeout(WITHIN):
        with pytest.raises(Overdue):
            await drive(Running("id", None), stubborn(), SOON)
    (record,) = caplog.records
    assert told in record.getMessage()
    assert "on the way out" not in caplog.text


@keeps("execution.deadline.thread", "execution.abandoned")
async def test_a_sync_tool_that_overruns_is_answered_on_time_and_counted_until_it_comes_back(held: Held) -> None:
    executor = executor_of(blocking(held))
    async with asyncio.timeout(WITHIN):
        answer = await executor.execute(ToolCall.new("blocked"), timeout=SOON)
    assert (answer.outcome.error_code, held.inside, executor.active, executor.abandoned) == ("timed_out", 1, 0, 1)
    held.opened.set()
    await until(lambda: executor.abandoned == 0)


@keeps("execution.deadline.thread")
async def test_a_sync_tool_that_spins_is_answered_and_can_see_that_nobody_waits() -> None:
    ended = threading.Event()

    @tool(risk="safe")
    def spin(*, context: ToolContext) -> None:
        """Do nothing, and fast."""
        while not context.cancelled:
            pass
        ended.set()

    executor = executor_of(spin)
    async with asyncio.timeout(WITHIN):
        assert (await executor.execute(ToolCall.new("spin"), timeout=SOON)).outcome.error_code == "timed_out"
    assert ended.wait(WITHIN)
    await until(lambda: executor.abandoned == 0)


@keeps("execution.abandoned")
async def test_when_too_many_were_left_behind_no_other_is_started_until_one_comes_back(held: Held) -> None:
    executor = executor_of(blocking(held), MockTool("quick", 1), concurrency=50)
    answers = await gathered(executor.execute(ToolCall.new("blocked"), timeout=SOON) for _ in range(32))
    assert codes(answers) == ["timed_out"] * 32
    assert (executor.abandoned, held.inside) == (32, 32)
    refused = await executor.execute(ToolCall.new("blocked"), timeout=SOON)
    assert (refused.outcome.error_code, held.inside) == ("resource_limit", 32)
    assert "32 calls" in refused.to_result().result
    assert (await executor.execute(ToolCall.new("quick"))).outcome.success
    held.opened.set()
    await until(lambda: executor.abandoned == 0)
    assert (await executor.execute(ToolCall.new("blocked"))).outcome.data == "late"


@keeps("execution.options")
@pytest.mark.parametrize(("own", "of_call"), [(600.0, SOON), (SOON, 600.0), (SOON, None)])
async def test_the_shortest_time_limit_holds(own: float, of_call: float | None) -> None:
    slow = MockTool("slow", run=lambda _context: forever(), max_execution_time=600)
    async with asyncio.timeout(WITHIN):
        answer = await executor_of(slow, timeout=own).execute(ToolCall.new("slow"), timeout=of_call)
    assert answer.outcome.error_code == "timed_out"


async def test_the_definition_s_own_limit_holds_where_nobody_has_a_shorter_one() -> None:
    slow = MockTool("slow", run=lambda _context: forever(), max_execution_time=1)
    answer = await run(slow)
    assert answer.outcome.error_code == "timed_out"
    assert "1 s" in answer.to_result().result


@keeps("execution.deadline.leaks")
async def test_a_thousand_timeouts_of_every_kind_leave_nothing_behind() -> None:
    @tool(risk="safe", side_effects=False)
    def watches(*, context: ToolContext) -> None:
        """Wait in a thread until nobody wants it any more."""
        while not context.cancelled:
            pass

    deaf = MockTool("deaf", run=swallows)
    waits = MockTool("waits", run=lambda _context: forever())
    executor = executor_of(deaf, waits, watches, concurrency=500)
    tasks, threads = asyncio.all_tasks(), threading.active_count()
    for name, number in (("deaf", 450), ("waits", 450), *(("watches", 4),) * 25):
        answers = await gathered(
            executor.execute(ToolCall.new(name), timeout=0.005, session="s") for _ in range(number)
        )
        assert set(codes(answers)) == {"timed_out"}
        await until(lambda: executor.abandoned == 0)
    gc.collect()
    assert asyncio.all_tasks() == tasks
    assert threading.active_count() <= threads + 8  # those that are used again
    assert (executor.active, executor.queued, executor.abandoned, executor.cancel(session="s")) == (0, 0, 0, 0)


# What a tool does with asyncio itself


@keeps("execution.cancellation.own")
async def test_timeouts_and_task_groups_inside_of_a_tool_work_as_anywhere() -> None:
    async def busy(_context: ToolContext) -> list[str]:
        found: list[str] = []
        try:
            async with asyncio.timeout(0.001):
                await forever()
        except TimeoutError:
            found.append("timeout")

        async def fails() -> None:
            await asyncio.sleep(0)
            raise ValueError

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(forever())
                group.create_task(fails())
        except* ValueError:
            found.append("group")
        return found

    answer = await run(MockTool("busy", run=busy))
    assert answer.outcome.data == ("timeout", "group")


async def fails_soon() -> None:
    await asyncio.sleep(0)
    raise ValueError("a child of a group")


async def fails_in_the_body(_context: ToolContext) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(fails_soon())
        await forever()


async def fails_at_the_end(_context: ToolContext) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(fails_soon())
        group.create_task(forever())


async def fails_in_the_inner_of_two(context: ToolContext) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.sleep(0))
        with suppress(ExceptionGroup):
            await fails_at_the_end(context)
        await fails_at_the_end(context)


@asynccontextmanager
async def grouped() -> AsyncGenerator[asyncio.TaskGroup]:
    async with asyncio.TaskGroup() as group:
        yield group


async def fails_behind_a_generator(_context: ToolContext) -> None:
    async with grouped() as group:
        group.create_task(fails_soon())
        group.create_task(forever())


async def fails_with_anyio(_context: ToolContext) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(fails_soon)
        group.start_soon(forever)


@keeps("execution.cancellation.own")
@pytest.mark.parametrize(
    "body",
    [
        *(fails_in_the_body, fails_at_the_end, fails_in_the_inner_of_two, fails_behind_a_generator),
        fails_with_anyio,
    ],
)
async def test_a_group_of_a_tool_that_fails_is_the_tool_s_failure_and_no_cancelled_caller(body: Any) -> None:
    task = asyncio.current_task()
    assert task is not None
    for _ in range(2):
        answer = await run(MockTool("groups", run=body))
        assert answer.outcome.error_code == "tool_error"
        assert task.cancelling() == 0

    async def and_goes_on(context: ToolContext) -> str:
        with suppress(ExceptionGroup):
            await body(context)
        await asyncio.sleep(0)
        return "went on"

    assert (await run(MockTool("groups", run=and_goes_on))).outcome.data == "went on"


async def test_a_caller_that_is_cancelled_while_a_group_of_the_tool_fails_is_cancelled() -> None:
    tool = MockTool("groups", run=fails_at_the_end)
    executor = executor_of(tool)
    calling = asyncio.create_task(executor.execute(ToolCall.new("groups")))
    await until(lambda: tool.calls)
    await asyncio.sleep(0)  # the child fails in this round, and the caller is cancelled in it as well
    calling.cancel()
    async with asyncio.timeout(WITHIN):
        with pytest.raises(asyncio.CancelledError):
            await calling
    assert executor.active == 0


async def test_a_task_that_a_tool_waits_for_and_that_was_cancelled_is_no_cancelled_call() -> None:
    async def waits(_context: ToolContext) -> None:
        task = asyncio.ensure_future(forever())
        task.cancel()
        await task

    answer = await run(MockTool("waits", run=waits))
    assert (answer.outcome.error_code, answer.status) == ("cancelled", "cancelled")
    assert "waiting for" in answer.to_result().result


# Cancelling


@keeps("execution.cancellation")
@pytest.mark.parametrize("body", [lambda _context: forever(), returns_late, raises_late])
async def test_cancelling_the_caller_records_the_call_as_cancelled_and_lets_it_go_on(body: Any) -> None:
    sink = MemorySink()
    tool = MockTool("waits", run=body)
    executor = executor_of(tool, audit=sink)
    calling = asyncio.create_task(executor.execute(ToolCall.new("waits")))
    await until(lambda: tool.calls)
    calling.cancel()
    async with asyncio.timeout(WITHIN):
        with pytest.raises(asyncio.CancelledError):
            await calling
    assert [each.status for each in sink.executions] == ["cancelled"]
    assert executor.active == 0


async def test_a_deaf_tool_does_not_keep_its_caller_from_being_cancelled() -> None:
    tool = MockTool("deaf", run=swallows)
    executor = executor_of(tool)
    calling = asyncio.create_task(executor.execute(ToolCall.new("deaf")))
    await until(lambda: tool.calls)
    calling.cancel()
    async with asyncio.timeout(WITHIN):
        with pytest.raises(asyncio.CancelledError):
            await calling
    assert executor.active == 0


@keeps("execution.cancellation")
async def test_a_caller_s_own_timeout_ends_the_call() -> None:
    sink = MemorySink()
    executor = executor_of(MockTool("waits", run=lambda _context: forever()), audit=sink)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(SOON):
            await executor.execute(ToolCall.new("waits"))
    assert [each.status for each in sink.executions] == ["cancelled"]


@keeps("execution.cancel")
async def test_a_call_is_ended_by_its_id_also_from_another_thread() -> None:
    tool = MockTool("waits", run=lambda _context: forever())
    executor = executor_of(tool)
    calling = asyncio.create_task(executor.execute(ToolCall.new("waits"), execution_id="one"))
    other = asyncio.create_task(executor.execute(ToolCall.new("waits"), execution_id="two"))
    await until(lambda: len(tool.calls) == 2)
    told: list[int] = []
    thread = threading.Thread(target=lambda: told.append(executor.cancel(execution_id="one")))
    thread.start()
    async with asyncio.timeout(WITHIN):
        answer = await calling
    thread.join(WITHIN)
    assert (answer.status, told, other.done()) == ("cancelled", [1], False)
    assert executor.cancel(execution_id="one") == 0
    assert executor.cancel(execution_id="two", session="s") == 0
    assert executor.cancel(execution_id="two") == 1
    assert (await other).status == "cancelled"


@keeps("execution.cancel")
async def test_a_deaf_tool_that_is_ended_is_answered_all_the_same() -> None:
    tool = MockTool("deaf", run=swallows)
    executor = executor_of(tool)
    calling = asyncio.create_task(executor.execute(ToolCall.new("deaf"), session="s"))
    await until(lambda: tool.calls)
    assert executor.cancel(session="s") == executor.cancel(session="s") == 1
    async with asyncio.timeout(WITHIN):
        assert (await calling).status == "cancelled"
    assert not calling.cancelling()


async def test_two_calls_that_were_given_one_id_are_both_answered_and_both_ended_by_it() -> None:
    tool = MockTool("waits", run=lambda _context: forever())
    executor = executor_of(tool)
    calls = [asyncio.create_task(executor.execute(ToolCall.new("waits"), execution_id="one")) for _ in range(2)]
    await until(lambda: len(tool.calls) == 2)
    assert executor.cancel(execution_id="one") == 2
    assert [each.status for each in await gathered(calls)] == ["cancelled"] * 2


async def test_a_call_that_is_ended_before_it_waits_ends_when_it_does() -> None:
    executor: Executor

    def ends_itself(context: ToolContext) -> Awaitable[None]:
        assert executor.cancel(execution_id=context.execution_id) == 1
        return forever()

    executor = executor_of(MockTool("suicidal", run=ends_itself))
    async with asyncio.timeout(WITHIN):
        assert (await executor.execute(ToolCall.new("suicidal"))).status == "cancelled"


async def test_a_call_whose_loop_has_gone_cannot_be_ended_any_more() -> None:
    tool = MockTool("waits", run=lambda _context: forever())
    executor = executor_of(tool)
    told: list[int] = []

    def elsewhere() -> None:
        loop = asyncio.new_event_loop()
        coroutine = executor.execute(ToolCall.new("waits"), session="s")
        task = loop.create_task(coroutine)
        loop.run_until_complete(asyncio.sleep(0))
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
        told.append(executor.cancel(session="s"))
        forsake(task)
        coroutine.close()

    await asyncio.to_thread(elsewhere)
    assert told == [0]
    assert (len(tool.calls), executor.active) == (1, 0)


async def test_outside_of_a_task_a_call_that_has_to_wait_says_what_is_missing() -> None:
    coroutine = executor_of(MockTool("waits", run=lambda _context: forever())).execute(ToolCall.new("waits"))
    held: list[Execution] = []

    def drive() -> None:
        try:
            coroutine.send(None)
        except StopIteration as stop:
            held.append(stop.value)

    thread = threading.Thread(target=drive)
    thread.start()
    thread.join(WITHIN)
    assert [each.outcome.error_code for each in held] == ["tool_error"]


# What a tool raises


@keeps("execution.tool_error")
@pytest.mark.parametrize("raised", [ValueError("a secret: sk-abcdefghijklmnopqrstuvwx"), LibraryStop(), SystemExit(1)])
async def test_what_a_tool_raises_is_answered_without_its_secrets(raised: BaseException) -> None:
    answer = await run(MockTool.throwing("bad", raised))
    assert (answer.outcome.error_code, answer.status) == ("tool_error", "failed")
    assert answer.outcome.exception is raised
    assert "sk-abc" not in answer.to_result().result
    assert "Traceback" not in answer.to_result().result


@keeps("execution.tool_error")
async def test_a_tool_may_say_by_a_word_of_its_own_what_failed() -> None:
    failed = MockTool("bad", run=lambda _context: ToolOutcome.failed("No such branch.", code="no_such_branch"))
    answer = await run(failed)
    assert (answer.outcome.error_code, answer.status) == ("no_such_branch", "failed")


# Slots


@keeps("execution.admit")
async def test_no_more_calls_run_at_once_than_may_and_the_first_who_came_goes_first() -> None:
    order: list[int] = []
    gates = [asyncio.Event() for _ in range(6)]

    async def play(context: ToolContext) -> None:
        number = context.arguments["number"]
        order.append(number)
        await gates[number].wait()

    executor = executor_of(MockTool("play", run=play), concurrency=2)
    calls = [asyncio.create_task(executor.execute(ToolCall.new("play", number=number))) for number in range(6)]
    await until(lambda: executor.queued == 4)
    assert (order, executor.active) == ([0, 1], 2)
    calls[2].cancel()
    await until(lambda: executor.queued == 3)
    gates[1].set()
    await until(lambda: len(order) == 3)
    assert order == [0, 1, 3]
    for gate in gates:
        gate.set()
    answers = await gathered(each for number, each in enumerate(calls) if number != 2)
    assert order == [0, 1, 3, 4, 5]
    assert all(each.outcome.success for each in answers)
    assert answers[-1].waited > 0
    assert (executor.active, executor.queued) == (0, 0)


@keeps("execution.admit")
async def test_a_limit_of_one_tool_or_session_holds_up_only_its_own() -> None:
    gate = asyncio.Event()
    tools = [MockTool(name, run=lambda _context: gate.wait()) for name in ("one", "two", "many")]
    limits = Concurrency(total=None, per_tool={"one": 1, "two": 1}, per_session=2)
    executor = executor_of(*tools, concurrency=limits)

    def call(name: str, session: str | None) -> asyncio.Task[Execution]:
        return asyncio.create_task(executor.execute(ToolCall.new(name), session=session))

    calls = [call("one", None), call("one", None), call("two", None), *(call("many", "s") for _ in range(3))]
    await until(lambda: executor.queued == 2)
    assert executor.active == 4
    waiting = call("many", "s")
    await until(lambda: executor.queued == 3)
    assert executor.cancel(session="s") == 4
    gate.set()
    answers = await gathered([*calls, waiting])
    assert codes(answers) == ["ok", "ok", "ok", *["cancelled"] * 4]
    assert (executor.active, executor.queued) == (0, 0)


@keeps("execution.admit")
async def test_slots_are_shared_between_threads_and_loops() -> None:
    running: list[int] = []
    most: list[int] = []
    lock = threading.Lock()

    async def counts(_context: ToolContext) -> None:
        with lock:
            running.append(1)
            most.append(len(running))
        for _ in range(20):
            await asyncio.sleep(0)
        with lock:
            running.pop()

    executor = executor_of(MockTool("counts", run=counts), concurrency=2)

    def work() -> None:
        async def some() -> None:
            await gathered(executor.execute(ToolCall.new("counts")) for _ in range(10))

        asyncio.run(some())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await asyncio.to_thread(thread.join, WITHIN)
    assert len(most) == 40
    assert max(most) <= 2
    assert (executor.active, executor.queued) == (0, 0)


async def test_a_slot_is_not_given_to_whoever_waits_in_a_loop_that_has_gone() -> None:
    gate = asyncio.Event()
    tool = MockTool("waits", run=lambda _context: gate.wait())
    executor = executor_of(tool, concurrency=1)
    first = asyncio.create_task(executor.execute(ToolCall.new("waits")))
    await until(lambda: tool.calls)
    kept: list[Any] = []

    def elsewhere() -> None:
        loop = asyncio.new_event_loop()
        coroutine = executor.execute(ToolCall.new("waits"))
        task = loop.create_task(coroutine)
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
        forsake(task)
        kept.extend([coroutine, task])

    await asyncio.to_thread(elsewhere)
    assert executor.queued == 1
    third = asyncio.create_task(executor.execute(ToolCall.new("waits")))
    await settle()
    gate.set()
    answers = await gathered([first, third])
    assert codes(answers) == ["ok", "ok"]
    kept[0].close()
    assert (executor.active, executor.queued) == (0, 0)


def test_a_limit_that_is_none_is_refused() -> None:
    for wrong in (0, -1, True, 1.5, "3"):
        with pytest.raises(ValueError, match="whole number"):
            Concurrency(total=wrong)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="whole number"):
            Concurrency(per_tool={"a": wrong})  # type: ignore[dict-item]
