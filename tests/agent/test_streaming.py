"""A run as it happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.agent.running import agent_of, calling, check, echo, model_of, until, within
from tests.promises import keeps
from toolwright.agent import Agent, MemoryRuns, Run, RunCompleted
from toolwright.errors import LLMError
from toolwright.execution import (
    ApprovalDecided,
    ApprovalRequested,
    ExecutionCompleted,
    ExecutionProgress,
    ExecutionStarted,
    approve_all,
)
from toolwright.messages import ToolCall, ToolCallDelta
from toolwright.providers import ChatResponse, Completed, StreamEvent, TextDelta
from toolwright.registry import Registry
from toolwright.testing import MockTool, ScriptedProvider
from toolwright.tools import ToolContext


async def heard(agent: Agent, **options: Any) -> list[Any]:
    """Return all that is told of a run."""

    async def listen() -> list[Any]:
        return [event async for event in agent.stream("Go.", **options)]

    return await within(listen())


def run_of(events: list[Any]) -> Run:
    assert isinstance(events[-1], RunCompleted)
    check(events[-1].run)
    return events[-1].run


def words(event: object) -> str:
    return type(event).__name__


@keeps("agent.stream")
async def test_a_stream_tells_of_texts_calls_progress_approvals_results_and_the_end() -> None:
    def work(context: ToolContext) -> str:
        context.report("half", 50)
        return "worked"

    tool = MockTool("work", run=work, risk="high")
    agent = agent_of([["Let me see. ", *calling("work")], "Done."], tool, executor={"reviewer": approve_all})
    events = await heard(agent)
    assert [words(event) for event in events if not isinstance(event, ToolCallDelta)] == [
        "TextDelta",
        "ApprovalRequested",
        "ApprovalDecided",
        "ExecutionStarted",
        "ExecutionProgress",
        "ExecutionCompleted",
        "TextDelta",
        "RunCompleted",
    ]
    assert any(isinstance(event, ToolCallDelta) for event in events)
    run = run_of(events)
    assert (run.status, run.text) == ("completed", "Done.")
    told = [event for event in events if isinstance(event, ExecutionCompleted)]
    assert [event.execution for event in told] == list(run.executions)
    ids = {event.execution_id for event in events if isinstance(event, (ExecutionStarted, ExecutionProgress))}
    assert ids == {run.executions[0].execution_id}
    decided = [event for event in events if isinstance(event, (ApprovalRequested, ApprovalDecided))]
    assert len(decided) == 2
    assert all(request.streamed for request in model_of(agent).requests)


@keeps("agent.stream")
async def test_a_text_is_told_piece_by_piece_and_never_as_a_whole() -> None:
    events = await heard(agent_of(["A text that comes in several pieces, one after the other."]))
    assert len(events) > 3
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == run_of(events).text
    assert not any(isinstance(event, Completed) for event in events)


async def test_a_piece_is_told_before_the_next_one_is_asked_for() -> None:
    asked: list[int] = []

    class Slow(ScriptedProvider):
        async def stream(self, messages: Any, tools: Any = (), **options: Any) -> AsyncIterator[StreamEvent]:
            for number in range(3):
                asked.append(number)
                yield TextDelta(str(number))
            yield Completed(ChatResponse(text="012"))

    seen = [list(asked) async for event in Agent(Slow(), Registry()).stream("Go.") if isinstance(event, TextDelta)]
    assert seen == [[0], [0, 1], [0, 1, 2]]


async def test_the_progress_of_a_call_is_told_while_it_runs() -> None:
    heard_of = asyncio.Event()

    async def work(context: ToolContext) -> str:
        context.report("begun")
        await within(heard_of.wait())
        return "worked"

    agent = agent_of([calling("work"), "Done."], MockTool("work", run=work))
    async for event in agent.stream("Go."):
        if isinstance(event, ExecutionProgress):
            heard_of.set()
    assert heard_of.is_set()


async def test_only_what_happens_in_this_run_is_told() -> None:
    agent = agent_of([], tool := echo())
    one, two = (
        Agent(ScriptedProvider([calling("echo"), "One."]), agent.executor.registry, executor=agent.executor),
        Agent(ScriptedProvider([calling("echo"), "Two."]), agent.executor.registry, executor=agent.executor),
    )
    first, second = await asyncio.gather(heard(one), heard(two))
    for events in (first, second):
        done = [event.execution for event in events if isinstance(event, ExecutionCompleted)]
        assert done == list(run_of(events).executions)
    assert len(tool.calls) == 2
    assert not agent.executor.events.heard, "nobody listens any more"


@keeps("agent.cancelling")
async def test_leaving_a_stream_ends_the_run_and_records_it() -> None:
    store, ended = MemoryRuns(), asyncio.Event()

    async def wait(_context: ToolContext) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.set()

    agent = agent_of([["Wait. ", *calling("wait")]], MockTool("wait", run=wait), store=store)
    stream = agent.stream("Go.", run_id="r")
    async for event in stream:
        if isinstance(event, ExecutionStarted):
            break
    await within(stream.aclose())
    assert ended.is_set()
    assert (await store.read("r")).head.status == "cancelled"
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_cancelling_whoever_listens_ends_the_run() -> None:
    store = MemoryRuns()
    agent = agent_of([None], store=store)

    async def listen() -> None:
        async for _event in agent.stream("Go.", run_id="r"):
            raise AssertionError

    task = asyncio.create_task(listen())
    await until(lambda: model_of(agent).requests)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(task)
    assert (await store.read("r")).head.status == "cancelled"


async def test_whoever_has_enough_of_waiting_for_the_end_waits_all_the_same() -> None:
    """A run that is being ended is recorded before anybody who listened goes on."""
    store, ending, release = MemoryRuns(), asyncio.Event(), asyncio.Event()

    async def wait(_context: ToolContext) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ending.set()
            await release.wait()

    agent = agent_of([calling("wait")], MockTool("wait", run=wait), store=store)

    async def listen() -> None:
        async for _event in agent.stream("Go.", run_id="r"):
            pass

    task = asyncio.create_task(listen())
    await until(lambda: agent.executor.active)
    task.cancel()
    await within(ending.wait())
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    release.set()
    with pytest.raises(asyncio.CancelledError):
        await within(task)
    assert (await store.read("r")).head.status == "cancelled"


async def test_a_run_that_is_stopped_is_told_to_its_end() -> None:
    agent = agent_of([None])
    events: list[Any] = []

    async def listen() -> None:
        events.extend([event async for event in agent.stream("Go.", run_id="r")])

    task = asyncio.create_task(listen())
    await until(lambda: model_of(agent).requests)
    agent.cancel("r")
    await within(task)
    assert run_of(events).status == "cancelled"


async def test_a_stream_that_breaks_off_ends_the_run_with_the_error() -> None:
    events = await heard(agent_of([LLMError("connection_failed", "gone")]))
    assert run_of(events).status == "provider_error"

    class Endless(ScriptedProvider):
        async def stream(self, messages: Any, tools: Any = (), **options: Any) -> AsyncIterator[StreamEvent]:
            yield TextDelta("I")

    run = run_of(await heard(Agent(Endless(), Registry())))
    assert isinstance(run.error, LLMError)
    assert run.error.code == "bad_response"


async def test_a_stream_that_is_no_generator_is_read_as_well() -> None:
    class Listed(ScriptedProvider):
        def stream(self, messages: Any, tools: Any = (), **options: Any) -> AsyncIterator[StreamEvent]:
            return Events()

    class Events:
        def __init__(self) -> None:
            self.left: list[StreamEvent] = [TextDelta("Hi."), Completed(ChatResponse(text="Hi."))]

        def __aiter__(self) -> Events:
            return self

        async def __anext__(self) -> StreamEvent:
            return self.left.pop(0)

    assert run_of(await heard(Agent(Listed(), Registry()))).text == "Hi."


async def test_wrong_use_is_refused_before_anything_is_told() -> None:
    agent = agent_of(["Hi."])
    with pytest.raises(TypeError, match="wrkspace"):
        agent.stream("Go.", wrkspace=".")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    with pytest.raises(ValueError, match="id of a run"):
        agent.stream("Go.", run_id="../run")


async def test_refused_calls_are_told_as_completed() -> None:
    events = await heard(agent_of([[ToolCall.new("ghost")], "Sorry."], echo()))
    assert [event.execution.status for event in events if isinstance(event, ExecutionCompleted)] == ["failed"]
    run_of(events)
