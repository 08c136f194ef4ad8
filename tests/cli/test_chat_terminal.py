"""``chat`` with a person at a real terminal: what is on the screen, what is asked, and what keys do."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.making import COUNT, Home, Person
from tests.cli.model_server import Model, calls, says
from tests.promises import keeps

WRITE = ("write_file", {"path": "notes.txt", "content": "one\ntwo\n"})
QUESTION = "Run it? [y]es, [n]o, [a]lways, [e]dit: "
YELLOW = "\x1b[33m"


def plain(text: str) -> str:
    """Return what is on the screen when all that moves the cursor or gives a colour is left out."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


@keeps("cli.chat_once")
def test_the_text_is_there_before_the_answer_is_whole(home: Home, model: Model) -> None:
    model.will([*says("It is 4"), None, *says("2.")])
    with Person("chat", "--model", model.name, "What is it?") as person:
        person.reads("It is 4")
        model.go_on.set()
        person.reads("2.\n")
        assert person.leaves() == 0


@keeps("cli.chat_calls")
def test_a_call_is_shown_while_it_runs_and_when_it_has_ended(home: Home, model: Model) -> None:
    home.user_writes('[builtin]\ncommand_isolation = "none"\n')
    waits = {"command": ["sh", "-c", "echo begun; while [ ! -e go ]; do sleep 0.02; done; echo over"]}
    model.will(calls(("run_command", waits)), says("Done."))
    with Person("chat", "--model", model.name, "--yes", "critical", "Wait for it.") as person:
        person.reads('run_command(command=["sh", "-c", "echo begun')
        home.writes("go", "")
        shown = plain(person.reads("Done."))
        assert "✓ run_command(command=" in shown
        assert re.search(r"\n  .+ (ms|s)\n", shown)
        assert person.leaves() == 0


@keeps("cli.chat_calls")
def test_progress_is_a_bar_in_the_line_of_the_call(home: Home, model: Model) -> None:
    env = home.installs(COUNT, "count")
    model.will(calls(("count", {})), says("Done."))
    with Person("chat", "--model", model.name, "Count.", env=env) as person:
        person.reads("75% 3 of 4 counting")
        home.writes("go", "")
        assert "█" in person.all
        shown = plain(person.reads("Done."))
        assert "✓ count()\n  counted  " in shown
        assert person.leaves() == 0


@keeps("cli.approvals")
def test_a_person_is_shown_everything_and_says_yes(home: Home, model: Model) -> None:
    model.will(calls(WRITE), says("Written."))
    with Person("chat", "--model", model.name, "Write it.") as person:
        shown = person.reads(QUESTION)
        assert f"{YELLOW}Medium Risk" in shown
        assert "Write 8 characters to 'notes.txt'" in shown
        assert "\x1b[32m+one" in shown
        person.types("y")
        person.reads("✓")
        person.reads("Written.")
        assert person.leaves() == 0
    assert (home.workspace / "notes.txt").read_text() == "one\ntwo\n"


@keeps("cli.approvals")
def test_a_person_says_no_and_why_and_the_model_reads_it(home: Home, model: Model) -> None:
    model.will(calls(WRITE), says("As you like."))
    with Person("chat", "--model", model.name, "Write it.") as person:
        person.reads(QUESTION)
        person.types("n")
        person.reads("Why not?")
        person.types("not today")
        person.reads("✗")
        person.reads("As you like.")
        assert person.leaves() == 0
    assert not (home.workspace / "notes.txt").exists()
    assert "not today" in json.dumps(model.told)


@keeps("cli.approvals")
def test_a_person_changes_the_arguments_and_is_asked_about_those(home: Home, model: Model) -> None:
    model.will(calls(WRITE), says("Written."))
    with Person("chat", "--model", model.name, "Write it.", env={"EDITOR": "", "VISUAL": ""}) as person:
        person.reads(QUESTION)
        person.types("e")
        person.reads("as JSON in one line: ")
        person.types('{"path": "other.txt", "content": "three\\n"}')
        assert "other.txt" in person.reads(QUESTION)
        person.types("y")
        assert 'write_file(path="other.txt", content="three\\n")' in plain(person.reads("Written."))  # what ran
        assert person.leaves() == 0
    assert (home.workspace / "other.txt").read_text() == "three\n"


