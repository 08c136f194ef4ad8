"""Agents and runs have the types that they say, and the stores that come along have the shape of the port."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import assert_type

import toolwright as tw
from toolwright.agent import AgentEvent, RunStatus


def stores() -> list[tw.RunStore]:
    return [tw.MemoryRuns(), tw.JsonLinesRuns("runs", fsync=False)]


async def runs(agent: tw.Agent, conversation: tw.Conversation) -> None:
    run = await agent.run("Go.", conversation=conversation, final=int, session="s", grants=["tool.*"], timeout=5)
    assert_type(run, tw.Run)
    assert_type(run.status, RunStatus)
    assert_type(run.executions, tuple[tw.Execution, ...])
    assert_type(run.records, tuple[tw.Record, ...])
    assert_type(agent.stream("Go."), AsyncGenerator[AgentEvent])
    assert_type(agent.run_sync("Go."), tw.Run)
    assert_type(await agent.resume("r", decided={"call_1": "happened"}), tw.Run)


async def wrong_options_are_errors(agent: tw.Agent) -> None:
    await agent.run("Go.", sesion="s")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    await agent.resume("r", decided={"call_1": "perhaps"})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    tw.Agent(None, tw.Registry())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
