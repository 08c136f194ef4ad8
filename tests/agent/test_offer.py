"""What a model is shown, and so what it may call."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agent.running import agent_of, calling, check, codes, echo, model_of, results, within
from tests.promises import keeps
from toolwright.agent import Agent
from toolwright.execution import Executor
from toolwright.messages import ToolCall
from toolwright.registry import Availability, Registry
from toolwright.testing import MockTool, ScriptedProvider
from toolwright.tools import ToolContext

FIND = ToolCall("call_0", "find_tools", {"query": "tell the weather"})


def world(**options: Any) -> tuple[Registry, MockTool]:
    weather = MockTool("weather_now", "sunny", description="Tell the weather at a place.")
    registry = Registry([echo(), weather, MockTool("send_letter", description="Send a letter by post.")])
    registry.register(registry.search_tool())
    return registry, weather


def shown(agent: Agent) -> list[tuple[str, ...]]:
    return [request.tool_names for request in model_of(agent).requests]


@keeps("agent.offer.first")
async def test_a_model_is_shown_all_that_is_available_unless_told() -> None:
    registry, _ = world()
    agent = Agent(ScriptedProvider(["Hi."] * 2), registry)
    await within(agent.run("Go."))
    agent_with_less = Agent(ScriptedProvider(["Hi."]), registry, offer=registry.toolset(names={"echo"}))
    await within(agent_with_less.run("Go."))
    assert shown(agent) == [("echo", "weather_now", "send_letter", "find_tools")]
    assert shown(agent_with_less) == [("echo",)]
    await within(agent.run("Go.", availability=Availability(disabled={"echo"})))
    assert "echo" not in shown(agent)[1]


@keeps("agent.offer.found", "registry.find_tools.callable")
async def test_what_find_tools_finds_is_offered_from_the_next_turn_on() -> None:
    registry, weather = world()
    script = [FIND, ToolCall("call_1", "weather_now", {"place": "Ulm"}), "Sunny."]
    agent = Agent(ScriptedProvider(script), registry, offer=registry.toolset(names={"find_tools"}))
    run = await within(agent.run("Go."))
    assert shown(agent) == [("find_tools",), ("find_tools", "weather_now"), ("find_tools", "weather_now")]
    assert (codes(run), len(weather.calls)) == (["ok", "ok"], 1)
    check(run)


async def test_what_is_found_and_called_in_one_answer_is_not_yet_offered() -> None:
    registry, weather = world()
    script = [[FIND, ToolCall("call_1", "weather_now", {"place": "Ulm"})], "Hm."]
    agent = Agent(ScriptedProvider(script), registry, offer=registry.toolset(names={"find_tools"}))
    run = await within(agent.run("Go."))
    assert (codes(run), weather.calls) == (["ok", "tool_not_found"], [])


@keeps("agent.offer.not_offered")
async def test_a_tool_that_is_not_offered_is_not_found_nor_told_of() -> None:
    registry, weather = world()
    agent = Agent(ScriptedProvider([calling("weather_now"), "Hm."]), registry, offer=registry.toolset(names={"echo"}))
    run = await within(agent.run("Go."))
    assert (codes(run), weather.calls) == (["tool_not_found"], [])
    assert "Did you mean" not in results(run)[0]


async def test_where_nothing_is_offered_nothing_is_found() -> None:
    registry, weather = world()
    nothing = registry.toolset(names=set())
    agent = Agent(ScriptedProvider([calling("weather_now"), "Hm."]), registry, offer=nothing)
    run = await within(agent.run("Go."))
    assert (shown(agent), codes(run), weather.calls) == ([(), ()], ["tool_not_found"], [])


async def test_a_tool_that_is_found_and_then_goes_is_no_longer_shown() -> None:
    registry, _ = world()

    def leave(_context: ToolContext) -> str:
        registry.unregister("weather_now")
        return "gone"

    registry.register(MockTool("leave", run=leave))
    offer = registry.toolset(names={"find_tools", "leave"})
    agent = Agent(ScriptedProvider([FIND, calling("leave"), "Hm."]), registry, offer=offer)
    await within(agent.run("Go."))
    assert shown(agent)[1:] == [("find_tools", "leave", "weather_now"), ("find_tools", "leave")]


async def test_a_tool_that_is_found_but_not_available_is_not_shown() -> None:
    registry, weather = world()
    conditions = Availability(disabled={"weather_now"})
    offer = registry.toolset(names={"find_tools"})
    agent = Agent(ScriptedProvider([FIND, calling("weather_now"), "Hm."]), registry, offer=offer)
    run = await within(agent.run("Go.", availability=conditions))
    assert shown(agent)[1] == ("find_tools",)
    assert (codes(run)[1], weather.calls) == ("tool_not_found", [])


async def test_conditions_of_the_executor_and_the_workspace_of_the_run_hold_for_what_is_shown() -> None:
    files = echo("list_things", category="workspace")
    registry = Registry([files, echo()])
    executor = Executor(registry, availability=Availability())
    agent = Agent(ScriptedProvider([calling("list_things"), "Hi.", "Hi."]), registry, executor=executor)
    run = await within(agent.run("Go.", workspace="."))
    await within(agent.run("Go."))
    assert shown(agent) == [("list_things", "echo"), ("list_things", "echo"), ("echo",)]
    assert codes(run) == ["ok"]


async def test_a_result_that_was_cut_can_be_read_on_from_the_next_turn_on() -> None:
    def read(messages: tuple[Any, ...]) -> ToolCall:
        id = str(messages[-1].content).partition('id="')[2].partition('"')[0] or str(messages[-1].content)
        return ToolCall("call_1", "read_more", {"id": id})

    long = echo("long", "word " * 40_000)
    registry = Registry([long, echo()])
    agent = Agent(ScriptedProvider([calling("long"), read, "Done."]), registry, offer=registry.toolset(names={"long"}))
    run = await within(agent.run("Go."))
    assert shown(agent) == [("long",), ("long", "read_more"), ("long", "read_more")]
    assert codes(run)[0] == "ok"
    assert codes(run)[1] != "tool_not_found"


async def test_an_offer_of_tools_that_could_not_be_called_is_refused() -> None:
    registry, _ = world()
    with pytest.raises(ValueError, match="far_echo"):
        Agent(ScriptedProvider(), registry, offer=registry.toolset(names={"echo"}).prefixed("far"))
    far = registry.toolset(names={"echo"}).prefixed("far")
    agent = Agent(ScriptedProvider([calling("far_echo"), "Done."]), far)
    assert codes(await within(agent.run("Go."))) == ["ok"]


async def test_a_tool_that_only_looks_like_find_tools_offers_nothing() -> None:
    pretender = echo("pretender", {"tools": [{"name": "weather_now"}]})
    registry, _ = world()
    registry.register(pretender)
    agent = Agent(
        ScriptedProvider([calling("pretender"), "Hm."]), registry, offer=registry.toolset(names={"pretender"})
    )
    await within(agent.run("Go."))
    assert shown(agent) == [("pretender",)] * 2


async def test_find_tools_under_another_name_finds_as_well() -> None:
    registry, _ = world()
    renamed = registry.toolset().renamed({"find_tools": "look_about"}).renamed({"look_about": "look_around"})
    script = [ToolCall("call_0", "look_around", {"query": "weather"}), "Hm."]
    offer = renamed.filtered(lambda tool: tool.definition.name == "look_around")
    agent = Agent(ScriptedProvider(script), renamed, offer=offer)
    await within(agent.run("Go."))
    assert "weather_now" in shown(agent)[1]


async def test_nothing_changes_in_what_is_shown_where_nothing_was_found() -> None:
    agent = agent_of([calling("echo"), "Done."], echo())
    await within(agent.run("Go."))
    first, second = model_of(agent).requests
    assert first.tools is second.tools, "so that what was encoded once need not be encoded again"
