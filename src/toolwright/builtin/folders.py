"""Folders of the workspace that are held open, so that what is done in one is done in that very folder.

A path is a promise that somebody else can break: between a check and its use a folder may become a link that leads
out. :class:`Folder` goes down from the workspace one name at a time, through no link, and from then on works relative
to what it has opened. A name given to it is one name, never a path.

Where the system cannot work relative to a folder (Windows) paths are used, each looked at right before.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from toolwright.builtin.texts import shown
from toolwright.errors import PathOutsideWorkspaceError
from toolwright.tools.paths import StrPath, resolve_inside

__all__ = ["Folder", "like_names", "place_of"]

_RELATIVE: Final = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
# A pipe or a device would make its opener wait, or take hold of the terminal.
_CAREFUL: Final = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_MOST_LOOKED_AT: Final = 5_000
_SWAPPED: Final = "the path was changed while it was being used, and no longer leads into the workspace"


def place_of(workspace: StrPath | None, path: StrPath) -> tuple[Path, tuple[str, ...]]:
    """Return the workspace as it really lies, and the names that lead from it to where a path leads.

    Raises:
        PathOutsideWorkspaceError: It leads out, or there is no workspace.
    """
    found = resolve_inside(workspace, path)
    root = resolve_inside(workspace, ".")
    return root, found.relative_to(root).parts


def like_names(workspace: StrPath | None, path: StrPath) -> list[str]:
    """Return what lies where a missing file was looked for and has a name much like it, in words for a model."""
    try:
        root, names = place_of(workspace, path)
        with Folder.open(root, names[:-1]) as folder:
            there = [entry.name for entry in folder.entries()[:_MOST_LOOKED_AT]]
    except (OSError, PathOutsideWorkspaceError):
        return []
    near = get_close_matches(names[-1], there, n=3) if names else []
    return [f"There is {shown('/'.join([*names[:-1], each]))!r}." for each in near]


class Folder:
    """One open folder; it is closed at the end of its ``with`` block."""

    __slots__ = ("_handle", "path")

    def __init__(self, path: str, handle: int | None) -> None:
        self.path: Final = path
        self._handle = handle

    @classmethod
    def open(cls, root: Path, names: tuple[str, ...], *, make: bool = False) -> Self:
        """Open a folder beneath the workspace, which is opened first; with ``make`` those that are missing are made.

        Raises:
            PathOutsideWorkspaceError: One of the names is a link, which it was not when the path was looked up.
            OSError: There is no such folder, or it may not be read.
        """
        here = cls(str(root), os.open(root, _FLAGS) if _RELATIVE else None)
        for name in names:
            with here as above:
                here = above.enter(name, make=make)
        return here

    def enter(self, name: str, *, make: bool = False) -> Self:
        """Open a folder in this one; with ``make`` it is made where it is missing.

        Raises:
            PathOutsideWorkspaceError: It is a link.
            OSError: There is none of this name, or it may not be read.
        """
        at, within = self._at(name)
        if make:
            with suppress(FileExistsError):
                os.mkdir(at, dir_fd=within)
        path = os.path.join(self.path, name)  # noqa: PTH118
        if not _RELATIVE:
            self._look(path)
            return type(self)(path, None)
        try:
            return type(self)(path, os.open(at, _FLAGS, dir_fd=within))
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK) and self.is_link(name):
                raise PathOutsideWorkspaceError(_SWAPPED) from None
            raise

    @staticmethod
    def _look(path: str) -> None:
        if os.path.realpath(path) != path:
            raise PathOutsideWorkspaceError(_SWAPPED)
        if not os.path.isdir(path):  # noqa: PTH112
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))

    def _at(self, name: str) -> tuple[str, int | None]:
        if self._handle is not None:
            return name, self._handle
        return os.path.join(self.path, name), None  # noqa: PTH118

    def entries(self) -> list[os.DirEntry[str]]:
        """Return what is in the folder, by name. Whether something is a folder is known without looking at it."""
        with os.scandir(self.path if self._handle is None else self._handle) as found:
            # DirEntry.stat() works as long as the folder is open.
            return sorted(found, key=lambda entry: entry.name)

    def status(self, name: str) -> os.stat_result | None:
        """Return what is known of a name, not following it; None where there is nothing."""
        at, within = self._at(name)
        try:
            return os.stat(at, dir_fd=within, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def is_link(self, name: str) -> bool:
        """Say whether a name is a link."""
        status = self.status(name)
        return status is not None and stat.S_ISLNK(status.st_mode)

    def open_file(self, name: str) -> int:
        """Open a regular file to read it, and return its handle.

        Raises:
            PathOutsideWorkspaceError: It is a link, a pipe, a device or a socket.
            OSError: There is none, or it may not be read.
        """
        at, within = self._at(name)
        try:
            handle = os.open(at, os.O_RDONLY | _CAREFUL, dir_fd=within)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EOPNOTSUPP):
                raise PathOutsideWorkspaceError("the path names a link, a pipe, a device or a socket") from None
            raise
        kind = os.fstat(handle).st_mode
        if stat.S_ISREG(kind):
            return handle
        os.close(handle)
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        raise PathOutsideWorkspaceError("the path names a pipe, a device or a socket")

    def check_writable(self, name: str) -> None:
        """Look whether a file may be written to: who puts another in its place is not asked that.

        Raises:
            OSError: It may not.
        """
        at, within = self._at(name)
        os.close(os.open(at, os.O_WRONLY | _CAREFUL, dir_fd=within))

    def create(self, name: str) -> int:
        """Make a file that was not there, and return its handle, to write to."""
        at, within = self._at(name)
        return os.open(at, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFUL, 0o666, dir_fd=within)

    def rename(self, old: str, new: str) -> None:
        """Give a file another name here; what had that name is replaced, also where it is a link."""
        source, within = self._at(old)
        target, _ = self._at(new)
        os.replace(source, target, src_dir_fd=within, dst_dir_fd=within)

    def remove(self, name: str) -> None:
        """Remove a file."""
        at, within = self._at(name)
        os.unlink(at, dir_fd=within)

    def sync(self) -> None:
        """Have the names in the folder written to the disk, where the system can do that."""
        if self._handle is not None:
            with suppress(OSError):
                os.fsync(self._handle)

    def close(self) -> None:
        """Close the folder."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
