"""The scripted server against the providers' own clients: what they read from it is what the script says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.promises import keeps
from toolwright.errors import LLMError
from toolwright.messages import ToolCall
from toolwright.providers import ChatResponse, Usage
from toolwright.testing import MockTool, ScriptedServer

CALL = ToolCall("call_1", "get_weather", {"city": "Zürich", "days": 3})
BARE = ToolCall("call_2", "now", {})
TOOLS = [MockTool("get_weather").definition]
USAGE = Usage(input_tokens=20, output_tokens=9, cached_tokens=4)
ANSWER = ChatResponse(text="It is mild, ☀ later.", tool_calls=(CALL, BARE), finish_reason="tool_calls", usage=USAGE)


async def openai_chat(url: str, streamed: bool) -> Any:
    import openai

    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
        asked: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
        if not streamed:
            whole = await client.chat.completions.create(**asked)
        else:
            tools: Any = [{"type": "function", "function": {"name": "get_weather", "parameters": {}}}]
            options: Any = {"tools": tools, "stream_options": {"include_usage": True}}
            async with client.chat.completions.stream(**asked, **options) as stream:
                whole = await stream.get_final_completion()
        message = whole.choices[0].message
        calls = [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or ()]
        return message.content, calls, whole.choices[0].finish_reason, whole.usage.prompt_tokens


async def openai_responses(url: str, streamed: bool) -> Any:
    import openai

    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
        if not streamed:
            whole: Any = await client.responses.create(model="m", input="Hi")
        else:
            async with client.responses.stream(model="m", input="Hi") as stream:
                whole = await stream.get_final_response()
        items = [item for item in whole.output if item.type == "function_call"]
        return (
            whole.output_text,
            [(item.call_id, item.name, item.arguments) for item in items],
            "tool_calls" if items else whole.status,
            whole.usage.input_tokens,
        )


async def anthropic(url: str, streamed: bool) -> Any:
    from anthropic import AsyncAnthropic

    async with AsyncAnthropic(base_url=url, api_key="k", max_retries=0) as client:
        asked: Any = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
        if streamed:
            async with client.messages.stream(**asked) as stream:
                whole: Any = await stream.get_final_message()
        else:
            whole = await client.messages.create(**asked)
        texts = "".join(block.text for block in whole.content if block.type == "text")
        calls = [(block.id, block.name, block.input) for block in whole.content if block.type == "tool_use"]
        reason = "tool_calls" if whole.stop_reason == "tool_use" else whole.stop_reason
        return texts, calls, reason, whole.usage.input_tokens + whole.usage.cache_read_input_tokens


async def gemini(url: str, streamed: bool) -> Any:
    from google import genai

    client: Any = genai.Client(api_key="k", http_options={"base_url": url})
    asked = {"model": "m", "contents": "Hi"}
    try:
        if streamed:
            pieces = [piece async for piece in await client.aio.models.generate_content_stream(**asked)]
        else:
            pieces = [await client.aio.models.generate_content(**asked)]
    finally:
        await client.aio.aclose()
        client.close()
    parts = [part for piece in pieces for part in piece.candidates[0].content.parts]
    made = [part.function_call for part in parts if part.function_call]
    calls = [(call.id, call.name, call.args) for call in made]
    text = "".join(part.text for part in parts if part.text)
    reason = "tool_calls" if calls else pieces[-1].candidates[0].finish_reason
    return text, calls, reason, pieces[-1].usage_metadata.prompt_token_count


async def ollama(url: str, streamed: bool) -> Any:
    from ollama import AsyncClient

    client: Any = AsyncClient(host=url)
    asked: Any = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    try:
        if streamed:
            rows = [row async for row in await client.chat(**asked, stream=True)]
        else:
            rows = [await client.chat(**asked)]
    finally:
        await client.close()
    calls = [call.function for row in rows for call in row.message.tool_calls or ()]
    text = "".join(row.message.content or "" for row in rows)
    named = [(id, call.name, call.arguments) for id, call in zip(["call_1", "call_2"], calls, strict=False)]
    return text, named, "tool_calls" if calls else rows[-1].done_reason, rows[-1].prompt_eval_count


def as_object(given: Any) -> Any:
    return json.loads(given) if isinstance(given, str) else given


CLIENTS: list[Callable[[str, bool], Any]] = [openai_chat, openai_responses, anthropic, gemini, ollama]


@keeps("testing.server")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("ask", CLIENTS)
async def test_each_providers_own_client_reads_the_script(ask: Callable[[str, bool], Any], streamed: bool) -> None:
    with ScriptedServer([ANSWER, "Done."], chunk_size=3) as server:
        text, calls, reason, tokens = await ask(server.url, streamed)
        assert (text, reason, tokens) == ("It is mild, ☀ later.", "tool_calls", 20)
        assert [(id, name, as_object(given)) for id, name, given in calls] == [
            ("call_1", "get_weather", dict(CALL.arguments)),
            ("call_2", "now", {}),
        ]
        text, calls, _, tokens = await ask(server.url, streamed)
        assert (text, calls) == ("Done.", [])
        assert tokens > 0


@keeps("testing.server")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("code", ["authentication_failed", "rate_limited", "model_not_found", "api_call_failed"])
@pytest.mark.parametrize("ask", CLIENTS)
async def test_each_providers_own_client_reads_an_error_as_one(ask: Callable[[str, bool], Any], code: str) -> None:
    with ScriptedServer([LLMError(code, "Not now.")]) as server, pytest.raises(Exception, match="Not now") as caught:
        await ask(server.url, False)
    status = {"authentication_failed": 401, "rate_limited": 429, "model_not_found": 404, "api_call_failed": 500}[code]
    assert status in (getattr(caught.value, "status_code", None), getattr(caught.value, "code", None))
