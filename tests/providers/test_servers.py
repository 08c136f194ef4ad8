"""What single servers do beyond what is common to many, in bytes like theirs."""

from __future__ import annotations

import json
from typing import Any

import pytest

import toolwright as tw
from tests.promises import keeps
from toolwright.providers import ChatResponse, ReasoningDelta, StreamEvent, TextDelta, codec

Object = dict[str, Any]


def streamed(name: str, *values: Object) -> tuple[ChatResponse, list[StreamEvent]]:
    """Decode a stream, one event for each value."""
    decoder = codec(name).stream_decoder()
    events = decoder.feed("".join(f"data: {json.dumps(value)}\n\n" for value in values).encode())
    return decoder.close(), events


def chunk(delta: Any = None, finish: Any = None, **more: Any) -> Object:
    return {"id": "c", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def piece(arguments: Any, name: str | None = None, id: str | None = None, **more: Any) -> Object:
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    call: Object = {"function": function, **more} if id is None else {"id": id, "function": function, **more}
    return chunk({"tool_calls": [call]})


def calls(response: ChatResponse) -> list[Any]:
    return [(one.id, one.name, dict(one.arguments)) for one in response.tool_calls]


def chat(*chunks: Object) -> ChatResponse:
    return streamed("openai-chat", *chunks)[0]


def whole(*messages: Object) -> ChatResponse:
    body = {"model": "m", "choices": [{"finish_reason": "stop", "message": message} for message in messages]}
    return codec("openai-chat").decode(json.dumps(body).encode())


@keeps("quirk.13")
@pytest.mark.parametrize("kind", [int, str, float])
def test_an_index_may_be_a_text_or_a_float(kind: type) -> None:
    begun = [piece('{"x"', "f", "a", index=kind(0)), piece('{"y"', "g", "b", index=kind(1))]
    grown = [piece(":1}", index=kind(0)), piece(":2}", index=kind(1))]
    assert calls(chat(*begun, *grown, chunk({}, "tool_calls"))) == [("a", "f", {"x": 1}), ("b", "g", {"y": 2})]


@keeps("quirk.13")
@pytest.mark.parametrize("index", [10**9, -1, True, "first", 0.5, 1e300, "9" * 5000, [0], {"at": 0}])
def test_an_index_that_counts_nothing_costs_nothing(index: Any) -> None:
    response = chat(piece("{}", "f", "a", index=index), chunk({}, "tool_calls"))
    assert calls(response) == [("a", "f", {})]


@keeps("quirk.13")
def test_a_call_that_is_said_twice_under_one_id_is_one_call() -> None:
    again = piece('{"x":1}', "f", "a", index=0)
    assert calls(chat(again, again, chunk({}, "tool_calls"))) == [("a", "f", {"x": 1})]
    other = piece('{"x":2}', "f", "a", index=0)
    assert [one.arguments["x"] for one in chat(again, other, chunk({}, "tool_calls")).tool_calls] == [1, 2]


@keeps("quirk.9")
def test_a_message_at_the_end_that_repeats_the_stream_is_read_for_what_is_new_in_it() -> None:
    """MiniMax ends a stream with a chunk that has the whole answer."""
    function = {"id": "a", "function": {"name": "f", "arguments": "{}"}}
    said = {"role": "assistant", "content": "Hi all", "tool_calls": [function]}
    last = {"model": "m", "choices": [{"index": 0, "finish_reason": "stop", "message": said}]}
    response = chat(chunk({"content": "Hi "}), chunk({"content": "all"}), last)
    assert (response.text, calls(response)) == ("Hi all", [("a", "f", {})])


@keeps("quirk.9")
def test_a_message_beside_each_delta_is_all_that_came_so_far() -> None:
    """Perplexity has both in every chunk; in a body that came whole, the delta is empty."""
    chunks = [chunk({"content": "He"}), chunk({"content": "llo"}, "stop")]
    for one, so_far in zip(chunks, ("He", "Hello"), strict=True):
        one["choices"][0]["message"] = {"role": "assistant", "content": so_far}
    assert chat(*chunks).text == "Hello"
    chunks[1]["choices"][0]["delta"] = {"role": "assistant", "content": ""}
    assert codec("openai-chat").decode(json.dumps(chunks[1]).encode()).text == "Hello"


@keeps("quirk.15")
def test_an_answer_in_several_choices_without_index_is_one_answer() -> None:
    """Copilot says in one choice what it says, and in another what it calls."""
    function = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    response = whole({"content": "I look."}, {"content": None, "tool_calls": [function]})
    assert (response.text, calls(response)) == ("I look.", [("a", "f", {})])


@keeps("quirk.15")
def test_a_content_that_is_one_part_and_calls_that_are_one_call_are_read() -> None:
    function = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    response = whole({"content": {"type": "text", "text": "I look."}, "tool_calls": function})
    assert (response.text, calls(response)) == ("I look.", [("a", "f", {})])


@keeps("quirk.18")
def test_thoughts_in_parts_of_the_content_go_back_as_parts() -> None:
    """Mistral parts what it thinks from what it says inside the content, in some deltas both at once."""

    def thinking(text: str) -> Object:
        return {"type": "thinking", "thinking": [{"type": "text", "text": text}], "closed": True}

    both = chunk({"content": [thinking("ay."), {"type": "text", "text": "3"}]})
    response = chat(chunk({"content": [thinking("Ok")]}), both, chunk({"content": "91"}, "stop"))
    assert (response.reasoning, response.text) == ("Okay.", "391")
    (sent,) = codec("openai-chat").encode([response.to_message()])["messages"]
    assert [part["type"] for part in sent["content"]] == ["thinking", "text"]


def item(kind: str = "message", **fields: Any) -> Object:
    if kind == "message":
        return {"type": kind, "id": "m1", "content": [{"type": "output_text", "text": "Hi"}], **fields}
    return {"type": kind, "id": "f1", "call_id": "c1", "name": "f", "arguments": '{"x":1}', **fields}


def told(events: list[StreamEvent]) -> tuple[str, list[Any]]:
    """What whoever watched the events was told: the text, and the calls."""
    assembler = tw.ToolCallAssembler()
    for event in events:
        if isinstance(event, tw.ToolCallDelta):
            assembler.add(event)
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    return text, [(one.id, one.name, dict(one.arguments)) for one in assembler.finish() if isinstance(one, tw.ToolCall)]


ANSWER = ("Hi", [("c1", "f", {"x": 1})])


@keeps("quirk.24")
@pytest.mark.parametrize("indices", [(0, 1), (1, 2), (1, 7), (0, 0), (None, None)])
@pytest.mark.parametrize("output", [[], [item(), item("function_call")]])
def test_items_are_told_apart_and_told_once_whatever_their_index(indices: tuple[Any, Any], output: list[Any]) -> None:
    events: list[Object] = []
    for index, one in zip(indices, (item(content=[]), item("function_call", arguments="")), strict=True):
        at = {} if index is None else {"output_index": index}
        said = one["type"] == "message"
        kind, pieces = ("output_text", ("H", "i")) if said else ("function_call_arguments", ('{"x"', ":1}"))
        events.append({"type": "response.output_item.added", **at, "item": one})
        events += [{"type": f"response.{kind}.delta", **at, "delta": text} for text in pieces]
        events.append({"type": "response.output_item.done", **at, "item": item(one["type"])})
    end = {"type": "response.completed", "response": {"status": "completed", "output": output}}
    response, seen = streamed("openai-responses", *events, end)
    assert (response.text, calls(response)) == ANSWER
    assert told(seen) == ANSWER


@keeps("quirk.24")
def test_ids_that_change_from_event_to_event_change_nothing() -> None:
    """Copilot gives each event an id of its own."""
    numbers = iter(range(100))

    def fresh(whole: Object) -> Object:
        return {**whole, "id": f"x{next(numbers)}"}

    parts = (item(), item("function_call"))
    done = [
        {"type": "response.output_item.done", "output_index": place, "item": fresh(one)}
        for place, one in enumerate(parts)
    ]
    end = {"type": "response.completed", "response": {"status": "completed", "output": [*map(fresh, parts)]}}
    response, seen = streamed("openai-responses", *done, end)
    assert (response.text, calls(response)) == told(seen) == ANSWER


@keeps("quirk.6", "quirk.24")
@pytest.mark.parametrize("ended", [True, False])
def test_a_text_and_arguments_that_came_in_no_pieces_are_read_from_their_end(ended: bool) -> None:
    begun = {"type": "response.output_item.added", "output_index": 1, "item": item("function_call", arguments="")}
    text = {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hi"}
    arguments = {"type": "response.function_call_arguments.done", "output_index": 1, "arguments": '{"x":1}'}
    end = {"type": "response.completed", "response": {"status": "completed", "output": []}}
    response, seen = streamed("openai-responses", text, begun, arguments, *([end] if ended else []))
    assert (response.text, calls(response)) == told(seen) == ANSWER
    assert response.finish_reason == ("tool_calls" if ended else "error")


def block(index: Any, **start: Any) -> Object:
    return {"type": "content_block_start", "index": index, "content_block": start}


def grown(index: Any, kind: str, **delta: Any) -> Object:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **delta}}


