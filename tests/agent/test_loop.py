"""How runs go, and how they end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Sequence
from typing import Any, cast

import pytest

from tests.agent.running import (
    WITHIN,
    agent_of,
    calling,
    check,
    codes,
    echo,
    model_of,
    ran,
    results,
    until,
    within,
)
from tests.promises import keeps
from toolwright.agent import Agent, MemoryRuns, RunLimits
from toolwright.conversation import Conversation
from toolwright.errors import ConversationOrderError, LLMError
from toolwright.execution import Execution, Executor, Policy, deny_all
from toolwright.messages import (
    ChatMessage,
    InvalidToolCall,
    MessageRole,
    ToolCall,
    assistant,
    system,
    user,
)
from toolwright.providers import ChatResponse, Usage
from toolwright.registry import Registry
from toolwright.testing import MockTool, ScriptedProvider
from toolwright.tools import ToolContext, ToolOutcome
from toolwright.transcript import Record

# What a run is


@keeps("agent.tour", "agent.ends.completed")
async def test_a_model_calls_a_tool_and_answers_with_what_it_read() -> None:
    tool = MockTool.succeeding("echo", data={"value": 42})
    scripted = ScriptedProvider([ToolCall.new("echo"), "It is 42."])
    run = await within(Agent(scripted, Registry([tool])).run("What is it?"))
    assert (run.text, run.status, tool.calls[0].name) == ("It is 42.", "completed", "echo")
    assert [record.kind for record in run.records] == ["user", "tool_call", "tool_result", "assistant"]
    assert [message.role.value for message in run.conversation] == ["user", "assistant", "tool", "assistant"]
    assert [execution.tool_name for execution in run.executions] == ["echo"]
    assert '"value": 42' in results(run)[0] or '"value":42' in results(run)[0]
    scripted.assert_done()
    check(run)


async def test_the_model_is_asked_again_with_the_results_of_its_calls() -> None:
    agent = agent_of([["Let me see. ", *calling("echo", "echo")], "Done."], echo(), system="Be brief.")
    run = await within(agent.run("Go."))
    first, second = model_of(agent).requests
    assert [message.role.value for message in first.messages] == ["system", "user"]
    assert first.tool_names == ("echo",)
    assert second.messages == run.conversation.messages[:-1]
    assert run.conversation[2].content == "Let me see. "
    check(run)


@keeps("agent.system")
async def test_a_run_needs_no_system_message() -> None:
    agent = agent_of(["Hello."])
    run = await within(agent.run("Hi."))
    assert [message.role.value for message in run.conversation] == ["user", "assistant"]


@keeps("agent.executor")
async def test_an_agent_without_an_executor_has_one_over_its_registry() -> None:
    registry = Registry([echo()])
    assert Agent(ScriptedProvider(), registry).executor.registry is registry
    executor = Executor(registry)
    assert Agent(ScriptedProvider(), registry, executor=executor).executor is executor
    with pytest.raises(ValueError, match="another registry"):
        Agent(ScriptedProvider(), Registry([echo()]), executor=executor)


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"provider": "openai:gpt"}, TypeError, r"tw\.provider"),
        ({"max_turns": 0}, ValueError, "max_turns"),
        ({"timeout": -1}, ValueError, "timeout"),
        ({"unknown": "guess"}, ValueError, "unknown"),
        ({"store": 5}, TypeError, r"tw\.JsonLinesRuns"),
        ({"prepare": "shorter"}, TypeError, "prepare"),
    ],
)
def test_an_agent_that_cannot_work_is_refused_when_it_is_made(
    options: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        Agent(**{"provider": ScriptedProvider(), "registry": Registry(), **options})


@keeps("agent.run_sync")
def test_code_without_a_loop_runs_an_agent() -> None:
    run = agent_of([ToolCall.new("echo"), "Done."], echo()).run_sync("Go.", session="s")
    assert (run.status, run.text, run.executions[0].session) == ("completed", "Done.", "s")


# The conversation


@keeps("agent.conversation.kept")
async def test_a_conversation_that_is_handed_in_stays_as_it_was() -> None:
    before = Conversation([system("Be rude."), user("Hi."), assistant("What?")])
    messages = before.messages
    agent = agent_of(["Go away."], system="Be kind.")
    run = await within(agent.run("Please.", conversation=before))
    assert before.messages == messages
    assert run.conversation.messages == (*messages, user("Please."), assistant("Go away."))
    assert model_of(agent).requests[0].messages[0] == system("Be rude.")
    check(run)


async def test_a_run_goes_on_from_the_conversation_of_another() -> None:
    agent = agent_of([[*calling("echo")], "One.", [*calling("echo")], "Two."], echo(), system="Be brief.")
    first = await within(agent.run("Go."))
    second = await within(agent.run("Again.", conversation=first.conversation))
    assert second.conversation.messages[:5] == first.conversation.messages
    assert [record.data.get("response") for record in second.records if record.kind == "tool_call"] == [1, 2]
    assert len(second.executions) == 1
    check(second)


@keeps("agent.conversation.joined")
async def test_a_prompt_after_an_unanswered_one_is_joined_to_it() -> None:
    before = Conversation([system("Be brief."), user("What is 2 + 2?")])
    agent = agent_of(["4 and 6."])
    run = await within(agent.run("And 3 + 3?", conversation=before))
    assert run.conversation[1].content == "What is 2 + 2?\n\nAnd 3 + 3?"
    assert [record.kind for record in run.records] == ["system", "user", "user", "assistant"]
    assert len(before) == 2
    check(run)


async def test_an_empty_conversation_gets_the_system_message_of_the_agent() -> None:
    run = await within(agent_of(["Hi."], system="Be kind.").run("Hello.", conversation=Conversation()))
    assert run.conversation[0] == system("Be kind.")
    with pytest.raises(ConversationOrderError, match="system"):
        await agent_of(["Hi."]).run("Hello.", conversation=Conversation())


async def test_a_conversation_with_open_calls_is_refused() -> None:
    before = Conversation([user("Hi."), assistant(None, calling("echo"))], require_system=False)
    with pytest.raises(ConversationOrderError, match="call_0"):
        await agent_of(["Hi."]).run("Hello.", conversation=before)


# Turns


@keeps("agent.turn.recorded_first", "messages.records.before_running")
async def test_the_whole_answer_is_on_record_before_any_of_its_calls_runs() -> None:
    store = MemoryRuns()
    seen: list[list[str]] = []

    async def look(_context: ToolContext) -> str:
        stored = await store.read("r")
        seen.append([record.kind for record in stored.records])
        return "seen"

    agent = agent_of([["Let me see.", *calling("look", "look")], "Done."], MockTool("look", run=look), store=store)
    await within(agent.run("Go.", run_id="r"))
    assert seen[0] == ["user", "assistant", "tool_call", "tool_call"]


@keeps("agent.turn.order")
async def test_calls_without_side_effects_run_side_by_side_and_others_in_order() -> None:
    order: list[str] = []
    together = asyncio.Barrier(2)

    async def read(context: ToolContext) -> str:
        await within(together.wait())
        order.append("read")
        return "read"

    async def write(context: ToolContext) -> str:
        order.append("write")
        return "written"

    tools = [MockTool("read", run=read, constraints={"side_effects": False}), MockTool("write", run=write)]
    run = await ran([calling("read", "read", "write", "read", "read"), "Done."], *tools)
    assert order == ["read", "read", "write", "read", "read"]
    assert codes(run) == ["ok"] * 5


@keeps("agent.turn.results", "agent.turn.follow_up", "messages.records.results_when_there")
async def test_results_are_recorded_as_they_arrive_and_sent_in_the_order_of_the_calls() -> None:
    store = CountingRuns()
    second = asyncio.Event()
    kinds: list[str] = []

    async def slow(_context: ToolContext) -> str:
        await second.wait()
        # The other one's result is on record while this one still runs.
        await until(lambda: store.kept.count("tool_result"))
        kinds.extend(record.kind for record in (await store.read("r")).records)
        return "slow"

    async def quick(_context: ToolContext) -> str:
        second.set()
        return "quick"

    tools = [echo("slow", run=slow), echo("quick", run=quick)]
    agent = agent_of([calling("slow", "quick"), "Done."], *tools, store=store)
    run = await within(agent.run("Go.", run_id="r"))
    assert kinds == ["user", "tool_call", "tool_call", "tool_result"]
    recorded = [record.data["tool_call_id"] for record in run.records if record.kind == "tool_result"]
    assert recorded == ["call_1", "call_0"]
    sent = [
        message.tool_call_id for message in model_of(agent).requests[1].messages if message.role is MessageRole.TOOL
    ]
    assert sent == ["call_0", "call_1"]
    assert [execution.call.id for execution in run.executions] == ["call_0", "call_1"]
    check(run)


class CountingRuns(MemoryRuns):
    """Says what kinds of records it has been given."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[str] = []

    async def append(self, run_id: str, records: Sequence[Record], /, *, epoch: int) -> None:
        await super().append(run_id, records, epoch=epoch)
        self.kept += [record.kind for record in records]


