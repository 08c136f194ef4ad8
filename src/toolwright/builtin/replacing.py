"""Files that are written whole or not at all, and what such a write would change.

New content goes to a temporary file in the same folder, is brought to the disk, and takes the name in one step: whoever
looks sees the old content or the new one, also after a crash. A file that is replaced keeps its mode and, where the
system lets us, its owner; other hard links to it keep the old content.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Final, NamedTuple

from toolwright.builtin.folders import Folder, place_of
from toolwright.builtin.paging import counted
from toolwright.builtin.texts import LOOK, encoding_of
from toolwright.errors import PathOutsideWorkspaceError
from toolwright.tools import Artifact, ToolOutcome
from toolwright.tools.paths import StrPath, open_inside

__all__ = ["ChangedMeanwhile", "Current", "diff_of", "read_current", "replace_file", "written"]

_LARGEST_SHOWN: Final = 400_000  # bytes; a person does not read a longer one
_COMPARED: Final = 400  # lines; comparing more line by line may take long, and is seldom read
_LINES_SHOWN: Final = 2_000


class ChangedMeanwhile(Exception):  # noqa: N818  a signal inside this room
    """The file is not what the caller thinks it is."""


class Current(NamedTuple):
    """A file as it is now; without content where there is none."""

    content: bytes | None
    status: os.stat_result | None

    @property
    def sha256(self) -> str | None:
        """The hash of its content."""
        return None if self.content is None else sha256(self.content).hexdigest()


def read_current(folder: Folder, name: str, *, most: int) -> Current:
    """Return what a file holds.

    Raises:
        PathOutsideWorkspaceError: It is a link or no regular file.
        OSError: It cannot be read, or is larger than ``most``.
    """
    try:
        handle = folder.open_file(name)
    except FileNotFoundError:
        return Current(None, None)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(file.fileno())
        content = b"" if status.st_size > most else file.read(most + 1)  # not all files know their size
        if max(status.st_size, len(content)) > most:
            raise OSError(0, f"it has more than {most:,} bytes")
        return Current(content, status)


def replace_file(folder: Folder, name: str, content: bytes, current: Current) -> None:
    """Put new content in the place of a file, or make it.

    Raises:
        ChangedMeanwhile: The file is no longer what it was when ``current`` was read.
        OSError: It cannot be written.
    """
    if current.status is not None:
        folder.check_writable(name)
    temporary = f".toolwright-{token_hex(8)}.tmp"
    handle = folder.create(temporary)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if current.status is not None:
                _keep_status(file.fileno(), current.status)
            os.fsync(file.fileno())
        if not _is_same(folder.status(name), current.status):
            raise ChangedMeanwhile
        folder.rename(temporary, name)
    except BaseException:
        with suppress(OSError):
            folder.remove(temporary)
        raise
    folder.sync()


def _keep_status(handle: int, status: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        new = os.fstat(handle)
        if (new.st_uid, new.st_gid) != (status.st_uid, status.st_gid):
            with suppress(OSError):  # only root may give files away
                os.fchown(handle, status.st_uid, status.st_gid)
        os.fchmod(handle, stat.S_IMODE(status.st_mode) & 0o777)


def _is_same(now: os.stat_result | None, then: os.stat_result | None) -> bool:
    if now is None or then is None:
        return now is then
    return (now.st_ino, now.st_size, now.st_mtime_ns) == (then.st_ino, then.st_size, then.st_mtime_ns)


def written(path: str, content: bytes, *, is_new: bool) -> ToolOutcome:
    """Return the outcome of a write that was done."""
    digest, size = sha256(content).hexdigest(), len(content)
    word = "created" if is_new else "changed"
    return ToolOutcome.ok(
        {"path": path, "status": word, "size": size, "sha256": digest},
        message=f"{path} {word}, {counted(size, 'byte')}",
        artifacts=[Artifact(type="file", path=path, size=size, sha256=digest, is_new=is_new)],
    )


def diff_of(workspace: Path | None, path: StrPath, content: bytes) -> str | None:
    """Return what a write would change, as a person reads it; None where that cannot be told."""
    try:
        root, names = place_of(workspace, path)
        shown = "/".join(names)
        old = _old(root, shown)
    except (OSError, PathOutsideWorkspaceError):
        return None
    before, after = _lines(old), _lines(content)
    if before is None or after is None:
        had = "no file" if old is None else counted(len(old), "byte")
        return f"--- {shown}\n+++ {shown}\n(not shown: {had} before, {counted(len(content), 'byte')} after)\n"
    header = [f"--- {'/dev/null' if old is None else 'a/' + shown}", f"+++ b/{shown}"]
    return "\n".join([*header, *_cut(list(_changes(before, after)))]) + "\n"


def _old(root: Path, shown: str) -> bytes | None:
    try:
        with open_inside(root, shown, "rb") as file:
            content: bytes = file.read(_LARGEST_SHOWN + 1)
            return content
    except FileNotFoundError:
        return None


def _lines(content: bytes | None) -> list[str] | None:
    """Return the lines of a text; None of what is no text, or too much."""
    if not content:
        return []
    encoding = encoding_of(content[:LOOK])
    if encoding is None or len(content) > _LARGEST_SHOWN:
        return None
    try:
        text = encoding.decode(content)
    except UnicodeDecodeError:
        return None
    ends = "" if text.endswith("\n") else "\n\\ No newline at end of file"
    lines = text.removesuffix("\n").split("\n")
    return [*lines[:-1], lines[-1] + ends]


def _changes(before: list[str], after: list[str]) -> Iterator[str]:
    """Yield the lines of a unified diff. Where too much differs, all of it goes and all of it comes."""
    first = _common(before, after)
    last = _common(before[first:][::-1], after[first:][::-1])
    if max(len(before), len(after)) - first - last <= _COMPARED:
        start, end = max(0, first - 3), max(0, last - 3)
        inner = unified_diff(before[start : len(before) - end], after[start : len(after) - end], lineterm="")
        yield from (_moved(line, start) for line in list(inner)[2:])
        return
    gone, come = before[first : len(before) - last], after[first : len(after) - last]
    yield f"@@ -{first + 1},{len(gone)} +{first + 1},{len(come)} @@"
    yield from (f"-{line}" for line in gone)
    yield from (f"+{line}" for line in come)


def _moved(line: str, by: int) -> str:
    """Return a line of a diff whose numbers begin later."""
    if not by or not line.startswith("@@"):
        return line
    _, old, new, _ = line.split(" ")
    return f"@@ {_later(old, by)} {_later(new, by)} @@"


def _later(span: str, by: int) -> str:
    start, comma, count = span[1:].partition(",")
    return f"{span[0]}{int(start) + by}{comma}{count}"


def _common(one: list[str], other: list[str]) -> int:
    """Return how many lines two texts begin with alike."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))


def _cut(lines: list[str]) -> list[str]:
    if len(lines) <= _LINES_SHOWN:
        return lines
    return [*lines[:_LINES_SHOWN], f"(and {len(lines) - _LINES_SHOWN:,} more lines)"]
