"""Find files by their names: globs with ``**`` and braces, newest first or by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import nlargest
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from toolwright.builtin.folders import place_of
from toolwright.builtin.paging import Page, counted
from toolwright.builtin.patterns import BadPatternError, Glob
from toolwright.builtin.texts import shown
from toolwright.builtin.walking import Found, Walk
from toolwright.errors import PathOutsideWorkspaceError
from toolwright.tools import ToolContext, ToolOutcome, tool

__all__ = ["glob"]

_MOST: Final = 2_000


@tool(
    category="search",
    risk="safe",
    side_effects=False,
    permissions=["tool.filesystem.read"],
    summarize=lambda arguments: f"Find files like {arguments['pattern']!r}",
)
def glob(
    pattern: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=1_000,
            description="Such as src/**/*.{py,pyi}; ** stands for any folders, so **/*.md finds them all",
        ),
    ],
    path: Annotated[Path, Meta(description="The folder to look in, relative to the workspace")] = Path(),
    order: Annotated[Literal["newest", "name"], Meta(description="Newest first, or by name")] = "newest",
    ignore: Annotated[bool, Meta(description="Leave out .git, and what .gitignore files name")] = True,
    limit: Annotated[int, Meta(ge=1, le=_MOST, description="How many paths to give")] = 200,
    offset: Annotated[int, Meta(ge=0, le=1_000_000, description="How many paths to leave out before those")] = 0,
    *,
    context: ToolContext,
) -> ToolOutcome:
    """Find files whose paths fit a pattern. Links are not followed."""
    try:
        wanted = Glob.of(pattern)
    except BadPatternError as error:
        return ToolOutcome.failed(f"The pattern cannot be used: {error}.", code="bad_pattern")
    root, start = place_of(context.workspace, path)
    prefix = "".join(f"{name}/" for name in start)
    walk = Walk(root, (*start, *wanted.start), ignore=ignore, depth=wanted.depth, cancelled=lambda: context.cancelled)
    page: Page[str] = Page(offset, limit)
    matches = (
        (found.status.st_mtime_ns, found.path)
        for found in walk
        if wanted.matches(found.path[len(prefix) :]) and _is_file(found, root)
    )
    try:
        if order == "newest":
            _take_newest(page, matches, offset + limit)
        else:
            for _, name in matches:
                page.take(lambda name=name: shown(name))  # type: ignore[misc]
    except (FileNotFoundError, NotADirectoryError, PathOutsideWorkspaceError):
        pass  # what every match would lie in is not there, or is a link
    except OSError as error:
        return ToolOutcome.failed(f"The folder cannot be read: {error.strerror}.", code="cannot_read")
    return _outcome(page, walk)


def _take_newest(page: Page[str], matches: Iterable[tuple[int, str]], most: int) -> None:
    count = 0

    def each() -> Iterator[tuple[int, str]]:
        nonlocal count
        for match in matches:
            count += 1
            yield match

    for _, name in nlargest(most, each()):
        page.take(lambda name=name: shown(name))  # type: ignore[misc]
    page.total = count


def _is_file(found: Found, root: Path) -> bool:
    """Say whether this is a file of the workspace, or a link to one: what a link outside leads to is not told."""
    if found.kind != "link":
        return found.kind == "file"
    try:
        real = Path(root, found.path).resolve()
        return real.is_relative_to(root) and real.is_file()
    except (OSError, RuntimeError):  # a link to itself
        return False


def _outcome(page: Page[str], walk: Walk) -> ToolOutcome:
    data: dict[str, Any] = {"paths": page.items, "total": page.total}
    if walk.unreadable:
        data["unreadable"] = [shown(each) for each in walk.unreadable[:20]]
    return ToolOutcome.ok(data, message=counted(page.total, "file"), suggestions=page.hints("file"))
