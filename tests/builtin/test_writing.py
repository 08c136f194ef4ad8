from __future__ import annotations

import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolwright as tw
from tests.builtin.calls import call, data_of, names_in
from tests.promises import keeps
from toolwright.builtin.folders import Folder
from toolwright.builtin.replacing import ChangedMeanwhile, Current, diff_of, read_current, replace_file
from toolwright.execution import Decision, ReviewRequest
from toolwright.testing import assert_valid_tool

WRITE = tw.builtin.write_file


def left_over(folder: Path) -> list[str]:
    return [name for name in names_in(folder) if name.startswith(".toolwright")]


@keeps("builtin.write_file")
async def test_it_makes_a_file_with_its_folders_and_says_so(tmp_path: Path) -> None:
    outcome = await call(WRITE, tmp_path, path="a/b/c.txt", content="größer\n")
    digest = sha256("größer\n".encode()).hexdigest()
    assert data_of(outcome) == {"path": "a/b/c.txt", "status": "created", "size": 9, "sha256": digest}
    assert outcome.message == "a/b/c.txt created, 9 bytes"
    (artifact,) = outcome.artifacts
    assert (artifact.path, artifact.sha256, artifact.is_new) == ("a/b/c.txt", digest, True)
    assert (tmp_path / "a/b/c.txt").read_text(encoding="utf-8") == "größer\n"
    assert left_over(tmp_path / "a/b") == []


@keeps("builtin.write_file")
async def test_it_replaces_a_file_and_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    file.write_text("old")
    file.chmod(0o750)
    before = file.stat().st_ino
    assert data_of(await call(WRITE, tmp_path, path="run.sh", content="new"))["status"] == "changed"
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("new", 0o750)
    assert file.stat().st_ino != before, "another file took the name, in one step"


