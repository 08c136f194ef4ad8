"""Which call a delta of the chat format belongs to.

The documents say: look at ``index``. Servers leave it out, begin at 1, use one index for two calls, and repeat ids and
names on every delta. So a delta begins a new call where nothing else is possible, and goes on with one otherwise.
"""

from __future__ import annotations

from typing import Any

from toolwright.providers.codecs.documents import as_index
from toolwright.providers.codecs.framing import Nesting

__all__ = ["Slot", "Slots"]


class Slot:
    """One call that is being received; ``index`` is its place among the calls."""

    __slots__ = ("_nesting", "_pieces", "_read", "_size", "id", "index", "name")

    def __init__(self, index: int) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self._nesting: Nesting | None = None
        self._pieces: list[str] = []
        self._read = 0  # so many of them were looked at
        self._size = 0

    def take(self, id: str, name: str, arguments: str) -> None:
        """Take note of what a delta says."""
        self.id = self.id or id
        self.name = self.name or name
        if arguments:
            self._pieces.append(arguments)
            self._size += len(arguments)

    def is_whole(self) -> bool:
        """Say whether the arguments are complete: anything that follows would break them."""
        if self._nesting is None:
            self._nesting = Nesting()
        for piece in self._pieces[self._read :]:  # each is read once, however often one asks
            self._nesting.feed(piece.encode("utf-8", "replace"))
        self._read = len(self._pieces)
        return self._nesting.is_whole

    def is_said_again(self, id: str, name: str, arguments: str) -> bool:
        """Say whether a delta repeats the whole call: one id is one call, which must not run twice."""
        same = bool(id) and id == self.id and name == self.name and len(arguments) == self._size
        return same and bool(arguments) and "".join(self._pieces) == arguments and self.is_whole()


class Slots:
    """Finds the call of each delta."""

    __slots__ = ("_by_id", "_by_index", "_last", "_next", "_taken")

    def __init__(self) -> None:
        self._by_index: dict[int, Slot] = {}
        self._by_id: dict[str, Slot] = {}
        self._last: Slot | None = None
        self._taken: set[int] = set()
        self._next = 0

    def find(self, index: Any, id: str, name: str, arguments: str) -> Slot | None:
        """Return the call that a delta goes on with, or the new one that it begins; the delta is not taken yet.

        ``None`` says that the delta brings nothing new.
        """
        place = as_index(index)
        if place is not None:
            slot = self._by_index.get(place)
        else:
            slot = self._by_id.get(id) if id else self._last
            if slot is None and not name:
                slot = self._last  # an id of its own on every delta, and nothing else that begins a call
        if slot is not None and name and slot.is_said_again(id, name, arguments):
            return None
        if slot is None or (name and self._begins_another(slot, id, name, arguments)):
            slot = self._open(place, id)
        self._last = slot
        return slot

    @staticmethod
    def _begins_another(slot: Slot, id: str, name: str, arguments: str) -> bool:
        """Say whether a delta that has a name begins another call than the one that has its place."""
        if not slot.name:
            return False
        if id and slot.id and id != slot.id:
            return True
        if name != slot.name and not (id and slot.id):
            return True
        return bool(arguments) and not arguments.isspace() and slot.is_whole()

    def _open(self, place: int | None, id: str) -> Slot:
        index = self._next if place is None or place in self._taken else place
        self._taken.add(index)
        self._next = max(self._next, index + 1)
        slot = Slot(index)
        if place is not None:
            self._by_index[place] = slot
        if id:
            self._by_id[id] = slot
        return slot
