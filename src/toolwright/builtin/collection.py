"""Which of the built-in tools an application gets: by where it works, what its licence has, and what it trusts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from toolwright.builtin.commands import command_tool
from toolwright.builtin.editing import edit_file
from toolwright.builtin.fetching import fetch_tool
from toolwright.builtin.git import git_commit, git_diff, git_log, git_show, git_status
from toolwright.builtin.globbing import glob
from toolwright.builtin.listing import list_directory
from toolwright.builtin.reading import read_file
from toolwright.builtin.searching import search_text
from toolwright.builtin.snippets import python_tool
from toolwright.builtin.writing import write_file
from toolwright.levels import SandboxIsolationLevel
from toolwright.registry import Registry, Toolset
from toolwright.sandbox import Sandbox
from toolwright.tiers import License, LicenseContext
from toolwright.tools import FunctionTool
from toolwright.tools.paths import StrPath

__all__ = ["edit_tools", "git_tools", "registry"]

_WITHOUT_FILES: Final = frozenset(["fetch_url", "run_python"])


def registry(
    workspace: StrPath | None = None,
    *,
    license: LicenseContext | None = None,
    command_isolation: SandboxIsolationLevel | str = SandboxIsolationLevel.STRICT,
    sandbox: Sandbox | None = None,
    networks: Collection[str] = (),
) -> Registry:
    """Return a registry of the built-in tools; without a workspace, those that need files are left out.

    Which folder a call works in is said where it is executed (``Executor.execute(workspace=...)``), not here.
    ``license`` decides how many of the tools there are. ``command_isolation`` is what ``run_command`` asks for: below
    strict, its description and its risk say so. ``sandbox`` is the one that calls will run in, by default that of this
    machine: what it cannot isolate as it should be is not available. ``networks`` are addresses and networks that
    ``fetch_url`` may reach although they are not public, such as ``10.1.0.0/16``.

    Raises:
        UnknownWordError: There is no such level of isolation.
        ValueError: One of the networks is none.
    """
    tier = (license or License()).tier
    tools: list[FunctionTool[..., Any]] = [
        *(read_file, write_file, list_directory, glob, search_text),
        command_tool(command_isolation, sandbox=sandbox),
        fetch_tool(networks=networks),
        python_tool(sandbox=sandbox),
    ]
    found = Registry()
    had = tools[: tier.builtins]
    found.add([each for each in had if workspace is not None or each.definition.name in _WITHOUT_FILES], builtin=True)
    return found


def _toolset(name: str, *tools: FunctionTool[..., Any]) -> Toolset:
    found = Registry()
    found.add(tools, builtin=True)
    return found.toolset(name)


edit_tools: Final = _toolset("edit", edit_file)
"""``edit_file``: ``tools.add(edit_tools)`` puts it beside others."""

git_tools: Final = _toolset("git", git_status, git_diff, git_log, git_show, git_commit)
"""What git can tell and do."""
