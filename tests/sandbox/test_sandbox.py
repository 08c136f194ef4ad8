"""The level that was asked for, or a refusal: never a weaker one, and never a stronger one in silence."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.execution.calling import executor_of, run
from tests.promises import keeps
from toolwright.execution import MemorySink, Policy, Rule
from toolwright.levels import SandboxIsolationLevel
from toolwright.messages import ToolCall
from toolwright.sandbox import Access, Available, InProcess, RunLimits, Sandbox, Standing, Unavailable
from toolwright.testing import MockTool
from toolwright.tools import CustomTool, Tool, ToolContext, ToolDefinition, ToolOutcome

NONE, STANDARD, STRICT, RESTRICTED = SandboxIsolationLevel
ANYTHING_GOES = Policy(rules=[Rule(effect="allow", tool="*")])


class Elsewhere:
    """A runner for some levels, which notes what it was told."""

    def __init__(self, *levels: SandboxIsolationLevel, standing: Standing | None = None) -> None:
        self.levels = dict.fromkeys(levels, standing or Available())
        self.asked = 0
        self.told: list[tuple[SandboxIsolationLevel, Access, RunLimits]] = []

    def probe(self) -> Mapping[SandboxIsolationLevel, Standing]:
        self.asked += 1
        return self.levels

    def run(
        self, tool: Tool, context: ToolContext, *, level: SandboxIsolationLevel, access: Access, limits: RunLimits
    ) -> Coroutine[Any, Any, ToolOutcome]:
        self.told.append((level, access, limits))
        return tool.execute(context)


@keeps("sandbox.exact")
@pytest.mark.parametrize("level", [STANDARD, STRICT, RESTRICTED])
async def test_a_level_that_is_not_to_be_had_is_refused_before_anything_is_recorded(
    level: SandboxIsolationLevel,
) -> None:
    tool, sink = MockTool("isolated", isolation=str(level)), MemorySink()
    answer = await run(tool, audit=sink)
    assert (answer.outcome.error_code, answer.status, answer.isolation) == ("isolation_unavailable", "failed", None)
    text = answer.to_result().result
    assert str(level) in text
    assert "runner" in text
    assert (tool.calls, sink.intents) == ([], ())


@keeps("sandbox.exact")
async def test_exactly_the_level_that_was_asked_for_is_given_and_said() -> None:
    standard, strict = Elsewhere(STANDARD), Elsewhere(STRICT)
    tools = [MockTool(f"at_{level}", isolation=str(level)) for level in SandboxIsolationLevel]
    executor = executor_of(*tools, sandbox=Sandbox(runners=[InProcess(), standard, strict]))
    found = [await executor.execute(ToolCall.new(f"at_{level}")) for level in SandboxIsolationLevel]
    assert [each.outcome.error_code for each in found] == [None, None, None, "isolation_unavailable"]
    assert [each.isolation for each in found] == [NONE, STANDARD, STRICT, None]
    assert [told[0] for told in standard.told + strict.told] == [STANDARD, STRICT]
    assert (standard.asked, strict.asked) == (1, 1)


async def test_without_a_runner_for_this_program_not_even_none_is_given() -> None:
    answer = await run(MockTool("plain"), sandbox=Sandbox(runners=[Elsewhere(STRICT)]))
    assert answer.outcome.error_code == "isolation_unavailable"


@keeps("sandbox.custom")
async def test_a_definition_kept_as_data_needs_a_process_of_its_own() -> None:
    definition = ToolDefinition("custom", "For tests.", risk="safe")
    custom = CustomTool(definition, {"kind": "python", "source": "def run(arguments, context):\n    return 1\n"})
    answer = await run(custom, policy=ANYTHING_GOES)
    assert answer.outcome.error_code == "isolation_unavailable"


@keeps("sandbox.access")
async def test_an_isolated_call_may_touch_its_workspace_and_what_was_configured(tmp_path: Path) -> None:
    runner = Elsewhere(STRICT)
    configured = Access(read=("/usr/share/dict",), write=("/var/spool/x",), hosts=("example.org",))
    sandbox = Sandbox(access=configured, runners=[runner])
    reads = MockTool("reads", isolation="strict", side_effects=False)
    writes = MockTool("writes", isolation="strict", max_output_size=2048, max_execution_time=5)
    executor = executor_of(reads, writes, sandbox=sandbox)
    for name in ("reads", "writes"):
        assert (await executor.execute(ToolCall.new(name), workspace=tmp_path)).outcome.success
        assert (await executor.execute(ToolCall.new(name), timeout=2)).outcome.success
    own = str(tmp_path)
    assert [access for _, access, _ in runner.told] == [
        Access(read=(own, "/usr/share/dict"), write=("/var/spool/x",), hosts=("example.org",)),
        configured,
        Access(read=("/usr/share/dict",), write=(own, "/var/spool/x"), hosts=("example.org",)),
        configured,
    ]
    assert [limits for _, _, limits in runner.told][2:] == [
        RunLimits(seconds=5, output=2048),
        RunLimits(seconds=2, output=2048),
    ]


@keeps("sandbox.probe")
def test_a_probe_says_of_every_level_whether_it_can_be_had_and_what_to_do_if_not() -> None:
    found = Sandbox().probe()
    assert list(found) == list(SandboxIsolationLevel)
    assert found[NONE] == Available()
    for level in (STANDARD, STRICT, RESTRICTED):
        standing = found[level]
        assert isinstance(standing, Unavailable)
        assert standing.reason
        assert standing.remedy
    refused = Unavailable("the kernel is too old", "take a newer one")
    reasons = Sandbox(runners=[InProcess(), Elsewhere(STRICT, standing=refused), Elsewhere(STANDARD)]).probe()
    assert (reasons[STANDARD], reasons[STRICT]) == (Available(), refused)


async def test_the_first_runner_that_has_a_level_serves_it() -> None:
    broken = Elsewhere(STRICT, standing=Unavailable("no", "never"))
    first, second = Elsewhere(STRICT), Elsewhere(STRICT)
    sandbox = Sandbox(runners=[broken, first, second])
    assert (await run(MockTool("isolated", isolation="strict"), sandbox=sandbox)).outcome.success
    assert (len(broken.told), len(first.told), len(second.told)) == (0, 1, 0)
