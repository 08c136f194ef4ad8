"""What is ignored is what git ignores: git itself says so."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.builtin.ignoring import NOTHING_IGNORED, rules_of
from toolwright.builtin.walking import Walk

# Two stars beside a letter and before a slash are left out: what git makes of them depends on where its buffers lie.
SEGMENTS = st.just("**") | st.lists(
    st.sampled_from(["a", "b", "ab", "*", "?", "[ab]", "[!a]", "[a-b]", "\\*", "*.", "x y", "[]a]", "é"]),
    min_size=1,
    max_size=3,
).map("".join).filter(lambda segment: "**" not in segment)
LINES = st.builds(
    lambda negated, anchored, names, folder, blanks: f"{negated}{anchored}{'/'.join(names)}{folder}{blanks}",
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(SEGMENTS, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
    st.sampled_from(["", "", " ", "\\ ", "\r"]),
)
GIT = shutil.which("git") or "git"
NAMES = ["a", "b", "ab", "x y", "é", "a*b", "]"]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tree in which every name is there as a file, and as a folder with the same names in it."""
    root = tmp_path_factory.mktemp("repository")
    subprocess.run([GIT, "init", "-q", root], check=True, timeout=60)
    for name in NAMES:
        (root / name).touch()
        for inner in NAMES:
            (root / "d" / inner).mkdir(parents=True, exist_ok=True)
            (root / "d" / inner / name).touch()
    return root


def ignored_by_git(root: Path, paths: list[str]) -> set[str]:
    given_paths = b"\0".join(os.fsencode(path) for path in paths)
    command = [GIT, "-C", os.fspath(root), "check-ignore", "-z", "--no-index", "--stdin"]
    child = subprocess.run(command, input=given_paths, capture_output=True, check=False, timeout=60)
    assert child.returncode in (0, 1), child.stderr
    return {os.fsdecode(path) for path in child.stdout.split(b"\0") if path}


def everything_below(root: Path) -> list[str]:
    return [found.path for found in Walk(root) if not found.path.startswith(".git")]


@keeps("builtin.gitignore")
@given(top=st.lists(LINES, max_size=4), inner=st.lists(LINES, max_size=2))
@settings(max_examples=60)
@example(top=["a**b", "/**/ab/", "!**/a"], inner=["*"])
@example(top=["?", "[!a]"], inner=["é", "[é]"])
@example(top=["# a", "\\#a", "\\!b", "", "a\\"], inner=["[a", "[!]", "a//b", "/"])
def test_what_is_left_out_is_what_git_ignores(repository: Path, top: list[str], inner: list[str]) -> None:
    (repository / ".gitignore").write_text("\n".join(top), encoding="utf-8", newline="")
    (repository / "d" / ".gitignore").write_text("\n".join(inner) + "\n", encoding="utf-8", newline="")
    by_git = ignored_by_git(repository, everything_below(repository))
    kept = {found.path for found in Walk(repository, ignore=True)}
    assert kept == {path for path in (".gitignore", "d/.gitignore") if path in kept} | {
        path for path in everything_below(repository) if path not in by_git and not path.endswith(".gitignore")
    }


def test_a_file_without_rules_says_nothing() -> None:
    assert rules_of(b"\n# only remarks\n\n", "") is None
    assert not NOTHING_IGNORED.within(None).holds("a", is_folder=False)


def test_a_mark_at_the_beginning_and_windows_lines_are_read_through() -> None:
    rules = rules_of("\ufeffa\r\nb/\r\n".encode(), "")
    ignored = NOTHING_IGNORED.within(rules)
    assert ignored.holds("x/a", is_folder=False)
    assert ignored.holds("b", is_folder=True)
    assert not ignored.holds("b", is_folder=False)


def test_thousands_of_rules_and_rules_that_backtrack_elsewhere_take_no_time() -> None:
    lines = [f"file{number}.*" for number in range(3_000)] + ["*a" * 200 + "b", "**/" * 200 + "z"]
    ignored = NOTHING_IGNORED.within(rules_of("\n".join(lines).encode(), ""))
    assert ignored.holds("x/file2999.py", is_folder=False)
    assert not ignored.holds("a" * 5_000, is_folder=False)


def test_rules_that_are_no_file_are_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / "a").touch()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / ".gitignore").symlink_to("/dev/zero")
    assert [found.path for found in Walk(tmp_path, ignore=True)] == [".gitignore", "a", "b", "b/.gitignore"]
    assert [found.path for found in Walk(tmp_path, ("b",), ignore=True)] == ["b/.gitignore"]
