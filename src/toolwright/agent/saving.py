"""Writing a run down while it goes on: in order, one write at a time, whatever happens meanwhile.

What is to be written waits in line, so that a tool's result never waits for a disk. Whoever must be sure waits for
:meth:`Saver.written`; a write that was begun is not broken off when he is cancelled.

This module may not know what a run does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

from toolwright.agent.journal import Journal
from toolwright.agent.runs import RunHead, RunStore
from toolwright.agent.stopping import waited_out

__all__ = ["Saver", "in_time", "unbroken"]

_PATIENCE: Final = 30.0  # seconds that a store may take: without a bound, one that hangs would hold the run


class Saver:
    """Gives the journal of one run to a store; ``length`` records are there already, written with ``epoch``.

    ``patience`` is how many seconds the store may take each time.
    """

    def __init__(
        self,
        store: RunStore,
        run_id: str,
        journal: Journal,
        *,
        epoch: int = 0,
        length: int = 0,
        patience: float = _PATIENCE,
    ) -> None:
        self._store: Final = store
        self._patience: Final = patience
        self._run_id: Final = run_id
        self._journal: Final = journal
        self._epoch = epoch
        self._saved = length
        self._writing: asyncio.Task[None] | None = None
        self._fault: Exception | None = None

    async def begin(self, head: RunHead) -> None:
        """Begin a new run with all that is in the journal.

        Raises:
            RunError, OSError: It cannot be kept.
        """
        records = list(self._journal.since(0))
        async with in_time(self._patience):
            self._epoch = await self._store.begin(head, records)
        self._saved = len(records)

    def put(self) -> None:
        """See to it that what is new in the journal is written; does not wait for it."""
        if self._writing is None and self._fault is None:
            self._writing = asyncio.get_running_loop().create_task(self._write())

    async def written(self) -> None:
        """Wait until all that is in the journal is written.

        Raises:
            RunError, OSError: It could not be; nothing more is.
        """
        if len(self._journal) > self._saved:
            self.put()
        while self._writing is not None:
            await asyncio.wait([self._writing])
        if self._fault is not None:
            raise self._fault

    async def end(self, status: str, error: str | None) -> None:
        """Write what is left, and how the run ended.

        Raises:
            RunError, OSError: It could not be written.
        """
        await self.written()
        async with in_time(self._patience):
            await self._store.end(self._run_id, status, epoch=self._epoch, error=error)

    async def _write(self) -> None:
        try:
            while self._fault is None and len(self._journal) > self._saved:
                records = list(self._journal.since(self._saved))
                async with in_time(self._patience):
                    await self._store.append(self._run_id, records, epoch=self._epoch)
                self._saved += len(records)
        except Exception as error:  # noqa: BLE001  the store is the application's own code; who waits gets it
            self._fault = error
        finally:
            self._writing = None


@asynccontextmanager
async def in_time(patience: float = _PATIENCE) -> AsyncGenerator[None]:
    """Bound what a store does in the block.

    Raises:
        TimeoutError: It has not answered.
    """
    scope = asyncio.timeout(patience)
    try:
        async with scope:
            yield
    except TimeoutError:
        if not scope.expired():
            raise
        raise TimeoutError(f"the store of runs has not answered within {patience:g} s") from None


async def unbroken(work: Coroutine[Any, Any, None]) -> asyncio.CancelledError | None:
    """Do something to its end, also if whoever waits is cancelled meanwhile; return that cancellation, if any."""
    task = asyncio.get_running_loop().create_task(work)
    cancellation = await waited_out(task)
    task.result()
    return cancellation
