"""``tools``: looking at tools, calling one, adding one's own, handing them on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.making import COUNT, DEFINITION, Home, Person
from tests.promises import keeps
from toolwright.providers import CODECS

BROKEN = 'name = "Bad Name"\ndescription = ""\n[handler]\nkind = "command"\ncommand = ["true"]\n'
TYPED = """\
name = "typed"
description = "Give back what it was given."
category = "custom"
[parameters]
type = "object"
required = ["count"]
[parameters.properties]
count = { type = "integer" }
size = { type = "number" }
tags = { type = "array", items = { type = "string" } }
numbers = { type = "array", items = { type = "integer" } }
mode = { type = "string", enum = ["fast", "slow"] }
loud = { type = "boolean" }
place = { type = "object", properties = { x = { type = "integer" } } }
anything = {}
"9lives" = { type = "string" }
json = { type = "string" }
[handler]
kind = "entrypoint"
entrypoint = "json:dumps"
"""


@pytest.fixture
def typed(home: Home) -> Home:
    """A home with a tool that has a parameter of every kind."""
    assert home.run("tools", "add", str(home.writes("typed.toml", TYPED))).code == 0
    return home


# Looking


@keeps("cli.tools_list", "cli.json")
def test_the_tools_that_are_offered_are_listed_with_their_risks(home: Home) -> None:
    said = home.run("tools", "list")
    assert (said.code, said.out.splitlines()[0].split()[:3]) == (0, ["read_file", "safe", "file_system"])
    listed = home.run("tools", "list", "--json").json["tools"]
    assert [each["name"] for each in listed][:5] == ["read_file", "write_file", "list_directory", "glob", "search_text"]
    assert all(each["offered"] for each in listed)


@keeps("cli.tools_list")
def test_the_list_can_be_narrowed_and_widened(home: Home) -> None:
    def names(*options: str) -> set[str]:
        return {each["name"] for each in home.run("tools", "list", "--json", *options).json["tools"]}

    assert "glob" in names("--category", "search")
    assert "read_file" not in names("--category", "search")
    assert names("--max-risk", "safe") < names()
    assert names("--tag", "nothing-has-this") == set()
    assert names() < names("--all")
    assert names("--category", "FileSystem") == names("--category", "file_system")


@pytest.mark.parametrize("option", ["--category", "--max-risk"])
def test_a_word_that_is_none_is_told_with_its_option(home: Home, option: str) -> None:
    said = home.run("tools", "list", option, "huge")
    assert said.code == 2
    assert f"'{option}': 'huge' is not one of" in said.err


@keeps("cli.errors")
def test_a_tool_that_is_not_offered_says_why(home: Home) -> None:
    home.user_writes('[tools]\ndisabled = ["glob"]\nmax_risk = "low"\n')
    expected = {
        "glob": "the setting tools.disabled names it",
        "write_file": "the setting tools.max_risk is low",
        "git_status": "this folder is in no git repository, or git is not installed",
    }
    for name, why in expected.items():
        assert re.search(rf"^offered +not here +{why}$", home.run("tools", "show", name).out, re.MULTILINE)
        assert home.run("policy", "explain", name).out.startswith(f"deny: {name} is not offered here: {why}\n")
    called = home.run("tools", "call", "glob", "--pattern", "*")
    assert (called.code, called.out) == (2, "")
    assert "glob is not offered here: the setting tools.disabled names it" in called.err
    assert home.run("tools", "show", "read_file", "--json").json["offered"] is True


@keeps("cli.tools_list")
def test_one_tool_is_shown_with_its_parameters(home: Home) -> None:
    said = home.run("tools", "show", "readFile")
    assert said.code == 0
    assert said.out.startswith("read_file  Read File\n")
    assert "string, required" in said.out
    assert "built in" in said.out
    found = home.run("tools", "show", "read_file", "--json").json
    assert (found["name"], found["origin"], found["offered"]) == ("read_file", "built in", True)
    assert found["parameters"]["required"] == ["path"]


@keeps("cli.errors", "cli.exit_codes")
def test_a_tool_that_is_not_there_is_told_the_nearest(home: Home) -> None:
    for command in ("show", "call"):
        said = home.run("tools", command, "read_fil")
        assert (said.code, said.out) == (2, "")
        assert "read_file" in said.err


@keeps("cli.tools_list")
def test_words_find_tools_best_first(home: Home) -> None:
    assert home.run("tools", "search", "find", "text", "in", "files").out.startswith("search_text")
    found = home.run("tools", "search", "read a file", "--json", "--limit", "2").json
    assert found["query"] == "read a file"
    assert found["tools"][0]["name"] == "read_file"
    assert found["tools"][0]["score"] >= found["tools"][1]["score"]
    nothing = home.run("tools", "search", "zzzzqqqq")
    assert (nothing.code, nothing.out) == (0, "")
    assert "No tool fits" in nothing.err


# Calling


@keeps("cli.tools_call", "cli.streams")
def test_parameters_are_options_and_the_result_is_data(home: Home) -> None:
    home.writes("a.txt", "one\ntwo\n")
    said = home.run("tools", "call", "read_file", "--path", "a.txt", "--limit", "1", "--line-numbers")
    assert said.code == 0
    assert said.out == "     1\tone\n"
    assert said.err == "1 line; there are more, from line 2\n"


@keeps("cli.tools_call")
def test_arguments_may_be_json_and_options_go_before_it(home: Home) -> None:
    home.writes("a.txt", "one\n")
    home.writes("b.txt", "two\n")
    assert home.run("tools", "call", "read_file", "--args", '{"path": "a.txt"}').out == "one\n"
    assert home.run("tools", "call", "read_file", "--args", '{"path": "a.txt"}', "--path", "b.txt").out == "two\n"
    assert home.spawn("tools", "call", "read_file", "--args", "-", given='{"path": "b.txt"}').out == "two\n"


@keeps("cli.exit_codes")
@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"path": 1e999}', '{"a":' * 300 + "1" + "}" * 300])
def test_arguments_that_are_no_json_object_are_wrong_use(home: Home, text: str) -> None:
    said = home.run("tools", "call", "read_file", "--args", text)
    assert (said.code, said.out) == (2, "")


@keeps("cli.exit_codes", "cli.json")
def test_the_exit_code_says_how_a_call_ended(home: Home) -> None:
    write = ("tools", "call", "write_file", "--path", "a.txt", "--content", "x")
    assert home.run("tools", "call", "read_file", "--path", "none").code == 1
    assert home.run("tools", "call", "read_file").code == 2
    assert home.run(*write).code == 3
    assert home.run(*write, "--deny", "write_file", "--yes", "critical").code == 3
    assert home.run(*write, "--yes", "medium").code == 0
    failed = home.run("tools", "call", "read_file", "--path", "none", "--json")
    assert (failed.code, failed.err) == (1, "")
    assert failed.json["outcome"]["error_code"] == "cannot_read"


@keeps("cli.pipes")
def test_a_call_that_nobody_can_be_asked_about_says_how_to_allow_it(home: Home) -> None:
    said = home.run("tools", "call", "write_file", "--path", "a.txt", "--content", "x")
    assert said.err == (
        "toolwright: The call was denied: nobody is at a terminal to be asked; "
        "--yes medium or --allow write_file allows it (denied)\n"
    )


@keeps("cli.workspace")
def test_the_folder_may_stand_before_or_behind_the_name(home: Home) -> None:
    home.writes("sub/a.txt", "inside\n")
    for line in (("-w", "sub", "read_file"), ("read_file", "--workspace", "sub")):
        assert home.run("tools", "call", *line, "--path", "a.txt").out == "inside\n"
    assert home.run("tools", "call", "read_file", "-w", "nowhere", "--path", "a.txt").code == 2


@keeps("cli.tools_call")
def test_every_kind_of_parameter_can_be_given(typed: Home) -> None:
    line = ["--count", "3", "--size", "1.5", "--tags", "a", "--tags", "b", "--numbers", "1", "--mode", "slow"]
    line += ["--no-loud", "--place", '{"x": 1}', "--args", '{"9lives": "c", "json": "j", "anything": [null]}']
    # This tool has a parameter of the name of our option, which therefore stands before the tool.
    found = typed.run("policy", "explain", "--json", "typed", *line).json
    assert found["effect"] == "allow"
    given = {"count": 3, "size": 1.5, "tags": ["a", "b"], "numbers": [1], "mode": "slow", "loud": False}
    assert found["arguments"] == {**given, "place": {"x": 1}, "anything": [None], "9lives": "c", "json": "j"}


@keeps("cli.errors")
@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (["--count", "many"], "'many' is not a valid integer"),
        (["--count", "1", "--mode", "medium"], "'medium' is not one of 'fast', 'slow'"),
        (["--count", "1", "--place", "{"], "is not JSON; a text stands in double quotes"),
        (["--counts", "1"], "No such option '--counts'"),
    ],
)
def test_an_option_that_does_not_fit_is_told_with_its_fault(typed: Home, line: list[str], problem: str) -> None:
    said = typed.run("tools", "call", "typed", *line)
    assert said.code == 2
    assert problem in said.err


def test_a_tools_page_shows_its_options_and_what_is_required(typed: Home) -> None:
    page = typed.run("tools", "call", "typed", "--help").out
    assert "Give back what it was given." in page
    assert "--count INTEGER" in page
    assert "[required]" in page
    assert "--loud / --no-loud" in page
    assert "--9lives" not in page


@keeps("cli.approvals")
def test_a_person_at_a_terminal_is_asked_about_a_call(home: Home) -> None:
    with Person("tools", "call", "write_file", "--path", "a.txt", "--content", "x") as person:
        person.reads("Run it? ")
        person.types("y")
        assert person.leaves() == 0
    assert (home.workspace / "a.txt").read_text() == "x"


@keeps("cli.tools_call")
def test_a_person_sees_how_far_a_call_is(home: Home) -> None:
    env = home.installs(COUNT, "count")
    with Person("tools", "call", "count", env=env) as person:
        person.reads("75% 3 of 4 counting")
        home.writes("go", "")
        person.reads("counted")
        assert person.leaves() == 0


@keeps("cli.exit_codes", "cli.interrupt")
def test_ctrl_c_ends_a_call(home: Home) -> None:
    env = home.installs(COUNT, "count")
    with Person("tools", "call", "count", env=env) as person:
        person.reads("counting")
        person.presses("\x03")
        assert person.leaves() == 130


# Files of one's own


@keeps("cli.tools_check")
def test_a_definition_is_checked_for_every_provider(home: Home) -> None:
    file = home.writes("typed.toml", TYPED)
    said = home.run("tools", "check", str(file))
    assert said.code == 0
    assert said.out.startswith(f"{file}: ok, typed\n")
    for dialect in ("openai-strict", "anthropic", "gemini", "ollama", "mcp"):
        assert f"  {dialect} " in said.out


@keeps("cli.tools_check", "cli.json", "cli.exit_codes")
def test_everything_that_is_wrong_with_files_is_told_at_once(home: Home) -> None:
    home.writes("tools/bad.toml", BROKEN)
    home.writes("tools/good.toml", DEFINITION)
    home.writes("tools/notes.md", "no definition")
    said = home.run("tools", "check", "tools", "--json")
    assert said.code == 1
    bad, good = said.json["files"]
    assert (bad["valid"], good["valid"], said.json["valid"]) == (False, True, False)
    assert {fault["path"] for fault in bad["faults"]} >= {"name", "description"}
    shown = home.run("tools", "check", "tools")
    assert shown.code == 1
    assert "bad.toml: wrong\n" in shown.out


def test_an_empty_folder_has_nothing_to_check(home: Home) -> None:
    (home.workspace / "empty").mkdir()
    assert home.run("tools", "check", "empty").code == 2


def test_a_tier_narrows_what_a_definition_may_say(home: Home) -> None:
    file = str(
        home.writes("typed.toml", TYPED.replace('type = "integer" }\nsize', 'type = "integer", minimum = 1 }\nsize'))
    )
    assert home.run("tools", "check", file).code == 0
    assert home.run("tools", "check", file, "--tier", "core").code == 1
    assert home.run("tools", "check", file, "--tier", "golden").code == 2


@keeps("cli.tools_add")
def test_a_tool_is_added_with_its_comments_and_taken_out_again(home: Home) -> None:
    file = home.writes("mine.toml", f"# kept as it is\n{DEFINITION}")
    said = home.run("tools", "add", str(file))
    target = home.places.definitions / "greet.toml"
    assert said.code == 0
    assert said.err.startswith(f"Added greet: {target}\n")
    assert target.read_text() == file.read_text()
    assert "greet" in home.run("tools", "list", "--all").out
    again = home.run("tools", "add", str(file))
    assert again.code == 1
    assert "--replace takes its place" in again.err
    assert home.run("tools", "add", str(file), "--replace", "--json").json["replaced"] is True
    assert home.run("tools", "remove", "greet").code == 3
    assert home.run("tools", "remove", "Greet", "--yes").code == 0
    assert not target.exists()
    assert "greet" not in home.run("tools", "list", "--all").out


@keeps("cli.tools_add")
def test_a_tool_of_another_format_takes_the_place_of_the_old_file(home: Home) -> None:
    home.run("tools", "add", str(home.writes("a.toml", DEFINITION)))
    definition = {
        "name": "greet",
        "description": "Greet.",
        "handler": {"kind": "command", "command": ["true"]},
    }
    home.run("tools", "add", str(home.writes("b.json", json.dumps(definition))), "--replace")
    assert [path.name for path in home.places.definitions.iterdir()] == ["greet.json"]


@keeps("cli.errors")
def test_a_broken_definition_is_not_added_and_a_built_in_name_is_not_taken(home: Home) -> None:
    assert home.run("tools", "add", str(home.writes("bad.toml", BROKEN))).code == 1
    taken = home.run("tools", "add", str(home.writes("taken.toml", DEFINITION.replace("greet", "readfile"))))
    assert taken.code == 1
    assert "the name of a built-in tool" in taken.err
    assert not home.places.definitions.exists()


def test_a_tool_whose_isolation_is_not_to_be_had_is_added_with_a_word_about_it(home: Home) -> None:
    said = home.run("tools", "add", str(home.writes("greet.toml", DEFINITION)))
    assert said.code == 0
    assert "calls of it are refused here: it needs standard isolation" in said.err


def test_a_file_that_somebody_else_wrote_is_not_overwritten(home: Home) -> None:
    home.places.definitions.mkdir(parents=True)
    other = home.places.definitions / "greet.toml"
    other.write_text(DEFINITION.replace('"greet"', '"other"'))
    said = home.run("tools", "add", str(home.writes("mine.toml", DEFINITION)))
    assert said.code == 1
    assert "move it away" in said.err
    assert '"other"' in other.read_text()


def test_what_cannot_be_removed_says_why(home: Home) -> None:
    built_in = home.run("tools", "remove", "read_file", "--yes")
    assert built_in.code == 1
    assert 'disabled = ["read_file"]' in built_in.err
    assert "there are none in" in home.run("tools", "remove", "nothing", "--yes").err
    home.run("tools", "add", str(home.writes("mine.toml", DEFINITION)))
    assert "did you mean greet?" in home.run("tools", "remove", "gret", "--yes").err
    assert "there are greet" in home.run("tools", "remove", "zzz", "--yes").err


def test_a_broken_file_of_ones_own_can_be_removed_by_its_name(home: Home) -> None:
    home.places.definitions.mkdir(parents=True)
    (home.places.definitions / "bad.toml").write_text(BROKEN)
    said = home.run("tools", "list")
    assert said.code == 1
    assert f"'toolwright tools check {home.places.definitions}' shows all of it" in said.err
    assert home.run("tools", "remove", "bad", "--yes").code == 0
    assert home.run("tools", "list").code == 0


def test_a_person_says_whether_a_tool_is_removed(home: Home) -> None:
    home.run("tools", "add", str(home.writes("mine.toml", DEFINITION)))
    with Person("tools", "remove", "greet") as person:
        person.reads("[y/N]: ")
        person.types("n")
        assert person.leaves() == 3
    assert (home.places.definitions / "greet.toml").exists()


# Handing on


@keeps("cli.tools_export")
@pytest.mark.parametrize("format", [*CODECS, "mcp", "definition"])
def test_tools_are_exported_as_each_format_has_them(home: Home, format: str) -> None:
    said = home.run("tools", "export", "read_file", "--format", format)
    assert said.code == 0
    assert isinstance(said.json, list)
    assert "read_file" in json.dumps(said.json)


@keeps("cli.tools_export")
def test_what_a_provider_would_not_get_is_told_as_a_message(typed: Home) -> None:
    said = typed.run("tools", "export", "typed", "--format", "openai-chat")
    assert said.code == 0
    assert said.err.startswith("typed: ")
    everything = typed.run("tools", "export").json
    assert {each["name"] for each in everything} >= {"read_file", "typed"}


def test_files_of_folders_in_the_settings_are_tools_too(home: Home) -> None:
    home.writes("more/greet.toml", DEFINITION)
    home.user_writes(f'[tools]\nfolders = ["{home.workspace}/more"]\n')
    assert home.run("tools", "show", "greet", "--json").json["origin"] == "definition file"
    home.run("tools", "add", str(home.writes("again.toml", DEFINITION)))
    clash = home.run("tools", "list")
    assert clash.code == 1
    assert "greet" in clash.err


def test_a_folder_of_the_settings_that_is_not_there_says_so(home: Home, tmp_path: Path) -> None:
    home.user_writes(f'[tools]\nfolders = ["{tmp_path}/nowhere"]\n')
    said = home.run("tools", "list")
    assert said.code == 1
    assert f"{tmp_path}/nowhere: cannot be read" in said.err
    home.user_writes("[features]\ntool_definitions = false\n")
    assert home.run("tools", "list").code == 0
