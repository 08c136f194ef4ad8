"""How many calls there may be: limits, and the accounts that are held against them.

A place is taken before a call runs, and given back if it never does. Taking looks and counts in one step, so that
however many calls come at once, no more than the limit get a place. Time is handed in, as seconds of a clock that never
goes back.

This module may not know what a call does, who wants it, or why it may run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from threading import Lock
from typing import Final

import msgspec

from toolwright.errors import PolicyError

__all__ = ["NOTHING_COUNTED", "Accounts", "Counts", "Limits", "Reservation"]

_MINUTE: Final = 60.0


class Counts(msgspec.Struct, frozen=True):
    """The calls of a session so far: all, those of the tool in question, and those of the last minute."""

    calls: int = 0
    of_tool: int = 0
    in_last_minute: int = 0


NOTHING_COUNTED: Final = Counts()
"""The counts of a session that has not called anything."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How many calls a session may make: altogether, of each tool, in any 60 seconds. None is no limit.

    Raises:
        PolicyError: A limit is not a whole number from 0 up.
    """

    calls: int | None = None
    calls_per_tool: int | None = None
    calls_per_minute: int | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            limit: object = getattr(self, name)
            if limit is not None and (type(limit) is not int or limit < 0):
                raise PolicyError("must be a whole number, 0 or more", code="invalid_rule", path=name)

    @property
    def unlimited(self) -> bool:
        """Whether there is no limit at all."""
        return self.calls is None and self.calls_per_tool is None and self.calls_per_minute is None

    def refusal(self, counts: Counts) -> str | None:
        """Say which limit leaves no room for one more call; None where there is room."""
        if self.calls is not None and counts.calls >= self.calls:
            return f"the session has used up its {_calls(self.calls)}"
        if self.calls_per_tool is not None and counts.of_tool >= self.calls_per_tool:
            return f"the session has used up its {_calls(self.calls_per_tool)} of this tool"
        if self.calls_per_minute is not None and counts.in_last_minute >= self.calls_per_minute:
            return f"the session may make {_calls(self.calls_per_minute)} a minute; wait a little"
        return None

    def strictest(self, other: Limits) -> Limits:
        """Return limits that keep both."""
        pairs = ((name, (getattr(self, name), getattr(other, name))) for name in self.__struct_fields__)
        return Limits(
            **{name: min((limit for limit in both if limit is not None), default=None) for name, both in pairs}
        )


def _calls(number: int) -> str:
    return "1 call" if number == 1 else f"{number:,} calls"


class _Account:
    """The calls of one session."""

    __slots__ = ("by_tool", "calls", "recent")

    def __init__(self) -> None:
        self.calls = 0
        self.by_tool: dict[str, int] = {}
        self.recent: deque[float] = deque()

    def counts(self, tool: str, now: float) -> Counts:
        while self.recent and self.recent[0] <= now - _MINUTE:
            self.recent.popleft()
        return Counts(self.calls, self.by_tool.get(tool, 0), len(self.recent))

    def add(self, tool: str, now: float, *, timed: bool) -> None:
        self.calls += 1
        self.by_tool[tool] = self.by_tool.get(tool, 0) + 1
        if timed:
            self.recent.append(now)

    def subtract(self, tool: str, taken_at: float) -> None:
        self.calls -= 1
        self.by_tool[tool] -= 1
        if taken_at in self.recent:
            self.recent.remove(taken_at)


class Accounts:
    """The counts of every session, held against one set of limits. Safe to share between threads and loops.

    A session of None is one as well. Where there are no limits nothing is counted, and nothing is kept.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._unlimited = limits.unlimited
        self._sessions: dict[Hashable, _Account] = {}
        self._lock = Lock()

    def counts(self, session: Hashable, tool: str, now: float) -> Counts:
        """Return how many calls there were; ``now`` is in seconds."""
        if self._unlimited:
            return NOTHING_COUNTED
        with self._lock:
            account = self._sessions.get(session)
            return account.counts(tool, now) if account else NOTHING_COUNTED

    def take(self, session: Hashable, tool: str, now: float) -> Reservation | str:
        """Take a place for one call, or say which limit leaves none."""
        if self._unlimited:
            return _FREE
        with self._lock:
            account = self._sessions.get(session)
            if account is None:
                account = self._sessions[session] = _Account()
            refusal = self.limits.refusal(account.counts(tool, now))
            if refusal is not None:
                return refusal
            account.add(tool, now, timed=self.limits.calls_per_minute is not None)
        return Reservation(self._lock, account, tool, now)

    def close(self, session: Hashable) -> None:
        """Forget a session that has ended; if it comes again, it starts from nothing."""
        with self._lock:
            self._sessions.pop(session, None)


class Reservation:
    """A place that was taken for one call."""

    __slots__ = ("_account", "_lock", "_taken_at", "_tool")

    def __init__(self, lock: Lock, account: _Account | None, tool: str, taken_at: float) -> None:
        self._lock = lock
        self._account = account
        self._tool = tool
        self._taken_at = taken_at

    def give_back(self) -> None:
        """Free the place of a call that did not run. Doing so again changes nothing."""
        with self._lock:
            account, self._account = self._account, None
            if account is not None:
                account.subtract(self._tool, self._taken_at)


_FREE: Final = Reservation(Lock(), None, "", 0.0)  # what costs nothing is shared by all
