"""Runs that are taken up again after a crash: from their records alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agent.running import agent_of, check, check_records, codes, echo, model_of, results, until, within
from tests.promises import keeps
from toolwright.agent import Agent, JsonLinesRuns, MemoryRuns, RunHead, StoredRun
from toolwright.agent.journal import Journal
from toolwright.agent.saving import Saver
from toolwright.errors import LLMError, RunError
from toolwright.execution import Executor
from toolwright.messages import InvalidToolCall, ToolCall, user
from toolwright.providers import ChatResponse, Usage
from toolwright.registry import Registry
from toolwright.testing import MockTool, ScriptedProvider
from toolwright.tools import FunctionTool, ToolContext, ToolOutcome, tool
from toolwright.transcript import Record

WRITE = ToolCall("call_w", "write", {"text": "x"})
READ = ToolCall("call_r", "echo", {"q": "x"})


class Batches(MemoryRuns):
    """Remembers the writes of each run, so that one can be cut off after any of them."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[tuple[Record, ...]] = []
        self.heads: list[RunHead] = []

    async def begin(self, head: RunHead, records: Sequence[Record], /) -> int:
        self.heads.append(head)
        self.writes.append(tuple(records))
        return await super().begin(head, records)

    async def append(self, run_id: str, records: Sequence[Record], /, *, epoch: int) -> None:
        self.writes.append(tuple(records))
        await super().append(run_id, records, epoch=epoch)

    async def crashed_after(self, writes: int) -> MemoryRuns:
        """Return a store as a crash would have left it."""
        store = MemoryRuns()
        await store.begin(self.heads[0], [record for write in self.writes[:writes] for record in write])
        return store


async def crashed(records_of: Sequence[object], kept: int, *tools: MockTool, **options: Any) -> MemoryRuns:
    """Return a store with a run of such answers, of which only so many records were kept."""
    batches = Batches()
    agent = agent_of(records_of, *tools, store=batches, **options)
    await within(agent.run("Go.", run_id="r", session="s"))
    store = MemoryRuns()
    records = [record for write in batches.writes for record in write]
    await store.begin(batches.heads[0], records[:kept])
    return store


@keeps("agent.resume")
async def test_a_run_that_broke_off_while_the_model_was_asked_goes_on() -> None:
    store = await crashed(["Hi."], 1)
    run = await within(agent_of(["Hello."], store=store).resume("r"))
    assert (run.id, run.status, run.text) == ("r", "completed", "Hello.")
    assert (await store.read("r")).head.status == "completed"
    check(run)


@keeps("agent.resume.safe_again")
async def test_a_call_without_side_effects_is_run_again() -> None:
    store = await crashed([READ, "Done."], 2, echo())
    agent = agent_of(["Done."], seen := echo(), store=store)
    run = await within(agent.resume("r"))
    assert (run.status, len(seen.calls), codes(run)) == ("completed", 1, ["ok"])
    assert (seen.contexts[0].attempt, seen.contexts[0].session_id) == (2, "s")
    check(run)


async def test_a_call_with_a_key_is_run_again_with_the_same_key() -> None:
    first, second = (MockTool("write", constraints={"idempotency_key": True}) for _ in range(2))
    store = await crashed([WRITE, "Done."], 2, first)
    await within(agent_of(["Done."], second, store=store).resume("r"))
    assert second.contexts[0].execution_id == first.contexts[0].execution_id
    assert (first.contexts[0].attempt, second.contexts[0].attempt) == (1, 2)


@keeps("agent.unknown.tell", "agent.resume.never_twice")
async def test_of_a_call_that_may_have_happened_the_model_is_told() -> None:
    store = await crashed([WRITE, "Done."], 2, MockTool("write"))
    agent = agent_of(["I will look."], seen := MockTool("write"), store=store, unknown="tell")
    run = await within(agent.resume("r"))
    assert (run.status, seen.calls, run.executions) == ("completed", [], ())
    assert "Nobody knows whether this call was carried out" in results(run)[0]
    assert run.records[2].data["error_code"] == "unknown_outcome"
    assert run.records[2].data["status"] == "unknown"
    check(run)


