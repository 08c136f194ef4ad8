"""From code without an event loop to one: a loop in a thread of its own, shared by all who come from outside.

Whatever has a sync and an async side is written once, async, and crosses here.

This module knows coroutines and iterators, and nothing of what they do.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import Context, copy_context
from functools import cache
from typing import Any, TypeVar

__all__ = ["iterate_from_outside", "run_from_outside"]

T = TypeVar("T")


class _LoopThread:
    """A loop that runs in a thread of its own."""

    def __init__(self) -> None:
        self.blocked = 0  # how many calls stand still in this thread, waiting for another loop
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="toolwright-loop", daemon=True)
        self.thread.start()

    def run(self, make: Callable[[], Awaitable[T]], context: Context) -> T:
        """Run to the end what is made in the loop; when the caller is interrupted, it is cancelled."""
        done: Future[T] = Future()
        tasks: list[asyncio.Task[None]] = []

        async def carry_out() -> None:
            try:
                done.set_result(await make())
            except BaseException as error:  # noqa: BLE001  the caller gets it, whatever it is
                done.set_exception(error)

        def start() -> None:
            tasks.append(self.loop.create_task(carry_out(), context=context))

        try:
            self.loop.call_soon_threadsafe(start)  # within: an interruption may come before it has returned
            return done.result()
        except BaseException:
            if not done.done():
                self.loop.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])
            raise

    def close(self) -> None:
        """End the loop and its thread, and what still runs there."""
        self.run(self._shut_down, copy_context())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def _shut_down(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self.loop.shutdown_asyncgens()


@cache
def _shared() -> _LoopThread:
    return _LoopThread()


@contextmanager
def _reachable() -> Generator[_LoopThread]:
    """Give the shared loop, or one for this time alone where waiting for that one would never end."""
    shared = _shared()
    within = threading.current_thread() is shared.thread
    if not within and not shared.blocked and shared.thread.is_alive():
        yield shared
        return
    # From within that very loop, or on behalf of what stands still there, it would wait for itself; after a fork, the
    # thread is not there.
    own = _LoopThread()
    shared.blocked += within  # only ever changed in that thread
    try:
        yield own
    finally:
        shared.blocked -= within
        own.close()


def run_from_outside(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end, from any thread, also from inside a running loop, which stands still meanwhile.

    The caller's context variables are seen by the coroutine. When the caller is interrupted, it is cancelled.
    """
    with _reachable() as thread:
        return thread.run(make, copy_context())


def iterate_from_outside(make: Callable[[], AsyncGenerator[T]]) -> Generator[T]:
    """Yield what an async generator yields, each when it is asked for, from any thread.

    Nothing runs ahead of the caller. Closing this generator closes the other one, on its own loop.
    """
    with _reachable() as thread:
        context = copy_context()  # one for all steps: what the generator sets, it finds again
        generator = make()
        try:
            while True:
                try:
                    item = thread.run(generator.__anext__, context)
                except StopAsyncIteration:
                    return
                yield item
        finally:
            thread.run(generator.aclose, context)
