from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import toolwright as tw
from examples.file_assistant import file_assistant
from toolwright.testing import FakeReviewer, ScriptedProvider

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "plan.txt").write_text("Meet at six.\n", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("nobody reads this\n", encoding="utf-8")
    return notes


async def test_it_reads_without_asking(folder: Path) -> None:
    llm = ScriptedProvider(
        [
            tw.ToolCall.new("search_text", pattern="six"),
            tw.ToolCall.new("read_file", path="plan.txt"),
            "At six, says plan.txt.",
        ]
    )
    run = await file_assistant(llm, FakeReviewer()).run("When do we meet?", workspace=folder)
    assert (run.status, run.text) == ("completed", "At six, says plan.txt.")
    assert [execution.status for execution in run.executions] == ["completed", "completed"]


async def test_it_is_shown_nothing_that_runs_commands_or_reaches_the_network(folder: Path) -> None:
    llm = ScriptedProvider(["Nothing to do."])
    await file_assistant(llm, FakeReviewer()).run("Hello", workspace=folder)
    assert set(llm.requests[0].tool_names) == {"read_file", "write_file", "list_directory", "glob", "search_text"}


@pytest.mark.parametrize(("decision", "content"), [("approve", "Meet at seven.\n"), ("deny", "Meet at six.\n")])
async def test_a_change_is_shown_before_it_is_made(folder: Path, decision: str, content: str) -> None:
    write = tw.ToolCall.new("write_file", path="plan.txt", content="Meet at seven.\n")
    reviewer = FakeReviewer(tw.Decision.approve() if decision == "approve" else tw.Decision.deny())
    await file_assistant(ScriptedProvider([write, "Done."]), reviewer).run("Make it seven.", workspace=folder)
    assert "-Meet at six.\n+Meet at seven." in (reviewer.requests[0].diff or "")
    assert (folder / "plan.txt").read_text(encoding="utf-8") == content


async def test_nothing_outside_of_the_folder_is_read(folder: Path) -> None:
    llm = ScriptedProvider([tw.ToolCall.new("read_file", path="../secret.txt"), "I cannot read that."])
    run = await file_assistant(llm, FakeReviewer()).run("What is the secret?", workspace=folder)
    assert not run.executions[0].outcome.success
    assert "nobody reads this" not in str(run.executions[0].outcome.for_model())


@pytest.mark.parametrize("name", ["file_assistant", "database_assistant", "mail_sender"])
def test_an_example_says_how_it_is_used_and_is_short(name: str) -> None:
    path = ROOT / "examples" / f"{name}.py"
    ended = subprocess.run([sys.executable, path], check=False, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert f"python examples/{name}.py" in ended.stderr
    assert len(path.read_text(encoding="utf-8").splitlines()) < 60