@keeps("messages.records.facts")
async def test_a_result_is_recorded_with_the_facts_of_its_execution() -> None:
    run = await ran([calling("echo", "boom"), "Done."], echo(), MockTool.throwing("boom", ValueError("too hot")))
    good, bad = (record for record in run.records if record.kind == "tool_result")
    assert (good.data["status"], good.data["is_error"], good.data["artifacts"], good.data["truncated"]) == (
        "completed",
        False,
        (),
        False,
    )
    assert good.data["execution_id"] == run.executions[0].execution_id
    assert (bad.data["status"], bad.data["error_code"], bad.content) == ("failed", "tool_error", "error: too hot")
    assert isinstance(good.data["duration_ms"], float)


async def test_calls_that_share_an_id_are_told_apart() -> None:
    twins = [ToolCall("x", "echo", {"n": 1}), ToolCall("x", "echo", {"n": 2}), ToolCall("x_2", "echo", {"n": 3})]
    wrong = InvalidToolCall("x", "echo", "{", "this is not JSON")
    answer = ChatResponse(tool_calls=tuple(twins), invalid_tool_calls=(wrong,), finish_reason="tool_calls")
    run = await ran([answer, "Done."], echo())
    assert [execution.call.id for execution in run.executions] == ["x", "x_3", "x_2", "x_4"]
    assert codes(run) == ["ok", "ok", "ok", "validation_failed"]


