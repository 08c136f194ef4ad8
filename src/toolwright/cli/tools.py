"""``tools``: the group, and where its commands are."""

from __future__ import annotations

from typing import Final

import click

from toolwright.cli.app import Group

__all__ = ["tools"]

_ROWS: Final = {
    "list": ("tools_reading:list_tools", "The tools that are offered here"),
    "show": ("tools_reading:show", "One tool: what it takes, what it may do"),
    "search": ("tools_reading:search", "The tools that fit some words, best first"),
    "call": ("tools_call:call", "Call a tool; its parameters are options"),
    "check": ("tools_files:check", "Check definition files, for every provider"),
    "add": ("tools_files:add", "Add a definition file to your own tools"),
    "remove": ("tools_files:remove", "Remove one of your own tools"),
    "export": ("tools_export:export", "Print tools in the format of a provider, or of MCP"),
}


@click.command(cls=Group, rows=_ROWS)
def tools() -> None:
    """The tools there are, and what they may do."""
