"""Shell completion: a script for each shell, and what it is answered."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.making import DEFINITION, PATIENCE, Home
from tests.promises import keeps


def words(home: Home, line: str) -> set[str]:
    """Return what completes a line, as bash asks for it."""
    env = {"_TOOLWRIGHT_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    found = home.spawn(env=env)
    return {each.partition(",")[2] for each in found.out.splitlines() if each}


@keeps("cli.completion")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_both_names_of_the_program(home: Home, shell: str) -> None:
    said = home.run("completion", shell)
    assert (said.code, said.err) == (0, "")
    for name in ("toolwright", "tw"):
        assert f"_{name}_completion" in said.out
    assert said.out.count(f"_TOOLWRIGHT_COMPLETE={shell}_complete") == 2


def test_the_script_for_bash_can_be_read_by_bash(home: Home, tmp_path: Path) -> None:
    script = tmp_path / "completion.bash"
    script.write_text(home.run("completion", "bash").out)
    bash = shutil.which("bash")
    assert bash is not None
    assert subprocess.run([bash, "-n", str(script)], timeout=PATIENCE, check=False).returncode == 0


def test_a_shell_that_nobody_knows_is_wrong_use(home: Home) -> None:
    assert home.run("completion", "tcsh").code == 2
    assert "Choose from: bash, zsh, fish\n" in home.run("completion").err


@keeps("cli.completion")
def test_commands_options_and_tools_are_completed(home: Home) -> None:
    home.run("tools", "add", str(home.writes("greet.toml", DEFINITION)))
    assert words(home, "toolwright t") == {"tools"}
    assert words(home, "toolwright tools s") == {"show", "search"}
    assert words(home, "toolwright tools call gr") == {"greet"} | words(home, "toolwright tools call gre")
    assert words(home, "toolwright tools call read_file --pa") == {"--path"}
    assert "--workspace" in words(home, "toolwright chat --w")
    assert words(home, "toolwright tools show gre") == {"greet"}
    assert words(home, "toolwright tools export read_") == {"read_file"}


def test_completion_says_nothing_where_the_settings_are_broken(home: Home) -> None:
    home.user_writes("colour = 1\n")
    assert words(home, "toolwright tools call gr") == words(home, "toolwright tools show gr") == set()
