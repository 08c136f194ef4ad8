from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.calling import WITHIN, LibraryStop, codes, executor_of, settle, until
from tests.promises import keeps
from toolwright.execution import Execution, MemorySink
from toolwright.execution.scheduling import Claim, order
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.testing import MockTool
from toolwright.tools import ToolContext, tool


class Stage:
    """Tools that enter, wait for their cue and leave, and what was seen of it."""

    def __init__(self) -> None:
        self.cues: dict[str, asyncio.Event] = {}
        self.on: list[str] = []
        self.seen: list[str] = []

    async def play(self, context: ToolContext) -> str:
        name = str(context.arguments["as"])
        self.on.append(name)
        self.seen.append(f"+{name}")
        try:
            await self.cues.setdefault(name, asyncio.Event()).wait()
        finally:
            self.on.remove(name)
            self.seen.append(f"-{name}")
        return name

    def cue(self, name: str) -> None:
        self.cues.setdefault(name, asyncio.Event()).set()


def looks(*names: str) -> list[ToolCall]:
    return [ToolCall(f"call_{name}", "look", {"as": name}) for name in names]


def changes(*names: str, **arguments: str) -> list[ToolCall]:
    return [ToolCall(f"call_{name}", "change", {"as": name, **arguments}) for name in names]


ROLE: dict[str, Any] = {"type": "object", "properties": {"as": {"type": "string"}, "path": {"type": "string"}}}


def staged(resource: str | None = None) -> tuple[Stage, Any]:
    stage = Stage()
    look = MockTool("look", run=stage.play, constraints={"side_effects": False})
    change = MockTool("change", run=stage.play, parameters=ROLE, constraints={"resource": resource})
    return stage, executor_of(look, change, concurrency=20)


@keeps("execution.many.side_by_side")
async def test_calls_without_side_effects_run_side_by_side_and_are_answered_in_order() -> None:
    stage, executor = staged()
    answers = asyncio.create_task(executor.execute_many(looks("a", "b", "c")))
    await until(lambda: stage.on == ["a", "b", "c"])
    for name in "cba":
        stage.cue(name)
    async with asyncio.timeout(WITHIN):
        assert [each.outcome.data for each in await answers] == ["a", "b", "c"]


@keeps("execution.many.order")
async def test_a_call_with_side_effects_waits_for_all_before_it_and_those_after_wait_for_it() -> None:
    stage, executor = staged()
    answers = asyncio.create_task(executor.execute_many([*looks("a", "b"), *changes("c"), *looks("d", "e")]))
    await until(lambda: stage.on == ["a", "b"])
    stage.cue("b")
    await settle()
    assert stage.on == ["a"]
    stage.cue("a")
    await until(lambda: stage.on == ["c"])
    await settle()
    assert stage.on == ["c"]
    stage.cue("c")
    await until(lambda: stage.on == ["d", "e"])
    stage.cue("d")
    stage.cue("e")
    async with asyncio.timeout(WITHIN):
        assert codes(await answers) == ["ok"] * 5


@keeps("execution.many.resource")
async def test_calls_that_name_what_they_touch_wait_only_for_those_that_share_it() -> None:
    stage, executor = staged(resource="file:{path}")
    calls = [*changes("a", path="x"), *changes("b", path="y"), *changes("c", path="x")]
    answers = asyncio.create_task(executor.execute_many(calls))
    await until(lambda: stage.on == ["a", "b"])
    await settle()
    assert stage.on == ["a", "b"]
    stage.cue("a")
    await until(lambda: stage.on == ["b", "c"])
    stage.cue("b")
    stage.cue("c")
    async with asyncio.timeout(WITHIN):
        assert codes(await answers) == ["ok"] * 3


async def test_one_path_in_two_spellings_is_one_resource(tmp_path: Any) -> None:
    stage = Stage()
    parameters = {
        "type": "object",
        "properties": {"as": {"type": "string"}, "path": {"type": "string", "format": "path"}},
    }
    tool = MockTool("change", run=stage.play, parameters=parameters, constraints={"resource": "file:{path}"})
    (tmp_path / "link").symlink_to(tmp_path)
    executor = executor_of(tool)
    calls = [*changes("a", path="x"), *changes("b", path="./link/x")]
    answers = asyncio.create_task(executor.execute_many(calls, workspace=tmp_path))
    await until(lambda: stage.on == ["a"])
    await settle()
    assert stage.on == ["a"]
    stage.cue("a")
    stage.cue("b")
    async with asyncio.timeout(WITHIN):
        assert codes(await answers) == ["ok"] * 2


