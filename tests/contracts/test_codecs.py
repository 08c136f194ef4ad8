"""What every codec keeps, whatever its format: one suite, run over all that are registered."""

from __future__ import annotations

import json
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import toolwright as tw
from tests.messages.strategies import conversations, json_values
from tests.promises import keeps
from tests.wire import bodies, requests, streams, wire
from toolwright.errors import DefinitionDecodeError, InvalidDefinitionError, LLMError
from toolwright.messages import MessageRole
from toolwright.providers import CODECS, ChatResponse, ReasoningDelta, TextDelta, codec
from toolwright.providers.types import FinishReason
from toolwright.tools.definition import ToolDefinition

NAMES = sorted(CODECS)
STREAMS = [(name, file) for name in NAMES for file in streams(name)]
BODIES = [(name, file) for name in NAMES for file in bodies(name)]
FILES = STREAMS + BODIES
FINISHES = set(FinishReason.__args__)  # type: ignore[attr-defined]

TOOL = ToolDefinition(
    name="read_file",
    description="Read a file.",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)


def decoded(name: str, data: bytes, *cuts: int) -> ChatResponse:
    """Decode a stream that comes in pieces."""
    decoder = codec(name).stream_decoder()
    for start, end in zip((0, *cuts), (*cuts, len(data)), strict=True):
        decoder.feed(data[start:end])
    return decoder.close()


def read(name: str, file: str) -> ChatResponse:
    """Read a file the way that it is meant to be read."""
    data = wire(name, file)
    return codec(name).decode(data) if file in bodies(name) else decoded(name, data)


def attempted(name: str, body: bytes) -> ChatResponse | LLMError:
    """Read a whole answer, or return the one exception that there may be."""
    try:
        return codec(name).decode(body)
    except LLMError as error:
        return error


def is_fine(result: ChatResponse | LLMError) -> bool:
    return result.finish_reason in FINISHES if isinstance(result, ChatResponse) else result.code == "bad_response"


def cuts_of(data: bytes) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, len(data)), max_size=8).map(sorted)


@keeps("codecs.registered")
@pytest.mark.parametrize("name", NAMES)
def test_every_codec_is_found_by_its_name_and_has_bytes_to_be_tested_with(name: str) -> None:
    assert codec(name).name == name
    assert codec(name) is codec(name)
    assert streams(name)
    assert bodies(name)


@keeps("codecs.registered")
def test_an_unknown_codec_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match="openai-chat"):
        codec("openai-chatt")


@keeps("codecs.registered")
@pytest.mark.parametrize("name", NAMES)
def test_a_codec_is_a_folder_that_knows_no_other(name: str) -> None:
    """Found by the folder, as the codecs are: a new one is held to it without being listed."""
    package = import_module(CODECS[name])
    written = "".join(path.read_text() for path in Path(str(package.__file__)).parent.glob("*.py"))
    assert [other for other in NAMES if other != name and CODECS[other] in written] == []


@keeps("codecs.any_cut")
@pytest.mark.parametrize(("name", "file"), STREAMS)
def test_a_stream_cut_into_single_bytes_gives_the_same_answer(name: str, file: str) -> None:
    data = wire(name, file)
    assert decoded(name, data, *range(1, len(data))) == decoded(name, data)


@keeps("codecs.any_cut")
@pytest.mark.parametrize(("name", "file"), STREAMS)
@given(data=st.data())
@settings(max_examples=12)
def test_a_stream_cut_anywhere_gives_the_same_answer(name: str, file: str, data: st.DataObject) -> None:
    stream = wire(name, file)
    assert decoded(name, stream, *data.draw(cuts_of(stream))) == decoded(name, stream)


