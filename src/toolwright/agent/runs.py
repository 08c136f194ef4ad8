"""Runs that outlive their process: what the loop needs of whoever keeps them, and a store in memory.

Whoever takes a run gets a number, its *epoch*, and writes with it. When somebody else takes the run, the number grows,
and who writes with an old one is refused: a worker that lost its run writes nothing.

This module may not know how a run goes on.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime
from os import urandom
from threading import Lock
from time import time_ns
from typing import Final, Literal, Protocol, TypeAlias, runtime_checkable

import msgspec
from msgspec.structs import replace

from toolwright.errors import RunError
from toolwright.transcript import Record

__all__ = ["MemoryRuns", "RunHead", "RunState", "RunStore", "StoredRun", "checked_run_id", "ended", "new_run_id"]

RunState: TypeAlias = Literal["running", "waiting", "ended"]
"""Where a stored run stands."""

_LEGAL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class RunHead(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a run besides its records: what a list of runs shows.

    ``status`` is how it ended, ``error`` the kind of its fault. ``title`` is the beginning of the prompt. ``grants``
    are those that the run was given of its own: whoever takes it up gives it no more without saying so.
    """

    id: str
    created_at: datetime
    title: str = ""
    model: str = ""
    workspace: str | None = None
    session: str | None = None
    grants: tuple[str, ...] | None = None
    state: RunState = "running"
    status: str | None = None
    error: str | None = None
    ended_at: datetime | None = None
    epoch: int = 1


class StoredRun(msgspec.Struct, frozen=True):
    """A run as it is kept."""

    head: RunHead
    records: tuple[Record, ...] = ()


@runtime_checkable
class RunStore(Protocol):
    """Whoever keeps runs. What a method was given is kept when it returns; records that come together stay together.

    Every method raises :class:`~toolwright.errors.RunError` where it cannot do what it is asked.
    """

    def begin(self, head: RunHead, records: Sequence[Record], /) -> Awaitable[int]:
        """Keep a new run with its first records, and return its epoch."""
        ...

    def take(self, run_id: str, /) -> Awaitable[StoredRun]:
        """Take a run over, and return it with the new epoch. One that has ended is only returned."""
        ...

    def append(self, run_id: str, records: Sequence[Record], /, *, epoch: int) -> Awaitable[object]:
        """Keep more records, all of them or none. Refused (``run_lost``) where somebody else has taken the run."""
        ...

    def end(self, run_id: str, status: str, /, *, epoch: int, error: str | None = None) -> Awaitable[object]:
        """Say how the run ended; ``waiting`` lets it go without an end."""
        ...

    def read(self, run_id: str, /) -> Awaitable[StoredRun]:
        """Return a run as it is now, and change nothing."""
        ...

    def list(self) -> Awaitable[Sequence[RunHead]]:
        """Return the runs that there are, the newest first."""
        ...


def new_run_id() -> str:
    """Return an id that no other run has; later ones are greater."""
    return f"run_{time_ns() // 1_000_000:012x}{urandom(5).hex()}"


def checked_run_id(run_id: str) -> str:
    """Return the id of a run.

    Raises:
        ValueError: It cannot be one: an id is letters, digits, ``_`` and ``-``, 64 at most.
    """
    if not _LEGAL.fullmatch(run_id):
        raise ValueError("the id of a run: letters, digits, _ and -, 64 at most, a letter or a digit first")
    return run_id


def ended(head: RunHead, status: str, error: str | None, at: datetime) -> RunHead:
    """Return the head of a run that has ended, or waits."""
    if status == "waiting":
        return replace(head, state="waiting", status=status)
    return replace(head, state="ended", status=status, error=error, ended_at=at)


class MemoryRuns:
    """Keeps runs as long as the program lives. Safe to share between threads and loops."""

    def __init__(self) -> None:
        self._heads: dict[str, RunHead] = {}
        self._records: dict[str, list[Record]] = {}
        # Held while a run changes, and for nothing else.
        self._lock = Lock()

    async def begin(self, head: RunHead, records: Sequence[Record], /) -> int:
        """Keep a new run.

        Raises:
            RunError: There is a run of this id (``run_exists``).
        """
        with self._lock:
            if head.id in self._heads:
                raise RunError(f"there is a run {head.id} already", code="run_exists")
            self._heads[head.id] = head
            self._records[head.id] = list(records)
        return head.epoch

    async def take(self, run_id: str, /) -> StoredRun:
        """Take a run over.

        Raises:
            RunError: There is no such run (``run_not_found``).
        """
        with self._lock:
            head = self._head(run_id)
            if head.state != "ended":
                head = self._heads[run_id] = replace(head, state="running", status=None, epoch=head.epoch + 1)
            return StoredRun(head, tuple(self._records[run_id]))

    async def append(self, run_id: str, records: Sequence[Record], /, *, epoch: int) -> None:
        """Keep more records.

        Raises:
            RunError: Somebody else has the run (``run_lost``), or there is none (``run_not_found``).
        """
        with self._lock:
            self._fenced(run_id, epoch)
            self._records[run_id] += records

    async def end(self, run_id: str, status: str, /, *, epoch: int, error: str | None = None) -> None:
        """Say how the run ended.

        Raises:
            RunError: Somebody else has the run (``run_lost``), or there is none (``run_not_found``).
        """
        with self._lock:
            self._heads[run_id] = ended(self._fenced(run_id, epoch), status, error, datetime.now(UTC))

    async def read(self, run_id: str, /) -> StoredRun:
        """Return a run as it is now.

        Raises:
            RunError: There is no such run (``run_not_found``).
        """
        with self._lock:
            return StoredRun(self._head(run_id), tuple(self._records[run_id]))

    async def list(self) -> Sequence[RunHead]:
        """Return the runs that there are, the newest first."""
        with self._lock:
            return sorted(self._heads.values(), key=lambda head: head.created_at, reverse=True)

    def _head(self, run_id: str) -> RunHead:
        head = self._heads.get(run_id)
        if head is None:
            raise RunError(f"there is no run {run_id[:64]}", code="run_not_found")
        return head

    def _fenced(self, run_id: str, epoch: int) -> RunHead:
        head = self._head(run_id)
        if head.epoch != epoch or head.state == "ended":
            raise RunError(f"somebody else has taken the run {run_id}, or it has ended", code="run_lost")
        return head
