from __future__ import annotations

import asyncio
import contextlib
import json
import traceback
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.promises import keeps
from tests.providers.services import KEY, SERVICES, reach, serving
from tests.servers.unruly import says, sends, unruly
from toolwright.conversation import Conversation
from toolwright.errors import LLMError
from toolwright.messages import ToolCall, ToolCallAssembler, ToolCallDelta, system, tool_result, user
from toolwright.providers import (
    ChatProvider,
    ChatResponse,
    Completed,
    Failure,
    ReasoningDelta,
    TextDelta,
    Usage,
    provider,
)
from toolwright.providers.http_provider import HttpProvider
from toolwright.providers.transport import Pools, Transport
from toolwright.schema import Schema
from toolwright.testing import ScriptedServer, ServerRequest
from toolwright.tools import ToolDefinition

WEATHER = ToolDefinition(
    "get_weather",
    "The weather of a city.",
    parameters=Schema({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}),
)
CALL = ToolCall("call_1", "get_weather", {"city": "Zürich"})
HELLO = [user("Hello")]
CODES = (
    "api_call_failed",
    "authentication_failed",
    "rate_limited",
    "context_length_exceeded",
    "model_not_found",
    "content_filtered",
    "timeout",
)
FIELDS = (
    "choices delta message content tool_calls function name arguments id index type text output candidates parts "
    "functionCall args error code done usage finish_reason response item"
).split()
every_service = pytest.mark.parametrize("service", SERVICES)


async def events_of(events: AsyncIterator[Any]) -> list[Any]:
    async with asyncio.timeout(20):
        return [event async for event in events]


def has_tools(request: ServerRequest) -> bool:
    return "tools" in request.body


@keeps("providers.chat")
@every_service
async def test_chat_gives_the_text_and_an_empty_one_where_there_is_none(service: str) -> None:
    with serving(service, ["Grüß Gott!", ChatResponse()]) as (llm, server):
        same: ChatProvider = llm
        assert await same.chat([system("Be kind."), *HELLO]) == "Grüß Gott!"
        assert await llm.chat(HELLO) == ""
        assert llm.model_name == "a-model"
        assert not any(map(has_tools, server.requests))
        await llm.aclose()


@keeps("providers.calls")
@every_service
async def test_a_call_and_its_answer_go_there_and_back(service: str) -> None:
    said = ChatResponse(text="Let me look.", tool_calls=(CALL,), finish_reason="tool_calls")
    with serving(service, [said, "Mild."]) as (llm, server):
        first = await llm.chat_with_tools(HELLO, [WEATHER])
        assert (first.text, first.finish_reason) == ("Let me look.", "tool_calls")
        assert first.tool_invocation is not None
        assert (first.tool_invocation.name, first.tool_invocation.arguments) == ("get_weather", {"city": "Zürich"})
        answered = [
            system("Be brief."),
            *HELLO,
            first.to_message(),
            tool_result(first.tool_invocation.id, "12 degrees"),
        ]
        assert (await llm.chat_with_tools(Conversation(answered), [WEATHER])).text == "Mild."
        assert all(map(has_tools, server.requests))
        await llm.aclose()


@keeps("providers.stream")
@every_service
async def test_a_stream_gives_the_answer_in_pieces_and_whole_at_its_end(service: str) -> None:
    said = ChatResponse(text="Let me look ☀.", tool_calls=(CALL,), finish_reason="tool_calls", reasoning="Where is it?")
    with serving(service, [said]) as (llm, _):
        *pieces, last = await events_of(llm.stream(HELLO, [WEATHER]))
        assert isinstance(last, Completed)
        assert "".join(piece.text for piece in pieces if isinstance(piece, TextDelta)) == "Let me look ☀."
        assert "".join(piece.text for piece in pieces if isinstance(piece, ReasoningDelta)) == "Where is it?"
        assert len(pieces) > 3
        assembler = ToolCallAssembler()
        for piece in pieces:
            if isinstance(piece, ToolCallDelta):
                assembler.add(piece)
        (made,), (whole,) = assembler.finish(), last.response.tool_calls
        assert isinstance(made, ToolCall)
        assert (made.id, made.name, made.arguments) == (whole.id, whole.name, whole.arguments)
        assert last.response.finish_reason == "tool_calls"
        await llm.aclose()


