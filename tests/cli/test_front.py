"""The first page, and what every command does alike: help, errors, exit codes, streams."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version

import click
import pytest

from tests.cli.making import DEFINITION, PATIENCE, PROGRAM, Home, Person
from tests.promises import keeps
from toolwright.cli.app import Group, app
from toolwright.cli.exits import ExitCode, Stop
from toolwright.cli.front import ELSEWHERE, GROUPS
from toolwright.cli.invocation import Invocation
from toolwright.cli.run import told
from toolwright.errors import ConfigError, LLMError, MissingExtraError, ModelFileError, RunError

# What is heavy: clients, validators, event loops, and every room that does something.
HEAVY = (
    *("httpx2", "jsonschema_rs", "asyncio", "msgspec", "click", "platformdirs", "pathspec", "ssl"),
    *(f"toolwright.{room}" for room in ("agent", "builtin", "execution", "providers", "registry", "schema", "tools")),
)


def every_command() -> Iterator[tuple[str, ...]]:
    context = click.Context(app, obj=Invocation.of_process())
    for name in app.list_commands(context):
        yield (name,)
        command = app.get_command(context, name)
        if isinstance(command, Group):
            for inner in command.list_commands(context):
                yield name, inner


COMMANDS = sorted(every_command())


def printed_by(script: str) -> str:
    """Return what a program prints that nobody measures: what measures coverage loads modules of its own."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True, env=env).stdout


@keeps("cli.light")
def test_help_loads_neither_click_nor_any_room_nor_a_client() -> None:
    script = (
        "import sys; from toolwright.cli import main; code = main(['--help']);"
        f"print([name for name in {(*HEAVY, 'typing', 're')} if name in sys.modules], code)"
    )
    assert printed_by(script).endswith("[] 0\n")


@keeps("cli.light")
@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["tools", "--help"], HEAVY[:3]),
        (["chat", "--help"], HEAVY[:3]),
        (
            ["tools", "call", "read_file", "--path", "a"],
            ("httpx2", "toolwright.agent", "toolwright.providers", "toolwright.builtin.searching"),
        ),
    ],
)
def test_a_command_loads_what_it_uses_and_nothing_else(
    home: Home, arguments: list[str], absent: tuple[str, ...]
) -> None:
    home.writes("a", "content")
    script = (
        f"import sys; from toolwright.cli import main; main({arguments});"
        f"print([name for name in {absent} if name in sys.modules])"
    )
    assert printed_by(script).endswith("[]\n")


def test_the_first_page_lists_every_command_once(home: Home) -> None:
    said = home.run("--help")
    assert said.code == 0
    for rows in GROUPS.values():
        for name, (_, line) in rows.items():
            assert said.out.count(f"  {name} ") == 1
            assert line in said.out
    assert home.run("-h").out == said.out


def test_the_page_of_the_tree_is_the_first_page(home: Home) -> None:
    assert home.run("--debug", "--help").out == home.run("--help").out


@keeps("cli.errors", "cli.exit_codes")
def test_no_command_at_all_shows_the_page_and_is_wrong_use(home: Home) -> None:
    said = home.run()
    assert said.code == 2
    assert "Usage: toolwright" in said.err


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_a_page_of_its_own(home: Home, command: tuple[str, ...]) -> None:
    said = home.run(*command, "--help")
    assert said.code == 0
    assert said.out.startswith(f"Usage: toolwright {' '.join(command)}")
    assert said.err == ""


@keeps("cli.json")
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_that_prints_data_takes_json(home: Home, command: tuple[str, ...]) -> None:
    if command in [("tools", "export"), ("runs", "export"), ("completion",)]:
        return  # which print what programs read, and nothing else
    page = home.run(*command, "--help").out
    assert "--json" in page or "Commands:" in page


@keeps("cli.version")
def test_the_version_is_that_of_the_distribution(home: Home) -> None:
    assert home.run("--version").out == f"toolwright {version('toolwright')}\n"


@keeps("cli.errors")
def test_a_misspelt_command_is_told_the_nearest(home: Home) -> None:
    said = home.run("tol")
    assert (said.code, said.out) == (2, "")
    assert said.err == "toolwright: There is no command 'tol'; did you mean 'tools'?\nTry 'toolwright --help'.\n"
    assert "there are chat, runs" in home.run("zzzzzz").err
    assert "did you mean 'search'?" in home.run("tools", "serch", "x").err


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_a_command_that_is_not_there_yet_says_what_there_is_instead(home: Home, name: str) -> None:
    said = home.run(name, "anything")
    assert said.code == 2
    assert ELSEWHERE[name] in said.err
    assert name not in home.run("--help").out.replace("server", "").split()


@keeps("cli.errors")
def test_a_wrong_option_says_where_help_is(home: Home) -> None:
    said = home.run("tools", "list", "--catgory", "x")
    assert said.code == 2
    assert said.err.startswith("toolwright: No such option '--catgory'")
    assert said.err.endswith("Try 'toolwright tools list --help'.\n")


@keeps("cli.errors")
def test_an_error_is_two_lines_at_most_and_a_traceback_only_with_debug(home: Home) -> None:
    home.user_writes("colour = 3\n")
    said = home.run("tools", "list")
    assert (said.code, said.out) == (2, "")
    assert len(said.err.splitlines()) <= 2
    assert "is not a key that is known here" in said.err
    loud = home.run("tools", "list", "--debug")
    assert loud.code == 2
    assert "Traceback" in loud.err
    assert loud.err.endswith(said.err)


