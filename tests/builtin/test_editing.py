from __future__ import annotations

import os
import stat
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolwright as tw
from tests.builtin.calls import call, data_of, names_in
from tests.promises import keeps
from toolwright.testing import assert_valid_tool

EDIT = tw.builtin.edit_file


@keeps("builtin.edit_file")
async def test_it_replaces_what_is_there_exactly_once(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 1\ny = 2\n")
    file.chmod(0o600)
    outcome = await call(EDIT, tmp_path, path="a.py", old="y = 2", new="y = 3")
    assert data_of(outcome)["status"] == "changed"
    assert file.read_text() == "x = 1\ny = 3\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@keeps("builtin.edit_file")
@pytest.mark.parametrize(
    ("content", "old", "new", "code"),
    [
        (b"one two", "three", "x", "no_match"),
        (b"one one", "one", "x", "several_matches"),
        (b"aaa", "aa", "b", "several_matches"),
        (b"one", "one", "one", "no_change"),
        (b"\0one", "one", "x", "binary_file"),
        (b"\xef\xbb\xbfone\xff", "one", "x", "not_text"),
        (b"caf\xe9 one", "one", "€", "not_text"),
    ],
)
async def test_anything_else_changes_nothing_and_is_said(
    tmp_path: Path, content: bytes, old: str, new: str, code: str
) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    outcome = await call(EDIT, tmp_path, path="a.txt", old=old, new=new)
    assert (outcome.success, outcome.error_code) == (False, code)
    assert (tmp_path / "a.txt").read_bytes() == content


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ("one\r\ntwo\r\n", "one\ntwo", "1\n2", "1\r\n2\r\n"),
        ("one\r\ntwo\r\n", "one", "1\nand", "1\r\nand\r\ntwo\r\n"),
        ("one\r\ntwo\r\n", "one\r\n", "1\n", "1\ntwo\r\n"),
        ("a\r\nb\nc\nd\ne\n", "c\nd", "c\nx\nd", "a\r\nb\nc\nx\nd\ne\n"),
        ("a\r\nb\nc\nd\ne\n", "c", "c\nx", "a\r\nb\nc\nx\nd\ne\n"),
        ("a\r\nb\r\nc\n", "a\nb", "a\r\n", "a\r\n\r\nc\n"),
        ("one\ntwo\n", "one", "1\r\n", "1\r\n\ntwo\n"),
    ],
)
async def test_the_line_ends_of_the_place_are_kept(tmp_path: Path, before: str, old: str, new: str, after: str) -> None:
    (tmp_path / "a.txt").write_bytes(before.encode())
    data_of(await call(EDIT, tmp_path, path="a.txt", old=old, new=new))
    assert (tmp_path / "a.txt").read_bytes().decode() == after


@given(
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
    before=st.text("äß€😀 x\n", max_size=20),
    after=st.text("äß€😀 x\n", max_size=20),
    new=st.text("äß€😀 y\n", max_size=10),
)
async def test_the_encoding_and_all_that_is_around_the_place_are_kept(
    tmp_path_factory: pytest.TempPathFactory, encoding: str, before: str, after: str, new: str
) -> None:
    file = tmp_path_factory.getbasetemp() / "encoded.txt"
    file.write_bytes(f"{before}HERE{after}".encode(encoding))
    data_of(await call(EDIT, file.parent, path=file.name, old="HERE", new=new))
    assert file.read_bytes() == f"{before}{new}{after}".encode(encoding)


async def test_a_text_in_latin_1_stays_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("café au lait".encode("latin-1"))
    data_of(await call(EDIT, tmp_path, path="a.txt", old="é au", new="é sans"))
    assert (tmp_path / "a.txt").read_bytes() == "café sans lait".encode("latin-1")


@keeps("builtin.expected_sha256")
async def test_another_version_than_the_one_that_was_read_is_not_changed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two")
    seen = sha256(b"one").hexdigest()
    outcome = await call(EDIT, tmp_path, path="a.txt", old="one", new="1", expected_sha256=seen)
    assert outcome.error_code == "changed_meanwhile"
    now = sha256(b"one two").hexdigest()
    assert (await call(EDIT, tmp_path, path="a.txt", old="one", new="1", expected_sha256=now)).success


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("missing.txt", "cannot_read"),
        ("no/folder.txt", "cannot_write"),
        (".", "cannot_write"),
        ("folder", "cannot_write"),
        ("pipe", "path_outside_workspace"),
        ("../x", "validation_failed"),
    ],
)
async def test_what_cannot_be_edited_is_said(tmp_path: Path, path: str, code: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    outcome = await call(EDIT, tmp_path, path=path, old="a", new="b")
    assert (outcome.success, outcome.error_code) == (False, code)
    assert names_in(tmp_path) == ["folder", "pipe"]


async def test_whoever_approves_an_edit_sees_what_it_changes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    diff = EDIT.diff
    assert diff is not None
    shown = diff({"path": "a.txt", "old": "one\ntwo", "new": "1\n2"}, tmp_path)
    assert shown == "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\r\n-two\r\n+1\r\n+2\r\n"
    assert diff({"path": "a.txt", "old": "three", "new": "3"}, tmp_path) is None
    assert EDIT.summarize({"path": "a.txt", "old": "one", "new": "1"}) == "Change one place of 'a.txt'"


def test_it_passes_what_every_tool_should(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n" + "x\n" * 100_000)
    assert_valid_tool(EDIT, [{"path": "a.txt", "old": "one", "new": "1"}], workspace=tmp_path)
