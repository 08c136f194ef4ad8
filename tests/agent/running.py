"""What tests of runs are made of."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from typing import Any, TypeVar

from toolwright.agent import Agent, Run
from toolwright.agent.journal import messages_of
from toolwright.conversation import Conversation
from toolwright.execution import Executor
from toolwright.messages import ChatMessage, MessageRole, ToolCall
from toolwright.providers import CODECS, codec
from toolwright.registry import Registry
from toolwright.testing import MockTool, ScriptedProvider
from toolwright.tools import Tool
from toolwright.transcript import Record, to_messages, to_records

T = TypeVar("T")

WITHIN = 20.0
"""Seconds that nothing here may take: what hangs fails instead of holding up the rest."""


def echo(name: str = "echo", data: object = "an echo", **fields: Any) -> MockTool:
    """Return a tool without side effects that takes anything."""
    return MockTool(name, data, constraints={"side_effects": False}, **fields)


def calling(*names: str) -> list[ToolCall]:
    """Return an answer with calls of these tools, each of them different from the others."""
    return [ToolCall(f"call_{place}", name, {"n": place}) for place, name in enumerate(names)]


def agent_of(script: Iterable[object], *tools: Tool, executor: dict[str, Any] | None = None, **options: Any) -> Agent:
    """Return an agent whose model answers from a script."""
    registry = Registry(tools)
    return Agent(ScriptedProvider(script), registry, executor=Executor(registry, **(executor or {})), **options)


def model_of(agent: Agent) -> ScriptedProvider:
    """Return the model of such an agent: what it was asked."""
    assert isinstance(agent.provider, ScriptedProvider)
    return agent.provider


async def ran(script: Iterable[object], *tools: Tool, **options: Any) -> Run:
    """Run with a script, check the transcript, and return the run."""
    run = await within(agent_of(script, *tools, **options).run("Go."))
    check(run)
    return run


async def within(work: Awaitable[T]) -> T:
    """Wait for something, but not for ever."""
    async with asyncio.timeout(WITHIN):
        return await work


async def until(condition: Any) -> None:
    """Let others run until something is so."""
    async with asyncio.timeout(WITHIN):
        while not condition():  # noqa: ASYNC110  conditions of all kinds, most of which tell nobody
            await asyncio.sleep(0)


def check(run: Run) -> None:
    """Check that the transcript of a run is complete, and says the same as its conversation."""
    check_records(run.records)
    run.conversation.validate()
    assert tuple(messages_of(run.records)) == run.conversation.messages
    answered = {message.tool_call_id for message in run.conversation if message.role is MessageRole.TOOL}
    assert {execution.call.id for execution in run.executions} <= answered
    assert (run.error is not None) == (run.status in ("provider_error", "failed"))


def check_records(records: Iterable[Record]) -> None:
    """Check that records are a legal transcript, in which each call has exactly one answer."""
    records = tuple(records)
    messages = messages_of(records)
    Conversation(messages, require_system=False).validate()
    assert to_messages(to_records(messages)) == tuple(messages)
    kinds = [[record.kind for record in each if record.kind != "user"] for each in (records, to_records(messages))]
    assert sorted(kinds[0]) == sorted(kinds[1])
    for name in sorted(CODECS):
        assert codec(name).encode_bytes(messages)
    open_calls: set[str] = set()
    for record in records:
        if record.kind == "tool_call":
            assert record.data["id"] not in open_calls
            open_calls.add(str(record.data["id"]))
        elif record.kind == "tool_result":
            open_calls.remove(str(record.data["tool_call_id"]))
        else:
            assert not open_calls
    assert not open_calls


def results(run: Run) -> list[str]:
    """Return what the model read of its calls, in the order in which it is sent."""
    return [message.content or "" for message in run.conversation if message.role is MessageRole.TOOL]


def codes(run: Run) -> list[str]:
    """Return how the calls that were handed to the executor ended."""
    return [execution.outcome.error_code or "ok" for execution in run.executions]


def last_of(run: Run) -> ChatMessage:
    """Return the last message of a run."""
    assert run.conversation.last is not None
    return run.conversation.last
