from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from google import genai
from google.genai import types

import toolwright as tw
from tests.promises import keeps
from tests.wire import bodies, streams, wire
from toolwright.errors import ConversationOrderError
from toolwright.providers import ChatResponse, ReasoningDelta, TextDelta, codec
from toolwright.tools.definition import ToolDefinition

CODEC = codec("gemini")

Part = dict[str, Any]


def chunk(*parts: Part, finish: Any = None, **fields: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}} if parts else {}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": "m", **fields}


def streamed(*chunks: Any) -> ChatResponse:
    decoder = CODEC.stream_decoder()
    for one in chunks:
        decoder.feed(f"data: {json.dumps(one)}\r\n\r\n".encode())
    return decoder.close()


def whole(body: Any) -> ChatResponse:
    return CODEC.decode(json.dumps(body).encode())


def call(name: str | None = None, **fields: Any) -> Part:
    return {"functionCall": {"name": name, **fields} if name else fields}


def sent_back(response: ChatResponse) -> list[Part]:
    """The parts that the next request has for this answer."""
    ids = [call.id for call in response.tool_calls] + [call.id for call in response.invalid_tool_calls]
    results = [tw.tool_result(id, "ok") for id in ids]
    parts: list[Part] = CODEC.encode([tw.user("Hello"), response.to_message(), *results])["contents"][1]["parts"]
    return parts


# The official client as the judge


def official(file: str) -> list[types.GenerateContentResponse]:
    """Return what the official client reads from a file: a stream gives several."""
    stream = file in streams("gemini")
    kind = "text/event-stream" if stream else "application/json"
    answer = httpx2.Response(200, content=wire("gemini", file), headers={"content-type": kind})
    with httpx2.Client(transport=httpx2.MockTransport(lambda request: answer)) as http:
        client = genai.Client(api_key="none", http_options=types.HttpOptions(httpx_client=http))
        if stream:
            return list(client.models.generate_content_stream(model="m", contents="Hello"))
        return [client.models.generate_content(model="m", contents="Hello")]


def read(file: str) -> ChatResponse:
    if file in bodies("gemini"):
        return CODEC.decode(wire("gemini", file))
    decoder = CODEC.stream_decoder()
    decoder.feed(wire("gemini", file))
    return decoder.close()


# The official client puts streamed arguments not together, and reads no arrays.
JUDGED = [file for file in (*streams("gemini"), *bodies("gemini")) if file not in ("partial.sse", "array.stream")]


def _official_parts(chunks: list[types.GenerateContentResponse]) -> list[types.Part]:
    candidates = [one.candidates[0] for one in chunks if one.candidates]
    return [part for one in candidates if one.content for part in one.content.parts or ()]


@keeps("codecs.oracle")
@pytest.mark.parametrize("file", JUDGED)
def test_an_answer_is_what_the_official_client_reads(file: str) -> None:
    chunks = official(file)
    response = read(file)
    parts = _official_parts(chunks)
    assert (response.text or "") == "".join(part.text or "" for part in parts if not part.thought)
    assert (response.reasoning or "") == "".join(part.text or "" for part in parts if part.thought)
    calls = [part.function_call for part in parts if part.function_call]
    assert [one.name for one in response.tool_calls] == [one.name for one in calls]
    assert [one.arguments for one in response.tool_calls] == [one.args or {} for one in calls]
    assert all(one.id in (None, mine.id) for one, mine in zip(calls, response.tool_calls, strict=True))
    blocked = chunks[0].prompt_feedback is not None
    assert response.finish_reason == ("content_filter" if blocked else "tool_calls" if calls else "stop")
    assert response.model == chunks[-1].model_version
    usage = chunks[-1].usage_metadata
    assert usage is not None
    assert response.usage.input_tokens == usage.prompt_token_count
    assert response.usage.cached_tokens == usage.cached_content_token_count
    assert response.usage.reasoning_tokens == usage.thoughts_token_count
    said = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
    assert (response.usage.output_tokens or 0) == said


