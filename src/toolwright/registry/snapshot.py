"""The tools at one moment, as an immutable value that costs little to follow up.

Readers hold a snapshot and are never surprised: nothing that happens later shows in it. Writers make the next one.

This module may not know who reads, nor why there is a change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from toolwright.tools.base import Tool
from toolwright.tools.definition import ToolDefinition

__all__ = ["Entry", "Snapshot"]


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Entry:
    """One tool under its name, with the definition that it had when it came."""

    name: str
    tool: Tool
    definition: ToolDefinition
    builtin: bool = False


class Snapshot:
    """Tools by name, in order.

    A snapshot and those grown from it by :meth:`adding` share one dictionary and one list, which only ever grow. Each
    entry has a number, from 0 on in the order in which they came, and a snapshot knows which numbers came later than
    itself. So adding costs the same however many tools there are, and a reader of an older snapshot does not see what
    came after it. Whatever else changes is done on a copy.
    """

    __slots__ = ("_next", "_numbered", "_order", "_size")

    def __init__(self, order: list[Entry], numbered: dict[str, tuple[int, Entry]], next_number: int) -> None:
        self._order = order
        self._numbered = numbered
        self._size = len(order)
        self._next = next_number

    @classmethod
    def empty(cls) -> Self:
        """Return a snapshot of no tools, which shares nothing with another."""
        return cls([], {}, 0)

    def get(self, name: str) -> Entry | None:
        """Return the tool of exactly this name."""
        found = self._numbered.get(name)
        return found[1] if found is not None and found[0] < self._next else None

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._order[: self._size])

    def adding(self, entries: Iterable[Entry]) -> Self:
        """Return a snapshot with more tools at the end; only the newest one may be asked, by one writer at a time."""
        number = self._next
        for entry in entries:
            self._numbered[entry.name] = number, entry
            self._order.append(entry)
            number += 1
        return type(self)(self._order, self._numbered, number)

    def changing(self, changes: Mapping[str, Entry | None]) -> Self:
        """Return a snapshot in which tools are replaced where they stand, or (None) are gone; asked as `adding` is."""
        numbered, order = self._numbered.copy(), self._order[: self._size]
        if len(changes) == 1:  # the usual case, at the speed of copying
            [(name, new)] = changes.items()
            place = order.index(numbered[name][1])
            order[place : place + 1] = [] if new is None else [new]
        else:
            kept = (changes.get(entry.name, entry) for entry in order)
            order = [entry for entry in kept if entry is not None]
        for name, new in changes.items():
            number, _ = numbered.pop(name) if new is None else numbered[name]
            if new is not None:
                numbered[name] = number, new
        return type(self)(order, numbered, self._next)
