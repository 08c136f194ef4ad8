from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.messages.strategies import conversations, texts
from tests.promises import keeps
from toolwright import testing
from toolwright.conversation import Conversation
from toolwright.errors import LLMError
from toolwright.messages import ChatMessage, ToolCall, tool_result, user
from toolwright.providers import ChatProvider, ChatResponse, Completed, TextDelta, Usage
from toolwright.redact import redact_text
from toolwright.schema import Schema
from toolwright.testing import MockTool, ScriptedProvider, record, replay

ECHO = MockTool("echo", description="Say it again.").definition
CALL = ToolCall("call_1", "echo", {"path": "a.txt", "lines": [1, 2]})
SECRET = "sk-proj-abcdefghijklmnopqrstuvwx1234"
USAGE = Usage(input_tokens=3, output_tokens=4)
FIRST = ChatResponse(
    text="Let me see:\none\ntwo",
    tool_calls=(CALL,),
    finish_reason="tool_calls",
    reasoning="Hm.\n",
    usage=USAGE,
    model="m",
    provider_data={"anthropic": {"signature": "abc"}},
)


async def run(provider: ChatProvider, question: str = "What does\nit say?") -> tuple[ChatResponse, ChatResponse]:
    """Ask as an agent does: a question, a call, its result."""
    history: list[ChatMessage] = [user(question)]
    first = await provider.chat_with_tools(history, [ECHO], temperature=0.5, timeout=3.0)
    history += [first.to_message(), tool_result("call_1", "It says:\nhello")]
    last = first
    async for event in provider.stream(history, [ECHO], temperature=0.5):
        if isinstance(event, Completed):
            last = event.response
    return first, last


async def recorded(file: Path, script: list[Any], **options: Any) -> tuple[ChatResponse, ChatResponse]:
    return await run(record(ScriptedProvider(script, model_name="the-model"), file, **options))


@keeps("testing.cassette.replays")
async def test_what_was_recorded_is_answered_again_for_ever(tmp_path: Path) -> None:
    file = tmp_path / "cassettes" / "run.json"
    before = await recorded(file, [FIRST, "It says hello."])
    for _ in range(2):
        with replay(file) as provider:
            assert await run(provider) == before
            assert provider.model_name == "the-model"
    assert before[0] == FIRST


