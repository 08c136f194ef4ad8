from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolwright as tw
from tests.promises import keeps
from tests.providers.services import serving
from toolwright.messages import MessageRole
from toolwright.providers import ChatResponse, Completed, ReasoningDelta, TextDelta
from toolwright.providers.prompted import prompted
from toolwright.providers.types import StreamEvent
from toolwright.tools.definition import ToolDefinition

READ = ToolDefinition(
    "read_file",
    "Read a text file. Long ones come in pages.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "where it is"},
            "mode": {"enum": ["text", "lines"]},
            "pages": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["path", "pages"],
    },
    examples=[{"path": "notes.txt", "pages": [1]}],
)
TREE = ToolDefinition(
    "plant_tree",
    "Plant a tree",
    {
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/node"}},
        "required": ["root"],
        "$defs": {
            "node": {"type": "object", "properties": {"under": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}
        },
    },
)
TIME = ToolDefinition("get_time", "Tell the time.")
TOOLS = (READ, TREE, TIME)
CALL = '{"next": {"tool": "read_file", "arguments": {"path": "a.txt", "pages": [1]}}}'
HELLO = [tw.user("Hello")]


def text_of(text: str) -> str:
    return json.dumps({"next": {"tool": "reply", "arguments": {"text": text}}})


def answered(answer: str, cuts: list[int] | None = None, **response: Any) -> tuple[list[StreamEvent], ChatResponse]:
    """Read an answer that is streamed in pieces, or, without cuts, came whole."""
    reader = prompted(TOOLS).reading()
    events: list[StreamEvent] = []
    if cuts is not None:
        for start, end in zip((0, *cuts), (*cuts, len(answer)), strict=True):
            events += reader.feed(TextDelta(answer[start:end]))
    last, read = reader.finish(ChatResponse(text=answer, **response))
    return [*events, *last], read


@keeps("prompted.described")
def test_every_tool_is_described_with_its_arguments_and_one_example() -> None:
    (said, question) = prompted(TOOLS).messages(HELLO)
    text = said.content or ""
    assert (said.role, question) == (MessageRole.SYSTEM, HELLO[0])
    assert "read_file: Read a text file. Long ones come in pages." in text
    assert "  path (string): where it is" in text
    assert '  mode (string, optional, one of ["text","lines"])' in text
    example = '{"next":{"tool":"read_file","arguments":{"path":"notes.txt","pages":[1]}}}'
    assert f"When asked to read a text file, answer: {example}" in text
    assert text.count('{"next":') == len(TOOLS) + 1


@keeps("prompted.described")
def test_the_systems_own_words_come_first() -> None:
    said, *rest = prompted(TOOLS).messages([tw.system("Be kind."), *HELLO])
    assert (said.content or "").startswith("Be kind.\n\nYou can use these tools:")
    assert rest == HELLO


@keeps("prompted.described")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_an_example_is_an_answer_that_the_form_allows(tool: ToolDefinition) -> None:
    asked = prompted([tool])
    (said,) = asked.messages([])
    examples = [line[line.index('{"next"') :] for line in (said.content or "").splitlines() if '{"next"' in line]
    assert len(examples) == 2
    for example in examples:
        assert asked.response_schema.validate(json.loads(example)).valid
        assert tool.parameters.validate(json.loads(example)["next"]["arguments"]).valid or "reply" in example


@pytest.mark.parametrize(
    ("schema", "sample"),
    [
        ({"type": "integer"}, 1),
        ({"type": "number", "default": 2.5}, 2.5),
        ({"const": "x"}, "x"),
        ({"type": ["boolean", "null"]}, True),
        ({"examples": [7]}, 7),
        ({"type": "array", "items": {"type": "number"}}, [1.5]),
        ({"type": "array"}, ["..."]),
        (True, "..."),
        ({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]}, {"a": "..."}),
    ],
)
def test_an_example_has_values_that_look_right(schema: Any, sample: Any) -> None:
    tool = ToolDefinition("f", "Do it.", {"type": "object", "properties": {"x": schema}, "required": ["x"]})
    (said,) = prompted([tool]).messages([])
    assert f'"arguments":{{"x":{json.dumps(sample, separators=(",", ":"))}}}' in (said.content or "")


