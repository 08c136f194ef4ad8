"""How far a run may go: turns, calls, seconds, corrections.

These are values, checked when they are made. What happens at a limit is not known here.
"""

from __future__ import annotations

import msgspec

__all__ = ["RunLimits"]


class RunLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of one run.

    A turn is an answer of the model together with its calls. ``max_tool_calls`` counts every call that is handed to
    the executor, wrong ones too. ``timeout`` is in seconds. ``corrections`` is how often a structured answer that does
    not fit may be mended.

    Raises:
        ValueError: A bound is out of range.
    """

    max_turns: int = 20
    max_tool_calls: int = 100
    timeout: float | None = None
    corrections: int = 2

    def __post_init__(self) -> None:
        for name, least in (("max_turns", 1), ("max_tool_calls", 0), ("corrections", 0)):
            number: object = getattr(self, name)
            if type(number) is not int or number < least:
                raise ValueError(f"{name}: a whole number, {least} or more")
        if self.timeout is not None and not 0 < self.timeout < float("inf"):
            raise ValueError("timeout: a number of seconds, more than 0")