@keeps("execution.many.isolated")
@pytest.mark.parametrize("where", ["at once", "later", "in a thread"])
@pytest.mark.parametrize(
    "raised",
    [
        *(ValueError("no"), MemoryError(), StopIteration(), BaseExceptionGroup("two", [LibraryStop()])),
        *(LibraryStop(), SystemExit(3), asyncio.CancelledError(), GeneratorExit()),
    ],
    ids=repr,
)
async def test_whatever_one_call_raises_costs_only_itself(raised: BaseException, where: str) -> None:
    async def raises() -> None:
        if where == "later":
            await asyncio.sleep(0)
        raise raised

    def raises_in_a_thread() -> None:
        raise raised

    work = raises_in_a_thread if where == "in a thread" else raises
    bad = tool(work, name="bad", description="Raise it.", risk="safe", side_effects=False)
    good = MockTool("good", 1, constraints={"side_effects": False})
    executor = executor_of(bad, good)
    calls = [ToolCall.new("good"), ToolCall.new("bad"), ToolCall.new("no_such_tool"), ToolCall.new("good")]
    async with asyncio.timeout(WITHIN):
        answers = await executor.execute_many(calls)
    found = codes(answers)
    assert (found[0], found[2], found[3]) == ("ok", "tool_not_found", "ok")
    assert found[1] in ("tool_error", "cancelled")
    assert executor.active == 0


async def test_an_interrupt_by_the_user_ends_the_program_and_leaves_a_record() -> None:
    sink = MemorySink()
    executor = executor_of(MockTool.throwing("stop", KeyboardInterrupt()), audit=sink)
    with pytest.raises(KeyboardInterrupt):
        await executor.execute(ToolCall.new("stop"))
    assert [each.status for each in sink.executions] == ["cancelled"]
    assert executor.active == 0


async def test_a_call_that_is_none_and_one_that_is_refused_hold_nobody_up() -> None:
    stage, executor = staged()
    broken = InvalidToolCall("call_x", "change", "{", "the arguments are not JSON")
    answers = asyncio.create_task(executor.execute_many([broken, *looks("a"), ToolCall.new("nobody")]))
    await until(lambda: stage.on == ["a"])
    stage.cue("a")
    async with asyncio.timeout(WITHIN):
        assert codes(await answers) == ["validation_failed", "ok", "tool_not_found"]


@keeps("execution.many.told")
async def test_each_answer_is_told_once_as_soon_as_it_is_there() -> None:
    stage, executor = staged()
    told: list[tuple[int, object]] = []

    def done(place: int, execution: Execution) -> None:
        told.append((place, execution.outcome.data))

    answers = asyncio.create_task(executor.execute_many(looks("a", "b", "c"), done=done))
    await until(lambda: len(stage.on) == 3)
    for count, name in enumerate("bca", 1):
        stage.cue(name)
        await until(lambda count=count: len(told) == count)  # type: ignore[misc]
    await answers
    assert told == [(1, "b"), (2, "c"), (0, "a")]


async def test_of_a_single_call_is_told_as_well() -> None:
    told: list[int] = []
    executor = executor_of(MockTool("one", 1))
    await executor.execute_many([ToolCall.new("one")], done=lambda place, _: told.append(place))
    assert await executor.execute_many([], done=lambda place, _: told.append(place)) == []
    assert told == [0]


async def test_what_the_one_who_is_told_raises_comes_when_all_calls_have_ended() -> None:
    tools = [MockTool(f"tool_{number}", number) for number in range(4)]
    told: list[int] = []

    def done(place: int, execution: Execution) -> None:
        told.append(place)
        raise ValueError(f"no room for {place}")

    with pytest.raises(ValueError, match="no room for 0"):
        await executor_of(*tools).execute_many([ToolCall.new(f"tool_{n}") for n in range(4)], done=done)
    assert told == [0, 1, 2, 3]
    assert [len(tool.calls) for tool in tools] == [1, 1, 1, 1]


@keeps("execution.many.cancelled")
@pytest.mark.parametrize("steps", range(12))
async def test_cancelling_keeps_what_is_done_and_answers_every_call(steps: int) -> None:
    stage = Stage()
    sink = MemorySink()
    look = MockTool("look", run=stage.play, constraints={"side_effects": False})
    change = MockTool("change", run=stage.play)
    executor = executor_of(look, change, audit=sink, concurrency=20)
    stage.cue("a")
    told: dict[int, str] = {}

    def done(place: int, execution: Execution) -> None:
        assert place not in told
        told[place] = execution.outcome.error_code or "ok"

    calls = [*looks("a", "b"), *changes("c"), *looks("d")]
    answers = asyncio.create_task(executor.execute_many(calls, done=done))
    await settle(steps)
    answers.cancel()
    async with asyncio.timeout(WITHIN):
        await asyncio.wait([answers])
    assert answers.cancelled()
    if steps:  # before that, nothing had begun
        assert sorted(told) == [0, 1, 2, 3]
        assert [told[place] for place in (1, 2, 3)] == ["cancelled"] * 3
    assert len(sink.executions) == len(told)
    assert (stage.on, executor.active, executor.queued) == ([], 0, 0)