def began(*content: Any, stop: str | None = None) -> Object:
    return {"type": "message_start", "message": {"model": "m", "content": [*content], "stop_reason": stop}}


CALL: Object = {"type": "tool_use", "id": "t1", "name": "f"}
ENDED: Object = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}


@keeps("quirk.33")
def test_blocks_that_are_there_when_a_message_begins_are_read() -> None:
    """An answer that goes on after code ran at the provider begins with what that code called."""
    done = {"type": "code_execution_tool_result", "tool_use_id": "s1", "content": {"stdout": "1"}}
    start = began(done, {**CALL, "input": {"x": 1}, "caller": {"type": "code"}}, stop="tool_use")
    response, seen = streamed("anthropic", start, start, {"type": "message_stop"})
    assert (calls(response), response.finish_reason) == ([("t1", "f", {"x": 1})], "tool_calls")
    assert told(seen)[1] == calls(response)
    (turn,) = codec("anthropic").encode([response.to_message()])["messages"]
    assert turn["content"] == [done, {**CALL, "input": {"x": 1}, "caller": {"type": "code"}}]


@keeps("quirk.28")
@pytest.mark.parametrize("pieces", [[], [""], ["", '{"x":', "1}"]])
@pytest.mark.parametrize("stop", [True, False])
def test_arguments_with_which_a_call_began_are_those_that_are_streamed_or_else_themselves(
    pieces: list[str], stop: bool
) -> None:
    deltas = [grown(0, "input_json_delta", partial_json=one) for one in pieces]
    rest = [{"type": "content_block_stop", "index": 0}] if stop else []
    response, seen = streamed("anthropic", began(), block(0, **CALL, input={"x": 1}), *deltas, *rest, ENDED)
    assert calls(response) == [("t1", "f", {"x": 1})]
    assert told(seen)[1] == calls(response) or not stop