@keeps("cli.errors")
def test_a_folder_that_is_none_is_wrong_use(home: Home) -> None:
    said = home.run("tools", "list", "-w", "nowhere")
    assert said.code == 2
    assert said.err == f"toolwright: --workspace: {home.workspace}/nowhere is not a folder\n"


def test_a_folder_that_is_gone_says_so(home: Home) -> None:
    gone = home.workspace / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    said = home.run("doctor")
    os.chdir(home.workspace)
    assert (said.code, said.err) == (2, "toolwright: The current folder is gone; go to one that exists.\n")


@keeps("cli.pipes")
def test_a_pipe_that_is_closed_early_ends_the_program_quietly(home: Home) -> None:
    for arguments in (["--help"], ["config", "show"]):
        reader, writer = os.pipe()
        os.close(reader)
        child = subprocess.run(
            [sys.executable, "-c", "import sys; from toolwright.cli import main; sys.exit(main())", *arguments],
            stdout=writer,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
            check=False,
        )
        os.close(writer)
        assert (child.returncode, child.stderr) == (0, b"")


@keeps("cli.pipes")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_ends_nothing(home: Home, closed: str) -> None:
    shell = shutil.which("sh")
    assert shell is not None
    line = f'"$0" -c "$1" config path {closed}'
    command = [shell, "-c", line, sys.executable, PROGRAM[-1]]
    assert subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False).returncode == 0


@pytest.mark.parametrize("arguments", [("config", "path"), ("--help",)])
def test_a_disk_that_is_full_is_told(home: Home, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        command = [*PROGRAM, *arguments]
        child = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    assert (child.returncode, child.stderr) == (1, b"toolwright: No space left on device\n")


def test_without_the_extra_it_says_what_to_install(home: Home) -> None:
    home.writes("click.py", "raise ImportError('no click', name='click')\n")
    said = home.spawn("tools", "list", env={"PYTHONPATH": str(home.workspace)})
    assert said.code == 4
    assert (
        said.err
        == "toolwright: The command line needs click, which comes with an extra: pip install 'toolwright[cli]'\n"
    )


@keeps("cli.exit_codes", "cli.errors")
@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (Stop("Nothing was done.", ExitCode.DENIED), 3, "Nothing was done."),
        (click.UsageError("There is no such thing."), 2, "There is no such thing."),
        (click.ClickException("It failed."), 1, "It failed."),
        (MissingExtraError("This", extra="http"), 4, "pip install 'toolwright[http]'"),
        (ModelFileError("it is not here", code="not_pulled"), 4, "it is not here"),
        (ModelFileError("it is full", code="no_space"), 1, "it is full"),
        (ConfigError("is wrong", code="wrong_value", path="agent"), 2, "agent: is wrong"),
        (LLMError("rate_limited", "too fast"), 1, "too fast (rate_limited)"),
        (RunError("there is no run x"), 1, "there is no run x"),
        (OSError(13, "Permission denied", "/etc/x"), 1, "/etc/x: Permission denied"),
        (TimeoutError(), 1, "TimeoutError"),
        (ZeroDivisionError("division by zero\nmore"), 1, "ZeroDivisionError: division by zero\nThis is a fault in"),
    ],
)
def test_whatever_is_raised_becomes_an_exit_code_and_a_line(error: BaseException, code: int, text: str) -> None:
    assert told(error)[0] == code
    assert text in told(error)[1]


@keeps("cli.errors")
def test_a_folder_that_cannot_be_written_is_told_by_its_name(home: Home) -> None:
    home.places.config.parent.mkdir(parents=True, exist_ok=True)
    home.places.config.write_text("a file where a folder should be")
    said = home.run("config", "trust")
    assert said.code in (1, 2)
    assert str(home.places.config) in said.err
    assert len(said.err.splitlines()) == 1


def test_a_long_error_is_cut_and_says_where_the_rest_is(home: Home) -> None:
    home.writes("bad.toml", 'name = "Bad Name"\ndescription = ""\ncolour = 1\n[handler]\nkind = "none"\n')
    said = home.run("tools", "add", "bad.toml")
    assert said.code == 1
    assert len(said.err.splitlines()) == 3
    assert said.err.endswith("more lines with --debug)\n")


def test_a_package_that_ends_the_program_takes_no_other_tool_along(home: Home) -> None:
    env = home.installs("raise SystemExit(3)", "nothing")
    said = home.spawn("tools", "list", env=env)
    assert said.code == 0
    assert "read_file" in said.out


def test_ctrl_c_where_nothing_stops_is_an_interruption(home: Home) -> None:
    with Person("model", "remove", "--yes", "nothing") as person:
        assert person.leaves() == 2
    home.run("tools", "add", str(home.writes("greet.toml", DEFINITION)))
    with Person("tools", "remove", "greet") as person:
        person.reads("[y/N]: ")
        person.presses("\x03\n")  # a prompt that is just about to wait hears of a signal with the next key
        assert person.leaves() == 130
    assert (home.places.definitions / "greet.toml").exists()
