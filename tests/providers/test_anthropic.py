from __future__ import annotations

import json
from typing import Any

import anthropic
import httpx2
import pytest

import toolwright as tw
from tests.promises import keeps
from tests.wire import bodies, streams, wire
from toolwright.providers import ChatResponse, ReasoningDelta, TextDelta, codec
from toolwright.tools.definition import ToolDefinition

CODEC = codec("anthropic")
FINISHES = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "content_filter"}

Event = dict[str, Any]


def streamed(*events: Event | str) -> ChatResponse:
    """Decode a stream of these events; texts are put in as they are."""
    decoder = CODEC.stream_decoder()
    for event in events:
        text = event if isinstance(event, str) else f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
        decoder.feed(text.encode())
    return decoder.close()


def whole(**message: Any) -> ChatResponse:
    plain = {"type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn", "content": []}
    return CODEC.decode(json.dumps({**plain, **message}).encode())


def began(index: int, **block: Any) -> Event:
    return {"type": "content_block_start", "index": index, "content_block": block}


def grew(index: int, kind: str, **delta: Any) -> Event:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **delta}}


def ended(reason: str | None = "end_turn", **usage: Any) -> Event:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


START: Event = {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 9, "output_tokens": 1}}}
STOP: Event = {"type": "message_stop"}
PING: Event = {"type": "ping"}


def sent_back(response: ChatResponse) -> list[Event]:
    """The blocks that the next request has for this answer."""
    ids = [call.id for call in response.tool_calls] + [call.id for call in response.invalid_tool_calls]
    results = [tw.tool_result(id, "ok") for id in ids]
    turns = CODEC.encode([tw.user("Hello"), response.to_message(), *results])["messages"]
    content = turns[1]["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


# The official client as the judge


def official(file: str) -> Any:
    """Return the message that the official client reads from a file."""
    kind = "application/json" if file.endswith(".json") else "text/event-stream"
    answer = httpx2.Response(200, content=wire("anthropic", file), headers={"content-type": kind})
    with httpx2.Client(transport=httpx2.MockTransport(lambda request: answer)) as http:
        client = anthropic.Anthropic(api_key="none", http_client=http, max_retries=0)
        question: Any = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello"}]}
        if file.endswith(".json"):
            return client.beta.messages.create(**question)
        with client.beta.messages.stream(**question) as stream:
            return stream.get_final_message()


JUDGED = [file for file in (*streams("anthropic"), *bodies("anthropic")) if file not in ("error.sse", "cut.sse")]


@keeps("codecs.oracle")
@pytest.mark.parametrize("file", JUDGED)
def test_an_answer_is_what_the_official_client_reads(file: str) -> None:
    message = official(file)
    decoder = CODEC.stream_decoder()
    decoder.feed(wire("anthropic", file))
    response = CODEC.decode(wire("anthropic", file)) if file.endswith(".json") else decoder.close()
    blocks = message.content
    assert (response.text or "") == "".join(block.text for block in blocks if block.type == "text")
    assert (response.reasoning or "") == "".join(block.thinking for block in blocks if block.type == "thinking")
    calls = [(block.id, block.name, block.input) for block in blocks if block.type == "tool_use"]
    assert [(call.id, call.name, call.arguments) for call in response.tool_calls] == calls
    expected = FINISHES.get(message.stop_reason, "tool_calls" if calls else "stop")
    assert response.finish_reason == expected
    assert response.model == message.model
    usage = message.usage
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    assert response.usage.input_tokens == usage.input_tokens + cached
    assert response.usage.cached_tokens == usage.cache_read_input_tokens
    assert response.usage.output_tokens == usage.output_tokens


@keeps("codecs.oracle", "formats.exact", "formats.kept")
@pytest.mark.parametrize("file", [file for file in JUDGED if file not in ("empty.json", "refusal.sse")])
def test_all_that_the_official_client_reads_is_sent_back_in_its_order(file: str) -> None:
    decoder = CODEC.stream_decoder()
    decoder.feed(wire("anthropic", file))
    response = CODEC.decode(wire("anthropic", file)) if file.endswith(".json") else decoder.close()
    expected = [block.model_dump(mode="json", exclude_none=True) for block in official(file).content]
    back = [{key: value for key, value in block.items() if value is not None} for block in sent_back(response)]
    for block in (*expected, *back):  # the client drops nulls at every depth, and adds fields of its own
        block.pop("parsed_output", None)
        block["content"] = json.dumps(block.get("content"), sort_keys=True).replace(', "page_age": null', "")
    assert back == expected


# What servers were seen to send


@keeps("quirk.27")
def test_pings_may_come_anywhere() -> None:
    events = [START, began(0, type="text", text=""), grew(0, "text_delta", text="Hi"), ended(), STOP]
    pinged = [PING, *(event for one in events for event in (one, PING))]
    assert streamed(*pinged) == streamed(*events)
    assert streamed(*events).text == "Hi"


@keeps("quirk.28")
@pytest.mark.parametrize("deltas", [[], [""], ["", ""], ["{}"], [" "]])
def test_a_call_without_arguments_has_none(deltas: list[str]) -> None:
    pieces = [grew(0, "input_json_delta", partial_json=piece) for piece in deltas]
    call = began(0, type="tool_use", id="t", name="now", input={})
    response = streamed(START, call, *pieces, ended("tool_use"), STOP)
    assert response.tool_calls == (tw.ToolCall("t", "now"),)
    assert response.finish_reason == "tool_calls"


@keeps("quirk.29", "formats.kept")
@pytest.mark.parametrize("kind", ["server_tool_use", "mcp_tool_use"])
def test_tools_at_the_provider_are_no_calls_and_are_sent_back_with_their_input(kind: str) -> None:
    response = streamed(
        START,
        began(0, type=kind, id="s", name="web_search", input={}),
        grew(0, "input_json_delta", partial_json='{"query": '),
        grew(0, "input_json_delta", partial_json='"cats"}'),
        began(1, type="web_search_tool_result", tool_use_id="s", content=[{"url": "u", "page_age": None}]),
        began(2, type="text", text="Cats."),
        ended(),
        STOP,
    )
    assert response.tool_calls == ()
    assert response.finish_reason == "stop"
    assert sent_back(response) == [
        {"type": kind, "id": "s", "name": "web_search", "input": {"query": "cats"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"url": "u", "page_age": None}]},
        {"type": "text", "text": "Cats."},
    ]


