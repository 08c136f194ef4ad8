from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from tests.promises import keeps
from toolwright.errors import InvalidDefinitionError
from toolwright.levels import RiskLevel
from toolwright.messages import ToolCall
from toolwright.schema import SchemaBuilder, ValidationIssue, ValidationReport
from toolwright.testing import MockTool, assert_valid_tool, tool_context
from toolwright.tools import Tool, ToolBase, ToolContext, ToolDefinition, ToolOutcome, tool

NAMED = SchemaBuilder().string("name", "The name", required=True).build()


@keeps("testing.mock_tool", "testing.mock_risk")
async def test_a_mock_tool_gives_its_data_to_any_call_and_is_safe() -> None:
    fake = MockTool()
    assert isinstance(fake, Tool)
    assert fake.definition.name == "mock_tool"
    assert fake.definition.risk is RiskLevel.SAFE
    assert (await fake.execute(tool_context({"any": ["thing"]}))).success
    assert (await MockTool("echo", {"value": 42}).execute(tool_context())).data == {"value": 42}
    assert MockTool(risk="high", category="git", tags=["a"]).definition.risk is RiskLevel.HIGH
    assert not MockTool(side_effects=False).definition.side_effects
    with pytest.raises(InvalidDefinitionError):
        MockTool("Not A Name")


@keeps("testing.mock_tool")
async def test_a_mock_tool_takes_a_definition_a_result_function_and_a_check() -> None:
    def run(context: ToolContext) -> Any:
        return {"output": context.arguments["name"] + " processed"}

    async def later(context: ToolContext) -> ToolOutcome:
        return ToolOutcome.failed("later", code="too_late")

    def check(arguments: Mapping[str, Any]) -> ValidationReport | None:
        return (
            ValidationReport.invalid(ValidationIssue.invalid_value("name", "is taken"))
            if arguments["name"] == "a"
            else None
        )

    fake = MockTool(definition=ToolDefinition("custom", "Custom.", NAMED), run=run, check=check)
    assert (await fake.execute(tool_context({"name": "b"}))).data == {"output": "b processed"}
    assert "is taken" in fake.check({"name": "a"}).message
    assert [issue.parameter for issue in fake.check({}).errors] == ["name"]
    assert (await MockTool(run=later).execute(tool_context())).error_code == "too_late"
    fake.available = False
    assert not fake.available


@keeps("testing.mock_records")
async def test_a_mock_tool_remembers_how_it_was_called() -> None:
    fake = MockTool("echo", parameters=NAMED)
    call = ToolCall("call_9", "echo", {"name": "b"})
    await fake.execute(tool_context({"name": "a"}, name="echo"))
    await fake.execute(tool_context({"name": "b"}, call=call))
    assert [call.arguments["name"] for call in fake.calls] == ["a", "b"]
    assert fake.calls[1] is call
    assert [context.arguments for context in fake.contexts] == [{"name": "a"}, {"name": "b"}]
    assert fake.check_count == 2
    assert not fake.check({}).valid
    assert fake.check_count == 3
    await fake.execute(tool_context({}))
    assert len(fake.calls) == 2, "what was not valid was never run"


@keeps("testing.mock_factories")
async def test_there_is_a_mock_tool_for_each_way_to_end() -> None:
    error = LookupError("gone")
    assert (await MockTool.succeeding("ok_tool", data=[1]).execute(tool_context())).data == [1]
    assert (await MockTool.failing("bad_tool", error="Test failure").execute(tool_context())).error == "Test failure"
    thrown = await MockTool.throwing("throw_tool", error).execute(tool_context())
    assert (thrown.error, thrown.exception) == ("gone", error)
    assert "mock tool" in ((await MockTool.throwing().execute(tool_context())).error or "")
    flaky = MockTool.flaky("flaky_tool", 2, data="at last", risk="high")
    assert [(await flaky.execute(tool_context())).success for _ in range(4)] == [False, False, True, True]
    assert flaky.definition.risk is RiskLevel.HIGH


@keeps("testing.mock_factories")
async def test_a_delayed_mock_tool_takes_its_time_and_can_be_cancelled() -> None:
    assert (await MockTool.delayed("slow_tool", 0, data=1).execute(tool_context())).data == 1
    running = asyncio.ensure_future(MockTool.delayed("slow_tool", 3600).execute(tool_context()))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


@keeps("testing.context")
def test_a_context_for_tests_has_what_it_is_given() -> None:
    heard: list[object] = []
    context = tool_context(
        {"a": 1},
        ".",
        {int: 5},
        name="x",
        session_id="s",
        approved=True,
        attempt=2,
        metadata={"k": 1},
        progress=heard.append,
    )
    assert context.arguments == context.call.arguments == {"a": 1}
    assert (context.tool_name, context.session_id, context.approved, context.attempt) == ("x", "s", True, 2)
    assert context.services[int] == 5
    assert context.metadata == {"k": 1}
    context.report("half", 50)
    assert len(heard) == 1
    assert tool_context().execution_id != tool_context().execution_id
    assert not context.checked


