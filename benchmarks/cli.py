"""What a command costs before it does anything: help, and one call of a tool that is built in."""

from __future__ import annotations

import resource
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness import Figure, workload

RUNS = 7
PROGRAM = Path(sysconfig.get_path("scripts")) / "toolwright"
FLOOR = [sys.executable, "-c", "pass"]
HELP = [str(PROGRAM), "--help"]
CALL = [str(PROGRAM), "tools", "call", "read_file", "--path", "a.txt"]


def spent(command: Sequence[str], folder: str) -> float:
    """Return the seconds of CPU time that a program takes from its start to its end, the interpreter's own included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Compiled once and kept apart, as an installed program is: some machines are told to write no bytecode.
    environment = {"HOME": folder, "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True, timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@workload("W8", "the command line")
def starting() -> Sequence[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.txt").write_text("content\n")
        samples = [[spent(command, folder) for command in (HELP, CALL, FLOOR)] for _ in range(RUNS)]
    help, call, floor = (min(run[place] for run in samples) for place in range(3))
    return [
        Figure("toolwright --help (floor: python -c pass)", help, floor, goal=1.5),
        Figure("toolwright tools call read_file: all of it", call, floor, limit=0.15),
    ]