@keeps("codecs.events")
@pytest.mark.parametrize(("name", "file"), STREAMS)
def test_the_events_of_a_stream_are_the_pieces_of_its_answer(name: str, file: str) -> None:
    decoder = codec(name).stream_decoder()
    events = decoder.feed(wire(name, file))
    response = decoder.close()
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    reasoning = "".join(event.text for event in events if isinstance(event, ReasoningDelta))
    # What had no end when the stream did is only in the answer.
    assert (response.text or "").startswith(text)
    assert (response.reasoning or "").startswith(reasoning)
    assembler = tw.ToolCallAssembler()
    for event in events:
        if isinstance(event, tw.ToolCallDelta):
            assembler.add(event)
    ids = [call.id for call in response.tool_calls] + [call.id for call in response.invalid_tool_calls]
    assert sorted(call.id for call in assembler.finish()) == sorted(ids)
    assert decoder.close() == response


@keeps("codecs.broken_off")
@pytest.mark.parametrize(("name", "file"), STREAMS)
@given(data=st.data())
@settings(max_examples=12)
def test_a_stream_that_breaks_off_gives_what_arrived_and_never_another_call(
    name: str, file: str, data: st.DataObject
) -> None:
    stream = wire(name, file)
    whole = decoded(name, stream)
    part = decoded(name, stream[: data.draw(st.integers(0, len(stream)))])
    text = part.text or ""
    assert (whole.text or "").startswith(text) or "<think>".startswith(text)  # half a tag may have been a text
    meant = [(call.name, call.arguments) for call in whole.tool_calls]
    assert all((call.name, call.arguments) in meant for call in part.tool_calls)
    assert part.finish_reason in FINISHES


@keeps("codecs.only_llm_error")
@pytest.mark.parametrize("name", NAMES)
@given(data=st.binary(max_size=300), cut=st.integers(0, 300))
def test_any_bytes_whatever_give_an_answer_or_an_llm_error(name: str, data: bytes, cut: int) -> None:
    assert decoded(name, data, min(cut, len(data))).finish_reason in FINISHES
    assert is_fine(attempted(name, data))


@keeps("codecs.only_llm_error")
@pytest.mark.parametrize(("name", "file"), FILES)
@given(data=st.data())
@settings(max_examples=20)
def test_valid_bytes_that_were_damaged_give_an_answer_or_an_llm_error(
    name: str, file: str, data: st.DataObject
) -> None:
    whole = wire(name, file)
    start = data.draw(st.integers(0, len(whole)))
    length = data.draw(st.integers(0, 12))
    junk = data.draw(st.binary(max_size=6) | st.sampled_from([b"null", b"{}", b"[]", b'""', b"-1", b"1e400", b"[["]))
    damaged = whole[:start] + junk + whole[start + length :]
    assert decoded(name, damaged).finish_reason in FINISHES
    assert is_fine(attempted(name, damaged))


def _places(value: Any, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place] + [inner for key, item in items for inner in _places(item, (*place, key))]


def _put(value: Any, place: tuple[str | int, ...], new: Any) -> Any:
    if not place:
        return new
    copy = value.copy()
    copy[place[0]] = _put(value[place[0]], place[1:], new)
    return copy


def _rows(data: bytes) -> list[Any]:
    found = []
    for line in data.splitlines():
        try:
            found.append(json.loads(line.removeprefix(b"data:")))
        except ValueError:
            continue
    return found


def _written(name: str, file: str, rows: list[Any]) -> bytes:
    lead = "" if file.endswith(".ndjson") else "data: "
    return "".join(f"{lead}{json.dumps(row)}\n\n" for row in rows).encode()


@keeps("codecs.only_llm_error")
@pytest.mark.parametrize(("name", "file"), STREAMS)
@given(data=st.data())
@settings(max_examples=30)
def test_any_value_in_any_place_of_a_stream_gives_an_answer(name: str, file: str, data: st.DataObject) -> None:
    rows = _rows(wire(name, file))
    place = data.draw(st.sampled_from(_places(rows)[1:]))
    strange = _written(name, file, _put(rows, place, data.draw(json_values)))
    response = decoded(name, strange)
    assert response.finish_reason in FINISHES
    assert json.loads(codec(name).encode_bytes([tw.user("Go on."), response.to_message()]))


