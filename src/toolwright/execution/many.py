"""Several calls at once: side by side where that is safe, in order where it is not, each with its own answer.

What happens to one of them is no business of the others. This module knows calls by what they claim, and a function
that executes one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Final, Generic, TypeAlias, TypeVar

from toolwright.execution.scheduling import Claim, order

__all__ = ["Answers", "Turn", "side_by_side", "until_done"]

_log: Final = logging.getLogger("toolwright.execution")

R = TypeVar("R")

Turn: TypeAlias = Callable[[], Awaitable[None]]
"""Waits until it is a call's turn."""


class Answers(Generic[R]):
    """The answers of several calls by their places, and whoever is told of each as it comes.

    What the one who is told raises is kept until all have their answer: it harms none of them.
    """

    def __init__(self, done: Callable[[int, R], object] | None) -> None:
        self._done = done
        self._found: dict[int, R] = {}
        self._fault: Exception | None = None

    def __contains__(self, place: int) -> bool:
        return place in self._found

    def put(self, place: int, answer: R) -> R:
        """Keep an answer, and tell of it."""
        self._found[place] = answer
        if self._done is not None:
            try:
                self._done(place, answer)
            except Exception as error:  # noqa: BLE001  the application's own code
                facts = {"event": "subscriber.failed", "kind": "done", "error": type(error).__name__}
                _log.warning("whoever is told of each answer failed", extra=facts)
                self._fault = self._fault or error
        return answer

    def all(self) -> list[R]:
        """Return the answers in the order of their calls, once they are there.

        Raises:
            Exception: The first that was raised by whoever was told of them.
        """
        if self._fault is not None:
            raise self._fault
        return [self._found[place] for place in sorted(self._found)]


async def side_by_side(claims: Sequence[Claim], work: Callable[[int, Turn | None], Coroutine[Any, Any, R]]) -> list[R]:
    """Do the work of every claim, as far as they allow it at once, and return what came of it in their order.

    ``work`` is given the place of a claim, and what it has to await first, if anything; it answers whatever happens.
    When whoever waits here is cancelled, all of it is cancelled, and has ended when the cancellation goes on.
    """
    waits = order(claims) if any(claim.side_effects for claim in claims) else [()] * len(claims)
    tasks: list[asyncio.Task[R]] = []
    loop = asyncio.get_running_loop()
    for place, earlier in enumerate(waits):
        turn = partial(until_done, [tasks[each] for each in earlier]) if earlier else None
        tasks.append(loop.create_task(work(place, turn)))
    try:
        await until_done(tasks)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        await until_done(tasks, whatever=True)
        raise
    return [task.result() for task in tasks]


async def until_done(tasks: Sequence[asyncio.Task[Any]], *, whatever: bool = False) -> None:
    """Wait until tasks have ended, in whatever way; with ``whatever``, also through cancellations of the one who waits.

    Raises:
        CancelledError: Whoever waits was cancelled; the tasks go on.
    """
    for task in tasks:
        while not task.done():
            try:
                await asyncio.wait([task])  # of one: most of the others have ended then as well
            except asyncio.CancelledError:
                if not whatever:
                    raise