@keeps("quirk.30", "formats.exact")
def test_thinking_signatures_citations_and_compactions_are_put_together_and_sent_back() -> None:
    citation = {"type": "char_location", "cited_text": "é", "start_char_index": 0}
    response = streamed(
        START,
        began(0, type="compaction", content=None),
        grew(0, "compaction_delta", content="Earlier.", encrypted_content="eA=="),
        began(1, type="thinking", thinking="", signature=""),
        grew(1, "thinking_delta", thinking="Hm"),
        grew(1, "thinking_delta", thinking=" é"),
        grew(1, "signature_delta", signature="Eu+/="),
        began(2, type="redacted_thinking", data="//8="),
        began(3, type="text", text=""),
        grew(3, "text_delta", text="Yes"),
        grew(3, "citations_delta", citation=citation),
        began(4, type="tool_use", id="t", name="now", input={}, caller={"type": "direct"}),
        ended("tool_use"),
        STOP,
    )
    assert response.reasoning == "Hm é"
    assert sent_back(response) == [
        {"type": "compaction", "content": "Earlier.", "encrypted_content": "eA=="},
        {"type": "thinking", "thinking": "Hm é", "signature": "Eu+/="},
        {"type": "redacted_thinking", "data": "//8="},
        {"type": "text", "text": "Yes", "citations": [citation]},
        {"type": "tool_use", "id": "t", "name": "now", "input": {}, "caller": {"type": "direct"}},
    ]


