from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.messages.strategies import calls, invalid_calls, texts
from tests.promises import keeps
from toolwright.errors import LLMError
from toolwright.messages import ChatMessage, InvalidToolCall, ToolCall, ToolCallAssembler, ToolCallDelta, user
from toolwright.providers import ChatProvider, ChatResponse, Completed, ReasoningDelta, TextDelta
from toolwright.testing import MockTool, ScriptedProvider

QUESTION = [user("What is it?")]
BROKEN = InvalidToolCall("call_2", "echo", '{"a"', "The arguments are not valid JSON.")


async def whole(provider: ScriptedProvider) -> ChatResponse:
    return await provider.chat_with_tools(QUESTION, [])


async def streamed(provider: ScriptedProvider) -> list[Any]:
    return [event async for event in provider.stream(QUESTION)]


@keeps("testing.scripted.answers")
async def test_texts_calls_and_responses_are_given_in_their_order() -> None:
    response = ChatResponse(text="As it is.", finish_reason="length")
    provider: ChatProvider = ScriptedProvider(["A text.", ToolCall.new("echo"), ["Look:", ToolCall.new("a")], response])
    assert (await provider.chat_with_tools(QUESTION, [])) == ChatResponse(text="A text.", model="scripted")
    call = await provider.chat_with_tools(QUESTION, [])
    assert (call.text, call.finish_reason, call.tool_calls[0].name) == (None, "tool_calls", "echo")
    both = await provider.chat_with_tools(QUESTION, [])
    assert (both.text, len(both.tool_calls)) == ("Look:", 1)
    assert await provider.chat_with_tools(QUESTION, []) is response
    assert await ScriptedProvider(["Hello."]).chat(QUESTION) == "Hello."
    assert await ScriptedProvider([ToolCall.new("echo")]).chat(QUESTION) == ""


@keeps("testing.scripted.answers")
async def test_an_exception_is_raised_and_a_function_is_asked_with_the_messages() -> None:
    def shout(messages: tuple[ChatMessage, ...]) -> str:
        return (messages[-1].content or "").upper()

    async def look(_messages: tuple[ChatMessage, ...]) -> list[ToolCall | InvalidToolCall]:
        return [ToolCall("call_1", "echo"), BROKEN]

    provider = ScriptedProvider([LLMError("rate_limited"), shout, look])
    with pytest.raises(LLMError, match="rate_limited"):
        await whole(provider)
    assert (await whole(provider)).text == "WHAT IS IT?"
    assert (await whole(provider)).invalid_tool_calls == (BROKEN,)
    provider.assert_done()


@keeps("testing.scripted.answers")
async def test_no_answer_is_waited_for_until_nobody_waits_any_more() -> None:
    provider = ScriptedProvider([None])
    waiting = asyncio.create_task(whole(provider))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert provider.cancelled == 1


@keeps("testing.scripted.streams")
@given(
    text=texts, made=st.lists(calls | invalid_calls, max_size=3, unique_by=lambda call: call.id), size=st.integers(1, 9)
)
def test_the_pieces_of_a_stream_make_the_answer_whatever_their_size(
    text: str, made: list[ToolCall | InvalidToolCall], size: int
) -> None:
    response = ChatResponse(
        text=text or None,
        reasoning="Because.",
        tool_calls=tuple(call for call in made if isinstance(call, ToolCall)),
        invalid_tool_calls=tuple(call for call in made if isinstance(call, InvalidToolCall)),
    )
    events = asyncio.run(streamed(ScriptedProvider([response], chunk_size=size)))
    assert events.pop() == Completed(response)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == text
    assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == "Because."
    assert all(len(event.text) <= size for event in events if isinstance(event, TextDelta))
    assembler = ToolCallAssembler()
    for event in events:
        if isinstance(event, ToolCallDelta):
            assembler.add(event)
    ids = [call.id for call in response.tool_calls] + [call.id for call in response.invalid_tool_calls]
    assert [call.id for call in assembler.finish()] == ids


@keeps("testing.scripted.answers")
def test_a_script_serves_code_without_an_event_loop() -> None:
    provider = ScriptedProvider(["one", ["Once upon", LLMError("timeout", "Late.")]])
    assert provider.sync.chat(QUESTION) == "one"
    seen: list[Any] = []
    with pytest.raises(LLMError, match="Late"):
        seen.extend(provider.sync.stream(QUESTION))
    with pytest.raises(LLMError, match="Late"):
        ScriptedProvider([["Once", LLMError("timeout", "Late.")]]).sync.chat_with_tools(QUESTION)


@keeps("testing.scripted.records")
async def test_every_request_is_remembered_with_its_tools_and_options() -> None:
    echo = MockTool("echo")
    provider = ScriptedProvider(["one", "two"])
    await provider.chat_with_tools(QUESTION, [echo.definition], temperature=0.5)
    await streamed(provider)
    first, second = provider.requests
    assert (first.messages, first.tools, first.options) == (tuple(QUESTION), (echo.definition,), {"temperature": 0.5})
    assert (first.tool_names, first.streamed, second.streamed) == (("echo",), False, True)


@keeps("testing.scripted.done")
async def test_a_script_that_has_run_out_fails_at_once_and_again_at_the_end() -> None:
    provider = ScriptedProvider()
    for asked in (whole, streamed):
        with pytest.raises(AssertionError, match="the script has run out"):
            await asked(provider)
    with pytest.raises(AssertionError, match="2 more answers"):
        provider.assert_done()


@keeps("testing.scripted.done")
async def test_answers_that_nobody_asked_for_fail_at_the_end() -> None:
    with pytest.raises(AssertionError, match="1 answers of the script were not asked for"), ScriptedProvider(["left"]):
        pass
    with ScriptedProvider(["asked"]) as provider:
        await whole(provider)
    with pytest.raises(LookupError), ScriptedProvider(["left"]):
        raise LookupError("what says more than the script")


def test_what_is_no_answer_is_refused_when_the_script_is_written() -> None:
    with pytest.raises(TypeError, match="a int is no answer"):
        ScriptedProvider([42])
    with pytest.raises(TypeError, match="put the text into one"):
        ScriptedProvider("Hello.")
    with pytest.raises(ValueError, match="chunk_size"):
        ScriptedProvider(chunk_size=0)
    assert repr(ScriptedProvider(["a"])) == "<ScriptedProvider: 0 requests, 1 answers left>"
