from __future__ import annotations

import pytest

import toolwright as tw
from tests.promises import keeps
from tests.providers.services import serving
from tests.providers.text_calls.reading import joined
from tests.providers.text_calls.samples import SAMPLES, TOOLS, Sample
from toolwright.messages import ToolCallAssembler
from toolwright.providers import ChatResponse, Completed, ReasoningDelta, TextDelta
from toolwright.providers.text_calls import reading
from toolwright.providers.types import FinishReason, StreamEvent

HELLO = [tw.user("What is the weather?")]
TEXT = 'One.\n<tool_call>{"name": "get_time", "arguments": {}}</tool_call>'
NATIVE = tw.ToolCall("text_call", "get_weather", {"city": "Rome"})


@keeps("text_calls.provider", "text_calls.auto")
@pytest.mark.parametrize("sample", [s for s in SAMPLES if not s.alone][::6], ids=lambda sample: sample.family)
async def test_a_provider_reads_the_calls_that_a_server_left_in_the_text(sample: Sample) -> None:
    with serving("vllm", [sample.answer] * 2) as (llm, _):
        whole = await llm.chat_with_tools(HELLO, TOOLS)
        events = [event async for event in llm.stream(HELLO, TOOLS)]
        await llm.aclose()
    last = events.pop()
    assert isinstance(last, Completed)
    for field in ("text", "tool_calls", "invalid_tool_calls", "finish_reason", "reasoning"):
        assert getattr(last.response, field) == getattr(whole, field)
    assert tuple((call.name, dict(call.arguments)) for call in whole.tool_calls) == sample.calls
    assert whole.finish_reason == "tool_calls"
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == (whole.text or "")
    assembler = ToolCallAssembler()
    for event in events:
        if isinstance(event, tw.ToolCallDelta):
            assembler.add(event)
    assert assembler.finish() == whole.tool_calls


@keeps("text_calls.provider", "text_calls.only_offered")
async def test_where_no_call_is_wanted_none_is_taken_from_the_text() -> None:
    with serving("vllm", [TEXT]) as (llm, _):
        answer = await llm.chat_with_tools(HELLO, TOOLS, tool_choice="none")
        await llm.aclose()
    assert (answer.text, answer.tool_calls, answer.finish_reason) == (TEXT, (), "stop")


@keeps("text_calls.provider")
def test_an_answer_that_came_whole_is_read_without_any_event_before() -> None:
    events, response = reading("auto", TOOLS).finish(ChatResponse(text=TEXT))
    assert [kind for kind, _ in joined(events)] == ["TextDelta", "ToolCallDelta"]
    assert (response.text, response.finish_reason, len(response.tool_calls)) == ("One.\n", "tool_calls", 1)


@keeps("text_calls.provider")
def test_what_a_stream_had_only_at_its_end_is_read_as_well() -> None:
    reader = reading("auto", TOOLS)
    events = [told for piece in (TEXT[:9], TEXT[9:20]) for told in reader.feed(TextDelta(piece))]
    last, response = reader.finish(ChatResponse(text=TEXT))
    assert joined([*events, *last])[0] == ("TextDelta", "One.\n")
    assert [call.name for call in response.tool_calls] == ["get_time"]


@keeps("text_calls.provider")
def test_an_answer_without_calls_in_its_text_is_returned_as_it_is() -> None:
    for response in (ChatResponse(), ChatResponse(text="No.", tool_calls=(NATIVE,), reasoning="Hm.")):
        reader = reading("auto", TOOLS)
        assert reader.finish(response)[1] is response
        assert reader.feed(ReasoningDelta("Hm.")) == [ReasoningDelta("Hm.")]


@keeps("text_calls.provider")
def test_native_calls_come_first_and_no_id_is_used_twice() -> None:
    reader = reading("auto", TOOLS)
    native = tw.ToolCallDelta(0, NATIVE.id, NATIVE.name, '{"city":"Rome"}')
    events: list[StreamEvent] = [*reader.feed(native), *reader.feed(TextDelta(TEXT))]
    last, response = reader.finish(ChatResponse(text=TEXT, tool_calls=(NATIVE,), finish_reason="tool_calls"))
    assembler = ToolCallAssembler()
    for event in [*events, *last]:
        if isinstance(event, tw.ToolCallDelta):
            assembler.add(event)
    assert assembler.finish() == response.tool_calls
    assert [call.name for call in response.tool_calls] == ["get_weather", "get_time"]
    assert len({call.id for call in response.tool_calls}) == 2
    assert response.to_message().tool_calls == response.tool_calls


@keeps("text_calls.provider")
def test_ids_differ_from_native_ones_in_an_answer_that_came_whole() -> None:
    _, response = reading("auto", TOOLS).finish(ChatResponse(text=TEXT, tool_calls=(NATIVE,)))
    assert len({call.id for call in response.tool_calls}) == 2


@keeps("text_calls.provider")
@pytest.mark.parametrize(
    ("said", "read"), [("stop", "tool_calls"), ("length", "length"), ("error", "error"), ("tool_calls", "tool_calls")]
)
def test_an_answer_that_was_cut_off_stays_one(said: FinishReason, read: FinishReason) -> None:
    _, response = reading("auto", TOOLS).finish(ChatResponse(text=TEXT, finish_reason=said))
    assert response.finish_reason == read


@keeps("text_calls.provider", "text_calls.reasoning")
def test_reasoning_from_a_channel_of_the_text_follows_the_native_one() -> None:
    text = "<|channel|>analysis<|message|>Second.<|end|><|start|>assistant<|channel|>final<|message|>Hi.<|return|>"
    _, response = reading("harmony", TOOLS).finish(ChatResponse(text=text, reasoning="First. "))
    assert (response.reasoning, response.text) == ("First. Second.", "Hi.")


@keeps("text_calls.formats")
def test_an_unknown_format_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(ValueError, match="there is no format"):
        reading("hermse", TOOLS)
