"""What runs a tool, as whoever wants one run sees it: the level that holds, and how the call ended.

A runner provides levels of isolation, or says why it cannot and what to do about it. It never runs a tool at another
level than the one that it was asked for, neither a weaker nor a stronger one.

This room lies below the executor and knows none of its stages.
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from toolwright.levels import SandboxIsolationLevel
from toolwright.tools.base import Tool
from toolwright.tools.context import ToolContext
from toolwright.tools.outcome import ToolOutcome

__all__ = ["NO_ACCESS", "Access", "Available", "RunLimits", "Runner", "Standing", "Unavailable"]


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """What a call may touch: paths to read, paths to write, hosts to speak to (``example.org``, ``*.example.org:443``).

    At the level ``none`` nothing holds a tool to it.
    """

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


NO_ACCESS: Final = Access()
"""Nothing at all."""


class RunLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is held to, from when it starts: seconds, and bytes of everything that it gives."""

    seconds: float
    output: int


class Available(msgspec.Struct, frozen=True):
    """A level that can be had on this machine."""


class Unavailable(msgspec.Struct, frozen=True):
    """A level that cannot be had on this machine: why, and what to do about it."""

    reason: str
    remedy: str


Standing: TypeAlias = Available | Unavailable


class Runner(Protocol):
    """One means of running tools."""

    def probe(self) -> Mapping[SandboxIsolationLevel, Standing]:
        """Say of each level that this runner is for whether it can be had here. Asked once, when it is first needed."""
        ...

    def run(
        self, tool: Tool, context: ToolContext, *, level: SandboxIsolationLevel, access: Access, limits: RunLimits
    ) -> Coroutine[Any, Any, ToolOutcome]:
        """Return what runs a tool once, when it is awaited.

        Whoever awaits it cancels it when the time is over; above ``none`` that ends the whole tree of processes, and
        the runner keeps the limits by itself as well. What the tool raises may be raised.
        """
        ...
