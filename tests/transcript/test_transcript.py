from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

import toolwright as tw
from tests.messages.strategies import conversations
from tests.promises import keeps
from toolwright.transcript import result_record

_GLOB = tw.ToolCall("call_1", "glob", {"pattern": "**/*.py", "limit": 5})
_INVALID = tw.InvalidToolCall("call_2", "grep", '{"pattern": ', "The arguments are not valid JSON.")
_HISTORY = (
    tw.system("Be kind."),
    tw.user("Which files?"),
    tw.ChatMessage.assistant("I'll look.", [_GLOB], [_INVALID], provider_data={"anthropic": {"signature": "x"}}),
    tw.tool_result("call_1", "a.py\nb.py"),
    tw.tool_result("call_2", "path not found\nat all", is_error=True),
    tw.assistant("Two."),
)


@keeps("transcript.kinds")
def test_a_message_becomes_records_of_its_parts() -> None:
    records = tw.to_records(_HISTORY)
    assert [record.kind for record in records] == [
        "system",
        "user",
        "assistant",
        "tool_call",
        "tool_call",
        "tool_result",
        "tool_result",
        "assistant",
    ]
    assert records[2].data == {"response": 1, "provider_data": {"anthropic": {"signature": "x"}}}
    assert records[3].data == {
        "id": "call_1",
        "name": "glob",
        "arguments": {"pattern": "**/*.py", "limit": 5},
        "response": 1,
    }
    assert records[4].data == {
        "id": "call_2",
        "name": "grep",
        "arguments_text": '{"pattern": ',
        "reason": "The arguments are not valid JSON.",
        "response": 1,
    }
    assert records[7].data == {}


@keeps("transcript.kinds")
def test_no_providers_format_appears_in_a_record() -> None:
    text = b"".join(record.to_json() for record in tw.to_records(_HISTORY)).decode()
    assert '"role"' not in text
    assert '"tool_calls"' not in text


@keeps("transcript.call_line")
def test_a_call_is_readable_in_one_line_of_200_characters() -> None:
    lines = [record.content for record in tw.to_records(_HISTORY) if record.kind == "tool_call"]
    assert lines == ['glob(pattern="**/*.py", limit=5)', 'grep({"pattern": )']
    spread = tw.InvalidToolCall("c", "grep", '{\n  "pattern": ', "not JSON")
    strange = tw.ToolCall("d", "n", {"a\nb": "\u2028"})
    assert [record.content for record in tw.to_records([tw.assistant(None, [strange], [spread])])] == [
        'n(a b=" ")',
        'grep({   "pattern": )',
    ]
    long = tw.ToolCall("c", "write_file", {"content": "x" * 5_000_000, "path": "a"})
    (record,) = tw.to_records([tw.assistant(None, [long])])
    assert len(record.content) == 200
    assert record.content.endswith("…")
    assert record.data["arguments"] == long.arguments


@keeps("transcript.result_line")
def test_a_result_is_summed_up_in_one_line() -> None:
    lines = [record.content for record in tw.to_records(_HISTORY) if record.kind == "tool_result"]
    assert lines == ["a.py", "error: path not found"]
    record = result_record(tw.ToolResult("call_1", "a.py\nb.py"), summary="2 files")
    assert record.content == "2 files"
    assert result_record(tw.ToolResult("call_1", ""), summary="2 files\nof 7").content == "2 files"
    assert result_record(tw.ToolResult("call_1", "x" * 200)).content == "x" * 200
    assert result_record(tw.ToolResult("call_1", "x" * 201)).content == "x" * 199 + "…"
    assert tw.to_messages([record]) == (tw.tool_result("call_1", "a.py\nb.py"),)


@keeps("transcript.facts")
def test_a_result_keeps_the_facts_of_its_execution() -> None:
    facts = {"status": "completed", "duration_ms": 12.5, "truncated": False, "artifacts": [{"type": "file"}]}
    record = result_record(tw.ToolResult.error("call_1", "no"), facts=facts)
    assert record.content == "error: no"
    assert record.data == {**facts, "tool_call_id": "call_1", "result": "no", "is_error": True}
    assert tw.to_messages([record]) == (tw.tool_result("call_1", "no", is_error=True),)


@keeps("transcript.inverse")
def test_records_give_back_the_messages() -> None:
    assert tw.to_messages(tw.to_records(_HISTORY)) == _HISTORY


@keeps("transcript.inverse")
@given(conversations())
def test_records_and_messages_are_inverse(conversation: tw.Conversation) -> None:
    records = tw.to_records(conversation)
    assert isinstance(records, tuple)
    assert tw.to_messages(records) == conversation.messages
    assert tw.to_records(tw.to_messages(records)) == records
    stored = [tw.Record.from_json(record.to_json()) for record in records]
    assert tw.to_messages(stored) == conversation.messages


