"""``runs``: what was asked and answered, looked at again, handed on, and gone on with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.making import PATIENCE, PROGRAM, Home, Person
from tests.cli.model_server import Model, calls, says
from tests.promises import keeps
from toolwright.providers import CODECS


def ask(home: Home, model: Model, prompt: str, *arguments: str) -> str:
    """Ask something, and return the id of the run."""
    said = home.run("chat", "--model", model.name, prompt, "--json", *arguments)
    id: str = json.loads(said.out.splitlines()[-1])["id"]
    return id


@pytest.fixture
def told(home: Home, model: Model) -> str:
    """The id of a run with a call in it."""
    home.writes("a.txt", "".join(f"line {number}\n" for number in range(30)))
    model.will(says("I look.") + calls(("read_file", {"path": "a.txt"})), says("It has `lines`."))
    return ask(home, model, "What is in a.txt?")


@keeps("cli.runs", "cli.json")
def test_runs_are_listed_the_newest_first(home: Home, model: Model, told: str) -> None:
    other = ask(home, model, "And now?")
    said = home.run("runs", "list")
    assert said.code == 0
    first, second = (line.split() for line in said.out.splitlines())
    assert (first[0], first[3]) == (other, "completed")
    assert second[0] == told
    listed = home.run("runs", "list", "--json").json["runs"]
    assert [each["id"] for each in listed] == [other, told]
    assert (listed[1]["title"], listed[1]["model"], listed[1]["status"]) == ("What is in a.txt?", "tiny", "completed")
    few = home.run("runs", "list", "--limit", "1")
    assert few.out.count("\n") == 1
    assert "1 older ones; --limit shows more" in few.err


@keeps("cli.runs")
def test_runs_of_this_folder_alone_can_be_listed(home: Home, model: Model, told: str) -> None:
    home.writes("sub/x", "")
    there = ask(home, model, "Hello", "--workspace", "sub")
    listed = home.run("runs", "list", "--here", "-w", "sub", "--json").json["runs"]
    assert [each["id"] for each in listed] == [there]
    assert [each["id"] for each in home.run("runs", "list", "--here", "--json").json["runs"]] == [told]


def test_where_there_are_no_runs_it_says_how_to_make_one(home: Home) -> None:
    said = home.run("runs", "list")
    assert (said.code, said.out) == (0, "")
    assert "'toolwright chat' makes one" in said.err
    assert home.run("runs", "show", "last").code == 2


@keeps("cli.runs")
def test_a_run_is_shown_by_its_id_the_beginning_of_it_or_as_the_last(home: Home, told: str) -> None:
    said = home.run("runs", "show", told)
    assert said.code == 0
    assert f"run        {told}" in said.out
    assert '\n> What is in a.txt?\n\nI look.\n\n• read_file(path="a.txt")\n' in said.out
    assert "  line 9\n  ... 20 more lines\n" in said.out
    assert said.out.endswith("\nIt has `lines`.\n")
    assert home.run("runs", "show", "last").out == said.out
    assert home.run("runs", "show", told[:-2]).out == said.out
    assert "  line 29\n" in home.run("runs", "show", told, "--full").out
    found = home.run("runs", "show", told, "--json").json
    assert found["id"] == told
    assert [each["kind"] for each in found["records"]] == [
        *("system", "user", "assistant", "tool_call", "tool_result", "assistant")
    ]


@keeps("cli.errors", "cli.exit_codes")
def test_a_run_that_is_not_there_or_not_clear_is_wrong_use(home: Home, model: Model, told: str) -> None:
    ask(home, model, "And now?")
    for name, problem in (
        ("nothing", "There is no run nothing."),
        ("run_", "2 runs begin with run_"),
        ("x", "no run x"),
    ):
        said = home.run("runs", "show", name)
        assert (said.code, said.out) == (2, "")
        assert problem in said.err
        assert "'toolwright runs list' shows those there are." in said.err


@keeps("cli.runs")
def test_a_run_is_exported_as_records_messages_requests_and_markdown(home: Home, told: str) -> None:
    records = [json.loads(line) for line in home.run("runs", "export", told).out.splitlines()]
    assert records == home.run("runs", "show", told, "--json").json["records"]
    messages = home.run("runs", "export", told, "--format", "messages").json
    assert [each["role"] for each in messages] == ["system", "user", "assistant", "tool", "assistant"]
    request = home.run("runs", "export", told, "--format", "anthropic").json
    assert request["model"] == "tiny"
    assert [each["role"] for each in request["messages"]] == ["user", "assistant", "user", "assistant"]
    for name in CODECS:
        assert home.run("runs", "export", told, "--format", name).json
    page = home.run("runs", "export", told, "--format", "markdown").out
    assert page.startswith("# What is in a.txt?\n\n")
    assert '\n`read_file(path="a.txt")`\n\n```\nline 0\n' in page


@keeps("cli.visible")
def test_what_was_said_moves_no_cursor_when_it_is_shown_again(home: Home, model: Model) -> None:
    model.will(says("a\x1b[2Jb"))
    id = ask(home, model, "Hello")
    with Person("runs", "show", id) as person:
        person.reads("a<U+001B>[2Jb")
        assert person.leaves() == 0


# Going on


def cut_off(home: Home, model: Model, *answer: dict[str, Any], until: str) -> str:
    """Begin a run, end its process once something is there, and return the run's id."""
    model.will(list(answer))
    home.user_writes('[builtin]\ncommand_isolation = "none"\n')
    process = subprocess.Popen(
        [*PROGRAM, "chat", "--model", model.name, "--yes", "critical", "--json", "Do it."],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=dict(os.environ),
    )
    assert process.stdout is not None
    for line in process.stdout:
        if until in line.decode():
            break
    process.kill()
    process.wait(PATIENCE)
    process.stdout.close()
    id: str = home.run("runs", "list", "--json").json["runs"][0]["id"]
    return id


