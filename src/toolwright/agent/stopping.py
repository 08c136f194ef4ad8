"""Stopping a run before its end, and who wants it: whoever awaits it, somebody who knows its id, or the clock.

And waiting for what has to come to its end, whoever is stopped meanwhile.

This module may not know what a run does.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

__all__ = ["Stopping", "waited_out"]


class Stopping:
    """Cancels the current task, in which a run goes on, and tells this from being cancelled by others.

    ``scope`` is that of the run's time limit, where it has one.

    Raises:
        RuntimeError: There is no task.
    """

    def __init__(self) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a run goes on in a task: await it inside one, or use run_sync")
        self.scope: asyncio.Timeout | None = None
        self._task: Final[asyncio.Task[Any]] = task
        self._before: Final = task.cancelling()
        self._interrupted = False
        self._over = False

    def stop(self) -> None:
        """End the run, from any thread."""
        with suppress(RuntimeError):  # its loop is closed, and the run with it
            self._task.get_loop().call_soon_threadsafe(self._interrupt)

    def _interrupt(self) -> None:
        if not self._over and not self._interrupted:
            self._interrupted = True
            self._task.cancel()

    def check(self) -> None:
        """See to it that the run ends if it should, also where something has swallowed its cancellation.

        Raises:
            TimeoutError: Its time is over.
            CancelledError: Somebody has had enough.
        """
        scope = self.scope
        if scope is not None and scope.expired():
            raise TimeoutError
        if self._task.cancelling() > self._before:
            raise asyncio.CancelledError

    @property
    def expired(self) -> bool:
        """Whether the time of the run is over."""
        return self.scope is not None and self.scope.expired()

    def end(self) -> bool:
        """Stop no more, and say whether whoever awaits the run was cancelled."""
        self._over = True
        if self._interrupted:
            self._task.uncancel()
        return self._task.cancelling() > self._before


async def waited_out(task: asyncio.Task[Any]) -> asyncio.CancelledError | None:
    """Wait until a task has ended, also if whoever waits is cancelled meanwhile; return that cancellation, if any."""
    cancellation = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancellation = error.with_traceback(None)  # which leads back here
    return cancellation
