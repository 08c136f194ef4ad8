"""The official client reads the same bytes: what it makes of them is what we make of them."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from openai import OpenAI

import toolwright as tw
from tests.promises import keeps
from tests.wire import wire
from toolwright.providers import ChatResponse, codec

# What its documents describe; the other files hold what its client cannot read, or reads wrongly.
CHAT = ["azure.sse", "calls.sse", "crlf_comments.sse", "groq.sse", "message.json", "reasoning.sse", "refusal.sse",
        "signatures.sse", "text.sse", "two_calls.json", "usage_on_finish.sse"]  # fmt: skip
RESPONSES = [
    "calls.json",
    "calls.sse",
    "incomplete.json",
    "message.json",
    "refusal.json",
    "server_items.sse",
    "text.sse",
]
FINISHES = {"completed": "stop", "incomplete": "length"}


def client(data: bytes) -> OpenAI:
    """Return the official client, before a server that answers with these bytes."""
    kind = "text/event-stream" if data.lstrip()[:1] != b"{" else "application/json"
    answer = httpx2.MockTransport(lambda _: httpx2.Response(200, content=data, headers={"content-type": kind}))
    http = httpx2.Client(transport=answer)
    return OpenAI(api_key="none", base_url="http://test/v1", max_retries=0, http_client=http)


def ours(name: str, file: str) -> ChatResponse:
    if file.endswith(".json"):
        return codec(name).decode(wire(name, file))
    decoder = codec(name).stream_decoder()
    decoder.feed(wire(name, file))
    return decoder.close()


def calls(name: str, response: ChatResponse) -> list[Any]:
    """What was called, under the names of the wire; invalid calls by their text."""
    listed: list[Any] = []
    both: list[tw.ToolCall | tw.InvalidToolCall] = [*response.tool_calls, *response.invalid_tool_calls]
    for one in both:
        kept = (one.provider_data or {}).get(name, {})
        listed.append((one.id, kept.get("name", one.name), getattr(one, "arguments_text", None)))
    return listed


def theirs(listed: list[Any], response: ChatResponse) -> list[Any]:
    broken = {one.id for one in response.invalid_tool_calls}
    return [(id, name, text if id in broken else None) for id, name, text in listed]


@keeps("codecs.oracle")
@pytest.mark.parametrize("file", CHAT)
def test_chat_answers_are_what_the_official_client_reads(file: str) -> None:
    response = ours("openai-chat", file)
    completions = client(wire("openai-chat", file)).chat.completions
    question: Any = [{"role": "user", "content": "?"}]
    completion: Any
    if file.endswith(".json"):
        completion = completions.create(model="m", messages=question)
    else:
        with completions.stream(model="m", messages=question) as stream:
            for _ in stream:
                pass
            completion = stream.get_final_completion()
    (choice,) = completion.choices
    assert (response.text or "") == (choice.message.content or "")
    assert (response.refusal or None) == (choice.message.refusal or None)
    listed = [(one.id, one.function.name, one.function.arguments) for one in choice.message.tool_calls or ()]
    assert calls("openai-chat", response) == theirs(listed, response)
    assert response.finish_reason == choice.finish_reason or response.tool_calls
    assert response.usage.input_tokens == (completion.usage and completion.usage.prompt_tokens) or "groq" in file
    assert response.model == (completion.model or response.model)


@keeps("codecs.oracle")
@pytest.mark.parametrize("file", RESPONSES)
def test_responses_are_what_the_official_client_reads(file: str) -> None:
    response = ours("openai-responses", file)
    resource = client(wire("openai-responses", file)).responses
    answer: Any
    if file.endswith(".json"):
        answer = resource.create(model="m", input="?")
    else:
        with resource.stream(model="m", input="?") as stream:
            for _ in stream:
                pass
            answer = stream.get_final_response()
    assert (response.text or "") == answer.output_text
    listed = [(one.call_id, one.name, one.arguments) for one in answer.output if one.type == "function_call"]
    assert calls("openai-responses", response) == theirs(listed, response)
    assert response.finish_reason == FINISHES[answer.status] or response.tool_calls
    assert (response.usage.input_tokens, response.usage.output_tokens) == (
        answer.usage.input_tokens,
        answer.usage.output_tokens,
    )
    assert response.model == answer.model