@keeps("testing.cassette.replays")
def test_a_cassette_serves_code_without_an_event_loop(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    assert record(ScriptedProvider(["one"]), file).sync.chat([user("Hi")]) == "one"
    assert replay(file).sync.chat([user("Hi")]) == "one"


@keeps("testing.cassette.replays")
async def test_an_error_is_recorded_and_raised_again(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    script = [
        LLMError("rate_limited", "Slow down.", status=429, retryable=True),
        ["Once", LLMError("timeout", "Late.")],
    ]
    providers: list[Any] = [record(ScriptedProvider(script), file), None]
    for number in range(2):
        provider = providers[number] or replay(file)
        with pytest.raises(LLMError, match="Slow down") as caught:
            await provider.chat([user("Hi")])
        assert (caught.value.code, caught.value.status, caught.value.retryable) == ("rate_limited", 429, True)
        with pytest.raises(LLMError, match="Late"):
            await drained(provider.stream([user("Hi")]))


async def drained(events: AsyncIterator[Any]) -> list[Any]:
    return [event async for event in events]


@keeps("testing.cassette.replays")
async def test_a_replayed_stream_comes_in_pieces(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    assert await record(ScriptedProvider(["Hello."]), file).chat([user("Hi")]) == "Hello."
    *pieces, last = await drained(replay(file, chunk_size=2).stream([user("Hi")]))
    assert [piece.text for piece in pieces if isinstance(piece, TextDelta)] == ["He", "ll", "o."]
    assert last.response.text == "Hello."
    with pytest.raises(ValueError, match="chunk_size"):
        replay(file, chunk_size=0)


def names_in(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


@keeps("testing.cassette.readable")
async def test_a_cassette_tells_only_what_is_new_and_texts_as_lines(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    await recorded(file, [FIRST, "It says hello."])
    whole = json.loads(file.read_text())
    assert whole == {
        "cassette": 1,
        "model": "the-model",
        "exchanges": [
            {
                "request": {
                    "messages": [{"role": "user", "content": ["What does", "it say?"]}],
                    "tools": [
                        {
                            "name": "echo",
                            "description": "Say it again.",
                            "parameters": {"type": "object", "additionalProperties": True},
                        }
                    ],
                    "options": {"temperature": 0.5},
                },
                "response": {
                    "text": ["Let me see:", "one", "two"],
                    "tool_calls": [{"id": "call_1", "name": "echo", "arguments": {"path": "a.txt", "lines": [1, 2]}}],
                    "finish_reason": "tool_calls",
                    "usage": {"input_tokens": 3, "output_tokens": 4},
                    "model": "m",
                    "reasoning": ["Hm.", ""],
                    "provider_data": {"anthropic": {"signature": "abc"}},
                },
            },
            {
                "request": {
                    "kept": 1,
                    "messages": [
                        {
                            "role": "assistant",
                            "content": ["Let me see:", "one", "two"],
                            "tool_calls": [
                                {"id": "call_1", "name": "echo", "arguments": {"path": "a.txt", "lines": [1, 2]}}
                            ],
                            "provider_data": {"anthropic": {"signature": "abc"}},
                        },
                        {"role": "tool", "content": ["It says:", "hello"], "tool_call_id": "call_1"},
                    ],
                    "tools": "as before",
                    "options": {"temperature": 0.5},
                },
                "response": {"text": "It says hello.", "model": "scripted"},
            },
        ],
    }
    assert names_in(tmp_path) == ["run.json"], "nothing else is left behind"


@keeps("testing.cassette.secrets")
async def test_no_secret_is_written_and_who_has_it_may_still_replay(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    answer = ChatResponse(text=f"Your key is {SECRET}.", tool_calls=(ToolCall("c", "echo", {"password": "hunter2"}),))
    script = [answer, LLMError("authentication_failed", f"The key {SECRET} is wrong.")]
    provider = record(ScriptedProvider(script), file)
    options: Any = {"extra_headers": {"x-key": SECRET}, "extra_body": {"api_key": "hunter2"}}
    await provider.chat_with_tools([user(f"Keep {SECRET}")], [], **options)
    with pytest.raises(LLMError):
        await provider.chat([user("Hi")])
    text = file.read_text()
    assert SECRET not in text
    assert "hunter2" not in text
    assert "x-key" not in text
    again = await replay(file).chat_with_tools([user(f"Keep {SECRET}")], [], **options)
    assert again.text == "Your key is [redacted]."


@keeps("testing.cassette.changed")
async def test_another_question_fails_with_the_difference(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    await recorded(file, [FIRST, "It says hello."])
    with pytest.raises(AssertionError, match="request 1 is not the one that was recorded") as caught:
        await run(replay(file), "What does\nit mean?")
    told = str(caught.value)
    assert '-        "it say?"' in told
    assert '+        "it mean?"' in told
    assert '"What does",' in told
    assert "record it again" in told


@keeps("testing.cassette.changed")
@pytest.mark.parametrize(
    ("tools", "options", "line"),
    [
        ([], {"temperature": 0.5}, "echo"),
        ([MockTool("echo", description="Other.").definition], {"temperature": 0.5}, "Other."),
        ([ECHO], {"temperature": 0.6}, "0.6"),
        ([ECHO], {"temperature": 0.5, "response_schema": Schema({"type": "integer"})}, "response_schema"),
    ],
)
async def test_tools_and_options_are_part_of_the_question(
    tmp_path: Path, tools: list[Any], options: dict[str, Any], line: str
) -> None:
    file = tmp_path / "run.json"
    await recorded(file, [FIRST, "It says hello."])
    with pytest.raises(AssertionError, match=line):
        await replay(file).chat_with_tools([user("What does\nit say?")], tools, **options)


@keeps("testing.cassette.changed")
async def test_more_questions_or_fewer_than_were_recorded_fail(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    await record(ScriptedProvider(["one"]), file).chat([user("Hi")])
    with pytest.raises(AssertionError, match="1 of the questions recorded in .* were not asked"), replay(file):
        pass
    with pytest.raises(LookupError), replay(file):
        raise LookupError("what says more than the cassette")
    provider = replay(file)
    await provider.chat([user("Hi")])
    with pytest.raises(AssertionError, match="has no request 2"):
        await provider.chat([user("Hi")])
    assert "0 answers left" in repr(provider)


@keeps("testing.cassette.replays")
async def test_questions_at_the_same_time_may_come_in_any_order(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    asked = record(ScriptedProvider([lambda messages: messages[0].content.upper()] * 3), file)
    await asyncio.gather(*(asked.chat([user(word)]) for word in "abc"))
    again = replay(file)
    assert [await again.chat([user(word)]) for word in "cab"] == ["C", "A", "B"]


@keeps("testing.cassette.replays")
async def test_texts_that_differ_from_run_to_run_have_names(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    answer = ToolCall("c", "echo", {"path": "/tmp/a1/x.txt"})
    asked = record(ScriptedProvider([answer]), file, names={"/tmp/a1": "<workspace>"})
    await asked.chat_with_tools([user("Look into /tmp/a1, please")], [])
    assert "/tmp/a1" not in file.read_text()
    again = await replay(file, names={"/tmp/b2": "<workspace>"}).chat_with_tools(
        [user("Look into /tmp/b2, please")], []
    )
    assert again.tool_calls[0].arguments == {"path": "/tmp/b2/x.txt"}


async def test_an_answer_that_nobody_waited_for_is_not_recorded(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    provider = record(ScriptedProvider(["a long answer", "two"]), file)
    stream = provider.stream([user("Hi")])
    await anext(stream)
    await stream.aclose()
    assert not file.exists()
    assert await provider.chat([user("Ho")]) == "two"
    assert [row["response"]["text"] for row in json.loads(file.read_text())["exchanges"]] == ["two"]
    assert "RecordingProvider" in repr(provider)
    assert provider.model_name == "scripted"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "cannot be read: JSONDecodeError"),
        ("[]", "cannot be read: TypeError"),
        ('{"cassette": 2}', "it has version 2"),
        ('{"cassette": 1, "model": "m", "exchanges": [{}]}', "exchange 1: KeyError"),
        (
            '{"cassette": 1, "model": "m", "exchanges": [{"request": {"messages": []}, "response": {"text": 5}}]}',
            "text",
        ),
    ],
)
def test_a_cassette_that_cannot_be_read_says_where(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "run.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=problem):
        replay(file)


def test_a_cassette_that_is_not_there_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"record\(provider, 'run.json'\) makes one"):
        replay(tmp_path / "run.json")


@keeps("testing.cassette.replays")
@settings(max_examples=20)  # each writes a file
@given(history=conversations(), said=texts)
def test_any_conversation_is_replayed_as_it_was_recorded(
    tmp_path_factory: pytest.TempPathFactory, history: Conversation, said: str
) -> None:
    file = tmp_path_factory.mktemp("tape") / "run.json"
    first = asyncio.run(record(ScriptedProvider([[said]]), file).chat_with_tools(history, [ECHO]))
    again = asyncio.run(replay(file).chat_with_tools(history, [ECHO]))
    assert first.text == said
    assert again.text == redact_text(said)


async def test_a_cassette_that_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    taken = tmp_path / "run.json"
    taken.mkdir()
    with pytest.raises(OSError):
        await record(ScriptedProvider(["one"]), taken).chat([user("Hi")])
    assert names_in(tmp_path) == ["run.json"]


def test_the_testing_kit_has_no_other_names() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'MockTol'"):
        getattr(testing, "MockTol")  # noqa: B009  (type checkers would rightly refuse the attribute)
    assert all(getattr(testing, name) is not None for name in testing.__all__)