@keeps("codecs.oracle", "formats.exact", "formats.kept")
@pytest.mark.parametrize("file", ["answer.json", "calls.sse", "signatures.sse"])
def test_all_that_the_official_client_reads_is_sent_back_in_its_order(file: str) -> None:
    expected = [part.model_dump(mode="json", exclude_none=True) for part in _official_parts(official(file))]
    parts = map(types.Part.model_validate, sent_back(read(file)))
    back = [part.model_dump(mode="json", exclude_none=True) for part in parts]
    for part in (*expected, *back):
        if "function_call" in part:
            part["function_call"].setdefault("args", {})
    joined = [part for part in expected if "thought" not in part]
    assert [part for part in back if "thought" not in part] == joined
    assert "".join(part["text"] for part in back if "thought" in part) == (read(file).reasoning or "")


# What servers were seen to send


@keeps("quirk.34")
def test_calls_without_ids_get_some_and_an_id_that_is_there_is_kept_and_sent_back() -> None:
    calls = [call("look", args={"n": 1}), call("look", args={"n": 2}), call("look", id="x", args={})]
    response = streamed(*map(chunk, calls), chunk(finish="STOP"))
    assert [one.id for one in response.tool_calls] == ["call_0", "call_1", "x"]
    assert [part["functionCall"].get("id") for part in sent_back(response)] == [None, None, "x"]
    results = [tw.tool_result(id, id) for id in ("x", "call_1", "call_0")]
    content = CODEC.encode([tw.user("Hello"), response.to_message(), *results])["contents"][2]
    assert [part["functionResponse"] for part in content["parts"]] == [
        {"name": "look", "response": {"output": "call_0"}},
        {"name": "look", "response": {"output": "call_1"}},
        {"id": "x", "name": "look", "response": {"output": "x"}},
    ]


@keeps("quirk.35")
def test_a_call_without_args_has_none() -> None:
    response = whole(chunk(call("now"), finish="STOP"))
    assert streamed(chunk(call("now")), chunk(finish="STOP")) == response
    assert (response.tool_calls[0].arguments, response.finish_reason) == ({}, "tool_calls")


@keeps("quirk.35", "formats.cut")
def test_a_call_without_args_in_an_answer_that_was_cut_off_is_invalid() -> None:
    assert whole(chunk(call("now"), finish="MAX_TOKENS")).tool_calls == ()
    assert len(whole(chunk(call("now"), finish="MAX_TOKENS")).invalid_tool_calls) == 1
    assert len(whole(chunk(call("now", args={}), {"text": "And"}, finish="MAX_TOKENS")).tool_calls) == 1


def values(*partials: tuple[str, str, Any], more: bool = True, **fields: Any) -> dict[str, Any]:
    """A fragment of streamed arguments: places, kinds and values; a kind that ends in + goes on."""
    args = [
        {"jsonPath": path, f"{kind.rstrip('+')}Value": value} | ({"willContinue": True} if kind.endswith("+") else {})
        for path, kind, value in partials
    ]
    function = {**fields, "partialArgs": args} | ({"willContinue": True} if more else {})
    return chunk({"functionCall": function})


OPEN = chunk(call("look", willContinue=True))


@keeps("quirk.36")
@pytest.mark.parametrize("ending", [[chunk(call())], [], [chunk({"text": "Done."})]])
def test_arguments_that_are_streamed_value_by_value_are_put_together(ending: list[Any]) -> None:
    response = streamed(
        OPEN,
        values(("$.room", "string+", "li")),
        values(("$.room", "string+", "ving"), ("$.level", "number", 50)),
        values(("$['on']", "bool", True), ('$["a\\"b"]', "null", "NULL_VALUE")),
        values(("$.rows[0].name", "string", "x"), ("$.rows[1]['na.me']", "string+", "")),
        *ending,
        chunk(finish="STOP"),
    )
    rows = [{"name": "x"}, {"na.me": ""}]
    expected = {"room": "living", "level": 50, "on": True, 'a"b': None, "rows": rows}
    assert [one.arguments for one in response.tool_calls] == [expected]
    assert response.finish_reason == "tool_calls"


