"""What may not be read or written by whoever runs this: said, counted, and left as it is."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import toolwright as tw
from tests.builtin.calls import call, data_of, names_in

_NOBODY = 65_534


@contextmanager
def without_privileges() -> Iterator[None]:
    """Be somebody whom rights are asked of, as root is not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def workspace() -> Iterator[Path]:
    """A folder that everybody can go into, and a part of it that nobody else can."""
    root = Path(tempfile.mkdtemp())  # that of pytest is closed to others
    (root / "closed").mkdir()
    (root / "closed" / "in.txt").write_text("hit")
    (root / "fixed").mkdir()
    for name in ("open.txt", "secret.txt", "still.txt"):
        (root / name).write_text("hit")
    if os.geteuid() == 0:
        for path in (root, *root.glob("*.txt")):
            os.chown(path, _NOBODY, _NOBODY)
    (root / "secret.txt").chmod(0o000)
    (root / "still.txt").chmod(0o444)
    (root / "closed").chmod(0o000)
    (root / "fixed").chmod(0o555)
    root.chmod(0o755)
    yield root
    for name in ("closed", "fixed"):
        (root / name).chmod(0o755)
    shutil.rmtree(root)


async def test_what_may_not_be_read_is_said(workspace: Path) -> None:
    with without_privileges():
        for path in ("secret.txt", "closed/in.txt"):
            assert (await call(tw.builtin.read_file, workspace, path=path)).error_code == "cannot_read"
        listed = data_of(await call(tw.builtin.list_directory, workspace, depth=3))
        closed = await call(tw.builtin.list_directory, workspace, path="closed")
        globbed = data_of(await call(tw.builtin.glob, workspace, pattern="**/*.txt", order="name"))
        found = data_of(await call(tw.builtin.search_text, workspace, pattern="hit"))
        one = await call(tw.builtin.search_text, workspace, pattern="hit", path="secret.txt")
    assert (listed["unreadable"], closed.error_code) == (("closed",), "cannot_read")
    assert (globbed["paths"], globbed["unreadable"]) == (("open.txt", "secret.txt", "still.txt"), ("closed",))
    assert [each["path"] for each in found["files"]] == ["open.txt", "still.txt"]
    assert found["skipped"] == {"unreadable files": 1, "unreadable folders": 1}
    assert one.error_code == "cannot_read"


async def test_what_may_not_be_written_is_left_as_it_is(workspace: Path) -> None:
    with without_privileges():
        for path in ("secret.txt", "still.txt", "closed/in.txt", "closed/new/x.txt", "fixed/new.txt", "fixed/a/b.txt"):
            outcome = await call(tw.builtin.write_file, workspace, path=path, content="new")
            assert (outcome.success, outcome.error_code) == (False, "cannot_write"), path
        edited = await call(tw.builtin.edit_file, workspace, path="still.txt", old="hit", new="new")
        written = await call(tw.builtin.write_file, workspace, path="open.txt", content="new")
    assert (edited.error_code, written.success) == ("cannot_write", True)
    assert (workspace / "still.txt").read_text() == "hit"
    assert names_in(workspace) == ["closed", "fixed", "open.txt", "secret.txt", "still.txt"]
