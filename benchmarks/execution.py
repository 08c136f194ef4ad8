"""What a call costs on top of the tool itself.

The floor is the least code that does the same for one known tool: decode the arguments into a struct, check them with a
compiled JSON Schema, await the function.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from benchmarks.harness import Pair, workload
from toolwright.execution import Events, Executor, Limits, MemorySink, Policy
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.registry import Registry
from toolwright.tools import tool

TEXT = '{"a": 20, "b": 22}'
MANY = 20


@tool(risk="safe", side_effects=False)
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(risk="safe", side_effects=False)
def add_blocking(a: int, b: int) -> int:
    """Add two numbers, in a thread."""
    return a + b


def full_executor(**options: Any) -> Executor:
    """Return an executor with a policy, limits, events and an audit sink, none of which says no."""
    policy = Policy(limits=Limits(calls_per_tool=10**9))
    executor = Executor(Registry([add, add_blocking]), policy=policy, audit=MemorySink(limit=100), **options)
    keep_listening(executor.events)
    return executor


def keep_listening(events: Events) -> None:
    async def hear(_event: object) -> None:
        """Hear of it, and do nothing."""

    events.subscribe(hear)


def stepping(make: Callable[[], Coroutine[Any, Any, object]]) -> Callable[[], None]:
    """Return what runs a coroutine that waits for nothing as a task of a loop would, without the loop's own cost."""
    runner = asyncio.Runner()

    async def many(count: int) -> None:
        for number in range(count):
            await make()
            if number % BREATH == 0:
                await asyncio.sleep(0)  # for whoever listens: nobody else would let it hear
        await asyncio.sleep(0)

    def run() -> None:
        runner.run(many(BATCH))

    return run


BATCH = 1_000
BREATH = 20


def floor_of_one() -> Callable[[], Coroutine[Any, Any, object]]:
    import jsonschema_rs

    decode = msgspec.json.Decoder(dict[str, Any]).decode
    is_valid = jsonschema_rs.validator_for(add.definition.parameters.to_dict()).is_valid
    function = add.function

    async def call() -> object:
        arguments = decode(TEXT)
        if not is_valid(arguments):
            raise ValueError
        return await function(**arguments)

    return call


async def through(executor: Executor, name: str) -> object:
    call = ToolCall.parse("call_1", name, TEXT)
    return await executor.execute(call)


@workload("W5", "one async call through the bare executor", goal=7, per=BATCH)
def one_call() -> Pair:
    executor = Executor(Registry([add]))
    return stepping(lambda: through(executor, "add")), stepping(floor_of_one())


@workload("W5", "the same with policy, limits, events and audit on", goal=7, per=BATCH)
def one_call_with_all() -> Pair:
    executor = full_executor()
    return stepping(lambda: through(executor, "add")), stepping(floor_of_one())


@workload("W5", "one sync call, in a thread", limit=60e-6, per=BATCH)
def one_sync_call() -> Pair:
    executor = Executor(Registry([add_blocking]))

    async def in_thread() -> object:
        return await asyncio.get_running_loop().run_in_executor(None, add_blocking.function, 20, 22)

    return stepping(lambda: through(executor, "add_blocking")), stepping(in_thread)


@workload("W6", f"{MANY} calls side by side", goal=3, per=BATCH // MANY)
def twenty_calls() -> Pair:
    executor = Executor(Registry([add]), concurrency=MANY)
    calls: list[ToolCall | InvalidToolCall] = [
        ToolCall(f"call_{number}", "add", {"a": 1, "b": number}) for number in range(MANY)
    ]
    runner = asyncio.Runner()
    one = floor_of_one()

    async def ours() -> None:
        for _ in range(BATCH // MANY):
            await executor.execute_many(calls)

    async def least() -> None:
        for _ in range(BATCH // MANY):
            async with asyncio.TaskGroup() as group:
                for _ in range(MANY):
                    group.create_task(one())

    return lambda: runner.run(ours()), lambda: runner.run(least())