@keeps("quirk.36")
def test_the_last_values_may_end_the_call_and_several_calls_may_follow_each_other() -> None:
    response = streamed(
        values(("$.n", "number", 1), name="look", more=False),
        OPEN,
        values(("$.n", "number", 2), name="look"),
        chunk(call("now", args={})),
        chunk(call("look", id="x", willContinue=True), call("look", id="y", willContinue=True)),
        values(("$.n", "number", 3), id="x"),
        values(("$.n", "number", 4), id="y", more=False),
        chunk(finish="STOP"),
    )
    assert [(one.name, one.arguments.get("n")) for one in response.tool_calls] == [
        ("look", 1),
        ("look", 2),
        ("now", None),
        ("look", 3),
        ("look", 4),
    ]


@keeps("quirk.36", "formats.cut")
@pytest.mark.parametrize("ending", [[], [chunk(finish="MAX_TOKENS")]])
def test_streamed_arguments_that_never_ended_are_an_invalid_call(ending: list[Any]) -> None:
    for fragments in ([], [values(("$.path", "string+", "a.p"))]):
        response = streamed(OPEN, *fragments, *ending)
        assert response.tool_calls == ()
        assert len(response.invalid_tool_calls) == 1


@keeps("formats.cut", "codecs.linear")
@pytest.mark.parametrize(
    "path",
    [
        "",
        "$",
        "a",
        "$.a..b",
        "$[0]",
        "$.a[-1]",
        "$.a[*]",
        "$.n.m",
        "$.n[0]",
        "$.a[999999999]",
        "$.a" + "[0]" * 300,
        "$['",
    ],
)
def test_places_that_cannot_be_are_not_guessed_at(path: str) -> None:
    response = streamed(OPEN, values(("$.n", "number", 1)), values((path, "string", "x")), chunk(finish="STOP"))
    assert response.tool_calls == ()
    assert len(response.invalid_tool_calls) == 1


@keeps("quirk.37", "formats.exact")
def test_signatures_go_back_on_the_very_parts_they_came_with() -> None:
    parts: list[Part] = [
        {"text": "Hm", "thought": True},
        {"text": "Look: ", "thoughtSignature": "QQ+/=="},
        {"text": "here"},
        {"functionCall": {"name": "look", "args": {"n": 1}}, "thoughtSignature": "Qg=="},
        {"functionCall": {"name": "look", "args": {"n": 2}}},
        {"executableCode": {"language": "PYTHON", "code": "1"}},
        {"text": "", "thoughtSignature": "Qw=="},
    ]
    response = streamed(*map(chunk, parts), chunk(finish="STOP"))
    assert (response.text, response.reasoning) == ("Look: here", "Hm")
    assert sent_back(response) == parts
    assert sent_back(whole(chunk(*parts, finish="STOP"))) == parts
    stored = tw.ChatMessage.from_json(response.to_message().to_json())
    assert CODEC.encode([stored]) == CODEC.encode([response.to_message()])


@keeps("quirk.37")
def test_a_signature_stays_with_a_call_whose_message_was_made_anew() -> None:
    response = whole(chunk({**call("look", args={}), "thoughtSignature": "Qg=="}, finish="STOP"))
    message = tw.assistant(None, response.tool_calls)
    assert CODEC.encode([message])["contents"][0]["parts"][0]["thoughtSignature"] == "Qg=="


@keeps("quirk.37")
def test_calls_of_another_model_are_marked_so_that_gemini_takes_them_and_its_own_are_not() -> None:
    calls = [tw.ToolCall("a", "look", {"n": 1}), tw.ToolCall("b", "look")]
    parts = CODEC.encode([tw.assistant("Hm", calls)])["contents"][0]["parts"]
    signatures = [part.get("thoughtSignature") for part in parts]
    assert signatures == [None, "skip_thought_signature_validator", None]
    assert all("thoughtSignature" not in part for part in sent_back(whole(chunk(call("look"), finish="STOP"))))


