"""``policy explain``: why a call would run, be asked about, or not run."""

from __future__ import annotations

from tests.cli.making import Home
from tests.promises import keeps

WRITE = ("write_file", "--path", "a.txt", "--content", "xyz")


@keeps("cli.policy")
def test_every_step_on_the_way_to_a_decision_is_told(home: Home) -> None:
    said = home.run("policy", "explain", *WRITE)
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0] == "ask: its risk is medium, and a person is asked"
    assert lines[1] == "  Write 3 characters to 'a.txt', risk medium"
    assert [line.split()[0] for line in lines[2:]] == [
        *("permissions", "deny_rule", "confirmation", "remembered", "rule", "risk")
    ]
    assert not (home.workspace / "a.txt").exists()


@keeps("cli.policy", "cli.json")
def test_the_rule_that_decides_is_named(home: Home) -> None:
    home.user_writes('[[policy.rules]]\neffect = "allow"\ntool = "write_file"\nwhen = { path = "*.txt" }\n')
    found = home.run("policy", "explain", "--json", *WRITE).json
    assert (found["effect"], found["source"], found["origin"]) == ("allow", "rule", "config.toml, rule 1")
    assert (found["tool"], found["risk"]) == ("write_file", "medium")
    assert found["steps"][-1]["step"] == "rule"
    denied = home.run("policy", "explain", "--json", "--deny", "category=file_system", *WRITE).json
    assert (denied["effect"], denied["origin"]) == ("deny", "--deny")


@keeps("cli.policy")
def test_a_projects_rule_that_does_not_count_is_told(home: Home) -> None:
    home.writes("toolwright.toml", '[[policy.rules]]\neffect = "allow"\ntool = "write_file"\n')
    said = home.run("policy", "explain", *WRITE)
    assert said.out.startswith("ask")
    assert "it allows something, and the folder is not trusted" in said.err
    assert home.run("policy", "explain", "--json", *WRITE).json["ignored"][0]["rule"] == "toolwright.toml, rule 1"


@keeps("cli.policy")
def test_arguments_that_are_wrong_are_denied_with_the_reason(home: Home) -> None:
    found = home.run("policy", "explain", "--json", "write_file", "--path", "../out").json
    assert found["effect"] == "deny"
    assert "content" in found["reason"]