@keeps("agent.options")
async def test_the_options_of_a_call_reach_each_call() -> None:
    agent = agent_of([calling("echo"), "Done."], tool := echo(permissions=["tool.filesystem.read"]))
    run = await within(
        agent.run("Go.", session="s", workspace=".", metadata={"who": "me"}, grants=["tool.filesystem.*"])
    )
    assert codes(run) == ["ok"]
    context = tool.contexts[0]
    assert (context.session_id, context.metadata["who"]) == ("s", "me")
    assert context.workspace is not None
    denied = await within(agent_of([calling("echo"), "Done."], tool).run("Go.", grants=[]))
    assert codes(denied) == ["permission_denied"]
    with pytest.raises(ValueError, match="timeout"):
        await agent.run("Go.", timeout=-1)
    with pytest.raises(TypeError, match="wrkspace"):
        await agent.run("Go.", wrkspace=".")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


# Ends


@keeps("agent.ends.max_turns")
async def test_a_run_ends_after_so_many_answers() -> None:
    tool = echo()
    run = await ran([ToolCall.new("echo", n=turn) for turn in range(3)], tool, max_turns=3)
    assert (run.status, len(tool.calls), run.error) == ("max_turns", 3, None)


@keeps("agent.ends.max_tool_calls")
async def test_of_twenty_calls_with_ten_left_the_first_ten_run() -> None:
    tool = echo()
    run = await ran([calling(*["echo"] * 20)], tool, max_tool_calls=10, executor={"concurrency": 20})
    assert run.status == "max_tool_calls"
    assert sorted(str(call.id) for call in tool.calls) == sorted(f"call_{place}" for place in range(10))
    said = results(run)
    assert len(said) == 20
    assert all("as many calls as it may" in text for text in said[10:])
    assert [message.is_error for message in run.conversation if message.role is MessageRole.TOOL] == [False] * 10 + [
        True
    ] * 10


@keeps("agent.ends.timed_out", "agent.options.timeout")
@pytest.mark.parametrize("where", ["model", "tool"])
async def test_a_run_ends_when_its_time_is_over(where: str) -> None:
    script: list[Any] = [None] if where == "model" else [["Wait.", *calling("hang", "echo")]]
    agent = agent_of(script, MockTool("hang", run=hang), echo())
    run = await within(agent.run("Go.", timeout=0.01))
    assert (run.status, run.error) == ("timed_out", None)
    assert [record.kind for record in run.records][:1] == ["user"]
    check(run)
    if where == "tool":
        assert codes(run)[0] == "cancelled"
        assert len(results(run)) == 2