@keeps("codecs.only_llm_error")
@pytest.mark.parametrize(("name", "file"), BODIES)
@given(data=st.data())
@settings(max_examples=30)
def test_any_value_in_any_place_of_a_body_gives_an_answer(name: str, file: str, data: st.DataObject) -> None:
    body = json.loads(wire(name, file))
    strange = _put(body, data.draw(st.sampled_from(_places(body))), data.draw(json_values))
    result = attempted(name, json.dumps(strange).encode())
    assert is_fine(result)
    if isinstance(result, ChatResponse):
        assert json.loads(codec(name).encode_bytes([tw.user("Go on."), result.to_message()]))


def _deep(levels: int) -> Any:
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


@keeps("codecs.only_llm_error")
@pytest.mark.parametrize("levels", [190, 199, 260])
@pytest.mark.parametrize(("name", "file"), [(name, streams(name)[0]) for name in NAMES])
def test_what_is_nested_too_deeply_to_be_kept_is_not_kept(name: str, file: str, levels: int) -> None:
    rows = _rows(wire(name, file))
    for place in _places(rows)[1::3]:
        response = decoded(name, _written(name, file, _put(rows, place, {"deep": _deep(levels)})))
        assert response.finish_reason in FINISHES
        assert response.to_message().to_json()


@keeps("codecs.only_llm_error")
@pytest.mark.parametrize(("name", "file"), [(name, file) for name in NAMES for file in requests(name)])
@given(data=st.data())
@settings(max_examples=30)
def test_a_request_of_any_shape_is_read_or_refused_as_what_it_is(name: str, file: str, data: st.DataObject) -> None:
    request = json.loads(wire(name, file))
    strange = _put(request, data.draw(st.sampled_from(_places(request))), data.draw(json_values))
    try:
        messages, tools = codec(name).parse_messages(strange)
    except (tw.InvalidMessageError, DefinitionDecodeError, InvalidDefinitionError):
        return
    assert json.loads(codec(name).encode_bytes(messages, tools))


@keeps("codecs.linear")
@pytest.mark.parametrize("name", NAMES)
def test_a_line_without_end_in_single_bytes_costs_what_it_is_long(name: str) -> None:
    """Cost is shown by the benchmark; here a size that anything quadratic would not survive."""
    decoder = codec(name).stream_decoder()
    for _ in range(300_000):
        decoder.feed(b"x")
    assert decoder.close().finish_reason == "error"


@keeps("codecs.linear")
@pytest.mark.parametrize("name", NAMES)
def test_many_pieces_cost_what_they_are_long(name: str) -> None:
    for file in streams(name):
        assert decoded(name, wire(name, file) * 400).finish_reason in FINISHES


_MANY = 10_000
_TURNS_OF_MANY: dict[str, dict[str, Any]] = {
    "openai-chat": {
        "messages": [
            {"role": "assistant", "tool_calls": [{"function": {"name": f"look_{at}"}} for at in range(_MANY)]},
            *[{"role": "tool", "name": f"look_{at}", "content": "Seen."} for at in reversed(range(_MANY))],
        ]
    },
    "ollama": {
        "messages": [
            {"role": "assistant", "tool_calls": [{"function": {"name": f"look_{at}"}} for at in range(_MANY)]},
            *[{"role": "tool", "tool_name": f"look_{at}", "content": "Seen."} for at in reversed(range(_MANY))],
        ]
    },
    "gemini": {
        "contents": [
            {"role": "model", "parts": [{"functionCall": {"name": f"look_{at}"}} for at in range(_MANY)]},
            {"parts": [{"functionResponse": {"name": f"look_{at}"}} for at in reversed(range(_MANY))]},
        ]
    },
}


@keeps("codecs.linear", "codecs.inverse")
@pytest.mark.parametrize("name", _TURNS_OF_MANY)
def test_results_that_name_their_call_are_found_however_many_there_are(name: str) -> None:
    messages, _ = codec(name).parse_messages(_TURNS_OF_MANY[name])
    asked = {call.name: call.id for call in messages[0].tool_calls}
    assert len(asked) == _MANY
    assert [message.tool_call_id for message in messages[1:]] == [asked[f"look_{at}"] for at in reversed(range(_MANY))]


