"""What asyncio's task groups forget to take back, and how to see it.

Tools run in the task of their caller, and whether that was cancelled is told by a count. Before Python 3.13 a group in
a tool can leave that count one too high: https://github.com/python/cpython/issues/116720.

This module knows coroutines, and nothing of calls.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import types
from collections.abc import Coroutine, Iterator
from typing import Any, Final

__all__ = ["forgetful_groups"]

_END_OF_GROUP: Final = asyncio.TaskGroup.__aexit__.__code__
_AWAITS: Final = ("cr_await", "gi_yieldfrom", "ag_await")


def forgetful_groups(coroutine: Coroutine[Any, Any, object]) -> Iterator[asyncio.TaskGroup]:
    """Yield the task groups that have just cancelled the task in order to end, and will not take that back.

    Before Python 3.13 that is so where a task of the group fails while the group waits for the others at its end: the
    count of cancellations stays one too high, which looks as if the caller had been cancelled.
    """
    if sys.version_info >= (3, 13):
        return
    awaiting: Any = coroutine
    while awaiting is not None:
        if getattr(awaiting, "cr_code", None) is _END_OF_GROUP and awaiting.cr_frame is not None:
            known = awaiting.cr_frame.f_locals
            if known["et"] is None and known["self"]._parent_cancel_requested:  # noqa: SLF001  nothing else tells
                yield known["self"]
        awaiting = _awaited_by(awaiting)


def _awaited_by(awaiting: Any) -> Any:
    """Return what a coroutine or generator waits for; a step of an async generator tells only the collector whose."""
    found = next(filter(None, (getattr(awaiting, name, None) for name in _AWAITS)), None)
    if found is None and type(awaiting).__name__.startswith("async_generator_"):
        behind: list[Any] = [each for each in gc.get_referents(awaiting) if type(each) is types.AsyncGeneratorType]
        return behind[0] if behind else None
    return found