async def test_the_shorter_time_of_agent_and_run_holds() -> None:
    for of_agent, of_run in ((0.01, 60), (60, 0.01), (0.01, None)):
        agent = agent_of([None], timeout=of_agent)
        assert (await within(agent.run("Go.", timeout=of_run))).status == "timed_out"


async def hang(_context: ToolContext) -> None:
    await asyncio.get_running_loop().create_future()


@keeps("agent.cancelling", "agent.ends.cancelled")
async def test_cancelling_a_run_ends_its_tools_and_records_it() -> None:
    store, began, ended = MemoryRuns(), asyncio.Event(), asyncio.Event()

    async def wait(_context: ToolContext) -> None:
        began.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.set()

    agent = agent_of([calling("wait", "write")], MockTool("wait", run=wait), write := MockTool("write"), store=store)
    task = asyncio.create_task(agent.run("Go.", run_id="r"))
    await within(began.wait())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(task)
    assert ended.is_set()
    assert write.calls == []
    stored = await store.read("r")
    assert (stored.head.state, stored.head.status) == ("ended", "cancelled")
    assert [record.data.get("status") for record in stored.records[-2:]] == ["cancelled", "cancelled"]


async def test_cancelling_a_run_ends_the_question_to_the_model() -> None:
    agent = agent_of([None])
    task = asyncio.create_task(agent.run("Go."))
    await until(lambda: model_of(agent).requests)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(task)
    assert model_of(agent).cancelled == 1


@keeps("agent.ends.cancelled")
async def test_a_run_that_is_stopped_by_its_id_is_cancelled_and_returned() -> None:
    agent = agent_of([["Wait.", *calling("hang")]], MockTool("hang", run=hang))
    task = asyncio.create_task(agent.run("Go.", run_id="r"))
    await until(lambda: agent.executor.active)
    told: list[bool] = []
    thread = threading.Thread(target=lambda: told.append(agent.cancel("r")))
    thread.start()
    run = await within(task)
    thread.join(WITHIN)
    assert (run.status, run.text, codes(run), told) == ("cancelled", "Wait.", ["cancelled"], [True])
    assert not agent.cancel("r")
    check(run)


async def test_a_run_that_is_stopped_before_it_begins_asks_nothing() -> None:
    agent = agent_of([], store=SlowRuns())
    task = asyncio.create_task(agent.run("Go.", run_id="r"))
    await asyncio.sleep(0)
    assert agent.cancel("r")
    run = await within(task)
    assert (run.status, model_of(agent).requests) == ("cancelled", [])


class SlowRuns(MemoryRuns):
    """Takes its time to begin."""

    async def begin(self, head: Any, records: Any, /) -> int:
        for _ in range(10):
            await asyncio.sleep(0)
        return await super().begin(head, records)


async def test_what_swallows_its_cancellation_does_not_keep_a_run_from_ending() -> None:
    class Stubborn(ScriptedProvider):
        async def chat_with_tools(self, messages: Any, tools: Any = (), **options: Any) -> ChatResponse:
            try:
                await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:
                return ChatResponse(tool_calls=tuple(calling("echo")), finish_reason="tool_calls")
            raise AssertionError

    tool = echo()
    agent = Agent(Stubborn(), Registry([tool]))
    run = await within(agent.run("Go.", timeout=0.01))
    assert run.status == "timed_out"
    check(run)
    task = asyncio.create_task(agent.run("Go."))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(task)
    assert tool.calls == []


async def test_a_run_needs_a_task_to_go_on_in() -> None:
    """What an event loop calls back is in none: a run there could be neither cancelled nor timed."""
    loop = asyncio.get_running_loop()
    seen: asyncio.Future[BaseException] = loop.create_future()

    def drive() -> None:
        try:
            agent_of(["Hi."]).run("Go.").send(None)
        except BaseException as error:  # noqa: BLE001  looked at below
            seen.set_result(error)

    loop.call_soon(drive)
    error = await within(seen)
    assert isinstance(error, RuntimeError)
    assert "run_sync" in str(error)


