"""A source is read strictly: what is not known or not right is an error that says where and what was meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.config.keys import KEYS, VARIABLES
from toolwright.config.sources import read_environment, read_file, read_options
from toolwright.errors import ConfigError


def written(folder: Path, text: str | bytes) -> Path:
    file = folder / "toolwright.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


@keeps("config.unknown")
@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("modle = 'x'", "did you mean 'model'?"),
        ("[agent]\nmax_turn = 3", "did you mean 'max_turns'?"),
        ("[agnet]\nmax_turns = 3", "did you mean 'agent'?"),
        ("max_turns = 3", "did you mean 'agent.max_turns'?"),
        ("[polcy]\nrules = []", "did you mean 'policy'?"),
        ("[agent]\nxyzzy = 3", "known are max_turns, max_tool_calls, timeout"),
        ("xyzzy = 3", "known are model, system, agent"),
    ],
)
def test_an_unknown_key_names_the_nearest_one(tmp_path: Path, text: str, near: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_file(written(tmp_path, text))
    assert caught.value.code == "unknown_key"
    assert near in str(caught.value)
    assert str(tmp_path) in caught.value.path


@keeps("config.unknown")
def test_an_unknown_variable_names_the_nearest_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean 'TOOLWRIGHT_MODEL'") as caught:
        read_environment({"TOOLWRIGHT_MODLE": "x"}, tmp_path)
    assert caught.value.path == "TOOLWRIGHT_MODLE"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("model = 3", "model: must be text that is not empty"),
        ("model = ' '", "model: must be text that is not empty"),
        ("agent = 3", "agent: must be a table: [agent]"),
        ("policy = 3", "policy: must be a table: [policy]"),
        ("[agent]\nmax_turns = 0", "a whole number, 1 or more"),
        ("[agent]\nmax_turns = true", "a whole number, 1 or more"),
        ("[agent]\nmax_turns = 2.0", "a whole number, 1 or more"),
        ("[agent]\ntimeout = 0", "a number of seconds, more than 0"),
        ("[agent]\ntimeout = inf", "a number of seconds, more than 0"),
        ("[agent]\ntimeout = nan", "a number of seconds, more than 0"),
        ("[tools]\ndisabled = 'a'", "an array of names"),
        ("[tools]\ndisabled = [1]", "an array of names"),
        ("[tools]\nfolders = 'a'", "an array of paths"),
        ("[tools]\nmax_risk = 'huge'", "one of safe, low, medium, high, critical"),
        ("[features]\ntool_definitions = 'yes'", "true or false"),
        ("[runs]\nfolder = '~nobody-is-called-so/runs'", "a path"),
        ('[runs]\nfolder = "a\\u0000b"', "a path"),
    ],
)
def test_a_wrong_value_is_told_with_its_place_and_never_quoted(tmp_path: Path, text: str, problem: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        read_file(file)
    assert caught.value.code == "wrong_value"
    assert problem in str(caught.value)
    assert caught.value.path.startswith(f"{file}, ")
    assert "huge" not in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("TOOLWRIGHT_AGENT_MAX_TURNS", "many"),
        ("TOOLWRIGHT_AGENT_TIMEOUT", "-1"),
        ("TOOLWRIGHT_FEATURES_TOOL_DEFINITIONS", "perhaps"),
        ("TOOLWRIGHT_TOOLS_MAX_RISK", "huge"),
    ],
)
def test_a_wrong_variable_is_told_by_its_name(tmp_path: Path, variable: str, text: str) -> None:
    with pytest.raises(ConfigError, match=f"{variable}: must be ") as caught:
        read_environment({variable: text}, tmp_path)
    assert text not in caught.value.problem


def test_options_that_were_not_given_say_nothing(tmp_path: Path) -> None:
    said = read_options({"model": None, "agent.max_turns": 3}, tmp_path)
    assert said.values == {"agent.max_turns": 3}
    with pytest.raises(ConfigError, match="--max-turns: must be a whole number"):
        read_options({"agent.max_turns": 0}, tmp_path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"model = secret\n", "is not TOML: there is a fault at line 1"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"a = " + b"[" * 5000, "is "),
        (b"#" * (1024 * 1024 + 1), "is larger than 1,048,576 bytes"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_without_quoting_it(tmp_path: Path, content: bytes, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_file(written(tmp_path, content))
    assert caught.value.code == "unreadable"
    assert problem in str(caught.value)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_missing_file_is_a_fault_for_who_reads_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_file(tmp_path / "nothing.toml")
    with pytest.raises(ConfigError, match="is not a file"):
        read_file(tmp_path)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    assert read_file(written(tmp_path, b"\xef\xbb\xbfmodel = 'm'")).values == {"model": "m"}


def test_variables_and_keys_are_two_names_of_the_same() -> None:
    assert len(VARIABLES) == len(KEYS)
    assert all(variable == key.variable and KEYS[key.path] is key for variable, key in VARIABLES.items())
    assert all(key.meaning and not key.meaning.endswith(".") for key in KEYS.values())


@given(st.dictionaries(st.text(max_size=20), st.recursive(st.integers() | st.text(), st.lists, max_leaves=4)))
def test_whatever_options_hold_is_a_value_or_a_config_error(values: dict[str, Any]) -> None:
    for path in KEYS:
        for value in values.values():
            assert outcome_of({path: value}) in ({path}, "wrong_value")


def outcome_of(options: dict[str, Any]) -> set[str] | str:
    try:
        return set(read_options(options, Path("/")).values)
    except ConfigError as error:
        return error.code
