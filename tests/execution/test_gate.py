"""Ways around the gate that somebody might try: what is decided about is what runs, and who decided is who it was."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from tests.execution.calling import executor_of, run
from tests.promises import keeps
from tests.sandbox.test_sandbox import STANDARD, Elsewhere
from toolwright.execution import Concurrency, Decision, Execution, Executor, Policy, ReviewRequest, Rule
from toolwright.levels import RiskLevel
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.registry import Registry
from toolwright.sandbox import InProcess, Sandbox
from toolwright.schema import ValidationReport
from toolwright.testing import FakeReviewer, MockTool
from toolwright.tools import CustomTool, FunctionTool, ToolBase, ToolContext, ToolDefinition, tool

NUMBER = {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1}}, "required": ["count"]}


# What a call says


class Shifty(ToolCall, frozen=True):
    """A call whose arguments are whatever they are at the moment."""

    held: dict[str, Any] = {}  # noqa: RUF012  a field of a Struct, whose default is copied

    @property  # type: ignore[misc]
    def arguments(self) -> Mapping[str, Any]:
        return MappingProxyType(self.held)

    @arguments.setter
    def arguments(self, _given: object) -> None: ...


@keeps("execution.gate")
async def test_arguments_that_change_after_they_were_allowed_are_not_those_that_run() -> None:
    call = Shifty("call_1", "risky", {}, held={"count": 1})

    def change(_request: ReviewRequest) -> Decision:
        call.held["count"] = 666
        return Decision.approve()

    risky = MockTool("risky", risk="high", parameters=NUMBER)
    answer = await executor_of(risky, reviewer=FakeReviewer(change)).execute(call)
    assert answer.outcome.success
    assert risky.contexts[0].arguments == risky.contexts[0].call.arguments == {"count": 1}


async def test_a_call_of_a_derived_kind_is_answered_like_any_other() -> None:
    class Own(InvalidToolCall, frozen=True):
        note: str = ""

    answers = await executor_of(MockTool("a", 1)).execute_many([Shifty("1", "a", {}), Own("2", "a", "{", "cut off")])
    assert [type(each.call) for each in answers] == [ToolCall, InvalidToolCall]
    assert [each.outcome.error_code for each in answers] == [None, "validation_failed"]


# What a tool says of itself


async def test_a_check_that_is_put_over_a_tool_s_own_does_not_replace_the_schema() -> None:
    class Counted(ToolBase):
        definition = ToolDefinition("counted", "For tests.", risk="safe", parameters=NUMBER)

        def run(self, _context: ToolContext) -> str:
            return "ran"

    counted = Counted()
    counted.check = lambda arguments: ValidationReport()  # type: ignore[method-assign]
    assert (await run(counted, {"count": 0})).outcome.error_code == "validation_failed"
    assert (await run(counted, {"count": 1})).outcome.data == "ran"


async def test_a_tool_derived_from_a_function_s_is_asked_what_it_says() -> None:
    class Careful(FunctionTool[..., Any]):
        def effective_risk(self, _arguments: Mapping[str, Any]) -> RiskLevel:
            return RiskLevel.CRITICAL

    @tool(risk="safe")
    async def plain() -> str:
        """Do it."""
        return "ran"

    careful = Careful(plain.function, plain.definition, plain._plan)  # noqa: SLF001  nothing else makes one
    assert (await run(plain)).outcome.data == "ran"
    assert (await run(careful)).outcome.error_code == "denied"


def custom(source: str) -> CustomTool:
    return CustomTool(ToolDefinition("deploy", "Deploy.", risk="high"), {"kind": "python", "source": source})


@keeps("policy.remembered.digest")
@pytest.mark.parametrize("prefix", ["", "team"])
async def test_what_was_approved_of_one_handler_is_not_approved_of_another(prefix: str) -> None:
    """The definition of a tool that is data stays the same when something else is put behind it."""
    registry = Registry([custom("def run(arguments, context):\n    return 1\n")])
    shown = registry.toolset().prefixed(prefix) if prefix else registry
    reviewer = FakeReviewer(Decision.approve(remember="tool"), Decision.deny())
    executor = Executor(shown, reviewer=reviewer, sandbox=Sandbox(runners=[InProcess(), Elsewhere(STANDARD)]))
    call = ToolCall.new(f"{prefix}_deploy" if prefix else "deploy")
    first = [await executor.execute(call) for _ in range(2)]
    assert [each.approved_by for each in first] == ["FakeReviewer", "policy"]
    registry.replace(custom("def run(arguments, context):\n    return 2\n"))
    assert (await executor.execute(call)).outcome.error_code == "denied"
    assert len({request.definition for request in reviewer.requests}) == 2


# Where a path leads


async def swapped(tmp_path: Path, to: str, **options: Any) -> tuple[Execution, MockTool]:
    """Execute a call of which a link is turned elsewhere while a person looks at it."""
    for name in ("safe", "secret"):
        (tmp_path / name).mkdir()
    link = tmp_path / "link"
    link.symlink_to("safe")

    def turn(_request: ReviewRequest) -> Decision:
        link.unlink()
        link.symlink_to(to)
        return Decision.approve()

    path = {"type": "object", "properties": {"path": {"type": "string", "format": "path"}}}
    show = MockTool("show", "shown", risk="medium", parameters=path)
    never = Policy([Rule(effect="deny", tool="show", when={"path": "secret/*"})])
    reviewer = FakeReviewer(turn)
    return await run(show, {"path": "link/a"}, workspace=tmp_path, policy=never, reviewer=reviewer, **options), show


@keeps("execution.paths", "execution.gate")
async def test_a_path_that_leads_elsewhere_by_the_time_it_was_allowed_is_not_followed(tmp_path: Path) -> None:
    answer, show = await swapped(tmp_path, "secret")
    assert (answer.outcome.error_code, show.calls) == ("validation_failed", [])
    assert "leads elsewhere now" in answer.to_result().result


async def test_a_path_that_still_leads_to_the_same_place_is_followed(tmp_path: Path) -> None:
    answer, show = await swapped(tmp_path, "./safe", concurrency=Concurrency(per_tool=1))
    assert (answer.outcome.data, len(show.calls)) == ("shown", 1)


@keeps("execution.approve.request")
async def test_whoever_is_asked_about_a_path_is_told_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "real").symlink_to(tmp_path)  # the workspace is reached through a link itself
    (tmp_path / "docs").symlink_to("secret")
    path = {"type": "string", "format": "path"}
    nested = {"type": "array", "items": {"type": "object", "properties": {"at": path, "n": {"type": "integer"}}}}
    show = MockTool("show", risk="high", parameters={"type": "object", "properties": {"path": path, "all": nested}})
    workspace = tmp_path / "real"
    reviewer = FakeReviewer.always(Decision.deny())
    for arguments, warnings in (
        ({"path": "docs/key"}, ("path: leads to secret/key",)),
        ({"path": "a/../b"}, ()),
        ({"path": str(workspace / "a")}, ()),
        ({"path": str(tmp_path / "a")}, ()),
        ({"path": "."}, ()),
        ({"all": [{"at": "a", "n": 1}, {"at": "docs"}]}, ("all[1].at: leads to secret",)),
    ):
        await run(show, arguments, workspace=workspace, reviewer=reviewer)
        assert reviewer.requests[-1].warnings == warnings, arguments


# Who has decided


@keeps("execution.approve.changes")
async def test_a_fourth_change_is_refused_also_where_a_rule_would_allow_it() -> None:
    risky = MockTool("risky", risk="high", parameters=NUMBER)
    changes = [Decision.change({"count": number}) for number in (2, 3, 4, 5)]
    policy = Policy([Rule(effect="allow", tool="risky", when={"count": "5"})])
    answer = await run(risky, {"count": 1}, reviewer=FakeReviewer(*changes), policy=policy)
    assert (answer.outcome.error_code, risky.calls) == ("denied", [])


@pytest.mark.parametrize("name", ["policy", "caller"])
async def test_no_reviewer_stands_in_the_record_as_the_policy_or_the_caller(name: str) -> None:
    risky = MockTool("risky", risk="high")
    answer = await run(risky, reviewer=FakeReviewer(Decision.approve(by=name)))
    assert answer.approved_by == f"reviewer {name}"
    assert risky.contexts[0].approved