@keeps("cli.remembered")
def test_a_rule_is_shown_before_it_is_written_and_holds_from_then_on(home: Home, model: Model) -> None:
    model.will(calls(WRITE), says("Written."), calls(WRITE), says("Again."))
    with Person("chat", "--model", model.name, "Write it.") as person:
        person.reads(QUESTION)
        person.types("a")
        person.reads("or [a]lways: ")
        person.types("a")
        shown = person.reads("Write it? [y]es, [n]o: ")
        assert "[[policy.rules]]" in shown
        assert not home.places.user_file.exists()
        person.types("y")
        person.reads("Written.")
        assert person.leaves() == 0
    assert 'tool = "write_file"' in home.places.user_file.read_text()
    (home.workspace / "notes.txt").unlink()
    assert home.run("chat", "--model", model.name, "Once more.").out == "Again.\n"
    assert (home.workspace / "notes.txt").exists()


@keeps("cli.remembered")
def test_a_decision_about_a_project_that_is_not_trusted_is_kept_among_the_users_files(home: Home, model: Model) -> None:
    project = home.writes("toolwright.toml", "[agent]\nmax_turns = 9\n")
    model.will(calls(WRITE), says("Written."))
    with Person("chat", "--model", model.name, "Write it.") as person:
        person.reads(QUESTION)
        person.types("a")
        person.reads("or [a]lways: ")
        person.types("p")
        person.reads("Write it? [y]es, [n]o: ")
        person.types("y")
        person.reads("Written.")
        assert person.leaves() == 0
    assert project.read_text() == "[agent]\nmax_turns = 9\n"
    assert "allow" in home.places.decisions(home.workspace.resolve()).read_text()
    assert home.run("policy", "explain", "write_file", "--path", "a", "--content", "b").out.startswith("allow")


@keeps("cli.chat_talk")
def test_a_conversation_knows_what_was_said_until_it_is_begun_anew(home: Home, model: Model) -> None:
    model.will(says("Hello, Ada."), says("You are Ada."), says("I do not know."))
    with Person("chat", "--model", model.name) as person:
        person.reads("> ")
        person.types("/help")
        person.reads("/new")
        person.reads("> ")
        person.types("   ")
        person.reads("> ")
        person.types("I am Ada.")
        person.reads("Hello, Ada.")
        person.reads("> ")
        person.types("Who")
        person.reads("You are Ada.")
        assert [each["content"] for each in model.told[1:]] == ["I am Ada.", "Hello, Ada.", "Who"]
        person.reads("> ")
        person.types("/new")
        person.reads("> ")
        person.types("Who am \\")
        person.types("I?")
        person.reads("I do not know.")
        assert [each["content"] for each in model.told[1:]] == ["Who am \nI?"]
        person.reads("> ")
        person.types("/nothing")
        person.reads("There is no such command")
        person.reads("> ")
        person.types("/quit")
        assert person.leaves() == 0


@keeps("cli.chat_talk")
def test_a_conversation_goes_on_after_the_model_could_not_be_asked(home: Home, model: Model) -> None:
    model.will((401, {"error": {"message": "Bad key"}}), says("Here I am."))
    with Person("chat", "--model", model.name) as person:
        person.reads("> ")
        person.types("Hello")
        person.reads("The model could not be asked: Bad key")
        person.reads("> ")
        person.types("Are you there?")
        person.reads("Here I am.")
        person.reads("> ")
        person.presses("\x04")
        assert person.leaves() == 0
    assert model.told[-1]["content"] == "Hello\n\nAre you there?"


@keeps("cli.interrupt")
def test_ctrl_c_stops_the_answer_and_the_conversation_goes_on_with_what_was_said(home: Home, model: Model) -> None:
    model.will([*says("Once upon a time"), None], says("All right."))
    with Person("chat", "--model", model.name) as person:
        person.reads("> ")
        person.types("Tell me a story.")
        person.reads("Once upon a time")
        person.presses("\x03")
        person.reads("Stopped.")
        person.reads("> ")
        model.go_on.set()
        person.types("Enough.")
        person.reads("All right.")
        person.reads("> ")
        person.presses("\x03\n")  # a prompt that is just about to wait hears of a signal with the next key
        assert person.leaves() == 130
    assert "Enough." in model.told[-1]["content"]


