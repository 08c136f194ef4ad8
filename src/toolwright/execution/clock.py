"""What time it is: the one place where execution asks, so that a test can say it.

This module knows nothing of calls.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from time import monotonic
from typing import Protocol, final

__all__ = ["Clock", "SystemClock"]


class Clock(Protocol):
    """Whoever says what time it is."""

    def now(self) -> datetime:
        """Return the time, aware and in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that only ever grow, to measure with."""
        ...


@final
class SystemClock:
    """The machine's own clock."""

    __slots__ = ()

    now = staticmethod(partial(datetime.now, UTC))
    monotonic = staticmethod(monotonic)