@keeps("codecs.bodies_are_json", "codecs.no_tools_key")
@pytest.mark.parametrize("name", NAMES)
@given(conversation=conversations())
@settings(max_examples=30)
def test_a_request_body_is_json_and_has_no_tools_where_there_are_none(name: str, conversation: tw.Conversation) -> None:
    body = codec(name).encode_bytes(conversation, [], model="m", tool_choice="auto")
    assert json.loads(body) == codec(name).encode(conversation, (), model="m")
    assert not {"tools", "tool_choice", "toolConfig", "parallel_tool_calls"} & json.loads(body).keys()


@keeps("codecs.tools")
@pytest.mark.parametrize("name", NAMES)
def test_tools_are_in_the_request_as_encode_tools_gives_them(name: str) -> None:
    body = codec(name).encode([tw.user("Read it.")], [TOOL], model="m")
    assert body["tools"] == codec(name).encode_tools([TOOL])
    assert "read_file" in json.dumps(body["tools"])


@keeps("codecs.inverse")
@pytest.mark.parametrize("name", NAMES)
@given(conversation=conversations())
@settings(max_examples=30)
def test_a_request_that_was_read_back_means_the_same_when_it_is_written_again(
    name: str, conversation: tw.Conversation
) -> None:
    request = codec(name).encode(conversation, [TOOL])
    messages, tools = codec(name).parse_messages(request)
    again = codec(name).encode(messages, tools)
    assert codec(name).parse_messages(again) == (messages, tools)
    if not any(message.invalid_tool_calls for message in conversation):  # no arguments can be written in several ways
        assert again == request


@keeps("codecs.inverse")
@pytest.mark.parametrize(("name", "file"), [(name, file) for name in NAMES for file in requests(name)])
def test_a_request_of_another_program_means_the_same_when_it_is_written_again(name: str, file: str) -> None:
    request = json.loads(wire(name, file))
    messages, tools = codec(name).parse_messages(request)
    again = codec(name).parse_messages(codec(name).encode(messages, tools))
    assert again[0] == messages
    # Not their metadata, which tells what they were called before their names were legal.
    assert [(tool.name, tool.description) for tool in again[1]] == [(tool.name, tool.description) for tool in tools]


def _said(messages: tuple[tw.ChatMessage, ...]) -> list[Any]:
    """What a conversation says, whoever was to read it."""
    said: list[Any] = []
    for message in messages:
        if message.role is MessageRole.TOOL:
            said.append(("result", message.content))
        else:
            said += [(message.role.value, message.content)] if message.content else []
            said += [("call", call.name, call.arguments) for call in message.tool_calls]
    return said


CROSSING = (
    tw.system("Be brief."),
    tw.user("What is in a.txt, and what time is it?"),
    tw.assistant("I look.", [tw.ToolCall("c1", "read_file", {"path": "a.txt"}), tw.ToolCall("c2", "now")]),
    tw.tool_result("c1", "Nothing."),
    tw.tool_result("c2", "Noon."),
    tw.assistant("Nothing is in it, and it is noon."),
    tw.user("Thanks."),
)


@keeps("codecs.crossing")
@pytest.mark.parametrize("one", NAMES)
@pytest.mark.parametrize("other", NAMES)
def test_a_conversation_read_from_one_format_means_the_same_in_another(one: str, other: str) -> None:
    read_from_one = codec(one).parse_messages(codec(one).encode(CROSSING))[0]
    read_from_other = codec(other).parse_messages(codec(other).encode(read_from_one))[0]
    assert _said(read_from_other) == _said(CROSSING)


@keeps("codecs.provider_data")
@pytest.mark.parametrize(("name", "file"), FILES)
def test_what_a_provider_wants_back_survives_storage_and_stays_with_it(name: str, file: str) -> None:
    message = read(name, file).to_message()
    stored = tw.ChatMessage.from_json(message.to_json())
    assert stored == message
    assert codec(name).encode_bytes([stored]) == codec(name).encode_bytes([message])
    kept = [message.provider_data, *(call.provider_data for call in message.tool_calls)]
    kept += [call.provider_data for call in message.invalid_tool_calls]
    assert {key for data in kept if data is not None for key in data} <= {name}
    bare = tw.assistant(
        message.content,
        [tw.ToolCall(call.id, call.name, call.arguments) for call in message.tool_calls],
        [tw.InvalidToolCall(c.id, c.name, c.arguments_text, c.reason) for c in message.invalid_tool_calls],
    )
    for other in NAMES:
        if other != name:
            assert codec(other).encode([message]) == codec(other).encode([bare])


