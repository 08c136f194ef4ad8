"""Search the text of files: a regular expression or a plain text, with the lines around, counted per file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta

from toolwright.builtin.folders import Folder, place_of
from toolwright.builtin.lines import Matches, matches_in
from toolwright.builtin.paging import counted
from toolwright.builtin.patterns import BadPatternError, Expression, Glob
from toolwright.builtin.ripgrep import may_match
from toolwright.builtin.texts import shown
from toolwright.builtin.walking import Walk
from toolwright.errors import PathOutsideWorkspaceError
from toolwright.tools import ToolContext, ToolOutcome, tool

__all__ = ["Search", "search_text"]

_AT_ONCE: Final = 2_000  # files that are looked for, then searched
_FILES_TOLD: Final = 500


@tool(
    category="search",
    risk="safe",
    side_effects=False,
    permissions=["tool.filesystem.read"],
    summarize=lambda arguments: f"Search for {arguments['pattern']!r}",
)
def search_text(
    pattern: Annotated[
        str, Meta(min_length=1, max_length=5_000, description="A regular expression, without look-around; or a text")
    ],
    path: Annotated[Path, Meta(description="The file or folder to search, relative to the workspace")] = Path(),
    glob: Annotated[str | None, Meta(description="Only files whose paths below it fit, such as **/*.py")] = None,
    regex: Annotated[bool, Meta(description="False takes the pattern as plain text")] = True,
    ignore_case: Annotated[bool, Meta(description="Take upper and lower case as the same")] = False,
    context_lines: Annotated[int, Meta(ge=0, le=20, description="Lines to show before and after each match")] = 0,
    counts_only: Annotated[bool, Meta(description="Give how many lines match in each file, and not the lines")] = False,
    ignore: Annotated[bool, Meta(description="Leave out .git, and what .gitignore files name")] = True,
    limit: Annotated[int, Meta(ge=1, le=1_000, description="How many matching lines to give")] = 100,
    offset: Annotated[int, Meta(ge=0, le=1_000_000, description="How many to leave out before those")] = 0,
    *,
    context: ToolContext,
) -> ToolOutcome:
    """Search the text of files, line by line. Binary files are left out, and links are not followed."""
    try:
        wanted = Expression(pattern, regex=regex, ignore_case=ignore_case)
        fits = None if glob is None else Glob.of(glob)
    except BadPatternError as error:
        return ToolOutcome.failed(f"The pattern cannot be used: {error}.", code="bad_pattern")
    root, start = place_of(context.workspace, path)
    found = Matches(wanted, around=context_lines, offset=offset, limit=0 if counts_only else limit)
    search = Search(root, found, context)
    try:
        if not start or Path(root, *start).is_dir():
            walk = Walk(root, start, ignore=ignore, cancelled=lambda: context.cancelled)
            search.files(_files(walk, fits, len("".join(f"{name}/" for name in start))))
            search.skipped["unreadable folders"] = len(walk.unreadable)
        else:
            search.file(start)
    except OSError as error:
        return ToolOutcome.failed(f"This cannot be searched: {error.strerror}.", code="cannot_read")
    return _outcome(found, search, counts_only=counts_only)


def _files(walk: Walk, fits: Glob | None, skip: int) -> Iterator[tuple[str, ...]]:
    for found in walk:
        if found.kind == "file" and (fits is None or fits.matches(found.path[skip:])):
            yield tuple(found.path.split("/"))


class Search:
    """One search on its way through files, with what it had to leave out."""

    def __init__(self, root: Path, found: Matches, context: ToolContext) -> None:
        self._root = root
        self._found = found
        self._context = context
        self.skipped = {"binary files": 0, "unreadable files": 0, "unreadable folders": 0}
        self.searched = 0

    def files(self, files: Iterator[tuple[str, ...]]) -> None:
        """Search files, many at once where ripgrep can say which of them are worth a look."""
        batch: list[tuple[str, ...]] = []
        for names in files:
            batch.append(names)
            if len(batch) == _AT_ONCE:
                self._batch(batch)
                batch = []
        self._batch(batch)

    def _batch(self, batch: list[tuple[str, ...]]) -> None:
        paths = ["/".join(names) for names in batch]
        worth = may_match(self._root, paths, self._found.expression, lambda: self._context.cancelled)
        for names, path in zip(batch, paths, strict=True):
            if self._context.cancelled:
                return
            if worth is None or path in worth:
                try:
                    self.file(names)
                except (OSError, PathOutsideWorkspaceError):
                    self.skipped["unreadable files"] += 1
            else:
                self.searched += 1
        self._context.report(
            f"{counted(self.searched, 'file')} searched, {counted(self._found.total, 'match')}",
            operation="search",
            items=self.searched,
        )

    def file(self, names: tuple[str, ...]) -> None:
        """Search one file.

        Raises:
            PathOutsideWorkspaceError: It is a link or no regular file.
            OSError: It cannot be read.
        """
        *folders, name = names
        with Folder.open(self._root, tuple(folders)) as folder:
            handle = folder.open_file(name)
        self.searched += 1
        if not matches_in(handle, shown("/".join(names)), self._found, lambda: self._context.cancelled):
            self.skipped["binary files"] += 1


def _outcome(found: Matches, search: Search, *, counts_only: bool) -> ToolOutcome:
    skipped = {what: count for what, count in search.skipped.items() if count}
    data: dict[str, Any] = {} if counts_only else {"matches": found.lines}
    files = [{"path": path, "count": count} for path, count in found.counts.items()]
    data |= {"files": files[:_FILES_TOLD], "total": found.total}
    hints = [] if counts_only else found.hints()
    if len(files) > _FILES_TOLD:
        hints.append(f"Not told: {counted(len(files) - _FILES_TOLD, 'more file')} with matches. Search a smaller part.")
    if skipped:
        data["skipped"] = skipped
    message = f"{counted(found.total, 'match')} in {len(files):,} of {counted(search.searched, 'file')}"
    return ToolOutcome.ok(data, message=message, suggestions=hints)
