"""Step 6: a slot, so that no more calls run at once than may. Waiting for one is not execution time."""

from __future__ import annotations

from typing import Final

from toolwright.execution.running import Running
from toolwright.execution.scheduling import Slots
from toolwright.execution.stages import Approved

__all__ = ["Admission", "Slot"]


class Slot:
    """A slot that was taken, to be given back whatever happens. It may be used many times."""

    __slots__ = ("_keys", "_slots")

    def __init__(self, slots: Slots, keys: tuple[tuple[str, str | None], ...]) -> None:
        self._slots = slots
        self._keys = keys

    def give_back(self) -> None:
        """Free it for the next call."""
        self._slots.give_back(self._keys)


class _NoSlot(Slot):
    """What a tool gets that only waits for calls of others."""

    __slots__ = ()

    def give_back(self) -> None:
        """There is nothing to give back."""


class Admission:
    """The slots of an executor, as its calls take them."""

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self._plain = Slot(slots, ())
        self.none: Final = _NoSlot(slots, ())  # for calls that may not wait for one

    def now(self, approved: Approved) -> Slot | None:
        """Take a slot if one is free."""
        if approved.permitted.placed.checked.located.known.delegates:
            return self.none  # holding one while its own calls wait for one, it could wait for ever
        keys = () if self.slots.plain else self._keys(approved)
        if not self.slots.take(keys):
            return None
        return Slot(self.slots, keys) if keys else self._plain

    async def later(self, approved: Approved, running: Running) -> Slot:
        """Wait until it is this call's turn, and take a slot. Whoever is cancelled meanwhile has none."""
        running.attach()
        keys = self._keys(approved)
        await self.slots.wait(keys)
        return Slot(self.slots, keys)

    def _keys(self, approved: Approved) -> tuple[tuple[str, str | None], ...]:
        located = approved.permitted.placed.checked.located
        return self.slots.keys(located.known.name, located.scope.session)
