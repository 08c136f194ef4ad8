"""Cancel scopes of anyio around a call: wherever it is cancelled, the scope knows its own cancellation again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import anyio
import pytest

from tests.execution.calling import WITHIN, executor_of, until
from tests.promises import keeps
from toolwright.execution import Decision, Execution, Executor, Intent, ReviewRequest
from toolwright.messages import ToolCall
from toolwright.testing import MockTool
from toolwright.tools import ToolContext


class Cut:
    """An executor whose parts wait for ever, one after the other, and tell when they have begun to."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.waits = asyncio.Event()
        self.ended: list[str] = []
        tool = MockTool("works", run=self.works, risk="high", side_effects=False)
        self.executor: Executor = executor_of(tool, reviewer=self, audit=self, concurrency=1)

    async def wait_at(self, where: str) -> None:
        if self.where == where:
            self.waits.set()
            await asyncio.Event().wait()

    async def review(self, _request: ReviewRequest) -> Decision:
        await self.wait_at("review")
        return Decision.approve()

    async def started(self, _intent: Intent) -> None:
        await self.wait_at("start")

    async def works(self, _context: ToolContext) -> None:
        with suppress(asyncio.CancelledError):
            await self.wait_at("deaf tool")
        await self.wait_at("tool")
        if self.where == "slot":
            await asyncio.Event().wait()

    async def finished(self, execution: Execution) -> None:
        self.ended.append(execution.status)
        await self.wait_at("end")


async def one(executor: Executor) -> object:
    return await executor.execute(ToolCall.new("works"))


async def several(executor: Executor) -> object:
    return await executor.execute_many([ToolCall.new("works")] * 2)


async def one_of_several(executor: Executor) -> object:
    return await executor.execute_many([ToolCall.new("works")])


@keeps("execution.cancellation")
@pytest.mark.parametrize("where", ["review", "slot", "start", "tool", "deaf tool", "end"])
@pytest.mark.parametrize("work", [one, several, one_of_several])
async def test_a_scope_that_is_cancelled_ends_there_and_not_further_out(
    where: str, work: Callable[[Executor], Awaitable[Any]]
) -> None:
    cut = Cut(where)
    holding = asyncio.create_task(one(cut.executor)) if where == "slot" else None
    async with asyncio.timeout(WITHIN), asyncio.TaskGroup() as group:
        if holding is not None:
            await until(lambda: cut.executor.active)
        with anyio.CancelScope() as scope:

            async def cancel() -> None:
                await (until(lambda: cut.executor.queued) if where == "slot" else cut.waits.wait())
                scope.cancel()

            group.create_task(cancel())
            await work(cut.executor)
    assert scope.cancelled_caught
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    assert "cancelled" in cut.ended or where == "end"
    if holding is not None:
        holding.cancel()
        await asyncio.wait([holding])
    assert (cut.executor.active, cut.executor.queued) == (0, 0)