@keeps("prompted.constrained")
def test_an_answer_is_either_a_text_or_a_call_that_fits() -> None:
    schema = prompted(TOOLS).response_schema
    tree: dict[str, Any] = {"under": [{"under": []}]}
    for answer in (text_of("Hi"), CALL, json.dumps({"next": {"tool": "plant_tree", "arguments": {"root": tree}}})):
        assert schema.validate(json.loads(answer)).valid
    wrongs: tuple[dict[str, Any], ...] = (
        {},
        {"next": {}},
        {"next": {"tool": "read_file", "arguments": {"path": "x"}}},
        {"next": {"tool": "plant_tree", "arguments": {"root": {"under": [{"under": 1}]}}}},
        {"next": {"tool": "other", "arguments": {}}},
        {"next": {"tool": "reply", "arguments": {"text": 1}}},
        {"next": {"tool": "reply", "arguments": {"text": "Hi"}}, "more": 1},
    )
    for wrong in wrongs:
        assert not schema.validate(wrong).valid


@keeps("prompted.constrained")
@pytest.mark.parametrize(
    ("choice", "texts", "calls"),
    [("auto", True, True), ("required", False, True), ("none", True, False), ("read_file", False, True)],
)
def test_the_choice_of_a_tool_is_part_of_the_form(choice: str, texts: bool, calls: bool) -> None:
    asked = prompted(TOOLS, choice)
    assert asked.response_schema.validate(json.loads(text_of("Hi"))).valid is texts
    assert asked.response_schema.validate(json.loads(CALL)).valid is calls
    time = {"next": {"tool": "get_time", "arguments": {}}}
    assert asked.response_schema.validate(time).valid is (calls and choice != "read_file")
    result = [tw.assistant(None, [tw.ToolCall("1", "get_time", {})]), tw.tool_result("1", "noon")]
    assert ("Now reply" in (asked.messages(result)[-1].content or "")) is texts


def test_a_choice_that_is_not_offered_is_refused() -> None:
    with pytest.raises(ValueError, match="names 'other', which is not among the tools"):
        prompted(TOOLS, "other")


def test_a_schema_that_cannot_stand_inside_another_leaves_the_arguments_open() -> None:
    schema = {
        "$id": "https://example.org/a",
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/y"}},
        "$defs": {"y": {}},
    }
    tool = ToolDefinition("f", "Do it.", schema)
    form = prompted([tool]).response_schema
    assert form.validate({"next": {"tool": "f", "arguments": {"z": 1}}}).valid
    assert not form.validate({"next": {"tool": "f", "arguments": 1}}).valid


def test_a_tool_may_be_called_reply() -> None:
    mail = ToolDefinition("reply", "Answer a mail.", {"type": "object", "properties": {"text": {"type": "string"}}})
    asked = prompted([mail])
    _, response = asked.reading().finish(ChatResponse(text=text_of("Hi")))
    assert [call.name for call in response.tool_calls] == ["reply"]
    said = {"next": {"tool": "reply_to_user", "arguments": {"text": "Hi"}}}
    assert asked.response_schema.validate(said).valid
    assert asked.reading().finish(ChatResponse(text=json.dumps(said)))[1].text == "Hi"