WAITS = ("run_command", {"command": [sys.executable, "-c", "import time; time.sleep(3600)"]})


@pytest.fixture
def begun(home: Home, model: Model) -> str:
    """The id of a run whose process was killed while a call with side effects was running."""
    return cut_off(home, model, *calls(WAITS), until='"started"')


@keeps("cli.runs", "cli.exit_codes")
def test_of_a_call_that_was_cut_off_a_person_says_whether_it_happened(home: Home, model: Model, begun: str) -> None:
    asked = home.run("runs", "resume", begun, "--model", model.name)
    assert asked.code == 1
    assert "Nobody knows whether these calls happened" in asked.err
    assert "--call call_0=happened" in asked.err
    model.will(says("So it is done."))
    said = home.run("runs", "resume", "--model", model.name, "--call", "call_0=happened")
    assert (said.code, said.out) == (0, "So it is done.\n")
    assert model.told[-1]["role"] == "tool"
    ended = home.run("runs", "resume", begun, "--model", model.name)
    assert ended.code == 2
    assert "'toolwright chat --continue' goes on from there" in ended.err


@keeps("cli.exit_codes")
def test_a_resumed_run_that_fails_is_told_like_any_other(home: Home, model: Model, begun: str) -> None:
    model.will((401, {"error": {"message": "Bad key"}}))
    said = home.run("runs", "resume", begun, "--model", model.name, "--call", "call_0=did_not_happen")
    assert said.code == 1
    assert said.err.endswith("toolwright: The model could not be asked: Bad key (authentication_failed)\n")


@keeps("cli.runs")
def test_a_resumed_run_goes_on_with_its_calls_and_shows_them(home: Home, model: Model, begun: str) -> None:
    model.will(calls(("glob", {"pattern": "*"})), says("Done."))
    said = home.run("runs", "resume", begun, "--model", model.name, "--call", "call_0=happened")
    assert (said.code, said.out) == (0, "Done.\n")
    assert '✓ glob(pattern="*")' in said.err


@keeps("cli.runs")
def test_at_a_terminal_the_person_is_asked(home: Home, model: Model, begun: str) -> None:
    model.will(says("Then I leave it."))
    with Person("runs", "resume", begun, "--model", model.name) as person:
        person.reads("nobody knows whether it happened")
        person.reads("run_command(")
        person.reads("[r]un it again: ")
        person.types("d")
        person.reads("Then I leave it.")
        assert person.leaves() == 0


def test_a_conversation_does_not_go_on_from_a_run_that_was_cut_off(home: Home, model: Model, begun: str) -> None:
    said = home.run("chat", "--model", model.name, "And?", "--continue")
    assert said.code == 1
    assert f"'toolwright runs resume {begun}'" in said.err
    assert "cut off" in home.run("runs", "list").out


def test_a_word_that_says_nothing_about_a_call_is_wrong_use(home: Home, model: Model) -> None:
    said = home.run("runs", "resume", "last", "--call", "call_0=maybe")
    assert said.code == 2
    assert "happened, did_not_happen, run_again" in said.err


def test_a_broken_file_of_a_run_hides_no_other_and_is_told(home: Home, model: Model, told: str) -> None:
    file = home.places.runs / "run_broken.jsonl"
    file.write_text("{\n")
    assert [each["id"] for each in home.run("runs", "list", "--json").json["runs"]] == [told]
    assert f"cannot be read, in {home.places.runs}: run_broken\n" in home.run("runs", "list").err
    shown = home.run("runs", "show", "run_broken")
    assert (shown.code, shown.err) == (1, f"toolwright: The run run_broken cannot be read: see {file}\n")


def test_runs_are_kept_where_the_settings_say(home: Home, model: Model, tmp_path: Path) -> None:
    home.user_writes(f'[runs]\nfolder = "{tmp_path}/kept"\n')
    id = ask(home, model, "Hello")
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [f"{id}.jsonl"]