@keeps("quirk.31")
def test_an_answer_without_content_is_one_and_is_not_sent_back() -> None:
    response = whole(content=[])
    assert response.text is None
    assert response.finish_reason == "stop"
    turns = CODEC.encode([tw.user("Hello"), response.to_message(), tw.user("Hello?")])["messages"]
    assert turns == [
        {"role": "user", "content": [{"type": "text", "text": "Hello"}, {"type": "text", "text": "Hello?"}]}
    ]


@keeps("quirk.32")
def test_later_usage_overrides_and_cached_tokens_are_counted_in() -> None:
    start = {"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 30, "output_tokens": 1}
    message = {"type": "message_start", "message": {"model": "m", "usage": start}}
    response = streamed(
        message, ended(None, output_tokens=2), ended("end_turn", input_tokens=11, output_tokens=7), STOP
    )
    usage = response.usage
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (241, 200, 7)


@keeps("quirk.33")
@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("pause_turn", "stop"),
        ("refusal", "content_filter"),
        ("model_context_window_exceeded", "length"),
        ("max_tokens", "length"),
        ("stop_sequence", "stop"),
        ("something_new", "stop"),
    ],
)
def test_every_reason_to_stop_is_understood(reason: str, finish: str) -> None:
    assert streamed(START, began(0, type="text", text="Hi"), ended(reason), STOP).finish_reason == finish
    assert whole(content=[{"type": "text", "text": "Hi"}], stop_reason=reason).finish_reason == finish


@keeps("quirk.33")
def test_a_second_start_goes_on_with_the_same_answer() -> None:
    response = streamed(
        START,
        began(0, type="text", text="One "),
        ended("pause_turn", output_tokens=3),
        START,
        began(0, type="text", text=""),
        grew(0, "text_delta", text="two"),
        ended("end_turn", output_tokens=5),
        STOP,
    )
    assert response.text == "One two"
    assert [block["text"] for block in sent_back(response)] == ["One ", "two"]
    assert response.usage.output_tokens == 5


@keeps("quirk.33")
def test_an_answer_that_broke_off_after_a_second_start_is_an_error() -> None:
    assert streamed(START, began(0, type="text", text="One"), ended(), START).finish_reason == "error"


@keeps("formats.cut")
@pytest.mark.parametrize("text", ["", " ", '{"path": "a', '{"path": "a"', '{"path"'])
def test_arguments_that_were_cut_off_make_an_invalid_call(text: str) -> None:
    call = began(0, type="tool_use", id="t", name="write", input={})
    for ending in ([ended("max_tokens"), STOP], []):
        response = streamed(START, call, grew(0, "input_json_delta", partial_json=text), *ending)
        assert response.tool_calls == ()
        assert response.invalid_tool_calls[0].arguments_text.strip() == text.strip()


@keeps("formats.cut")
def test_a_call_without_arguments_that_was_complete_when_the_answer_was_cut_is_a_call() -> None:
    call = {"type": "tool_use", "id": "t", "name": "now", "input": {}}
    text = {"type": "text", "text": "And then"}
    assert whole(content=[call, text], stop_reason="max_tokens").tool_calls == (tw.ToolCall("t", "now"),)
    assert whole(content=[text, call], stop_reason="max_tokens").tool_calls == ()
    response = streamed(START, began(0, **call), began(1, **text), ended("max_tokens"), STOP)
    assert response.tool_calls == (tw.ToolCall("t", "now"),)


@pytest.mark.parametrize(
    ("value", "arguments"),
    [({"a": 1}, {"a": 1}), ('{"a": 1}', {"a": 1}), ('"{\\"a\\": 1}"', {"a": 1}), (None, {}), ("", {}), ("null", {})],
)
def test_an_input_may_be_an_object_a_text_or_a_text_of_a_text(value: Any, arguments: Any) -> None:
    response = whole(content=[{"type": "tool_use", "id": "t", "name": "look", "input": value}], stop_reason="tool_use")
    assert response.tool_calls == (tw.ToolCall("t", "look", arguments),)


