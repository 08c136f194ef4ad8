"""Threads for tools that are not async.

The event loop's own pool will not do: a tool that never comes back would hold one of its few threads for ever, and the
program could not end. These threads are made as they are needed, are used again, and never keep a program from ending.
Whoever stops waiting for one leaves it behind: it is counted until it comes back.

This module knows functions, and nothing of tools. It decides no limits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import cache, partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio

__all__ = ["Threads", "default_threads"]

T = TypeVar("T")

_Job = Callable[[], Callable[[], None]]  # what is to be done, which returns how to tell of it


class Threads:
    """Runs blocking functions beside the event loop. Safe to share between threads and loops.

    A thread that has had nothing to do for ``idle`` seconds ends.
    """

    def __init__(self, *, idle: float = 30.0) -> None:
        self.idle = idle
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._abandoned = 0

    @property
    def abandoned(self) -> int:
        """How many functions are still running although nobody waits for them any more."""
        return self._abandoned

    async def run(self, function: Callable[..., T], /, *arguments: Any, **named: Any) -> T:
        """Run a function in a thread, with the caller's context variables, and return what it returns.

        Raises:
            BaseException: Whatever the function raises. When the caller is cancelled the function goes on, unheard.
        """
        from asyncio import get_running_loop  # not with the module: whoever only describes tools runs no event loop

        call = partial(copy_context().run, function, *arguments, **named)
        waiting = _Waiting(get_running_loop(), self)
        self._give(partial(waiting.settle, call))
        try:
            result: T = await waiting.future
        finally:
            waiting.leave()
        return result

    def _give(self, job: _Job) -> None:
        with self._lock:
            worker = self._idle.pop() if self._idle else None
            if worker is not None and not worker.is_alive():  # after a fork, and then none that came before it is
                worker = None
                self._idle.clear()
        if worker is None:
            worker = _Worker(self)
            worker.start()
        worker.jobs.put(job)

    def rest(self, worker: _Worker) -> None:
        """Take back a worker that has nothing to do."""
        with self._lock:
            self._idle.append(worker)

    def retire(self, worker: _Worker) -> bool:
        """Let a worker go that has waited for long, unless it has just been given work."""
        with self._lock:
            if worker not in self._idle:
                return False
            self._idle.remove(worker)
            return True

    def count(self, change: int) -> None:
        """Count functions that were left behind, and those that came back."""
        with self._lock:
            self._abandoned += change


class _Waiting:
    """One function in a thread, and whoever waits for it in the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, threads: Threads) -> None:
        self.future: asyncio.Future[Any] = loop.create_future()
        self._loop = loop
        self._threads = threads
        self._lock = threading.Lock()
        self._finished = False
        self._left = False

    def settle(self, call: Callable[[], Any]) -> Callable[[], None]:
        """Run the function (in the thread), and return what tells the loop, if anybody still waits there."""
        result: Any = None
        error: BaseException | None = None
        try:
            result = call()
        except BaseException as caught:  # noqa: BLE001  the caller gets it, whatever it is
            error = caught
        with self._lock:
            self._finished = True
        if self._left:
            self._threads.count(-1)
        return partial(self._tell, result, error)

    def _tell(self, result: Any, error: BaseException | None) -> None:
        if not self._left:
            with suppress(RuntimeError):  # the loop was closed meanwhile
                self._loop.call_soon_threadsafe(self._deliver, result, error)

    def leave(self) -> None:
        """Stop waiting (in the loop); a function that still runs is left behind."""
        with self._lock:
            self._left = not self._finished
        if self._left:
            self._threads.count(1)

    def _deliver(self, result: Any, error: BaseException | None) -> None:
        if self.future.done():  # cancelled
            return
        if isinstance(error, (StopIteration, GeneratorExit)):  # which no future can carry to who awaits it
            error = RuntimeError(f"the function raised {error!r}")
        if error is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(result)


class _Worker(threading.Thread):
    """A thread that waits a while for work, and ends when there is none."""

    def __init__(self, threads: Threads) -> None:
        super().__init__(name="toolwright-tool", daemon=True)
        self.jobs: SimpleQueue[_Job] = SimpleQueue()
        self._threads = threads

    def run(self) -> None:
        while True:
            try:
                job = self.jobs.get(timeout=self._threads.idle)
            except Empty:
                if self._threads.retire(self):
                    return
                continue
            tell = job()
            # First free for the next call, then heard of: one call after the other needs one thread.
            self._threads.rest(self)
            tell()
            del job, tell  # and with them what the call was about


@cache
def default_threads() -> Threads:
    """Return the threads of whoever has none of its own."""
    return Threads()