async def test_a_run_that_ended_with_its_loop_in_another_thread_is_no_longer_there() -> None:
    agent = agent_of([None])

    def leave() -> None:
        loop = asyncio.new_event_loop()
        task = loop.create_task(agent.run("Go.", run_id="r"))
        loop.run_until_complete(asyncio.sleep(0))
        stopped.append(agent.cancel("r"))
        task.cancel()
        loop.run_until_complete(asyncio.wait([task]))
        loop.close()

    stopped: list[bool] = []
    await asyncio.to_thread(leave)
    assert stopped == [True]
    assert not agent.cancel("r")


@keeps("agent.ends.refused")
@pytest.mark.parametrize(
    "answer",
    [
        ChatResponse(refusal="I will not."),
        ChatResponse(text="I", finish_reason="content_filter"),
        ChatResponse(refusal="I will not.", tool_calls=tuple(calling("echo")), finish_reason="tool_calls"),
    ],
)
async def test_a_refusal_ends_the_run_and_runs_nothing(answer: ChatResponse) -> None:
    run = await ran([answer], tool := echo())
    assert (run.status, tool.calls) == ("refused", [])
    assert run.text == (answer.text or ("" if answer.tool_calls else "I will not."))


@keeps("agent.ends.length")
async def test_a_cut_text_ends_the_run() -> None:
    run = await ran([ChatResponse(text="It is", finish_reason="length")])
    assert (run.status, run.text) == ("length", "It is")


@keeps("agent.ends.length")
async def test_a_cut_call_is_never_run_and_the_model_is_told() -> None:
    cut = ChatResponse(tool_calls=tuple(calling("echo", "echo")), finish_reason="length")
    agent = agent_of([cut, "I give up."], tool := echo())
    run = await within(agent.run("Go."))
    assert (run.status, run.text, tool.calls, run.executions) == ("completed", "I give up.", [], ())
    assert all("cut off at its length limit" in text for text in results(run))
    check(run)


async def test_a_model_that_is_cut_off_at_the_same_call_again_and_again_is_stopped() -> None:
    cut = ChatResponse(tool_calls=tuple(calling("echo")), finish_reason="length")
    run = await ran([cut] * 3, echo())
    assert run.status == "wrong_calls"


WRONG: list[ToolCall | InvalidToolCall] = [
    ToolCall("call_1", "ecko", {}),
    ToolCall("call_1", "picky", {"n": "two"}),
    InvalidToolCall("call_1", "echo", '{"n": ', "this is not JSON"),
]


@keeps("agent.wrong.told", "agent.ends.wrong_calls")
@pytest.mark.parametrize("wrong", WRONG, ids=["unknown tool", "bad arguments", "not JSON"])
async def test_a_wrong_call_is_told_and_the_same_one_three_times_in_a_row_ends_the_run(
    wrong: ToolCall | InvalidToolCall,
) -> None:
    picky = MockTool("picky", parameters={"type": "object", "properties": {"n": {"type": "integer"}}})
    run = await ran([wrong, "Sorry."], echo(), picky)
    assert (run.status, run.text) == ("completed", "Sorry.")
    assert results(run)[0].startswith(f"Error ({run.executions[0].outcome.error_code})")
    run = await ran([wrong] * 3, echo(), picky)
    assert (run.status, len(run.executions), run.error) == ("wrong_calls", 3, None)
    run = await ran([wrong, wrong, *calling("echo"), wrong, wrong, "Sorry."], echo(), picky)
    assert run.status == "completed"


@keeps("agent.ends.provider_error")
@pytest.mark.parametrize(
    ("answer", "code", "kinds"),
    [
        (LLMError("rate_limited", "slow down", status=429), "rate_limited", ["user"]),
        (ChatResponse(finish_reason="error"), "bad_response", ["user"]),
        (ChatResponse(text="It i", finish_reason="error"), "bad_response", ["user", "assistant"]),
        (
            ChatResponse(tool_calls=tuple(calling("echo")), finish_reason="error"),
            "bad_response",
            ["user", "tool_call", "tool_result"],
        ),
    ],
)
async def test_a_provider_that_fails_ends_the_run_with_what_there_is(answer: Any, code: str, kinds: list[str]) -> None:
    run = await ran([answer], tool := echo())
    assert isinstance(run.error, LLMError)
    assert (run.status, run.error.code, tool.calls) == ("provider_error", code, [])
    assert [record.kind for record in run.records] == kinds