async def test_what_is_there_already_is_not_written_again(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("same")
    before = file.stat()
    assert data_of(await call(WRITE, tmp_path, path="a.txt", content="same"))["status"] == "unchanged"
    assert file.stat().st_ino == before.st_ino


@keeps("builtin.expected_sha256")
async def test_a_lost_update_is_prevented(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one")
    seen = sha256(b"one").hexdigest()
    file.write_text("somebody else's")
    outcome = await call(WRITE, tmp_path, path="a.txt", content="two", expected_sha256=seen)
    assert (outcome.success, outcome.error_code) == (False, "changed_meanwhile")
    assert file.read_text() == "somebody else's"
    now = sha256(b"somebody else's").hexdigest().upper()
    assert (await call(WRITE, tmp_path, path="a.txt", content="two", expected_sha256=now)).success
    missing = await call(WRITE, tmp_path, path="b.txt", content="two", expected_sha256=now)
    assert missing.error_code == "changed_meanwhile"
    assert not (tmp_path / "b.txt").exists()


def test_a_file_that_changes_while_it_is_being_replaced_keeps_the_change(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one")
    with Folder.open(tmp_path, ()) as folder:
        current = read_current(folder, "a.txt", most=100)
        file.write_text("longer than before")
        with pytest.raises(ChangedMeanwhile):
            replace_file(folder, "a.txt", b"two", current)
        nothing = read_current(folder, "new.txt", most=100)
        (tmp_path / "new.txt").write_text("came meanwhile")
        with pytest.raises(ChangedMeanwhile):
            replace_file(folder, "new.txt", b"two", nothing)
    assert (file.read_text(), (tmp_path / "new.txt").read_text()) == ("longer than before", "came meanwhile")
    assert left_over(tmp_path) == []


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    with Folder.open(tmp_path, ()) as folder, pytest.raises(OSError, match="directory"):
        replace_file(folder, "folder", b"text", Current(None, folder.status("folder")))
    assert names_in(tmp_path) == ["folder"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (".", "cannot_write"),
        ("folder", "cannot_write"),
        ("file/below", "cannot_write"),
        ("x" * 300, "cannot_write"),
        ("../out.txt", "validation_failed"),
        ("/etc/out.txt", "validation_failed"),
        ("out/x.txt", "validation_failed"),
        ("out.txt", "validation_failed"),
        ("pipe", "path_outside_workspace"),
    ],
)
async def test_what_cannot_be_written_is_said_and_left_as_it_is(tmp_path: Path, path: str, code: str) -> None:
    workspace = tmp_path / "work"
    (workspace / "folder").mkdir(parents=True)
    (workspace / "file").write_text("file")
    outside = tmp_path / "outside"
    outside.mkdir()
    (workspace / "out").symlink_to(outside)
    (workspace / "out.txt").symlink_to(outside / "new.txt")
    os.mkfifo(workspace / "pipe")
    before = names_in(workspace)
    outcome = await call(WRITE, workspace, path=path, content="text")
    assert (outcome.success, outcome.error_code) == (False, code)
    assert str(tmp_path) not in (outcome.error or "")
    assert (names_in(workspace), names_in(outside)) == (before, [])
    assert (workspace / "file").read_text() == "file"


async def test_halves_of_characters_are_not_written(tmp_path: Path) -> None:
    outcome = await call(WRITE, tmp_path, path="a.txt", content="half \ud800")
    assert (outcome.error_code, names_in(tmp_path)) == ("validation_failed", [])


async def test_a_link_inside_is_followed_to_the_file_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    assert data_of(await call(WRITE, tmp_path, path="link.txt", content="new"))["path"] == "real.txt"
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_folder_that_becomes_a_link_is_not_gone_through(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "work", tmp_path / "outside"
    for each in (workspace / "sub", outside):
        each.mkdir(parents=True)
    with Folder.open(workspace, ("sub",)) as folder:  # what was opened stays what is written to
        (workspace / "sub").rename(workspace / "moved")
        (workspace / "sub").symlink_to(outside)
        replace_file(folder, "a.txt", b"text", Current(None, None))
    assert (workspace / "moved" / "a.txt").read_text() == "text"
    assert names_in(outside) == []
    with pytest.raises(tw.PathOutsideWorkspaceError):
        Folder.open(workspace, ("sub",))


async def test_a_file_that_is_too_large_to_look_at_is_not_replaced(tmp_path: Path) -> None:
    with (tmp_path / "big.bin").open("wb") as file:
        file.truncate(5 * 2**30)  # sparse: nothing is written
    outcome = await call(WRITE, tmp_path, path="big.bin", content="small")
    assert outcome.error_code == "cannot_write"
    assert (tmp_path / "big.bin").stat().st_size == 5 * 2**30


async def test_names_may_hold_anything_that_a_name_can(tmp_path: Path) -> None:
    for name in ("a b", "new\nline", "-rf", "ü", "*", "~", "$HOME", "a\\b", ".hidden"):
        assert data_of(await call(WRITE, tmp_path, path=name, content=name))["path"] == name
        assert (tmp_path / name).read_text() == name


@keeps("builtin.write_file_diff")
async def test_whoever_approves_a_write_sees_what_it_changes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    shown: list[ReviewRequest] = []

    async def look(request: ReviewRequest) -> Decision:
        shown.append(request)
        return Decision.approve()

    executor = tw.Executor(tw.builtin.registry(tmp_path), reviewer=look)
    for path, content in (("a.txt", "one\n2\nthree\n"), ("b.txt", "new\n")):
        await executor.execute(tw.ToolCall.new("write_file", path=path, content=content), workspace=tmp_path)
    assert [request.diff for request in shown] == [
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
        "--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+new\n",
    ]
    assert shown[0].summary == "Write 12 characters to 'a.txt'"
    assert (tmp_path / "a.txt").read_text() == "one\n2\nthree\n"


@keeps("builtin.write_file_diff")
def test_what_is_no_text_or_too_much_is_told_by_its_size(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\0\1\2")
    assert diff_of(tmp_path, "a.bin", b"text") == "--- a.bin\n+++ a.bin\n(not shown: 3 bytes before, 4 bytes after)\n"
    huge = diff_of(tmp_path, "new", b"x" * 1_000_000)
    assert huge == "--- new\n+++ new\n(not shown: no file before, 1,000,000 bytes after)\n"
    assert diff_of(tmp_path, "../out", b"x") is None
    assert diff_of(None, "a", b"x") is None
    (tmp_path / "broken.txt").write_bytes(b"\xef\xbb\xbf\xff")
    assert "(not shown" in str(diff_of(tmp_path, "broken.txt", b"x"))


def test_a_diff_of_two_great_texts_is_cut_and_takes_no_time(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("".join(f"{number}\n" for number in range(30_000)))
    diff = diff_of(tmp_path, "a", "".join(f"{number}\n" for number in range(30_000, 0, -1)).encode())
    assert diff is not None
    assert diff.endswith("(and 58,001 more lines)\n")


def applied(before: str, diff: str) -> str:
    """Return what a diff makes of a text."""
    lines = before.split("\n")
    made: list[str] = []
    place = 0
    for line in diff.split("\n")[2:-1]:
        if line.startswith("@@"):
            start, _, count = line.split(" ")[1][1:].partition(",")
            until = int(start) - (count != "0")
            made += lines[place:until]
            place = until
        elif line.startswith("+"):
            made.append(line[1:])
        elif line.startswith("\\"):
            continue
        else:
            assert lines[place] == line[1:]
            made += [line[1:]] if line.startswith(" ") else []
            place += 1
    return "\n".join([*made, *lines[place:]])


TEXTS = st.lists(st.sampled_from(["a", "b", "", "- c", "+ d", "@@ e"]), max_size=30).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@given(before=TEXTS, after=TEXTS)
def test_a_diff_leads_from_the_one_text_to_the_other(
    tmp_path_factory: pytest.TempPathFactory, before: str, after: str
) -> None:
    workspace = tmp_path_factory.getbasetemp()
    (workspace / "diffed.txt").write_text(before)
    diff = diff_of(workspace, "diffed.txt", after.encode())
    assert diff is not None
    assert applied(before, diff) == after


def test_it_passes_what_every_tool_should(tmp_path: Path) -> None:
    runs: list[dict[str, Any]] = [{"path": "a/b.txt", "content": "x" * 100_000}]
    assert_valid_tool(WRITE, runs, workspace=tmp_path)
