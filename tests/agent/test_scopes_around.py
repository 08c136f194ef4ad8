"""Cancel scopes of anyio around a run: wherever it is cancelled, the scope knows its own cancellation again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from tests.promises import keeps
from toolwright.agent import Agent, MemoryRuns, RunHead
from toolwright.messages import ChatMessage, ToolCall
from toolwright.registry import Registry
from toolwright.testing import MockTool, ScriptedProvider
from toolwright.tools import ToolContext
from toolwright.transcript import Record

WITHIN = 30.0


class Cut(MemoryRuns):
    """Runs of which one waits, at one place, until somebody has cancelled it; a store goes on after that."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where
        self.waits = asyncio.Event()
        self.goes_on = asyncio.Event()

    async def wait_at(self, where: str) -> None:
        if self.where == where:
            self.waits.set()
            await self.goes_on.wait()

    async def begin(self, head: RunHead, records: Sequence[Record]) -> int:
        await self.wait_at("begin")
        return await super().begin(head, records)

    async def end(self, run_id: str, status: str, *, epoch: int, error: str | None = None) -> None:
        await self.wait_at("end")
        await super().end(run_id, status, epoch=epoch, error=error)

    async def works(self, _context: ToolContext) -> None:
        await self.wait_at("tool")

    async def says(self, _messages: Sequence[ChatMessage]) -> str:
        await self.wait_at("model")
        return "Done."

    def agent(self) -> Agent:
        tools = Registry([MockTool("works", run=self.works)])
        return Agent(ScriptedProvider([ToolCall.new("works"), self.says]), tools, store=self)


async def whole(agent: Agent) -> Any:
    return await agent.run("Go.")


async def streamed(agent: Agent) -> Any:
    return [event async for event in agent.stream("Go.")]


@keeps("agent.cancelling")
@pytest.mark.parametrize("where", ["begin", "tool", "model", "end"])
@pytest.mark.parametrize("work", [whole, streamed])
async def test_a_scope_that_is_cancelled_around_a_run_ends_there_and_not_further_out(where: str, work: Any) -> None:
    cut = Cut(where)
    async with asyncio.timeout(WITHIN), asyncio.TaskGroup() as group:
        with anyio.CancelScope() as scope:

            async def cancel() -> None:
                await cut.waits.wait()
                scope.cancel()
                await asyncio.sleep(0)
                cut.goes_on.set()

            group.create_task(cancel())
            await work(cut.agent())
    assert scope.cancelled_caught
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
