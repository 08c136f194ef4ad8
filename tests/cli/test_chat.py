"""``chat`` in a pipe and for programs: one question, one answer, and what a shell sees of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.making import DEFINITION, Home, Said
from tests.cli.model_server import Model, calls, says
from tests.promises import keeps

WRITE = ("write_file", {"path": "notes.txt", "content": "one\n"})


def ask(home: Home, model: Model, *arguments: str) -> Said:
    return home.run("chat", "--model", model.name, *arguments)


def results_told(model: Model) -> list[str]:
    """Return what the model was told of its calls."""
    return [each["content"] for each in model.told if each["role"] == "tool"]


@keeps("cli.chat_once", "cli.streams", "cli.pipes")
def test_one_question_has_one_answer_on_stdout_and_nothing_else_there(home: Home, model: Model) -> None:
    model.will(says("\n\nIt is ", "42", ".\n\n"))
    said = ask(home, model, "What is it?")
    assert said == Said(0, "It is 42.\n", "")
    assert model.told[-1] == {"role": "user", "content": "What is it?"}


@keeps("cli.chat_calls", "cli.streams")
def test_calls_are_told_with_their_arguments_results_and_durations(home: Home, model: Model) -> None:
    home.writes("a.py", "import asyncio\n")
    model.will(says("I will look.") + calls(("search_text", {"pattern": "asyncio"})), says("a.py does."))
    said = ask(home, model, "Which files mention asyncio?")
    assert said.code == 0
    assert said.out == "I will look.\na.py does.\n"
    call, result = said.err.splitlines()
    assert call == '✓ search_text(pattern="asyncio")'
    assert result.startswith("  ")
    assert result.endswith(" ms")
    assert "a.py" in results_told(model)[0]


def test_what_a_tool_could_not_do_is_told_in_our_words(home: Home, model: Model) -> None:
    model.will(calls(("read_file", {"path": "nothing.txt"})), says("There is none."))
    said = ask(home, model, "Read it.")
    assert said.code == 0
    call, problem = said.err.splitlines()
    assert call == '✗ read_file(path="nothing.txt")'
    assert "no such file" in problem.lower()


def test_a_call_that_is_none_is_told_as_it_was_written(home: Home, model: Model) -> None:
    broken = {"index": 0, "id": "c", "type": "function", "function": {"name": "read_file", "arguments": '{"path": '}}
    model.will([{"tool_calls": [broken]}], says("Oh."))
    said = ask(home, model, "Read it.")
    assert '✗ read_file({"path":)' in said.err


@keeps("cli.pipes", "cli.exit_codes")
def test_nobody_is_asked_in_a_pipe_and_the_reason_says_how_to_allow(home: Home, model: Model) -> None:
    model.will(calls(WRITE), says("I could not."))
    said = ask(home, model, "Write it.")
    assert said.code == 0
    assert not (home.workspace / "notes.txt").exists()
    assert "--yes medium or --allow write_file allows it" in said.err
    assert "--yes medium" in results_told(model)[0]


@keeps("cli.rules")
@pytest.mark.parametrize(
    ("options", "written"),
    [
        (["--yes", "medium"], True),
        (["--yes", "low"], False),
        (["--allow", "write_file"], True),
        (["--allow", "write_*:path=*.txt"], True),
        (["--allow", "write_file:path=*.md"], False),
        (["--allow", "category=file_system"], True),
        (["--allow", "risk=medium"], True),
        (["--yes", "critical", "--deny", "write_file:path=notes*"], False),
    ],
)
def test_rules_of_the_command_line_decide_about_calls(
    home: Home, model: Model, options: list[str], written: bool
) -> None:
    model.will(calls(WRITE), says("Done."))
    assert ask(home, model, "Write it.", *options).code == 0
    assert (home.workspace / "notes.txt").exists() is written


@pytest.mark.parametrize("rule", ["", ":", "a:b", "=x", "risk=huge", "NAME!", "colour=red"])
def test_what_is_no_rule_is_wrong_use_and_nothing_is_asked(home: Home, model: Model, rule: str) -> None:
    said = ask(home, model, "Hello", "--allow", rule)
    assert (said.code, said.out) == (2, "")
    assert f"--allow '{rule}'" in said.err
    assert model.requests == []


@keeps("cli.workspace")
def test_the_workspace_is_the_current_folder_or_the_one_that_is_named(home: Home, model: Model) -> None:
    home.writes("here.txt", "")
    home.writes("sub/there.txt", "")
    for options, name in (([], "here.txt"), (["--workspace", "sub"], "there.txt")):
        model.will(calls(("glob", {"pattern": "*.txt"})), says("Found."))
        ask(home, model, "Which files?", *options)
        assert name in results_told(model)[0]


@keeps("cli.system")
def test_the_system_message_is_ours_the_settings_or_the_one_that_is_given(home: Home, model: Model) -> None:
    ask(home, model, "Hello")
    assert "careful" in model.told[0]["content"]
    home.user_writes('system = "You are brief."\n')
    ask(home, model, "Hello")
    assert model.told[0] == {"role": "system", "content": "You are brief."}
    ask(home, model, "Hello", "--system", "You are a pirate.")
    assert model.told[0] == {"role": "system", "content": "You are a pirate."}


@keeps("cli.max_turns", "cli.exit_codes")
def test_a_run_ends_after_so_many_turns_and_says_which_option_it_was(home: Home, model: Model) -> None:
    model.will(*[calls(("glob", {"pattern": "*"})) for _ in range(4)])
    said = ask(home, model, "Go on.", "--max-turns", "2")
    assert said.code == 1
    assert said.err.endswith("see --max-turns.\n")
    assert len(model.requests) == 2


def test_a_number_of_turns_that_is_none_is_wrong_use(home: Home, model: Model) -> None:
    said = ask(home, model, "Go on.", "--max-turns", "0")
    assert said.code == 2
    assert "--max-turns: must be a whole number, 1 or more" in said.err


@keeps("cli.continue")
def test_a_conversation_is_gone_on_with_in_its_own_folder(home: Home, model: Model) -> None:
    home.writes("sub/x", "")
    model.will(says("Hello, Ada."))
    ask(home, model, "I am Ada.", "--system", "You are kind.")
    ask(home, model, "Who are you?", "--workspace", "sub")
    model.will(says("Ada."))
    said = ask(home, model, "Who am I?", "--continue")
    assert said.out == "Ada.\n"
    assert [each["content"] for each in model.told] == ["You are kind.", "I am Ada.", "Hello, Ada.", "Who am I?"]


@keeps("cli.continue")
def test_there_is_nothing_to_go_on_with_in_a_new_folder(home: Home, model: Model) -> None:
    assert ask(home, model, "And then?", "--continue", "--system", "Be brief.").code == 2
    said = ask(home, model, "And then?", "--continue")
    assert said.code == 2
    assert "no conversation in this folder" in said.err


@keeps("cli.piped_input")
@pytest.mark.parametrize(
    ("prompt", "piped", "asked"),
    [
        ("Summarize this.", "line 1\nline 2\n", "Summarize this.\n\nline 1\nline 2\n"),
        (None, "What is it?\n", "What is it?\n"),
        ("What is it?", "", "What is it?"),
    ],
)
def test_piped_input_is_appended_to_the_prompt(
    home: Home, model: Model, prompt: str | None, piped: str, asked: str
) -> None:
    said = home.spawn("chat", "--model", model.name, *([prompt] if prompt else []), given=piped)
    assert said.code == 0
    assert model.told[-1]["content"] == asked


@keeps("cli.exit_codes")
def test_no_question_at_all_is_wrong_use(home: Home, model: Model) -> None:
    for arguments in ([], [""], ["  "]):
        said = ask(home, model, *arguments)
        assert said.code == 2
        assert "There is no question" in said.err
    assert model.requests == []


def test_input_that_is_no_text_or_too_long_is_refused(home: Home, model: Model) -> None:
    long = home.spawn("chat", "--model", model.name, "Read", given="x" * 1_000_001)
    assert long.code == 2
    assert "name the file instead" in long.err
    binary = home.spawn("chat", "--model", model.name, "Read", given=b"\xff\xfe")
    assert binary.code == 2
    assert "is not text in UTF-8" in binary.err
    assert model.requests == []


@keeps("cli.exit_codes", "cli.errors")
@pytest.mark.parametrize(
    ("status", "body", "text"),
    [
        (401, {"error": {"message": "Bad key"}}, "Bad key (authentication_failed)"),
        (404, {"error": {"message": "No such model", "code": "model_not_found"}}, "No such model (model_not_found)"),
    ],
)
def test_what_a_provider_refuses_is_told_in_one_line(
    home: Home, model: Model, status: int, body: dict[str, Any], text: str
) -> None:
    model.will((status, body))
    said = ask(home, model, "Hello")
    assert (said.code, said.out) == (1, "")
    assert said.err == f"toolwright: The model could not be asked: {text}\n"


@keeps("cli.errors")
def test_runs_that_cannot_be_kept_say_how_to_keep_them_elsewhere(home: Home, model: Model) -> None:
    home.user_writes('[runs]\nfolder = "/dev/null/runs"\n')
    said = ask(home, model, "Hello")
    assert (said.code, said.out) == (1, "")
    assert "runs cannot be kept in /dev/null/runs" in said.err
    assert "TOOLWRIGHT_RUNS_FOLDER, or the setting runs.folder, names another place" in said.err


@keeps("cli.exit_codes", "cli.errors")
def test_without_a_model_it_says_what_to_do(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    monkeypatch.setenv("VLLM_BASE_URL", "http://127.0.0.1:1/v1")
    said = home.run("chat", "Hello")
    assert (said.code, said.out) == (4, "")
    assert "toolwright model pull" in said.err
    assert len(said.err.splitlines()) == 2
    assert home.run("chat", "Hello", "--model", "openai:x").code == 4
    assert home.run("chat", "Hello", "--model", "opnai:x").err == (
        "toolwright: The model cannot be asked: there is no service 'opnai' to have models from; "
        "did you mean 'openai'?\n"
    )


@keeps("cli.model")
def test_the_model_that_is_found_is_named_and_so_is_why(
    home: Home, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    monkeypatch.setenv("VLLM_BASE_URL", model.url)
    model.will(says("Hello."))
    said = home.run("chat", "Hello")
    assert said.code == 0
    assert said.err.startswith(f"asking vllm:tiny@{model.url} (")
    monkeypatch.setenv("TOOLWRIGHT_MODEL", model.name)
    assert home.run("chat", "Hello").err == ""


@keeps("cli.json")
def test_every_event_is_a_line_of_json_and_the_run_is_the_last(home: Home, model: Model) -> None:
    model.will(says("A ", "moment.") + calls(("glob", {"pattern": "*"}), WRITE), says("Done."))
    said = ask(home, model, "Which files?", "--json")
    assert (said.code, said.err) == (0, "")
    lines = [json.loads(line) for line in said.out.splitlines()]
    assert [each["event"] for each in lines] == [
        *("text", "text", "started", "completed", "approval_asked", "approval_decided", "completed", "text", "run")
    ]
    assert lines[3]["execution"]["call"]["arguments"] == {"pattern": "*"}
    assert lines[6]["execution"]["status"] == "denied"
    run = lines[-1]
    assert (run["status"], run["text"], run["error"]) == ("completed", "Done.", None)
    assert run["usage"] == {"input_tokens": 2400, "output_tokens": 68}


@keeps("cli.json", "cli.exit_codes")
def test_a_run_that_fails_is_told_in_json_and_by_the_exit_code(home: Home, model: Model) -> None:
    model.will((401, {"error": {"message": "Bad key"}}))
    said = ask(home, model, "Hello", "--json")
    assert said.code == 1
    run = json.loads(said.out)
    assert (run["status"], run["error"]) == ("provider_error", "Bad key (authentication_failed)")


def test_a_models_words_go_into_a_pipe_as_they_are(home: Home, model: Model) -> None:
    model.will(says("a\x1b[31mb\u202ec\r\nd"))
    assert ask(home, model, "Hello").out == "a\x1b[31mb\u202ec\r\nd\n"


@keeps("cli.visible")
def test_what_is_told_of_a_call_has_no_control_characters_even_in_a_pipe(home: Home, model: Model) -> None:
    model.will(calls(("read_file", {"path": "\x1b[2J\u202e.txt"})), says("No."))
    said = ask(home, model, "Read it.")
    assert "\x1b" not in said.err
    assert "\u202e" not in said.err
    assert "<U+202E>" in said.err


def test_a_projects_file_may_deny_what_the_user_allows(home: Home, model: Model) -> None:
    home.user_writes('[[policy.rules]]\neffect = "allow"\ntool = "write_file"\n')
    home.writes("toolwright.toml", '[[policy.rules]]\neffect = "deny"\ntool = "write_file"\n')
    model.will(calls(WRITE), says("No."))
    ask(home, model, "Write it.")
    assert not (home.workspace / "notes.txt").exists()


def test_a_projects_file_may_not_choose_the_model_or_the_system_message(home: Home, model: Model) -> None:
    home.writes("toolwright.toml", 'model = "openai:theirs"\nsystem = "Obey."\n')
    said = ask(home, model, "Hello")
    assert said.code == 0
    assert said.err.count("is ignored: the folder is not trusted") == 2
    assert "careful" in model.told[0]["content"]
    home.run("config", "trust")
    ask(home, model, "Hello")
    assert model.told[0]["content"] == "Obey."


def test_a_users_own_tool_is_offered_and_called(home: Home, model: Model) -> None:
    home.run("tools", "add", str(home.writes("greet.toml", DEFINITION)))
    ask(home, model, "Hello")
    assert "greet" in {each["function"]["name"] for each in model.requests[-1]["tools"]}


def test_the_stricter_limit_of_project_and_user_holds(home: Home, model: Model) -> None:
    home.user_writes("[policy.limits]\ncalls = 3\n")
    home.writes("toolwright.toml", "[policy.limits]\ncalls = 1\n")
    model.will(calls(("glob", {"pattern": "*.a"}), ("glob", {"pattern": "*.b"})), says("Done."))
    said = ask(home, model, "Look.")
    assert said.err.count("✓ glob") == 1
    assert said.err.count("✗ glob") == 1
