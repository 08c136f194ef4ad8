"""The embedded model at the command line: honest about what it is, and made to look before it says anything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.making import Home
from tests.promises import keeps
from tests.providers.tiny_model import write_tiny_model
from toolwright.cli.console import Console
from toolwright.cli.looking import Looking
from toolwright.cli.showing import Screen
from toolwright.execution import Execution, ExecutionCompleted, Executor
from toolwright.messages import ChatMessage, ToolCall, tool_result
from toolwright.providers import ChatResponse, Completed, StreamEvent, TextDelta
from toolwright.providers.local import NOTE
from toolwright.registry import Registry
from toolwright.testing import MockTool
from toolwright.tools import ToolDefinition


class Heard:
    """A provider that keeps what it was asked for."""

    model_name = "heard"
    note = NOTE

    def __init__(self) -> None:
        self.options: list[dict[str, Any]] = []
        self.closed = False

    async def chat(self, messages: Iterable[ChatMessage]) -> str:
        del messages
        return "text"

    async def chat_with_tools(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition], **options: Any
    ) -> ChatResponse:
        del messages, tools
        self.options.append(options)
        return ChatResponse(text="text")

    async def stream(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Any
    ) -> AsyncIterator[StreamEvent]:
        yield Completed(await self.chat_with_tools(messages, tools, **options))

    async def aclose(self) -> None:
        self.closed = True


LOOK = MockTool.succeeding("look", data=1)
QUESTION = ChatMessage.user("What is in this folder?")


def called(*patterns: str) -> list[ChatMessage]:
    """Return a question, and the calls that were made and answered since."""
    history = [QUESTION]
    for place, pattern in enumerate(patterns):
        call = ToolCall(f"c{place}", "look", {"pattern": pattern})
        history += [ChatMessage.assistant(None, [call]), tool_result(call.id, "found")]
    return history


@keeps("cli.small_model")
@pytest.mark.parametrize(
    ("history", "choice"),
    [
        ([QUESTION], "required"),
        ([ChatMessage.user("Read the file README.md")], "required"),
        ([ChatMessage.user("Hello")], None),
        ([*called("a"), ChatMessage.assistant("Found."), ChatMessage.user("Thanks a lot")], None),
        (called("a"), None),
        (called("a", "b"), None),
        (called("a", "a"), "none"),
        (called("a", "b", "c"), "none"),
    ],
)
async def test_a_question_is_answered_after_a_call_or_a_few(history: list[ChatMessage], choice: str | None) -> None:
    heard = Heard()
    looking = Looking(heard)
    await looking.chat_with_tools(history, [LOOK.definition])
    events = [event async for event in looking.stream(history, [LOOK.definition])]
    assert [asked.get("tool_choice") for asked in heard.options] == [choice, choice]
    assert events == [Completed(ChatResponse(text="text"))]


async def test_what_is_wished_is_not_overruled_and_nothing_is_asked_without_tools() -> None:
    heard = Heard()
    looking = Looking(heard)
    assert (looking.model_name, looking.note, await looking.chat([QUESTION])) == ("heard", NOTE, "text")
    await looking.chat_with_tools([QUESTION], ())
    await looking.chat_with_tools([QUESTION], [LOOK.definition], tool_choice="auto")
    assert heard.options == [{}, {"tool_choice": "auto"}]
    await looking.aclose()
    assert heard.closed


def executed(data: object, name: str = "look") -> Execution:
    tool = MockTool.succeeding(name, data=data)
    return asyncio.run(Executor(Registry([tool])).execute(ToolCall.new(name)))


@keeps("cli.small_model")
def test_a_sentence_is_labelled_and_a_result_is_shown_as_it_is_and_once(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen(Console({}), "small", note=NOTE)
    execution = executed({"files": [{"path": "a.py"}, {"path": "b.py"}], "total": 2})
    screen.begin()
    for _ in range(2):
        event = ExecutionCompleted(
            at=execution.completed_at, tool_name="look", execution_id=execution.execution_id, execution=execution
        )
        screen.show(event)
    for piece in ("There are ", "three files."):
        screen.show(TextDelta(piece))
    screen.end()
    captured = capsys.readouterr()
    assert captured.out == "There are three files.\n"
    lines = captured.err.splitlines()
    assert lines[2:6] == ["  │ files:", "  │   a.py", "  │   b.py", "  │ total: 2"]
    assert lines[8:] == ["  │ the same as above", f"({NOTE})"]


@keeps("cli.small_model", "cli.json")
def test_the_embedded_model_is_offered_few_tools_that_change_nothing(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = write_tiny_model(tmp_path / "tiny.gguf", context=16_384)
    monkeypatch.setenv("TOOLWRIGHT_LOCAL_MODEL", str(weights))
    home.writes("a.txt", "content\n")
    said = home.run("chat", "--model", "local", "--max-turns", "1", "--json", "What is in this folder?")
    assert said.code == 1  # it has looked, and had no turn left for an answer
    events = [line for line in said.out.splitlines() if '"event":"completed"' in line]
    assert len(events) == 1
    safe = {each["name"] for each in home.run("tools", "list", "--max-risk", "safe", "--json").json["tools"]}
    found = home.run("runs", "show", "last", "--json").json["records"]
    assert {each["data"]["name"] for each in found if each["kind"] == "tool_call"} <= safe