@keeps("prompted.ordinary")
@pytest.mark.parametrize(
    "answer",
    [
        CALL,
        f"```json\n{CALL}\n```",
        CALL[len('{"next": ') : -1],
        '{"next": {"arguments": {"pages": [1], "path": "a.txt"}, "tool": "read_file"}}',
        '{"name": "read_file", "parameters": {"path": "a.txt", "pages": [1]}}',
        '{"next": {"tool": "read_file", "arguments": "{\\"path\\": \\"a.txt\\", \\"pages\\": [1]}"}}',
    ],
)
def test_a_call_reads_as_an_ordinary_one(answer: str) -> None:
    for cuts in (None, [], list(range(1, len(answer)))):
        events, response = answered(answer, cuts)
        (call,) = response.tool_calls
        assert (call.name, dict(call.arguments)) == ("read_file", {"path": "a.txt", "pages": [1]})
        assert (response.text, response.finish_reason) == (None, "tool_calls")
        (event,) = events
        assert isinstance(event, tw.ToolCallDelta)
        assert (event.id, event.name) == (call.id, call.name)


@keeps("prompted.ordinary")
@pytest.mark.parametrize(
    ("answer", "arguments"),
    [('{"next": {"tool": "read_file", "arguments": {"path": "a', '{"path": "a'), ('{"next": {"tool": "read_file"', "")],
)
def test_a_call_that_was_cut_off_is_an_invalid_one(answer: str, arguments: str) -> None:
    _, response = answered(answer, [3], finish_reason="length")
    (call,) = response.invalid_tool_calls
    assert (call.name, call.arguments_text, response.text) == ("read_file", arguments, None)
    assert response.finish_reason == "length"


@pytest.mark.parametrize(
    "answer",
    [
        "Just words.",
        '{"city": "Paris"}',
        '{"next": {"tool": "other", "arguments": {}}}',
        '{"next": 1}',
        "[1]",
        '{"tool": "other", "x',
        "```python\nprint()\n```",
        '{"next": {"tool": 1}}',
        "  ",
    ],
)
def test_what_was_not_held_to_the_form_is_text_as_it_stands_there(answer: str) -> None:
    for cuts in (None, list(range(1, len(answer)))):
        events, response = answered(answer, cuts)
        assert (response.text, response.tool_calls, response.invalid_tool_calls) == (answer, (), ())
        assert "".join(event.text for event in events if isinstance(event, TextDelta)) == answer


def test_an_answer_that_was_cut_before_it_said_anything_says_nothing() -> None:
    assert answered('{"next": {"tool": "re', [4])[1].text is None


WRITTEN = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@keeps("prompted.streaming")
@given(text=WRITTEN, ascii=st.booleans(), wrapped=st.booleans(), data=st.data())
@settings(max_examples=120)
def test_a_text_comes_out_of_its_json_in_any_pieces(text: str, ascii: bool, wrapped: bool, data: st.DataObject) -> None:
    value: Any = {"tool": "reply", "arguments": {"text": text}}
    answer = json.dumps({"next": value} if wrapped else value, ensure_ascii=ascii)
    events, response = answered(answer, sorted(data.draw(st.lists(st.integers(0, len(answer)), max_size=8))))
    assert (response.text or "", response.tool_calls) == (text, ())
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == text


@keeps("prompted.streaming")
def test_a_text_is_told_while_it_is_written() -> None:
    reader = prompted(TOOLS).reading()
    answer = text_of("Good morning")
    place = answer.index("morning")
    assert reader.feed(TextDelta(answer[:place])) == [TextDelta("Good ")]
    assert reader.feed(ReasoningDelta("Hm.")) == [ReasoningDelta("Hm.")]
    assert reader.finish(ChatResponse(text=answer))[0] == [TextDelta("morning")]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"\ud83d\ude42", "🙂"),
        (r"\ud83dx", "\ufffdx"),
        (r"\ude42", "\ufffd"),
        (r"\ud83d\n", "\ufffd\n"),
        (r"\ud83d\u0041", "\ufffdA"),
        (r"\ud83d\udcx", "\ufffd\\udcx"),
        (r"\u12", r"\u12"),
        (r"\q", r"\q"),
        (r"\\\"\/", '\\"/'),
        ("line\nline", "line\nline"),
        (r"cut\u00", "cut"),
        (r"cut\ud83d", "cut"),
        ("cut\\", "cut"),
    ],
)
def test_escapes_are_read_as_far_as_they_mean_something(written: str, text: str) -> None:
    closed = text != "cut"
    answer = '{"next": {"tool": "reply", "arguments": {"text": "' + written + ('"}}}' if closed else "")
    for cuts in ([], list(range(1, len(answer)))):
        assert answered(answer, cuts)[1].text == text


