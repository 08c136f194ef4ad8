from __future__ import annotations

import json
from typing import Any

import httpx
import ollama
import pytest

import toolwright as tw
from tests.promises import keeps
from tests.wire import bodies, streams, wire
from toolwright.providers import ChatResponse, ReasoningDelta, TextDelta, codec
from toolwright.tools.definition import ToolDefinition

CODEC = codec("ollama")


def row(*, done: bool = False, **message: Any) -> dict[str, Any]:
    ending = {"done_reason": "stop"} if done else {}
    return {"model": "m", "message": {"role": "assistant", "content": "", **message}, "done": done, **ending}


def streamed(*rows: Any, last: str = "\n") -> ChatResponse:
    decoder = CODEC.stream_decoder()
    decoder.feed(("\n".join(map(json.dumps, rows)) + last).encode())
    return decoder.close()


def whole(body: Any) -> ChatResponse:
    return CODEC.decode(json.dumps(body).encode())


def call(name: str, arguments: Any = None, **fields: Any) -> dict[str, Any]:
    return {**fields, "function": {"name": name, "arguments": {} if arguments is None else arguments}}


# The official client as the judge


def official(file: str) -> list[ollama.ChatResponse]:
    """Return what the official client reads from a file: a stream gives several."""
    answer = httpx.Response(200, content=wire("ollama", file))
    client = ollama.Client(host="http://none", transport=httpx.MockTransport(lambda request: answer))
    if file in streams("ollama"):
        return list(client.chat(model="m", messages=[], stream=True))
    return [client.chat(model="m", messages=[])]


@keeps("codecs.oracle")
@pytest.mark.parametrize("file", ["text.ndjson", "thinking.ndjson", "answer.json"])
def test_an_answer_is_what_the_official_client_reads(file: str) -> None:
    rows = official(file)
    decoder = CODEC.stream_decoder()
    decoder.feed(wire("ollama", file))
    response = CODEC.decode(wire("ollama", file)) if file in bodies("ollama") else decoder.close()
    assert (response.text or "") == "".join(one.message.content or "" for one in rows)
    assert (response.reasoning or "") == "".join(one.message.thinking or "" for one in rows)
    calls = [call.function for one in rows for call in one.message.tool_calls or ()]
    assert [(call.name, call.arguments) for call in response.tool_calls] == [(one.name, one.arguments) for one in calls]
    assert rows[-1].done_reason == "stop"
    assert response.finish_reason == ("tool_calls" if calls else "stop")
    assert response.model == rows[-1].model
    assert response.usage.input_tokens == rows[-1].prompt_eval_count
    assert response.usage.output_tokens == rows[-1].eval_count


# What servers were seen to send


@keeps("quirk.41")
def test_calls_come_whole_over_several_rows_and_get_an_id_where_they_have_none() -> None:
    response = streamed(
        row(tool_calls=[call("look", {"n": 1})]),
        row(content="Hm", tool_calls=[call("look", {"n": 2}), call("now", id="x")]),
        row(done=True),
    )
    assert [(one.id, one.name, one.arguments) for one in response.tool_calls] == [
        ("call_0", "look", {"n": 1}),
        ("call_1", "look", {"n": 2}),
        ("x", "now", {}),
    ]


@keeps("quirk.41", "formats.cut")
@pytest.mark.parametrize(
    ("arguments", "valid"), [('{"n": 1}', True), ('"{\\"n\\": 1}"', True), ('{"n": ', False), ([1], False)]
)
def test_arguments_may_be_a_text(arguments: Any, valid: bool) -> None:
    response = streamed(row(tool_calls=[call("look", arguments)]), row(done=True))
    assert [one.arguments for one in response.tool_calls] == [{"n": 1}] * valid
    assert len(response.invalid_tool_calls) == (not valid)
    assert response.finish_reason == "tool_calls"


@keeps("quirk.42")
def test_the_reason_is_stop_although_there_are_calls() -> None:
    assert whole(row(done=True, tool_calls=[call("now")])).finish_reason == "tool_calls"
    assert whole(row(done=True, content="Hi")).finish_reason == "stop"
    assert whole({**row(done=True, content="Hi"), "done_reason": "length"}).finish_reason == "length"
    assert whole({**row(done=True), "done_reason": "load"}).finish_reason == "error"


@keeps("quirk.42", "formats.exact")
def test_thinking_is_reasoning_and_is_sent_back() -> None:
    decoder = CODEC.stream_decoder()
    rows = [row(thinking="Hm "), row(thinking="é"), row(content="Yes"), row(done=True)]
    events = decoder.feed("".join(json.dumps(one) + "\n" for one in rows).encode())
    assert events == [ReasoningDelta("Hm "), ReasoningDelta("é"), TextDelta("Yes")]
    message = decoder.close().to_message()
    assert CODEC.encode([message])["messages"] == [{"role": "assistant", "content": "Yes", "thinking": "Hm é"}]
    assert "Hm" not in json.dumps(codec("anthropic").encode([message]))


@keeps("quirk.42")
def test_counts_may_be_missing() -> None:
    usage = whole({**row(done=True, content="Hi"), "eval_count": 3}).usage
    assert (usage.input_tokens, usage.output_tokens) == (None, 3)


