from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

import toolwright as tw
from tests.builtin.calls import call, data_of
from tests.promises import keeps
from toolwright.builtin.walking import Walk
from toolwright.testing import assert_valid_tool

LIST = tw.builtin.list_directory


def kinds(data: Any) -> dict[str, str]:
    return {entry["name"]: entry["kind"] for entry in data["entries"]}


@keeps("builtin.list_directory")
async def test_it_tells_kinds_and_sizes_to_the_depth_that_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "src" / "inner").mkdir(parents=True)
    (tmp_path / "src" / "a.py").write_text("12345")
    (tmp_path / "src" / "inner" / "b.py").write_text("")
    flat = data_of(await call(LIST, tmp_path, path="."))
    assert (kinds(flat), flat["path"], flat["total"]) == ({"src": "folder"}, ".", 1)
    deep = data_of(await call(LIST, tmp_path, depth=2))
    assert kinds(deep) == {"src": "folder", "src/a.py": "file", "src/inner": "folder"}
    assert next(entry["size"] for entry in deep["entries"] if entry["name"] == "src/a.py") == 5
    below = data_of(await call(LIST, tmp_path, path="src", depth=20))
    assert (kinds(below), below["path"]) == ({"a.py": "file", "inner": "folder", "inner/b.py": "file"}, "src")


@keeps("builtin.list_directory")
async def test_it_honours_gitignore_on_request_also_from_above(tmp_path: Path) -> None:
    (tmp_path / ".git" / "info").mkdir(parents=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("*.tmp\n")
    (tmp_path / ".gitignore").write_text("build/\n*.log\n")
    (tmp_path / "src" / "build").mkdir(parents=True)
    for name in ("a.log", "src/a.log", "src/keep.log", "src/b.tmp", "src/build/x", "src/c.py"):
        (tmp_path / name).write_text("")
    (tmp_path / "src" / ".gitignore").write_text("!keep.log\n")
    everything = data_of(await call(LIST, tmp_path, path="src", depth=3))
    assert set(kinds(everything)) == {".gitignore", "a.log", "b.tmp", "build", "build/x", "c.py", "keep.log"}
    kept = data_of(await call(LIST, tmp_path, path="src", depth=3, ignore=True))
    assert set(kinds(kept)) == {".gitignore", "c.py", "keep.log"}


async def test_links_are_told_and_neither_followed_nor_is_where_they_lead_outside(tmp_path: Path) -> None:
    workspace = tmp_path / "work"
    (workspace / "real").mkdir(parents=True)
    (workspace / "real" / "a").write_text("")
    (tmp_path / "secret-place").mkdir()
    for name, target in (("in", "real"), ("out", "../secret-place"), ("loop", "loop"), ("gone", "nothing")):
        (workspace / name).symlink_to(target)
    outcome = await call(LIST, workspace, depth=5)
    leads = {entry["name"]: entry["leads"] for entry in data_of(outcome)["entries"] if entry["kind"] == "link"}
    assert leads == {"in": "real", "out": "outside the workspace", "loop": "nowhere", "gone": "nowhere"}
    assert set(kinds(outcome.data)) == {"real", "real/a", *leads}
    assert "secret-place" not in outcome.for_model()


async def test_pipes_and_sockets_are_told_and_do_not_hold_anybody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # the path of a socket may not be long
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert kinds(data_of(await call(LIST, tmp_path))) == {"pipe": "other", "socket": "other"}


@keeps("builtin.paged")
async def test_a_folder_of_thousands_is_given_in_pages(tmp_path: Path) -> None:
    for number in range(1_200):
        (tmp_path / f"{number:04}").touch()
    first = await call(LIST, tmp_path)
    assert (len(data_of(first)["entries"]), first.data["total"], first.message) == (500, 1_200, "1,200 entries")
    assert first.suggestions == ("Not on this page: 700 more entries. Go on with offset=500, or look more closely.",)
    last = await call(LIST, tmp_path, offset=1_000)
    assert [entry["name"] for entry in data_of(last)["entries"]] == [f"{number:04}" for number in range(1_000, 1_200)]
    assert last.suggestions == ()
    beyond = await call(LIST, tmp_path, offset=5_000)
    assert beyond.suggestions == ("The last of 1,200 entries comes before that: give a smaller offset.",)


async def test_names_may_hold_anything_that_a_name_can(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9")).mkdir()
    (tmp_path / "new\nline").write_text("")
    outcome = await call(LIST, tmp_path)
    assert set(kinds(data_of(outcome))) == {"caf�", "new\nline"}
    assert outcome.to_json()


@pytest.mark.parametrize(
    ("path", "code"),
    [("file", "not_a_folder"), ("missing", "cannot_read"), ("..", "validation_failed"), ("out", "validation_failed")],
)
async def test_what_cannot_be_listed_is_said(tmp_path: Path, path: str, code: str) -> None:
    workspace = tmp_path / "work"
    workspace.mkdir()
    (workspace / "file").write_text("")
    (workspace / "out").symlink_to(tmp_path)
    outcome = await call(LIST, workspace, path=path)
    assert (outcome.success, outcome.error_code) == (False, code)


async def test_folders_too_deep_to_look_into_are_named(tmp_path: Path) -> None:
    names = ["d"] * 160
    (tmp_path / "/".join(names[:80])).mkdir(parents=True)
    (tmp_path / "/".join(names)).mkdir(parents=True)
    walk = Walk(tmp_path)
    assert len(list(walk)) == 150
    assert walk.unreadable == ["/".join(names[:150])]


def test_a_folder_that_is_gone_or_swapped_on_the_way_is_noted(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / "w" / name / "inner").mkdir(parents=True)
    (tmp_path / "outside" / "secret").mkdir(parents=True)
    walk = Walk(tmp_path / "w")
    seen = []
    for found in walk:
        seen.append(found.path)
        if found.path == "a":
            (tmp_path / "w" / "b").rename(tmp_path / "w" / "moved")
            (tmp_path / "w" / "b").symlink_to(tmp_path / "outside")
        if found.path == "c":
            (tmp_path / "w" / "c").rename(tmp_path / "w" / "away")
    assert seen == ["a", "a/inner", "b", "c"], "and nothing of what lies outside"
    assert walk.unreadable == ["c"]


def test_a_walk_that_is_no_longer_wanted_ends(tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / str(number)).touch()
    seen: list[str] = []
    seen.extend(found.name for found in Walk(tmp_path, cancelled=lambda: len(seen) == 3))
    assert seen == ["0", "1", "2"]


def test_it_passes_what_every_tool_should(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert_valid_tool(LIST, [{"depth": 3}], workspace=tmp_path)
    assert LIST.summarize({"path": "src"}) == "List 'src'"
