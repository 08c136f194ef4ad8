"""A run as a stream of events: what its model says, what its calls do, and last the run itself.

The run goes on in a task of its own. Whoever stops listening ends it.

This module may not know how a run goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, Final

from toolwright.agent.asking import Tell
from toolwright.agent.run import Run, RunCompleted
from toolwright.agent.stopping import waited_out
from toolwright.execution import Events, Listening

__all__ = ["events_of", "relayed"]

_END: Final = object()


async def events_of(carry_out: Callable[[Tell], Coroutine[Any, Any, Run]]) -> AsyncGenerator[Any]:
    """Carry out a run, and yield what is told of it; the last event is :class:`RunCompleted`.

    Closing the generator cancels the run, and comes back when that has been recorded.
    """
    told: asyncio.Queue[Any] = asyncio.Queue()
    task = asyncio.get_running_loop().create_task(carry_out(told.put_nowait))
    task.add_done_callback(lambda _: told.put_nowait(_END))
    try:
        while (event := await told.get()) is not _END:
            yield event
    finally:
        task.cancel()
        cancellation = await waited_out(task)
        if cancellation is not None:
            raise cancellation
    yield RunCompleted(task.result())


@asynccontextmanager
async def relayed(events: Events, execution_ids: Iterable[str], tell: Tell) -> AsyncGenerator[None]:
    """Tell of what an executor does with these calls, as it happens; all of it is told when the block ends."""
    wanted = frozenset(execution_ids)

    def hear(event: Any) -> None:
        if getattr(event, "execution_id", None) in wanted:
            tell(event)

    async def listen(listening: Listening) -> None:
        async for event in listening:
            hear(event)

    async with events.listen() as listening:
        task = asyncio.get_running_loop().create_task(listen(listening))
        try:
            yield
        finally:
            for event in listening.heard():
                hear(event)
            task.cancel()
