"""What there is below a folder of the workspace, through no link, and without what is ignored.

Each folder is opened from the one that it lies in, so that nothing that is swapped meanwhile leads out. Links are told,
and not followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from toolwright.builtin.folders import Folder
from toolwright.builtin.ignoring import NOTHING_IGNORED, Ignored, Rules, rules_of
from toolwright.errors import PathOutsideWorkspaceError

__all__ = ["Found", "Kind", "Walk"]

Kind: TypeAlias = Literal["file", "folder", "link", "other"]

_LARGEST_RULES: Final = 1_000_000
_DEEPEST: Final = 150  # each level is an open folder
_GIT: Final = ".git"


class Found(NamedTuple):
    """One thing that is there: its path relative to the workspace, what it is, and what is known of it.

    ``folder`` is the open folder in which it lies, until the walk goes on.
    """

    path: str
    name: str
    kind: Kind
    status: os.stat_result
    folder: Folder


class Walk:
    """Goes through everything below a folder, names in order, each folder before what is in it.

    ``unreadable`` grows with the folders that could not be looked into, and ``seen`` counts what was looked at.
    """

    def __init__(
        self,
        root: Path,
        start: tuple[str, ...] = (),
        *,
        ignore: bool = False,
        depth: int | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._root = root
        self._start = start
        self._ignore = ignore
        self._depth = depth
        self._cancelled = cancelled
        self.unreadable: list[str] = []
        self.seen = 0

    def __iter__(self) -> Iterator[Found]:
        """Go through what is there.

        Raises:
            PathOutsideWorkspaceError: A folder on the way to the start has become a link.
            OSError: There is no such folder, or it may not be read.
        """
        with ExitStack() as stack:
            ignored = self._rules_above()
            folder = stack.enter_context(Folder.open(self._root, self._start))
            yield from self._within(folder, "/".join(self._start), ignored, 1)

    def _within(self, folder: Folder, path: str, ignored: Ignored, depth: int) -> Iterator[Found]:
        try:
            entries = folder.entries()
        except OSError:
            self.unreadable.append(path)
            return
        if self._ignore:
            ignored = ignored.within(_rules_in(folder, path))
        for entry in entries:
            if self._cancelled():
                return
            found = self._found(entry, folder, path, ignored)
            if found is None:
                continue
            yield found
            if found.kind != "folder" or depth == self._depth:
                continue
            if depth == _DEEPEST:
                self.unreadable.append(found.path)
            else:
                try:
                    inner = folder.enter(entry.name)
                except (OSError, PathOutsideWorkspaceError):
                    self.unreadable.append(found.path)
                    continue
                with inner:
                    yield from self._within(inner, found.path, ignored, depth + 1)

    def _found(self, entry: os.DirEntry[str], folder: Folder, path: str, ignored: Ignored) -> Found | None:
        self.seen += 1
        inner = f"{path}/{entry.name}" if path else entry.name
        if self._ignore and (entry.name == _GIT or ignored.holds(inner, is_folder=entry.is_dir(follow_symlinks=False))):
            return None
        status = folder.status(entry.name)
        return None if status is None else Found(inner, entry.name, _kind(status.st_mode), status, folder)

    def _rules_above(self) -> Ignored:
        """Return the rules of the folders above the start, which hold there as well."""
        ignored = NOTHING_IGNORED
        if not self._ignore:
            return ignored
        exclude = _read_rules(self._root, (_GIT, "info"), "exclude", "")
        ignored = ignored.within(exclude)
        for count in range(len(self._start)):
            names = self._start[:count]
            ignored = ignored.within(_read_rules(self._root, names, ".gitignore", "/".join(names)))
        return ignored


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


def _read_rules(root: Path, names: tuple[str, ...], name: str, path: str) -> Rules | None:
    try:
        with Folder.open(root, names) as folder:
            return _rules_in(folder, path, name)
    except (OSError, PathOutsideWorkspaceError):
        return None


def _rules_in(folder: Folder, path: str, name: str = ".gitignore") -> Rules | None:
    try:
        with os.fdopen(folder.open_file(name), "rb") as file:
            return rules_of(file.read(_LARGEST_RULES), path)
    except (OSError, PathOutsideWorkspaceError):
        return None
