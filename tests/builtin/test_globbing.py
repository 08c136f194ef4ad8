from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import toolwright as tw
from tests.builtin.calls import call, data_of
from tests.promises import keeps
from toolwright.testing import assert_valid_tool

GLOB = tw.builtin.glob


def plant(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")


async def found(root: Path, pattern: str, **options: Any) -> list[str]:
    paths: list[str] = data_of(await call(GLOB, root, pattern=pattern, order="name", **options))["paths"]
    return list(paths)


@keeps("builtin.glob")
@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("*.py", ["a.py"]),
        ("**/*.py", ["a.py", "src/b.py", "src/deep/er/c.py"]),
        ("src/**", ["src/b.py", "src/b.pyi", "src/deep/er/c.py", "src/deep/er/d.txt"]),
        ("src/*.{py,pyi}", ["src/b.py", "src/b.pyi"]),
        ("{src/b,a}.py", ["a.py", "src/b.py"]),
        ("**/deep/**/*.txt", ["src/deep/er/d.txt"]),
        ("src/deep/er/?.[ct]*", ["src/deep/er/d.txt"]),
        ("src/deep/er/[!c].*", ["src/deep/er/d.txt"]),
        ("**/er/c.py", ["src/deep/er/c.py"]),
        ("src", []),
        ("nothing/**", []),
        ("a.py/x", []),
    ],
)
async def test_stars_braces_and_classes_find_files(tmp_path: Path, pattern: str, paths: list[str]) -> None:
    plant(tmp_path, "a.py", "src/b.py", "src/b.pyi", "src/deep/er/c.py", "src/deep/er/d.txt")
    assert await found(tmp_path, pattern) == paths


@keeps("builtin.glob")
async def test_the_newest_come_first_unless_names_are_wanted(tmp_path: Path) -> None:
    plant(tmp_path, "a", "b", "c")
    for age, name in enumerate(("b", "c", "a")):
        os.utime(tmp_path / name, (1_000_000 - age, 1_000_000 - age))
    assert data_of(await call(GLOB, tmp_path, pattern="*"))["paths"] == ["b", "c", "a"]
    assert await found(tmp_path, "*") == ["a", "b", "c"]


@keeps("builtin.glob")
@pytest.mark.parametrize("order", ["newest", "name"])
async def test_it_is_capped_and_counts_the_rest(tmp_path: Path, order: str) -> None:
    plant(tmp_path, *(f"{number:03}" for number in range(250)))
    first = await call(GLOB, tmp_path, pattern="*", order=order)
    assert (len(data_of(first)["paths"]), first.message) == (200, "250 files")
    assert first.suggestions == ("Not on this page: 50 more files. Go on with offset=200, or look more closely.",)
    second = await call(GLOB, tmp_path, pattern="*", order=order, offset=200)
    assert len({*data_of(first)["paths"], *data_of(second)["paths"]}) == 250
    assert second.suggestions == ()


@keeps("builtin.glob")
async def test_gitignore_is_honoured_unless_it_is_not_wanted(tmp_path: Path) -> None:
    plant(tmp_path, ".git/config", "node_modules/x.js", "src/a.js", "src/gen/b.js")
    (tmp_path / ".gitignore").write_text("node_modules\n")
    (tmp_path / "src" / ".gitignore").write_text("/gen/\n")
    assert await found(tmp_path, "**/*.js") == ["src/a.js"]
    assert await found(tmp_path, "**/*.js", ignore=False) == ["node_modules/x.js", "src/a.js", "src/gen/b.js"]
    assert await found(tmp_path, "*.js", path="src") == ["src/a.js"]


@keeps("builtin.glob_links")
async def test_links_out_of_the_workspace_are_neither_followed_nor_told(tmp_path: Path) -> None:
    workspace = tmp_path / "work"
    plant(tmp_path, "work/real.txt", "outside/secret.txt")
    for name, target in (
        *(("in.txt", "real.txt"), ("out.txt", "../outside/secret.txt"), ("folder", "../outside")),
        *(("here", "."), ("loop.txt", "loop.txt"), ("gone.txt", "nothing")),
    ):
        (workspace / name).symlink_to(target)
    assert await found(workspace, "**") == ["in.txt", "real.txt"]
    assert await found(workspace, "folder/*") == []
    assert await found(workspace, "here/*") == []
    outcome = await call(GLOB, workspace, pattern="*", path="folder")
    assert outcome.error_code == "validation_failed"


@pytest.mark.parametrize(
    "pattern", ["../*", "/etc/*", "a/../../b", "{/etc,src}/*", "{a,..}/*", "./", "{" + "," * 600 + "}", "{a,b}" * 10]
)
async def test_a_pattern_that_leads_out_or_is_none_is_refused(tmp_path: Path, pattern: str) -> None:
    outcome = await call(GLOB, tmp_path, pattern=pattern)
    assert (outcome.success, outcome.error_code) == (False, "bad_pattern")


async def test_patterns_that_backtrack_elsewhere_take_no_time(tmp_path: Path) -> None:
    plant(tmp_path, "a" * 200)
    assert await found(tmp_path, "*a" * 60 + "b") == []
    assert await found(tmp_path, "**/" * 50 + "*a" * 60 + "b") == []


async def test_names_may_hold_anything_that_a_name_can(tmp_path: Path) -> None:
    plant(tmp_path, "new\nline", "[a]", "-rf", "{x}", "ü")
    os.close(os.open(os.fsencode(tmp_path) + b"/caf\xe9", os.O_CREAT))
    os.mkfifo(tmp_path / "pipe")
    assert sorted(await found(tmp_path, "*")) == sorted(["-rf", "[a]", "caf�", "new\nline", "{x}", "ü"])
    assert await found(tmp_path, "[[]a]") == ["[a]"]
    assert await found(tmp_path, r"\[a]") == ["[a]"]
    assert await found(tmp_path, "{x}") == ["{x}"]
    assert await found(tmp_path, "?") == ["ü"]


async def test_a_folder_that_cannot_be_looked_into_is_said(tmp_path: Path) -> None:
    plant(tmp_path, "file")
    assert data_of(await call(GLOB, tmp_path, pattern="*", path="missing"))["paths"] == []
    assert data_of(await call(GLOB, tmp_path, pattern="*", path="file"))["paths"] == []
    deep = "/".join(["d"] * 155)
    (tmp_path / deep).mkdir(parents=True)
    assert data_of(await call(GLOB, tmp_path, pattern="**"))["unreadable"] == [deep[: 2 * 150 - 1]]
    too_long = await call(GLOB, tmp_path, pattern="*", path="x" * 300)
    assert too_long.error_code == "cannot_read"


def test_it_passes_what_every_tool_should(tmp_path: Path) -> None:
    plant(tmp_path, "a/b/c")
    assert_valid_tool(GLOB, [{"pattern": "**"}], workspace=tmp_path)
    assert GLOB.summarize({"pattern": "*.py"}) == "Find files like '*.py'"