@keeps("transcript.inverse")
def test_records_written_in_parts_are_the_records_of_the_whole() -> None:
    history = (*_HISTORY, tw.user("More?"), tw.assistant(None, [_GLOB]), tw.tool_result("call_1", "c.py"))
    parts = (*tw.to_records(history[:6]), *tw.to_records(history[6:], first_response=2))
    assert parts == tw.to_records(history)


@keeps("transcript.inverse")
def test_the_order_of_parts_in_an_answer_without_a_text_is_kept() -> None:
    message = tw.ChatMessage.assistant(None, [_GLOB], [_INVALID], provider_data={"gemini": {}})
    empty = tw.ChatMessage.assistant("", [_GLOB])
    assert tw.to_messages(tw.to_records([message])) == (message,)
    assert tw.to_messages(tw.to_records([empty])) == (empty,)


@keeps("transcript.joined_users")
def test_two_user_records_in_a_row_become_one_message() -> None:
    records = tw.to_records([tw.system("x")]) + tw.to_records([tw.user("one")]) + tw.to_records([tw.user("two")])
    assert tw.to_messages(records) == (tw.system("x"), tw.user("one\n\ntwo"))
    assert len(tw.Conversation(tw.to_messages(records))) == 2


@keeps("transcript.joined_users")
def test_joined_user_records_keep_what_providers_need() -> None:
    records = [tw.Record("user", str(number), {"provider_data": {f"codec_{number}": {}}}) for number in range(2)]
    assert tw.to_messages(records)[0].provider_data == {"codec_0": {}, "codec_1": {}}
    with pytest.raises(tw.InvalidMessageError) as caught:
        tw.to_messages([*records, tw.Record("user", "2", {"provider_data": 5})])
    assert caught.value.path == "[2].data.provider_data"


@keeps("transcript.crash")
def test_a_crash_between_calls_and_results_leaves_what_was_asked_for() -> None:
    history = tw.Conversation(_HISTORY[:4])
    restored = tw.Conversation(tw.to_messages(tw.to_records(history.messages)))
    assert [call.id for call in restored.pending_calls] == ["call_2"]


_BAD_RECORDS: list[tuple[str, dict[str, Any], str]] = [
    ("tool_call", {}, "[0].data.id"),
    ("tool_call", {"id": "c"}, "[0].data.name"),
    ("tool_call", {"id": "c", "name": "n"}, "[0].data.arguments"),
    ("tool_call", {"id": "c", "name": "n", "reason": "x"}, "[0].data.arguments_text"),
    ("tool_result", {"result": "x"}, "[0].data.tool_call_id"),
    ("tool_result", {"result": "x", "tool_call_id": "c"}, "[0].data.is_error"),
    ("user", {"provider_data": 5}, "[0].data.provider_data"),
    ("system", {"provider_data": None}, "[0].data.provider_data"),
    ("assistant", {"provider_data": []}, "[0].data.provider_data"),
    ("tool_call", {"id": "c", "name": "n", "arguments": {}, "provider_data": ""}, "[0].data.provider_data"),
]


@pytest.mark.parametrize(("kind", "structure", "path"), _BAD_RECORDS)
def test_a_record_that_lacks_what_its_kind_needs_is_named(kind: Any, structure: dict[str, Any], path: str) -> None:
    with pytest.raises(tw.InvalidMessageError) as caught:
        tw.to_messages([tw.Record(kind, "x", structure)])
    assert (caught.value.code, caught.value.path) == ("wrong_shape", path)


@pytest.mark.parametrize(
    ("kind", "structure", "code", "path"),
    [
        ("tool_call", {"id": "", "name": "n", "arguments": {}}, "empty_id", "[1].data.id"),
        ("tool_call", {"id": "c", "name": "a b", "arguments": {}}, "invalid_name", "[1].data.name"),
        (
            "tool_result",
            {"tool_call_id": "", "result": "", "is_error": False},
            "tool_call_id_missing",
            "[1].data.tool_call_id",
        ),
        ("tool_call", {"id": "c", "name": "n", "arguments": {}, "response": 1}, "duplicate_call_id", "[1]"),
    ],
)
def test_a_record_that_breaks_a_rule_of_messages_is_named(
    kind: Any, structure: dict[str, Any], code: str, path: str
) -> None:
    with pytest.raises(tw.InvalidMessageError) as caught:
        tw.to_messages([tw.Record("system", "x"), tw.Record(kind, "x", structure), tw.Record(kind, "x", structure)])
    assert (caught.value.code, caught.value.path) == (code, path)


@keeps("transcript.inverse")
def test_what_providers_need_is_found_where_a_text_comes_after_its_calls() -> None:
    message = tw.ChatMessage.assistant("x", [_GLOB], provider_data={"anthropic": {"signature": "x"}})
    text, call = tw.to_records([message])
    assert tw.to_messages([call, text]) == (message,)


def test_records_show_their_kind_and_no_content() -> None:
    record = tw.to_records([_HISTORY[3]])[0]
    assert repr(record) == "Record(kind='tool_result', content=<4 chars>, data=[tool_call_id, result, is_error])"
    assert json.loads(record.to_json())["data"]["result"] == "a.py\nb.py"
