"""What time it is, and waiting: the one place where the transport asks, so that a test can say it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from time import monotonic
from typing import Protocol, final

__all__ = ["Clock", "SystemClock"]


class Clock(Protocol):
    """Whoever says what time it is, and lets time pass."""

    def now(self) -> datetime:
        """Return the time, aware and in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that only ever grow, to measure with."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return when so many seconds have passed."""
        ...


@final
class SystemClock:
    """The machine's own clock."""

    __slots__ = ()

    @staticmethod
    def now() -> datetime:
        """Return the time, aware and in UTC."""
        return datetime.now(UTC)

    monotonic = staticmethod(monotonic)

    @staticmethod
    async def sleep(seconds: float) -> None:
        """Return when so many seconds have passed."""
        await asyncio.sleep(seconds)