@keeps("codecs.failure")
def test_an_error_in_the_middle_keeps_what_arrived() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    response = streamed(START, began(0, type="text", text="Half"), error)
    assert (response.text, response.finish_reason) == ("Half", "error")
    assert response.failure is not None
    assert (response.failure.message, response.failure.retryable) == ("Overloaded", True)
    assert CODEC.decode(json.dumps(error).encode()).failure == response.failure
    assert streamed(json.dumps(error)).failure == response.failure


def test_events_are_given_out_as_they_arrive() -> None:
    decoder = CODEC.stream_decoder()
    data = f"data: {json.dumps(grew(0, 'text_delta', text='Hi'))}\n\n".encode()
    assert decoder.feed(data[:-1]) == []
    assert decoder.feed(data[-1:]) == [TextDelta("Hi")]  # its beginning was lost, which is no reason to lose the text
    thought = f"data: {json.dumps(grew(1, 'thinking_delta', thinking='Hm'))}\n\n".encode()
    assert decoder.feed(thought) == [ReasoningDelta("Hm")]


@keeps("codecs.linear")
def test_many_calls_of_one_id_are_told_apart_without_counting_each_time() -> None:
    blocks = [{"type": "tool_use", "id": "t", "name": "look", "input": {"n": number}} for number in range(20_000)]
    calls = whole(content=blocks, stop_reason="tool_use").tool_calls
    assert len({call.id for call in calls}) == 20_000
    assert calls[2].id == "t_3"


# What requests look like


def test_a_request_has_what_the_api_needs() -> None:
    body = CODEC.encode([tw.system("Be brief."), tw.user("Hello")], model="claude-x")
    messages = [{"role": "user", "content": "Hello"}]
    assert body == {"model": "claude-x", "max_tokens": 4096, "system": "Be brief.", "messages": messages}


@keeps("formats.results")
def test_the_results_of_one_turn_are_one_turn_before_what_the_user_says() -> None:
    calls = [tw.ToolCall("a", "look", {"n": 1}), tw.ToolCall("b", "look")]
    history = [
        tw.user("Look"),
        tw.assistant(None, calls),
        tw.tool_result("b", "", is_error=True),
        tw.tool_result("a", "Seen"),
        tw.user("And?"),
    ]
    turns = CODEC.encode(history)["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert turns[2]["content"] == [
        {"type": "tool_result", "tool_use_id": "b", "content": "(no message)", "is_error": True},
        {"type": "tool_result", "tool_use_id": "a", "content": "Seen"},
        {"type": "text", "text": "And?"},
    ]
    assert CODEC.parse_messages({"messages": turns})[0] == tuple(history)


@keeps("formats.results")
def test_ids_that_the_api_refuses_are_replaced_in_calls_and_results_alike() -> None:
    history: list[tw.ChatMessage] = []
    for _ in range(2):  # servers without ids have call_0 in every turn
        history += [tw.user("Look"), tw.assistant(None, [tw.ToolCall("call_0", "look")]), tw.tool_result("call_0", "a")]
    odd = "functions.look:0|fc"
    history += [tw.assistant(None, [tw.ToolCall(odd, "look")]), tw.tool_result(odd, "")]
    turns = CODEC.encode(history)["messages"]
    blocks = [block for turn in turns for block in turn["content"] if isinstance(block, dict)]
    asked = [block["id"] for block in blocks if block["type"] == "tool_use"]
    answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    assert asked == answered
    assert asked[:2] == ["call_0", "call_0_2"]
    assert len(set(asked)) == 3
    assert all(letter.isalnum() or letter in "_-" for id in asked for letter in id)


