"""Runs in a folder: one file each, one line of JSON for each thing that happened, only ever appended to.

====================  ==============================================================================
``"line": "run"``     the first: what is known of the run
``"line": "records"`` records that came together, with the number of the first
``"line": "taken"``   somebody has taken the run over; from here on, with this epoch
``"line": "ended"``   how it ended; ``waiting`` where it waits for a person
====================  ==============================================================================

A line counts when its end is there: half a line is what a crash left behind, was never acknowledged, and is cut off
when the run is taken up again. Who has a run holds its file locked, where the system can do that, and the lock goes
with the process.

This module may not know how a run goes on.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import asdict, replace

from toolwright.agent.runs import RunHead, StoredRun, checked_run_id, ended
from toolwright.errors import RunError
from toolwright.tools.threads import default_threads
from toolwright.transcript import Record
from toolwright.values import convert, decode, encode

__all__ = ["JsonLinesRuns"]

T = TypeVar("T")

_ENDING: Final = ".jsonl"


class _Ended(msgspec.Struct, frozen=True):
    status: str
    error: str | None
    at: datetime


class JsonLinesRuns:
    """Keeps runs as files in a folder, which is made when the first run begins.

    With ``fsync``, which is the default, what was written is on the disk before anything runs: it survives the end of
    the machine, and costs some milliseconds each time. Without it, it survives the end of the program. Files are for
    their owner's eyes only: they hold all that was said.
    """

    def __init__(self, folder: str | os.PathLike[str], *, fsync: bool = True) -> None:
        self.folder: Final = Path(folder)
        self._fsync: Final = fsync
        self._held: dict[str, tuple[int, int]] = {}  # the open file and the epoch of each run that is ours
        # Held while a run is taken or let go, never while its file is written.
        self._lock = Lock()

    def begin(self, head: RunHead, records: Sequence[Record], /) -> Awaitable[int]:
        """Keep a new run.

        Raises:
            RunError: There is a run of this id (``run_exists``), or the folder cannot be written (``run_unreadable``).
        """
        return self._work(lambda: self._begin(head, records))

    def take(self, run_id: str, /) -> Awaitable[StoredRun]:
        """Take a run over.

        Raises:
            RunError: There is no such run (``run_not_found``), another program has it (``run_busy``), or its file is
                not what was written (``run_unreadable``).
        """
        return self._work(lambda: self._take(run_id))

    def append(self, run_id: str, records: Sequence[Record], /, *, epoch: int) -> Awaitable[None]:
        """Keep more records.

        Raises:
            RunError: The run is not, or no longer, ours (``run_lost``).
            OSError: It cannot be written.
        """
        line = {"line": "records", "at": datetime.now(UTC), "records": [_plain(record) for record in records]}
        return self._work(lambda: self._put(self._file(run_id, epoch), line))

    def end(self, run_id: str, status: str, /, *, epoch: int, error: str | None = None) -> Awaitable[None]:
        """Say how the run ended, and let its file go.

        Raises:
            RunError: The run is not, or no longer, ours (``run_lost``).
            OSError: It cannot be written.
        """
        line = {"line": "ended", "at": datetime.now(UTC), "status": status, "error": error}
        return self._work(lambda: self._end(run_id, epoch, line))

    def read(self, run_id: str, /) -> Awaitable[StoredRun]:
        """Return a run as it is now.

        Raises:
            RunError: There is no such run (``run_not_found``), or its file is not what was written
                (``run_unreadable``).
        """
        return default_threads().run(lambda: _read(self._path(run_id)))

    def list(self) -> Awaitable[Sequence[RunHead]]:
        """Return the runs that there are, the newest first; a file that cannot be read is left out."""
        return default_threads().run(self._list)

    def _work(self, work: Callable[[], T]) -> Awaitable[T]:
        """Do what writes: at once where that takes microseconds, in a thread where it waits for a disk."""
        return default_threads().run(work) if self._fsync else _at_once(work)

    def _begin(self, head: RunHead, records: Sequence[Record]) -> int:
        path = self._path(head.id)
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        except FileExistsError:
            raise RunError(f"there is a run {head.id} already", code="run_exists") from None
        except OSError as error:
            raise RunError(f"runs cannot be kept in {self.folder}: {error.strerror}", code="run_unreadable") from error
        self._hold(head.id, file, head.epoch)
        first = {"line": "run", "version": 1, **asdict(head), "records": [_plain(record) for record in records]}
        try:
            self._put(file, first)
        except BaseException:
            self._let_go(head.id)
            path.unlink(missing_ok=True)  # nothing was kept: the id is free
            raise
        return head.epoch

    def _take(self, run_id: str) -> StoredRun:
        path = self._path(run_id)
        stored = _read(path)
        if stored.head.state == "ended":
            return stored
        file = os.open(path, os.O_RDWR | os.O_APPEND)
        self._hold(run_id, file, 0)
        try:
            stored, size = _read_whole(path)  # once more: it was not ours before
            os.ftruncate(file, size)
            epoch = stored.head.epoch + 1
            self._put(file, {"line": "taken", "at": datetime.now(UTC), "epoch": epoch})
        except BaseException:
            self._let_go(run_id)
            raise
        self._held[run_id] = file, epoch
        return StoredRun(replace(stored.head, state="running", status=None, epoch=epoch), stored.records)

    def _end(self, run_id: str, epoch: int, line: Mapping[str, Any]) -> None:
        self._put(self._file(run_id, epoch), line)
        self._let_go(run_id)

    def _hold(self, run_id: str, file: int, epoch: int) -> None:
        try:
            _lock_file(file, run_id)
        except RunError:
            os.close(file)
            raise
        with self._lock:
            self._held[run_id] = file, epoch

    def _let_go(self, run_id: str) -> None:
        with self._lock:
            file, _ = self._held.pop(run_id, (None, 0))
        if file is not None:
            os.close(file)

    def _file(self, run_id: str, epoch: int) -> int:
        file, held = self._held.get(run_id, (None, 0))
        if file is None or held != epoch:
            raise RunError(f"somebody else has taken the run {run_id}, or it has ended", code="run_lost")
        return file

    def _put(self, file: int, line: Mapping[str, Any]) -> None:
        size = os.fstat(file).st_size
        text = encode(line) + b"\n"
        try:
            written = os.write(file, text)
            while written < len(text):  # only where the disk is nearly full, and then it mostly raises
                written += os.write(file, text[written:])
            if self._fsync:
                os.fsync(file)
        except OSError:
            with suppress(OSError):
                os.ftruncate(file, size)  # half a line would spoil the next one
            raise

    def _path(self, run_id: str) -> Path:
        return self.folder / f"{checked_run_id(run_id)}{_ENDING}"

    def _list(self) -> Sequence[RunHead]:
        return sorted(self._heads(), key=lambda head: head.created_at, reverse=True)

    def _heads(self) -> Iterator[RunHead]:
        for path in self.folder.glob(f"*{_ENDING}"):
            with suppress(RunError):
                yield _read(path).head


async def _at_once(work: Callable[[], T]) -> T:
    return work()


def _plain(record: Record) -> Mapping[str, Any]:
    return {"kind": record.kind, "content": record.content, "data": record.data}


def _read(path: Path) -> StoredRun:
    return _read_whole(path)[0]


def _read_whole(path: Path) -> tuple[StoredRun, int]:
    """Return a run, and where its last whole line ends.

    Raises:
        RunError: There is none, or a line in it is not what was written.
    """
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        raise RunError(f"there is no run {path.stem}", code="run_not_found") from None
    except OSError as error:
        raise RunError(f"the run {path.stem} cannot be read: {error.strerror}", code="run_unreadable") from error
    size = text.rfind(b"\n") + 1
    if not size:
        raise RunError(f"the run {path.stem} broke off before it began", code="run_unreadable")
    try:
        lines: list[Any] = [decode(line) for line in text[:size].splitlines()]
        return _replayed(lines[0], lines[1:]), size
    except (msgspec.MsgspecError, ValueError, KeyError, TypeError, AttributeError):  # a NotJsonError is a ValueError
        pass  # whose texts would quote what the file holds
    raise RunError(f"the file of the run {path.stem} is not as it was written", code="run_unreadable")


def _replayed(first: Any, rest: Sequence[Any]) -> StoredRun:
    head = convert(first, RunHead)
    records = [convert(record, Record) for record in first["records"]]
    for line in rest:
        if line["line"] == "records":
            records += [convert(record, Record) for record in line["records"]]
        elif line["line"] == "taken":
            head = replace(head, state="running", status=None, epoch=convert(line["epoch"], int))
        elif line["line"] == "ended":
            known = convert(line, _Ended)
            head = ended(head, known.status, known.error, known.at)
    return StoredRun(head, tuple(records))


def _lock_file(file: int, run_id: str) -> None:
    """Keep other programs from writing to a run, where the system can.

    Raises:
        RunError: One has it already.
    """
    try:
        import fcntl  # not on Windows
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise RunError(f"the run {run_id} is going on in another program", code="run_busy") from None
