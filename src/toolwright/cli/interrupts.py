"""Ctrl-C: the first stops what is going on, the second leaves, and the third ends the program as it stands.

This module may not know what is going on.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

__all__ = ["stopping"]


class _Interrupts:
    """Counts what was pressed while something was going on."""

    def __init__(self, loop: asyncio.AbstractEventLoop, stop: Callable[[], object]) -> None:
        self._loop = loop
        self._stop = stop
        self._pressed = False

    def press(self, number: int, frame: FrameType | None) -> None:
        """Take one; called between two instructions of the main thread."""
        del number, frame
        if self._pressed:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            raise KeyboardInterrupt
        self._pressed = True
        self._loop.call_soon_threadsafe(self._stop)


@contextmanager
def stopping(stop: Callable[[], object]) -> Generator[None]:
    """Have the first Ctrl-C call ``stop``, in the loop that is running: in the main thread, which signals are for."""
    before = signal.signal(signal.SIGINT, _Interrupts(asyncio.get_running_loop(), stop).press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
