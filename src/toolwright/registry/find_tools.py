"""``find_tools``: a tool with which a model looks for tools, when there are too many to list.

This module may not know a run: what is done with what was found is decided by whoever runs the loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolwright.levels import RiskLevel, ToolCategory
from toolwright.schema import SchemaBuilder
from toolwright.tools.base import ToolBase
from toolwright.tools.constraints import ToolConstraints
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.outcome import ToolOutcome

if TYPE_CHECKING:
    from toolwright.registry.availability import Availability
    from toolwright.registry.view import ToolView
    from toolwright.tools.context import ToolContext

__all__ = ["FIND_TOOLS", "FindTools"]

_MOST: Final = 20
_LINE: Final = 200  # characters of a description that are shown

FIND_TOOLS: Final = ToolDefinition(
    name="find_tools",
    description=(
        "Find tools that can do something. Not all tools are listed at first: when none of those you see fits, "
        "describe what you need and call this. What is found can be called from the next turn on."
    ),
    category=ToolCategory.SEARCH,
    risk=RiskLevel.SAFE,
    parameters=SchemaBuilder()
    .string("query", "What the tool should do, in a few words", required=True, min_length=1, max_length=1_000)
    .integer("limit", "How many tools to return at most", minimum=1, maximum=_MOST, default=5)
    .build(),
    constraints=ToolConstraints(side_effects=False),
)
"""What a model is shown of it."""


class FindTools(ToolBase):
    """Looks for tools in a view of a registry, under the conditions given.

    The data of its outcome is ``{"tools": [{"name", "title", "description"}, ...]}``, best first; a loop offers these.
    """

    definition = FIND_TOOLS

    def __init__(self, view: ToolView, *, availability: Availability | None = None) -> None:
        self._view = view
        self._availability = availability

    async def run(self, context: ToolContext) -> Any:
        """Search, and say what was found."""
        query = context.get_argument("query", str) or ""
        limit = context.get_argument("limit", int) or 5
        found = self._view.search(query, limit + 1, self._availability)
        definitions = [each.tool.definition for each in found if not isinstance(each.tool, FindTools)][:limit]
        tools = [
            {"name": each.name, "title": each.title, "description": _first_line(each.description)}
            for each in definitions
        ]
        if tools:
            return ToolOutcome.ok({"tools": tools})
        return ToolOutcome.ok({"tools": [], "hint": "Nothing fits: try other words, or do without a tool."})


def _first_line(text: str) -> str:
    line = " ".join(text.split("\n\n", 1)[0].split())
    return line if len(line) <= _LINE else line[: _LINE - 1].rsplit(" ", 1)[0] + "…"
