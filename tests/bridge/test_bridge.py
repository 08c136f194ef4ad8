"""From code without an event loop to one, from wherever."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap
import threading
from collections.abc import AsyncGenerator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from tests.execution.calling import WITHIN, executor_of
from tests.promises import keeps
from toolwright.bridge import iterate_from_outside, run_from_outside
from toolwright.execution import Concurrency, Execution
from toolwright.messages import ToolCall
from toolwright.testing import MockTool
from toolwright.tools import ToolContext

ASKED: ContextVar[str] = ContextVar("ASKED", default="nobody")


@keeps("execution.sync")
def test_code_without_a_loop_executes_a_call_and_gets_its_answer() -> None:
    executor = executor_of(MockTool.delayed("slow", 0.001, "done"), MockTool("none"))
    answer = executor.execute_sync(ToolCall.new("slow"), session="s")
    assert (answer.outcome.data, answer.session) == ("done", "s")
    assert executor.execute_sync(ToolCall.new("nobody")).outcome.error_code == "tool_not_found"
    with pytest.raises(TypeError):
        executor.execute_sync("none")  # type: ignore[arg-type]


@keeps("execution.sync")
def test_many_threads_execute_calls_at_once_each_with_its_own_answer() -> None:
    async def twice(context: ToolContext) -> int:
        await asyncio.sleep(0)
        return 2 * int(context.arguments["number"])

    executor = executor_of(MockTool("twice", run=twice), concurrency=4)
    found: dict[int, Any] = {}

    def work(number: int) -> None:
        for each in range(number * 10, number * 10 + 10):
            found[each] = executor.execute_sync(ToolCall.new("twice", number=each)).outcome.data

    threads = [threading.Thread(target=work, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WITHIN)
    assert found == {number: 2 * number for number in range(80)}


@keeps("execution.sync")
async def test_inside_of_a_running_loop_a_call_runs_in_another_one() -> None:
    here = asyncio.get_running_loop()

    async def other(_context: ToolContext) -> bool:
        await asyncio.sleep(0)
        return asyncio.get_running_loop() is not here

    assert executor_of(MockTool("other", run=other)).execute_sync(ToolCall.new("other")).outcome.data is True


@keeps("execution.sync")
@pytest.mark.parametrize("slots", [1, 3])
def test_a_tool_that_executes_a_call_itself_does_not_wait_for_itself(slots: int) -> None:
    def inner(_context: ToolContext) -> object:
        return executor.execute_sync(ToolCall.new("leaf")).outcome.data

    def outer(_context: ToolContext) -> object:
        return executor.execute_sync(ToolCall.new("inner")).outcome.data

    tools = (MockTool("outer", run=outer), MockTool("inner", run=inner), MockTool("leaf", "found"))
    executor = executor_of(*tools, concurrency=slots)
    found: list[Execution] = []
    thread = threading.Thread(target=lambda: found.append(executor.execute_sync(ToolCall.new("outer"))))
    thread.start()
    thread.join(WITHIN)
    assert [each.outcome.data for each in found] == ["found"]


def test_tools_that_stand_still_for_calls_of_their_own_leave_no_loop_waiting_for_ever() -> None:
    """All slots are taken by tools in one loop, and the first of them stops it until its own call has an answer."""

    async def outer(_context: ToolContext) -> object:
        await asyncio.sleep(0)
        return executor.execute_sync(ToolCall.new("leaf")).outcome.data

    outside = MockTool("outer", run=outer, side_effects=False)
    executor = executor_of(outside, MockTool("leaf", "found"), concurrency=Concurrency(total=2, per_session=1))
    found: list[Execution] = []

    def work() -> None:
        found.extend(asyncio.run(executor.execute_many([ToolCall.new("outer")] * 5)))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(WITHIN)
    assert [each.outcome.data for each in found] == ["found"] * 5
    assert (executor.active, executor.queued) == (0, 0)


def test_the_caller_s_context_is_seen_and_what_is_raised_comes_back() -> None:
    async def who() -> str:
        return ASKED.get()

    async def fails() -> None:
        raise LookupError("no")

    token = ASKED.set("ann")
    try:
        assert run_from_outside(who) == "ann"
    finally:
        ASKED.reset(token)
    assert run_from_outside(who) == "nobody"
    with pytest.raises(LookupError, match="no"):
        run_from_outside(fails)

    async def cancelled() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        run_from_outside(cancelled)


def test_a_caller_that_is_interrupted_ends_what_it_waits_for() -> None:
    """A signal interrupts the wait, as Control-C does; what was waited for is cancelled, and its end is on record."""
    code = """
        import asyncio, os, signal, threading
        from toolwright.execution import Executor, MemorySink
        from toolwright.messages import ToolCall
        from toolwright.registry import Registry
        from toolwright.testing import MockTool

        sink = MemorySink()

        async def waits(context):
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.get_running_loop().create_future()

        executor = Executor(Registry([MockTool("waits", run=waits)]), audit=sink)
        try:
            executor.execute_sync(ToolCall.new("waits"))
        except KeyboardInterrupt:
            print("interrupted")
        while not sink.executions:
            pass
        print(sink.executions[0].status)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.split() == ["interrupted", "cancelled"], done.stderr


