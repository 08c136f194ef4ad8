"""An agent as a tool of another one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.agent.running import agent_of, check, codes, echo, model_of, results, until, within
from tests.promises import keeps
from toolwright.agent import Agent
from toolwright.errors import InvalidDefinitionError
from toolwright.execution import Executor
from toolwright.messages import ToolCall
from toolwright.providers import ChatResponse, Usage
from toolwright.registry import Registry
from toolwright.testing import MockTool, ScriptedProvider, assert_valid_tool

ASK = ToolCall("call_1", "research", {"task": "Find it."})


@keeps("agent.as_tool")
async def test_an_agent_calls_another_one_as_a_tool() -> None:
    inner = agent_of([ToolCall.new("echo"), "Found."], tool := echo(), system="You look things up.")
    outer = agent_of([ASK, "It was found."], inner.as_tool("research", "Look something up."))
    run = await within(outer.run("Go.", session="s", workspace="."))
    assert (run.text, codes(run), results(run)) == ("It was found.", ["ok"], ["Found."])
    assert model_of(inner).requests[0].messages[-1].content == "Find it."
    assert (tool.contexts[0].session_id, tool.contexts[0].workspace) == ("s", run_workspace(tool))
    check(run)


def run_workspace(tool: MockTool) -> Any:
    from pathlib import Path

    assert tool.contexts[0].workspace is not None
    assert tool.contexts[0].workspace.samefile(Path.cwd())
    return tool.contexts[0].workspace


@keeps("agent.as_tool.grants")
async def test_a_sub_agent_has_no_grants_but_its_own() -> None:
    def inner() -> Agent:
        return agent_of([ToolCall.new("echo"), "Done."], echo(permissions=["tool.filesystem.read"]))

    refused, allowed = inner(), inner()
    await within(agent_of([ASK, "Hm."], refused.as_tool("research", "Look.")).run("Go.", grants=["*"]))
    assert "permission_denied" in str(model_of(refused).requests[1].messages[-1].content)
    tool = allowed.as_tool("research", "Look.", grants=["tool.filesystem.read"])
    await within(agent_of([ASK, "Hm."], tool).run("Go."))
    assert "permission_denied" not in str(model_of(allowed).requests[1].messages[-1].content)


@keeps("agent.usage")
async def test_the_usage_of_sub_agents_is_part_of_the_sum() -> None:
    inner = agent_of([ChatResponse(text="Found.", usage=Usage(input_tokens=100, output_tokens=10))])
    ask = ChatResponse(tool_calls=(ASK,), finish_reason="tool_calls", usage=Usage(input_tokens=1))
    run = await within(agent_of([ask, "Done."], inner.as_tool("research", "Look.")).run("Go."))
    assert run.usage == Usage(input_tokens=101, output_tokens=10)


async def test_a_sub_agent_that_does_not_finish_is_a_failed_call_with_what_it_has() -> None:
    inner = agent_of([ChatResponse(text="I was about to", finish_reason="length")])
    run = await within(agent_of([ASK, "Pity."], inner.as_tool("research", "Look.")).run("Go."))
    assert codes(run) == ["tool_error"]
    assert "did not finish: length" in results(run)[0]
    assert "I was about to" in results(run)[0]
    broken = agent_of([ValueError("what broke")])
    run = await within(agent_of([ASK, "Pity."], broken.as_tool("research", "Look.")).run("Go."))
    assert "did not finish: failed (what broke)" in results(run)[0]


async def test_a_sub_agent_may_give_a_structured_answer() -> None:
    inner = agent_of(['{"value": [1, 2]}'])
    tool = inner.as_tool("research", "Look.", final=list[int], risk="safe", tags=["search"])
    run = await within(agent_of([ASK, "Done."], tool).run("Go."))
    assert run.executions[0].outcome.data == (1, 2)
    assert "search" in tool.definition.tags


async def test_cancelling_a_run_ends_its_sub_agents() -> None:
    inner = agent_of([None])
    outer = agent_of([ASK], inner.as_tool("research", "Look."))
    task = asyncio.create_task(outer.run("Go.", run_id="r"))
    await until(lambda: model_of(inner).requests)
    outer.cancel("r")
    run = await within(task)
    assert (run.status, model_of(inner).cancelled) == ("cancelled", 1)
    check(run)


async def test_an_agent_that_calls_itself_comes_to_an_end() -> None:
    registry = Registry()
    agent = Agent(ScriptedProvider([*[ASK] * 9, *["Enough."] * 9]), registry)
    registry.register(agent.as_tool("research", "Look."))
    run = await within(agent.run("Go."))
    assert (run.status, run.text) == ("completed", "Enough.")
    assert len(model_of(agent).requests) == 18


async def test_sub_agents_that_share_an_executor_do_not_wait_for_each_other_for_ever() -> None:
    """They hold no slot while their own calls need one."""
    registry = Registry([tool := echo()])
    executor = Executor(registry, concurrency=1)
    inner = Agent(ScriptedProvider([ToolCall.new("echo"), "Found."]), registry, executor=executor)
    registry.register(inner.as_tool("research", "Look."))
    outer = Agent(ScriptedProvider([ASK, "Done."]), registry, executor=executor)
    run = await within(outer.run("Go."))
    assert (run.status, codes(run), len(tool.calls)) == ("completed", ["ok"], 1)


async def test_an_agents_tool_is_a_valid_tool() -> None:
    assert_valid_tool(
        agent_of(["Found."] * 20).as_tool("research", "Look something up in the library."),
        arguments=[{"task": "Find it."}],
    )
    with pytest.raises(InvalidDefinitionError):
        agent_of([]).as_tool("Research!", "Look.")
