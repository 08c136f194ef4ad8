"""Step 6: a slot, so that no more calls run at once than may. Waiting for one is not execution time."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from toolwright.execution.running import Running
from toolwright.execution.scheduling import Slots
from toolwright.execution.stages import Approved

if TYPE_CHECKING:
    from toolwright.telemetry import Telemetry

__all__ = ["Admission", "Slot"]


class Slot:
    """A slot that was taken; leaving the ``with`` gives it back, whatever happened. It may be used many times."""

    __slots__ = ("_keys", "_slots", "_telemetry")

    def __init__(self, slots: Slots, keys: tuple[tuple[str, str | None], ...], telemetry: Telemetry | None) -> None:
        self._slots = slots
        self._keys = keys
        self._telemetry = telemetry

    def __enter__(self) -> None:
        if self._telemetry is not None:
            self._telemetry.active(1)

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._slots.give_back(self._keys)
        if self._telemetry is not None:
            self._telemetry.active(-1)


class Admission:
    """The slots of an executor, as its calls take them."""

    def __init__(self, slots: Slots, telemetry: Telemetry | None) -> None:
        self.slots = slots
        self._telemetry = telemetry
        self._plain = Slot(slots, (), telemetry)

    def now(self, approved: Approved) -> Slot | None:
        """Take a slot if one is free."""
        keys = () if self.slots.plain else self._keys(approved)
        if not self.slots.take(keys):
            return None
        return Slot(self.slots, keys, self._telemetry) if keys else self._plain

    async def later(self, approved: Approved, running: Running) -> Slot:
        """Wait until it is this call's turn, and take a slot. Whoever is cancelled meanwhile has none."""
        running.attach()
        keys = self._keys(approved)
        if self._telemetry is not None:
            self._telemetry.queued(1)
        try:
            await self.slots.wait(keys)
        finally:
            if self._telemetry is not None:
                self._telemetry.queued(-1)
        return Slot(self.slots, keys, self._telemetry)

    def _keys(self, approved: Approved) -> tuple[tuple[str, str | None], ...]:
        located = approved.permitted.placed.checked.located
        return self.slots.keys(located.known.name, located.scope.session)
