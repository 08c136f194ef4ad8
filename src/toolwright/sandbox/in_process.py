"""No isolation: the tool runs in this program, in the task of whoever awaits it, with everything that it can reach.

For the application's own code. Time limits are kept by whoever awaits the run, by cancelling it.
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Any, Final, final

from toolwright.levels import SandboxIsolationLevel
from toolwright.sandbox.runner import Access, Available, RunLimits, Standing
from toolwright.tools.base import Tool
from toolwright.tools.context import ToolContext
from toolwright.tools.outcome import ToolOutcome

__all__ = ["InProcess"]

_LEVELS: Final[Mapping[SandboxIsolationLevel, Standing]] = {SandboxIsolationLevel.NONE: Available()}


@final
class InProcess:
    """Runs tools where they are."""

    __slots__ = ()

    @staticmethod
    def probe() -> Mapping[SandboxIsolationLevel, Standing]:
        """Say which levels there are: ``none``, and always."""
        return _LEVELS

    @staticmethod
    def run(
        tool: Tool, context: ToolContext, *, level: SandboxIsolationLevel, access: Access, limits: RunLimits
    ) -> Coroutine[Any, Any, ToolOutcome]:
        """Return the tool's own coroutine: nothing stands between it and its caller, and nothing is spent on it."""
        del level, access, limits
        return tool.execute(context)
