"""Whether this machine has a level of isolation: what tools that ask for one are available by."""

from __future__ import annotations

from functools import cache

from toolwright.levels import SandboxIsolationLevel
from toolwright.sandbox import Sandbox, Unavailable

__all__ = ["is_to_be_had"]


@cache
def _usual() -> Sandbox:
    return Sandbox()


def is_to_be_had(level: SandboxIsolationLevel, sandbox: Sandbox | None = None) -> bool:
    """Say whether tools can be run at a level, in a sandbox or, by default, in that of this machine."""
    return not isinstance((sandbox or _usual()).runner_for(level), Unavailable)
