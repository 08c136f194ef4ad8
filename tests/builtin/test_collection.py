from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import toolwright as tw
from tests.architecture.sources import ROOT
from tests.promises import keeps
from toolwright.registry import Toolset
from toolwright.testing import assert_valid_tool
from toolwright.tiers import License
from toolwright.tools import CODES

NAMES = [
    *("read_file", "write_file", "list_directory", "glob", "search_text"),
    *("run_command", "fetch_url", "run_python"),
]
GIT = ["git_status", "git_diff", "git_log", "git_show", "git_commit"]


def names(tools: tw.Registry | Toolset) -> list[str]:
    return [tool.definition.name for tool in tools]


def every_tool() -> list[tw.Tool]:
    return [*tw.builtin.registry("."), *tw.builtin.edit_tools, *tw.builtin.git_tools]


@keeps("builtin.registry")
def test_a_registry_holds_all_of_them_in_the_order_of_the_page() -> None:
    registry = tw.builtin.registry(".")
    assert names(registry) == NAMES
    assert registry["readFile"] is tw.builtin.read_file
    with pytest.raises(tw.ProtectedToolError):
        registry.replace(tw.builtin.read_file)


@keeps("builtin.registry_without_workspace")
def test_without_a_workspace_those_that_need_files_are_left_out() -> None:
    assert names(tw.builtin.registry()) == ["fetch_url", "run_python"]


@keeps("builtin.tiers")
@pytest.mark.parametrize(("tier", "count"), [("core", 5), ("writer_pro", 5), ("teams", 8), ("enterprise", 8)])
def test_a_licence_has_the_first_so_many(tier: Any, count: int) -> None:
    assert names(tw.builtin.registry(".", license=License(tier))) == NAMES[:count]


@keeps("builtin.toolsets")
def test_editing_and_git_come_on_top_and_no_tier_counts_them() -> None:
    registry = tw.builtin.registry(".", license=License(tw.Tier.CORE))
    registry.add([*tw.builtin.edit_tools, *tw.builtin.git_tools], builtin=True)
    assert names(registry) == [*NAMES[:5], "edit_file", *GIT]
    assert names(tw.builtin.git_tools + tw.builtin.edit_tools) == [*GIT, "edit_file"]


@keeps("builtin.table")
def test_each_has_the_category_and_the_risk_of_the_page() -> None:
    told = {tool.definition.name: (tool.definition.category, tool.definition.risk) for tool in every_tool()}
    assert {name: told[name] for name in NAMES} == {
        "read_file": ("file_system", "safe"),
        "write_file": ("file_system", "medium"),
        "list_directory": ("file_system", "safe"),
        "glob": ("search", "safe"),
        "search_text": ("search", "safe"),
        "run_command": ("terminal", "high"),
        "fetch_url": ("network", "medium"),
        "run_python": ("code_execution", "high"),
    }


@keeps("builtin.permissions")
def test_each_says_which_permissions_it_needs() -> None:
    told = {tool.definition.name: tool.definition.permissions for tool in every_tool()}
    assert {name: told[name] for name in [*NAMES, "edit_file"]} == {
        **dict.fromkeys(["read_file", "list_directory", "glob", "search_text"], ("tool.filesystem.read",)),
        "write_file": ("tool.filesystem.write",),
        "edit_file": ("tool.filesystem.read", "tool.filesystem.write"),
        "run_command": ("tool.terminal.execute",),
        "fetch_url": ("tool.network.fetch",),
        "run_python": ("tool.code.execute",),
    }
    assert {told[name] for name in GIT} == {("tool.git.read",), ("tool.git.write",)}


@keeps("builtin.permissions")
async def test_a_narrower_caller_is_kept_from_them(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    executor = tw.Executor(tw.builtin.registry(tmp_path), policy=tw.Policy(), reviewer=tw.approve_all)
    options: Any = {"workspace": tmp_path, "grants": ["tool.filesystem.read"]}
    read = await executor.execute(tw.ToolCall.new("read_file", path="a.txt"), **options)
    write = await executor.execute(tw.ToolCall.new("write_file", path="a.txt", content="new"), **options)
    assert (read.outcome.success, write.outcome.error_code) == (True, "permission_denied")
    assert (tmp_path / "a.txt").read_text() == "text"


@pytest.mark.parametrize("tool", every_tool(), ids=lambda tool: tool.definition.name)
def test_each_is_a_valid_tool_for_every_provider(tool: tw.Tool) -> None:
    assert_valid_tool(tool)
    assert len(tool.definition.description) <= 1_024
    assert all("description" in each for each in tool.definition.parameters.to_dict()["properties"].values())


@keeps("builtin.own_names")
def test_every_name_is_a_tool_and_no_module() -> None:
    for name in [*NAMES, "edit_file", *GIT]:
        assert getattr(tw.builtin, name).definition.name == name
    assert set(tw.builtin.__all__) <= set(dir(tw.builtin))
    with pytest.raises(AttributeError, match="no_such_tool"):
        getattr(tw.builtin, "no_such_tool")  # noqa: B009  (type checkers would rightly refuse the attribute)


def test_whoever_needs_one_tool_loads_that_one() -> None:
    script = "import sys, toolwright as tw; tw.builtin.read_file; print(*sys.modules)"
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    loaded = {name for name in child.stdout.split() if name.startswith("toolwright.builtin.")}
    assert loaded == {f"toolwright.builtin.{name}" for name in ("folders", "paging", "reading", "texts")}


def test_a_wrong_option_is_refused_with_its_reason() -> None:
    with pytest.raises(ValueError, match="standard, strict"):
        tw.builtin.registry(".", command_isolation="some")
    with pytest.raises(ValueError, match=r"10\.0\.0"):
        tw.builtin.registry(".", networks=["10.0.0"])
    with pytest.raises(TypeError, match="collection"):
        tw.builtin.registry(".", networks="10.0.0.0/8")


def test_every_code_that_a_call_can_fail_with_is_documented() -> None:
    sources = (ROOT / "src" / "toolwright" / "builtin").glob("*.py")
    used = {code for path in sources for code in re.findall(r'code="(\w+)"', path.read_text(encoding="utf-8"))}
    page = (ROOT / "docs" / "builtin-tools.md").read_text(encoding="utf-8").partition("## Codes")[2]
    assert used - set(CODES) == set(re.findall(r"`(\w+)`", page))
