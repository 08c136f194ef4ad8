"""Whatever a model answers, whatever breaks, and whenever somebody has had enough: the transcript is whole."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.running import WITHIN, check, check_records, until
from tests.promises import keeps
from toolwright.agent import Agent, MemoryRuns, Run, RunCompleted
from toolwright.errors import LLMError
from toolwright.execution import Execution, Executor, Intent
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.providers import ChatResponse, Usage
from toolwright.registry import Registry
from toolwright.testing import MockTool, ScriptedProvider
from toolwright.tools import ToolContext
from toolwright.transcript import Record

IDS = st.sampled_from(["call_1", "call_2", "call_1_2", "x"])
NAMES = st.sampled_from(["look", "change", "boom", "hang", "slow", "picky", "ghost", "find_tools"])
CALLS = st.builds(ToolCall, IDS, NAMES, st.dictionaries(st.sampled_from(["n", "query"]), st.integers(0, 2), max_size=2))
INVALID = st.builds(InvalidToolCall, IDS, NAMES, st.sampled_from(["", "{", "[1]"]), st.just("this is not JSON"))
TEXTS = st.none() | st.sampled_from(["", "Let me see.", '{"n": 1}'])
FINISHES: Any = st.sampled_from(["stop", "tool_calls", "length", "content_filter", "error"])
ANSWERS = st.builds(
    ChatResponse,
    text=TEXTS,
    tool_calls=st.lists(CALLS, max_size=4).map(tuple),
    invalid_tool_calls=st.lists(INVALID, max_size=2).map(tuple),
    finish_reason=FINISHES | st.just("tool_calls") | st.just("tool_calls"),
    refusal=st.none() | st.none() | st.none() | st.just("No."),
    usage=st.builds(Usage, input_tokens=st.none() | st.integers(0, 9)),
)
FAULTS: Any = st.sampled_from([LLMError("timeout", "it took too long"), RuntimeError("a broken provider"), None])
CALLING = st.builds(
    ChatResponse,
    text=TEXTS,
    tool_calls=st.lists(CALLS, min_size=1, max_size=4).map(tuple),
    finish_reason=st.just("tool_calls"),
)
# Mostly what goes on for some turns: most of the rest ends a run at once.
SCRIPTS = st.builds(lambda calls, rest: [*calls, *rest], st.lists(CALLING, max_size=3), st.lists(ANSWERS | FAULTS))


class FailingRuns(MemoryRuns):
    """Fails from one write on."""

    def __init__(self, good: int) -> None:
        super().__init__()
        self.good = good

    async def append(self, run_id: str, records: Sequence[Record], /, *, epoch: int) -> None:
        await asyncio.sleep(0)
        self.good -= 1
        if self.good < 0:
            raise OSError("no space left")
        await super().append(run_id, records, epoch=epoch)


class FailingSink:
    """Fails each time that it is told of a start or an end, from one time on."""

    def __init__(self, good: int) -> None:
        self.good = good

    async def started(self, intent: Intent) -> None:
        self.fail()

    async def finished(self, execution: Execution) -> None:
        self.fail()

    def fail(self) -> None:
        self.good -= 1
        if self.good < 0:
            raise OSError("no space left")


def tools() -> list[MockTool]:
    async def hang(_context: ToolContext) -> None:
        await asyncio.get_running_loop().create_future()

    async def slow(_context: ToolContext) -> str:
        for _ in range(5):
            await asyncio.sleep(0)
        return "slowly"

    reading: Any = {"side_effects": False}
    return [
        MockTool("look", ["a", "b"], constraints=reading),
        MockTool("change", "changed"),
        MockTool.throwing("boom", ValueError("boom")),
        MockTool("hang", run=hang, constraints=reading),
        MockTool("slow", run=slow),
        MockTool("picky", "fine", parameters={"type": "object", "properties": {"n": {"const": 1}}, "required": ["n"]}),
    ]


def agent_for(script: list[Any], store: MemoryRuns, sink: FailingSink | None) -> Agent:
    registry = Registry(tools())
    registry.register(registry.search_tool())
    executor = Executor(registry, audit=sink)
    return Agent(ScriptedProvider(script), registry, executor=executor, store=store, max_turns=4, max_tool_calls=8)


async def ended(agent: Agent, store: MemoryRuns, patience: int, how: str, final: Any) -> Run | None:
    """Run, end it after so many rounds of the loop in one of three ways, and return what came of it."""
    task: asyncio.Task[Run | None]
    if how == "stream":
        task = asyncio.create_task(streamed(agent, final))
    else:
        task = asyncio.create_task(agent.run("Go.", run_id="r", final=final))
    for _ in range(patience):
        await asyncio.sleep(0)
    if how == "stop":
        await until(lambda: task.done() or agent.cancel("r"))
    else:
        task.cancel()
    await asyncio.wait([task], timeout=WITHIN)
    assert task.done()
    return None if task.cancelled() else task.result()


async def streamed(agent: Agent, final: Any) -> Run | None:
    last: object = None
    async for event in agent.stream("Go.", run_id="r", final=final):
        last = event
    assert isinstance(last, RunCompleted)
    return last.run


@keeps("agent.ends.transcript", "agent.cancelling")
@settings(max_examples=200)
@given(
    script=SCRIPTS,
    patience=st.integers(0, 150) | st.just(1_000),
    how=st.sampled_from(["stop", "cancel", "stream"]),
    writes=st.none() | st.none() | st.none() | st.integers(0, 6),
    sink=st.none() | st.none() | st.integers(0, 6),
    final=st.sampled_from([None, None, dict[str, int]]),
)
def test_whatever_happens_each_call_has_one_answer_and_the_transcript_is_legal(
    script: list[Any], patience: int, how: str, writes: int | None, sink: int | None, final: Any
) -> None:
    store = MemoryRuns() if writes is None else FailingRuns(writes)
    failing = None if sink is None else FailingSink(sink)

    async def go() -> None:
        agent = agent_for(script, store, failing)
        run = await ended(agent, store, patience, how, final)
        heads = await store.list()
        if run is not None:
            check(run)
        if heads and writes is None:
            stored = await store.read("r")
            assert stored.head.state == "ended"
            check_records(stored.records)
            assert run is None or (run.records == stored.records and run.status == stored.head.status)
            again = await agent.resume("r", final=final)
            assert again.records == stored.records
            assert run is None or (again.conversation, again.usage, again.text) == (
                run.conversation,
                run.usage,
                run.text,
            )
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(go())
