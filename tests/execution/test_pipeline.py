"""The steps before a tool runs: find, validate, paths, permit."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.execution.calling import executor_of, run
from tests.promises import keeps
from toolwright.execution import Decision, Execution, ExecutionCompleted, Executor, Policy, approve_all
from toolwright.execution.policy import Rule
from toolwright.levels import RiskLevel
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.registry import Availability, Registry
from toolwright.schema import ValidationIssue, ValidationReport
from toolwright.testing import FakeReviewer, MockTool
from toolwright.tiers import License, Tier
from toolwright.tools import ToolBase, ToolContext, ToolDefinition, tool
from toolwright.values import thaw

NUMBER = {
    "type": "object",
    "properties": {"count": {"type": "integer", "minimum": 1}, "unit": {"type": "string", "default": "km"}},
    "required": ["count"],
}


def text_of(execution: Execution) -> str:
    return execution.to_result().result


@keeps("execution.one_answer", "execution.status")
async def test_a_call_that_succeeds_says_all_there_is_to_say() -> None:
    counted = MockTool("counted", "hidden", parameters=NUMBER)
    answer = await run(counted, {"count": 2}, session="s", attempt=2, execution_id="mine")
    assert (answer.status, answer.outcome.data, answer.tool_name, answer.approved_by) == (
        *("completed", "hidden", "counted", "policy"),
    )
    assert (answer.execution_id, answer.attempt, answer.session, str(answer.isolation)) == ("mine", 2, "s", "none")
    assert answer.completed_at >= answer.started_at
    assert answer.duration >= 0
    result = answer.to_result()
    assert (result.tool_call_id, result.result, result.is_error) == (answer.call.id, "hidden", False)
    assert b'"status":"completed"' in answer.to_json()
    assert "hidden" not in repr(answer)


# Step 1: find


@keeps("execution.find")
async def test_a_name_that_nobody_has_is_answered_with_the_nearest_ones() -> None:
    read, write = MockTool("read_file"), MockTool("write_file")
    answer = await executor_of(read, write).execute(ToolCall.new("read_fiel"))
    assert (answer.outcome.error_code, answer.status) == ("tool_not_found", "failed")
    assert "read_file" in text_of(answer)
    assert read.calls == write.calls == []


@keeps("execution.find")
async def test_another_spelling_finds_the_tool_and_is_answered_under_its_name() -> None:
    read = MockTool("read_file", "text")
    answer = await executor_of(read).execute(ToolCall.new("readFile"))
    assert (answer.outcome.data, answer.tool_name, answer.call.name) == ("text", "read_file", "readFile")


@keeps("execution.find")
async def test_what_is_not_offered_cannot_be_called_and_is_not_told() -> None:
    offered = MockTool("read_all", 1, risk="low")
    hidden = MockTool("read_any", 1, risk="high")
    executor = executor_of(offered, hidden, reviewer=approve_all, availability=Availability(max_risk=RiskLevel.LOW))
    answer = await executor.execute(ToolCall.new("read_any"))
    assert answer.outcome.error_code == "tool_not_found"
    assert "read_any" not in answer.outcome.suggestions
    assert "read_all" in text_of(answer)
    of_this_call = await executor.execute(ToolCall.new("read_any"), availability=Availability())
    assert of_this_call.outcome.data == 1
    hidden.available = False
    gone = await executor.execute(ToolCall.new("read_any"), availability=Availability())
    assert gone.outcome.error_code == "tool_not_found"


async def test_the_workspace_of_a_call_counts_for_what_is_offered(tmp_path: Path) -> None:
    offered = Availability(disabled=["other"])
    reads = MockTool("reads", 1, category="file_system", permissions=["tool.filesystem.read"])
    executor = executor_of(reads, MockTool("other"), availability=offered)
    assert (await executor.execute(ToolCall.new("reads"), workspace=tmp_path)).outcome.data == 1
    assert (await executor.execute(ToolCall.new("other"), workspace=tmp_path)).outcome.error_code == "tool_not_found"


async def test_a_tool_that_cannot_say_whether_it_is_available_is_not_called() -> None:
    class Unsure(ToolBase):
        definition = ToolDefinition("unsure", "For tests.", risk="safe")

        @property
        def available(self) -> bool:
            raise OSError("no idea")

        async def run(self, context: ToolContext) -> int:
            return 1

    assert (await run(Unsure())).outcome.error_code == "tool_not_found"


@keeps("execution.invalid_call")
async def test_what_is_no_call_is_answered_with_its_reason() -> None:
    broken = InvalidToolCall("call_9", "counted", '{"count": ', "the arguments end too soon")
    answer = await executor_of(MockTool("counted")).execute(broken)
    assert (answer.outcome.error_code, answer.status, answer.isolation) == ("validation_failed", "failed", None)
    result = answer.to_result()
    assert (result.tool_call_id, result.is_error) == ("call_9", True)
    assert "the arguments end too soon" in result.result


@keeps("execution.misuse")
async def test_only_the_programmer_gets_an_exception() -> None:
    executor = executor_of(MockTool("one"))
    with pytest.raises(TypeError, match="ToolCall"):
        await executor.execute("one")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="colour"):
        await executor.execute(ToolCall.new("one"), colour="red")  # type: ignore[call-arg]
    tool = MockTool("one")
    for name in ("session", "execution_id", "attempt", "availability", "progress"):
        with pytest.raises(TypeError, match=name):
            await executor_of(tool).execute(ToolCall.new("one"), **{name: b"wrong"})  # type: ignore[arg-type]
    assert tool.calls == []
    for wrong in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="timeout"):
            await executor.execute(ToolCall.new("one"), timeout=wrong)
        with pytest.raises(ValueError, match="review_timeout"):
            executor_of(MockTool("one"), review_timeout=wrong)
    with pytest.raises(TypeError, match="reviewer"):
        executor_of(MockTool("one"), reviewer="me")
    with pytest.raises(ValueError, match="which calls"):
        executor.cancel()


# Step 2: validate


@keeps("execution.validate")
async def test_wrong_arguments_are_answered_in_words_that_a_model_can_act_on() -> None:
    counted = MockTool("counted", parameters=NUMBER)
    answer = await run(counted, {"count": 0, "colour": "red"})
    assert answer.outcome.error_code == "validation_failed"
    assert "count" in text_of(answer)
    assert "colour" in text_of(answer)
    assert counted.calls == []


async def test_a_misspelt_key_is_answered_with_the_name_that_was_meant_also_where_that_has_a_default() -> None:
    answer = await run(MockTool("counted", parameters=NUMBER, strict=True), {"count": 2, "unti": "mi"})
    assert "did you mean 'unit'?" in text_of(answer)


@keeps("execution.validate")
async def test_defaults_are_filled_in_and_null_for_what_is_optional_means_not_given() -> None:
    counted = MockTool("counted", parameters=NUMBER)
    executor = executor_of(counted)
    for given in ({"count": 2}, {"count": 2, "unit": None}):
        assert (await executor.execute(ToolCall("call_1", "counted", given))).outcome.success
    strict = executor_of(counted, policy=Policy(repair=False))
    assert (await strict.execute(ToolCall("call_1", "counted", {"count": 2, "unit": None}))).outcome.success
    assert [dict(context.arguments) for context in counted.contexts] == [{"count": 2, "unit": "km"}] * 3


async def test_null_also_means_not_given_inside_of_what_was_given() -> None:
    inner = {"type": "object", "properties": {"deep": {"type": "integer"}, "may": {"type": ["integer", "null"]}}}
    counted = MockTool("counted", parameters={"type": "object", "properties": {"at": inner}})
    await run(counted, {"at": {"deep": None, "may": None}}, policy=Policy(repair=False))
    assert dict(counted.contexts[0].arguments) == {"at": {"may": None}}


@keeps("execution.validate.repair")
async def test_what_was_plainly_meant_is_put_right_and_said_unless_the_policy_forbids_it() -> None:
    counted = MockTool("counted", parameters=NUMBER)
    answer = await run(counted, {"count": "3"})
    assert answer.outcome.success
    assert counted.contexts[0].arguments["count"] == 3
    assert counted.contexts[0].call.arguments["count"] == "3"
    assert answer.warnings
    refused = await run(counted, {"count": "3"}, policy=Policy(repair=False))
    assert refused.outcome.error_code == "validation_failed"
    assert len(counted.calls) == 1


@keeps("execution.validate")
async def test_the_tool_s_own_check_comes_after_the_schema_and_its_failure_is_no_yes() -> None:
    def check(arguments: Mapping[str, Any]) -> ValidationReport | None:
        if arguments["count"] == 13:
            return ValidationReport.invalid(ValidationIssue.invalid_value("count", "brings bad luck"))
        if arguments["count"] == 14:
            raise RuntimeError("no idea")
        return None

    counted = MockTool("counted", parameters=NUMBER, check=check)
    assert "bad luck" in text_of(await run(counted, {"count": 13}))
    assert (await run(counted, {"count": 14})).outcome.error_code == "validation_failed"
    assert (await run(counted, {"count": 0})).outcome.error_code == "validation_failed"
    assert counted.calls == []
    assert (await run(counted, {"count": 15})).outcome.success


async def test_a_foreign_tool_s_check_neither_replaces_the_schema_nor_counts_when_it_breaks() -> None:
    class Foreign:
        """Has the shape of a tool, and is derived from none of ours."""

        available = True
        definition = ToolDefinition("foreign", "For tests.", risk="safe", parameters=NUMBER)
        said: object = ValidationReport()
        ran = 0

        def check(self, _arguments: Mapping[str, Any]) -> Any:
            if isinstance(self.said, Exception):
                raise self.said
            return self.said

        def summarize(self, _arguments: Mapping[str, Any]) -> str:
            return "Do it"

        def effective_risk(self, _arguments: Mapping[str, Any]) -> RiskLevel:
            return RiskLevel.SAFE

        async def execute(self, _context: ToolContext) -> Any:
            self.ran += 1
            return "no outcome, but a value"

    foreign = Foreign()
    assert (await run(foreign, {"count": 0})).outcome.error_code == "validation_failed"
    assert (await run(foreign, {"count": 1})).outcome.data == "no outcome, but a value"
    for broken in (RuntimeError("no"), None, "fine"):
        foreign.said = broken
        assert (await run(foreign, {"count": 1})).outcome.error_code == "validation_failed"
    assert foreign.ran == 1


# Step 3: paths


def with_paths(**fields: Any) -> MockTool:
    path = {"type": "string", "format": "path"}
    properties = {
        "path": path,
        "among": {"type": "array", "items": {"type": "object", "properties": {"at": path}}},
        "there": {"type": "string", "format": "path", "x-must-exist": True},
    }
    return MockTool("paths", parameters={"type": "object", "properties": properties}, **fields)


@keeps("execution.paths")
@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "../out.txt"},
        {"path": "/etc/passwd"},
        {"path": "out/x"},
        {"among": [{"at": "in.txt"}, {"at": "../out.txt"}]},
    ],
)
async def test_a_path_that_leads_out_of_the_workspace_is_refused(tmp_path: Path, arguments: dict[str, Any]) -> None:
    workspace = tmp_path / "work"
    workspace.mkdir()
    (workspace / "out").symlink_to(tmp_path)
    paths = with_paths()
    answer = await run(paths, arguments, workspace=workspace)
    assert answer.outcome.error_code == "validation_failed"
    assert str(tmp_path) not in text_of(answer)
    assert paths.calls == []


@keeps("execution.paths")
async def test_a_text_arrives_as_given_and_a_path_resolved(tmp_path: Path) -> None:
    seen: list[object] = []

    @tool(risk="safe")
    async def look(path: Path, name: str) -> None:
        """Look at it."""
        seen.extend([path, name])

    assert (await run(look, {"path": "a/../b.txt", "name": "a/../b"}, workspace=tmp_path)).outcome.success
    assert seen == [tmp_path / "b.txt", "a/../b"]
    paths = with_paths()
    nested = {"path": "a/../b.txt", "among": [{"at": "c/../d"}, {}]}
    assert (await run(paths, nested, workspace=tmp_path)).outcome.success
    assert thaw(paths.contexts[0].arguments) == nested
    reviewer = FakeReviewer(Decision.deny())
    await run(with_paths(risk="high"), nested, workspace=tmp_path, reviewer=reviewer)
    assert reviewer.requests[0].arguments["path"] == "a/../b.txt"


@keeps("execution.paths")
async def test_a_path_that_has_to_lead_to_something_does(tmp_path: Path) -> None:
    paths = with_paths()
    missing = await run(paths, {"there": "a.txt"}, workspace=tmp_path)
    assert (missing.outcome.error_code, paths.calls) == ("validation_failed", [])
    (tmp_path / "a.txt").touch()
    assert (await run(paths, {"there": "a.txt"}, workspace=tmp_path)).outcome.success


@keeps("execution.paths")
async def test_without_a_workspace_no_path_is_inside_of_it(tmp_path: Path) -> None:
    answer = await run(with_paths(), {"path": str(tmp_path)})
    assert answer.outcome.error_code == "validation_failed"
    assert "no workspace" in text_of(answer)


async def test_rules_see_where_a_path_leads_and_not_how_it_is_spelt(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "harmless").symlink_to(tmp_path / "secret")
    policy = Policy(rules=[Rule(effect="deny", tool="paths", when={"path": "secret/*"})])
    answer = await run(with_paths(), {"path": "harmless/key"}, workspace=tmp_path, policy=policy)
    assert answer.outcome.error_code == "permission_denied"


# Step 4: permit


@keeps("execution.permit")
async def test_a_permission_that_was_not_granted_is_named_and_nothing_runs() -> None:
    reader = MockTool("reader", 1, permissions=["tool.filesystem.read"])
    answer = await run(reader, grants=["tool.network.*"])
    assert (answer.outcome.error_code, answer.status, answer.approved_by) == ("permission_denied", "denied", None)
    assert "tool.filesystem.read" in text_of(answer)
    assert reader.calls == []
    assert (await run(reader, grants=["tool.filesystem.*"])).outcome.success
    executor = executor_of(reader)
    assert (await executor.execute(ToolCall.new("reader"), grants=())).outcome.error_code == "permission_denied"


@keeps("execution.permit")
async def test_a_tier_that_does_not_reach_and_a_rule_that_denies_end_a_call() -> None:
    strict = MockTool("strict", isolation="strict")
    answer = await run(strict, license=License(Tier.CORE))
    assert (answer.outcome.error_code, answer.status) == ("permission_denied", "denied")
    rule = Rule(effect="deny", tool="mock_*", reason="not on Fridays")
    mock = MockTool()
    answer = await run(mock, policy=Policy(rules=[rule]), reviewer=approve_all, approved=True)
    assert (answer.outcome.error_code, mock.calls) == ("permission_denied", [])
    assert "not on Fridays" in text_of(answer)


@keeps("execution.permit.broken")
async def test_a_part_of_the_executor_that_breaks_down_lets_nothing_run() -> None:
    class BrokenLicense:
        @property
        def tier(self) -> Tier:
            raise ConnectionError("the licence server is down")

    strict = MockTool("strict", permissions=["tool.filesystem.read"])
    executor = executor_of(strict, license=BrokenLicense())
    answer = await executor.execute(ToolCall.new("strict"))
    assert (answer.outcome.error_code, answer.status) == ("tool_error", "failed")
    assert "was not run" in text_of(answer)
    assert "licence server" not in text_of(answer)
    assert (strict.calls, executor.active) == ([], 0)


# Looking without running


@keeps("execution.look")
def test_what_a_call_would_be_can_be_asked_without_running_it() -> None:
    counted = MockTool("counted", parameters=NUMBER, risk="high")
    executor = executor_of(counted)
    assert executor.validate("counted", {"count": 1}).valid
    assert not executor.validate("counted", {"count": 0}).valid
    assert not executor.validate("counted", {"count": object()}).valid
    assert executor.summarize("counted", {"count": 1}) == "Execute Counted"
    assert executor.effective_risk("counted", {"count": 1}) is RiskLevel.HIGH
    unknown = executor.validate("nobody", {})
    assert [error.code for error in unknown.errors] == ["tool_not_found"]
    assert executor.summarize("nobody", {}) == "Execute nobody"
    assert executor.effective_risk("nobody", {}) is RiskLevel.MEDIUM
    assert counted.calls == []


@keeps("execution.explain")
async def test_an_explanation_says_what_would_happen_and_why_and_runs_nothing() -> None:
    rule = Rule(effect="allow", tool="counted", when={"unit": "km"}, origin="work rules")
    counted = MockTool("counted", parameters=NUMBER, risk="high", permissions=["tool.network.fetch"])
    executor = executor_of(counted, policy=Policy(rules=[rule]))
    told = executor.explain(ToolCall.new("counted", count=1))
    assert (told.verdict.effect, told.verdict.source, told.verdict.origin) == ("allow", "rule", "work rules")
    assert [step.step for step in told.steps] == ["permissions", "deny_rule", "confirmation", "remembered", "rule"]
    assert "work rules" in str(told)
    asked = executor.explain(ToolCall.new("counted", count=1, unit="m"))
    assert (asked.verdict.effect, asked.verdict.source) == ("ask", "risk")
    for call, grants, source in (
        (ToolCall.new("counted", count=0), None, "arguments"),
        (ToolCall.new("nobody"), None, "arguments"),
        (ToolCall.new("counted", count=1), ["tool.git.read"], "permissions"),
    ):
        refused = executor.explain(call, grants=grants)
        assert (refused.verdict.effect, refused.verdict.source) == ("deny", source)
    assert counted.calls == []


# What a call brings along


@keeps("execution.options")
async def test_what_a_call_brings_replaces_what_the_executor_has(tmp_path: Path) -> None:
    class Database:
        pass

    ours, theirs = Database(), Database()
    seen: list[Any] = []

    def look(context: ToolContext) -> None:
        seen.append((context.services[Database], context.session_id, context.workspace, context.metadata.get("a")))

    executor = executor_of(MockTool("look", run=look), services={Database: ours})
    await executor.execute(ToolCall.new("look"))
    await executor.execute(
        ToolCall.new("look"), services={Database: theirs}, session="s", workspace=tmp_path, metadata={"a": 1}
    )
    assert seen == [(ours, None, None, None), (theirs, "s", tmp_path, 1)]


@keeps("execution.services")
async def test_services_may_come_from_anything_with_get() -> None:
    class Container:
        def get(self, kind: type[Any]) -> object:
            return "a service" if kind is str else None

    asked = MockTool("asked", run=lambda context: context.services[str])
    assert (await run(asked, services=Container())).outcome.data == "a service"
    assert (await run(MockTool("none", run=lambda context: context.services[int]))).outcome.error_code == "tool_error"


@keeps("execution.approved_caller")
async def test_a_call_that_a_person_has_approved_is_not_asked_about_again() -> None:
    risky = MockTool("risky", 1, risk="high")
    reviewer = FakeReviewer()
    answer = await run(risky, reviewer=reviewer, approved=True)
    assert (answer.outcome.data, answer.approved_by, reviewer.requests) == (1, "caller", [])
    assert risky.contexts[0].approved
    confirmed = MockTool("confirmed", 1, requires_confirmation=True)
    assert (await run(confirmed, reviewer=reviewer, approved=True)).approved_by == "caller"
    for not_a_yes in (1, "yes"):
        nobody = await run(risky, approved=not_a_yes)
        assert nobody.outcome.error_code == "denied"


async def test_the_tool_that_was_found_is_the_one_that_runs_whatever_is_registered_meanwhile() -> None:
    registry = Registry([first := MockTool("tool_x", "first", risk="high")])
    second = MockTool("tool_x", "second", risk="safe")

    def swap(_request: object) -> object:
        registry.unregister("tool_x")
        registry.register(second)
        return Decision.approve()

    executor = Executor(registry, reviewer=FakeReviewer(swap))
    assert (await executor.execute(ToolCall.new("tool_x"))).outcome.data == "first"
    assert (await executor.execute(ToolCall.new("tool_x"))).outcome.data == "second"
    assert (len(first.calls), len(second.calls)) == (1, 1)


def test_many_tools_that_come_and_go_leave_nothing_behind() -> None:
    registry = Registry()
    executor = Executor(registry)
    tools = [MockTool(f"tool_{number}") for number in range(600)]
    gone = [weakref.ref(each) for each in tools]
    while tools:
        registry.register(each := tools.pop())
        assert executor.validate(each.definition.name, {}).valid
        registry.unregister(each.definition.name)
        del each
    gc.collect()
    assert sum(known() is not None for known in gone) < 300


async def test_one_completed_event_for_each_call_refused_ones_too() -> None:
    executor = executor_of(MockTool("one", 1), MockTool("two", risk="high"))
    async with executor.events.listen() as events:
        for name in ("one", "two", "three"):
            await executor.execute(ToolCall.new(name))
        completed = [each.execution.status for each in events.heard() if isinstance(each, ExecutionCompleted)]
    assert completed == ["completed", "denied", "failed"]
