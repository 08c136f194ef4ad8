"""Workloads, and how they are measured.

A workload is a function that prepares and returns ``(ours, floor)``: what Toolwright does, and the least code that does
the same. Both are timed in turns, so that whatever else the machine does meets them alike; the smallest of several
samples counts. What cannot be timed that way (memory, another process) returns :class:`Figure` values of its own.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Final, TypeAlias, cast

__all__ = ["WORKLOADS", "Figure", "Pair", "Workload", "measure", "workload"]

Work: TypeAlias = Callable[[], object]
Pair: TypeAlias = tuple[Work, Work]
Result: TypeAlias = "Pair | Sequence[Figure]"

_SAMPLES: Final = (9, 3)  # thorough, quick
_SAMPLE_NS: Final = (20_000_000, 2_000_000)  # CPU time of one sample: far above the clock's own cost


@dataclass(frozen=True)
class Figure:
    """One measured row: ours beside the floor, in ``unit``, and what was hoped for.

    ``goal`` bounds the ratio of the two, ``limit`` what ours may be in itself.
    """

    title: str
    ours: float
    floor: float | None = None
    unit: str = "s"
    goal: float | None = None
    limit: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times the floor ours is."""
        return self.ours / self.floor if self.floor else None

    @property
    def met(self) -> bool | None:
        """Whether the goals are reached; None where there is none."""
        verdicts = [
            value <= bound
            for value, bound in ((self.ratio, self.goal), (self.ours, self.limit))
            if value is not None and bound is not None
        ]
        return all(verdicts) if verdicts else None


@dataclass(frozen=True)
class Workload:
    """One registered workload; a workload of several rows is several of these with one id."""

    id: str
    title: str
    prepare: Callable[[], Result]
    goal: float | None
    limit: float | None
    per: int

    def run(self, *, quick: bool = False) -> Sequence[Figure]:
        """Prepare, measure and return the rows."""
        result = self.prepare()
        if isinstance(result[0], Figure):
            return cast("Sequence[Figure]", result)
        ours, floor = (seconds / self.per for seconds in measure(*cast("Pair", result), quick=quick))
        return [Figure(self.title, ours, floor, goal=self.goal, limit=self.limit)]


WORKLOADS: Final[list[Workload]] = []


def workload(
    id: str, title: str, *, goal: float | None = None, limit: float | None = None, per: int = 1
) -> Callable[[Callable[[], Result]], Callable[[], Result]]:
    """Register a workload; ``per`` is how many operations one run of its callables does.

    ``goal`` bounds ours as a multiple of the floor, ``limit`` in seconds for one operation.
    """

    def register(prepare: Callable[[], Result]) -> Callable[[], Result]:
        WORKLOADS.append(Workload(id, title, prepare, goal, limit, per))
        return prepare

    return register


def measure(*works: Work, quick: bool = False) -> list[float]:
    """Return the seconds of CPU time that one call of each takes, the cost of calling left out.

    They are sampled in turns with the collector off; the smallest sample of each counts.
    """
    timed = [_nothing, *works]
    gc.collect()
    samples, target = _SAMPLES[quick], _SAMPLE_NS[quick]
    counts = [_calibrate(work, target) for work in timed]
    best = [float("inf")] * len(timed)
    for _ in range(samples):
        for index, (work, count) in enumerate(zip(timed, counts, strict=True)):
            best[index] = min(best[index], _sample(work, count) / count)
    call, *rest = best
    # Never zero: what costs less than a tenth of a call cannot be told from nothing.
    return [max(spent - call, call / 10) / 1e9 for spent in rest]


def _nothing() -> None:
    """Cost what every measured callable costs before it does anything."""


def _sample(work: Work, count: int) -> int:
    gc.collect(0)  # what the last sample left; going through all there is would take longer than the sample
    gc.disable()
    try:
        start = time.process_time_ns()
        for _ in repeat(None, count):
            work()
        return time.process_time_ns() - start
    finally:
        gc.enable()


def _calibrate(work: Work, target: int) -> int:
    """Return how many runs fill a sample; running it until then also warms it up."""
    count = 1
    while (spent := _sample(work, count)) < target / 4:
        count *= 4 if spent < target / 16 else 2
    return max(1, round(count * target / spent))
