from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from contextvars import ContextVar

import pytest

from toolwright.tools.threads import Threads, default_threads

WHO: ContextVar[str] = ContextVar("WHO")


async def test_a_function_runs_in_another_thread_with_the_callers_context() -> None:
    WHO.set("caller")

    def work(number: int, *, more: int) -> tuple[int, str, int]:
        return number + more, WHO.get(), threading.get_ident()

    result, who, thread = await Threads().run(work, 1, more=2)
    assert (result, who) == (3, "caller")
    assert thread != threading.get_ident()


async def test_whatever_a_function_raises_reaches_the_caller() -> None:
    threads = Threads()
    for error in (ValueError("no"), SystemExit(3), asyncio.CancelledError()):

        def work(error: BaseException = error) -> None:
            raise error

        with pytest.raises(BaseException) as caught:
            await threads.run(work)
        assert caught.value is error
    with pytest.raises(RuntimeError, match="StopIteration"):
        await threads.run(lambda: next(iter(())))

    def leave() -> None:
        raise GeneratorExit

    with pytest.raises(RuntimeError, match="GeneratorExit"):
        await threads.run(leave)
    assert threads.abandoned == 0


async def test_a_thread_is_used_again_and_many_run_at_once() -> None:
    threads = Threads()
    assert len({await threads.run(threading.get_ident) for _ in range(50)}) == 1
    barrier = threading.Barrier(40)
    await asyncio.gather(*(threads.run(barrier.wait, 30) for _ in range(40)))


async def test_a_thread_that_has_nothing_to_do_ends_and_another_takes_its_place() -> None:
    threads = Threads(idle=0.001)
    worker = await threads.run(threading.current_thread)
    await asyncio.to_thread(worker.join, 30)
    assert not worker.is_alive()
    assert await threads.run(threading.current_thread) is not worker


async def test_a_function_that_is_left_behind_is_counted_until_it_comes_back() -> None:
    threads, go, came_back = Threads(), threading.Event(), threading.Event()

    def work() -> None:
        go.wait(30)
        came_back.set()

    running = asyncio.ensure_future(threads.run(work))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert threads.abandoned == 1
    go.set()
    await asyncio.to_thread(came_back.wait, 30)
    async with asyncio.timeout(30):
        while threads.abandoned:  # noqa: ASYNC110  a thread tells nobody
            await asyncio.sleep(0)
    assert default_threads() is default_threads()


def test_a_function_that_never_ends_does_not_keep_the_program_from_ending() -> None:
    script = """
import asyncio, threading
from toolwright.tools.threads import Threads
async def main():
    try:
        async with asyncio.timeout(0.05):
            await Threads().run(threading.Event().wait)
    except TimeoutError:
        print("timed out")
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "timed out\n"
    assert done.stderr == ""