@keeps("quirk.42", "codecs.failure")
def test_an_error_is_a_text_alone_or_in_the_middle() -> None:
    error = {"error": "model 'm' not found"}
    response = streamed(row(content="Half"), error)
    assert (response.text, response.finish_reason) == ("Half", "error")
    assert response.failure is not None
    assert (response.failure.code, response.failure.message) == ("model_not_found", "model 'm' not found")
    assert whole(error).failure == response.failure


def test_rows_without_an_end_are_an_error_and_a_last_row_needs_no_end_of_line() -> None:
    assert streamed(row(content="Half")).finish_reason == "error"
    assert streamed(row(content="Hi"), row(done=True), last="").finish_reason == "stop"
    assert CODEC.decode(wire("ollama", "text.ndjson")).text == "Grüezi mitenand 🙂"


# What requests look like

TOOL = ToolDefinition("look", "Look at it.", {"type": "object", "properties": {"n": {"type": "integer"}}})


def test_a_request_has_what_the_api_needs() -> None:
    body = CODEC.encode([tw.system("Be brief."), tw.user("Hello")], [TOOL], model="m")
    parameters = {"type": "object", "properties": {"n": {"type": "integer"}}}
    function = {"name": "look", "description": "Look at it.", "parameters": parameters}
    assert body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        "tools": [{"type": "function", "function": function}],
        "stream": False,
    }


@keeps("formats.results", "codecs.invalid_calls_sent_back", "quirk.43")
def test_results_name_their_tool_and_calls_go_back_under_the_names_they_came_with() -> None:
    response = whole(row(done=True, tool_calls=[call("get-weather", {"n": 1}, id="a"), call("w\n", {}, id="b")]))
    assert response.tool_calls[0].name == "get_weather"
    assert response.invalid_tool_calls[0].name == "w\n"
    messages = CODEC.encode([response.to_message(), tw.tool_result("b", "No"), tw.tool_result("a", "Yes")])["messages"]
    assert [one["function"] for one in messages[0]["tool_calls"]] == [
        {"name": "get-weather", "arguments": {"n": 1}},
        {"name": "w_", "arguments": {}},
    ]
    assert messages[1:] == [
        {"role": "tool", "content": "No", "tool_call_id": "b", "tool_name": "w_"},
        {"role": "tool", "content": "Yes", "tool_call_id": "a", "tool_name": "get-weather"},
    ]


@keeps("formats.kept")
def test_what_is_not_known_is_kept_with_the_call_and_the_message() -> None:
    body = row(done=True, tool_calls=[{"type": "function", **call("look")}], images=["aQ=="])
    body["message"]["tool_calls"][0]["function"]["index"] = 0
    message = CODEC.encode([whole(body).to_message()])["messages"][0]
    assert message["images"] == ["aQ=="]
    function = {"index": 0, "name": "look", "arguments": {}}
    assert message["tool_calls"] == [{"type": "function", "id": "call_0", "function": function}]


@keeps("codecs.options")
def test_options_are_written_as_the_api_has_them_or_refused() -> None:
    def options(**given: Any) -> dict[str, Any]:
        body = CODEC.encode([tw.user("Hello")], [TOOL], **given)
        return {key: value for key, value in body.items() if key != "messages"}

    assert options(stream=True)["stream"] is True
    plain = {"temperature": 0.0, "num_predict": 7, "stop": ["END"]}
    assert options(temperature=0.0, max_tokens=7, stop="END")["options"] == plain
    extra = {"options": {"num_ctx": 8192}, "think": False}
    assert options(temperature=0.0, extra_body=extra)["options"] == {"temperature": 0.0, "num_ctx": 8192}
    assert options(extra_body=extra)["think"] is False
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}
    assert options(response_schema=schema)["format"] == schema
    assert options(tool_choice="auto")["tools"] == CODEC.encode_tools([TOOL])
    assert "tools" not in options(tool_choice="none")
    for refused in ({"tool_choice": "required"}, {"tool_choice": "look"}, {"parallel_tool_calls": False}):
        with pytest.raises(ValueError, match="Ollama cannot be told"):
            options(**refused)


@keeps("quirk.43")
def test_names_of_definitions_are_sent_as_they_are_and_foreign_ones_become_legal_and_unique() -> None:
    assert [one["function"]["name"] for one in CODEC.encode_tools([TOOL])] == ["look"]
    functions = [{"type": "function", "function": {"name": name}} for name in ("chat.send", "chat-send", "look")]
    tools = CODEC.parse_messages({"messages": [], "tools": functions})[1]
    assert [tool.name for tool in tools] == ["chat_send", "chat_send_2", "look"]


def test_results_of_a_log_find_their_calls_by_id_by_name_or_by_order() -> None:
    messages = CODEC.parse_messages(json.loads(wire("ollama", "agent.request.json")))[0]
    assert [message.tool_call_id for message in messages] == [None, None, None, "call_77", "call_0", None, None]
    calls = [call("look"), call("look")]
    log = [{"role": "assistant", "content": "", "tool_calls": calls}, *[{"role": "tool", "content": "x"}] * 3]
    read = CODEC.parse_messages({"messages": log})[0]
    assert [message.tool_call_id for message in read[1:3]] == ["call_0", "call_1"]


def test_a_request_that_is_not_one_is_refused_with_its_place() -> None:
    with pytest.raises(tw.InvalidMessageError) as caught:
        CODEC.parse_messages({"messages": [{"role": "user", "content": "Hello"}, {"content": "?"}]})
    assert caught.value.path == "messages[1]"
