"""The way of a call from end to end, in memory: from a typed function to the record, through every step between."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import toolwright as tw
from tests.agent.running import check, within
from tests.promises import keeps
from toolwright.agent.journal import messages_of
from toolwright.providers import CODECS
from toolwright.testing import MockTool, ScriptedProvider


@tw.tool(category="file_system", risk="high", permissions=["tool.filesystem.write"])
def write_note(path: Path, text: str) -> int:
    """Write a note into a file of the workspace."""
    return path.write_text(text)


@keeps("agent.tour", "agent.ends.transcript")
async def test_a_call_goes_all_the_way_and_is_on_record_everywhere(tmp_path: Path) -> None:
    asked: list[tw.ReviewRequest] = []

    async def review(request: tw.ReviewRequest) -> tw.Decision:
        asked.append(request)
        if request.arguments["text"] == "":
            return tw.Decision.deny("an empty note is none")
        loud = request.arguments["text"].upper()
        if request.arguments["text"] == loud:
            return tw.Decision.approve()
        return tw.Decision.change({**request.arguments, "text": loud})

    registry = tw.Registry([write_note])
    sink = tw.MemorySink()
    policy = tw.Policy((tw.Rule(effect="deny", tool="write_note", when={"path": "*.key"}),))
    executor = tw.Executor(registry, policy=policy, reviewer=review, audit=sink, grants=["tool.filesystem.*"])
    script: list[Any] = [
        [
            "Let me write that down. ",
            tw.ToolCall("a", "writeNote", {"path": "note.txt", "text": "hello"}),
            tw.ToolCall("b", "write_note", {"path": "note.txt", "text": ""}),
            tw.ToolCall("c", "write_note", {"path": "../out.txt", "text": "x"}),
            tw.ToolCall("d", "write_note", {"path": "my.key", "text": "x"}),
            tw.ToolCall("e", "write_note", {"path": "note.txt"}),
            tw.InvalidToolCall("f", "write_note", '{"path": ', "this is not JSON"),
        ],
        "One note is written.",
    ]
    agent = tw.Agent(ScriptedProvider(script), registry, system="Take notes.", executor=executor)
    run = await within(agent.run("Write some notes.", workspace=tmp_path))

    assert (run.status, run.text) == ("completed", "One note is written.")
    assert [execution.outcome.error_code for execution in run.executions] == [
        None,
        "denied",
        "validation_failed",
        "permission_denied",
        "validation_failed",
        "validation_failed",
    ]
    assert os.listdir(tmp_path) == ["note.txt"]  # noqa: PTH208
    assert (tmp_path / "note.txt").read_text() == "HELLO"
    assert [request.call.id for request in asked] == ["a", "a", "b"], "changed arguments are asked about again"
    assert run.executions[0].approved_by == "review"
    assert {each.execution_id for each in sink.executions} == {each.execution_id for each in run.executions}
    assert [intent.arguments["text"] for intent in sink.intents] == ["HELLO"]
    check(run)


@pytest.mark.parametrize("name", sorted(CODECS))
async def test_what_a_run_leaves_behind_is_read_again_from_any_providers_format(name: str) -> None:
    script: list[Any] = [["Wait. ", tw.ToolCall("call_1", "echo", {"deep": [1, {"a": None}]})], "Done."]
    registry = tw.Registry([MockTool("echo", {"said": "früh"}, constraints={"side_effects": False})])
    run = await within(tw.Agent(ScriptedProvider(script), registry, system="Be brief.").run("Go."))
    wire = tw.codec(name)
    messages, tools = wire.parse_messages(wire.encode(messages_of(run.records), registry.definitions()))
    assert [message.role for message in messages] == [message.role for message in run.conversation]
    assert [message.content for message in messages if message.role is tw.MessageRole.TOOL] == [
        message.content for message in run.conversation if message.role is tw.MessageRole.TOOL
    ]
    assert [call.arguments for message in messages for call in message.tool_calls] == [{"deep": (1, {"a": None})}]
    assert [tool.name for tool in tools] == ["echo"]