@keeps("agent.unknown.rerun")
async def test_a_call_that_may_have_happened_is_run_again_where_the_agent_says_so() -> None:
    store = await crashed([WRITE, "Done."], 2, MockTool("write"))
    agent = agent_of(["Done."], seen := MockTool("write"), store=store, unknown="rerun")
    run = await within(agent.resume("r"))
    assert (run.status, len(seen.calls), seen.contexts[0].attempt) == ("completed", 1, 2)
    check(run)


@keeps("agent.unknown.ask", "agent.ends.waiting")
@pytest.mark.parametrize(
    ("verdict", "runs", "words"),
    [
        ("happened", 0, "This call was carried out"),
        ("did_not_happen", 0, "Not run: the program was interrupted"),
        ("run_again", 1, "written"),
    ],
)
async def test_of_a_call_that_may_have_happened_a_person_is_asked(verdict: Any, runs: int, words: str) -> None:
    store = await crashed([[READ, WRITE], "Done."], 3, echo(), MockTool("write"))
    agent = agent_of(["Done."], echo(), seen := MockTool("write", "written"), store=store)
    waiting = await within(agent.resume("r"))
    assert (waiting.status, waiting.text, seen.calls) == ("waiting", "", [])
    assert [call.id for call in waiting.conversation.pending_calls] == ["call_r", "call_w"]
    head = (await store.read("r")).head
    assert (head.state, head.status) == ("waiting", "waiting")
    assert (await within(agent.resume("r"))).status == "waiting", "however often it is asked"
    run = await within(agent.resume("r", decided={"call_w": verdict}))
    assert (run.status, len(seen.calls)) == ("completed", runs)
    assert words in results(run)[1]
    check(run)


async def test_a_waiting_run_keeps_the_results_that_it_has() -> None:
    store = await crashed([[READ, WRITE], "Done."], 4, echo(), MockTool("write"))
    agent = agent_of(["Done."], seen := echo(), MockTool("write"), store=store)
    waiting = await within(agent.resume("r"))
    assert [call.id for call in waiting.conversation.pending_calls] == ["call_w"]
    assert results(waiting) == ["an echo"]
    run = await within(agent.resume("r", decided={"call_w": "happened"}))
    assert (run.status, seen.calls) == ("completed", [])
    check(run)


def reconciling(said: Any) -> tuple[FunctionTool[..., Any], list[ToolContext]]:
    """Return a tool with effects that says what became of a call, and what it was asked with."""
    asked: list[ToolContext] = []

    async def reconcile(context: ToolContext) -> ToolOutcome | None:
        asked.append(context)
        if isinstance(said, Exception):
            raise said
        outcome: ToolOutcome | None = said
        return outcome

    @tool(name="write", risk="safe", reconcile=reconcile)
    def write(text: str, mode: str = "plain") -> str:
        """Write a text."""
        return f"{text} was written again"

    return write, asked


@keeps("agent.resume.reconcile")
@pytest.mark.parametrize(
    ("said", "words"),
    [(ToolOutcome.ok("it was written"), "it was written"), (None, "x was written again")],
    ids=["it happened", "it did not"],
)
async def test_a_tool_that_can_find_out_is_asked_what_became_of_its_call(said: Any, words: str) -> None:
    store = await crashed([[READ, WRITE], "Done."], 3, echo(), MockTool("write"))
    write, asked = reconciling(said)
    agent = agent_of(["Done."], echo(), write, store=store)
    run = await within(agent.resume("r", services={str: "lent"}, workspace="."))
    assert (run.status, words in results(run)[1]) == ("completed", True)
    assert dict(asked[0].arguments) == {"text": "x", "mode": "plain"}
    assert (asked[0].session_id, asked[0].attempt, asked[0].services.get(str)) == ("s", 2, "lent")
    assert {execution.call.id for execution in run.executions} == {"call_r", "call_w"}
    check(run)


