"""Tools to register: real ones, that do next to nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolwright.schema import Schema
from toolwright.tools import ToolBase, ToolContext, ToolDefinition


class Echo(ToolBase):
    """Gives back the name under which it was called; can be switched off."""

    def __init__(self, definition: ToolDefinition) -> None:
        self.definition = definition
        self.switched_on = True

    @property
    def available(self) -> bool:
        return self.switched_on

    async def run(self, context: ToolContext) -> dict[str, Any]:
        return {"arguments": dict(context.arguments)}


def make_tool(name: str, description: str = "Does something.", **fields: Any) -> Echo:
    parameters = fields.get("parameters")
    if isinstance(parameters, dict):
        properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
        fields["parameters"] = Schema({"type": "object", "properties": properties})
    return Echo(ToolDefinition(name=name, description=description, **fields))


def make_tools(*names: str) -> list[Echo]:
    return [make_tool(name) for name in names]


def names_of(tools: Iterable[Any]) -> list[str]:
    """Return the names of tools, of definitions, or of what a search found."""
    return [getattr(getattr(each, "tool", each), "definition", each).name for each in tools]