@keeps("quirk.38")
@pytest.mark.parametrize(
    "body", [{"candidates": [{"finishReason": "STOP"}]}, {"candidates": [{"content": {}, "finishReason": "STOP"}]}]
)
def test_an_answer_without_content_is_an_empty_one(body: Any) -> None:
    assert (whole(body).text, whole(body).finish_reason) == (None, "stop")


@keeps("quirk.38")
@pytest.mark.parametrize(
    "body", [{}, {"candidates": []}, {"usageMetadata": {"promptTokenCount": 3}}, {"candidates": None}]
)
def test_no_candidate_at_all_is_an_error(body: Any) -> None:
    assert whole(body).finish_reason == "error"


@keeps("quirk.38")
def test_a_blocked_prompt_is_withheld_and_says_why() -> None:
    body = {"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "Not this."}}
    assert (whole(body).finish_reason, whole(body).refusal) == ("content_filter", "Not this.")
    assert whole({"promptFeedback": {"blockReason": 3}}).finish_reason == "content_filter"
    assert streamed(body).finish_reason == "content_filter"


@keeps("quirk.38")
@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("MALFORMED_FUNCTION_CALL", "error"),
        ("SOMETHING_NEW", "stop"),
        ("OTHER", "stop"),
        ("FINISH_REASON_UNSPECIFIED", "stop"),
    ],
)
def test_every_finish_reason_is_understood(reason: str, finish: str) -> None:
    assert whole(chunk({"text": "Hi"}, finish=reason)).finish_reason == finish


@keeps("quirk.38")
def test_an_unexplained_end_without_any_answer_is_an_error_that_says_so() -> None:
    response = whole(chunk(finish="OTHER"))
    assert response.finish_reason == "error"
    assert response.failure is not None
    assert "OTHER" in response.failure.message


@keeps("quirk.39")
def test_the_last_usage_counts_and_what_it_lacks_was_said_before() -> None:
    response = streamed(
        chunk({"text": "a"}, usageMetadata={"promptTokenCount": 9, "thoughtsTokenCount": 5}),
        chunk({"text": "b"}, usageMetadata={"promptTokenCount": 9, "candidatesTokenCount": 2, "thoughtsTokenCount": 5}),
        chunk(finish="STOP", usageMetadata={"promptTokenCount": 9, "cachedContentTokenCount": 4}),
    )
    usage = response.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens) == (9, 7, 4, 5)
    assert whole(chunk({"text": "a"}, usageMetadata={"promptTokenCount": 9})).usage.output_tokens is None


@keeps("quirk.40")
def test_a_stream_may_be_one_array_that_is_read_as_it_arrives() -> None:
    chunks = [chunk({"text": "One [{"}), chunk({"text": "two"}, finish="STOP")]
    data = json.dumps(chunks, indent=1).encode()
    decoder = CODEC.stream_decoder()
    half = data.index(b"two")
    assert decoder.feed(b"\r\n " + data[:half]) == [TextDelta("One [{")]
    assert decoder.feed(data[half:]) == [TextDelta("two")]
    response = decoder.close()
    assert (response.text, response.finish_reason) == ("One [{two", "stop")
    assert CODEC.decode(data) == response == streamed(*chunks)


@keeps("quirk.40")
@pytest.mark.parametrize(
    ("number", "finish"), [(1, "stop"), (2, "length"), (3, "content_filter"), (10, "error"), (99, "stop")]
)
def test_reasons_may_be_numbers(number: int, finish: str) -> None:
    assert whole(chunk({"text": "Hi"}, finish=number)).finish_reason == finish
    assert streamed(chunk({"text": "Hi"}), chunk(finish=0)).finish_reason == "error"


