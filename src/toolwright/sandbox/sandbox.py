"""The means of isolation of this machine, and which of them serves a level.

Exactly the level that is asked for is given, or none: never a weaker one, and never a stronger one in silence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from toolwright.levels import SandboxIsolationLevel
from toolwright.sandbox.in_process import InProcess
from toolwright.sandbox.runner import NO_ACCESS, Access, Available, Runner, Standing, Unavailable

__all__ = ["Sandbox"]

_NO_RUNNER: Final = Unavailable(
    "nothing here runs tools in a process of their own",
    "Code of your own may ask for isolation 'none'; a program may give Sandbox(runners=...) a runner for this level",
)


class Sandbox:
    """What tools are run with. ``access`` is what isolated calls may touch beside their workspace.

    ``runners`` are the means, the first that has a level serves it; without them, tools run in this program, and those
    that ask for any isolation are refused.
    """

    def __init__(self, *, access: Access = NO_ACCESS, runners: Sequence[Runner] | None = None) -> None:
        self.access: Final = access
        self._runners: Final[tuple[Runner, ...]] = (InProcess(),) if runners is None else tuple(runners)
        self._found: Mapping[SandboxIsolationLevel, Runner | Unavailable] | None = None

    def probe(self) -> Mapping[SandboxIsolationLevel, Standing]:
        """Say of each level whether it can be had on this machine, and if not, why and what to do about it."""
        found = {level: self.runner_for(level) for level in SandboxIsolationLevel}
        return {level: each if isinstance(each, Unavailable) else Available() for level, each in found.items()}

    def runner_for(self, level: SandboxIsolationLevel) -> Runner | Unavailable:
        """Return what runs tools at exactly this level, or why nothing does."""
        if self._found is None:
            probed = [(runner, runner.probe()) for runner in self._runners]
            self._found = {each: _choose(probed, each) for each in SandboxIsolationLevel}
        return self._found[level]


def _choose(
    probed: Sequence[tuple[Runner, Mapping[SandboxIsolationLevel, Standing]]], level: SandboxIsolationLevel
) -> Runner | Unavailable:
    reasons: list[Unavailable] = []
    for runner, standings in probed:
        standing = standings.get(level)
        if isinstance(standing, Available):
            return runner
        if standing is not None:
            reasons.append(standing)
    return reasons[0] if reasons else _NO_RUNNER
