"""Long results, page by page: what is given now, how much there is, and how to get the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Page", "counted"]

T = TypeVar("T")


def counted(number: int, noun: str) -> str:
    """Return how many there are of something, in words: ``1 match``, ``2,000 matches``."""
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{number:,} {noun}"


class Page(Generic[T]):
    """Some of many items, all of which are counted; an item is made only if it is given."""

    def __init__(self, offset: int, limit: int) -> None:
        self._offset = offset
        self._limit = limit
        self.items: list[T] = []
        self.total = 0

    def take(self, make: Callable[[], T]) -> None:
        """Count one more item, and make it if it is on this page."""
        if self._offset <= self.total < self._offset + self._limit:
            self.items.append(make())
        self.total += 1

    def hints(self, noun: str) -> list[str]:
        """Return how to get what is not on this page."""
        after = self._offset + len(self.items)
        if self._offset >= self.total > 0:
            return [f"The last of {counted(self.total, noun)} comes before that: give a smaller offset."]
        if after < self.total:
            left = counted(self.total - after, f"more {noun}")
            return [f"Not on this page: {left}. Go on with offset={after}, or look more closely."]
        return []
