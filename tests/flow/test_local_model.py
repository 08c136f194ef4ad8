"""The real model behind its real server, from a question to the answer: nothing here is scripted.

It is small, and its numbers differ a little from one processor to another; so it is asked what it can do with ease.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import toolwright as tw
from benchmarks.choosing import QUESTIONS, SYSTEM, THREE, measure
from tests.promises import keeps
from toolwright.providers import Completed, TextDelta
from toolwright.providers.local import LocalProvider
from toolwright.providers.local.offering import small_offer
from toolwright.testing import FakeReviewer

pytestmark = pytest.mark.real_model


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "today.txt").write_text("We meet at the old harbour at six.\n", encoding="utf-8")
    return tmp_path


@keeps("local.real")
async def test_it_answers_with_a_text_whole_and_in_pieces(real_model: LocalProvider) -> None:
    question = [tw.user("What is the capital of France?")]
    assert "Paris" in await real_model.chat(question)
    events = [event async for event in real_model.stream(question)]
    assert isinstance(events[-1], Completed)
    assert "Paris" in "".join(event.text for event in events if isinstance(event, TextDelta))


@keeps("local.real", "local.prompted")
async def test_it_calls_a_tool_which_is_run_and_whose_result_it_is_given(
    real_model: LocalProvider, workspace: Path
) -> None:
    registry = tw.builtin.registry(workspace)
    agent = tw.Agent(real_model, registry, system=SYSTEM, offer=small_offer(registry, most=3), max_turns=6)
    run = await agent.run("Read notes/today.txt and tell me what it says.", workspace=workspace)
    assert run.error is None
    first = run.executions[0]
    assert (first.tool_name, first.status) == ("read_file", "completed")
    assert isinstance(first.call, tw.ToolCall)
    assert first.call.arguments["path"] == "notes/today.txt"
    assert run.status == "completed"
    assert "old harbour" in "".join(message.content or "" for message in run.conversation.messages)


@keeps("local.real")
async def test_what_it_would_change_is_asked_for(real_model: LocalProvider, workspace: Path) -> None:
    registry = tw.Registry([tw.builtin.read_file, tw.builtin.write_file])
    reviewer = FakeReviewer.always(tw.Decision.deny("not today"))
    agent = tw.Agent(real_model, registry, executor=tw.Executor(registry, reviewer=reviewer), max_turns=3)
    run = await agent.run("Write the text 'hello' to the file greeting.txt.", workspace=workspace)
    assert (run.executions[0].tool_name, run.executions[0].status) == ("write_file", "denied")
    assert reviewer.requests[0].arguments["path"] == "greeting.txt"
    assert {path.name for path in workspace.iterdir()} == {"notes"}  # noqa: ASYNC240  a small folder


@keeps("local.real")
async def test_its_answer_has_the_form_that_was_asked_for(real_model: LocalProvider) -> None:
    @dataclasses.dataclass
    class Town:
        name: str
        country: str

    run = await tw.Agent(real_model, tw.Registry()).run("Name the capital of France and its country.", final=Town)
    assert (run.status, run.value) == ("completed", Town("Paris", "France"))


@keeps("local.right")
async def test_it_mostly_chooses_right_among_three_tools(real_model: LocalProvider) -> None:
    score = await measure(real_model, THREE, QUESTIONS[1::2])
    assert score.right / score.asked >= 0.6, score.wrong