@keeps("providers.no_tools")
@every_service
async def test_without_tools_the_request_has_no_key_for_them(service: str) -> None:
    with serving(service, ["one", "two"]) as (llm, server):
        await llm.chat_with_tools(HELLO, [], tool_choice="auto", parallel_tool_calls=True)
        await events_of(llm.stream(HELLO, []))
        for request in server.requests:
            assert not {"tools", "tool_choice", "toolConfig", "parallel_tool_calls"} & request.body.keys()
        await llm.aclose()


@keeps("providers.options")
@every_service
async def test_options_reach_the_server_in_its_own_words(service: str) -> None:
    schema = Schema({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})
    with serving(service, ["{}", "x"], headers={"x-every": "1"}) as (llm, server):
        await llm.chat_with_tools(
            HELLO,
            [WEATHER],
            temperature=0.25,
            max_tokens=77,
            extra_body={"x_more": [1]},
            extra_headers={"X-Once": "2"},
            tool_choice="auto",
        )
        await llm.chat_with_tools(HELLO, [], response_schema=schema, timeout=9.0)
        first, second = server.requests
        text = str(first.body)
        assert "0.25" in text
        assert "77" in text
        assert first.body["x_more"] == [1]
        assert (first.headers["x-every"], first.headers["x-once"]) == ("1", "2")
        assert "x-once" not in second.headers
        assert "'a'" in str(second.body), "the form of the answer"
        await llm.aclose()


@keeps("providers.options")
async def test_what_cannot_be_said_is_refused_and_nothing_is_sent() -> None:
    with serving("openai-chat", []) as (llm, server):
        with pytest.raises(TypeError, match="stream"):
            await llm.chat_with_tools(HELLO, [], stream=True)
        with pytest.raises(ValueError, match="tool_mode is 'native' or 'prompted'"):
            await llm.chat_with_tools(HELLO, [], tool_mode="loud")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="a timeout is a number of seconds above 0"):
            await llm.chat_with_tools(HELLO, [], timeout=0.0)
        with pytest.raises(ValueError, match="not among the tools"):
            await llm.chat_with_tools(HELLO, [WEATHER], tool_choice="another")
        assert server.requests == []


@keeps("providers.usage")
@every_service
async def test_tokens_are_read_from_the_answer(service: str) -> None:
    usage = Usage(input_tokens=50, output_tokens=7, cached_tokens=40)
    with serving(service, [ChatResponse(text="x", usage=usage)] * 2) as (llm, _):
        whole = await llm.chat_with_tools(HELLO, [])
        streamed = (await events_of(llm.stream(HELLO)))[-1].response
        for answer in (whole, streamed):
            assert (answer.usage.input_tokens, answer.usage.output_tokens) == (50, 7)
            assert answer.usage.cached_tokens == (None if service == "ollama" else 40)
            assert answer.model == (None if service == "cohere" else "a-model"), "Cohere does not say"
        await llm.aclose()


@keeps("providers.errors", "transport.errors")
@every_service
@pytest.mark.parametrize("code", CODES)
async def test_every_code_is_raised_with_the_providers_own_words(service: str, code: str) -> None:
    words = {"context_length_exceeded": "prompt is too long: 9 tokens", "model_not_found": "model 'm' not found"}
    message = words.get(code, "Not like this.")
    passing = code in ("rate_limited", "timeout", "api_call_failed")
    expected = "api_call_failed" if (code, service) in _TOLD_IN_ANSWERS else code
    with serving(service, [LLMError(code, message)] * (4 if passing else 1)) as (llm, _):
        with pytest.raises(LLMError) as caught:
            await llm.chat(HELLO)
        assert (caught.value.code, caught.value.message, caught.value.retryable) == (expected, message, passing)
        await llm.aclose()


# Where the model refuses, these say so in an answer, and have no error for it.
_TOLD_IN_ANSWERS = {("content_filtered", service) for service in ("anthropic", "gemini", "cohere", "ollama")}


@keeps("providers.errors")
@every_service
async def test_an_error_under_a_status_of_200_is_raised(service: str) -> None:
    failed = ChatResponse(failure=Failure(message="The engine is on fire."), finish_reason="error")
    with serving(service, [failed, failed]) as (llm, _):
        with pytest.raises(LLMError, match="on fire"):
            await llm.chat(HELLO)
        with pytest.raises(LLMError, match="on fire"):
            await events_of(llm.stream(HELLO))
        await llm.aclose()