async def test_a_run_that_is_taken_up_has_no_more_grants_than_it_had() -> None:
    batches = Batches()
    needy = echo(permissions=["tool.filesystem.read"])
    await within(agent_of([READ, "Done."], needy, store=batches).run("Go.", run_id="r", grants=(x for x in ["a.b"])))
    store = MemoryRuns()
    await store.begin(batches.heads[0], [record for write in batches.writes for record in write][:2])
    run = await within(agent_of(["Hm."], needy, store=store).resume("r"))
    assert (codes(run), needy.calls) == (["permission_denied"], [])
    store = MemoryRuns()
    await store.begin(batches.heads[0], [record for write in batches.writes for record in write][:2])
    run = await within(agent_of(["Hm."], needy, store=store).resume("r", grants=["tool.filesystem.read"]))
    assert codes(run) == ["ok"]


async def test_all_calls_that_were_cut_off_may_have_happened() -> None:
    store = await crashed([WRITE, "Done."], 2, MockTool("write"))
    write, _ = reconciling(ToolOutcome.ok("it was written"))
    run = await within(agent_of(["Done."], write, store=store).resume("r"))
    assert (run.status, codes(run)) == ("completed", ["ok"])
    check(run)


@pytest.mark.parametrize("said", [OSError("gone"), "no outcome"], ids=["it fails", "it says nothing of use"])
async def test_a_tool_that_cannot_find_out_leaves_the_call_in_doubt(said: Any) -> None:
    store = await crashed([WRITE, "Done."], 2, MockTool("write"))
    write, asked = reconciling(said)
    agent = agent_of(["Done."], write, store=store)
    assert (await within(agent.resume("r"))).status == "waiting"
    run = await within(agent.resume("r", decided={"call_w": "happened"}))
    assert (run.status, len(asked)) == ("completed", 1), "who has been told does not ask"


async def test_a_run_that_could_not_be_taken_up_as_it_was_wanted_is_let_go(tmp_path: Path) -> None:
    store = JsonLinesRuns(tmp_path)
    kept = await crashed([WRITE, "Done."], 2, MockTool("write"))
    stored = await kept.read("r")
    await store.end("r", "waiting", epoch=await store.begin(stored.head, stored.records))
    agent = agent_of(["Done."], MockTool("write"), store=store)
    with pytest.raises(ValueError, match="nobody"):
        await agent.resume("r", decided={"nobody": "happened"})
    with pytest.raises(TypeError, match="wrkspace"):
        await agent.resume("r", wrkspace=".")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    assert (await within(agent.resume("r", decided={"call_w": "happened"}))).status == "completed"


async def test_a_decision_about_no_such_call_or_in_no_such_word_is_refused() -> None:
    store = await crashed([[READ, WRITE], "Done."], 3, echo(), MockTool("write"))
    agent = agent_of(["Done."], echo(), MockTool("write"), store=store)
    with pytest.raises(ValueError, match="call_r"):
        await agent.resume("r", decided={"call_r": "happened"})
    with pytest.raises(ValueError, match="did_not_happen"):
        await agent.resume("r", decided={"call_w": "perhaps"})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    assert (await within(agent.resume("r", decided={"call_w": "happened"}))).status == "completed"


async def test_a_call_that_is_not_to_be_run_is_in_no_doubt() -> None:
    """Nobody has to decide about calls that were cut off at the length limit: they were never begun."""
    cut = ChatResponse(tool_calls=(WRITE,), finish_reason="length")
    store = await crashed([cut, "Done."], 2, MockTool("write"))
    run = await within(agent_of(["Done."], seen := MockTool("write"), store=store).resume("r"))
    assert (run.status, seen.calls) == ("completed", [])
    assert "length limit" in results(run)[0]


async def test_a_tool_that_is_gone_is_not_found() -> None:
    store = await crashed([WRITE, "Done."], 2, MockTool("write"))
    run = await within(agent_of(["Pity."], echo(), store=store).resume("r"))
    assert codes(run) == ["tool_not_found"]


