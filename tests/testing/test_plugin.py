from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points

import pytest

from tests.promises import keeps

pytest_plugins = ["pytester"]

GOOD = """
import toolwright as tw
from toolwright.testing import MockTool

async def ask(executor, workspace, text):
    return await executor.execute(tw.ToolCall.new("echo", text=text), workspace=workspace)

def test_the_executor_has_the_tools_of_the_registry(registry, executor, workspace):
    import asyncio
    echo = MockTool("echo", data="said")
    registry.register(echo)
    execution = asyncio.run(ask(executor, workspace, "x"))
    assert execution.outcome.data == "said"
    assert list(workspace.iterdir()) == []

def test_a_scripted_model_says_what_it_is_told(scripted):
    import asyncio
    scripted.extend(["Hello."])
    assert asyncio.run(scripted.chat([tw.user("Hi")])) == "Hello."

def test_each_test_has_its_own(registry, workspace):
    assert len(registry) == 0
    (workspace / "a.txt").write_text("x")
"""
LEFT = """
def test_an_answer_is_left(scripted):
    scripted.extend(["Nobody asks for this."])

def test_a_fault_is_told_alone(scripted):
    scripted.extend(["Nobody asks for this."])
    assert False, "the real fault"
"""
OWN = """
import pytest

@pytest.fixture
def registry():
    return "my own"

def test_a_fixture_of_ones_own_goes_first(registry):
    assert registry == "my own"
"""
# Other people's plugins take seconds to load and have nothing to do with ours.
QUIETLY = tuple(
    word
    for name in ("cacheprovider", "asyncio", "langsmith_plugin", "hypothesispytest", "xdist", "xdist.looponfail")
    for word in ("-p", f"no:{name}")
)


@keeps("testing.plugin")
def test_tools_and_models_are_tested_with_the_fixtures_of_the_plugin(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(GOOD)
    pytester.runpytest_inprocess(*QUIETLY).assert_outcomes(passed=3)


@keeps("testing.plugin")
def test_a_script_that_is_not_used_up_fails_the_test_and_hides_no_other_fault(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(LEFT)
    result = pytester.runpytest_inprocess(*QUIETLY)
    result.assert_outcomes(passed=1, failed=1, errors=1)
    result.stdout.fnmatch_lines(["*1 answers of the script were not asked for*"])
    result.stdout.fnmatch_lines(["*the real fault*"])


@keeps("testing.plugin")
def test_a_fixture_of_ones_own_takes_the_place_of_the_plugins(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(OWN)
    pytester.runpytest_inprocess(*QUIETLY).assert_outcomes(passed=1)


@keeps("testing.plugin.light")
def test_the_plugin_is_there_by_its_entry_point_and_in_a_process_of_its_own(pytester: pytest.Pytester) -> None:
    assert entry_points(group="pytest11")["toolwright"].value == "toolwright.testing.plugin"
    pytester.makepyfile(GOOD)
    pytester.runpytest_subprocess(*QUIETLY, timeout=60).assert_outcomes(passed=3)


@keeps("testing.plugin.light")
def test_loading_the_plugin_loads_no_room() -> None:
    script = (
        "import sys, pytest; old = set(sys.modules); import toolwright.testing.plugin; print(*set(sys.modules) - old)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60)
    assert set(done.stdout.split()) == {"toolwright", "toolwright.testing", "toolwright.testing.plugin"}