async def test_the_error_that_a_provider_reports_is_the_error_of_the_run() -> None:
    from toolwright.providers.types import Failure

    failure = Failure(code="context_length_exceeded", message="too much")
    run = await ran([ChatResponse(finish_reason="error", failure=failure)])
    assert isinstance(run.error, LLMError)
    assert (run.error.code, run.error.message) == ("context_length_exceeded", "too much")


@keeps("agent.ends.failed")
async def test_a_fault_in_the_applications_own_code_ends_the_run_with_that_fault() -> None:
    fault = RuntimeError("a hook broke")

    def prepare(_conversation: Conversation) -> Iterable[ChatMessage]:
        raise fault

    run = await ran([], prepare=prepare)
    assert (run.status, run.error) == ("failed", fault)
    run = await ran([ValueError("a provider of its own")])
    assert run.status == "failed"
    run = await ran([TimeoutError()], timeout=60)
    assert (run.status, type(run.error)) == ("failed", TimeoutError)


class Panic(BaseException):
    """What a library in another language raises."""


@keeps("agent.ends.failed")
async def test_what_is_no_exception_ends_the_run_as_failed_unless_the_program_ends() -> None:
    def panic(_messages: object) -> str:
        raise Panic

    run = await ran([panic])
    assert (run.status, type(run.error)) == ("failed", RuntimeError)
    assert run.error is not None
    assert isinstance(run.error.__cause__, Panic)
    with pytest.raises(GeneratorExit):
        await ran([GeneratorExit()])


@keeps("agent.ends.failed")
@pytest.mark.parametrize(
    "answer",
    [
        None,
        "a text",
        ChatResponse(text="x", model=cast("Any", object())),
        ChatResponse(text="x", usage=cast("Any", None)),
        ChatResponse(text="x", finish_reason=cast("Any", "weird")),
        ChatResponse(text=cast("Any", 5)),
        ChatResponse(tool_calls=cast("Any", ["a call"])),
    ],
)
async def test_an_answer_of_another_type_ends_the_run_as_failed(answer: Any) -> None:
    class Odd(ScriptedProvider):
        async def chat_with_tools(self, *_: Any, **__: Any) -> ChatResponse:
            return cast("ChatResponse", answer)

    run = await within(Agent(Odd([]), Registry()).run("Go."))
    assert run.status == "failed"
    assert isinstance(run.error, (TypeError, ValueError))
    check(run)


async def test_a_fault_between_the_calls_leaves_no_call_without_an_answer() -> None:
    class Broken(Executor):
        async def execute_many(self, *_: Any, **__: Any) -> list[Execution]:
            raise OSError

    registry = Registry([tool := echo()])
    agent = Agent(ScriptedProvider([calling("echo", "echo")]), registry, executor=Broken(registry))
    run = await within(agent.run("Go."))
    assert (run.status, tool.calls, len(results(run))) == ("failed", [], 2)
    assert all("could not go on" in text for text in results(run))
    check(run)


@pytest.mark.parametrize("options", [{"grants": "*"}, {"grants": ["no grant!"]}, {"session": 5}, {"timeout": 0}])
async def test_an_option_that_is_none_is_refused_before_anything_is_asked_or_kept(options: Any) -> None:
    store = MemoryRuns()
    agent = agent_of([], store=store)
    with pytest.raises((TypeError, ValueError)):
        await agent.run("Go.", **options)
    assert not await store.list()
    assert not model_of(agent).requests
    with pytest.raises((TypeError, ValueError)):
        agent.as_tool("helper", "Helps.", grants=options.get("grants", "*"))


async def test_thousands_of_calls_that_share_an_id_are_told_apart_at_once() -> None:
    """Looked for one by one, the free numbers of 50,000 calls take minutes."""
    answer = ChatResponse(tool_calls=tuple(ToolCall("x", "echo", {}) for _ in range(50_000)), finish_reason="length")
    run = await within(agent_of([answer, "Done."], echo()).run("Go."))
    assert len({message.tool_call_id for message in run.conversation}) == 50_001


# What is sent, and what is counted


