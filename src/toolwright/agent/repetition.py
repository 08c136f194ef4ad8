"""Calls that are made again although nothing has changed: noticed, so that the model can be told.

Pure: this module compares keys and texts, and runs nothing.
"""

from __future__ import annotations

from typing import Final

__all__ = ["REPEATED", "Repetition"]

REPEATED: Final = (
    "\n\n[This call was made before with the same arguments, its result is the same, and nothing new has come in "
    "between. Repeating it will not help: use what you have, or try something else.]"
)
"""What a model is told with the result of a call that it repeats."""


class Repetition:
    """Knows the calls of one run, by their keys, and when each last gave something new."""

    def __init__(self) -> None:
        self._seen: dict[bytes, tuple[int, int]] = {}  # the turn and the digest of the latest result
        self._news = 0  # the turn in which something new last came

    def notice(self, turn: int, key: bytes, result: str) -> bool:
        """Take the result of a call, and say whether it repeats an earlier one without anything new in between."""
        digest = hash(result)
        before = self._seen.get(key)
        self._seen[key] = turn, digest
        if before is None or before[1] != digest:
            self._news = turn
            return False
        return before[0] < turn and self._news <= before[0]
