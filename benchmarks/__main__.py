"""Measure every workload, print a table, and keep the figures as JSON in ``bench-results/``."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import import_module, metadata
from pathlib import Path
from pkgutil import iter_modules

import benchmarks
from benchmarks.harness import WORKLOADS, Figure
from benchmarks.peers import measure_peers

RESULTS = Path(__file__).parents[1] / "bench-results"
COLUMNS = ("", "workload", "ours", "floor", "ratio", "goal", "met")


def find_workloads(only: Sequence[str]) -> None:
    """Import every module beside this one, and keep the wanted workloads in the order of their numbers."""
    for module in iter_modules(benchmarks.__path__):
        if module.name not in ("__main__", "harness"):
            import_module(f"benchmarks.{module.name}")
    wanted = [work for work in WORKLOADS if not only or work.id in only]
    WORKLOADS[:] = sorted(wanted, key=lambda work: int(work.id.removeprefix("W")))


def amount(value: float | None, unit: str) -> str:
    """Return a quantity as a person reads it: ``412 ns``, ``24.8 MB``, ``3``."""
    if value is None:
        return ""
    steps = {"s": [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)], "B": [("MB", 2.0**20), ("KB", 2.0**10)]}
    for name, size in steps.get(unit, []):
        if value >= size:
            return f"{value / size:.3g} {name}"
    return f"{value:.3g} {unit}".rstrip()


def row(id: str, figure: Figure) -> tuple[str, ...]:
    """Return one line of the table."""
    goals = [
        f"<= {figure.goal:g}x" if figure.goal else "",
        f"<= {amount(figure.limit, figure.unit)}" if figure.limit else "",
    ]
    return (
        id,
        figure.title,
        amount(figure.ours, figure.unit),
        amount(figure.floor, figure.unit),
        f"{figure.ratio:.2f}x" if figure.ratio else "",
        ", ".join(filter(None, goals)),
        {True: "yes", False: "NO", None: ""}[figure.met],
    )


def show(rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for cells in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())


def keep(figures: Sequence[tuple[str, Figure]], *, quick: bool) -> Path:
    """Write the figures and what they were measured on, and return the file."""
    now = datetime.now(UTC)
    report = {
        "at": now.isoformat(timespec="seconds"),
        "quick": quick,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "versions": {name: metadata.version(name) for name in ("toolwright", "msgspec", "jsonschema-rs")},
        "figures": [{"id": id, **asdict(figure), "ratio": figure.ratio, "met": figure.met} for id, figure in figures],
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{now:%Y%m%dT%H%M%S}.json"
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="W1", help="a workload; may be repeated")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter samples: a look, not a figure")
    parser.add_argument("--peers", action="store_true", help="install other libraries, and measure them beside ours")
    options = parser.parse_args(arguments)
    if options.peers:
        print(measure_peers())
        return 0
    find_workloads(options.only)
    if not WORKLOADS:
        parser.error(f"no such workload: {', '.join(options.only)}")
    figures = []
    for work in WORKLOADS:
        print(f"measuring {work.id}: {work.title}", file=sys.stderr)
        figures += [(work.id, figure) for figure in work.run(quick=options.quick)]
    show([COLUMNS, *(row(id, figure) for id, figure in figures)])
    kept = keep(figures, quick=options.quick)
    print(f"\nratio: times the floor; CPU time, smallest of several samples taken in turns. Kept in {kept.name}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
