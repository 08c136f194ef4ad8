from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from collections import UserDict
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolwright as tw
from tests.messages.strategies import calls, invalid_calls, json_objects, json_values, messages, texts
from tests.promises import keeps
from toolwright.values import MAX_DEPTH

_SECRET = "s3cr3t-value"

_VALUES: list[Any] = [
    tw.ToolCall("call_1", "write_file", {"path": "a.py", "options": {"mode": [1, 2]}}),
    tw.InvalidToolCall("call_1", "write-file", '{"path"', "not JSON"),
    tw.ToolResult("call_1", "done", is_error=True),
    tw.ToolCallDelta(0, "call_1", "write_file", '{"pa'),
    tw.user("Hello"),
    tw.assistant(None, [tw.ToolCall("call_1", "write_file", {"a": [{"b": 1}]})]),
    tw.Record("tool_call", "write_file()", {"id": "call_1", "arguments": {"a": [1]}}),
]


@keeps("messages.pure")
def test_the_room_loads_nothing_that_opens_a_file_or_a_socket() -> None:
    code = (
        "import sys; before = set(sys.modules); import toolwright.conversation, toolwright.transcript;"
        "print(*sorted({'socket', 'ssl', 'asyncio', 'subprocess', 'sqlite3', 'logging', 'random', 'jsonschema_rs'}"
        " & (set(sys.modules) - before)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "\n"


@keeps("messages.value_equality")
@pytest.mark.parametrize("value", _VALUES, ids=lambda value: type(value).__name__)
def test_values_are_equal_and_hash_alike_when_their_fields_are(value: Any) -> None:
    twin = type(value).from_json(value.to_json())
    assert twin == value
    assert hash(twin) == hash(value)
    assert len({twin, value}) == 1


@keeps("messages.value_equality")
def test_values_differ_when_a_field_does() -> None:
    assert tw.user("a") != tw.user("b")
    assert tw.user("a") != tw.assistant("a")
    assert tw.ToolCall("a", "b", {"x": 1}) != tw.ToolCall("a", "b", {"x": 2})
    assert tw.ToolResult("a", "b") != tw.ToolResult("a", "b", is_error=True)


def _containers(value: Any) -> list[Any]:
    """Every mapping and sequence that can be reached from a value through its attributes and items."""
    if isinstance(value, msgspec.Struct):
        inner = [getattr(value, field) for field in value.__struct_fields__]
        return [found for item in inner for found in _containers(item)]
    if isinstance(value, (dict, MappingProxyType)):
        return [value, *(found for item in value.values() for found in _containers(item))]
    if isinstance(value, (list, tuple)):
        return [value, *(found for item in value for found in _containers(item))]
    return []


_MUTATIONS: list[Any] = [
    lambda c: c.__setitem__(next(iter(c), "k"), "changed"),
    lambda c: c.__delitem__(next(iter(c), "k")),
    lambda c: c.__setitem__(0, "changed"),
    lambda c: c.append("changed"),
    lambda c: c.extend(["changed"]),
    lambda c: c.insert(0, "changed"),
    lambda c: c.update({"k": "changed"}),
    lambda c: c.setdefault("k", "changed"),
    lambda c: c.pop(next(iter(c), "k")),
    lambda c: c.popitem(),
    lambda c: c.clear(),
    lambda c: c.sort(),
    lambda c: c.reverse(),
    lambda c: c.__ior__({"k": "changed"}),
    lambda c: c.__init__({"k": "changed"}),
    lambda c: c.__init__(["changed"]),
    lambda c: c.__dict__.update(k="changed"),
    lambda c: dict.__setitem__(c, "k", "changed"),
    lambda c: dict.update(c, k="changed"),
    dict.clear,
    lambda c: list.append(c, "changed"),
    lambda c: list.__init__(c, ["changed"]),
    list.clear,
]


@keeps("messages.deeply_immutable")
@pytest.mark.parametrize("value", _VALUES, ids=lambda value: type(value).__name__)
def test_no_way_through_the_object_changes_it(value: Any) -> None:
    before = value.to_json()
    for field in value.__struct_fields__:
        with pytest.raises(AttributeError):
            setattr(value, field, "changed")
        with pytest.raises(AttributeError):
            delattr(value, field)
    with pytest.raises(AttributeError):
        value.new_attribute = "changed"
    assert not hasattr(value, "__dict__")
    for container in _containers(value):
        for mutation in _MUTATIONS:
            try:
                mutation(container)
            except (TypeError, AttributeError, KeyError, IndexError):
                continue
    assert value.to_json() == before


@keeps("messages.deeply_immutable")
def test_the_reference_that_the_caller_kept_changes_nothing() -> None:
    inner: list[Any] = [1, {"deep": [2]}]
    arguments: dict[str, Any] = {"inner": inner, "plain": 1}
    data = {"codec": {"signature": ["a"]}}
    given_calls = [tw.ToolCall("c", "n", arguments, data)]
    call = given_calls[0]
    view: Any = MappingProxyType(data)
    message = tw.ChatMessage.assistant("x", given_calls, provider_data=view)
    before = message.to_json()
    inner[1]["deep"].append(3)
    inner.append(4)
    arguments["plain"] = 2
    data["codec"]["signature"].append("b")
    data["more"] = {}  # also behind a read-only view of it
    given_calls.clear()
    assert message.to_json() == before
    assert call.arguments == {"inner": [1, {"deep": [2]}], "plain": 1}


@keeps("messages.deeply_immutable")
@given(json_objects)
def test_frozen_arguments_still_equal_what_was_given(arguments: dict[str, Any]) -> None:
    assert tw.ToolCall("c", "n", arguments).arguments == arguments


@keeps("messages.replace", "messages.one_set_of_rules")
def test_replace_gives_a_changed_copy_that_was_checked() -> None:
    call = tw.ToolCall("c", "n", {"a": 1})
    source = {"a": [2]}
    changed = msgspec.structs.replace(call, arguments=source)
    source["a"].append(3)
    assert changed.arguments == {"a": [2]}
    assert call.arguments == {"a": 1}
    with pytest.raises(tw.InvalidMessageError):
        msgspec.structs.replace(call, name="not legal")
    with pytest.raises(tw.InvalidMessageError):
        msgspec.structs.replace(tw.user("x"), content=None)


@pytest.mark.parametrize("value", _VALUES, ids=lambda value: type(value).__name__)
def test_copies_and_pickles_are_equal(value: Any) -> None:
    assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value  # noqa: S301


@keeps("messages.json")
@given(st.one_of(messages, calls, invalid_calls))
def test_json_there_and_back_is_the_same_value(value: Any) -> None:
    assert type(value).from_json(value.to_json()) == value
    assert type(value).from_json(value.to_json().decode()) == value


@keeps("messages.json")
@given(st.builds(tw.ToolResult, texts.filter(bool), texts, st.booleans()))
def test_results_go_to_json_and_back(value: tw.ToolResult) -> None:
    assert tw.ToolResult.from_json(value.to_json()) == value


@keeps("messages.json")
@given(st.builds(tw.ToolCallDelta, st.integers(0, 2**40), st.none() | texts, st.none() | texts, st.none() | texts))
def test_deltas_go_to_json_and_back(value: tw.ToolCallDelta) -> None:
    assert tw.ToolCallDelta.from_json(value.to_json()) == value


@keeps("messages.json")
@given(
    st.builds(
        tw.Record,
        st.sampled_from(["system", "user", "assistant", "tool_call", "tool_result"]),
        texts,
        st.dictionaries(texts, json_values, max_size=3),
    )
)
def test_records_go_to_json_and_back(value: tw.Record) -> None:
    assert tw.Record.from_json(value.to_json()) == value


@keeps("messages.defaults_omitted")
def test_fields_at_their_default_are_left_out() -> None:
    assert json.loads(tw.user("x").to_json()) == {"role": "user", "content": "x"}
    assert json.loads(tw.ToolResult("c", "x").to_json()) == {"tool_call_id": "c", "result": "x"}
    assert json.loads(tw.ToolCallDelta(3).to_json()) == {"index": 3}
    assert json.loads(tw.ToolCall("c", "n").to_json()) == {"id": "c", "name": "n", "arguments": {}}
    assert json.loads(tw.Record("user", "x").to_json()) == {"kind": "user", "content": "x"}


@keeps("messages.unknown_fields")
def test_unknown_fields_are_ignored_and_optional_ones_may_be_missing() -> None:
    text = '{"role": "assistant", "content": "Hello", "vendor": {"x": [1]}, "refusal": null}'
    assert tw.ChatMessage.from_json(text) == tw.assistant("Hello")
    assert tw.ToolCall.from_json('{"id": "c", "name": "n"}').arguments == {}


_INVALID = tw.InvalidToolCall("c", "", "", "")
_BROKEN: list[tuple[Any, str, str]] = [
    (lambda: tw.ChatMessage("nobody", "x"), "unknown_role", "role"),  # type: ignore[arg-type]
    (lambda: tw.ChatMessage(tw.MessageRole.USER), "content_missing", "content"),
    (lambda: tw.ChatMessage(tw.MessageRole.SYSTEM), "content_missing", "content"),
    (lambda: tw.ChatMessage(tw.MessageRole.TOOL, tool_call_id="c"), "content_missing", "content"),
    (lambda: tw.assistant(None), "content_missing", "content"),
    (lambda: tw.ChatMessage("user", "x", (tw.ToolCall("c", "n"),)), "tool_calls_not_allowed", "tool_calls"),  # type: ignore[arg-type]
    (
        lambda: tw.ChatMessage(tw.MessageRole.TOOL, "x", (), (tw.InvalidToolCall("c", "", "", ""),), "c"),
        "tool_calls_not_allowed",
        "invalid_tool_calls",
    ),
    (lambda: tw.ChatMessage(tw.MessageRole.TOOL, "x"), "tool_call_id_missing", "tool_call_id"),
    (lambda: tw.tool_result("", "x"), "tool_call_id_missing", "tool_call_id"),
    (lambda: tw.ToolResult("", "x"), "tool_call_id_missing", "tool_call_id"),
    (lambda: tw.ChatMessage("user", "x", tool_call_id="c"), "tool_call_id_not_allowed", "tool_call_id"),  # type: ignore[arg-type]
    (lambda: tw.ChatMessage("assistant", "x", tool_call_id="c"), "tool_call_id_not_allowed", "tool_call_id"),  # type: ignore[arg-type]
    (lambda: tw.ChatMessage("assistant", "x", is_error=True), "is_error_not_allowed", "is_error"),  # type: ignore[arg-type]
    (lambda: tw.assistant(None, [tw.ToolCall("c", "n"), tw.ToolCall("c", "m")]), "duplicate_call_id", "tool_calls"),
    (
        lambda: tw.assistant(None, [tw.ToolCall("c", "n")], [tw.InvalidToolCall("c", "", "", "")]),
        "duplicate_call_id",
        "tool_calls",
    ),
    (lambda: tw.ToolCall("", "n"), "empty_id", "id"),
    (lambda: tw.InvalidToolCall("", "n", "", ""), "empty_id", "id"),
    (lambda: tw.ToolCall("c", "a-b"), "invalid_name", "name"),
    (lambda: tw.ToolCall("c", "n", [1]), "arguments_not_object", "arguments"),  # type: ignore[arg-type]
    (lambda: tw.ToolCall("c", "n", {"a": [float("nan")]}), "not_json_value", "arguments.a[0]"),
    (lambda: tw.ToolCall("c", "n", {"a": float("inf")}), "not_json_value", "arguments.a"),
    (lambda: tw.ToolCall("c", "n", {"a": {"b": {1, 2}}}), "not_json_value", "arguments.a.b"),
    (lambda: tw.ToolCall("c", "n", {"a": 10**5000}), "not_json_value", "arguments.a"),
    (lambda: tw.ToolCall("c", "n", {1: 2}), "not_json_value", "arguments"),  # type: ignore[dict-item]
    (lambda: tw.ToolCall("c", "n", provider_data=[1]), "not_json_value", "provider_data"),  # type: ignore[arg-type]
    (lambda: tw.ChatMessage("user", "x", provider_data={"a": b"x"}), "not_json_value", "provider_data.a"),  # type: ignore[arg-type]
    (lambda: tw.ChatMessage("user", 5), "wrong_shape", "content"),  # type: ignore[arg-type]
    (lambda: tw.ChatMessage("assistant", "x", "calls"), "wrong_shape", "tool_calls"),  # type: ignore[arg-type]
    (lambda: tw.ChatMessage("assistant", "x", ("call",)), "wrong_shape", "tool_calls[0]"),  # type: ignore[arg-type]
    (lambda: tw.ChatMessage("tool", "x", tool_call_id="c", is_error=1), "wrong_shape", "is_error"),  # type: ignore[arg-type]
    (lambda: tw.ToolResult("c", "x", is_error="no"), "wrong_shape", "is_error"),  # type: ignore[arg-type]
    (lambda: tw.ToolResult("c", None), "wrong_shape", "result"),  # type: ignore[arg-type]
    (lambda: tw.ToolCall(5, "n"), "wrong_shape", "id"),  # type: ignore[arg-type]
    (lambda: tw.ToolCall("c", None), "wrong_shape", "name"),  # type: ignore[arg-type]
    (lambda: tw.ToolCallDelta(-1), "invalid_index", "index"),
    (lambda: tw.ToolCallDelta(True), "invalid_index", "index"),
    (lambda: tw.ToolCallDelta(0, arguments_delta=b"x"), "wrong_shape", "arguments_delta"),  # type: ignore[arg-type]
    (lambda: tw.ToolCallDelta(2**63), "invalid_index", "index"),
    (lambda: tw.Record("nonsense", "x"), "wrong_shape", "kind"),  # type: ignore[arg-type]
    (lambda: tw.Record([], "x"), "wrong_shape", "kind"),  # type: ignore[arg-type]
    (lambda: tw.ToolCall.parse("", "n", "{}"), "empty_id", "id"),
    (lambda: tw.ToolCall.parse("c", None, "{}"), "wrong_shape", "name"),  # type: ignore[arg-type]
    (lambda: tw.ToolCall.parse("c", "n", {"a": 1}), "wrong_shape", "arguments_text"),  # type: ignore[arg-type]
    (lambda: tw.ToolCall.parse("c", "n", b"{}"), "wrong_shape", "arguments_text"),  # type: ignore[arg-type]
]


@keeps(
    "messages.error_types",
    "messages.error_code_and_path",
    "message.content",
    "message.calls",
    "message.tool_call_id",
    "message.is_error",
    "call.fields",
    "result.fields",
    "delta.fields",
)
@pytest.mark.parametrize(("make", "code", "path"), _BROKEN, ids=[f"{code}-{path}" for _, code, path in _BROKEN])
def test_a_broken_rule_is_named_by_code_and_path(make: Any, code: str, path: str) -> None:
    with pytest.raises(tw.InvalidMessageError) as caught:
        make()
    assert (caught.value.code, caught.value.path) == (code, path)
    assert isinstance(caught.value, ValueError)


_BAD_JSON: list[tuple[type[Any], str | bytes, type[Exception], str, str]] = [
    (tw.ChatMessage, "{", tw.MessageDecodeError, "malformed_json", ""),
    (tw.ChatMessage, "", tw.MessageDecodeError, "malformed_json", ""),
    (tw.ChatMessage, b'{"role":"user","content":"\xff"}', tw.MessageDecodeError, "malformed_json", ""),
    (tw.ChatMessage, b'{"role":"user","content":"\\ud800 \xff"}', tw.MessageDecodeError, "malformed_json", ""),
    (tw.ChatMessage, '{"role":"user","content":NaN}', tw.MessageDecodeError, "malformed_json", ""),
    (tw.ChatMessage, "[]", tw.MessageDecodeError, "wrong_shape", ""),
    (tw.ChatMessage, "{}", tw.MessageDecodeError, "wrong_shape", ""),
    (tw.ChatMessage, '{"role":1,"content":"x"}', tw.MessageDecodeError, "wrong_shape", "role"),
    (tw.ChatMessage, '{"role":"user","content":1}', tw.MessageDecodeError, "wrong_shape", "content"),
    (
        tw.ChatMessage,
        '{"role":"assistant","tool_calls":[{"id":"a","name":"b","arguments":[]}]}',
        tw.MessageDecodeError,
        "wrong_shape",
        "tool_calls[0].arguments",
    ),
    (tw.ChatMessage, '{"role":"nobody","content":"x"}', tw.InvalidMessageError, "unknown_role", "role"),
    (tw.ChatMessage, '{"role":"user"}', tw.InvalidMessageError, "content_missing", "content"),
    (
        tw.ChatMessage,
        '{"role":"assistant","tool_calls":[{"id":"a","name":"b c"}]}',
        tw.InvalidMessageError,
        "invalid_name",
        "tool_calls[0].name",
    ),
    (tw.ToolCallDelta, '{"index":-1}', tw.InvalidMessageError, "invalid_index", "index"),
    (tw.ToolCall, '{"id":"","name":"n"}', tw.InvalidMessageError, "empty_id", "id"),
    (tw.ToolCall, "[" * 100_000, tw.MessageDecodeError, "wrong_shape", ""),
    (
        tw.ToolCall,
        '{"id":"c","name":"n","arguments":' + '{"a":' * 100_000,
        tw.MessageDecodeError,
        "malformed_json",
        "",
    ),
    (
        tw.ToolCall,
        '{"id":"c","name":"n","arguments":' + '{"a":' * 300 + "1" + "}" * 301,
        tw.InvalidMessageError,
        "not_json_value",
        "arguments",
    ),
    (tw.Record, '{"kind":"nonsense","content":""}', tw.MessageDecodeError, "wrong_shape", "kind"),
]


@keeps("messages.error_types", "messages.error_code_and_path", "messages.one_set_of_rules", "role.unknown")
@pytest.mark.parametrize(("type", "text", "error", "code", "path"), _BAD_JSON)
def test_bad_json_is_named_by_code_and_path(
    type: Any, text: str | bytes, error: type[Exception], code: str, path: str
) -> None:
    with pytest.raises(error) as caught:
        type.from_json(text)
    found: Any = caught.value
    assert (found.code, found.path) == (code, path)
    assert isinstance(found, ValueError)


_LEAKS: list[Any] = [
    lambda: tw.ChatMessage.from_json(f'{{"role":"{_SECRET}","content":"x"}}'),
    lambda: tw.ChatMessage.from_json(f'{{"role":"user","content":["{_SECRET}"]}}'),
    lambda: tw.ChatMessage.from_json(f'{{"role":"user","content":"{_SECRET}'),
    lambda: tw.ChatMessage.from_json(f'{{"role":"assistant","tool_calls":[{{"id":"c","name":"{_SECRET}"}}]}}'),
    lambda: tw.ChatMessage.from_json(f'{{"role":"user","content":"\ud800","x":{_SECRET}}}'),
    lambda: tw.ChatMessage.from_json(rb'{"x":"\ud800","y":"' + _SECRET.encode() + b'\xff"}'),
    lambda: tw.ChatMessage(_SECRET, _SECRET),  # type: ignore[arg-type]
    lambda: tw.ToolCall("c", _SECRET),
    lambda: tw.ToolCall("c", "n", _SECRET),  # type: ignore[arg-type]
    lambda: tw.ToolCall("c", "n", {"a": {_SECRET}}),
    lambda: tw.ToolCall("c", "n", {"a": _SECRET}).get_argument("a", int),
    lambda: tw.ToolCall("c", "n", {"a": _SECRET}).arguments_as(tw.ToolResult),
    lambda: tw.ToolCall("c", "n", {"a": _SECRET}).get_argument("a", tw.MessageRole),
    lambda: tw.Conversation.from_json(f'[{{"role":"user","content":"{_SECRET}"}}]'),
    lambda: tw.to_messages([tw.Record("tool_call", _SECRET, {"id": [_SECRET]})]),
]


@keeps("messages.errors_leak_nothing")
@pytest.mark.parametrize("make", _LEAKS)
def test_no_error_or_what_led_to_it_repeats_what_was_given(make: Any) -> None:
    with pytest.raises(tw.ToolwrightError) as caught:
        make()
    errors: list[BaseException | None] = [caught.value]
    while errors:
        if error := errors.pop():
            assert _SECRET not in f"{error!r} {error} {error.args} {vars(error)} {getattr(error, 'object', '')!r}"
            errors += error.__cause__, error.__context__


@keeps("messages.repr")
def test_repr_shows_roles_sizes_and_names_but_no_content() -> None:
    assert repr(tw.user("x" * 23)) == str(tw.user("x" * 23)) == "ChatMessage(role=user, content=<23 chars>)"
    call = tw.ToolCall("call_1", "write_file", {"path": "a", "content": _SECRET})
    assert repr(call) == "ToolCall(id='call_1', name='write_file', arguments=<2 keys>)"
    shown = [
        tw.assistant(_SECRET, [call], [tw.InvalidToolCall("i", "n", _SECRET, "why")]),
        tw.tool_result("c", _SECRET, is_error=True),
        tw.InvalidToolCall("i", "n", _SECRET, "why"),
        tw.ToolResult("c", _SECRET),
        tw.ToolCallDelta(0, None, None, _SECRET),
        tw.Record("user", _SECRET, {"a": _SECRET}),
        tw.Conversation([tw.user(_SECRET)], require_system=False),
    ]
    assert not [value for value in shown if _SECRET in repr(value) or _SECRET in f"{value}"]
    assert not [value for value in shown if _SECRET in str(getattr(value, "__rich_repr__", list)())]


@keeps("messages.empty_content")
def test_empty_content_is_content() -> None:
    for message in (tw.system(""), tw.user(""), tw.assistant(""), tw.tool_result("c", "")):
        assert message.content == ""
        assert tw.ChatMessage.from_json(message.to_json()) == message


@keeps("messages.long_content")
def test_a_hundred_megabytes_go_there_and_back() -> None:
    text = "0123456789é" * (100 * 2**20 // 12)
    assert tw.ChatMessage.from_json(tw.user(text).to_json()).content == text


@keeps("messages.never_normalised")
@given(texts)
def test_text_comes_out_as_it_went_in(text: str) -> None:
    assert tw.user(text).content == text
    assert tw.ChatMessage.from_json(tw.user(text).to_json()).content == text


@keeps("messages.lone_surrogates")
@given(st.text(st.sampled_from("a\\u\ud800\udbff\udc00\udfff\ufffd😀") | st.characters(), max_size=20))
def test_lone_surrogates_become_replacement_characters_on_the_wire(text: str) -> None:
    expected = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    message = tw.assistant(text, [tw.ToolCall("c", "n", {text or "k": [text], "": 1})])
    read = tw.ChatMessage.from_json(message.to_json())
    assert read.content == expected
    assert tw.Conversation.from_json(tw.Conversation([tw.system(text)]).to_json())[0].content == expected
    assert [expected] in read.tool_calls[0].arguments.values()
    assert tw.ChatMessage.from_json(json.dumps({"role": "user", "content": text})).content == expected
    assert (
        tw.ChatMessage.from_json(json.dumps({"role": "user", "content": text}, ensure_ascii=False)).content == expected
    )


@keeps("messages.lone_surrogates")
def test_an_escaped_backslash_before_a_u_is_no_escape() -> None:
    text = r'{"role": "user", "content": "\\ud800 \ud83d\ude00 \uDEAD \\\ud800"}'
    assert tw.ChatMessage.from_json(text.encode()) == tw.ChatMessage.from_json(text)
    assert tw.ChatMessage.from_json(text).content == "\\ud800 😀 � \\�"


@keeps("messages.call_names")
@pytest.mark.parametrize("name", ["a", "A9_", "9lives", "_", "class", "x" * 64])
def test_call_names_that_are_legal(name: str) -> None:
    assert tw.ToolCall("c", name).name == name


@keeps("messages.call_names")
@pytest.mark.parametrize("name", ["", "a-b", "a b", "a.b", "é", "a\n", "x" * 65, "٣", "名"])
def test_call_names_that_are_not_legal(name: str) -> None:
    with pytest.raises(tw.InvalidMessageError, match="1 to 64"):
        tw.ToolCall("c", name)


@keeps("role.words", "role.numbers")
def test_roles_are_four_words_with_numbers() -> None:
    assert [(role.name, role.value, role.number) for role in tw.MessageRole] == [
        ("SYSTEM", "system", 0),
        ("USER", "user", 1),
        ("ASSISTANT", "assistant", 2),
        ("TOOL", "tool", 3),
    ]


@keeps("role.parse")
@pytest.mark.parametrize(
    ("word", "role"),
    [
        ("USER", "user"),
        ("Assistant", "assistant"),
        ("tool_result", "tool"),
        ("function", "tool"),
        ("Developer", "system"),
        ("model", "assistant"),
    ],
)
def test_roles_are_read_in_any_case_and_by_other_words(word: str, role: str) -> None:
    assert tw.MessageRole.parse(word) is tw.MessageRole(role)
    text = json.dumps({"role": word, "content": "x", "tool_call_id": "c" if role == "tool" else ""})
    assert tw.ChatMessage.from_json(text).role is tw.MessageRole(role)


@keeps("role.unknown")
@pytest.mark.parametrize("word", ["", "bot", "users", "system2"])
def test_an_unknown_role_is_refused(word: str) -> None:
    with pytest.raises(tw.InvalidMessageError) as caught:
        tw.MessageRole.parse(word)
    assert caught.value.code == "unknown_role"
    with pytest.raises(ValueError, match="MessageRole"):
        tw.MessageRole(word)


@keeps("message.factories")
def test_factories_make_what_their_names_say() -> None:
    call = tw.ToolCall("c", "n")
    assert tw.system("x") == tw.ChatMessage.system("x") == tw.ChatMessage(tw.MessageRole.SYSTEM, "x")
    assert tw.user("x") == tw.ChatMessage.user("x") == tw.ChatMessage("user", "x")  # type: ignore[arg-type]
    assert tw.assistant("x", [call]) == tw.ChatMessage.assistant("x", (call,))
    assert tw.tool_result("c", "x", True) == tw.ChatMessage.tool("c", "x", is_error=True)
    assert tw.ChatMessage.from_result(tw.ToolResult.error("c", "x")) == tw.tool_result("c", "x", is_error=True)


@keeps("result.factories", "result.fields")
def test_results_are_successes_or_errors() -> None:
    assert tw.ToolResult.success("c", "") == tw.ToolResult("c", "", is_error=False)
    assert tw.ToolResult.error("c", "x").is_error


@keeps("messages.one_set_of_rules")
def test_words_and_lists_are_brought_to_the_types_of_their_fields() -> None:
    class Word(StrEnum):
        A = "a"

    calls: Any = [tw.ToolCall("c", "n"), tw.ToolCall("d", "n")]
    assert tw.ChatMessage(tw.MessageRole.ASSISTANT, None, calls).tool_calls == tuple(calls)
    assert type(tw.ChatMessage(tw.MessageRole.ASSISTANT, Word.A, calls).content) is str
    assert type(tw.user(Word.A).content) is type(tw.ToolCall(Word.A, Word.A).id) is str
    assert type(tw.ToolCall(Word.A, Word.A).name) is str
    given: list[Any] = [
        tw.ToolResult(Word.A, Word.A),
        tw.InvalidToolCall(Word.A, Word.A, Word.A, Word.A),
        tw.ToolCallDelta(0, Word.A, Word.A, Word.A),
        tw.Record(tw.MessageRole.USER, Word.A),  # type: ignore[arg-type]
        tw.ToolCall.parse(Word.A, Word.A, Word.A),
    ]
    fields = [getattr(value, field) for value in given for field in value.__struct_fields__]
    assert not [field for field in fields if isinstance(field, str) and type(field) is not str]
    assert tw.ToolCall("c", "n", UserDict(a=1)).arguments == {"a": 1}


@keeps("messages.one_set_of_rules")
@pytest.mark.parametrize(
    "make",
    [
        tw.user,
        tw.assistant,
        lambda text: tw.tool_result("c", text),
        lambda text: tw.ToolCall(text, "n"),
        lambda text: tw.ToolCall("c", text),
        lambda text: tw.ToolCall("c", "n", {"a": text}),
        lambda text: tw.ToolResult("c", text),
        lambda text: tw.ToolCallDelta(0, None, None, text),
        lambda text: tw.Record("user", text),
    ],
)
def test_what_only_claims_to_be_text_is_refused(make: Any) -> None:
    claims = type("Claims", (), {"__class__": str})()  # as stand-ins and proxies do
    assert isinstance(claims, str)
    with pytest.raises(tw.InvalidMessageError):
        make(claims)


def _nested(depth: int) -> dict[str, Any]:
    value: Any = 1
    for level in range(depth - 1):
        value = [value] if level % 2 else {"a": value}
    return {"a": value}


@keeps("messages.json", "conversation.json", "transcript.inverse")
def test_what_is_nested_as_deeply_as_may_be_goes_every_way() -> None:
    deep = _nested(MAX_DEPTH)
    message = tw.ChatMessage.assistant("x", [tw.ToolCall("c", "n", deep, deep)], provider_data=deep)
    assert tw.ChatMessage.from_json(message.to_json()) == message
    assert pickle.loads(pickle.dumps(message)) == message  # noqa: S301
    assert tw.to_messages(tw.to_records([message])) == (message,)
    assert tw.ToolCall.parse("c", "n", json.dumps(deep), provider_data=deep) == message.tool_calls[0]
    conversation = tw.Conversation([tw.system("x"), tw.user("y"), message])
    assert tw.Conversation.from_json(conversation.to_json()) == conversation
    with pytest.raises(tw.InvalidMessageError, match="nested"):
        tw.ToolCall("c", "n", _nested(MAX_DEPTH + 1))


@keeps("message.tool_call_id")
def test_an_empty_tool_call_id_is_a_missing_one() -> None:
    assert tw.ChatMessage(tw.MessageRole.USER, "x", tool_call_id="").tool_call_id is None


@keeps("message.provider_data")
def test_provider_data_survives_json() -> None:
    data = {"anthropic": {"thinking": [{"signature": "abc"}]}, "gemini": {}}
    message = tw.ChatMessage.assistant("x", provider_data=data)
    assert message.provider_data == data
    assert tw.ChatMessage.from_json(message.to_json()).provider_data == data


@keeps("message.canonical_json")
@pytest.mark.parametrize(
    ("message", "text"),
    [
        (tw.user("Write a hello world program"), '{"role":"user","content":"Write a hello world program"}'),
        (
            tw.assistant(None, [tw.ToolCall("call_001", "write_file", {"path": "hello.py"})]),
            '{"role":"assistant","tool_calls":[{"id":"call_001","name":"write_file","arguments":{"path":"hello.py"}}]}',
        ),
        (
            tw.tool_result("call_001", "File written"),
            '{"role":"tool","content":"File written","tool_call_id":"call_001"}',
        ),
        (
            tw.tool_result("call_002", "No such folder", is_error=True),
            '{"role":"tool","content":"No such folder","tool_call_id":"call_002","is_error":true}',
        ),
    ],
)
def test_the_canonical_json_is_as_documented(message: tw.ChatMessage, text: str) -> None:
    assert message.to_json().decode() == text
    assert tw.ChatMessage.from_json(text) == message