@keeps("providers.errors")
@every_service
async def test_an_error_in_the_middle_of_a_stream_is_raised_after_what_came_before(service: str) -> None:
    with serving(service, [["Once upon a time", LLMError("api_call_failed", "The engine is on fire.")]]) as (llm, _):
        seen: list[Any] = []
        with pytest.raises(LLMError, match="on fire"):
            await collect(llm.stream(HELLO), seen)
        assert "".join(event.text for event in seen) == "Once upon a time"
        await llm.aclose()


async def collect(events: AsyncIterator[Any], seen: list[Any]) -> None:
    async for event in events:
        seen.append(event)  # noqa: PERF401  what came before an error is kept


@keeps("providers.errors")
@every_service
async def test_what_is_no_answer_is_a_bad_response(service: str) -> None:
    with serving(service, [LLMError("bad_response")] * 2) as (llm, _):
        for asked in (llm.chat(HELLO), events_of(llm.stream(HELLO))):
            with pytest.raises(LLMError) as caught:
                await asked
            assert (caught.value.code, caught.value.retryable) == ("bad_response", False)
        await llm.aclose()


@keeps("providers.errors")
@every_service
async def test_a_stream_that_breaks_off_is_no_answer(service: str) -> None:
    with serving(service, [["Once upon", LLMError("connection_failed")]]) as (llm, _):
        seen: list[Any] = []
        with pytest.raises(LLMError) as caught:
            await collect(llm.stream(HELLO), seen)
        assert caught.value.code == "connection_failed"
        assert not any(isinstance(event, Completed) for event in seen)
        await llm.aclose()


