"""Git, as far as it only looks, and commits: each tool an argument vector, in which no argument can be an option.

A repository can name programs that git runs while it merely looks (a monitor, a filter, a hook, a pager, something that
shows differences), and its configuration is a file that a model may be allowed to write. So none of them is run here:
what a repository names is switched off for the command, and what the user's own configuration names stays. Only the
repository of the workspace is looked at, never one that lies above it.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta

from toolwright.builtin.paging import counted
from toolwright.builtin.processes import Ended, plain_environment, run_process
from toolwright.builtin.texts import is_whole
from toolwright.schema import ValidationIssue, ValidationReport
from toolwright.tools import ToolContext, ToolOutcome, tool

__all__ = ["git_commit", "git_diff", "git_log", "git_show", "git_status"]

_KEPT: Final = 400_000
_SECONDS: Final = 50
_OFF: Final[Mapping[str, str]] = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.untrackedCache": "false",
    "core.quotePath": "false",
    "color.ui": "false",
    "color.status": "false",
    "log.showSignature": "false",
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
}
_PROGRAMS: Final = (
    r"^(filter\..*\.(clean|smudge|process|required)|diff\..*\.(command|textconv)|merge\..*\.driver|hook\..*\.command)$"
)
_PARTS: Final = ("", "objects", "objects/pack", "refs", "info")
_SAFE_OPTIONS: Final = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-color")

_Revision = Annotated[
    str, Meta(min_length=1, max_length=300, description="A commit, branch or tag; one..other for what lies between")
]
_Paths = Annotated[list[Path], Meta(max_length=100, description="Only these files and folders")]


def _is_there() -> bool:
    return shutil.which("git") is not None


def _check(arguments: Mapping[str, Any]) -> ValidationReport:
    """Refuse what git could take for an option; the vectors below keep it from being one as well."""
    revision = arguments.get("revision") or "HEAD"
    if revision.startswith("-") or not revision.isprintable():
        return ValidationReport.invalid(ValidationIssue.invalid_value("revision", "is not a commit, branch or tag"))
    return ValidationReport.ok()


def _check_message(arguments: Mapping[str, Any]) -> ValidationReport:
    message = arguments["message"]
    if "\0" in message or not is_whole(message):
        problem = "has a NUL character or half of a character in it"
        return ValidationReport.invalid(ValidationIssue.invalid_value("message", problem))
    return ValidationReport.ok()


_READS: Final[Any] = {
    "category": "git",
    "risk": "safe",
    "side_effects": False,
    "tags": ["git"],
    "permissions": ["tool.git.read"],
    "available": _is_there,
    "check": _check,
}


@tool(**_READS)
async def git_status(*, context: ToolContext) -> ToolOutcome:
    """Tell which files of the repository have been changed, added or removed, and which branch this is."""
    return await _git(context, ["status", "--short", "--branch", "--untracked-files=all", "--ignore-submodules=all"])


@tool(**_READS)
async def git_diff(
    revision: _Revision | None = None,
    staged: Annotated[bool, Meta(description="What has been staged, instead of what has not")] = False,
    paths: _Paths = [],  # noqa: B006  never changed
    *,
    context: ToolContext,
) -> ToolOutcome:
    """Show what has been changed since the last commit, or since a revision."""
    chosen = [*(["--cached"] if staged else []), *([revision] if revision else [])]
    return await _git(context, ["diff", *_SAFE_OPTIONS, *chosen, "--", *_relative(context, paths)])


@tool(**_READS)
async def git_log(
    revision: _Revision | None = None,
    paths: _Paths = [],  # noqa: B006  never changed
    limit: Annotated[int, Meta(ge=1, le=500, description="How many commits")] = 20,
    skip: Annotated[int, Meta(ge=0, le=1_000_000, description="How many commits to leave out before those")] = 0,
    *,
    context: ToolContext,
) -> ToolOutcome:
    """List commits, newest first: hash, date, author and first line."""
    chosen = ["--end-of-options", revision] if revision else []
    form = [f"--max-count={limit}", f"--skip={skip}", "--date=iso-strict", "--format=%h %ad %an: %s", "--no-color"]
    return await _git(context, ["log", *form, *chosen, "--", *_relative(context, paths)])


@tool(**_READS)
async def git_show(
    revision: _Revision = "HEAD",
    paths: _Paths = [],  # noqa: B006  never changed
    *,
    context: ToolContext,
) -> ToolOutcome:
    """Show a commit: its message, and what it has changed."""
    # The form is said, as one that the repository names may have signatures checked, by a program that it names.
    form = ["--format=medium", "--no-show-signature", "--stat", "--patch"]
    chosen = ["--end-of-options", revision, "--", *_relative(context, paths)]
    return await _git(context, ["show", *_SAFE_OPTIONS, *form, *chosen])


@tool(
    category="git",
    risk="medium",
    tags=["git"],
    permissions=["tool.git.write"],
    available=_is_there,
    check=_check_message,
    summarize=lambda arguments: (
        f"Commit {counted(len(arguments['paths']), 'path')}: {arguments['message'].strip()[:80]!r}"
    ),
)
async def git_commit(
    message: Annotated[str, Meta(min_length=1, max_length=20_000, pattern=r"\S", description="First line: the effect")],
    paths: Annotated[list[Path], Meta(min_length=1, max_length=500, description="What to commit, and nothing else")],
    *,
    context: ToolContext,
) -> ToolOutcome:
    """Commit files as they are now. No hook is run, and nothing is signed or sent anywhere."""
    named = _relative(context, paths)
    added = await _git(context, ["add", "--intent-to-add", "--", *named], writes=True)
    if not added.success:
        return added
    options = ["--no-verify", "--cleanup=whitespace", f"--message={message}", "--only"]
    return await _git(context, ["commit", *options, "--", *named], writes=True)


def _relative(context: ToolContext, paths: Sequence[Path]) -> list[str]:
    """Return paths as git takes them: from the top of the workspace, and with no meaning in any character."""
    root = context.resolve(".")
    places = [context.resolve(path).relative_to(root) for path in paths]
    return [f":(top,literal){place.as_posix() if place.parts else ''}" for place in places]


async def _git(context: ToolContext, command: Sequence[str], *, writes: bool = False) -> ToolOutcome:
    program = shutil.which("git")
    root = context.resolve(".")
    if program is None or Path(program).is_relative_to(root):
        return ToolOutcome.failed("Git is not installed here.", code="no_git")
    fault = _fault_of(root)
    if fault:
        return ToolOutcome.failed(fault, code="no_repository")
    environment = _environment(_OFF)
    asked = ["config", "--show-scope", "--null", "--name-only", "--get-regexp", _PROGRAMS]
    named = await _run(program, root, asked, environment)
    if named.exit_code not in (0, 1) or named.stdout.left_out:  # 1: there is none
        said = named.stderr.text().strip()[:2_000] or "it names too much"
        return ToolOutcome.failed(f"The repository's configuration cannot be used: {said}", code="git_failed")
    local = _programs_of_repository(named.stdout.text())
    if local and writes:
        return ToolOutcome.failed(
            "The repository's own configuration names programs that change files on their way into a commit; they are "
            "not run here. Let a person commit.",
            code="names_programs",
        )
    ended = await _run(program, root, command, _environment({**_OFF, **dict.fromkeys(local, "")}))
    return _outcome(ended, command[0])


def _fault_of(root: Path) -> str:
    """Say what keeps a workspace from being looked at: its repository must lie in it, as a folder."""
    place = root / ".git"
    if not place.is_dir() or place.is_symlink():
        return "The workspace is not the top of a git repository."
    elsewhere = [place / "commondir", place / "objects" / "info" / "alternates"]
    if any(each.exists() for each in elsewhere) or any(_leads_out(each, place) for each in _PARTS):
        return "The repository keeps a part of what it has outside the workspace, where nothing is read."
    return ""


def _leads_out(part: str, place: Path) -> bool:
    """Say whether a folder of a repository, or something in it, is a link out of the repository."""
    folder = place / part
    try:
        links = [each for each in (folder, *folder.iterdir()) if each.is_symlink()]
        return not all(each.resolve().is_relative_to(place.resolve()) for each in links)
    except FileNotFoundError:
        return False
    except (OSError, RuntimeError):  # a link to itself
        return True


def _programs_of_repository(said: str) -> list[str]:
    """Return the keys by which the repository itself, not the user, names programs."""
    fields = said.split("\0")
    return [key for scope, key in zip(fields[::2], fields[1::2], strict=False) if scope in ("local", "worktree")]


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    named = {f"GIT_CONFIG_KEY_{place}": key for place, key in enumerate(settings)}
    given = {f"GIT_CONFIG_VALUE_{place}": value for place, value in enumerate(settings.values())}
    return plain_environment(
        GIT_CONFIG_COUNT=str(len(settings)),
        GIT_TERMINAL_PROMPT="0",
        GIT_OPTIONAL_LOCKS="0",
        GIT_NO_LAZY_FETCH="1",
        GIT_LITERAL_PATHSPECS="0",
        GIT_EDITOR="true",
        **named,
        **given,
    )


async def _run(program: str, root: Path, command: Sequence[str], environment: Mapping[str, str]) -> Ended:
    # Both places are said, so that neither a file in the repository nor one above it can name others.
    places = [f"--git-dir={root / '.git'}", f"--work-tree={root}"]
    vector = [program, "--no-pager", *places, *command]
    return await run_process(vector, folder=root, environment=environment, seconds=_SECONDS, most=_KEPT)


def _outcome(ended: Ended, word: str) -> ToolOutcome:
    text = ended.stdout.text()
    if ended.timed_out:
        return ToolOutcome.failed(f"Git was stopped after {_SECONDS} s.", code="timed_out", partial=text or None)
    if ended.exit_code:
        said = (ended.stderr.text().strip() or text.strip())[:2_000] or f"exit code {ended.exit_code}"
        return ToolOutcome.failed(f"Git could not do this: {said}", code="git_failed")
    hints = ["Something was left out: name paths, or fewer commits."] if ended.stdout.left_out else []
    return ToolOutcome.ok(text, message=f"git {word}: {counted(ended.stdout.size, 'byte')}", suggestions=hints)
