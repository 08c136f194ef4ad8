"""Calls of built-in tools, as an executor would make them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import toolwright as tw
from toolwright.testing import tool_context

__all__ = ["call", "data_of", "names_in"]


async def call(tool: tw.Tool, workspace: Path | None = None, /, **arguments: Any) -> tw.ToolOutcome:
    """Run a tool, with its own validation."""
    return await tool.execute(tool_context(arguments, workspace=workspace, name=tool.definition.name))


def data_of(outcome: tw.ToolOutcome) -> Any:
    """Return the data of a call that must have gone well."""
    assert outcome.success, outcome.error
    return outcome.data


def names_in(folder: Path) -> list[str]:
    """Return what is in a folder."""
    return sorted(each.name for each in folder.iterdir())
