from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from types import FrameType
from typing import Any

import pytest

from tests.promises import keeps
from tests.registry.making import make_tool, make_tools, names_of
from toolwright.registry import Registry, RegistryEvent

THREADS = 16
ROUNDS = 60


@pytest.fixture(autouse=True)
def switching() -> Iterator[None]:
    """Let the interpreter change threads a thousand times as often as usual: what can go wrong, does."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(usual / 1_000)
    yield
    sys.setswitchinterval(usual)


def together(*works: Callable[[], object]) -> None:
    """Run works at once, each in a thread; the first that fails fails the test."""
    start = Barrier(len(works))

    def run(work: Callable[[], object]) -> None:
        start.wait(timeout=30)
        work()

    with ThreadPoolExecutor(len(works)) as pool:
        for done in [pool.submit(run, work) for work in works]:
            done.result(timeout=60)


@keeps("registry.snapshot")
def test_sixteen_threads_register_remove_and_read_without_a_half_made_state() -> None:
    registry = Registry(make_tools("always"))

    def write(number: int) -> None:
        pair = make_tools(f"left_{number}", f"right_{number}")
        for _ in range(ROUNDS):
            registry.add(pair)
            assert registry[f"left_{number}"] is pair[0]
            registry.exchange({tool.definition.name: tool for tool in pair}, [])
            assert registry.get(f"left_{number}") is None

    def read() -> None:
        for _ in range(ROUNDS):
            seen = names_of(registry)
            assert len(seen) == len(set(seen))
            assert seen[0] == "always"
            lefts = {name.removeprefix("left_") for name in seen if name.startswith("left_")}
            rights = {name.removeprefix("right_") for name in seen if name.startswith("right_")}
            assert lefts == rights, "two that come and go in one step are seen together"
            assert registry["always"] in registry.available()
            assert names_of(registry.search("always", limit=1)) == ["always"]

    writers = [lambda number=number: write(number) for number in range(THREADS // 2)]
    together(*writers, *[read] * (THREADS // 2))
    assert names_of(registry) == ["always"]


@keeps("registry.snapshot")
def test_one_of_sixteen_threads_gets_a_name() -> None:
    registry = Registry()
    won: list[int] = []

    def claim(number: int) -> None:
        if registry.try_register(make_tool("coveted", f"Of thread {number}.")):
            won.append(number)

    together(*[lambda number=number: claim(number) for number in range(THREADS)])
    assert len(won) == 1
    assert registry["coveted"].definition.description == f"Of thread {won[0]}."


@keeps("registry.snapshot")
def test_no_tool_of_sixteen_threads_is_lost() -> None:
    registry = Registry()

    def register(number: int) -> None:
        for tool in make_tools(*(f"tool_{number}_{each}" for each in range(ROUNDS))):
            registry.register(tool)

    together(*[lambda number=number: register(number) for number in range(THREADS)])
    names = names_of(registry)
    assert len(names) == len(set(names)) == len(registry) == THREADS * ROUNDS
    for number in range(THREADS):
        own = [name for name in names if name.startswith(f"tool_{number}_")]
        assert own == [f"tool_{number}_{each}" for each in range(ROUNDS)], "each thread's own order is kept"


@keeps("registry.snapshot")
def test_a_reader_keeps_what_it_began_to_read() -> None:
    registry = Registry(make_tools("one", "two", "three"))
    reading = iter(registry)
    assert names_of([next(reading)]) == ["one"]
    registry.unregister("two")
    registry.register(make_tool("four"))
    assert names_of(reading) == ["two", "three"]
    assert names_of(registry) == ["one", "three", "four"]


@keeps("registry.snapshot")
def test_readers_do_not_wait_for_a_writer_whose_change_is_being_told() -> None:
    registry = Registry()
    telling, go_on = Event(), Event()

    def hold(_: RegistryEvent) -> None:
        telling.set()
        assert go_on.wait(timeout=30)

    registry.subscribe(hold)

    def read() -> None:
        assert telling.wait(timeout=30)
        assert "slow" in registry
        registry.register(make_tool("other"))
        assert names_of(registry.search("other")) == ["other"]
        go_on.set()

    together(lambda: registry.register(make_tool("slow")), read)
    assert names_of(registry) == ["slow", "other"]


@keeps("registry.snapshot")
def test_sixteen_threads_search_while_tools_come_and_go() -> None:
    registry = Registry(make_tools("stable_tool"))

    def churn(number: int) -> None:
        for _ in range(10):
            registry.register(make_tool(f"passing_{number}"))
            registry.unregister(f"passing_{number}")

    def search() -> None:
        for _ in range(10):
            assert names_of(registry.search("stable tool", limit=1)) == ["stable_tool"]
            assert "stable_tool" in names_of(registry.search(""))

    churns = [lambda number=number: churn(number) for number in range(THREADS // 2)]
    together(*churns, *[search] * (THREADS // 2))
    assert registry.search("passing") == []


@keeps("registry.scale")
def test_looking_up_takes_the_same_steps_among_ten_thousand_tools() -> None:
    def steps(registry: Registry) -> int:
        count = 0

        def trace(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal count
            count += 1
            return trace

        old = sys.gettrace()
        sys.settrace(trace)
        try:
            assert registry.get("tool_7") is not None
        finally:
            sys.settrace(old)
        return count

    few = Registry(make_tools(*(f"tool_{number}" for number in range(10))))
    many = Registry(make_tools(*(f"tool_{number}" for number in range(10_000))))
    assert steps(many) == steps(few)
