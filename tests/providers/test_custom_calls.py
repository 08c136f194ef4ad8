"""Calls whose input is a text of any form: here they have one argument, and go back as what they were."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolwright as tw
from tests.promises import keeps
from tests.wire import wire
from toolwright.providers import ChatResponse, codec

NAMES = ["openai-chat", "openai-responses"]
PATCH = '*** Begin Patch\n+ "Grüße" \\ 🏔\n*** End Patch'
BOTH = [("apply_patch", {"input": PATCH}), ("read_file", {"path": "a.txt"})]


def read(name: str, data: bytes) -> tuple[ChatResponse, list[tw.ToolCall | tw.InvalidToolCall]]:
    """Read a stream; return the answer, and the calls as whoever watched it put them together."""
    decoder, assembler = codec(name).stream_decoder(), tw.ToolCallAssembler()
    for event in decoder.feed(data):
        if isinstance(event, tw.ToolCallDelta):
            assembler.add(event)
    return decoder.close(), list(assembler.finish())


@keeps("codecs.custom_calls")
@pytest.mark.parametrize("name", NAMES)
def test_a_text_that_is_streamed_is_read_as_one_argument(name: str) -> None:
    response, watched = read(name, wire(name, "custom.sse"))
    assert [(call.name, dict(call.arguments)) for call in response.tool_calls] == BOTH
    assert [(call.name, dict(call.arguments)) for call in watched if isinstance(call, tw.ToolCall)] == BOTH
    assert (response.finish_reason, response.invalid_tool_calls) == ("tool_calls", ())


@keeps("codecs.custom_calls")
def test_a_text_that_came_whole_is_read_as_one_argument() -> None:
    response = codec("openai-chat").decode(wire("openai-chat", "custom.json"))
    assert [(call.name, dict(call.arguments)) for call in response.tool_calls] == BOTH


@keeps("codecs.custom_calls", "codecs.provider_data")
def test_a_call_goes_back_as_what_it_was_and_so_does_its_result() -> None:
    response, _ = read("openai-responses", wire("openai-responses", "custom.sse"))
    history = [response.to_message(), tw.tool_result("call_p", "Done!"), tw.tool_result("call_q", "Nothing.")]
    items = codec("openai-responses").encode(history)["input"]
    kinds = ["custom_tool_call", "function_call", "custom_tool_call_output", "function_call_output"]
    assert [item["type"] for item in items] == kinds
    assert (items[0]["id"], items[0]["input"]) == ("ctc_1", PATCH)
    chat, _ = read("openai-chat", wire("openai-chat", "custom.sse"))
    (sent,) = codec("openai-chat").encode([chat.to_message()])["messages"]
    assert sent["tool_calls"][0] == {
        "id": "call_p",
        "type": "custom",
        "custom": {"name": "apply_patch", "input": PATCH},
    }


@keeps("codecs.custom_calls", "codecs.crossing")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", ["anthropic", "gemini", "ollama"])
def test_elsewhere_it_is_an_ordinary_call(name: str, other: str) -> None:
    response, _ = read(name, wire(name, "custom.sse"))
    messages, _ = codec(other).parse_messages(codec(other).encode([tw.user("Mend it."), response.to_message()]))
    assert [(call.name, dict(call.arguments)) for call in messages[1].tool_calls] == BOTH


@keeps("codecs.custom_calls", "formats.cut")
@pytest.mark.parametrize("name", NAMES)
@given(end=st.integers(0, 10_000))
def test_a_text_that_was_cut_is_an_invalid_call_that_goes_back_as_far_as_it_came(name: str, end: int) -> None:
    data = wire(name, "custom.sse")
    response, _ = read(name, data[: end % len(data)])
    if response.finish_reason != "error":
        return
    for broken in response.invalid_tool_calls[:1]:
        if broken.name == "apply_patch":
            text = json.dumps(codec(name).encode([response.to_message()]), ensure_ascii=False)
            came = json.loads(broken.arguments_text + '"}')["input"]
            assert PATCH.startswith(came)
            assert json.dumps(came, ensure_ascii=False) in text


@keeps("codecs.custom_calls")
@pytest.mark.parametrize("name", NAMES)
def test_a_text_that_somebody_changed_is_sent_as_it_is_now(name: str) -> None:
    kept = {name: {"custom": True}}
    texts: list[dict[str, Any]] = [{"input": "new"}, {"text": 1}]
    calls = [tw.ToolCall(f"c{place}", "apply_patch", text, kept) for place, text in enumerate(texts)]
    body = codec(name).encode([tw.assistant(None, calls)])
    sent = body["messages"][0]["tool_calls"] if name == "openai-chat" else body["input"]
    assert [(call.get("custom") or call)["input"] for call in sent] == ["new", '{"text":1}']


@keeps("codecs.custom_calls", "codecs.invalid_calls_sent_back")
@pytest.mark.parametrize("name", NAMES)
def test_an_input_that_was_no_text_at_all_is_sent_back_as_it_was(name: str) -> None:
    broken = tw.InvalidToolCall("c1", "apply_patch", "[no", "It is not an object.", {name: {"custom": True}})
    body = codec(name).encode([tw.assistant(None, (), [broken])])
    sent = (body.get("messages") or [{"tool_calls": body.get("input")}])[0]["tool_calls"][0]
    assert (sent.get("custom") or sent)["input"] == "[no"


@keeps("codecs.custom_calls")
@pytest.mark.parametrize("name", NAMES)
def test_a_tool_that_takes_a_text_is_read_as_a_function_of_it(name: str) -> None:
    request = json.loads(wire(name, "custom.request.json"))
    messages, tools = codec(name).parse_messages(request)
    assert [(tool.name, list(tool.parameters.required)) for tool in tools] == [("apply_patch", ["input"])]
    assert messages[1].tool_calls[0].arguments == {"input": PATCH}
    again = codec(name).encode(messages)
    key = "messages" if name == "openai-chat" else "input"
    assert again[key] == request[key]
