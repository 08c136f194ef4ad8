"""What Cohere's chat is read as, and what it is sent: a sixth format, by the page on adding one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

import toolwright as tw
from tests.promises import keeps
from tests.wire import wire
from toolwright.providers import ChatResponse, Usage, codec
from toolwright.tools.definition import ToolDefinition

NAME = "cohere"
COHERE = codec(NAME)
TOOL = ToolDefinition(name="look", description="Look.", parameters={"type": "object", "properties": {}})


def read(file: str) -> ChatResponse:
    if file.endswith(".json"):
        return COHERE.decode(wire(NAME, file))
    decoder = COHERE.stream_decoder()
    decoder.feed(wire(NAME, file))
    return decoder.close()


def sent(response: ChatResponse) -> dict[str, Any]:
    """The message that the next request has for this answer."""
    (message,) = COHERE.encode([response.to_message()])["messages"]
    return dict(message)


def calls(response: ChatResponse) -> list[Any]:
    return [(call.id, call.name, dict(call.arguments)) for call in response.tool_calls]


@keeps("cohere.answers")
def test_a_text_is_read_with_what_it_took_and_its_citations_go_back() -> None:
    response = read("text.sse")
    assert (response.text, response.finish_reason) == ("Zürich ist schön 🏔.", "stop")
    assert response.usage == Usage(input_tokens=215, output_tokens=14, cached_tokens=96)
    assert sent(response)["citations"][0]["text"] == "Zürich"


@keeps("cohere.answers", "quirk.43")
def test_calls_are_read_and_the_plan_for_them_is_what_the_model_thought() -> None:
    response = read("calls.sse")
    assert response.reasoning == "I will read both."
    assert calls(response) == [("read_file_e8p4", "read_file", {"path": "a.txt"}), ("get-time_pyxs", "get_time", {})]
    message = sent(response)
    assert message["tool_plan"] == "I will read both."
    assert [call["function"]["name"] for call in message["tool_calls"]] == ["read_file", "get-time"]
    whole = read("calls.json")
    assert [one[1:] for one in calls(whole)] == [("read_file", {"path": "a.txt"}), ("now", {})]
    assert (whole.reasoning, whole.finish_reason) == ("I will look.", "tool_calls")


@keeps("cohere.answers")
@pytest.mark.parametrize("file", ["thinking.sse", "message.json"])
def test_thoughts_are_told_from_the_text_and_go_back_in_their_place(file: str) -> None:
    response = read(file)
    assert (response.reasoning, response.text) == ("Let me see.", "2 + 2 = 4")
    parts = [{"type": "thinking", "thinking": "Let me see."}, {"type": "text", "text": "2 + 2 = 4"}]
    assert sent(response)["content"] == parts
    (changed,) = COHERE.encode([replace(response.to_message(), content="4")])["messages"]
    assert changed["content"] == [parts[0], {"type": "text", "text": "4"}]


@keeps("cohere.answers", "formats.cut")
@pytest.mark.parametrize(("file", "finish"), [("cut.sse", "error"), ("length.sse", "length")])
def test_a_call_that_was_cut_is_an_invalid_one(file: str, finish: str) -> None:
    response = read(file)
    assert (response.finish_reason, response.tool_calls) == (finish, ())
    assert [call.arguments_text for call in response.invalid_tool_calls] == ['{"pa']


@keeps("cohere.answers", "codecs.failure")
def test_errors_are_read_in_a_stream_and_in_a_body() -> None:
    broken, refused = read("error.sse"), read("error.json")
    assert broken.failure is not None
    assert refused.failure is not None
    assert (broken.text, broken.finish_reason, broken.failure.message) == ("Half", "error", "the model broke down")
    assert (refused.finish_reason, refused.failure.message[:15]) == ("error", "invalid request")
    assert COHERE.decode(b'data: {"type":"message-end","delta":{"finish_reason":"COMPLETE"}}').finish_reason == "stop"


@keeps("cohere.requests", "codecs.inverse")
def test_a_request_of_another_program_is_written_again_as_it_was() -> None:
    request = json.loads(wire(NAME, "agent.request.json"))
    messages, tools = COHERE.parse_messages(request)
    assert [message.content for message in messages[1:5]] == [
        "What is this?\n[image_url]", None, '{"lines":"2"}', "It has two lines."
    ]  # fmt: skip
    assert COHERE.encode(messages, tools, model="command-a") == request


@keeps("cohere.requests", "codecs.options")
def test_options_are_written_as_the_format_has_them_or_refused() -> None:
    asked = [tw.user("Hi")]
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}}
    options: dict[str, Any] = {
        "stream": True,
        "tool_choice": "required",
        "max_tokens": 9,
        "temperature": 0,
        "stop": "E",
    }
    body = COHERE.encode(asked, [TOOL], response_schema=schema, **options)
    assert (body["stream"], body["tool_choice"], body["max_tokens"], body["temperature"]) == (True, "REQUIRED", 9, 0)
    assert (body["stop_sequences"], body["response_format"]["type"]) == (["E"], "json_object")
    assert "tool_choice" not in COHERE.encode(asked, [TOOL], tool_choice="auto")
    with pytest.raises(ValueError, match="offer that one alone"):
        COHERE.encode(asked, [TOOL], tool_choice="look")
    with pytest.raises(ValueError, match="one call at a time"):
        COHERE.encode(asked, [TOOL], parallel_tool_calls=False)


@keeps("cohere.requests", "codecs.invalid_calls_sent_back")
def test_an_invalid_call_is_sent_back_as_it_was_under_a_legal_name() -> None:
    broken = tw.InvalidToolCall("c1", "look at?", "{no", "It is not JSON.")
    (message,) = COHERE.encode([tw.assistant(None, (), [broken])])["messages"]
    assert message["tool_calls"][0]["function"] == {"name": "look_at_", "arguments": "{no"}