KEPT_KEYS = st.sampled_from("fields parts text content items thinking think name custom role address part id".split())
ENTRIES = st.fixed_dictionaries({}, optional=dict.fromkeys(("type", "length", "id", "call", "call_id"), json_values))


@keeps("codecs.provider_data")
@pytest.mark.parametrize("name", NAMES)
@given(
    kept=st.dictionaries(KEPT_KEYS, json_values | st.lists(ENTRIES, max_size=3), max_size=3), place=st.integers(0, 3)
)
@settings(max_examples=40)
def test_what_a_codec_did_not_keep_is_refused_as_what_it_is(name: str, kept: dict[str, Any], place: int) -> None:
    call = tw.ToolCall("c1", "read_file", {"path": "a"}, {name: kept} if place == 3 else None)
    messages = [tw.user("Read it."), tw.assistant("I look.", [call]), tw.tool_result("c1", "Nothing.")]
    if place < 3:
        messages[place] = replace(messages[place], provider_data={name: kept})
    with suppress(tw.InvalidMessageError):
        assert json.loads(codec(name).encode_bytes(messages))


@keeps("codecs.surrogates")
@pytest.mark.parametrize("name", NAMES)
def test_half_a_surrogate_pair_goes_out_as_a_replacement_character(name: str) -> None:
    call = tw.ToolCall("c\udc00", "look", {"at\ud800": "\udfff"})
    messages = [tw.user("a\ud800b"), tw.assistant("\udc00", [call]), tw.tool_result("c\udc00", "\ud834")]
    body = codec(name).encode_bytes(messages).decode("utf-8")
    assert "a\ufffdb" in body
    assert json.loads(body) == codec(name).encode(messages)


@keeps("codecs.surrogates")
@pytest.mark.parametrize("name", NAMES)
def test_half_a_surrogate_pair_outside_of_the_messages_goes_out_as_well(name: str) -> None:
    messages = [tw.system("a\ud800b"), tw.user("Hello")]
    body = codec(name).encode_bytes(messages, [TOOL], model="\udc00", extra_body={"seed": "\udfff"}).decode("utf-8")
    assert "a\ufffdb" in body
    assert json.loads(body)["seed"] == "\ufffd"


@keeps("codecs.options")
@pytest.mark.parametrize("name", NAMES)
def test_an_option_that_there_is_not_and_a_tool_that_is_not_offered_are_refused(name: str) -> None:
    with pytest.raises(TypeError, match="extra_body"):
        codec(name).encode([tw.user("Hello")], max_token=3)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="not among the tools"):
        codec(name).encode([tw.user("Hello")], [TOOL], tool_choice="write_file")
    with pytest.raises(ValueError, match="needs tools"):
        codec(name).encode([tw.user("Hello")], tool_choice="required")


@keeps("codecs.options")
@pytest.mark.parametrize("name", NAMES)
def test_extra_body_is_merged_into_the_request_and_what_is_the_transports_is_not(name: str) -> None:
    plain = codec(name).encode([tw.user("Hello")])
    options: dict[str, Any] = {"timeout": 3.0, "extra_headers": {"x": "y"}, "extra_body": {"seed": 7}}
    assert codec(name).encode([tw.user("Hello")], **options) == {**plain, "seed": 7}


@keeps("codecs.incremental")
@pytest.mark.parametrize("name", NAMES)
@given(conversation=conversations())
@settings(max_examples=20)
def test_a_history_written_turn_by_turn_is_written_as_a_whole(name: str, conversation: tw.Conversation) -> None:
    messages = conversation.messages
    turns = [codec(name).encode(messages[:length]) for length in range(len(messages) + 1)]
    copies = [tw.ChatMessage.from_json(message.to_json()) for message in messages]
    assert turns == [codec(name).encode(copies[:length]) for length in range(len(messages) + 1)]
