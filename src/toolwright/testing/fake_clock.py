"""A clock that stands still until a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["FakeClock"]

_START: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)


class FakeClock:
    """What executors and inboxes take as ``clock=``; :meth:`advance` lets time pass.

    It says what time it is. Time limits of calls are the event loop's, and are not moved by it.

    Raises:
        ValueError: The start has no time zone.
    """

    def __init__(self, start: datetime = _START) -> None:
        if start.tzinfo is None:
            raise ValueError("a clock starts at a time with a time zone")
        self._now = start.astimezone(UTC)
        self._seconds = 0.0

    def now(self) -> datetime:
        """Return the time, aware and in UTC."""
        return self._now

    def monotonic(self) -> float:
        """Return the seconds that have passed since the clock was made."""
        return self._seconds

    def advance(self, seconds: float) -> None:
        """Let time pass.

        Raises:
            ValueError: It would go backwards.
        """
        if seconds < 0:
            raise ValueError("time does not go backwards")
        self._now += timedelta(seconds=seconds)
        self._seconds += seconds