@keeps("cli.interrupt", "cli.exit_codes")
def test_ctrl_c_at_the_only_answer_ends_the_program_as_interrupted(home: Home, model: Model) -> None:
    model.will([*says("Once upon a time"), None])
    with Person("chat", "--model", model.name, "Tell me a story.") as person:
        person.reads("Once upon a time")
        person.presses("\x03")
        person.reads("Stopped.")
        assert person.leaves() == 130
    assert [each["status"] for each in home.run("runs", "list", "--json").json["runs"]] == ["cancelled"]


@keeps("cli.interrupt")
def test_a_second_ctrl_c_leaves_what_will_not_stop(home: Home, model: Model) -> None:
    home.user_writes('[builtin]\ncommand_isolation = "none"\n')
    stubborn = {"command": ["sh", "-c", "trap '' INT TERM; touch begun; while [ ! -e go ]; do sleep 0.02; done"]}
    model.will(calls(("run_command", stubborn)))
    with Person("chat", "--model", model.name, "--yes", "critical", "Wait.") as person:
        person.reads("run_command(")
        person.presses("\x03")
        person.reads("stopping; Ctrl-C once more leaves at once")
        person.presses("\x03")
        assert person.leaves() in (130, -2)
        home.writes("go", "")


@keeps("cli.interrupt", "cli.approvals")
def test_ctrl_c_takes_a_question_back_and_nothing_is_run(home: Home, model: Model) -> None:
    model.will(calls(WRITE))
    with Person("chat", "--model", model.name, "Write it.") as person:
        person.reads(QUESTION)
        person.presses("\x03")
        person.reads("Stopped.")
        assert person.leaves() == 130
    assert not (home.workspace / "notes.txt").exists()


@keeps("cli.visible")
def test_a_models_words_move_no_cursor_and_change_no_colour(home: Home, model: Model) -> None:
    model.will(says("a\x1b[31mb\u202ec\x9b2J \U0001f469\u200d\U0001f4bb\u00a0d"))
    with Person("chat", "--model", model.name, "Hello") as person:
        person.reads("a<U+001B>[31mb<U+202E>c<U+009B>2J \U0001f469\u200d\U0001f4bb\u00a0d")
        assert person.leaves() == 0


@keeps("cli.no_color")
@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_without_colour_no_colour_is_written(home: Home, model: Model, env: dict[str, str]) -> None:
    model.will(calls(WRITE), says("Written."))
    with Person("chat", "--model", model.name, "Write it.", env=env) as person:
        person.reads(QUESTION)
        person.types("y")
        person.reads("Written.")
        assert person.leaves() == 0
        assert re.search(r"\x1b\[[0-9;]*m", person.all) is None
        assert ("\x1b" in person.all) is ("TERM" not in env)


SIDE_BY_SIDE = """
import asyncio, pathlib, toolwright as tw
definition = tw.ToolDefinition(name="asks", description="Ask.", risk="medium",
    constraints=tw.ToolConstraints(side_effects=False, isolation="none"))
@tw.tool(definition=definition)
async def asks() -> str:
    return "asked"
@tw.tool(risk="safe", side_effects=False)
async def quick() -> str:
    "Be quick."
    while not pathlib.Path("go").exists():
        await asyncio.sleep(0.02)
    pathlib.Path("gone").touch()
    return "quick"
"""


@keeps("cli.chat_calls", "cli.approvals")
def test_what_ends_while_a_question_is_on_the_screen_is_told_after_the_answer(home: Home, model: Model) -> None:
    env = home.installs(SIDE_BY_SIDE, "asks")
    points = home.workspace / "site" / "some-1.0.dist-info" / "entry_points.txt"
    points.write_text("[toolwright.tools]\nasks = some_tools:asks\nquick = some_tools:quick\n")
    model.will(calls(("quick", {}), ("asks", {})), says("Both."))
    with Person("chat", "--model", model.name, "Do both.", env=env) as person:
        person.reads(QUESTION)
        home.writes("go", "")
        home.waits_for("gone")
        person.types("x")
        between = person.reads(QUESTION)
        assert "quick" not in between
        person.types("y")
        shown = plain(person.reads("Both."))
        assert "✓ quick()" in shown
        assert "✓ asks()" in shown
        assert person.leaves() == 0
