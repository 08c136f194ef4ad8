"""How long finding a tool takes, and how often it finds the right one.

The labelled set in ``retrieval/`` was written for this: tools of mixed domains in the words of their makers, questions
in the words of users. The weights of the search were settled on the questions marked ``tuning``; the ``held_out`` ones
were written afterwards, and nothing was changed to suit them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from statistics import quantiles
from typing import Any

from benchmarks.harness import Figure, workload
from toolwright.registry import Registry
from toolwright.schema import Schema
from toolwright.tools import ToolBase, ToolContext, ToolDefinition

RETRIEVAL = Path(__file__).parent / "retrieval"
MANY = 10_000
SAMPLES = 3


class Labelled(ToolBase):
    """A tool to be found, not run."""

    def __init__(self, definition: ToolDefinition) -> None:
        self.definition = definition

    def run(self, context: ToolContext) -> str:
        """Nobody calls it."""
        return context.execution_id


@cache
def read(name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((RETRIEVAL / f"{name}.json").read_text(encoding="utf-8"))
    return rows


def schema(parameters: dict[str, str]) -> Schema:
    properties = {name: {"type": "string", "description": text} for name, text in parameters.items()}
    return Schema({"type": "object", "properties": properties})


def labelled_tools() -> list[ToolBase]:
    return [Labelled(ToolDefinition(**{**row, "parameters": schema(row["parameters"])})) for row in read("tools")]


def many_tools() -> list[ToolBase]:
    """Return tools whose texts are joined from two of the labelled ones each: many are alike, as in a large set."""
    rows = read("tools")
    schemas = [schema(row["parameters"]) for row in rows]
    pairs = list(product(range(len(rows)), repeat=2))[: 4 * MANY : 4]
    return [
        Labelled(
            ToolDefinition(
                name=f"{rows[first]['name']}_{number}",
                description=f"{rows[first]['description']} {rows[second]['description']}",
                tags=(rows[second]["category"],),
                parameters=schemas[second],
            )
        )
        for number, (first, second) in enumerate(pairs)
    ]


def registering(tools: Iterable[ToolBase]) -> tuple[Registry, float, float]:
    """Register one by one, then search once, which indexes; return the CPU time of each."""
    start = time.process_time()
    registry = Registry()
    for tool in tools:
        registry.register(tool)
    registered = time.process_time()
    registry.search("index")
    return registry, registered - start, time.process_time() - registered


def searching(registry: Registry, questions: Iterable[str]) -> Iterator[float]:
    for question in questions:
        start = time.process_time()
        registry.search(question)
        yield time.process_time() - start


@workload("W11", "tool search over 10,000 tools")
def ten_thousand_tools() -> Sequence[Figure]:
    tools = many_tools()
    assert len(tools) == MANY
    questions = [row["question"] for row in read("questions")]
    runs = [registering(tools) for _ in range(SAMPLES)]
    registry = runs[-1][0]
    # The fastest time of each question: what else the machine did is not the search's.
    times = [min(each) for each in zip(*(searching(registry, questions) for _ in range(SAMPLES)), strict=True)]
    return [
        Figure("register 10,000 tools one by one", min(spent for _, spent, _ in runs)),
        Figure("index them, on the first search", min(spent for _, _, spent in runs)),
        Figure("register and index 10,000 tools", min(first + second for _, first, second in runs), limit=1),
        Figure("search among 10,000 tools, median", quantiles(times, n=2)[0]),
        Figure("search among 10,000 tools, 95th percentile", quantiles(times, n=20)[-1], limit=0.005),
    ]


def places(registry: Registry, part: str | None) -> list[int]:
    """Return the place at which the right tool was found for each question; 0 where it was not among the first ten."""
    found = []
    for row in read("questions"):
        if part in (None, row["part"]):
            names = [each.tool.definition.name for each in registry.search(row["question"])]
            found.append(names.index(row["tool"]) + 1 if row["tool"] in names else 0)
    return found


@workload("W11", "retrieval")
def retrieval() -> Sequence[Figure]:
    registry = Registry(labelled_tools())
    figures = []
    for part, title in ((None, "all questions"), ("tuning", "tuning questions"), ("held_out", "held-out questions")):
        found = places(registry, part)
        for most in (1, 5, 10):
            share = sum(0 < place <= most for place in found) / len(found)
            figures.append(Figure(f"recall@{most}, {len(found)} {title}, {len(registry)} tools", share, unit=""))
            if most == 5 and part is None:
                figures.append(Figure("missed among the first 5, all questions", 1 - share, unit="", limit=0.1))
    return figures