async def test_a_run_that_has_ended_is_only_returned() -> None:
    store = MemoryRuns()
    agent = agent_of([READ, ChatResponse(text='{"value": 3}', usage=Usage(input_tokens=5))], echo(), store=store)
    before = await within(agent.run("Go.", run_id="r", final=int))
    after = await within(agent.resume("r", final=int))
    assert (after.status, after.text, after.value, after.usage) == ("completed", '{"value": 3}', 3, before.usage)
    assert (after.records, after.conversation) == (before.records, before.conversation)
    assert len(model_of(agent).requests) == 2
    check(after)


async def test_two_who_take_up_one_run_do_not_both_write() -> None:
    store = await crashed([READ, "Done."], 2, echo())
    release = asyncio.Event()

    async def wait(_context: object) -> str:
        await release.wait()
        return "late"

    slow = agent_of(["Mine."], echo(run=wait), store=store)
    task = asyncio.create_task(slow.resume("r"))
    await until(lambda: slow.executor.active)
    quick = await within(agent_of(["Mine!"], echo(), store=store).resume("r"))
    release.set()
    lost = await within(task)
    assert isinstance(lost.error, RunError)
    assert (quick.status, lost.status, lost.error.code) == ("completed", "failed", "run_lost")
    stored = await store.read("r")
    assert stored.records == quick.records
    check_records(stored.records)


async def test_cancelling_a_run_that_was_taken_up_ends_its_call() -> None:
    store = await crashed([READ, "Done."], 2, echo())

    async def hang(_context: object) -> None:
        await asyncio.get_running_loop().create_future()

    agent = agent_of([], echo(run=hang), store=store)
    task = asyncio.create_task(agent.resume("r"))
    await until(lambda: agent.executor.active)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(task)
    stored = await store.read("r")
    assert (stored.head.status, stored.records[-1].data["status"]) == ("cancelled", "cancelled")
    check_records(stored.records)


async def test_what_was_found_before_the_crash_is_still_offered() -> None:
    weather = MockTool("weather_now", "sunny", description="Tell the weather.", constraints={"side_effects": False})
    registry = Registry([weather])
    registry.register(registry.search_tool())
    find = ToolCall("call_f", "find_tools", {"query": "weather"})
    offer = registry.toolset(names={"find_tools"})
    batches = Batches()
    await within(Agent(ScriptedProvider([find, "Done."]), registry, offer=offer, store=batches).run("Go.", run_id="r"))
    store = MemoryRuns()
    await store.begin(batches.heads[0], [record for write in batches.writes for record in write][:3])
    agent = Agent(
        ScriptedProvider([ToolCall("call_w", "weather_now", {}), "Done."]), registry, offer=offer, store=store
    )
    assert codes(await within(agent.resume("r"))) == ["ok"]
    assert model_of(agent).requests[0].tool_names == ("find_tools", "weather_now")


async def test_a_call_of_what_is_not_offered_is_not_found_after_a_crash_either() -> None:
    store = await crashed([READ, "Done."], 2, echo())
    registry = Registry([seen := echo(), echo("other")])
    agent = Agent(ScriptedProvider(["Hm."]), registry, offer=registry.toolset(names={"other"}), store=store)
    run = await within(agent.resume("r"))
    assert (codes(run), seen.calls) == (["tool_not_found"], [])


async def test_an_agent_without_a_store_has_no_run_to_take_up() -> None:
    with pytest.raises(ValueError, match="store"):
        await agent_of([]).resume("r")
    with pytest.raises(RunError, match="no run") as caught:
        await agent_of([], store=MemoryRuns()).resume("r")
    assert caught.value.code == "run_not_found"


async def test_records_that_are_not_those_of_the_run_are_refused() -> None:
    store = MemoryRuns()
    await store.begin(RunHead(id="r", created_at=datetime.now(UTC)), [Record("user", "Go.")])
    with pytest.raises(RunError, match="not its own") as caught:
        await agent_of([], store=store).resume("r")
    assert caught.value.code == "run_unreadable"


DAMAGE: list[Any] = [None, -1, "", "x", True, [], {}, [1], {"a": 1}, "call_w", "assistant", "stop", ...]
LEAVES = st.tuples(st.integers(0, 99), st.integers(0, 99), st.sampled_from(DAMAGE))