@keeps("codecs.failure")
def test_an_error_in_the_middle_keeps_what_arrived() -> None:
    error = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
    for response in (streamed(chunk({"text": "Half"}), error), whole([chunk({"text": "Half"}), error])):
        assert (response.text, response.finish_reason) == ("Half", "error")
        assert response.failure is not None
        assert (response.failure.status, response.failure.retryable) == (503, True)
    assert whole([error]).failure == whole(error).failure


def test_thoughts_are_given_out_as_reasoning() -> None:
    decoder = CODEC.stream_decoder()
    data = json.dumps(chunk({"text": "Hm", "thought": True}, {"text": "Yes"})).encode()
    assert decoder.feed(b"data: " + data + b"\n\n") == [ReasoningDelta("Hm"), TextDelta("Yes")]


@keeps("codecs.linear")
def test_many_calls_that_never_end_cost_no_more_than_others() -> None:
    parts = [call(f"look{number % 2}", willContinue=True) for number in range(20_000)]
    assert len(streamed(chunk(*parts), chunk(finish="STOP")).tool_calls) == 20_000


# What requests look like

TOOL = ToolDefinition("look", "Look at it.", {"type": "object", "properties": {"n": {"type": "integer"}}})


def test_a_request_has_what_the_api_needs() -> None:
    tools = [TOOL, ToolDefinition("now", "The time.")]
    body = CODEC.encode([tw.system("Be brief."), tw.user("Hello")], tools, model="m")
    parameters = {"type": "object", "properties": {"n": {"type": "integer"}}}
    functions = [
        {"name": "look", "description": "Look at it.", "parameters": parameters},
        {"name": "now", "description": "The time."},
    ]
    assert body == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [{"role": "user", "parts": [{"text": "Hello"}]}],
        "tools": [{"functionDeclarations": functions}],
    }


@keeps("formats.results")
def test_results_stand_in_the_order_of_the_calls_and_say_what_is_an_error() -> None:
    history = [
        tw.user("Look"),
        tw.assistant(None, [tw.ToolCall("a", "look"), tw.ToolCall("b", "now")]),
        tw.tool_result("b", "No clock", is_error=True),
        tw.tool_result("a", "Seen"),
        tw.user("And?"),
    ]
    contents = CODEC.encode(history)["contents"]
    assert [content["role"] for content in contents] == ["user", "model", "user"]
    assert contents[2]["parts"] == [
        {"functionResponse": {"name": "look", "response": {"output": "Seen"}}},
        {"functionResponse": {"name": "now", "response": {"error": "No clock"}}},
        {"text": "And?"},
    ]


@keeps("codecs.inverse")
def test_pictures_in_a_result_go_back_with_it() -> None:
    picture = [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]
    answered = {"name": "look", "response": {"output": "Seen"}, "parts": picture}
    contents = [
        {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}, "thoughtSignature": "c2ln"}]},
        {"role": "user", "parts": [{"functionResponse": answered}]},
    ]
    messages, _ = CODEC.parse_messages({"contents": contents})
    assert CODEC.encode(messages)["contents"] == contents


@keeps("codecs.inverse")
def test_a_single_part_needs_no_list() -> None:
    request = {"system_instruction": {"parts": {"text": "Be brief."}}, "contents": [{"parts": {"text": "Hi"}}]}
    messages, _ = CODEC.parse_messages(request)
    assert [(message.role.value, message.content) for message in messages] == [("system", "Be brief."), ("user", "Hi")]


@keeps("formats.results")
def test_a_result_without_its_call_is_refused_since_it_has_no_name() -> None:
    with pytest.raises(ConversationOrderError, match="call before it"):
        CODEC.encode([tw.user("Hello"), tw.tool_result("a", "Seen")])


