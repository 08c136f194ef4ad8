"""What every runner does alike, whichever means it runs tools by.

A runner that is added to ``RUNNERS`` is held to all of this, at each level that it can have here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from tests.contracts.runnable import add, big, raises, sleeps
from tests.execution.calling import WITHIN
from tests.promises import keeps
from toolwright.levels import SandboxIsolationLevel
from toolwright.sandbox import NO_ACCESS, Available, InProcess, RunLimits, Runner, Unavailable
from toolwright.testing import tool_context
from toolwright.tools import Tool, ToolOutcome

RUNNERS: dict[str, Callable[[], Runner]] = {"in_process": InProcess}
LIMITS = RunLimits(seconds=30, output=1024 * 1024)


def served() -> Iterator[tuple[str, SandboxIsolationLevel]]:
    for name, make in RUNNERS.items():
        yield from ((name, level) for level, standing in make().probe().items() if isinstance(standing, Available))


SERVED = list(served())


async def outcome_of(name: str, level: SandboxIsolationLevel, tool: Tool, **arguments: object) -> ToolOutcome:
    context = tool_context(arguments, name=tool.definition.name)
    async with asyncio.timeout(WITHIN):
        return await RUNNERS[name]().run(tool, context, level=level, access=NO_ACCESS, limits=LIMITS)


@keeps("sandbox.runner")
@pytest.mark.parametrize("name", sorted(RUNNERS))
def test_a_runner_says_of_its_levels_whether_they_can_be_had_and_if_not_why(name: str) -> None:
    standings = RUNNERS[name]().probe()
    assert standings
    assert standings == RUNNERS[name]().probe()
    for level, standing in standings.items():
        assert isinstance(level, SandboxIsolationLevel)
        assert isinstance(standing, Available) or (standing.reason and standing.remedy)


@pytest.mark.parametrize(("name", "level"), SERVED)
async def test_a_tool_gets_its_arguments_and_its_result_comes_back(name: str, level: SandboxIsolationLevel) -> None:
    outcome = await outcome_of(name, level, add, a=20, b=22)
    assert (outcome.success, outcome.data) == (True, 42)


@pytest.mark.parametrize(("name", "level"), SERVED)
async def test_what_a_tool_raises_is_a_failed_outcome(name: str, level: SandboxIsolationLevel) -> None:
    outcome = await outcome_of(name, level, raises)
    assert (outcome.success, outcome.error_code) == (False, "tool_error")


@pytest.mark.parametrize(("name", "level"), SERVED)
async def test_arguments_that_are_not_valid_are_not_run(name: str, level: SandboxIsolationLevel) -> None:
    assert (await outcome_of(name, level, add, a="x")).error_code == "validation_failed"


@pytest.mark.parametrize(("name", "level"), SERVED)
async def test_a_long_result_comes_whole_or_says_that_it_was_cut(name: str, level: SandboxIsolationLevel) -> None:
    outcome = await outcome_of(name, level, big, count=1_000)
    assert outcome.truncated or outcome.data == "x" * 1_000


@keeps("sandbox.runner")
@pytest.mark.parametrize(("name", "level"), SERVED)
async def test_cancelling_whoever_awaits_a_run_ends_it(name: str, level: SandboxIsolationLevel) -> None:
    running = asyncio.create_task(outcome_of(name, level, sleeps))
    for _ in range(5):
        await asyncio.sleep(0)
    running.cancel()
    async with asyncio.timeout(WITHIN):
        with pytest.raises(asyncio.CancelledError):
            await running


def test_no_two_levels_of_one_runner_are_confused() -> None:
    assert InProcess().probe() == {SandboxIsolationLevel.NONE: Available()}
    assert Unavailable("a", "b") != Available()
