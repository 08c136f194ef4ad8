"""Ids of calls, each used once."""

from __future__ import annotations

from typing import final

__all__ = ["UnusedIds"]


@final
class UnusedIds:
    """Gives out ids; one that was taken already gets a number. The same requests give the same ids."""

    __slots__ = ("_numbers", "_taken")

    def __init__(self) -> None:
        self._taken: set[str] = set()
        # By the id that was wanted: counted on, so that many calls of one id cost no more than others.
        self._numbers: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """Return ``wanted``, or the nearest that is not taken."""
        id, number = wanted, self._numbers.get(wanted, 1)
        while id in self._taken:
            number += 1
            id = f"{wanted}_{number}"
        if number > 1:
            self._numbers[wanted] = number
        self._taken.add(id)
        return id

    def copy(self) -> UnusedIds:
        """Return another one that goes on from here."""
        other = UnusedIds()
        other._taken, other._numbers = {*self._taken}, {**self._numbers}
        return other