async def test_calls_whose_tasks_never_took_a_step_are_answered_when_their_loop_ends() -> None:
    stage, executor = staged()
    told: list[str] = []
    sink = MemorySink()
    executor = executor_of(*executor.registry, audit=sink, concurrency=20)
    before = asyncio.all_tasks()
    calls = [*looks("a", "b"), *changes("c")]
    answers = asyncio.create_task(
        executor.execute_many(calls, done=lambda _, each: told.append(each.outcome.error_code or "ok"))
    )
    await asyncio.sleep(0)
    for task in asyncio.all_tasks() - before:  # as a loop does that ends
        task.cancel()
    async with asyncio.timeout(WITHIN):
        await asyncio.wait([answers])
    assert (answers.cancelled(), told, stage.seen) == (True, ["cancelled"] * 3, [])
    assert [each.status for each in sink.executions] == ["cancelled"] * 3


async def test_a_single_call_that_is_cancelled_among_several_is_cancelled_as_well() -> None:
    stage, executor = staged()
    answers = asyncio.create_task(executor.execute_many(looks("a")))
    await until(lambda: stage.on == ["a"])
    answers.cancel()
    async with asyncio.timeout(WITHIN):
        await asyncio.wait([answers])
    assert (answers.cancelled(), stage.on) == (True, [])


async def test_a_tool_whose_check_breaks_everything_costs_only_its_own_call() -> None:
    def check(_arguments: Any) -> None:
        raise LibraryStop

    broken = MockTool("broken", check=check, parameters=ROLE, constraints={"resource": "file:{path}"})
    good = MockTool("good", 1)
    calls = [ToolCall.new("broken", path="x"), ToolCall.new("good"), ToolCall.new("broken", path="y")]
    answers = await executor_of(broken, good).execute_many(calls)
    assert codes(answers) == ["tool_error", "ok", "tool_error"]
    assert broken.calls == []


async def test_calls_that_only_read_a_resource_do_not_wait_for_who_changes_another_one() -> None:
    stage = Stage()
    look = MockTool("look", run=stage.play, parameters=ROLE, side_effects=False, resource="file:{path}")
    change = MockTool("change", run=stage.play, parameters=ROLE, resource="file:{path}")
    executor = executor_of(look, change, concurrency=20)
    reads = [ToolCall(f"call_{name}", "look", {"as": name, "path": path}) for name, path in (("b", "x"), ("c", "y"))]
    answers = asyncio.create_task(executor.execute_many([*changes("a", path="x"), *reads]))
    await until(lambda: stage.on == ["a", "c"])
    await settle()
    assert stage.on == ["a", "c"]
    for name in "abc":
        stage.cue(name)
    async with asyncio.timeout(WITHIN):
        assert codes(await answers) == ["ok"] * 3


@keeps("execution.cancel")
async def test_calls_that_are_ended_by_session_answer_that_they_were_cancelled() -> None:
    stage, executor = staged()
    answers = asyncio.create_task(executor.execute_many([*looks("a", "b"), *changes("c")], session="s"))
    others = asyncio.create_task(executor.execute_many(looks("x"), session="t"))
    await until(lambda: len(stage.on) == 3)
    assert executor.cancel(session="s") == 3
    async with asyncio.timeout(WITHIN):
        assert codes(await answers) == ["cancelled"] * 3
    stage.cue("x")
    assert codes(await others) == ["ok"]


async def test_a_wrong_call_or_option_is_an_error_before_anything_runs() -> None:
    tool = MockTool("one", 1)
    executor = executor_of(tool)
    with pytest.raises(TypeError):
        await executor.execute_many([ToolCall.new("one"), "one"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="colour"):
        await executor.execute_many([ToolCall.new("one")], colour="red")  # type: ignore[call-arg]
    assert tool.calls == []


CLAIMS = st.lists(
    st.builds(Claim, st.booleans(), st.one_of(st.none(), st.sampled_from(["file:a", "file:b"]))), max_size=12
)


@given(CLAIMS)
def test_calls_that_could_clash_never_overlap_and_all_others_may(claims: list[Claim]) -> None:
    waits = order(claims)
    for place, claim in enumerate(claims):
        assert all(earlier < place for earlier in waits[place])
        for earlier, other in enumerate(claims[:place]):
            changes_something = claim.side_effects or other.side_effects
            apart = None not in (claim.resource, other.resource) and claim.resource != other.resource
            assert (earlier in waits[place]) == (changes_something and not apart)
