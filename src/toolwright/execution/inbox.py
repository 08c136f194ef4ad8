"""A reviewer whose requests wait in an inbox, until somebody decides from a page, a command or a program.

:class:`Inbox` is what is needed of whoever keeps the requests; :class:`MemoryInbox` keeps them while the program runs.
A request is found again after a restart by what it is about: the same call of the same session, with the same
arguments of the same definition. Each decision is taken once: what was approved runs once.

This module may not know who decides, nor how an inbox keeps what it is given.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from threading import Lock
from typing import Protocol, Self, runtime_checkable

from msgspec.structs import replace

from toolwright.execution.clock import Clock, SystemClock
from toolwright.execution.remembered import arguments_digest
from toolwright.execution.reviewers import Decision, ReviewRequest, read_json
from toolwright.values import Value

__all__ = ["Inbox", "InboxReviewer", "MemoryInbox", "Pending", "pending_id"]

_DAY = 86_400.0


class Pending(Value, frozen=True, kw_only=True, gc=True):
    """A request that waits for a decision until it expires."""

    id: str
    request: ReviewRequest
    requested_at: datetime
    expires_at: datetime

    @classmethod
    def from_json(cls, text: bytes | str) -> Self:
        """Read what ``to_json`` wrote.

        Raises:
            MessageDecodeError: It is not the JSON of a pending request.
        """
        return read_json(text, cls)


@runtime_checkable
class Inbox(Protocol):
    """Whoever keeps requests until they are decided. Of two that decide at once, one succeeds."""

    async def put(self, pending: Pending, /) -> None:
        """Keep a request; one that is there under this id already, decided or not, stays as it is."""
        ...

    async def decide(self, id: str, decision: Decision, /) -> bool:
        """Decide a request, and say whether this is the decision that holds: it was pending, and nobody was first."""
        ...

    async def wait(self, id: str, /) -> Decision | None:
        """Wait for the decision and take it out: one waiter gets it. None where it expired or is not there."""
        ...

    async def pending(self) -> tuple[Pending, ...]:
        """Return what waits to be decided, the oldest first."""
        ...

    async def withdraw(self, id: str, /) -> bool:
        """Take a request back that is no longer of interest, and say whether it was there."""
        ...


def pending_id(request: ReviewRequest) -> str:
    """Return the id under which a request is found again.

    Where there is no session, ids of calls are not unique enough: then only the same execution is the same request.
    """
    about = [request.session] if request.session is not None else [None, request.execution_id]
    digest = arguments_digest(request.arguments, request.workspace)
    parts = (*about, request.call.id, request.tool_name, request.definition, digest, str(request.risk))
    text = json.dumps(parts)  # which escapes what is not ASCII, and so keeps apart what is not the same
    return f"approval_{sha256(text.encode('ascii')).hexdigest()[:32]}"


class InboxReviewer:
    """Puts requests into an inbox and waits, for as long as ``expires_after`` says: a day, unless told otherwise.

    An executor gives it that time instead of its own ``review_timeout``. A request whose waiting ends because the
    program does stays in the inbox; when the call comes again, what was decided meanwhile is found there.
    """

    def __init__(self, inbox: Inbox, *, expires_after: float = _DAY, clock: Clock | None = None) -> None:
        if not 0 < expires_after < float("inf"):
            raise ValueError("expires_after is a number of seconds, more than 0")
        self.expires_after = expires_after
        self._inbox = inbox
        self._clock = clock or SystemClock()

    async def review(self, request: ReviewRequest, /) -> Decision:
        """Return what is decided in the inbox.

        Raises:
            TimeoutError: Nobody decided before the request expired, or it was withdrawn.
        """
        now = self._clock.now()
        expires_at = now + timedelta(seconds=self.expires_after)
        pending = Pending(
            id=pending_id(request),
            request=replace(request, expires_at=expires_at),
            requested_at=now,
            expires_at=expires_at,
        )
        await self._inbox.put(pending)
        decision = await self._inbox.wait(pending.id)
        if decision is None:
            raise TimeoutError("nobody decided in time")
        return decision


_Wake = Callable[[], None]


class _Entry:
    __slots__ = ("decision", "pending", "waiting")

    def __init__(self, pending: Pending) -> None:
        self.pending = pending
        self.decision: Decision | None = None
        self.waiting: list[_Wake] = []


class MemoryInbox:
    """An inbox that lives as long as the program. Safe to share between threads and loops."""

    def __init__(self, *, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._lock = Lock()
        self._entries: dict[str, _Entry] = {}

    async def put(self, pending: Pending, /) -> None:
        """Keep a request; one that is there under this id already, decided or not, stays as it is."""
        with self._lock:
            self._drop_expired()
            self._entries.setdefault(pending.id, _Entry(pending))

    async def decide(self, id: str, decision: Decision, /) -> bool:
        """Decide a request, and say whether this is the decision that holds: it was pending, and nobody was first.

        Raises:
            TypeError: It is not a decision.
        """
        if not isinstance(decision, Decision):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError("a request is decided by a Decision")
        with self._lock:
            self._drop_expired()
            entry = self._entries.get(id)
            if entry is None or entry.decision is not None:
                return False
            entry.decision = decision
            _wake(entry)
            return True

    async def wait(self, id: str, /) -> Decision | None:
        """Wait for the decision and take it out: one waiter gets it. None where it expired or is not there."""
        woken = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wake() -> None:
            with suppress(RuntimeError):  # that loop is closed
                loop.call_soon_threadsafe(woken.set)

        while True:
            with self._lock:
                self._drop_expired()
                entry = self._entries.get(id)
                if entry is None:
                    return None
                if entry.decision is not None:
                    del self._entries[id]
                    _wake(entry)  # the others learn that it is gone
                    return entry.decision
                entry.waiting.append(wake)
                left = (entry.pending.expires_at - self._clock.now()).total_seconds()
            try:
                async with asyncio.timeout(left):
                    await woken.wait()
            except TimeoutError:
                pass
            finally:
                with self._lock, suppress(ValueError):
                    entry.waiting.remove(wake)
            woken.clear()

    async def pending(self) -> tuple[Pending, ...]:
        """Return what waits to be decided, the oldest first."""
        with self._lock:
            self._drop_expired()
            waiting = [entry.pending for entry in self._entries.values() if entry.decision is None]
        return tuple(sorted(waiting, key=lambda each: each.requested_at))

    async def withdraw(self, id: str, /) -> bool:
        """Take a request back that is no longer of interest, and say whether it was there."""
        with self._lock:
            entry = self._entries.pop(id, None)
            if entry is not None:
                _wake(entry)
            return entry is not None

    def _drop_expired(self) -> None:
        """Forget what nobody decided in time, and what was decided and is no longer fetched."""
        now = self._clock.now()
        for id, entry in [pair for pair in self._entries.items() if pair[1].pending.expires_at <= now]:
            del self._entries[id]
            _wake(entry)


def _wake(entry: _Entry) -> None:
    waiting, entry.waiting = entry.waiting, []
    for wake in waiting:
        wake()
