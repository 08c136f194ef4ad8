"""The record of calls: in memory, or in a file that shows what was done to it.

In the file each line holds the digest of the line before, so that a change, a removal or another order shows, and
beside it lies a small file with the number of the last line and its digest, so that it also shows when lines at the end
are gone. Whoever can write both files can make up another history: keep a copy of :attr:`JsonLinesSink.head` elsewhere
now and then, and :func:`verify` against that.

A sink gets facts, and may not know how a call is decided or run.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from hashlib import sha256
from mmap import ACCESS_READ, mmap
from pathlib import Path
from threading import Lock
from typing import Any, Final

import msgspec

from toolwright.errors import AuditError, NotJsonError
from toolwright.execution.execution import Execution, Intent
from toolwright.messages import ToolCall
from toolwright.redact import redact
from toolwright.tools.threads import default_threads
from toolwright.values import decode, encode

__all__ = ["Head", "JsonLinesSink", "MemorySink", "Verification", "verify"]

_ORIGIN: Final = "0" * 64  # what stands where the first line would name the one before
_HEAD_LENGTH: Final = 20 + 1 + 64 + 1


class MemorySink:
    """Keeps the record in memory: what each call was about to do, and how it ended; the last ``limit`` of each."""

    def __init__(self, *, limit: int | None = None) -> None:
        self._intents: deque[Intent] = deque(maxlen=limit)
        self._executions: deque[Execution] = deque(maxlen=limit)
        # What the executor calls; `append` of a deque needs no lock.
        self.started = self._intents.append
        self.finished = self._executions.append

    @property
    def intents(self) -> tuple[Intent, ...]:
        """The calls that were about to run, in order."""
        return tuple(self._intents)

    @property
    def executions(self) -> tuple[Execution, ...]:
        """The calls that have ended, in order."""
        return tuple(self._executions)


class Head(msgspec.Struct, frozen=True):
    """The end of a record: how many lines it has, and the digest of the last one."""

    count: int = 0
    digest: str = _ORIGIN


class JsonLinesSink:
    """Appends the record to a file, one line of JSON each, chained by their digests.

    Of arguments and results only digests are written, unless ``content`` is true: then also themselves, through the
    redactor. With ``fsync``, a line is on the disk before the call goes on, which takes a few milliseconds; without it,
    it survives the end of the program and not of the machine. A file is written by one sink at a time.

    Raises:
        AuditError: Another program is writing to the file, or lines that were there are gone, or may be: without the
            small file nobody can tell.
        OSError: The file cannot be opened.
    """

    def __init__(self, path: str | os.PathLike[str], *, content: bool = False, fsync: bool = False) -> None:
        self.path: Final = Path(path)
        self._content = content
        self._fsync = fsync
        # Held while a line is written: the chain has one end.
        self._lock = Lock()
        self._process = os.getpid()
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            _hold(self._file, self.path)
            self._head, self._size = _continued(self._file, self.path)
            self._head_file = os.open(_head_path(self.path), os.O_RDWR | os.O_CREAT, 0o600)
        except BaseException:
            os.close(self._file)
            raise
        self._write_head()

    @property
    def head(self) -> Head:
        """The end of the record as it is now: with a copy of it, nobody can shorten the file unseen."""
        return self._head

    def started(self, intent: Intent) -> Awaitable[None] | None:
        """Write down that a call is about to run."""
        line: dict[str, Any] = {
            "kind": "started",
            "at": intent.at,
            "execution_id": intent.execution_id,
            "tool_name": intent.tool_name,
            "call_id": intent.call.id,
            "definition": intent.definition,
            "side_effects": intent.side_effects,
            "approved_by": intent.approved_by,
            "isolation": str(intent.isolation),
            "attempt": intent.attempt,
            "session": intent.session,
            "arguments_sha256": _digest_of(intent.arguments),
        }
        if self._content:
            line["arguments"] = redact(intent.arguments)
        return self._put(line)

    def finished(self, execution: Execution) -> Awaitable[None] | None:
        """Write down how a call ended."""
        outcome = execution.outcome
        line: dict[str, Any] = {
            "kind": "finished",
            "at": execution.completed_at,
            "execution_id": execution.execution_id,
            "tool_name": execution.tool_name,
            "call_id": execution.call.id,
            "status": execution.status,
            "error_code": outcome.error_code,
            "duration": execution.duration,
            "waited": execution.waited,
            "approved_by": execution.approved_by,
            "isolation": None if execution.isolation is None else str(execution.isolation),
            "attempt": execution.attempt,
            "session": execution.session,
            "data_sha256": _digest_of(outcome.data),
        }
        if self._content:
            given = execution.call.arguments if isinstance(execution.call, ToolCall) else execution.call.arguments_text
            line |= {"arguments": redact(given), "data": redact(outcome.data), "error": redact(outcome.error)}
        return self._put(line)

    def close(self) -> None:
        """Close the file; nothing can be written any more."""
        with self._lock:
            for file in (self._file, self._head_file):
                with suppress(OSError):
                    os.close(file)
            self._file = self._head_file = -1

    def _put(self, line: Mapping[str, Any]) -> Awaitable[None] | None:
        if self._fsync:
            return default_threads().run(self._append, line)
        self._append(line)
        return None

    def _append(self, line: Mapping[str, Any]) -> None:
        if os.getpid() != self._process:  # after a fork: the chain has one end, which is not here
            raise AuditError(f"another process is writing to {self.path.name}; give this one a sink of its own")
        with self._lock:
            number = self._head.count + 1
            body = encode({"n": number, **line, "previous": self._head.digest})
            digest = sha256(body).hexdigest()
            line_written = body[:-1] + f',"digest":"{digest}"}}\n'.encode()
            try:
                _write_all(self._file, line_written)
                if self._fsync:
                    os.fsync(self._file)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(self._file, self._size)  # half a line would spoil the next one
                raise
            self._size += len(line_written)
            self._head = Head(number, digest)
            self._write_head()

    def _write_head(self) -> None:
        os.lseek(self._head_file, 0, os.SEEK_SET)
        _write_all(self._head_file, _to_text(self._head))
        if self._fsync:
            os.fsync(self._head_file)


class Verification(msgspec.Struct, frozen=True):
    """What was found in a record: whether it is whole, how many lines are good, and else what is wrong, and where."""

    valid: bool
    lines: int
    problem: str | None = None
    line: int | None = None


def verify(path: str | os.PathLike[str], head: Head | None = None) -> Verification:
    """Say whether a record is as it was written: nothing changed, taken out, moved, or missing at the end.

    ``head`` is a copy of the sink's that was kept elsewhere; without it, the file beside the record is believed. The
    record may be longer than that, for what came later.

    Raises:
        OSError: The record cannot be read.
    """
    path = Path(path)
    known = head or _read_head(path)
    end = Head()
    reached = known is not None and known.count == 0
    with path.open("rb") as file:
        for line in file:
            problem = _fault(line, end)
            if problem is not None:
                return Verification(valid=False, lines=end.count, problem=problem, line=end.count + 1)
            end = Head(end.count + 1, _claimed(line))
            if known is not None and end.count == known.count:
                if end.digest != known.digest:
                    problem = "this is not the line that was last written"
                    return Verification(valid=False, lines=end.count - 1, problem=problem, line=end.count)
                reached = True
    if known is None:
        return Verification(
            valid=False, lines=end.count, problem="the file that tells where the record ends is missing"
        )
    if not reached:
        problem = f"lines are missing at the end: there were {known.count:,}"
        return Verification(valid=False, lines=end.count, problem=problem, line=end.count + 1)
    return Verification(valid=True, lines=end.count)


def _fault(line: bytes, before: Head) -> str | None:
    """Say what is wrong with a line that should follow upon another one."""
    if not line.endswith(b"\n"):
        return "the line is not complete"
    body, mark, digest = line.rpartition(b',"digest":"')
    if not mark or digest[64:] != b'"}\n' or sha256(body + b"}").hexdigest().encode() != digest[:64]:
        return "the line was changed"
    fields = _fields(body)
    if fields is None:
        return "the line was changed"
    if fields.get("n") != before.count + 1 or fields.get("previous") != before.digest:
        return "a line before this was taken out, put in, or moved"
    return None


def _fields(body: bytes) -> Mapping[str, Any] | None:
    """Return what a line says, without its own digest; None for one that no sink has written."""
    try:
        fields: Any = decode(body + b"}")
    except (msgspec.DecodeError, NotJsonError, RecursionError):
        return None
    return fields if fields.__class__ is dict and type(fields.get("n")) is int else None


def _claimed(line: bytes) -> str:
    return line[-67:-3].decode("ascii", "replace")


def _digest_of(value: object) -> str:
    return sha256(encode(value, canonical=True)).hexdigest()


def _head_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.head")


def _to_text(head: Head) -> bytes:
    return f"{head.count:020d} {head.digest}\n".encode()


def _read_head(path: Path) -> Head | None:
    try:
        text = _head_path(path).read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return None
    count, _, digest = text.strip().partition(" ")
    return Head(int(count), digest) if len(text) == _HEAD_LENGTH and count.isdigit() else None


def _continued(file: int, path: Path) -> tuple[Head, int]:
    """Return where a record goes on, and its size; a line that is not complete was never acknowledged, and is cut off.

    Raises:
        AuditError: What should be there is not.
    """
    line, size = _last_line(file)
    end = Head()
    if line:
        body, mark, digest = line.rpartition(b',"digest":"')
        fields = _fields(body)
        if not mark or fields is None or sha256(body + b"}").hexdigest().encode() != digest[:64]:
            raise AuditError(f"the last line of {path.name} was changed; verify it, and begin a new file")
        end = Head(fields["n"], _claimed(line))
    known = _read_head(path)
    if known is None and end.count:
        raise AuditError(f"the file that tells where {path.name} ends is missing; verify it, and begin a new file")
    if known is not None and (known.count > end.count or (known.count == end.count and known != end)):
        raise AuditError(f"lines are missing at the end of {path.name}; verify it, and begin a new file")
    os.ftruncate(file, size)
    return end, size


def _last_line(file: int) -> tuple[bytes, int]:
    """Return the last complete line, and where it ends."""
    size = os.fstat(file).st_size
    if not size:
        return b"", 0
    with mmap(file, size, access=ACCESS_READ) as view:
        end = view.rfind(b"\n") + 1
        start = view.rfind(b"\n", 0, max(0, end - 1)) + 1
        return view[start:end], end


def _hold(file: int, path: Path) -> None:
    """Keep other programs from writing to a file, where the system can.

    Raises:
        AuditError: One does already.
    """
    try:
        import fcntl  # not on Windows
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise AuditError(f"another sink is writing to {path.name}") from None


def _write_all(file: int, content: bytes) -> None:
    written = os.write(file, content)
    while written < len(content):  # only where the disk is nearly full, and then it mostly raises
        written += os.write(file, content[written:])