@tool(side_effects=False, examples=[{"name": "a"}])
async def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello {name}"


@tool(side_effects=False, examples=[{"rounds": 3}])
def count(rounds: int, *, context: ToolContext) -> int:
    """Count, until nobody wants to know."""
    for done in range(rounds):
        if context.cancelled:
            return done
    return rounds


@keeps("testing.valid_tool")
@pytest.mark.parametrize("made", [greet, count, MockTool(), MockTool.failing()])
async def test_a_good_tool_passes_with_and_without_a_running_loop(made: Tool) -> None:
    assert_valid_tool(made)
    await asyncio.to_thread(assert_valid_tool, made)


class Faulty(ToolBase):
    definition = ToolDefinition(
        "faulty_tool",
        "Faulty.",
        NAMED,
        risk="high",
        output_schema={"type": "integer"},
        constraints={"max_output_size": 1024, "side_effects": False, "max_execution_time": 1},
        examples=[{"name": "a"}],
    )

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.never = threading.Event()

    def check(self, arguments: Mapping[str, Any]) -> ValidationReport:
        return (
            ValidationReport.invalid(ValidationIssue.required("age"))
            if self.fault == "check"
            else ValidationReport.ok()
        )

    def summarize(self, arguments: Mapping[str, Any]) -> str:
        return "two\nlines" if self.fault == "summary" else "One line"

    async def run(self, context: ToolContext) -> Any:
        if self.fault == "stubborn":
            while True:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    continue
        return {"large": "x" * 2000, "schema": "text", "json": object()}.get(self.fault, 1)


class Sleeping(Faulty):
    def run(self, context: ToolContext) -> Any:
        self.never.wait(20)
        return 1


@keeps("testing.valid_tool")
@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("check", "example 0 does not pass the tool's check"),
        ("summary", "its summary is not one line of text"),
        ("large", "a result has 2,002 bytes, and the definition allows 1,024"),
        ("schema", "a result does not fit the output schema"),
        ("json", "a result cannot be used"),
    ],
)
def test_a_faulty_tool_is_told_what_is_wrong_with_it(fault: str, says: str) -> None:
    assert_valid_tool(Faulty("none"))
    with pytest.raises(AssertionError, match="faulty_tool is not a valid tool") as caught:
        assert_valid_tool(Faulty(fault))
    assert says in str(caught.value)


@keeps("testing.valid_tool")
def test_a_tool_that_cannot_be_cancelled_is_found_out() -> None:
    sleeping = Sleeping("thread")
    try:
        with pytest.raises(AssertionError, match="longer than its own limit"):
            assert_valid_tool(sleeping, cancels_within=0.05)
    finally:
        sleeping.never.set()

    class Deaf(MockTool):
        pass

    async def deaf(context: ToolContext) -> Any:
        if len(fake.calls) == 1:
            return 1
        for _ in range(3):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                continue
        return 2

    fake = Deaf(run=deaf)
    with pytest.raises(AssertionError, match="a cancelled run has not ended"):
        assert_valid_tool(fake, [{}], cancels_within=0.05)
    with pytest.raises(AssertionError, match="has not the shape of a Tool"):
        assert_valid_tool(object())


class Odd:
    """A tool that is not made from ours, and keeps few of the rules."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.definition = Faulty.definition
        self.available = True

    def check(self, arguments: Mapping[str, Any]) -> ValidationReport:
        return ValidationReport.ok()

    def summarize(self, arguments: Mapping[str, Any]) -> str:
        if self.fault == "summary":
            raise LookupError(self.fault)
        return "One line"

    def effective_risk(self, arguments: Mapping[str, Any]) -> RiskLevel:
        return RiskLevel.LOW if self.fault == "risk" else RiskLevel.HIGH

    async def execute(self, context: ToolContext) -> Any:
        if self.fault == "raises":
            raise LookupError(self.fault)
        if self.fault == "blocks":
            threading.Event().wait(10)
        return {"not": "an outcome"} if self.fault == "outcome" else ToolOutcome.ok(1)


@keeps("testing.valid_tool")
@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("summary", "its summary or effective risk raises LookupError"),
        ("risk", "its effective risk low is below the definition's high"),
        ("raises", "execute raises LookupError instead of giving an outcome"),
        ("outcome", "execute gives a dict instead of a ToolOutcome"),
        ("blocks", "a run blocks the event loop"),
    ],
)
def test_a_tool_of_another_make_is_held_to_the_same(fault: str, says: str) -> None:
    assert_valid_tool(Odd("none"))
    with pytest.raises(AssertionError, match=says):
        assert_valid_tool(Odd(fault), cancels_within=0.05)


@keeps("testing.valid_tool")
def test_only_what_has_no_side_effects_is_run_unasked() -> None:
    effects = MockTool(examples=[{"a": 1}])
    assert_valid_tool(effects)
    assert effects.calls == []
    assert_valid_tool(effects, [{"b": 2}])
    assert [call.arguments for call in effects.calls] == [{"b": 2}, {"b": 2}]
