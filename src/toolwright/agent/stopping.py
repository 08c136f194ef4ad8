"""Stopping a run before its end, and who wants it: whoever awaits it, or somebody who knows its id.

This module may not know what a run does.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

__all__ = ["Stopping"]


class Stopping:
    """Cancels the task in which a run goes on, and tells this from being cancelled by others."""

    def __init__(self) -> None:
        self._wanted = False
        self._interrupted = False
        self._task: asyncio.Task[Any] | None = None
        self._before = 0  # how often the task had been cancelled when the run began

    def begin(self) -> None:
        """Watch the current task, from the beginning of the run on."""
        task = self._task = asyncio.current_task()
        if task is not None:
            self._before = task.cancelling()

    def stop(self) -> None:
        """End the run, from any thread."""
        self._wanted = True
        task = self._task
        if task is not None:
            with suppress(RuntimeError):  # its loop is closed, and the run with it
                task.get_loop().call_soon_threadsafe(self._interrupt)

    def _interrupt(self) -> None:
        if self._task is not None and not self._interrupted:
            self._interrupted = True
            self._task.cancel()

    def check(self) -> None:
        """See to it that the run ends if it should, also where something has swallowed its cancellation.

        Raises:
            CancelledError: It should.
        """
        if self._wanted or (self._task is not None and self._task.cancelling() > self._before):
            raise asyncio.CancelledError

    def end(self) -> bool:
        """Watch no more, and say whether whoever awaits the run was cancelled."""
        task, self._task = self._task, None
        if task is None:
            return False
        if self._interrupted:
            task.uncancel()
        return task.cancelling() > self._before
