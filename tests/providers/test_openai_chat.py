"""What servers of the chat format really send, each case in bytes of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

import toolwright as tw
from tests.promises import keeps
from tests.wire import wire
from toolwright.errors import LLMError
from toolwright.providers import ChatResponse, ReasoningDelta, TextDelta, Usage, codec
from toolwright.providers.codecs.openai_chat import OpenAIChatCodec
from toolwright.tools.definition import ToolDefinition

CHAT = codec("openai-chat")


def chunk(delta: Any = None, finish: Any = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "model": "m-1", "choices": [choice], **more}


def sse(*chunks: Any, end: str = "data: [DONE]\n\n") -> bytes:
    return ("".join(f"data: {json.dumps(one)}\n\n" for one in chunks) + end).encode()


def stream(*chunks: Any, end: str = "data: [DONE]\n\n") -> ChatResponse:
    return read(sse(*chunks, end=end))


def read(data: bytes) -> ChatResponse:
    decoder = CHAT.stream_decoder()
    decoder.feed(data)
    return decoder.close()


def whole(message: Any, finish: Any = "stop", **more: Any) -> ChatResponse:
    body = {"id": "c", "model": "m-1", "choices": [{"index": 0, "message": message, "finish_reason": finish}], **more}
    return CHAT.decode(json.dumps(body).encode())


def call(arguments: Any = "{}", name: Any = "look", id: Any = "a", **more: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def calls(response: ChatResponse) -> list[Any]:
    return [(one.id, one.name, dict(one.arguments)) for one in response.tool_calls]


@keeps("quirk.1", "quirk.2", "quirk.3")
def test_comments_crlf_and_names_of_events_change_nothing() -> None:
    response = read(wire("openai-chat", "crlf_comments.sse"))
    assert (response.text, response.finish_reason) == ("Hello", "stop")
    assert read(wire("openai-chat", "crlf_comments.sse").replace(b"\r\n", b"\r")) == response


@keeps("quirk.4")
def test_a_stream_without_done_has_ended_with_its_finish() -> None:
    assert stream(chunk({"content": "Hi"}), chunk({}, "stop"), end="").finish_reason == "stop"
    assert stream(chunk({"content": "Hi"})).finish_reason == "stop"


@keeps("quirk.5")
def test_blank_characters_before_a_body_are_skipped() -> None:
    data = wire("openai-chat", "two_calls.json")
    assert data.startswith(b" \n" * 300)
    assert calls(CHAT.decode(data)) == [("call_a", "read_file", {"path": "a"})]
    assert CHAT.decode(data).tool_calls == read(data).tool_calls


@keeps("quirk.6")
def test_a_stream_that_ends_with_no_finish_is_an_error_with_what_arrived() -> None:
    response = read(wire("openai-chat", "no_end.sse"))
    assert (response.text, response.finish_reason, response.failure) == ("Half an ans", "error", None)


@keeps("quirk.6")
def test_a_last_row_without_a_newline_is_read() -> None:
    response = read(wire("openai-chat", "last_row.sse"))
    assert (response.text, response.finish_reason) == ("Hello!", "stop")


@keeps("quirk.7")
def test_usage_comes_last_and_without_choices() -> None:
    response = read(wire("openai-chat", "text.sse"))
    assert response.usage == Usage(input_tokens=31, output_tokens=12, cached_tokens=16, reasoning_tokens=4)
    assert response.text == "Zürich ist schön 🏔."


@keeps("quirk.7")
def test_the_last_usage_counts_and_never_a_sum() -> None:
    assert read(wire("openai-chat", "usage_on_finish.sse")).usage == Usage(input_tokens=5, output_tokens=2)


@keeps("quirk.7")
def test_usage_is_found_where_some_servers_hide_it() -> None:
    assert read(wire("openai-chat", "groq.sse")).usage == Usage(input_tokens=9, output_tokens=2)
    inside = chunk({"content": "Hi"}, "stop")
    inside["choices"][0]["usage"] = {"prompt_tokens": 3, "completion_tokens": 1, "cached_tokens": 2}
    assert stream(inside).usage == Usage(input_tokens=3, output_tokens=1, cached_tokens=2)


@keeps("quirk.8")
def test_a_first_chunk_without_choices_is_passed_over() -> None:
    response = read(wire("openai-chat", "azure.sse"))
    assert (response.text, response.finish_reason, response.model) == ("Hi", "stop", "gpt-test-1")


@keeps("quirk.9")
def test_what_follows_the_finish_is_read_and_a_second_finish_changes_nothing() -> None:
    response = stream(chunk({"content": "Hel"}, "stop"), chunk({"content": "lo"}), chunk({}, "stop"))
    assert (response.text, response.finish_reason) == ("Hello", "stop")
    assert stream(chunk({"content": "Hel"}, "length"), chunk({}, "stop")).finish_reason == "length"


@keeps("quirk.10")
@pytest.mark.parametrize("word", ["", None, "eos", "end_turn", "stop"])
def test_an_ordinary_end_has_many_names(word: str | None) -> None:
    assert stream(chunk({"content": "Hi"}), chunk({}, word)).finish_reason == "stop"
    assert whole({"content": "Hi"}, word).finish_reason == "stop"


@keeps("quirk.10")
@pytest.mark.parametrize("word", ["", None, "eos", "stop", "tool_calls", "function_call"])
def test_where_there_are_calls_the_finish_says_so(word: str | None) -> None:
    assert whole({"content": None, "tool_calls": [call()]}, word).finish_reason == "tool_calls"
    assert stream(chunk({"tool_calls": [call(index=0)]}), chunk({}, word)).finish_reason == "tool_calls"


@keeps("quirk.10")
def test_other_ends_keep_their_meaning() -> None:
    assert whole({"content": "Hi"}, "content_filter").finish_reason == "content_filter"
    assert whole({"content": "Hi"}, "model_length").finish_reason == "length"
    assert whole({"content": "Hi"}, "tool_calls").finish_reason == "stop"
    assert whole({"content": "Hi"}, "insufficient_system_resource").finish_reason == "error"


@keeps("quirk.11")
def test_a_null_delta_and_a_chunk_without_choices_bring_nothing() -> None:
    response = stream(chunk(None), {"id": "c", "model": "m-1"}, chunk({"content": "Hi"}), chunk(None, "stop"))
    assert (response.text, response.finish_reason) == ("Hi", "stop")
    assert stream({"choices": None}, {"choices": [None]}, chunk({"content": "Hi"}, "stop")).text == "Hi"


@keeps("quirk.12")
def test_empty_names_and_ids_go_on_with_the_call() -> None:
    rest = [{"index": 0, "id": "", "type": "", "function": {"name": "", "arguments": '"a"}'}}]
    null = [{"index": 0, "id": None, "type": None, "function": {"name": None, "arguments": None}}]
    first = [call('{"path":', "read_file", index=0)]
    response = stream(*[chunk({"tool_calls": each}) for each in (first, null, rest, null)], chunk({}, "tool_calls"))
    assert calls(response) == [("a", "read_file", {"path": "a"})]


@keeps("quirk.13")
def test_indices_with_gaps_and_repeated_ids_are_two_calls() -> None:
    response = read(wire("openai-chat", "odd_indices.sse"))
    assert calls(response) == [("call_a", "read_file", {"path": "a"}), ("call_b", "get_weather", {"city": "Bern"})]


@keeps("quirk.13")
def test_one_index_for_two_calls_is_two_calls() -> None:
    response = read(wire("openai-chat", "one_index.sse"))
    assert calls(response) == [("call_a", "read_file", {"path": "a"}), ("call_b", "read_file", {"path": "b"})]


@keeps("quirk.13")
def test_whole_calls_with_one_index_and_no_ids_are_as_many_calls() -> None:
    same = [call(f'{{"n":{n}}}', id="", index=0) for n in range(3)]
    response = stream(*[chunk({"tool_calls": [one]}) for one in same], chunk({}, "stop"))
    assert [one.arguments["n"] for one in response.tool_calls] == [0, 1, 2]
    assert len({one.id for one in response.tool_calls}) == 3


@keeps("quirk.13")
def test_without_indices_ids_and_names_tell_calls_apart() -> None:
    pieces = [call('{"n":', id="a"), call("1}", name="", id=""), call('{"n":', id="b"), call("2}", name=None, id=None)]
    response = stream(*[chunk({"tool_calls": [piece]}) for piece in pieces], chunk({}, "tool_calls"))
    assert calls(response) == [("a", "look", {"n": 1}), ("b", "look", {"n": 2})]


@keeps("quirk.13")
def test_names_and_ids_on_every_delta_are_one_call() -> None:
    pieces = [call(piece, index=0) for piece in ('{"text":"', "{}", '{\\"', '"}')]
    response = stream(*[chunk({"tool_calls": [piece]}) for piece in pieces], chunk({}, "tool_calls"))
    assert calls(response) == [("a", "look", {"text": '{}{"'})]


@keeps("quirk.13")
def test_an_id_of_its_own_on_every_delta_is_one_call() -> None:
    pieces = [call('{"n":', id="r1", index=0), call("1", name=None, id="r2", index=0), call("}", None, "r3", index=0)]
    response = stream(*[chunk({"tool_calls": [piece]}) for piece in pieces], chunk({}, "tool_calls"))
    assert calls(response) == [("r1", "look", {"n": 1})]


@keeps("quirk.13")
def test_two_calls_in_one_delta_without_indices_are_two_calls() -> None:
    response = stream(chunk({"tool_calls": [call(id=""), call(id="")]}), chunk({}, "tool_calls"))
    assert [one.name for one in response.tool_calls] == ["look", "look"]


@keeps("quirk.14")
def test_a_whole_call_in_one_delta_is_read() -> None:
    response = stream(chunk({"content": None, "tool_calls": [call('{"x":1}', index=0)]}, "tool_calls"))
    assert calls(response) == [("a", "look", {"x": 1})]


@keeps("quirk.15")
@pytest.mark.parametrize("message", [{"content": None}, {"content": ""}, {}, {"content": []}])
@pytest.mark.parametrize("none", [[], None])
def test_no_content_in_any_form_is_no_text(message: dict[str, Any], none: Any) -> None:
    response = whole({**message, "tool_calls": none})
    assert (response.text, response.tool_calls, response.finish_reason) == (None, (), "stop")
    assert response.to_message().content == ""


@keeps("quirk.15", "quirk.18")
def test_a_content_in_parts_is_text_and_reasoning() -> None:
    response = CHAT.decode(wire("openai-chat", "parts.json"))
    assert (response.text, response.reasoning) == ("Yes.", "Hm.")
    sent = CHAT.encode([response.to_message()])["messages"][0]["content"]
    assert sent[0] == {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}


@keeps("quirk.16", "quirk.17", "codecs.arguments")
def test_loose_calls_get_ids_and_arguments_in_every_spelling() -> None:
    response = CHAT.decode(wire("openai-chat", "loose_calls.json"))
    assert calls(response) == [
        ("call_0", "now", {}),
        ("call_1", "add", {"a": 1, "b": 2}),
        ("call_2", "sub", {"a": 3}),
        ("same", "now", {}),
        ("same_2", "now", {}),
    ]
    assert response.finish_reason == "tool_calls"
    assert CHAT.decode(wire("openai-chat", "loose_calls.json")) == response


@keeps("quirk.16")
def test_a_call_without_its_inner_level_is_read() -> None:
    assert calls(whole({"tool_calls": [{"name": "look", "arguments": '{"x":1}'}]})) == [("call_0", "look", {"x": 1})]


@keeps("quirk.17")
@pytest.mark.parametrize("text", ["", None, "null", "  \n", " {} "])
def test_no_arguments_in_any_form_are_no_arguments(text: str | None) -> None:
    assert calls(whole({"tool_calls": [call(text)]}, "tool_calls")) == [("a", "look", {})]


@keeps("quirk.17")
@pytest.mark.parametrize("text", ["", None, "  ", "{", '{"path":"a', '{"path":"a"'])
@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_cut_arguments_are_never_run_not_even_empty_ones(text: str | None, finish: str) -> None:
    for response in (
        whole({"tool_calls": [call(text)]}, finish),
        stream(chunk({"tool_calls": [call(text, index=0)]}), chunk({}, finish)),
        stream(chunk({"tool_calls": [call(text, index=0)]}), end=""),
    ):
        assert response.tool_calls == ()
        (broken,) = response.invalid_tool_calls
        assert (broken.id, broken.name) == ("a", "look")
        assert broken.reason


@keeps("quirk.17")
def test_complete_arguments_of_a_cut_answer_are_complete() -> None:
    response = stream(
        chunk({"tool_calls": [call('{"x":1}', index=0)]}),
        chunk({"tool_calls": [call('{"x', id="b", index=1)]}, "length"),
    )
    assert calls(response) == [("a", "look", {"x": 1})]
    assert [broken.id for broken in response.invalid_tool_calls] == ["b"]


@keeps("quirk.18")
@pytest.mark.parametrize("key", ["reasoning", "reasoning_content"])
def test_reasoning_has_two_plain_names_and_goes_back_under_the_same(key: str) -> None:
    response = stream(chunk({"content": "", key: "First "}), chunk({key: "this."}), chunk({"content": "Yes."}, "stop"))
    assert (response.reasoning, response.text) == ("First this.", "Yes.")
    assert CHAT.encode([response.to_message()])["messages"][0][key] == "First this."
    assert whole({"content": "Yes.", key: "First this."}) == response


@keeps("quirk.18")
def test_the_same_reasoning_under_two_names_is_read_once() -> None:
    response = stream(chunk({"reasoning": "Hm.", "reasoning_content": "Hm."}), chunk({"content": "Yes."}, "stop"))
    assert response.reasoning == "Hm."


@keeps("quirk.18")
def test_reasoning_details_are_joined_and_go_back_with_their_signature() -> None:
    response = read(wire("openai-chat", "details.sse"))
    assert response.reasoning == "We look."
    (sent,) = CHAT.encode([response.to_message()])["messages"]
    assert sent["reasoning_details"] == [
        {"type": "reasoning.text", "text": "We look.", "index": 0, "format": "v1", "signature": "c2lnbmF0dXJl"}
    ]
    details = [{"type": "reasoning.text", "text": "A"}, {"type": "reasoning.text", "text": "B"}]
    message = whole({"content": "Yes.", "reasoning_details": details}).to_message()
    assert CHAT.encode([message])["messages"][0]["reasoning_details"] == details


@keeps("quirk.18")
def test_thoughts_in_tags_are_reasoning_and_go_back_as_they_were() -> None:
    decoder = CHAT.stream_decoder()
    events = decoder.feed(wire("openai-chat", "think.sse"))
    response = decoder.close()
    assert (response.reasoning, response.text) == ("\nMaybe so.\n", "Yes.")
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "Yes."
    assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == "\nMaybe so.\n"
    sent = CHAT.encode([response.to_message()])
    assert sent["messages"][0]["content"] == "<think>\nMaybe so.\n</think>\n\nYes."
    assert CHAT.parse_messages(sent)[0] == (response.to_message(),)


@keeps("quirk.18")
@pytest.mark.parametrize("text", ["I <think> so", "<thinker>", "<", " <thin", "x</think>y"])
def test_what_only_looks_like_thoughts_is_text(text: str) -> None:
    pieces = [chunk({"content": letter}) for letter in text]
    assert stream(*pieces, chunk({}, "stop")).text == text
    assert whole({"content": text}).text == text


@keeps("quirk.18")
def test_a_refusal_is_read_and_goes_back_as_one() -> None:
    response = read(wire("openai-chat", "refusal.sse"))
    assert (response.text, response.refusal) == (None, "I cannot do that.")
    message = response.to_message()
    assert message.content == "I cannot do that."
    assert CHAT.encode([message])["messages"] == [
        {"role": "assistant", "content": None, "refusal": "I cannot do that."}
    ]


@keeps("quirk.19", "codecs.failure")
def test_an_error_body_is_an_error_and_no_exception() -> None:
    for response in (CHAT.decode(wire("openai-chat", "error.json")), read(wire("openai-chat", "error.json"))):
        assert response.finish_reason == "error"
        assert response.failure is not None
        assert (response.failure.code, response.failure.retryable) == ("rate_limited", True)
        assert response.failure.message == "Rate limit reached"


@keeps("quirk.19", "codecs.failure")
def test_an_error_in_mid_stream_keeps_what_arrived() -> None:
    response = read(wire("openai-chat", "mid_error.sse"))
    assert (response.text, response.finish_reason) == ("Half", "error")
    assert response.failure is not None
    error = response.failure.to_error(request_id="r1")
    assert (error.code, error.status, error.retryable) == ("api_call_failed", 503, True)
    assert str(error) == "The server is overloaded (api_call_failed)"


@keeps("quirk.19")
def test_an_error_beside_choices_is_an_error() -> None:
    response = stream(chunk({"content": "Half"}, "stop", error={"message": "Broken", "code": 502}))
    assert (response.text, response.finish_reason) == ("Half", "error")
    assert stream(chunk({"content": "Whole"}, "stop", error=None)).finish_reason == "stop"


@keeps("quirk.20")
@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Too much", "type": "x", "code": None}},
        {"error": "Too much"},
        {"code": 400, "message": "Too much", "type": "x"},
        {"detail": "Too much"},
        {"detail": [{"loc": ["body"], "msg": "Too much"}]},
        {"message": "Too much"},
        {"object": "error", "message": "Too much", "code": 400},
        [{"error": {"message": "Too much"}}],
    ],
)
def test_error_bodies_have_many_forms(body: Any) -> None:
    for response in (CHAT.decode(json.dumps(body).encode()), stream(body), read(json.dumps(body, indent=2).encode())):
        assert response.finish_reason == "error"
        assert response.failure is not None
        assert response.failure.message == "Too much"


@keeps("codecs.failure")
def test_a_body_that_is_not_json_is_a_bad_response() -> None:
    with pytest.raises(LLMError, match="not JSON") as caught:
        CHAT.decode(b"<html>secret prompt</html>")
    assert (caught.value.code, caught.value.__cause__) == ("bad_response", None)
    assert "secret" not in repr(caught.value)


@keeps("codecs.failure")
def test_a_broken_event_makes_the_answer_an_error() -> None:
    response = read(sse(chunk({"content": "Hi"})) + b"data: {broken\n\n" + sse(chunk({}, "stop")))
    assert response.finish_reason == "error"
    assert response.failure is not None
    assert response.failure.code == "bad_response"


@keeps("quirk.43")
def test_a_foreign_name_is_read_as_a_legal_one_and_sent_back_as_it_was() -> None:
    names = ["get-weather", "Chat.send", "ns:tool", "fine_name"]
    response = whole({"tool_calls": [call(name=name, id=name) for name in names]})
    assert [one.name for one in response.tool_calls] == ["get_weather", "Chat_send", "ns_tool", "fine_name"]
    sent = CHAT.encode([response.to_message()])["messages"][0]["tool_calls"]
    assert [one["function"]["name"] for one in sent] == names
    other = codec("openai-responses").encode([response.to_message()])["input"]
    assert [one["name"] for one in other] == ["get_weather", "Chat_send", "ns_tool", "fine_name"]


@keeps("codecs.invalid_calls_sent_back")
def test_an_invalid_call_goes_back_with_its_text_under_a_legal_name() -> None:
    broken = whole({"tool_calls": [call('{"x":', name="wörter!" * 20), call("{}", name="", id="b")]}, "tool_calls")
    assert broken.tool_calls == ()
    first, second = CHAT.encode([broken.to_message()])["messages"][0]["tool_calls"]
    assert first["function"]["arguments"] == '{"x":'
    assert len(first["function"]["name"]) == 64
    assert first["function"]["name"].isascii()
    assert second["function"] == {"name": "unknown", "arguments": "{}"}


@keeps("codecs.provider_data")
def test_a_signature_on_a_call_goes_back_with_it() -> None:
    response = read(wire("openai-chat", "signatures.sse"))
    (sent,) = CHAT.encode([response.to_message()])["messages"][0]["tool_calls"]
    assert sent["extra_content"] == {"google": {"thought_signature": "dGhvdWdodA=="}}


@keeps("codecs.inverse")
def test_a_request_of_another_program_is_written_again_word_for_word() -> None:
    request = json.loads(wire("openai-chat", "agent.request.json"))
    messages, tools = CHAT.parse_messages(request)
    again = CHAT.encode(messages, tools, model="gpt-test-1")
    for old, new in zip(request["messages"], again["messages"], strict=True):
        if "tool_calls" in old:  # spaces in the text of arguments are nobody's meaning
            old["tool_calls"][0]["function"]["arguments"] = '{"city":"Bern"}'
        if old["role"] == "tool":
            old["content"] = old["content"] if isinstance(old["content"], str) else old["content"][0]["text"]
        assert new == old


@keeps("codecs.inverse")
@pytest.mark.parametrize("field", ["content", "reasoning_content", "refusal", "name"])
def test_an_answer_of_calls_keeps_its_one_other_field_whatever_that_is(field: str) -> None:
    """Servers leave the content out, or write it as null: that is no reason to take another field for it."""
    asked = {"role": "assistant", field: "Hm.", "tool_calls": [call()]}
    messages, _ = CHAT.parse_messages({"messages": [asked]})
    (again,) = CHAT.encode(messages)["messages"]
    assert again == {"content": None, **asked}


@keeps("quirk.10", "quirk.15")
def test_an_answer_of_the_time_before_there_were_several_calls_is_read() -> None:
    name, text = {"name": "look", "arguments": '{"at"'}, {"arguments": ':"sea"}'}
    streamed = stream(chunk({"function_call": name}), chunk({"function_call": text}), chunk({}, "function_call"))
    came_whole = whole({"content": None, "function_call": {**name, "arguments": '{"at":"sea"}'}}, "function_call")
    for response in (streamed, came_whole):
        assert calls(response) == [("call_0", "look", {"at": "sea"})]
        assert response.finish_reason == "tool_calls"


@keeps("codecs.provider_data")
@pytest.mark.parametrize(
    ("came", "wanted"),
    [
        ({"audio": {"id": "audio_1", "data": "AAAA", "transcript": "Hi."}}, {"audio": {"id": "audio_1"}}),
        ({"reasoning_opaque": "c2ln"}, {"reasoning_opaque": "c2ln"}),
        ({"extra_content": {"google": {"thought_signature": "c2ln"}}}, None),
    ],
)
def test_what_else_came_with_an_answer_goes_back_as_far_as_it_is_wanted(came: Any, wanted: Any) -> None:
    for response in (whole({"content": "Hi.", **came}), stream(chunk({"content": "Hi."}), chunk(came, "stop"))):
        (sent,) = CHAT.encode([response.to_message()])["messages"]
        assert sent == {"role": "assistant", "content": "Hi.", **(wanted or came)}


@keeps("quirk.15", "quirk.18")
def test_parts_of_a_content_are_texts_refusals_or_bare() -> None:
    response = whole(
        {"content": ["So: ", {"type": "text", "text": "no."}, {"type": "refusal", "refusal": "Not that."}]}
    )
    assert (response.text, response.refusal) == ("So: no.", "Not that.")


@keeps("codecs.inverse")
def test_calls_of_the_time_before_there_were_several_are_read() -> None:
    messages, tools = CHAT.parse_messages(json.loads(wire("openai-chat", "functions.request.json")))
    assert [message.role.value for message in messages] == ["user", "assistant", "tool"]
    assert messages[2].tool_call_id == messages[1].tool_calls[0].id
    assert [tool.name for tool in tools] == ["now"]


@keeps("codecs.inverse")
@pytest.mark.parametrize("wrong", [None, 5, {}, {"role": "user"}, {"role": "robot", "content": ""}, {"role": ["user"]}])
def test_what_cannot_be_a_message_is_refused_with_its_place(wrong: Any) -> None:
    with pytest.raises(tw.InvalidMessageError, match=r"messages\[1\]"):
        CHAT.parse_messages({"messages": [{"role": "user", "content": "Hi"}, wrong]})


OPTIONAL = ToolDefinition(
    name="look",
    description="Look.",
    parameters={
        "type": "object",
        "properties": {"at": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["at"],
    },
)


@keeps("codecs.strict")
def test_strict_definitions_take_the_strict_dialect_for_openai_itself() -> None:
    (strict,) = CHAT.encode_tools([OPTIONAL])
    assert strict["function"]["strict"] is True
    assert strict["function"]["parameters"]["required"] == ["at", "n"]
    (plain,) = OpenAIChatCodec(strict=False).encode_tools([OPTIONAL])
    assert "strict" not in plain["function"]
    assert plain["function"]["parameters"]["required"] == ["at"]


@keeps("codecs.options")
def test_options_are_written_as_the_format_has_them() -> None:
    body = CHAT.encode(
        [tw.user("Hi")],
        [OPTIONAL],
        model="m",
        stream=True,
        tool_choice="look",
        parallel_tool_calls=False,
        temperature=0.5,
        max_tokens=9,
        stop="END",
        response_schema={"title": "My answer", "type": "object", "properties": {"x": {"type": "integer"}}},
    )
    assert body["tool_choice"] == {"type": "function", "function": {"name": "look"}}
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert (body["max_completion_tokens"], body["stop"], body["temperature"]) == (9, ["END"], 0.5)
    assert body["parallel_tool_calls"] is False
    assert body["response_format"]["json_schema"]["name"] == "My_answer"
    assert body["response_format"]["json_schema"]["strict"] is True
    assert OpenAIChatCodec(strict=False).encode([tw.user("Hi")], max_tokens=9)["max_tokens"] == 9
