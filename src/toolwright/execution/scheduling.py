"""Who goes first: slots for calls that run, and the order in which several calls may.

A slot is taken under all limits at once: of the executor, of the tool, of the session. Who asks first gets it first;
only who is held up by a limit of its own tool or session is overtaken. Where there is room, taking one waits for
nothing.

:func:`order` is pure: which calls wait for which. This module knows no tool, and nothing of what runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Final, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import force_setattr

from toolwright.values import freeze_object

__all__ = ["EVERYTHING", "NOTHING", "Claim", "Concurrency", "Slots", "order"]


class Concurrency(msgspec.Struct, frozen=True, kw_only=True):
    """How many calls run at once: altogether, of each tool or of some by name, and in each session. None is no limit.

    Raises:
        ValueError: A limit is not a whole number from 1 up.
    """

    total: int | None = 3
    per_tool: int | Mapping[str, int] | None = None
    per_session: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.per_tool, Mapping):
            force_setattr(self, "per_tool", freeze_object(self.per_tool))
        for limit in (self.total, self.per_session, *_limits_in(self.per_tool)):
            if limit is not None and (type(limit) is not int or limit < 1):
                raise ValueError("concurrency: a limit is a whole number, 1 or more, or None for none")

    def of_tool(self, name: str) -> int | None:
        """Return how many calls of a tool may run at once."""
        per_tool = self.per_tool
        return per_tool.get(name) if isinstance(per_tool, Mapping) else per_tool


def _limits_in(per_tool: int | Mapping[str, int] | None) -> Sequence[int | None]:
    return tuple(per_tool.values()) if isinstance(per_tool, Mapping) else (per_tool,)


_Key: TypeAlias = "tuple[str, str | None]"


class _Waiter:
    """A call that waits for a slot, and whether it was given one."""

    __slots__ = ("future", "given", "keys", "loop")

    def __init__(self, keys: tuple[_Key, ...], loop: asyncio.AbstractEventLoop) -> None:
        self.keys = keys
        self.loop = loop
        self.future: asyncio.Future[bool] = loop.create_future()
        self.given = False


class Slots:
    """The slots of one executor. Safe to share between threads and loops."""

    def __init__(self, concurrency: Concurrency) -> None:
        self.concurrency: Final = concurrency
        self._total: Final[float] = float("inf") if concurrency.total is None else concurrency.total
        self.plain: Final[bool] = concurrency.per_tool is None and concurrency.per_session is None
        self._active = 0
        self._taken: dict[_Key, int] = {}
        self._waiting: dict[int, _Waiter] = {}  # by number, in the order in which they came
        self._next = 0
        # Held while counts change, and for nothing else: what wakes a waiter is called under it, and does not wait.
        self._lock = Lock()

    @property
    def active(self) -> int:
        """How many slots are taken."""
        return self._active

    @property
    def queued(self) -> int:
        """How many calls wait for one."""
        return len(self._waiting)

    def keys(self, tool: str, session: str | None) -> tuple[_Key, ...]:
        """Return under which limits of its own a call counts."""
        if self.plain:
            return ()
        keys: list[_Key] = []
        if self.concurrency.of_tool(tool) is not None:
            keys.append(("tool", tool))
        if session is not None and self.concurrency.per_session is not None:
            keys.append(("session", session))
        return tuple(keys)

    def take(self, keys: tuple[_Key, ...]) -> bool:
        """Take a slot if there is one; nobody who waits could have it instead."""
        with self._lock:
            if self._active >= self._total:
                return False
            if keys:
                if not self._has_room(keys):
                    return False
                self._count(keys, 1)
            else:
                self._active += 1
            return True

    async def wait(self, keys: tuple[_Key, ...]) -> None:
        """Wait for a slot, and take it. Whoever is cancelled meanwhile has none, and leaves the queue."""
        waiter = _Waiter(keys, asyncio.get_running_loop())
        with self._lock:
            number = self._next = self._next + 1
            self._waiting[number] = waiter
            self._admit()  # one may have become free since
        try:
            await waiter.future
        except BaseException:
            with self._lock:
                self._waiting.pop(number, None)
            if waiter.given:  # in the very moment
                self.give_back(keys)
            raise

    def give_back(self, keys: tuple[_Key, ...]) -> None:
        """Free a slot; whoever waits longest for one gets it."""
        with self._lock:
            if keys:
                self._count(keys, -1)
            else:
                self._active -= 1
            if self._waiting:
                self._admit()

    def _has_room(self, keys: tuple[_Key, ...]) -> bool:
        return all(self._taken.get(key, 0) < self._limit_of(key) for key in keys)

    def _limit_of(self, key: _Key) -> float:
        kind, name = key
        limit = self.concurrency.of_tool(name or "") if kind == "tool" else self.concurrency.per_session
        return float("inf") if limit is None else limit

    def _count(self, keys: tuple[_Key, ...], change: int) -> None:
        self._active += change
        for key in keys:
            left = self._taken.get(key, 0) + change
            if left:
                self._taken[key] = left
            else:
                self._taken.pop(key, None)

    def _admit(self) -> None:
        """Give slots to those who wait, as far as there are any."""
        for number, waiter in list(self._waiting.items()):
            if self._active >= self._total:
                return
            if not self._has_room(waiter.keys):
                continue
            del self._waiting[number]
            try:
                waiter.loop.call_soon_threadsafe(_wake, waiter.future)
            except RuntimeError:  # its loop is closed, and whoever waited in it has gone
                continue
            waiter.given = True
            self._count(waiter.keys, 1)


def _wake(future: asyncio.Future[bool]) -> None:
    with suppress(asyncio.InvalidStateError):  # cancelled in this moment: whoever waited gives the slot back
        future.set_result(True)


class Claim(NamedTuple):
    """What a call lays hands on: whether it changes anything, and the one thing that it must not share."""

    side_effects: bool
    resource: str | None = None


NOTHING: Final = Claim(side_effects=False)
EVERYTHING: Final = Claim(side_effects=True)


def order(claims: Sequence[Claim]) -> list[tuple[int, ...]]:
    """Return for each call those before it that it waits for.

    A call without side effects waits for those before it that have some; one with side effects waits for all before it.
    Two calls that both name what they touch wait for each other only if it is the same; then it is enough that one of
    them has side effects.
    """
    return [
        tuple(earlier for earlier in range(place) if _clash(claims[earlier], claims[place]))
        for place in range(len(claims))
    ]


def _clash(first: Claim, second: Claim) -> bool:
    if not (first.side_effects or second.side_effects):
        return False
    if first.resource is None or second.resource is None:
        return True
    return first.resource == second.resource
