"""From code without an event loop to one: a loop in a thread of its own, shared by all who come from outside.

This module knows coroutines, and nothing of calls.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextvars import copy_context
from functools import cache
from typing import Any, TypeVar

__all__ = ["run_from_outside"]

T = TypeVar("T")


class _LoopThread:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="toolwright-loop", daemon=True)
        self.thread.start()


@cache
def _shared() -> _LoopThread:
    return _LoopThread()


def run_from_outside(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end, from any thread, also from inside a running loop, which stands still meanwhile.

    The caller's context variables are seen by the coroutine. When the caller is interrupted, it is cancelled.
    """
    shared = _shared()
    if threading.current_thread() is shared.thread or not shared.thread.is_alive():
        # From within that very loop, it would wait for itself; after a fork, the thread is not there.
        return _in_a_thread_of_its_own(make)
    context = copy_context()
    done: Future[T] = Future()
    tasks: list[asyncio.Task[None]] = []

    async def carry_out() -> None:
        try:
            done.set_result(await make())
        except BaseException as error:  # noqa: BLE001  the caller gets it, whatever it is
            done.set_exception(error)

    def start() -> None:
        tasks.append(shared.loop.create_task(carry_out(), context=context))

    shared.loop.call_soon_threadsafe(start)
    try:
        return done.result()
    except BaseException:
        if not done.done():
            shared.loop.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])
        raise


def _in_a_thread_of_its_own(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    done: Future[T] = Future()
    context = copy_context()

    def work() -> None:
        try:
            done.set_result(context.run(asyncio.run, make()))
        except BaseException as error:  # noqa: BLE001  the caller gets it, whatever it is
            done.set_exception(error)

    threading.Thread(target=work, name="toolwright-loop", daemon=True).start()
    return done.result()
