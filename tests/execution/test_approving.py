"""Asking a person whether a call may run: what counts as a yes, and all that does not."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.execution.calling import WITHIN, LibraryStop, codes, executor_of, gathered, run, until
from tests.promises import keeps
from toolwright.execution import (
    ApprovalDecided,
    ApprovalRequested,
    Decision,
    ExecutionCompleted,
    ExecutionStarted,
    InboxReviewer,
    Limits,
    Memory,
    MemoryInbox,
    Policy,
    Remember,
    ReviewRequest,
    Rule,
    approve_all,
    deny_all,
    load_policy,
)
from toolwright.levels import RiskLevel
from toolwright.messages import ToolCall
from toolwright.testing import FakeReviewer, MockTool
from toolwright.tools import ToolBase, ToolDefinition
from toolwright.tools.context import ToolContext

NUMBER = {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1}}, "required": ["count"]}


def risky(**fields: Any) -> MockTool:
    return MockTool("risky", "done", **({"risk": "high", "parameters": NUMBER} | fields))


@keeps("execution.approve")
async def test_what_a_reviewer_approves_runs_and_is_told_who_approved() -> None:
    answer = await run(risky(), {"count": 1}, reviewer=FakeReviewer(Decision.approve(by="ann")))
    assert (answer.outcome.data, answer.approved_by) == ("done", "ann")
    assert (await run(risky(), {"count": 1}, reviewer=approve_all)).approved_by == "approve_all"

    async def somebody(_request: ReviewRequest) -> Decision:
        return Decision.approve()

    assert (await run(risky(), {"count": 1}, reviewer=somebody)).approved_by == "somebody"


@keeps("execution.approve")
async def test_what_a_reviewer_denies_does_not_run_and_the_model_reads_why() -> None:
    tool = risky()
    answer = await run(tool, {"count": 1}, reviewer=FakeReviewer(Decision.deny("not on my watch")))
    assert (answer.outcome.error_code, answer.status, answer.isolation) == ("denied", "denied", None)
    assert "not on my watch" in answer.to_result().result
    assert (await run(tool, {"count": 1}, reviewer=deny_all)).outcome.error_code == "denied"
    assert (await run(tool, {"count": 1}, reviewer=FakeReviewer(Decision.deny()))).outcome.error_code == "denied"
    assert tool.calls == []


@keeps("execution.approve.nobody")
async def test_with_nobody_to_ask_the_answer_is_no_and_says_how_to_allow() -> None:
    tool = risky()
    answer = await run(tool, {"count": 1})
    assert (answer.outcome.error_code, answer.status, tool.calls) == ("denied", "denied", [])
    assert "reviewer" in answer.to_result().result
    assert "'allow'" in answer.to_result().result


@keeps("execution.approve.anything_else")
@pytest.mark.parametrize(
    "answer",
    [
        *(
            "approve",
            True,
            1,
            {"answer": "approve"},
            Decision,
            [Decision.approve()],
            type("Yes", (), {"answer": "approve"})(),
        ),
        *(
            RuntimeError("broken"),
            ValueError(),
            StopAsyncIteration(),
            asyncio.CancelledError(),
            SystemExit(0),
            GeneratorExit(),
            LibraryStop(),
        ),
    ],
    ids=repr,
)
async def test_whatever_else_a_reviewer_gives_or_raises_is_a_no(answer: object) -> None:
    tool = risky()
    executor = executor_of(tool, reviewer=FakeReviewer.always(answer))
    async with asyncio.timeout(WITHIN):
        execution = await executor.execute(ToolCall.new("risky", count=1))
    assert (execution.outcome.error_code, execution.status, tool.calls) == ("denied", "denied", [])
    assert (executor.active, executor.queued) == (0, 0)


@keeps("execution.approve.deadline")
async def test_a_reviewer_that_does_not_answer_in_time_has_not_approved() -> None:
    tool, reviewer = risky(), FakeReviewer(None)
    answer = await run(tool, {"count": 1}, reviewer=reviewer, review_timeout=0.01)
    assert (answer.outcome.error_code, answer.status, tool.calls) == ("approval_expired", "denied", [])
    assert reviewer.cancelled == 1
    assert answer.waited > 0


@keeps("execution.approve.deadline")
async def test_an_answer_that_comes_too_late_does_not_count() -> None:
    async def stubborn(_request: ReviewRequest) -> Decision:
        with suppress(asyncio.CancelledError):
            await asyncio.get_running_loop().create_future()
        return Decision.approve()

    async def deaf(_request: ReviewRequest) -> Decision:
        while True:
            try:
                await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:
                continue

    for reviewer in (stubborn, deaf):
        tool = risky()
        answer = await run(tool, {"count": 1}, reviewer=reviewer, review_timeout=0.01)
        assert (answer.outcome.error_code, tool.calls) == ("approval_expired", [])


@keeps("execution.approve.changes")
async def test_changed_arguments_are_validated_permitted_and_asked_about_again() -> None:
    tool = risky()
    reviewer = FakeReviewer(Decision.change({"count": 5}), Decision.approve(by="ann"))
    answer = await run(tool, {"count": 1}, reviewer=reviewer)
    assert (answer.outcome.data, answer.approved_by) == ("done", "ann")
    assert [request.arguments["count"] for request in reviewer.requests] == [1, 5]
    assert tool.contexts[0].arguments["count"] == 5
    assert tool.contexts[0].call.arguments["count"] == 1
    wrong = await run(tool, {"count": 1}, reviewer=FakeReviewer(Decision.change({"count": 0})))
    assert wrong.outcome.error_code == "validation_failed"
    assert len(tool.calls) == 1


@keeps("execution.approve.changes")
async def test_changed_arguments_are_held_against_the_rules_too() -> None:
    never = Rule(effect="deny", tool="risky", when={"count": "7"})
    always = Rule(effect="allow", tool="risky", when={"count": "8"})
    policy = Policy(rules=[never, always], limits=Limits(calls=1))
    tool = risky()
    denied = await run(tool, {"count": 1}, reviewer=FakeReviewer(Decision.change({"count": 7})), policy=policy)
    assert (denied.outcome.error_code, tool.calls) == ("permission_denied", [])
    allowed = await run(tool, {"count": 1}, reviewer=FakeReviewer(Decision.change({"count": 8})), policy=policy)
    assert (allowed.outcome.data, allowed.approved_by) == ("done", "policy")


@keeps("execution.approve.changes")
async def test_arguments_are_changed_three_times_at_most() -> None:
    tool = risky()
    changes = [Decision.change({"count": number}) for number in (2, 3, 4)]
    third = await run(tool, {"count": 1}, reviewer=FakeReviewer(*changes, Decision.approve()))
    assert third.outcome.success
    fourth = await run(tool, {"count": 1}, reviewer=FakeReviewer(*changes, Decision.change({"count": 5})))
    assert (fourth.outcome.error_code, len(tool.calls)) == ("denied", 1)


async def test_a_path_that_a_reviewer_puts_in_lies_in_the_workspace_too(tmp_path: Path) -> None:
    path = {"type": "object", "properties": {"path": {"type": "string", "format": "path"}}}
    tool = risky(parameters=path)
    reviewer = FakeReviewer(Decision.change({"path": "../out"}))
    answer = await run(tool, {"path": "in"}, reviewer=reviewer, workspace=tmp_path)
    assert (answer.outcome.error_code, tool.calls) == ("validation_failed", [])


@keeps("execution.approve.request")
async def test_whoever_is_asked_sees_what_would_happen(tmp_path: Path) -> None:
    class Writer(ToolBase):
        definition = ToolDefinition("writer", "For tests.", risk="medium", parameters=NUMBER)

        def summarize(self, arguments: Any) -> str:
            return f"Write {arguments['count']} lines"

        def effective_risk(self, arguments: Any) -> RiskLevel:
            return RiskLevel.CRITICAL if arguments["count"] > 100 else RiskLevel.MEDIUM

        def diff(self, arguments: Any, workspace: Path) -> str:
            return f"+{arguments['count']} in {workspace.name}"

        async def run(self, context: ToolContext) -> None:
            return None

    reviewer = FakeReviewer(Decision.deny())
    await run(Writer(), {"count": "101"}, reviewer=reviewer, workspace=tmp_path, session="s")
    (request,) = reviewer.requests
    assert (request.tool_name, request.summary, request.arguments) == ("writer", "Write 101 lines", {"count": 101})
    assert (request.risk, request.diff, request.session) == (RiskLevel.CRITICAL, f"+101 in {tmp_path.name}", "s")
    assert request.call.arguments == {"count": "101"}
    assert "count" in request.warnings[0]
    assert request.expires_at is not None
    assert "critical" in request.reason


async def test_a_diff_that_cannot_be_made_is_left_out_and_the_question_is_asked() -> None:
    class Writer(MockTool):
        said: object = None

        def diff(self, _arguments: Any, _workspace: Path | None) -> object:
            if self.said is None:
                raise OSError("no such file")
            return self.said

    writer = Writer("writer", risk="high")
    reviewer = FakeReviewer.always(Decision.deny())
    await run(writer, reviewer=reviewer)
    writer.said = 7
    await run(writer, reviewer=reviewer)
    assert [request.diff for request in reviewer.requests] == [None, None]


@keeps("execution.approve")
async def test_a_tool_that_wants_each_call_confirmed_is_asked_about_whatever_was_remembered() -> None:
    tool = MockTool("careful", 1, requires_confirmation=True)
    reviewer = FakeReviewer.always(Decision.approve(remember="tool"))
    executor = executor_of(tool, reviewer=reviewer, policy=Policy(rules=[Rule(effect="allow", tool="*")]))
    for _ in range(2):
        assert (await executor.execute(ToolCall.new("careful"))).outcome.success
    assert [request.memorable for request in reviewer.requests] == [False, False]


# What is remembered


@keeps("execution.remember")
async def test_a_decision_is_remembered_as_far_as_was_wished() -> None:
    tool = risky()
    reviewer = FakeReviewer(
        *(
            Decision.approve(remember="call", by="ann"),
            Decision.approve(remember="tool"),
            Decision.deny(remember="tool"),
        )
    )
    executor = executor_of(tool, reviewer=reviewer)

    async def call(count: int, session: str) -> str:
        answer = await executor.execute(ToolCall.new("risky", count=count), session=session)
        return answer.outcome.error_code or str(answer.approved_by)

    assert [await call(1, "s"), await call(1, "s")] == ["ann", "policy"]
    assert [await call(2, "s"), await call(3, "s")] == ["FakeReviewer", "policy"]
    found = [await call(1, "t"), await call(1, "t"), await call(2, "t")]
    assert found == ["denied", "permission_denied", "permission_denied"]
    reviewer.assert_done()
    executor.forget_session("s")
    assert await call(1, "s") == "denied"  # nobody expected to be asked again


@keeps("execution.remember")
async def test_a_decision_for_the_project_is_written_to_its_file_and_holds_in_the_next_program(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    tool = risky()
    policy = load_policy(file, lasts="project", missing_ok=True)
    first = executor_of(tool, policy=policy, reviewer=FakeReviewer(Decision.approve(remember="project", by="ann")))
    assert (await first.execute(ToolCall.new("risky", count=1), session="s")).outcome.success
    assert 'origin = "ann"' in file.read_text()
    second = executor_of(tool, policy=load_policy(file, lasts="project"))
    assert (await second.execute(ToolCall.new("risky", count=2), session="t")).approved_by == "policy"
    (remembered,) = second.memory.all(datetime.now(UTC))
    assert second.memory.revoke(remembered.id)
    assert (await second.execute(ToolCall.new("risky", count=2))).outcome.error_code == "denied"
    changed = executor_of(risky(description="Does something else."), policy=policy)
    assert (await changed.execute(ToolCall.new("risky", count=1))).outcome.error_code == "denied"


@keeps("execution.remember")
async def test_a_decision_that_cannot_be_remembered_counts_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text("")
    policy = load_policy(tmp_path / "policy.toml", lasts="always")
    (tmp_path / "policy.toml").write_text("broken =")
    reviewer = FakeReviewer(Decision.approve(remember=Remember(lasts="always")))
    executor = executor_of(risky(), policy=policy, reviewer=reviewer)
    for _ in range(2):
        assert (await executor.execute(ToolCall.new("risky", count=1))).outcome.success
    reviewer.assert_done()


async def test_a_keeper_that_breaks_loses_no_decision(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def add(self, remembered: object, /) -> None:
            raise RuntimeError("no")

        def remove(self, id: str, /) -> bool:
            return False

    memory = Memory(keepers={"always": Broken()})
    reviewer = FakeReviewer(Decision.approve(remember="always"))
    answer = await run(risky(), {"count": 1}, reviewer=reviewer, memory=memory)
    assert answer.outcome.success
    assert [record.event for record in caplog.records if record.levelname == "WARNING"] == ["approval.not_remembered"]  # type: ignore[attr-defined]


async def test_a_keeper_that_hangs_holds_a_call_up_no_longer_than_a_reviewer_may(
    caplog: pytest.LogCaptureFixture,
) -> None:
    gate = threading.Event()

    class Hanging:
        def add(self, _remembered: object, /) -> None:
            gate.wait(WITHIN)

        def remove(self, _id: str, /) -> bool:
            return False

    memory = Memory(keepers={"always": Hanging()})
    reviewer = FakeReviewer(Decision.approve(remember="always"))
    answer = await run(risky(), {"count": 1}, reviewer=reviewer, memory=memory, review_timeout=0.05)
    gate.set()
    assert answer.outcome.success
    assert [vars(record)["error"] for record in caplog.records if record.levelname == "WARNING"] == ["Overdue"]


# Limits


@keeps("execution.limits")
async def test_of_twenty_calls_at_once_under_a_limit_of_ten_exactly_ten_run() -> None:
    tool = MockTool.delayed("slow", 0)
    executor = executor_of(tool, policy=Policy(limits=Limits(calls=10)), concurrency=20)
    answers = await gathered(executor.execute(ToolCall.new("slow"), session="s") for _ in range(20))
    assert sorted(codes(answers)) == ["ok"] * 10 + ["permission_denied"] * 10
    assert len(tool.calls) == 10
    assert "10 calls" in next(each for each in answers if not each.outcome.success).to_result().result
    assert (await executor.execute(ToolCall.new("slow"), session="t")).outcome.success
    executor.forget_session("s")
    assert (await executor.execute(ToolCall.new("slow"), session="s")).outcome.success


@keeps("execution.limits")
async def test_a_call_that_does_not_run_gives_its_place_back() -> None:
    tool = risky()
    reviewer = FakeReviewer(
        Decision.deny(), RuntimeError("no"), None, Decision.change({"count": 0}), Decision.approve()
    )
    executor = executor_of(
        tool, policy=Policy(limits=Limits(calls=1, calls_per_minute=1)), reviewer=reviewer, review_timeout=0.01
    )
    answers = [await executor.execute(ToolCall.new("risky", count=1)) for _ in range(6)]
    assert codes(answers) == [
        *("denied", "denied", "approval_expired", "validation_failed", "ok", "permission_denied"),
    ]


# Who decides


@keeps("execution.approve.inbox")
async def test_of_two_who_decide_a_waiting_call_at_once_one_wins() -> None:
    inbox = MemoryInbox()
    tool = risky()
    executor = executor_of(tool, reviewer=InboxReviewer(inbox, expires_after=60))
    calling = asyncio.create_task(executor.execute(ToolCall("call_1", "risky", {"count": 1}), session="s"))
    async with asyncio.timeout(WITHIN):
        while not (pending := await inbox.pending()):  # noqa: ASYNC110  an inbox tells nobody of new requests
            await asyncio.sleep(0)
        won = await asyncio.gather(
            inbox.decide(pending[0].id, Decision.approve(by="ann")),
            inbox.decide(pending[0].id, Decision.deny(by="bob")),
        )
        answer = await calling
    assert sorted(won) == [False, True]
    assert answer.outcome.success is won[0]
    assert len(tool.calls) == won[0]


@keeps("execution.events.order")
async def test_asking_and_deciding_are_told_in_order_also_where_nobody_answered() -> None:
    executor = executor_of(risky(), reviewer=FakeReviewer(Decision.approve(), "nonsense"))
    async with executor.events.listen() as events:
        for _ in range(2):
            await executor.execute(ToolCall.new("risky", count=1))
        told = events.heard()
    assert [type(each) for each in told] == [
        *(ApprovalRequested, ApprovalDecided, ExecutionStarted, ExecutionCompleted),
        *(ApprovalRequested, ApprovalDecided, ExecutionCompleted),
    ]
    assert [each.decision.answer for each in told if isinstance(each, ApprovalDecided)] == ["approve", "deny"]


async def test_a_call_that_is_ended_while_a_person_is_asked_has_not_run() -> None:
    tool, reviewer = risky(), FakeReviewer(None, None)
    executor = executor_of(tool, reviewer=reviewer)
    calling = asyncio.create_task(executor.execute(ToolCall.new("risky", count=1), session="s"))
    await until(lambda: reviewer.requests)
    assert executor.cancel(session="s") == 1
    async with asyncio.timeout(WITHIN):
        answer = await calling
    assert (answer.outcome.error_code, answer.status, tool.calls) == ("cancelled", "cancelled", [])
    calling = asyncio.create_task(executor.execute(ToolCall.new("risky", count=1)))
    await until(lambda: len(reviewer.requests) == 2)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert (tool.calls, reviewer.cancelled) == ([], 2)