@keeps("codecs.invalid_calls_sent_back", "quirk.43")
def test_calls_are_sent_back_under_the_names_they_came_with_and_invalid_ones_without_arguments() -> None:
    response = whole(chunk(call("get-weather", args={}), call("w\n", args={"a": 1}), finish="STOP"))
    assert response.tool_calls[0].name == "get_weather"
    assert [part["functionCall"] for part in sent_back(response)] == [
        {"name": "get-weather", "args": {}},
        {"name": "w_", "args": {}},
    ]
    result = CODEC.encode([tw.user("Hello"), response.to_message(), tw.tool_result("call_0", "x")])["contents"][2]
    assert result["parts"][0]["functionResponse"]["name"] == "get-weather"


@keeps("codecs.options")
def test_options_are_written_as_the_api_has_them() -> None:
    def options(**given: Any) -> dict[str, Any]:
        body = CODEC.encode([tw.user("Hello")], [TOOL], **given)
        return {key: value for key, value in body.items() if key not in ("contents", "tools")}

    assert options(tool_choice="required") == {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}
    named = {"mode": "ANY", "allowedFunctionNames": ["look"]}
    assert options(tool_choice="look") == {"toolConfig": {"functionCallingConfig": named}}
    assert options(tool_choice="none") == {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}}
    config = {"temperature": 0.0, "maxOutputTokens": 7, "stopSequences": ["END"]}
    assert options(temperature=0.0, max_tokens=7, stop="END", stream=True) == {"generationConfig": config}
    thinking = {"thinkingConfig": {"thinkingBudget": 0}}
    merged = options(temperature=0.0, extra_body={"generationConfig": thinking, "labels": {"a": "b"}})
    assert merged == {"generationConfig": {"temperature": 0.0, **thinking}, "labels": {"a": "b"}}
    form = options(response_schema={"type": "object", "properties": {"n": {"type": ["integer", "null"]}}})
    assert form["generationConfig"]["responseMimeType"] == "application/json"
    assert form["generationConfig"]["responseSchema"]["properties"] == {"n": {"type": "integer", "nullable": True}}
    assert options(parallel_tool_calls=True) == {}
    with pytest.raises(ValueError, match="leave parallel_tool_calls out"):
        options(parallel_tool_calls=False)


@keeps("quirk.43")
def test_names_of_definitions_are_sent_as_they_are_and_foreign_ones_become_legal_and_unique() -> None:
    assert [one["name"] for one in CODEC.encode_tools([TOOL])[0]["functionDeclarations"]] == ["look"]
    functions = [{"name": name, "description": "It."} for name in ("chat.send", "chat-send", "look")]
    request = {"contents": [], "tools": [{"functionDeclarations": functions}, {"googleSearch": {}}]}
    tools = CODEC.parse_messages(request)[1]
    assert [tool.name for tool in tools] == ["chat_send", "chat_send_2", "look"]


def test_schemas_of_a_log_are_read_as_json_schema() -> None:
    messages, tools = CODEC.parse_messages(json.loads(wire("gemini", "agent.request.json")))
    assert [message.role.value for message in messages] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "user",
    ]  # fmt: skip
    assert messages[3].content == '{"temperature":21,"sky":"clear"}'
    assert (messages[4].content, messages[4].is_error, messages[4].tool_call_id) == ("No such city", True, "fc-2")
    properties = tools[0].parameters.to_dict()["properties"]
    assert properties == {
        "city": {"type": ["string", "null"], "minLength": 1},
        "unit": {"type": "string", "enum": ["C", "F"]},
    }
    again = CODEC.encode(messages, tools)["contents"]
    assert again[2]["parts"][0]["functionResponse"] == {
        "name": "get-weather",
        "response": {"temperature": 21, "sky": "clear"},
    }


def test_a_request_that_is_not_one_is_refused_with_its_place() -> None:
    with pytest.raises(tw.InvalidMessageError) as caught:
        CODEC.parse_messages({"contents": [{"parts": [{"text": "Hello"}]}, {"role": "user"}]})
    assert caught.value.path == "contents[1]"
