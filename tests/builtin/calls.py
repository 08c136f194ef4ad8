"""Calls of built-in tools, as an executor would make them."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

import toolwright as tw
from toolwright.levels import SandboxIsolationLevel
from toolwright.sandbox import Access, Available, RunLimits, Standing
from toolwright.testing import tool_context

__all__ = ["Having", "call", "data_of", "names_in"]


class Having:
    """A means of isolation that has one level, in name."""

    def __init__(self, level: SandboxIsolationLevel) -> None:
        self._levels: Mapping[SandboxIsolationLevel, Standing] = {level: Available()}

    def probe(self) -> Mapping[SandboxIsolationLevel, Standing]:
        """Say that there is this level."""
        return self._levels

    @staticmethod
    def run(
        tool: tw.Tool, context: tw.ToolContext, *, level: SandboxIsolationLevel, access: Access, limits: RunLimits
    ) -> Coroutine[Any, Any, tw.ToolOutcome]:
        """Run the tool where it is."""
        del level, access, limits
        return tool.execute(context)


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
