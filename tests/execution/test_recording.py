"""The record of a call: before it runs, and when it has ended; and what goes into the log."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from tests.execution.calling import WITHIN, LibraryStop, executor_of, run, settle, until
from tests.promises import keeps
from toolwright.execution import (
    AuditSink,
    Decision,
    Execution,
    ExecutionCompleted,
    ExecutionProgress,
    Intent,
    MemorySink,
    approve_all,
)
from toolwright.execution.clock import SystemClock
from toolwright.execution.events import Events
from toolwright.execution.reports import Reports
from toolwright.execution.running import Running
from toolwright.execution.sinks import Recorder
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.redact import MASK
from toolwright.testing import FakeReviewer, MockTool
from toolwright.tools import ToolContext, tool
from toolwright.tools.progress import ToolProgress

SECRET = "sk-abcdefghijklmnopqrstuvwxyz012345"


async def never() -> None:
    await asyncio.get_running_loop().create_future()


async def deaf() -> None:
    while True:
        try:
            await never()
        except asyncio.CancelledError:
            continue


class Sink:
    """A sink that fails as it is told, and remembers what it was given."""

    def __init__(self, *, started: object = None, finished: object = None) -> None:
        self.seen: list[str] = []
        self._started = started
        self._finished = finished

    def started(self, intent: Intent) -> Any:
        self.seen.append(f"started {intent.tool_name}")
        return self._do(self._started)

    def finished(self, execution: Execution) -> Any:
        self.seen.append(f"finished {execution.status}")
        return self._do(self._finished)

    @staticmethod
    def _do(what: object) -> object:
        if isinstance(what, BaseException):
            raise what
        return what() if callable(what) else what


@keeps("execution.record.first")
async def test_a_call_is_on_record_before_it_runs_and_when_it_has_ended() -> None:
    order: list[str] = []
    sink = MemorySink()

    async def play(context: ToolContext) -> str:
        (intent,) = sink.intents
        assert (intent.execution_id, intent.status, len(sink.executions)) == (context.execution_id, "in_progress", 0)
        order.append("ran")
        return "done"

    tool = MockTool("play", run=play, parameters={"type": "object", "properties": {"a": {"type": "integer"}}})
    answer = await run(tool, {"a": "1"}, audit=sink, session="s", attempt=3, reviewer=approve_all)
    assert order == ["ran"]
    (intent,) = sink.intents
    assert (intent.arguments, intent.call.arguments, intent.approved_by) == ({"a": 1}, {"a": "1"}, "policy")
    assert (intent.definition, intent.side_effects, intent.session, intent.attempt) == (
        *(tool.definition.digest, True, "s", 3),
    )
    assert sink.executions == (answer,)


async def returns_an_error() -> None:
    raise OSError("the disk is full")


async def cancels_itself() -> None:
    raise asyncio.CancelledError


FAULTS = [
    *(OSError("the disk is full"), LibraryStop(), SystemExit(1), asyncio.CancelledError()),
    *(returns_an_error, cancels_itself),
]


@keeps("execution.record.first")
@pytest.mark.parametrize("fault", FAULTS, ids=repr)
async def test_what_has_side_effects_and_cannot_be_put_on_record_does_not_run(fault: object) -> None:
    tool = MockTool("changes")
    sink = Sink(started=fault)
    executor = executor_of(tool, audit=sink)
    answer = await executor.execute(ToolCall.new("changes"))
    assert (answer.outcome.error_code, answer.status, tool.calls) == ("record_failed", "failed", [])
    assert "disk" not in answer.to_result().result
    assert sink.seen == ["started changes", "finished failed"]
    reads = MockTool("reads", 1, constraints={"side_effects": False})
    assert (await run(reads, audit=Sink(started=fault))).outcome.data == 1
    assert executor.active == 0


@keeps("execution.record.failing")
@pytest.mark.parametrize("fault", FAULTS, ids=repr)
async def test_a_sink_that_fails_at_the_end_is_logged_and_loses_no_outcome(
    fault: object, caplog: pytest.LogCaptureFixture
) -> None:
    executor = executor_of(MockTool("changes", 1), audit=Sink(finished=fault))
    async with executor.events.listen() as events:
        answer = await executor.execute(ToolCall.new("changes"))
        assert answer.outcome.data == 1
        assert [each.execution for each in events.heard() if isinstance(each, ExecutionCompleted)] == [answer]
    (record,) = [each for each in caplog.records if getattr(each, "event", "") == "sink.failed"]
    assert (record.levelname, vars(record)["kind"]) == ("WARNING", "finished")
    assert "disk" not in str(vars(record))


@keeps("execution.record.failing")
@pytest.mark.parametrize("hangs", [never, deaf])
async def test_a_sink_that_hangs_holds_a_call_up_for_a_while_and_not_for_ever(hangs: Any) -> None:
    recorder = Recorder(Sink(finished=hangs), seconds=0.01)
    async with asyncio.timeout(WITHIN):
        writing = recorder.finished(await run(MockTool()))
        assert writing is not None
        await writing


async def test_the_end_is_written_down_although_whoever_waits_was_cancelled() -> None:
    written: list[str] = []
    gate = asyncio.Event()

    async def slowly() -> None:
        await gate.wait()
        written.append("finished")

    sink = Sink(finished=slowly)
    executor = executor_of(MockTool("changes", 1), audit=sink)
    calling = asyncio.create_task(executor.execute(ToolCall.new("changes")))
    await until(lambda: len(sink.seen) == 2)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert written == []
    gate.set()
    await until(lambda: written)


def test_an_end_that_could_not_be_written_down_because_the_loop_ended_is_missed_aloud(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sink = Sink(finished=never)
    executor = executor_of(MockTool("changes", 1), audit=sink)

    async def main() -> None:
        calling = asyncio.create_task(executor.execute(ToolCall.new("changes")))
        await until(lambda: len(sink.seen) == 2)
        calling.cancel()

    asyncio.run(main())
    (record,) = [each for each in caplog.records if getattr(each, "event", "") == "sink.failed"]
    assert (vars(record)["kind"], vars(record)["error"]) == ("finished", "CancelledError")


async def test_a_call_that_is_cancelled_while_its_start_is_written_down_has_not_run() -> None:
    sink, tool = Sink(started=never), MockTool("changes")
    executor = executor_of(tool, audit=sink)
    calling = asyncio.create_task(executor.execute(ToolCall.new("changes")))
    await until(lambda: sink.seen)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert (tool.calls, sink.seen) == ([], ["started changes", "finished cancelled"])


@pytest.mark.parametrize("part", ["reviewer", "listener", "sink"])
async def test_an_interrupt_by_the_user_is_nobody_s_failure(part: str) -> None:
    def interrupt(_given: object) -> None:
        raise KeyboardInterrupt

    tool = MockTool("works", run=lambda context: context.report("half"), risk="high")
    executor = executor_of(
        tool,
        reviewer=FakeReviewer.always(interrupt if part == "reviewer" else Decision.approve()),
        audit=Sink(started=KeyboardInterrupt()) if part == "sink" else None,
    )
    with pytest.raises(KeyboardInterrupt):
        await executor.execute(ToolCall.new("works"), progress=interrupt if part == "listener" else None)
    assert executor.active == 0


async def test_an_interrupt_by_the_user_is_put_on_record_as_far_as_that_needs_no_waiting() -> None:
    for finished in (None, returns_an_error, OSError("full")):
        sink = Sink(finished=finished)
        executor = executor_of(MockTool.throwing("stop", KeyboardInterrupt()), audit=sink)
        with pytest.raises(KeyboardInterrupt):
            await executor.execute(ToolCall.new("stop"))
        assert sink.seen == ["started stop", "finished cancelled"]


def test_what_has_the_shape_of_a_sink_is_one() -> None:
    sink: AuditSink = Sink()
    bounded = MemorySink(limit=2)
    assert (sink, bounded.intents, bounded.executions) == (sink, (), ())


# Logs


def told(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [
        (vars(record)["event"], record.levelname)
        for record in caplog.records
        if record.name.startswith("toolwright.") and hasattr(record, "event")
    ]


@keeps("telemetry.logs")
async def test_each_end_of_a_call_has_one_event_of_its_own_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "toolwright.execution")

    async def end(tool: MockTool, **options: Any) -> list[tuple[str, str]]:
        caplog.clear()
        timeout = options.pop("timeout", None)
        await executor_of(tool, **options).execute(ToolCall.new(tool.definition.name), timeout=timeout)
        return told(caplog)

    started = ("execution.started", "INFO")
    assert await end(MockTool()) == [started, ("execution.completed", "INFO")]
    assert await end(MockTool.failing()) == [started, ("execution.failed", "WARNING")]
    assert await end(MockTool.throwing()) == [started, ("execution.failed", "ERROR")]
    assert await end(MockTool(run=lambda _c: never()), timeout=0.01) == [started, ("execution.timed_out", "WARNING")]
    assert await end(MockTool(risk="high"), reviewer=FakeReviewer("nonsense")) == [
        *(("approval.asked", "INFO"), ("approval.decided", "INFO"), ("execution.denied", "INFO")),
    ]
    assert await end(MockTool(risk="high"), reviewer=FakeReviewer(OSError("no"))) == [
        *(("approval.asked", "INFO"), ("approval.failed", "WARNING")),
        *(("approval.decided", "INFO"), ("execution.denied", "INFO")),
    ]


@keeps("telemetry.logs")
async def test_a_record_holds_ids_names_durations_and_codes_and_of_an_exception_type_and_place(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "toolwright.execution")
    answer = await run(MockTool.throwing("bad", ValueError(SECRET)), {"key": SECRET})
    facts = vars(caplog.records[-1])
    assert (facts["tool"], facts["execution_id"], facts["call_id"], facts["code"]) == (
        *("bad", answer.execution_id, answer.call.id, "tool_error"),
    )
    assert (facts["error"], facts["duration"], facts["waited"]) == ("ValueError", answer.duration, 0.0)
    assert facts["place"].startswith("toolwright.testing.mock_tool:")
    assert SECRET not in str([vars(record) for record in caplog.records])


@keeps("execution.logs.switched")
async def test_arguments_and_results_are_logged_only_where_that_was_switched_on_and_then_without_secrets(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "toolwright.execution")
    tool = MockTool("show", {"token": "abc", "text": f"see {SECRET}"})
    arguments = {"password": "hunter2", "path": "a.txt", "note": SECRET}
    await run(tool, arguments)
    assert {"arguments", "result"}.isdisjoint(vars(caplog.records[-1]))
    await run(tool, arguments, log_arguments=True, log_results=True)
    facts = vars(caplog.records[-1])
    assert facts["arguments"] == {"password": MASK, "path": "a.txt", "note": MASK}
    assert facts["result"] == {"token": MASK, "text": f"see {MASK}"}
    broken = InvalidToolCall("call_1", "show", f'{{"note": "{SECRET}', "cut off")
    await executor_of(tool, log_arguments=True).execute(broken)
    assert SECRET not in str(vars(caplog.records[-1]))
    assert "note" in vars(caplog.records[-1])["arguments"]


async def test_a_name_that_a_model_made_up_cannot_pass_for_a_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "toolwright.execution")
    forged = InvalidToolCall("call_1", "x\n2026-01-01 INFO all is well\x1b[2J" + "y" * 5_000, "{}", "no such name")
    answer = await executor_of(MockTool()).execute(forged)
    assert answer.tool_name.isprintable()
    assert len(answer.tool_name) <= 64
    assert "\n" not in caplog.records[-1].getMessage()
    assert answer.call is forged
    await executor_of(MockTool("a")).execute(ToolCall("call_1\nforged", "a", {}))
    assert vars(caplog.records[-1])["call_id"] == "call_1?forged"


async def test_nothing_is_said_where_nobody_reads_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, "toolwright.execution")
    await run(MockTool())
    await run(MockTool.failing())
    assert told(caplog) == []


# Progress


@keeps("execution.progress")
async def test_progress_is_told_in_order_from_whatever_thread_and_not_after_the_end() -> None:
    kept: list[ToolContext] = []

    @tool(risk="safe")
    def works(*, context: ToolContext) -> str:
        """Tell how far it is."""
        kept.append(context)
        for number in range(3):
            context.report(f"step {number}", items=number, total=3)
        return "done"

    heard: list[str] = []
    executor = executor_of(works)
    async with executor.events.listen() as events:
        await executor.execute(ToolCall.new("works"), progress=lambda progress: heard.append(progress.message))
        kept[0].report("after the end")
        await settle()
        told_of = [each.progress.message for each in events.heard() if isinstance(each, ExecutionProgress)]
    assert heard == told_of == ["step 0", "step 1", "step 2"]


async def test_an_async_tool_tells_its_progress_without_waiting() -> None:
    heard: list[float | None] = []

    async def works(context: ToolContext) -> None:
        context.report("half", percent=50)
        assert heard == [50]

    await run(MockTool("works", run=works), progress=lambda progress: heard.append(progress.percent))


@pytest.mark.parametrize("fault", [ValueError("no"), LibraryStop()])
async def test_a_listener_that_fails_costs_the_tool_nothing(fault: BaseException) -> None:
    def listens(_progress: object) -> None:
        raise fault

    tool = MockTool("works", run=lambda context: context.report("half"))
    assert (await run(tool, progress=listens)).outcome.success


async def test_progress_for_a_loop_that_has_gone_is_heard_by_nobody() -> None:
    running = Running("id", None)
    heard: list[object] = []

    async def elsewhere() -> Reports:
        running.attach()
        return Reports(running, "tool", heard.append, Events(), SystemClock())

    reports = await asyncio.to_thread(asyncio.run, elsewhere())
    reports(ToolProgress("anybody?"))
    assert heard == []