@keeps("agent.resume.records")
@given(kept=st.integers(2, 8), damages=st.lists(LEAVES, min_size=1, max_size=3))
def test_records_that_were_damaged_are_refused_or_read(kept: int, damages: list[tuple[int, int, Any]]) -> None:
    """Whatever happened to them: no other exception comes out, and what is read is a legal conversation."""

    async def go() -> None:
        script = [[WRITE, READ], [ToolCall("call_n", "nope", {})], "Done."]
        whole = await crashed(script, kept, echo(), MockTool("write"))
        stored = await whole.read("r")
        records = [Record(each.kind, each.content, each.data) for each in stored.records]
        for place, key, value in damages:
            record = records[place % len(records)]
            data = dict(record.data)
            if data:
                name = sorted(data)[key % len(data)]
                data = {**data, name: value} if value is not ... else {k: v for k, v in data.items() if k != name}
            records[place % len(records)] = Record(record.kind, record.content, data)
        store = MemoryRuns()
        await store.begin(stored.head, records)
        agent = agent_of(["Done."] * 5, echo(), MockTool("write"), store=store, unknown="tell")
        with suppress(RunError):
            run = await within(agent.resume("r"))
            run.conversation.validate()
            return
        assert (await store.read("r")).head.state == "waiting"

    asyncio.run(go())


# A store that fails


class Broken(MemoryRuns):
    """Cannot do one thing."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what

    async def begin(self, head: RunHead, records: Sequence[Record], /) -> int:
        self.fail("begin")
        return await super().begin(head, records)

    async def append(self, run_id: str, records: Sequence[Record], /, *, epoch: int) -> None:
        self.fail("append")
        await super().append(run_id, records, epoch=epoch)

    async def end(self, run_id: str, status: str, /, *, epoch: int, error: str | None = None) -> None:
        self.fail("end")
        await super().end(run_id, status, epoch=epoch, error=error)

    def fail(self, what: str) -> None:
        if what == self.what:
            raise OSError("no space left on the disk")


@keeps("agent.turn.recorded_first")
@pytest.mark.parametrize("what", ["begin", "append", "end"])
async def test_a_run_whose_store_fails_is_failed_and_runs_nothing_unrecorded(what: str) -> None:
    agent = agent_of([WRITE, "Done."], seen := MockTool("write"), store=Broken(what))
    run = await within(agent.run("Go.", run_id="r"))
    assert (run.status, type(run.error)) == ("failed", OSError)
    assert len(seen.calls) == (1 if what == "end" else 0)
    assert len(model_of(agent).requests) == {"begin": 0, "append": 1, "end": 2}[what]
    check(run)


async def test_a_cancelled_run_whose_store_fails_is_cancelled_all_the_same() -> None:
    agent = agent_of([None], store=Broken("end"))
    task = asyncio.create_task(agent.run("Go."))
    await until(lambda: model_of(agent).requests)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(task)


async def test_a_run_of_an_id_that_is_taken_is_failed() -> None:
    store = MemoryRuns()
    agent = agent_of(["Hi.", "Hi."], store=store)
    await within(agent.run("Go.", run_id="r"))
    again = await within(agent.run("Go.", run_id="r"))
    assert isinstance(again.error, RunError)
    assert (again.status, again.error.code) == ("failed", "run_exists")
    assert (await store.read("r")).head.status == "completed"


async def test_a_list_of_runs_says_how_they_ended() -> None:
    store = MemoryRuns()
    agent = agent_of(["Hi.", LLMError("timeout", "too slow")], store=store)
    await within(agent.run("One", run_id="a", workspace=".", session="s"))
    await within(agent.run("Two " * 100, run_id="b"))
    second, first = await store.list()
    assert (first.title, first.status, first.model, first.session) == ("One", "completed", "scripted", "s")
    assert first.workspace is not None
    assert (second.status, second.error, len(second.title)) == ("provider_error", "LLMError", 100)


class Stuck(MemoryRuns):
    """Never comes back from one thing."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what

    async def begin(self, head: RunHead, records: Sequence[Record], /) -> int:
        await self.hang("begin")
        return await super().begin(head, records)

    async def append(self, run_id: str, records: Sequence[Record], /, *, epoch: int) -> None:
        await self.hang("append")
        await super().append(run_id, records, epoch=epoch)

    async def end(self, run_id: str, status: str, /, *, epoch: int, error: str | None = None) -> None:
        await self.hang("end")

    async def hang(self, what: str) -> None:
        if what == self.what:
            await asyncio.get_running_loop().create_future()