@keeps("agent.prepare")
@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_a_hook_shortens_what_is_sent_and_not_the_transcript(kind: str) -> None:
    def shorten(conversation: Conversation) -> list[ChatMessage]:
        conversation.clear()  # its own to do with as it likes
        return [user("In short: go.")]

    async def shorten_later(conversation: Conversation) -> list[ChatMessage]:
        await asyncio.sleep(0)
        return shorten(conversation)

    agent = agent_of([calling("echo"), "Done."], echo(), prepare=shorten if kind == "sync" else shorten_later)
    run = await within(agent.run("A long story."))
    assert [request.messages for request in model_of(agent).requests] == [(user("In short: go."),)] * 2
    assert run.conversation[0].content == "A long story."
    check(run)


@keeps("agent.usage")
async def test_usage_is_the_sum_of_all_answers_where_it_is_known() -> None:
    answers = [
        ChatResponse(
            tool_calls=tuple(calling("echo")),
            finish_reason="tool_calls",
            usage=Usage(input_tokens=10, output_tokens=2),
        ),
        ChatResponse(tool_calls=tuple(calling("echo")), finish_reason="tool_calls"),
        ChatResponse(text="Done.", usage=Usage(input_tokens=20, cached_tokens=5)),
    ]
    run = await ran(answers, echo())
    assert run.usage == Usage(input_tokens=30, output_tokens=2, cached_tokens=5)
    assert (await ran(["Hi."])).usage == Usage()


@keeps("agent.repetition")
async def test_a_call_repeated_without_anything_new_in_between_is_told_so() -> None:
    same = ToolCall("call_1", "echo", {"q": "x"})
    run = await ran([same, same, same, "Done."], echo())
    told = ["made before with the same arguments" in text for text in results(run)]
    assert told == [False, True, True]
    assert results(run)[1].startswith(results(run)[0])


@keeps("agent.repetition")
async def test_a_repeated_call_is_not_told_off_where_something_new_has_come() -> None:
    same, other = ToolCall("call_1", "echo", {"q": "x"}), ToolCall("call_2", "change", {})
    run = await ran([same, other, same, "Done."], echo(), MockTool("change"))
    assert not any("made before" in text for text in results(run))
    ticking = iter(range(10))
    run = await ran([same, same, "Done."], echo(run=lambda _context: next(ticking)))
    assert not any("made before" in text for text in results(run))
    run = await ran([[same, ToolCall("call_2", "echo", {"q": "x"})], "Done."], echo())
    assert not any("made before" in text for text in results(run)), "both were asked for before either was answered"


async def test_what_was_denied_reaches_the_model_as_an_error() -> None:
    run = await ran([calling("write"), "Pity."], MockTool("write", risk="high"), executor={"reviewer": deny_all})
    assert codes(run) == ["denied"]
    assert results(run)[0].startswith("Error (denied)")
    assert run.status == "completed"


async def test_limits_of_the_executors_policy_hold_within_a_run() -> None:
    from toolwright.execution import Limits

    policy = Policy(limits=Limits(calls=3))
    run = await ran([calling(*["echo"] * 5), "Done."], echo(), executor={"policy": policy, "concurrency": 5})
    assert sorted(codes(run)) == ["ok", "ok", "ok", "permission_denied", "permission_denied"]


async def test_a_run_shows_what_came_of_it_and_no_content() -> None:
    run = await ran([calling("echo"), "It is a secret."], echo())
    assert repr(run) == f"Run(id={run.id!r}, status='completed', text=<15 chars>, executions=<1>)"
    failed = await ran([RuntimeError("what broke")])
    assert "error=RuntimeError('what broke')" in repr(failed)


async def test_two_runs_of_one_agent_do_not_meet() -> None:
    def answer(messages: tuple[ChatMessage, ...]) -> Any:
        return ToolCall.new("echo", q=messages[0].content) if len(messages) == 1 else f"{messages[0].content} done"

    agent = agent_of([answer] * 40, echo())
    runs = await within(asyncio.gather(*(agent.run(f"task {number}") for number in range(20))))
    assert [run.text for run in runs] == [f"task {number} done" for number in range(20)]
    assert len({run.id for run in runs}) == 20
    for run in runs:
        check(run)


async def test_a_tool_can_say_that_it_is_an_outcome_without_an_error_to_the_model() -> None:
    tool = MockTool("half", run=lambda _context: ToolOutcome.failed("half of it", partial=[1, 2]))
    run = await ran([calling("half"), "Done."], tool)
    assert "half of it" in results(run)[0]
    assert RunLimits() == RunLimits(max_turns=20, max_tool_calls=100)