@keeps("prompted.history")
def test_earlier_calls_and_results_are_told_each_right_before_its_result() -> None:
    history = [
        tw.user("Do it."),
        tw.assistant("At once.", [tw.ToolCall("1", "get_time", {}), tw.ToolCall("2", "read_file", {"path": "a"})]),
        tw.tool_result("2", "text of a"),
        tw.tool_result("1", "no clock", is_error=True),
        tw.assistant("It failed."),
        tw.user("Again?"),
    ]
    told = [(message.role.value, message.content) for message in prompted(TOOLS).messages(history)[1:]]
    said = '{"next":{"tool":"reply","arguments":{"text":"At once."}}}'
    called = '{"next":{"tool":"read_file","arguments":{"path":"a"}}}'
    assert told == [
        ("user", "Do it."),
        (
            "assistant",
            f"{said}\n\n{called}",
        ),
        ("user", "Result of read_file:\ntext of a"),
        ("assistant", '{"next":{"tool":"get_time","arguments":{}}}'),
        ("user", "Error of get_time:\nno clock\n\nNow reply with that, or use another tool if more is needed."),
        ("assistant", '{"next":{"tool":"reply","arguments":{"text":"It failed."}}}'),
        ("user", "Again?"),
    ]


@keeps("prompted.history")
def test_calls_without_results_and_results_without_calls_are_told_too() -> None:
    broken = tw.InvalidToolCall("1", "read file!", '{"path', "It is not JSON.")
    empty = tw.InvalidToolCall("2", "", "", "It has no name.")
    history = [
        tw.tool_result("0", "lost"),
        tw.assistant(None, (), [broken, empty]),
        tw.user("Well?"),
        tw.assistant(None, [tw.ToolCall("3", "get_time", {})]),
    ]
    told = [(message.role.value, message.content) for message in prompted(TOOLS).messages(history)[1:]]
    assert [role for role, _ in told] == ["user", "assistant", "user", "assistant"]
    assert told[0][1] == "Result of a tool:\nlost\n\nNow reply with that, or use another tool if more is needed."
    assert '"tool":"read_file_","arguments":{"path}}' in (told[1][1] or "")
    assert '"tool":"unknown","arguments":{}}' in (told[1][1] or "")


@keeps("prompted.ordinary", "prompted.constrained", "prompted.streaming")
@pytest.mark.parametrize("service", ["vllm", "ollama", "gemini", "anthropic", "openai"])
async def test_every_service_can_be_asked_in_words(service: str) -> None:
    with serving(service, [CALL, text_of("Done. 🙂"), CALL], tool_mode="prompted") as (llm, server):
        first = await llm.chat_with_tools(HELLO, TOOLS)
        history = [*HELLO, first.to_message(), tw.tool_result(first.tool_calls[0].id, "text of a")]
        events = [event async for event in llm.stream(history, TOOLS)]
        chosen = await llm.chat_with_tools(HELLO, TOOLS, tool_choice="read_file")
        await llm.aclose()
    assert [call.name for call in (*first.tool_calls, *chosen.tool_calls)] == ["read_file", "read_file"]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "Done. 🙂"
    assert isinstance(events[-1], Completed)
    assert events[-1].response.text == "Done. 🙂"
    assert not any("tools" in request.body for request in server.requests)
    assert ["plant_tree" in json.dumps(request.body) for request in server.requests] == [True, True, False]
    assert "Result of read_file" in json.dumps(server.requests[1].body)


def test_what_is_told_of_the_same_tools_is_worked_out_once() -> None:
    assert prompted(TOOLS) is prompted(list(TOOLS))
    assert prompted(TOOLS, "none") is not prompted(TOOLS)