@pytest.mark.parametrize("what", ["begin", "append", "end"])
async def test_a_store_that_does_not_answer_is_waited_for_so_long_and_no_longer(what: str) -> None:
    journal = Journal()
    saver = Saver(Stuck(what), "r", journal, patience=0.01)

    async def all_of_it() -> None:
        await saver.begin(RunHead(id="r", created_at=datetime.now(UTC)))
        journal.add(user("Go."))
        await saver.written()
        await saver.end("completed", None)

    with pytest.raises(TimeoutError, match=r"the store of runs has not answered within 0\.01 s"):
        await within(all_of_it())


async def test_a_time_limit_of_the_store_itself_is_passed_on_as_it_is() -> None:
    class Own(MemoryRuns):
        async def begin(self, head: RunHead, records: Sequence[Record], /) -> int:
            raise TimeoutError("the database is busy")

    run = await within(agent_of([], store=Own()).run("Go."))
    assert (run.status, str(run.error)) == ("failed", "the database is busy")


# The law

CALLS = st.builds(ToolCall, st.sampled_from(["a", "b"]), st.sampled_from(["echo", "write", "ghost"]), st.just({"n": 1}))
WRONG = st.builds(InvalidToolCall, st.sampled_from(["a", "c"]), st.just("echo"), st.just("{"), st.just("not JSON"))
ANSWERS = st.builds(
    ChatResponse,
    text=st.none() | st.just("Hm."),
    tool_calls=st.lists(CALLS, min_size=1, max_size=3).map(tuple),
    invalid_tool_calls=st.lists(WRONG, max_size=1).map(tuple),
    finish_reason=st.sampled_from(["tool_calls", "tool_calls", "tool_calls", "length"]),
    usage=st.builds(Usage, input_tokens=st.integers(0, 5)),
)


def answers_in(stored: StoredRun) -> int:
    return sum("ending" in record.data for record in stored.records)


@keeps("agent.resume.records")
@given(
    answers=st.lists(ANSWERS, max_size=5),
    cut=st.integers(0, 20),
    final=st.sampled_from([["Done."], ['{"a": 1}'], ["It is 1.", '{"a": 1}'], ["1", "2", "3"]]),
)
def test_a_run_that_is_cut_off_anywhere_ends_as_if_it_had_not_been(
    answers: list[ChatResponse], cut: int, final: list[str]
) -> None:
    """But for calls that are made again: the same answers give the same status, usage, text and messages."""
    script = [*answers, *final]
    form = None if final == ["Done."] else dict[str, int]

    def agent_for(script: Sequence[object], store: MemoryRuns) -> Agent:
        registry = Registry([echo(), MockTool("write", "written")])
        executor = Executor(registry)
        limits: Any = {"max_turns": 5, "max_tool_calls": 6, "unknown": "rerun"}
        return Agent(ScriptedProvider(script), registry, executor=executor, store=store, **limits)

    async def go() -> None:
        batches = Batches()
        whole = await agent_for(script, batches).run("Go.", run_id="r", final=form)
        check(whole)
        store = await batches.crashed_after(1 + cut % len(batches.writes))
        left = script[answers_in(await store.read("r")) :]
        run = await agent_for(left, store).resume("r", final=form)
        check(run)
        assert (run.status, run.text, run.usage, run.value) == (whole.status, whole.text, whole.usage, whole.value)
        assert run.conversation == whole.conversation
        assert (await store.read("r")).records == run.records

    asyncio.run(go())