@keeps("providers.secrets")
@every_service
async def test_the_key_is_shown_to_the_server_and_to_nobody_else(
    service: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    error = LLMError("authentication_failed", f"The key {KEY} is not valid.")
    with serving(service, [error, "Hello."]) as (llm, server):
        with pytest.raises(LLMError) as caught:
            await llm.chat(HELLO)
        assert await llm.chat(HELLO) == "Hello."
        assert KEY in "".join(server.requests[0].headers.values())
        seen = "".join(traceback.format_exception(caught.value)) + repr([caught.value, llm, llm.sync, server.requests])
        assert KEY not in seen
        assert KEY not in "".join(f"{each.getMessage()}{vars(each)}" for each in caplog.records)
        await llm.aclose()


@keeps("providers.secrets")
async def test_an_error_that_quotes_the_question_is_told_without_it() -> None:
    question = "My mother's maiden name is Rumpelstilzchen, tell nobody.\nAnd her shoes have the size 39, by the way."
    error = LLMError("api_call_failed", f"cannot parse: {question[:48]}", status=400)
    with serving("openai-chat", [error]) as (llm, _):
        with pytest.raises(LLMError, match=r"cannot parse: \[\.\.\.\]") as caught:
            await llm.chat([user(question)])
        assert "Rumpel" not in "".join(traceback.format_exception(caught.value))
        await llm.aclose()


@keeps("providers.secrets")
@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("begun", [b"", b'data: {"choices":[{"delta":{"content":"Well, "}}]}\n\ndata: '])
async def test_key_and_question_are_in_no_error_of_the_chain_wherever_the_server_quotes_them(
    status: int, begun: bytes
) -> None:
    """An error is quoted by whoever collects errors with all that hangs on it, its context among that."""
    question = "My mother's maiden name is Rumpelstilzchen, tell nobody."
    body = begun + json.dumps({"error": {"message": f"{KEY} may not ask: {question}"}}).encode()
    async with unruly(says(body, status), says(body, status)) as server:
        transport = Transport(retries=0, pools=Pools())
        llm = HttpProvider("openai-chat", "m", base_url=server.url, api_key=KEY, transport=transport)
        for asked in (llm.chat([user(question)]), events_of(llm.stream([user(question)]))):
            with pytest.raises(LLMError) as caught:
                await asked
            chain: list[BaseException | None] = [caught.value]
            while (last := chain[-1]) is not None:
                assert not any(word in f"{last} {last!r} {vars(last)}" for word in (KEY, "Rumpel"))
                chain.append(last.__context__ or last.__cause__)
        await llm.aclose()


@keeps("providers.errors")
@pytest.mark.parametrize("said", [{"type": "server_error"}, {"message": None, "code": 13}])
async def test_an_error_without_a_word_says_that_much(said: dict[str, Any]) -> None:
    async with unruly(says(json.dumps({"error": said}).encode())) as server:
        llm = HttpProvider("openai-chat", "m", base_url=server.url, transport=Transport(retries=0, pools=Pools()))
        with pytest.raises(LLMError, match="without a word on it: the log of the server may know more"):
            await llm.chat(HELLO)
        await llm.aclose()


@keeps("providers.key")
async def test_a_key_may_be_given_by_whoever_knows_it_now() -> None:
    keys = iter(["first ", " second\n"])
    with ScriptedServer([LLMError("rate_limited"), "Hello."]) as server:
        llm = reach(server, "anthropic", api_key=lambda: next(keys))
        assert await llm.chat(HELLO) == "Hello."
        assert [request.headers["x-api-key"] for request in server.requests] == ["first", "second"]
        await llm.aclose()


@keeps("providers.sync")
@every_service
def test_the_same_calls_serve_code_without_an_event_loop(service: str) -> None:
    with serving(service, ["one", CALL, "three"]) as (llm, _):
        assert llm.sync.chat(HELLO) == "one"
        assert llm.sync.model_name == "a-model"
        answer = llm.sync.chat_with_tools(HELLO, [WEATHER], temperature=0.5)
        assert [call.name for call in answer.tool_calls] == ["get_weather"]
        events = list(llm.sync.stream(HELLO))
        assert isinstance(events[-1], Completed)
        assert events[-1].response.text == "three"
        llm.sync.close()


@keeps("providers.sync")
async def test_the_sync_calls_work_inside_a_running_loop_and_a_stream_may_be_left() -> None:
    with serving("ollama", ["a long answer that nobody reads to its end", "two"]) as (llm, _):
        stream = llm.sync.stream(HELLO)
        next(stream)
        stream.close()
        assert llm.sync.chat(HELLO) == "two"
        llm.sync.close()


@keeps("providers.incremental")
@every_service
async def test_a_long_run_sends_its_whole_history_with_every_turn(service: str) -> None:
    turns = 30
    with serving(service, [CALL] * turns + ["Done."]) as (llm, server):
        history = [user("Begin.")]
        for number in range(turns):
            answer = await llm.chat_with_tools(history, [WEATHER])
            (call,) = answer.tool_calls
            history += [answer.to_message(), tool_result(call.id, f"result {number}")]
        assert await llm.chat(history) == "Done."
        texts = [str(request.body) for request in server.requests]
        for number in range(turns):
            assert f"result {number}" in texts[-1]
        assert texts[-1].count("result ") == turns
        await llm.aclose()


@keeps("providers.extra_text_calls")
async def test_a_call_in_the_text_is_read_where_servers_hand_it_on() -> None:
    written = '<tool_call>{"name": "get_weather", "arguments": {"city": "Zürich"}}</tool_call>'
    with serving("vllm", [written, written, written]) as (llm, _):
        answer = await llm.chat_with_tools(HELLO, [WEATHER], text_calls="hermes")
        assert [call.arguments for call in answer.tool_calls] == [{"city": "Zürich"}]
        streamed = (await events_of(llm.stream(HELLO, [WEATHER])))[-1].response
        assert [call.name for call in streamed.tool_calls] == ["get_weather"]
        assert streamed.finish_reason == "tool_calls"
        assert (await llm.chat_with_tools(HELLO, [WEATHER], text_calls="off")).text == written
        await llm.aclose()


@keeps("providers.prompted")
async def test_a_model_without_calls_is_asked_for_one_by_the_form_of_its_answer() -> None:
    def answer(request: ServerRequest) -> str:
        assert "get_weather" in str(request.body["messages"][0])
        assert "tools" not in request.body
        assert "response_format" in request.body
        (wrapper,) = request.body["response_format"]["json_schema"]["schema"]["required"]
        return json.dumps({wrapper: {"tool": "get_weather", "arguments": {"city": "Zürich"}}})

    with serving("vllm", [answer], tool_mode="prompted") as (llm, _):
        said = await llm.chat_with_tools(HELLO, [WEATHER], tool_choice="required")
        assert [(call.name, call.arguments) for call in said.tool_calls] == [("get_weather", {"city": "Zürich"})]
        with pytest.raises(ValueError, match="leave response_schema out"):
            await llm.chat_with_tools(HELLO, [WEATHER], response_schema={"type": "object"})
        await llm.aclose()


@keeps("providers.closed")
async def test_a_provider_closes_its_connections_at_the_end_of_a_block() -> None:
    with ScriptedServer(["one", "two"]) as server:
        async with reach(server, "openai") as llm:
            assert await llm.chat(HELLO) == "one"
        assert await llm.chat(HELLO) == "two", "and opens others when it is asked again"
        await llm.aclose()


@keeps("providers.newest")
@every_service
async def test_without_a_name_the_newest_model_of_the_server_is_asked(service: str) -> None:
    with ScriptedServer(["Hello.", "Again."], models=["only-model"]) as server:
        llm = HttpProvider(reach(server, service).codec, None, base_url=server.url)
        assert llm.model_name == ""
        assert await llm.chat(HELLO) == "Hello."
        assert llm.model_name == "only-model"
        assert await llm.chat(HELLO) == "Again."
        await llm.aclose()


async def test_a_server_that_does_not_say_which_models_it_has_says_to_name_one() -> None:
    async with unruly(says(b"<html></html>")) as server:
        llm = HttpProvider("openai-chat", None, base_url=server.url, timeout=None)
        with pytest.raises(LLMError, match="does not say which models it has; name one") as caught:
            await llm.chat(HELLO)
        assert caught.value.code == "bad_response"
        await llm.aclose()


@keeps("transport.deadline")
async def test_finding_a_model_takes_of_the_time_that_the_question_has() -> None:
    async with unruly(sends(then="hang")) as server:
        llm = HttpProvider("openai-chat", None, base_url=server.url)
        with pytest.raises(LLMError) as caught:
            async with asyncio.timeout(10):
                await llm.chat(HELLO, timeout=0.1)
        assert caught.value.code == "timeout"
        await llm.aclose()


async def test_a_server_without_models_says_so() -> None:
    with ScriptedServer(models=["text-embedding-3"]) as server:
        llm = HttpProvider("openai-chat", None, base_url=server.url)
        with pytest.raises(LLMError, match="has no model that chats; name one") as caught:
            await llm.chat(HELLO)
        assert caught.value.code == "model_not_found"
        await llm.aclose()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"codec": "openai"}, "there is no codec 'openai'"),
        ({"model": " "}, "the model's name is empty"),
        ({"timeout": -1}, "a timeout is a number"),
        ({"timeout": float("nan")}, "a timeout is a number"),
        ({"tool_mode": "shout"}, "tool_mode is"),
        ({"base_url": "https://u:p@host"}, "user name or password"),
    ],
)
def test_a_provider_that_cannot_work_is_refused_when_it_is_made(change: dict[str, Any], problem: str) -> None:
    usual: dict[str, Any] = {"codec": "ollama", "model": "m", "base_url": "http://localhost"} | change
    with pytest.raises(ValueError, match=problem):
        HttpProvider(usual.pop("codec"), usual.pop("model"), **usual)


json_bytes = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=12,
).map(lambda value: json.dumps(value).encode())


@keeps("providers.errors")
@every_service
@settings(max_examples=20)
@given(
    body=st.binary(max_size=200) | json_bytes,
    framed=st.booleans(),
    status=st.sampled_from([200, 200, 200, 400, 500, 302]),
)
def test_whatever_a_server_sends_is_an_answer_or_an_error_of_ours(
    service: str, body: bytes, framed: bool, status: int
) -> None:
    sent = b"data: " + body + b"\n\n" if framed else body

    async def ask() -> None:
        async with unruly(says(sent, status), says(sent, status)) as server:
            transport = Transport(retries=0, pools=Pools())
            llm = provider(f"{service}:m", base_url=server.url, api_key="k", transport=transport)
            for asked in (llm.chat_with_tools(HELLO, [WEATHER]), events_of(llm.stream(HELLO, [WEATHER]))):
                with contextlib.suppress(LLMError):
                    await asked
            await transport.aclose()

    asyncio.run(ask())