@keeps("quirk.28", "formats.cut")
def test_a_call_that_broke_off_before_its_arguments_is_an_invalid_one_even_with_some_to_begin_with() -> None:
    response, _ = streamed("anthropic", began(), block(0, **CALL, input={"x": 1}))
    assert [one.id for one in response.invalid_tool_calls] == ["t1"]


@keeps("quirk.33")
def test_blocks_whose_indices_are_texts_are_told_apart() -> None:
    start = [block("0", type="text", text=""), block("1", **CALL, input={})]
    deltas = [grown("1", "input_json_delta", partial_json="{}"), grown("0", "text_delta", text="Hi")]
    response, _ = streamed("anthropic", began(), *start, *deltas, ENDED)
    assert (response.text, calls(response)) == ("Hi", [("t1", "f", {})])


@keeps("quirk.30")
def test_thinking_of_two_models_keeps_the_signature_of_each() -> None:
    """Where another model goes on, a block between says so."""
    thoughts = [
        event
        for index, text in ((0, "a"), (2, "b"))
        for event in (
            block(index, type="thinking", thinking="", signature=""),
            grown(index, "thinking_delta", thinking=text),
            grown(index, "signature_delta", signature=f"by-{text}"),
        )
    ]
    between = block(1, type="fallback", **{"from": {"model": "x"}, "to": {"model": "y"}})
    call = block(3, **CALL, input={})
    response, seen = streamed("anthropic", began(), *thoughts[:3], between, *thoughts[3:], call, ENDED)
    assert "".join(event.text for event in seen if isinstance(event, ReasoningDelta)) == response.reasoning == "ab"
    (turn,) = codec("anthropic").encode([response.to_message()])["messages"]
    kinds = [(one["type"], one.get("signature")) for one in turn["content"]]
    assert kinds == [("thinking", "by-a"), ("fallback", None), ("thinking", "by-b"), ("tool_use", None)]


@keeps("codecs.provider_data")
def test_what_a_codec_did_not_keep_is_named_by_its_place() -> None:
    strange = tw.ChatMessage(tw.MessageRole.ASSISTANT, "Yes.", provider_data={"anthropic": {"content": [5]}})
    with pytest.raises(tw.InvalidMessageError, match=r"messages\[1\]\.provider_data: is not what the codec keeps"):
        codec("anthropic").encode([tw.user("Is it?"), strange])
    assert codec("gemini").encode([tw.user("Is it?"), strange])
