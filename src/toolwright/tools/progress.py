"""How far a call has come, in words and numbers that a person may look at meanwhile."""

from __future__ import annotations

from math import isfinite

from msgspec.structs import force_setattr

from toolwright.values import Value

__all__ = ["ToolProgress"]


class ToolProgress(Value, frozen=True, gc=False):
    """One report of a running tool.

    ``percent`` (0 to 100) follows from ``items`` of ``total`` where it is not given. ``operation`` is the step that is
    being done, ``remaining`` an estimate in seconds. Numbers that cannot be are put right, never refused: a report must
    not make a tool fail.
    """

    message: str
    percent: float | None = None
    operation: str | None = None
    items: int | None = None
    total: int | None = None
    remaining: float | None = None

    def __post_init__(self) -> None:
        for field in ("items", "total", "remaining"):
            value = getattr(self, field)
            real = _real(value)
            if value is not None and (real is None or real < 0):
                force_setattr(self, field, None)
        percent = self.percent
        if percent is None and self.items is not None and self.total:
            percent = self.items * 100 / self.total
        if percent is not None:
            shown = _real(percent)
            force_setattr(self, "percent", None if shown is None else min(100.0, max(0.0, shown)))

    @property
    def indeterminate(self) -> bool:
        """Whether nobody can say how much is left: there is neither a percentage nor a total."""
        return self.percent is None and self.total is None

    def __repr__(self) -> str:
        return f"ToolProgress(percent={self.percent}, items={self.items}, total={self.total})"


def _real(value: object) -> float | None:
    """Return a number as one that a line of progress can show; None where it is none."""
    if not isinstance(value, (int, float)):
        return None
    try:
        real = float(value)
    except OverflowError:
        return None
    return real if isfinite(real) else None
