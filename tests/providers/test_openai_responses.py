"""What servers of the responses format really send, each case in bytes of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

import toolwright as tw
from tests.promises import keeps
from tests.wire import wire
from toolwright.providers import ChatResponse, ReasoningDelta, TextDelta, Usage, codec
from toolwright.tools.definition import ToolDefinition

NAME = "openai-responses"
RESPONSES = codec(NAME)
TOOL = ToolDefinition(name="look", description="Look.", parameters={"type": "object", "properties": {}})


def read(data: bytes) -> ChatResponse:
    decoder = RESPONSES.stream_decoder()
    decoder.feed(data)
    return decoder.close()


def sse(*events: dict[str, Any], end: str = "") -> bytes:
    return ("".join(f"data: {json.dumps(event)}\n\n" for event in events) + end).encode()


def whole(*output: Any, **fields: Any) -> ChatResponse:
    body = {"id": "resp_1", "object": "response", "status": "completed", "model": "m-2", "output": output, **fields}
    return RESPONSES.decode(json.dumps(body).encode())


def message(*texts: str, **fields: Any) -> dict[str, Any]:
    parts = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": parts, **fields}


def call(arguments: Any = "{}", **fields: Any) -> dict[str, Any]:
    return {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": arguments, **fields}


@keeps("quirk.21", "quirk.3", "quirk.4")
def test_items_that_were_done_are_kept_where_the_last_event_has_none() -> None:
    response = read(wire(NAME, "empty_output.sse"))
    assert (response.text, response.finish_reason) == ("Zürich 🏔", "stop")
    assert b"[DONE]" in wire(NAME, "empty_output.sse")
    assert b"event:" not in wire(NAME, "empty_output.sse")
    assert response == read(wire(NAME, "text.sse"))


@keeps("quirk.22", "quirk.24", "codecs.provider_data")
def test_several_messages_are_one_text_and_go_back_as_they_came() -> None:
    response = read(wire(NAME, "server_items.sse"))
    assert response.text == "One. Two."
    sent = RESPONSES.encode([response.to_message()])["input"]
    assert [item["type"] for item in sent] == ["web_search_call", "message", "message"]
    assert [item["id"] for item in sent] == ["ws_1", "msg_1", "msg_2"]
    assert [item["content"][0]["text"] for item in sent[1:]] == ["One. ", "Two."]
    assert sent[2]["phase"] == "final_answer"
    assert sent[0]["action"] == {"type": "search", "query": "x"}


@keeps("quirk.23")
def test_a_result_answers_the_call_id_and_the_item_keeps_its_own() -> None:
    response = read(wire(NAME, "calls.sse"))
    assert [(one.id, one.name, dict(one.arguments)) for one in response.tool_calls] == [
        ("call_a", "read_file", {"path": "a.txt"}),
        ("call_b", "get_weather", {"city": "Bern"}),
    ]
    sent = RESPONSES.encode([response.to_message(), tw.tool_result("call_a", "Nothing.")])["input"]
    assert [item["type"] for item in sent] == ["reasoning", "function_call", "function_call", "function_call_output"]
    assert (sent[1]["id"], sent[1]["call_id"]) == ("fc_1", "call_a")
    assert sent[3] == {"type": "function_call_output", "call_id": "call_a", "output": "Nothing."}
    assert sent[0]["encrypted_content"] == "gAAAAenc+/=="


@keeps("quirk.23", "codecs.arguments")
def test_a_call_without_call_id_has_the_id_of_its_item_and_one_without_any_gets_one() -> None:
    response = whole(call(call_id=None), call(call_id=None, id=None), call({"x": 1}, call_id="fc_1"))
    assert [one.id for one in response.tool_calls] == ["fc_1", "call_1", "fc_1_2"]
    assert dict(response.tool_calls[2].arguments) == {"x": 1}
    sent = RESPONSES.encode([response.to_message()])["input"]
    assert [item["call_id"] for item in sent] == ["fc_1", "call_1", "fc_1_2"]


@keeps("quirk.24")
def test_unknown_items_events_and_parts_are_passed_over() -> None:
    odd = message("Yes.")
    odd["content"].append({"type": "brand_new", "value": 1})
    response = whole({"type": "brand_new_item", "id": "x"}, odd)
    assert (response.text, response.finish_reason) == ("Yes.", "stop")
    sent = RESPONSES.encode([response.to_message()])["input"]
    assert sent[0] == {"type": "brand_new_item", "id": "x"}
    assert sent[1]["content"][1] == {"type": "brand_new", "value": 1}


@keeps("quirk.25")
@pytest.mark.parametrize(
    ("fields", "finish"),
    [
        ({"status": "completed"}, "stop"),
        ({"status": "complete"}, "stop"),
        ({"status": "in_progress"}, "stop"),
        ({"status": None}, "stop"),
        ({"status": "incomplete"}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ({"status": "failed"}, "error"),
        ({"status": "cancelled"}, "error"),
    ],
)
def test_a_status_says_how_the_answer_ended(fields: dict[str, Any], finish: str) -> None:
    assert whole(message("Yes."), **fields).finish_reason == finish


@keeps("quirk.25")
def test_an_answer_that_is_only_queued_is_none() -> None:
    response = RESPONSES.decode(wire(NAME, "queued.json"))
    assert (response.finish_reason, response.text, response.model) == ("error", None, "gpt-test-2")


@keeps("quirk.25", "quirk.17")
def test_a_call_that_was_cut_is_an_invalid_one_even_without_arguments() -> None:
    for response in (RESPONSES.decode(wire(NAME, "incomplete.json")), read(wire(NAME, "length.sse"))):
        assert (response.finish_reason, response.tool_calls) == ("length", ())
        assert [one.id for one in response.invalid_tool_calls] == ["call_a"]


@keeps("quirk.26", "codecs.failure")
def test_both_ways_to_fail_are_read_and_the_model_is_known() -> None:
    failed, error = read(wire(NAME, "failed.sse")), read(wire(NAME, "error.sse"))
    for response in (failed, error):
        assert (response.finish_reason, response.model) == ("error", "gpt-test-2")
    assert failed.failure is not None
    assert error.failure is not None
    assert (failed.text, failed.failure.message, failed.failure.retryable) == ("Zürich ", "The model broke down.", True)
    assert (error.failure.code, error.failure.message) == ("rate_limited", "Slow down.")


@keeps("quirk.26")
def test_the_model_is_known_from_the_first_event_alone() -> None:
    created = {"type": "response.created", "response": {"status": "in_progress", "model": "m-2", "output": []}}
    done = {"type": "response.completed", "response": {"status": "completed", "output": [message("Yes.")]}}
    assert read(sse(created, done)).model == "m-2"


@keeps("quirk.19", "codecs.failure")
def test_an_error_body_is_an_error_and_no_exception() -> None:
    response = RESPONSES.decode(wire(NAME, "error.json"))
    assert response.failure is not None
    assert (response.finish_reason, response.failure.code) == ("error", "model_not_found")


@keeps("codecs.broken_off", "quirk.6")
def test_a_stream_that_breaks_off_keeps_its_pieces() -> None:
    response = read(wire(NAME, "cut.sse"))
    assert (response.finish_reason, response.reasoning, response.tool_calls) == ("error", "Look first.", ())
    assert response.invalid_tool_calls[0].arguments_text == '{"path":'


@keeps("codecs.events")
def test_what_was_not_streamed_in_pieces_is_told_when_it_is_whole() -> None:
    done: list[dict[str, Any]] = [
        {"type": "response.output_item.done", "output_index": 0, "item": message("Yes.")},
        {"type": "response.output_item.done", "output_index": 1, "item": call('{"x":1}')},
        {
            "type": "response.completed",
            "response": {"status": "completed", "output": [message("Yes."), call('{"x":1}')]},
        },
    ]
    decoder = RESPONSES.stream_decoder()
    events = decoder.feed(sse(*done))
    assert events == [
        TextDelta("Yes."),
        tw.ToolCallDelta(0, "c1", "look", ""),
        tw.ToolCallDelta(0, None, None, '{"x":1}'),
    ]
    assert decoder.close().tool_calls == (whole(call('{"x":1}')).tool_calls)


@keeps("quirk.18")
def test_thoughts_come_in_paragraphs() -> None:
    def thought(index: int, text: str) -> dict[str, Any]:
        kind = "response.reasoning_summary_text.delta"
        return {"type": kind, "output_index": 0, "summary_index": index, "delta": text}

    summary = [{"type": "summary_text", "text": "One."}, {"type": "summary_text", "text": "Two."}]
    item = {"type": "reasoning", "id": "rs_1", "summary": summary}
    decoder = RESPONSES.stream_decoder()
    done = {"type": "response.completed", "response": {"output": [item, message("Yes.")]}}
    events = decoder.feed(sse(thought(0, "One"), thought(0, "."), thought(1, "Two."), done))
    response = decoder.close()
    assert response.reasoning == "One.\n\nTwo."
    assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == "One.\n\nTwo."


@keeps("quirk.18")
def test_a_refusal_is_read_and_goes_back_as_one() -> None:
    response = RESPONSES.decode(wire(NAME, "refusal.json"))
    assert (response.text, response.refusal) == (None, "I will not.")
    sent = RESPONSES.encode([response.to_message()])["input"]
    assert sent[0]["content"] == [{"type": "refusal", "refusal": "I will not."}]


@keeps("quirk.18", "codecs.only_llm_error")
def test_a_refusal_that_is_no_text_is_sent_back_all_the_same() -> None:
    strange = message(content=[{"type": "refusal", "refusal": {"why": 1}}])
    refused = message(content=[{"type": "refusal", "refusal": "No."}])
    sent = RESPONSES.encode([whole(refused, strange).to_message()])["input"]
    assert [item["content"][0]["refusal"] for item in sent] == ["No.", {"why": 1}]


def test_usage_is_read_with_its_details() -> None:
    expected = Usage(input_tokens=40, output_tokens=20, cached_tokens=8, reasoning_tokens=12)
    assert RESPONSES.decode(wire(NAME, "message.json")).usage == expected


@keeps("codecs.provider_data")
def test_a_message_that_was_changed_is_sent_as_it_is_now() -> None:
    response = whole(message("Old words."), call('{"x":1}'), call('{"y":2}', call_id="c2", id="fc_2"))
    kept = response.to_message()
    changed = replace(kept, content="New", tool_calls=kept.tool_calls[1:])
    said, made = RESPONSES.encode([changed])["input"]
    assert said == {"role": "assistant", "content": "New"}
    assert (made["id"], made["call_id"], made["arguments"]) == ("fc_2", "c2", '{"y":2}')


@keeps("codecs.inverse")
def test_a_request_of_another_program_is_written_again_item_by_item() -> None:
    request = json.loads(wire(NAME, "agent.request.json"))
    del request["input"][1]["type"]  # a question is a message without saying so
    messages, tools = RESPONSES.parse_messages(request)
    assert [each.role.value for each in messages] == [
        "system",
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    assert RESPONSES.encode(messages, tools, model="gpt-test-2") == _without_logprobs(request)
    assert RESPONSES.parse_messages({"input": "Hi"})[0] == (tw.user("Hi"),)


def _without_logprobs(value: Any) -> Any:
    """Leave out what was only of use once."""
    if isinstance(value, list):
        return [_without_logprobs(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_logprobs(item) for key, item in value.items() if key != "logprobs"}
    return value


@keeps("codecs.inverse")
@pytest.mark.parametrize("wrong", [None, 5, {}, {"role": "robot", "content": ""}, {"type": "function_call_output"}])
def test_what_cannot_be_an_item_is_refused_with_its_place(wrong: Any) -> None:
    with pytest.raises(tw.InvalidMessageError, match=r"input\[1\]"):
        RESPONSES.parse_messages({"input": [{"role": "user", "content": "Hi"}, wrong]})


@keeps("codecs.options", "codecs.strict")
def test_options_are_written_as_the_format_has_them() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    body = RESPONSES.encode(
        [tw.user("Hi")], [TOOL], stream=True, tool_choice="look", max_tokens=9, response_schema=schema, temperature=0
    )
    assert body["tool_choice"] == {"type": "function", "name": "look"}
    assert (body["stream"], body["max_output_tokens"], body["temperature"]) == (True, 9, 0)
    assert (body["text"]["format"]["type"], body["text"]["format"]["strict"]) == ("json_schema", True)
    assert (body["tools"][0]["strict"], body["tools"][0]["name"]) == (True, "look")


@keeps("codecs.options")
def test_stop_texts_are_refused_with_what_to_do_instead() -> None:
    with pytest.raises(ValueError, match="openai-chat"):
        RESPONSES.encode([tw.user("Hi")], stop="END")
