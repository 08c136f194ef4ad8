"""A decorated function keeps its signature for type checkers, and every kind of tool has the shape of one."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

from toolwright.testing import MockTool
from toolwright.tools import (
    CustomTool,
    FunctionTool,
    Services,
    Tool,
    ToolBase,
    ToolContext,
    ToolDefinition,
    ToolOutcome,
    tool,
)


@tool
async def count(path: str, blank: bool = True) -> int:
    """Count."""
    return len(path) if blank else 0


@tool(risk="high", side_effects=False)
def double(number: int) -> int:
    """Double."""
    return number * 2


class Searcher:
    """Has a method that is a tool."""

    @tool
    def search(self, query: str) -> list[str]:
        """Search."""
        return [query]


async def calls_are_checked(searcher: Searcher) -> None:
    """Call tools as the functions that they are."""
    assert_type(await count("a"), int)
    assert_type(double(2), int)
    assert_type(searcher.search("a"), list[str])
    double("2")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    searcher.search(2)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    await count()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def options_are_checked() -> None:
    """Misspell an option, and give one of the wrong type."""
    tool(colour="red")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    tool(side_effects="no")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]


def every_tool_is_a_tool(base: ToolBase, custom: CustomTool, mock: MockTool, searcher: Searcher) -> tuple[Tool, ...]:
    """Hand each kind over as a tool."""
    return count, double, searcher.search, base, custom, mock


async def what_a_tool_gets_and_gives(made: FunctionTool[[str], str], context: ToolContext) -> None:
    """Read from a context, and run a tool."""
    assert_type(made.definition, ToolDefinition)
    assert_type(await made.execute(context), ToolOutcome)
    assert_type(context.get_argument("path", str), str | None)
    assert_type(context.get_argument("path", str, ""), str)
    assert_type(context.arguments_as(Path), Path)
    assert_type(context.services, Services)
    assert_type(context.services[Path], Path)
    assert_type(context.services.get(Path), Path | None)
    assert_type(context.resolve("a"), Path)