def test_an_interruption_in_the_moment_of_handing_over_ends_the_work_as_well() -> None:
    """The other thread may have begun before this one is back from telling it to."""
    code = """
        import asyncio
        from toolwright.bridge import run_from_outside

        class Interrupted(asyncio.SelectorEventLoop):
            times = 0

            def call_soon_threadsafe(self, *arguments, **named):
                handle = super().call_soon_threadsafe(*arguments, **named)
                Interrupted.times += 1
                if Interrupted.times == 1:
                    raise KeyboardInterrupt
                return handle

        class Policy(asyncio.DefaultEventLoopPolicy):
            def new_event_loop(self):
                return Interrupted()

        asyncio.set_event_loop_policy(Policy())
        ended = []

        async def waits():
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                ended.append(True)

        async def looks():
            return len(asyncio.all_tasks())

        try:
            run_from_outside(waits)
        except KeyboardInterrupt:
            print(run_from_outside(looks))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.split() == ["1"], done.stderr


def test_after_a_fork_sync_tools_and_subscribers_have_threads_and_a_record_has_one_writer(tmp_path: Path) -> None:
    code = f"""
        import json, os, threading
        from toolwright.execution import Executor, ExecutionCompleted, JsonLinesSink, verify
        from toolwright.messages import ToolCall
        from toolwright.registry import Registry
        from toolwright.testing import MockTool
        from toolwright.tools import tool

        @tool(risk="safe", side_effects=False)
        def reads() -> int:
            "Read."
            return 1

        @tool(risk="safe")
        def writes() -> int:
            "Write."
            return 1

        told = threading.Semaphore(0)
        sink = JsonLinesSink({str(tmp_path / "audit.jsonl")!r})
        executor = Executor(Registry([reads, writes]), audit=sink)
        executor.events.subscribe(lambda event: isinstance(event, ExecutionCompleted) and told.release())

        def call(name):
            answer = executor.execute_sync(ToolCall.new(name), timeout=20)
            return [answer.outcome.error_code, told.acquire(timeout=20)]

        call("reads")
        child = os.fork()
        if child == 0:
            print(json.dumps([call("reads"), call("reads"), call("writes")]), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print(json.dumps([call("writes"), verify(sink.path, sink.head).valid]))
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    child, parent = map(json.loads, done.stdout.splitlines())
    assert child == [[None, True], [None, True], ["record_failed", True]], done.stderr
    assert parent == [[None, True], True]
    assert "audit sink failed" in done.stderr


def test_after_a_fork_calls_run_in_the_child_as_well() -> None:
    code = """
        import os
        from toolwright.bridge import run_from_outside

        async def one():
            return 1

        assert run_from_outside(one) == 1
        child = os.fork()
        if child == 0:
            os._exit(10 + run_from_outside(one))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.strip() == "11", done.stderr


# Iterating


class Source:
    """An async generator that tells what it has done."""

    def __init__(self) -> None:
        self.done: list[str] = []

    async def items(self) -> AsyncGenerator[int]:
        try:
            for number in range(3):
                await asyncio.sleep(0)
                self.done.append(f"made {number}")
                yield number
        finally:
            await asyncio.sleep(0)
            self.done.append("closed")


def test_what_an_async_generator_yields_comes_when_it_is_asked_for() -> None:
    source = Source()
    iterating = iterate_from_outside(source.items)
    assert next(iterating) == 0
    assert source.done == ["made 0"]
    assert list(iterating) == [1, 2]
    assert source.done[-1] == "closed"


def test_leaving_early_closes_the_generator_on_its_own_loop() -> None:
    source = Source()
    for number in iterate_from_outside(source.items):
        if number == 1:
            break
    assert source.done == ["made 0", "made 1", "closed"]


async def test_also_inside_of_a_running_loop_and_of_the_shared_one() -> None:
    assert list(iterate_from_outside(Source().items)) == [0, 1, 2]

    async def nested() -> list[int]:
        asyncio.get_running_loop().create_task(asyncio.Event().wait())
        return list(iterate_from_outside(Source().items))

    assert run_from_outside(nested) == [0, 1, 2]


def test_what_a_generator_sets_it_finds_again_and_what_it_raises_comes_back() -> None:
    async def items() -> AsyncGenerator[str]:
        ASKED.set("the generator")
        yield ASKED.get()
        await asyncio.sleep(0)
        yield ASKED.get()
        raise LookupError("no more")

    iterating = iterate_from_outside(items)
    assert [next(iterating), next(iterating)] == ["the generator"] * 2
    assert ASKED.get() == "nobody"
    with pytest.raises(LookupError, match="no more"):
        next(iterating)
