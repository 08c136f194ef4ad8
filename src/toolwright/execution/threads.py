"""Threads for sync tools, of which only so many may be left behind.

A sync tool that overruns cannot be ended in this program: its caller gets an answer, and its thread is counted until it
comes back. When too many are out, no further sync tool is started.

This module knows functions, and nothing of tools.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from toolwright.tools.threads import Threads

__all__ = ["BoundedThreads", "TooManyAbandoned"]

T = TypeVar("T")


class TooManyAbandoned(Exception):  # noqa: N818  a signal inside this room: the run step makes an outcome of it
    """So many functions that nobody waits for still run that no other is started."""

    def __init__(self, count: int) -> None:
        super().__init__(
            f"{count} calls that took too long still run in threads that cannot be ended. Try again later; isolation "
            "'standard' is what gets such a tool ended"
        )


class BoundedThreads(Threads):
    """Threads of which at most ``most`` may be left behind."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most: Final = most

    async def run(self, function: Callable[..., T], /, *arguments: Any, **named: Any) -> T:
        """Run a function in a thread, with the caller's context variables, and return what it returns.

        Raises:
            TooManyAbandoned: Too many are out already; it was not started.
            BaseException: Whatever the function raises.
        """
        if self.abandoned >= self._most:
            raise TooManyAbandoned(self.abandoned)
        return await super().run(function, *arguments, **named)
