from __future__ import annotations

from typing import Any

from tests.promises import keeps
from tests.registry.making import make_tool, make_tools, names_of
from toolwright.levels import RiskLevel, ToolCategory
from toolwright.registry import Availability, Registry
from toolwright.testing import tool_context
from toolwright.tools import Tool


def weather_station() -> Registry:
    return Registry(
        [
            make_tool("weather_forecast", "Forecast for a city.\n\nReturns one row for each day.", title="Forecast"),
            make_tool("past_weather", "Weather of the past. " + "And so on. " * 100),
            make_tool("dig_well", "Dig a hole in the ground.", risk="high"),
        ]
    )


async def ask(tool: Tool, **arguments: Any) -> list[dict[str, Any]]:
    outcome = await tool.execute(tool_context(arguments))
    assert outcome.success
    data: Any = outcome.data
    return [dict(row) for row in data["tools"]]


@keeps("registry.find_tools")
async def test_a_model_finds_tools_by_what_they_do() -> None:
    finder = weather_station().search_tool()
    assert isinstance(finder, Tool)
    rows = await ask(finder, query="will it rain tomorrow? I need a weather forecast")
    assert rows[0] == {"name": "weather_forecast", "title": "Forecast", "description": "Forecast for a city."}
    assert all(len(row["description"]) <= 200 and "\n" not in row["description"] for row in rows)


@keeps("registry.find_tools")
def test_looking_for_tools_is_safe_and_has_no_side_effects() -> None:
    definition = Registry().search_tool().definition
    assert definition.name == "find_tools"
    assert definition.category is ToolCategory.SEARCH
    assert definition.risk is RiskLevel.SAFE
    assert definition.side_effects is False
    assert definition.parameters.required == ("query",)


@keeps("registry.find_tools")
async def test_the_finder_can_be_registered_and_does_not_find_itself() -> None:
    registry = weather_station()
    registry.register(registry.search_tool())
    assert "findTools" in registry
    rows = await ask(registry["find_tools"], query="find tools that can do something", limit=20)
    assert "find_tools" not in names_of_rows(rows)


def names_of_rows(rows: list[dict[str, Any]]) -> list[str]:
    return [row["name"] for row in rows]


async def test_the_finder_follows_its_view_its_conditions_and_the_limit() -> None:
    registry = weather_station()
    careful = registry.search_tool(Availability(max_risk="low"))
    assert names_of_rows(await ask(careful, query="dig a hole in the ground")) == []
    assert names_of_rows(await ask(registry.search_tool(), query="dig a hole in the ground")) == ["dig_well"]
    prefixed = registry.toolset().prefixed("my").search_tool()
    assert names_of_rows(await ask(prefixed, query="dig a hole in the ground")) == ["my_dig_well"]
    registry.add(make_tools(*(f"report_{number}" for number in range(30))))
    assert len(await ask(registry.search_tool(), query="report")) == 5
    assert len(await ask(registry.search_tool(), query="report", limit=20)) == 20
    assert len(names_of(registry)) == 33


async def test_a_wrong_question_is_answered_with_what_is_wrong() -> None:
    finder = weather_station().search_tool()
    for arguments in ({}, {"query": ""}, {"query": "x", "limit": 21}, {"query": 5}):
        outcome = await finder.execute(tool_context(arguments))
        assert outcome.error_code == "validation_failed"
    nothing = await finder.execute(tool_context({"query": "qwertyuiop"}))
    assert nothing.success
    assert "other words" in nothing.for_model()