@keeps("formats.exact")
def test_a_text_that_was_changed_since_is_sent_as_it_is_now_with_the_thinking_before_it() -> None:
    thinking = {"type": "thinking", "thinking": "Hm", "signature": "s"}
    blocks = [thinking, {"type": "text", "text": "Ye"}, {"type": "text", "text": "s"}]
    message = whole(content=blocks).to_message()
    changed = tw.ChatMessage.assistant("No", provider_data=message.provider_data)
    unsaid = tw.ChatMessage.assistant(None, [tw.ToolCall("t", "look")], provider_data=message.provider_data)
    turns = [CODEC.encode([tw.user("Hello"), one])["messages"][1]["content"] for one in (message, changed, unsaid)]
    assert turns[0] == blocks
    assert turns[1] == [thinking, {"type": "text", "text": "No"}]
    assert turns[2] == [thinking, {"type": "tool_use", "id": "t", "name": "look", "input": {}}]


def test_thinking_with_nothing_after_it_is_not_sent_since_it_would_be_refused() -> None:
    message = whole(content=[{"type": "thinking", "thinking": "Hm", "signature": "s"}], stop_reason="max_tokens")
    turns = CODEC.encode([tw.user("Hello"), message.to_message(), tw.user("Well?")])["messages"]
    assert [turn["role"] for turn in turns] == ["user"]


@keeps("codecs.invalid_calls_sent_back", "quirk.43")
def test_calls_are_sent_back_under_the_names_they_came_with_and_invalid_ones_without_arguments() -> None:
    content = [{"type": "tool_use", "id": "a", "name": "get-weather", "input": {}}]
    response = whole(content=[*content, {"type": "tool_use", "id": "b", "name": "w\n", "input": "[1]"}])
    assert response.tool_calls[0].name == "get_weather"
    assert [block["name"] for block in sent_back(response)] == ["get-weather", "w_"]
    assert sent_back(response)[1]["input"] == {}


TOOL = ToolDefinition("look", "Look at it.", {"type": "object", "properties": {"n": {"type": "integer"}}})


@keeps("codecs.options")
def test_options_are_written_as_the_api_has_them() -> None:
    def options(**given: Any) -> dict[str, Any]:
        body = CODEC.encode([tw.user("Hello")], [TOOL], **given)
        return {key: value for key, value in body.items() if key not in ("messages", "tools")}

    assert options(tool_choice="required") == {"max_tokens": 4096, "tool_choice": {"type": "any"}}
    assert options(tool_choice="look")["tool_choice"] == {"type": "tool", "name": "look"}
    assert options(tool_choice="none", parallel_tool_calls=False)["tool_choice"] == {"type": "none"}
    one_by_one = {"type": "auto", "disable_parallel_tool_use": True}
    assert options(parallel_tool_calls=False)["tool_choice"] == one_by_one
    assert "tool_choice" not in options(parallel_tool_calls=True)
    plain = {"temperature": 0.0, "max_tokens": 7, "stop_sequences": ["END"], "stream": True}
    assert options(temperature=0.0, max_tokens=7, stop="END", stream=True) == plain
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    written = options(response_schema=schema)["output_config"]["format"]
    assert written == {"type": "json_schema", "schema": {**schema, "additionalProperties": False}}


@keeps("quirk.43")
def test_names_of_definitions_are_sent_as_they_are_and_foreign_ones_become_legal_and_unique() -> None:
    assert [tool["name"] for tool in CODEC.encode_tools([TOOL])] == ["look"]
    foreign = [{"name": name, "input_schema": {"type": "object"}} for name in ("chat.send", "chat-send", "look")]
    tools = CODEC.parse_messages({"messages": [], "tools": [*foreign, {"type": "web_search_20250305", "name": "w"}]})[1]
    assert [tool.name for tool in tools] == ["chat_send", "chat_send_2", "look"]


def test_a_request_that_is_not_one_is_refused_with_its_place() -> None:
    with pytest.raises(tw.InvalidMessageError) as caught:
        CODEC.parse_messages({"messages": [{"role": "user", "content": "Hello"}, {"role": "user", "content": [7]}]})
    assert caught.value.path == "messages[1]"
