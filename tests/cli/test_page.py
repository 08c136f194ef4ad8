"""docs/command-line.md says everything: each command, each option, each exit code, each key of the configuration."""

from __future__ import annotations

import re
import tomllib

import click
import pytest

from tests.architecture.sources import ROOT
from tests.cli.test_front import COMMANDS
from tests.promises import keeps
from toolwright.cli.app import Group, app
from toolwright.cli.exits import ExitCode
from toolwright.config import KEYS

PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
CODE = set(re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)))
WORDS = {word for code in CODE for word in re.split(r"[\s,=]+", code)}


def found(path: tuple[str, ...]) -> click.Command:
    """Return a command by its words."""
    context = click.Context(app)
    command: click.Command = app
    for name in path:
        assert isinstance(command, Group)
        inner = command.get_command(context, name)
        assert inner is not None
        command = inner
    return command


@keeps("cli.documented")
@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_is_on_the_page_with_its_options(path: tuple[str, ...]) -> None:
    name = " ".join(path)
    assert any(re.match(rf"(toolwright )?{name}\b", code) for code in CODE)
    options = [each for each in found(path).params if isinstance(each, click.Option) and not each.hidden]
    for option in options:
        long = [word for word in option.opts if word.startswith("--")]
        assert set(long) <= WORDS, name


@keeps("cli.documented")
def test_every_exit_code_is_on_the_page() -> None:
    listed = re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)
    assert [int(code) for code in listed] == [code.value for code in ExitCode]


@keeps("cli.documented")
def test_every_key_of_the_configuration_is_on_the_page_with_its_meaning() -> None:
    rows = dict(re.findall(r"^\| `([\w.]+)` \| (.+?) \|", PAGE, re.MULTILINE))
    assert list(rows) == list(KEYS)
    for path, key in KEYS.items():
        meaning = key.meaning.replace("the user's own", "your own")
        assert rows[path].replace("`", "") == meaning.replace("'", "")


@keeps("cli.documented")
def test_the_configuration_on_the_page_is_one_that_loads() -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    document = tomllib.loads(block)
    assert document.keys() - {"policy"} <= {path.partition(".")[0] for path in KEYS}
