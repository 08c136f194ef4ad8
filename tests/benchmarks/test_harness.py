from __future__ import annotations

import gc
from functools import partial

import pytest

from benchmarks.__main__ import amount, row
from benchmarks.harness import WORKLOADS, Figure, Pair, measure, workload


def test_a_pair_is_measured_and_divided_by_its_operations() -> None:
    known = len(WORKLOADS)
    ran: list[str] = []

    @workload("W0", "nothing much", goal=1e9, per=1_000)
    def nothing_much() -> Pair:
        return partial(ran.append, "ours"), partial(ran.append, "floor")

    registered = WORKLOADS.pop()
    assert len(WORKLOADS) == known
    (figure,) = registered.run(quick=True)
    assert {"ours", "floor"} == set(ran)
    assert 0 < figure.ours < 1
    assert figure.met is True


def test_measuring_leaves_the_collector_as_it_was() -> None:
    assert gc.isenabled()
    during: set[bool] = set()
    (spent,) = measure(lambda: during.add(gc.isenabled()), quick=True)
    assert spent > 0
    assert during == {False}
    assert gc.isenabled()


def test_a_goal_bounds_the_ratio_and_a_limit_the_figure() -> None:
    assert Figure("a", ours=4, floor=2, goal=2).met is True
    assert Figure("a", ours=5, floor=2, goal=2).met is False
    assert Figure("a", ours=5, unit="B", limit=4).met is False
    assert Figure("a", ours=5, floor=2).met is None


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.0000004123, "s", "412 ns"), (1.5, "s", "1.5 s"), (2.5 * 2**20, "B", "2.5 MB"), (74, "B", "74 B"), (3, "", "3")],
)
def test_a_quantity_is_written_for_a_person(value: float, unit: str, text: str) -> None:
    assert amount(value, unit) == text


def test_a_missed_goal_stands_out_in_the_table() -> None:
    cells = row("W1", Figure("make it", ours=3e-7, floor=1e-7, goal=2.5, limit=1e-6))
    assert cells == ("W1", "make it", "300 ns", "100 ns", "3.00x", "<= 2.5x, <= 1 us", "NO")
