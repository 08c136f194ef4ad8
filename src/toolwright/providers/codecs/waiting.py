"""The calls of an answer that wait for their results, in formats whose results need not say which call is theirs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import final

__all__ = ["Waiting"]


@final
class Waiting:
    """Gives the id of each call to one result, however the result asks for it.

    A call is a triple: its id, and the id and the name that results know it by. Many calls cost no more than others.
    """

    __slots__ = ("_by_id", "_by_name", "_in_order", "_left")

    def __init__(self, calls: Iterable[tuple[str, str, str]] = ()) -> None:
        self._left: set[str] = set()
        self._in_order: deque[str] = deque()
        self._by_id: dict[str, deque[str]] = {}
        self._by_name: dict[str, deque[str]] = {}
        for id, wire_id, name in calls:
            self._left.add(id)
            self._in_order.append(id)
            self._by_id.setdefault(wire_id, deque()).append(id)
            self._by_name.setdefault(name, deque()).append(id)

    def of_id(self, id: str) -> str | None:
        """Take the first call that results know by this id."""
        return self._take(self._by_id.get(id))

    def of_name(self, name: str) -> str | None:
        """Take the first call of this name."""
        return self._take(self._by_name.get(name))

    def first(self) -> str | None:
        """Take the first call."""
        return self._take(self._in_order)

    def _take(self, ids: deque[str] | None) -> str | None:
        while ids:
            id = ids.popleft()
            if id in self._left:
                self._left.remove(id)
                return id
        return None
