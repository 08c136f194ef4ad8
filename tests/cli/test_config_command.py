"""``config``: which settings hold, where they came from, whom the user trusts."""

from __future__ import annotations

import pytest

from tests.cli.making import Home
from tests.promises import keeps


@keeps("cli.config", "cli.json")
def test_every_value_tells_where_it_came_from(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.user_writes("[agent]\nmax_turns = 7\n")
    project = home.writes("toolwright.toml", "[agent]\nmax_tool_calls = 5\n")
    monkeypatch.setenv("TOOLWRIGHT_EXECUTION_CONCURRENCY", "2")
    shown = home.run("config", "show")
    assert shown.code == 0
    lines = {line.split()[0]: line.split()[1:] for line in shown.out.splitlines()}
    assert lines["agent.max_turns"] == ["7", "user", str(home.places.user_file)]
    assert lines["agent.max_tool_calls"] == ["5", "project", str(project)]
    assert lines["execution.concurrency"] == ["2", "environment", "TOOLWRIGHT_EXECUTION_CONCURRENCY"]
    assert lines["execution.timeout"] == ["600", "default"]
    found = home.run("config", "show", "--json").json
    assert found["settings"]["agent.max_turns"] == {"value": 7, "source": "user", "where": str(home.places.user_file)}
    assert (found["trusted"], found["project_file"], found["ignored"]) == (False, str(project), [])


@keeps("cli.config")
def test_what_a_project_says_in_vain_is_told(home: Home) -> None:
    home.writes(
        "toolwright.toml",
        '[tools]\nfolders = ["x"]\ndisabled = ["glob"]\n[[policy.rules]]\neffect = "allow"\ntool = "write_file"\n',
    )
    said = home.run("config", "show")
    assert said.code == 0
    assert "tools.folders is ignored: the folder is not trusted" in said.err
    assert "rule 1 is ignored: it allows something" in said.err
    assert "'toolwright config trust' trusts this project's folder" in said.err
    assert "and only tightens" in said.out
    assert {each["key"] for each in home.run("config", "show", "--json").json["ignored"]} == {
        "tools.folders",
        "toolwright.toml, rule 1",
    }
    assert "glob" not in home.run("tools", "list").out.split()


@keeps("cli.config")
def test_a_folder_is_trusted_shown_and_no_longer_trusted(home: Home) -> None:
    home.writes("toolwright.toml", '[[policy.rules]]\neffect = "allow"\ntool = "write_file"\n')
    assert home.run("policy", "explain", "write_file", "--path", "a", "--content", "b").out.startswith("ask")
    said = home.run("config", "trust")
    assert (said.code, said.err) == (0, f"{home.workspace} is trusted.\n")
    assert home.run("policy", "explain", "write_file", "--path", "a", "--content", "b").out.startswith("allow")
    assert home.run("config", "trust").err == f"{home.workspace} was trusted already.\n"
    assert str(home.workspace) in home.run("config", "trust", "--list").out
    listed = home.run("config", "trust", "--list", "--json").json["folders"]
    assert [each["folder"] for each in listed] == [str(home.workspace.resolve())]
    assert home.run("config", "trust", "--remove").err == f"{home.workspace} is no longer trusted.\n"
    assert home.run("config", "trust", "--remove").err == f"{home.workspace} was not trusted already.\n"
    assert home.run("config", "trust", "--json", "--list").json == {"folders": []}


def test_trust_is_about_the_folder_that_has_the_file(home: Home) -> None:
    home.writes("toolwright.toml", "")
    home.writes("src/deep/x", "")
    home.run("config", "trust", "src/deep")
    assert home.run("config", "show", "--json").json["trusted"] is True
    assert home.run("config", "trust", "nowhere").code == 2


@keeps("cli.config")
def test_it_shows_where_files_are_looked_for(home: Home) -> None:
    home.user_writes("")
    said = home.run("config", "path")
    assert said.code == 0
    rows = {line.split()[0]: line for line in said.out.splitlines()}
    assert rows["project_file"].endswith("none")
    assert rows["user_file"].split() == ["user_file", "there", str(home.places.user_file)]
    assert "not there" in rows["runs"]
    found = home.run("config", "path", "--json").json
    assert found["user_file"] == {"path": str(home.places.user_file), "exists": True}
    assert found["definitions"] == {"path": str(home.places.definitions), "exists": False}


@keeps("cli.errors", "cli.exit_codes")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[agent]\nmax_turn = 3\n", "agent.max_turn: is not a key that is known here; did you mean 'max_turns'?"),
        ("[agent]\nmax_turns = 0\n", "agent.max_turns: must be a whole number, 1 or more"),
        ("agent = [\n", "is not TOML"),
        ('[[policy.rules]]\neffect = "alow"\n', "must be one of allow, ask, deny"),
    ],
)
def test_settings_that_cannot_be_relied_on_stop_every_command(home: Home, text: str, problem: str) -> None:
    file = home.user_writes(text)
    said = home.run("tools", "call", "read_file", "--path", "a")
    assert (said.code, said.out) == (2, "")
    assert problem in said.err
    assert str(file) in said.err
    assert len(said.err.splitlines()) <= 2
