"""``model``: the embedded model's weights, fetched once, checked, removed."""

from __future__ import annotations

import pytest

from tests.cli.making import Home, Person
from tests.promises import keeps
from toolwright.providers.local import QWEN
from toolwright.providers.local.places import Place

NOWHERE = {
    **dict.fromkeys(("HTTPS_PROXY", "https_proxy", "ALL_PROXY"), "http://127.0.0.1:1"),
    "PIP_INDEX_URL": "http://127.0.0.1:1/simple",
    "PIP_RETRIES": "0",
    "NO_PROXY": "",
    "no_proxy": "",
}


@pytest.fixture
def place(home: Home) -> Place:
    """Where the weights lie."""
    return Place(QWEN, home.places.cache / "models")


@pytest.fixture
def pulled(place: Place) -> Place:
    """A folder in which the weights have been checked."""
    place.folder.mkdir(parents=True)
    with place.file.open("wb") as file:
        file.truncate(QWEN.size)  # a hole of the right size, which takes no room
    place.set_checked(right=True)
    return place


@keeps("cli.models", "cli.json")
def test_what_can_be_pulled_is_listed_with_what_is_here(home: Home, place: Place) -> None:
    said = home.run("model", "list")
    assert said.code == 0
    assert said.out.split()[:2] == [QWEN.name, "absent"]
    assert "toolwright model pull" in said.out
    (row,) = home.run("model", "list", "--json").json["models"]
    assert (row["name"], row["state"], row["size"], row["whole"]) == (QWEN.name, "absent", 0, QWEN.size)
    assert row["path"] == str(place.file)


@keeps("cli.models", "cli.exit_codes")
def test_where_nothing_can_be_fetched_it_says_so_and_what_to_do(home: Home) -> None:
    with Person("model", "pull", env=NOWHERE) as person:
        person.reads("fetching ░")
        person.reads("could not be fetched")
        person.reads("Pull again when the network is there")
        assert person.leaves() == 1


@keeps("cli.models")
def test_what_is_here_is_not_fetched_again(home: Home, pulled: Place) -> None:
    said = home.run("model", "pull", QWEN.name)
    assert (said.code, said.out) == (0, "")
    assert said.err.endswith(f"{QWEN.title} is here: {pulled.file}\n")
    assert home.run("model", "pull", "--json").json == {"name": QWEN.name, "file": str(pulled.file)}
    assert home.run("model", "list").out.split()[1] == "here"


@keeps("cli.models")
def test_weights_are_removed_when_somebody_says_so(home: Home, pulled: Place) -> None:
    refused = home.run("model", "remove")
    assert refused.code == 3
    assert "add --yes" in refused.err
    with Person("model", "remove") as person:
        person.reads("468.6 MB? [y/N]: ")
        person.types("y")
        person.reads("Removed")
        assert person.leaves() == 0
    assert not pulled.file.exists()
    assert home.run("model", "remove", "--json").json == {"name": QWEN.name, "freed": 0}


@keeps("cli.models", "cli.exit_codes")
def test_what_is_not_there_cannot_be_verified(home: Home) -> None:
    said = home.run("model", "verify")
    assert (said.code, said.out) == (4, "")
    assert "toolwright model pull fetches it once" in said.err


@keeps("cli.models")
def test_weights_that_are_not_what_they_should_be_are_found_out(home: Home, place: Place) -> None:
    place.folder.mkdir(parents=True)
    place.file.write_bytes(b"something else")
    said = home.run("model", "verify")
    assert said.code == 1
    assert "toolwright model pull fetches it again" in said.err


def test_a_model_that_cannot_be_pulled_is_wrong_use(home: Home) -> None:
    for command in ("pull", "verify", "remove"):
        said = home.run("model", command, "gpt-7")
        assert said.code == 2
        assert f"there is {QWEN.name}" in said.err
