"""What importing costs, and what installing brings along."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata

from packaging.requirements import Requirement

from benchmarks.harness import Figure, workload

RUNS = 7

# Measured inside the child (on Linux), around the statement alone: the interpreter's own start is nobody's merit.
PROBE = """
import resource, time
def memory():
    with open('/proc/self/statm') as pages:
        return int(pages.read().split()[1]) * resource.getpagesize()
before, start = memory(), time.process_time()
{statement}
print(time.process_time() - start, memory() - before)
"""
OURS = "import toolwright"
EVERY_NAME = "import toolwright\nfor name in toolwright.__all__: getattr(toolwright, name)"
FLOOR = "import msgspec"


def cost(statement: str) -> tuple[float, float]:
    """Return the seconds and bytes that a statement costs a fresh interpreter."""
    script = PROBE.format(statement=statement)
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    seconds, size = child.stdout.split()
    return float(seconds), float(size)


def distributions(name: str) -> set[str]:
    """Return what a plain install of a distribution brings along, itself included."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            needs = map(Requirement, metadata.requires(current) or [])
            waiting += [need.name for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})]
    return found


@workload("W8", "import toolwright")
def importing() -> Sequence[Figure]:
    samples = [[cost(statement) for statement in (OURS, EVERY_NAME, FLOOR)] for _ in range(RUNS)]
    (time_ours, time_all, time_floor), (size_ours, size_all, size_floor) = (
        [min(run[statement][kind] for run in samples) for statement in range(3)] for kind in range(2)
    )
    return [
        Figure("import toolwright: time (floor: import msgspec)", time_ours, time_floor, goal=2, limit=0.1),
        Figure("import toolwright: memory", size_ours, size_floor, unit="B", goal=2),
        Figure("every name of the front door: time", time_all, time_floor, limit=0.1),
        Figure("every name of the front door: memory", size_all, size_floor, unit="B"),
        Figure("distributions of a core install", len(distributions("toolwright")), unit="", limit=6),
    ]
