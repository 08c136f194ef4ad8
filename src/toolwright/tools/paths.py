"""Paths that stay in the workspace, whatever a model writes and whatever changes on the disk meanwhile.

:func:`resolve_inside` says where a path leads, every symlink followed, and refuses what leads out. Between that answer
and its use somebody may swap a folder for a link; so :func:`open_inside` opens folder by folder, each relative to the
one before and none of them through a link, and looks at what it has opened before anything is read, written or cut.

Where the system cannot open relative to a folder (Windows), a file is opened by its path and its place is checked
afterwards: a swap is then found out before the caller gets the file, but a new, empty file may have been made outside.
A hard link cannot be told from the file that it names.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import IO, Any, Final

from toolwright.errors import PathOutsideWorkspaceError

__all__ = ["StrPath", "open_inside", "resolve_inside"]

StrPath = str | os.PathLike[str]

_RELATIVE: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_FOLDER: Final = getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | os.O_RDONLY
# A pipe or a device would make its opener wait, or take hold of the terminal.
_CAREFUL: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_CLOEXEC: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
_SWAPPED: Final = "the path was changed while it was being opened, and no longer leads into the workspace"


def resolve_inside(workspace: StrPath | None, path: StrPath) -> Path:
    """Return where a path leads: absolute, symlinks followed, inside the workspace. It need not exist.

    A relative path starts at the workspace.

    Raises:
        PathOutsideWorkspaceError: It leads out, there is no workspace, or it is no path at all.
    """
    return _resolve(workspace, path)[1]


def _resolve(workspace: StrPath | None, path: StrPath) -> tuple[Path, Path]:
    """Return where the workspace is and where the path leads, both looked up once."""
    if workspace is None:
        raise PathOutsideWorkspaceError("there is no workspace here, so no path can be used")
    try:
        text: Any = os.fspath(path)
        if not isinstance(text, str) or "\0" in text:
            raise ValueError
        os.fsencode(text)  # half a surrogate pair names no file
        root = Path(os.path.realpath(workspace))
        found = Path(os.path.realpath(os.path.join(root, text)))  # noqa: PTH118  keeps the ".." that Path would keep too
    except (ValueError, TypeError, RecursionError):
        raise PathOutsideWorkspaceError("this is not a path that a file can have") from None
    except OSError:  # a link that was a link a moment ago
        raise PathOutsideWorkspaceError(_SWAPPED) from None
    if not found.is_relative_to(root):
        raise PathOutsideWorkspaceError("the path leads out of the workspace; give one inside it, relative to it")
    return root, found


def open_inside(
    workspace: StrPath | None,
    path: StrPath,
    mode: str = "r",
    *,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    buffering: int = -1,
) -> IO[Any]:
    """Open a regular file in the workspace as :func:`open` does; text is UTF-8 unless ``encoding`` says otherwise.

    Raises:
        PathOutsideWorkspaceError: The path leads out, also when it was changed in this very moment, or it names a pipe,
            a device or a socket.
        OSError: As :func:`open`: there is no such file, it may not be read, it is a folder.
    """
    root, found = _resolve(workspace, path)

    def opener(_path: str, flags: int) -> int:
        kept = flags & ~os.O_TRUNC | _CLOEXEC
        handle = _open_beneath(root, found, kept) if _RELATIVE else _open_and_check(found, kept)
        try:
            _check_kind(handle)
            if flags & os.O_TRUNC:
                os.ftruncate(handle, 0)
        except BaseException:
            os.close(handle)
            raise
        return handle

    if "b" not in mode and encoding is None:
        encoding = "utf-8"
    return open(found, mode, buffering, encoding, errors, newline, opener=opener)


def _open_beneath(root: Path, found: Path, flags: int) -> int:
    """Open a file whose path has no links, folder by folder; a link that is there now was put there since."""
    *folders, name = found.relative_to(root).parts or (".",)
    here = os.open(root, _FOLDER | _CLOEXEC)
    try:
        for folder in folders:
            inner = _enter(folder, here, _FOLDER | _CLOEXEC)
            os.close(here)
            here = inner
        return _enter(name, here, flags | _CAREFUL)
    finally:
        os.close(here)


def _enter(name: str, folder: int, flags: int) -> int:
    try:
        return os.open(name, flags, 0o666, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK) and not _is_file(name, folder):
            raise PathOutsideWorkspaceError(_SWAPPED) from None
        if error.errno in (errno.ENXIO, errno.EOPNOTSUPP):  # a pipe that nobody reads, a socket
            raise _not_a_file() from None
        raise


def _is_file(name: str, folder: int) -> bool:
    """Say whether this is a file where a folder was wanted: all else was a link a moment ago, if it is none now."""
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _open_and_check(found: Path, flags: int) -> int:
    handle = os.open(found, flags | _CAREFUL, 0o666)
    try:
        if os.path.realpath(found) == str(found) and os.path.samestat(os.fstat(handle), os.stat(found)):  # noqa: PTH116
            return handle
    except OSError:
        pass
    os.close(handle)
    raise PathOutsideWorkspaceError(_SWAPPED)


def _check_kind(handle: int) -> None:
    kind = os.fstat(handle).st_mode
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(kind):
        raise _not_a_file()
    if _RELATIVE:
        os.set_blocking(handle, True)


def _not_a_file() -> PathOutsideWorkspaceError:
    return PathOutsideWorkspaceError("the path names a pipe, a device or a socket, which cannot be opened here")
