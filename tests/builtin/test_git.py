from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import toolwright as tw
from tests.builtin.calls import call, data_of, names_in
from tests.promises import keeps
from toolwright.testing import assert_valid_tool

GIT = shutil.which("git") or "git"


def git(root: Path, *words: str) -> str:
    names = ["-c", "user.name=A Person", "-c", "user.email=person@example.org", "-c", "init.defaultBranch=main"]
    child = subprocess.run([GIT, "-C", root, *names, *words], capture_output=True, text=True, check=True, timeout=60)
    return child.stdout


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, and a user who is known."""
    home, root = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    root.mkdir()
    (home / ".gitconfig").write_text("[user]\nname = A Person\nemail = person@example.org\n")
    monkeypatch.setenv("HOME", str(home))
    git(root, "init", "-q")
    (root / "a.txt").write_text("one\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Begin with one")
    return root


@keeps("builtin.git")
async def test_status_and_differences_are_told(root: Path) -> None:
    (root / "a.txt").write_text("two\n")
    (root / "ä new.txt").write_text("new\n")
    status = data_of(await call(tw.builtin.git_status, root))
    assert status == '## main\n M a.txt\n?? "ä new.txt"\n'
    assert "-one\n+two" in data_of(await call(tw.builtin.git_diff, root))
    assert data_of(await call(tw.builtin.git_diff, root, staged=True)) == ""
    assert data_of(await call(tw.builtin.git_diff, root, paths=["ä new.txt"])) == ""
    git(root, "add", "a.txt")
    assert "+two" in data_of(await call(tw.builtin.git_diff, root, staged=True, paths=["a.txt"]))
    assert "+two" in data_of(await call(tw.builtin.git_diff, root, revision="HEAD"))


@keeps("builtin.git")
async def test_commits_are_listed_and_shown(root: Path) -> None:
    (root / "a.txt").write_text("two\n")
    git(root, "commit", "-q", "-am", "Make it two")
    outcome = await call(tw.builtin.git_log, root)
    first, second = data_of(outcome).splitlines()
    assert (first.partition(": ")[2], second.partition(": ")[2]) == ("Make it two", "Begin with one")
    assert data_of(await call(tw.builtin.git_log, root, limit=1, skip=1)).strip() == second
    assert data_of(await call(tw.builtin.git_log, root, revision="HEAD~1..HEAD", paths=["a.txt"])).strip() == first
    assert data_of(await call(tw.builtin.git_log, root, paths=["none.txt"])) == ""
    shown = data_of(await call(tw.builtin.git_show, root))
    assert "Make it two" in shown
    assert "-one\n+two" in shown
    assert "+one" in data_of(await call(tw.builtin.git_show, root, revision="HEAD~1", paths=["a.txt"]))


@keeps("builtin.git")
async def test_exactly_the_files_that_are_named_are_committed(root: Path) -> None:
    (root / "a.txt").write_text("two\n")
    (root / "b.txt").write_text("new\n")
    (root / "*").write_text("star\n")
    (root / "c.txt").write_text("not this one\n")
    git(root, "add", "c.txt")
    message = "Change what is named\n\nBecause.\n# not a remark"
    outcome = await call(tw.builtin.git_commit, root, message=message, paths=["a.txt", "b.txt", "*"])
    data_of(outcome)
    assert git(root, "log", "-1", "--format=%B").strip() == message
    assert set(git(root, "show", "--name-only", "--format=").split()) == {"a.txt", "b.txt", "*"}
    assert "A  c.txt" in git(root, "status", "--short")
    nothing = await call(tw.builtin.git_commit, root, message="Again", paths=["a.txt"])
    assert (nothing.success, nothing.error_code) == (False, "git_failed")
    assert tw.builtin.git_commit.summarize({"message": "One\ntwo", "paths": ["a"]}) == "Commit 1 path: 'One\\ntwo'"


PROGRAMS = {
    "core.fsmonitor": "{program}",
    "core.hooksPath": "{hooks}",
    "core.pager": "{program}",
    "core.editor": "{program}",
    "diff.external": "{program}",
    "diff.bad.command": "{program}",
    "diff.bad.textconv": "{program}",
    "filter.bad.clean": "{program}",
    "filter.bad.smudge": "{program}",
    "filter.bad.process": "{program}",
    "filter.bad.required": "true",
    "commit.gpgSign": "true",
    "gpg.program": "{program}",
    "log.showSignature": "true",
    "core.sshCommand": "{program}",
    "credential.helper": "{program}",
    "core.askPass": "{program}",
    "sequence.editor": "{program}",
    "core.alternateRefsCommand": "{program}",
    "alias.status": "!{program}",
    "alias.log": "!{program}",
    "interactive.diffFilter": "{program}",
    "format.pretty": "%G? %GG",
    "hook.bad.event": "post-commit",
    "hook.bad.command": "{program}",
}


def commit_signed(root: Path) -> None:
    """Commit as a stranger may: with a signature, which only a program can check."""
    head, _, message = git(root, "cat-file", "commit", "HEAD").partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    written = [GIT, "-C", str(root), "hash-object", "-t", "commit", "-w", "--stdin"]
    text = f"{head}\n{signature}\n\n{message}"
    commit = subprocess.run(written, input=text, capture_output=True, text=True, check=True, timeout=60).stdout
    git(root, "update-ref", "HEAD", commit.strip())


async def test_no_program_that_a_repository_names_is_run(root: Path, tmp_path: Path) -> None:
    program, ran, hooks = tmp_path / "program", tmp_path / "ran", root / ".git" / "hooks"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> {ran}\ncat\n')
    program.chmod(0o755)
    names = ["pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "post-index-change"]
    for name in names:
        shutil.copy(program, hooks / name)
    for key, value in PROGRAMS.items():
        git(root, "config", key, value.format(program=program, hooks=hooks))
    (root / ".gitattributes").write_text("* filter=bad diff=bad\n")
    (root / "a.txt").write_text("two\n")
    commit_signed(root)
    calls: list[tuple[tw.Tool, dict[str, Any]]] = [
        (tw.builtin.git_status, {}),
        (tw.builtin.git_diff, {}),
        (tw.builtin.git_diff, {"revision": "HEAD"}),
        (tw.builtin.git_log, {}),
        (tw.builtin.git_show, {}),
    ]
    for tool, arguments in calls:
        data_of(await call(tool, root, **arguments))
    refused = await call(tw.builtin.git_commit, root, message="x", paths=["a.txt"])
    assert refused.error_code == "names_programs"
    for key in PROGRAMS:
        if key.startswith(("filter", "diff", "hook")):
            git(root, "config", "--unset-all", key)
    data_of(await call(tw.builtin.git_commit, root, message="x", paths=["a.txt"]))
    assert not ran.exists(), ran.read_text()
    git(root, "status")
    assert ran.exists(), "git by itself would have run them"


async def test_a_repository_s_configuration_that_is_included_is_its_own(root: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (root / "more.cfg").write_text(f'[filter "x"]\nclean = touch {ran}; cat\n[core]\nfsmonitor = "touch {ran}; true"\n')
    git(root, "config", "include.path", "../more.cfg")
    (root / ".gitattributes").write_text("* filter=x\n")
    (root / "a.txt").write_text("two\n")
    for tool in (tw.builtin.git_status, tw.builtin.git_diff):
        data_of(await call(tool, root))
    assert (await call(tw.builtin.git_commit, root, message="x", paths=["a.txt"])).error_code == "names_programs"
    assert not ran.exists()


@pytest.mark.parametrize("revision", ["--output=x", "-p", "", "a\nb", "--no-index"])
async def test_no_argument_is_taken_for_an_option(root: Path, revision: str) -> None:
    for tool in (tw.builtin.git_diff, tw.builtin.git_log, tw.builtin.git_show):
        assert (await call(tool, root, revision=revision)).error_code == "validation_failed"
    outcome = await call(tw.builtin.git_show, root, revision="no-such-thing")
    assert outcome.error_code == "git_failed"
    assert not (root / "x").exists()


async def test_paths_stay_in_the_workspace_and_mean_what_they_say(root: Path) -> None:
    (root / "-p").write_text("x")
    (root / ":(top)a").write_text("x")
    for name in ("-p", ":(top)a"):
        data_of(await call(tw.builtin.git_commit, root, message="Add it", paths=[name]))
    assert git(root, "ls-files").split() == ["-p", ":(top)a", "a.txt"]
    for path in ("..", "/etc/passwd"):
        assert (await call(tw.builtin.git_diff, root, paths=[path])).error_code == "validation_failed"


async def test_only_the_repository_of_the_workspace_is_looked_at(root: Path, tmp_path: Path) -> None:
    (root / "sub").mkdir()
    assert (await call(tw.builtin.git_status, root / "sub")).error_code == "no_repository"
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").symlink_to(root / ".git")
    assert (await call(tw.builtin.git_status, linked)).error_code == "no_repository"
    (linked / ".git").unlink()
    (linked / ".git").write_text(f"gitdir: {root}/.git\n")
    assert (await call(tw.builtin.git_status, linked)).error_code == "no_repository"
    (root / ".git" / "objects" / "info" / "alternates").write_text(f"{tmp_path}/elsewhere/objects\n")
    outcome = await call(tw.builtin.git_log, root)
    assert (outcome.error_code, "outside" in (outcome.error or "")) == ("no_repository", True)


async def test_another_working_folder_in_the_configuration_does_not_count(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret\n")
    git(root, "config", "core.worktree", str(outside))
    assert data_of(await call(tw.builtin.git_status, root)) == "## main\n"


async def test_a_git_of_the_workspace_is_not_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "git").write_text("#!/bin/sh\ntouch ran\n")
    (root / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(root))
    assert (await call(tw.builtin.git_status, root)).error_code == "no_git"
    monkeypatch.setenv("PATH", "/nowhere")
    assert not tw.builtin.git_status.available


async def test_of_a_difference_without_end_a_part_is_given(root: Path) -> None:
    (root / "a.txt").write_text("".join(f"line {number}\n" for number in range(100_000)))
    outcome = await call(tw.builtin.git_diff, root)
    assert len(data_of(outcome)) < 401_000
    assert outcome.suggestions == ("Something was left out: name paths, or fewer commits.",)


def test_each_passes_what_every_tool_should(root: Path) -> None:
    for tool in tw.builtin.git_tools:
        runs = [] if tool.definition.side_effects else [dict[str, Any]()]
        assert_valid_tool(tool, runs, workspace=root)
    assert names_in(root) == [".git", "a.txt"]


async def test_the_first_commit_folders_and_files_that_are_gone_can_be_committed(root: Path) -> None:
    shutil.rmtree(root / ".git")
    git(root, "init", "-q")
    (root / "sub").mkdir()
    (root / "sub" / "b.txt").write_text("b\n")
    data_of(await call(tw.builtin.git_commit, root, message="Begin", paths=["sub", "a.txt"]))
    assert git(root, "ls-files").split() == ["a.txt", "sub/b.txt"]
    (root / "a.txt").unlink()
    data_of(await call(tw.builtin.git_commit, root, message="Drop it", paths=["a.txt"]))
    assert git(root, "ls-files").split() == ["sub/b.txt"]
    missing = await call(tw.builtin.git_commit, root, message="x", paths=["never.txt"])
    assert (missing.error_code, "never.txt" in (missing.error or "")) == ("git_failed", True)


async def test_of_a_configuration_that_cannot_be_read_whole_nothing_is_run(root: Path, tmp_path: Path) -> None:
    """What names a program could stand in the part that is left out."""
    ran, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    (root / ".gitattributes").write_text("* filter=bad\n")
    (root / "a.txt").write_text("two\n")
    many = [f'[filter "{"x" * 60}{number}"]\n\tclean = x\n' for number in range(8_000)]
    many.insert(4_000, f'[filter "bad"]\n\tclean = {program}\n')
    config = root / ".git" / "config"
    for added in ("".join(many), "[no section\n"):
        config.write_text(config.read_text() + added)
        outcome = await call(tw.builtin.git_diff, root)
        assert (outcome.error_code, "configuration cannot be used" in (outcome.error or "")) == ("git_failed", True)
    assert not ran.exists()


async def test_objects_are_not_read_through_links(root: Path, tmp_path: Path) -> None:
    own, other = root / ".git" / "objects", tmp_path / "other"
    assert (await call(tw.builtin.git_log, root)).success
    own.rename(other)
    own.symlink_to(other)
    assert (await call(tw.builtin.git_log, root)).error_code == "no_repository"
    own.unlink()
    own.symlink_to("objects")
    assert (await call(tw.builtin.git_log, root)).error_code == "no_repository"
    own.unlink()
    own.mkdir()
    (own / "pack").symlink_to(other / "pack")
    assert (await call(tw.builtin.git_log, root)).error_code == "no_repository"


async def test_the_workspace_itself_names_all_that_is_in_it(root: Path) -> None:
    (root / "a.txt").write_text("two\n")
    (root / "b.txt").write_text("new\n")
    assert "+two" in data_of(await call(tw.builtin.git_diff, root, paths=["."]))
    said = data_of(await call(tw.builtin.git_commit, root, message="All", paths=["."]))
    assert "2 files changed" in said
    nothing = await call(tw.builtin.git_commit, root, message="Nothing", paths=["."])
    assert (nothing.error_code, "nothing to commit" in (nothing.error or "")) == ("git_failed", True)


@pytest.mark.parametrize("message", ["a\0b", "half \ud800"])
async def test_a_message_that_none_can_be_is_refused(root: Path, message: str) -> None:
    outcome = await call(tw.builtin.git_commit, root, message=message, paths=["a.txt"])
    assert outcome.error_code == "validation_failed"


async def test_nobody_is_asked_for_a_name_where_none_is_known(root: Path) -> None:
    (root.parent / "home" / ".gitconfig").write_text("[user]\nuseConfigOnly = true\n")
    (root / "a.txt").write_text("two\n")
    outcome = await call(tw.builtin.git_commit, root, message="x", paths=["a.txt"])
    assert outcome.error_code == "git_failed"
    assert git(root, "status", "--short") == " M a.txt\n"
