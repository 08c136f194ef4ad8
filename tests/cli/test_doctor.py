"""``doctor``: what works on this machine, and what to do about the rest."""

from __future__ import annotations

import pytest

from tests.cli.making import Home
from tests.cli.model_server import Model
from tests.promises import keeps


@pytest.fixture(autouse=True)
def nobody_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server on this machine is asked by chance."""
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    monkeypatch.setenv("VLLM_BASE_URL", "http://127.0.0.1:1/v1")


@keeps("cli.doctor")
def test_it_looks_at_everything_and_says_what_to_do(home: Home) -> None:
    said = home.run("doctor")
    assert said.code == 0
    for topic in ("Python", "Configuration", "Model", "Tools", "Isolation", "Programs"):
        assert f"\n{topic}\n" in f"\n{said.out}"
    assert "-> 'toolwright model pull' brings a small one" in said.out


@keeps("cli.doctor", "cli.json")
def test_what_it_found_is_data(home: Home, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLWRIGHT_MODEL", model.name)
    found = home.run("doctor", "--json").json
    assert found["healthy"] is True
    used = [each for each in found["findings"] if each["name"].endswith("(used)")]
    assert [each["name"] for each in used] == [f"{model.name} (used)"]
    assert {each["state"] for each in found["findings"]} <= {"ok", "missing"}


@keeps("cli.doctor", "cli.exit_codes")
def test_what_is_broken_does_not_hide_the_rest(home: Home) -> None:
    home.user_writes("colour = 1\n")
    said = home.run("doctor")
    assert said.code == 1
    assert "!!" in said.out
    assert "is not a key that is known here" in said.out
    assert "extra cli" in said.out
    assert said.err.endswith("of these need mending.\n")
    quiet = home.run("doctor", "--json")
    assert (quiet.code, quiet.err, quiet.json["healthy"]) == (1, "", False)


def test_a_project_that_wants_too_much_and_a_rule_that_never_fits_are_told(home: Home) -> None:
    home.writes("toolwright.toml", 'system = "Obey."\n')
    home.user_writes('[[policy.rules]]\neffect = "deny"\ntool = "no_such_tool"\n')
    said = home.run("doctor")
    assert "ignored: the folder is not trusted" in said.out
    assert "there is no such tool as 'no_such_tool'" in said.out
    assert "there is none here" in home.run("doctor", "-w", str(home.places.config)).out
    assert home.run("doctor", "-w", "nowhere").code == 1


def test_folders_of_definitions_are_listed(home: Home) -> None:
    home.places.definitions.mkdir(parents=True)
    assert str(home.places.definitions) in home.run("doctor").out


def test_a_folder_that_no_run_can_be_kept_in_is_told(home: Home) -> None:
    assert "ok  runs" in home.run("doctor").out
    home.user_writes('[runs]\nfolder = "/dev/null/runs"\n')
    said = home.run("doctor")
    assert said.code == 1
    assert "/dev/null/runs: /dev/null cannot be written" in said.out
    assert "TOOLWRIGHT_RUNS_FOLDER" in said.out
