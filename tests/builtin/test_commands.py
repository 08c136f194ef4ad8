# ruff: noqa: S604  a tool's argument is called shell
from __future__ import annotations

import asyncio
import os
import select
import sys
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolwright as tw
from tests.builtin.calls import Having, call, data_of
from tests.promises import keeps
from toolwright.builtin.processes import Kept, plain_environment, run_process
from toolwright.levels import SandboxIsolationLevel
from toolwright.sandbox import InProcess, Sandbox
from toolwright.testing import assert_valid_tool

LOWERED = tw.builtin.command_tool("none")
# A shell that says its number, those of a child, of one in a session of its own, and of an orphan; then all wait.
FAMILY = (
    "sleep 600 & echo $!; setsid sleep 600 & echo $!; (setsid sleep 600 & echo $!); "
    "(cd / && sh -c 'sleep 600 & echo $!; wait' &) ; echo $$; sleep 600"
)


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split() if word.isdigit()]


def has_ended(pid: int) -> bool:
    """Wait until a process has ended; not for long."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 20)[0])
    finally:
        os.close(handle)


@keeps("builtin.run_command")
async def test_it_runs_an_argument_vector_as_it_is(tmp_path: Path) -> None:
    words = ["printf", "%s\\n", "$HOME", "a b", "*", "; rm -rf /", "`id`"]
    outcome = await call(LOWERED, tmp_path, command=words)
    assert data_of(outcome) == {"exit_code": 0, "stdout": "$HOME\na b\n*\n; rm -rf /\n`id`\n"}
    assert outcome.message == "The command ended with exit code 0."
    assert LOWERED.summarize({"command": words}) == "Run printf '%s\\\\n' '$HOME' 'a b' '*' '; rm -rf /' '`id`'"


@keeps("builtin.run_command_shell")
async def test_a_text_for_a_shell_runs_in_one(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    outcome = await call(LOWERED, tmp_path, shell="echo a; echo b >&2; pwd; exit 3", folder="sub")
    assert data_of(outcome) == {"exit_code": 3, "stdout": f"a\n{tmp_path}/sub\n", "stderr": "b\n"}
    assert LOWERED.summarize({"shell": "echo a\nb"}) == "Run in a shell: 'echo a\\nb'"


@keeps("builtin.run_command_shell")
async def test_a_shell_is_critical_and_no_rule_about_commands_fits_it(tmp_path: Path) -> None:
    rule = tw.Rule(effect="allow", tool="run_command", when={"command": "git status*"})
    strict = Sandbox(runners=[Having(SandboxIsolationLevel.STRICT)])
    executor = tw.Executor(tw.builtin.registry(tmp_path, sandbox=strict), policy=tw.Policy((rule,)), sandbox=strict)

    def decided(**arguments: Any) -> tuple[str, str]:
        verdict = executor.explain(tw.ToolCall.new("run_command", **arguments), workspace=tmp_path).verdict
        return verdict.effect, executor.effective_risk("run_command", arguments)

    assert decided(command=["git", "status", "-s"]) == ("allow", "high")
    assert decided(command=["git", "push"]) == ("ask", "high")
    assert decided(shell="git status -s") == ("ask", "critical")
    everything = tw.Rule(effect="allow", tool="run_command", when={"command": "*"})
    executor = tw.Executor(
        tw.builtin.registry(tmp_path, sandbox=strict), policy=tw.Policy((everything,)), sandbox=strict
    )
    assert decided(shell="rm -rf .") == ("ask", "critical")
    assert decided(command=["rm"], shell=None) == ("allow", "high")


@pytest.mark.parametrize(
    "arguments",
    [{}, {"command": ["a"], "shell": "a"}, {"command": []}, {"command": ["a\0b"]}, {"shell": "a\0b"}, {"shell": ""}],
)
async def test_what_is_not_one_command_is_refused(tmp_path: Path, arguments: dict[str, Any]) -> None:
    assert (await call(LOWERED, tmp_path, **arguments)).error_code == "validation_failed"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"command": ["no-such-program-anywhere"]}, "cannot_start"),
        ({"command": ["./file"]}, "cannot_start"),
        ({"command": [""]}, "cannot_start"),
        ({"command": ["true"], "folder": "file"}, "not_a_folder"),
        ({"command": ["true"], "folder": "missing"}, "not_a_folder"),
        ({"command": ["true"], "folder": ".."}, "validation_failed"),
    ],
)
async def test_what_cannot_be_started_is_said(tmp_path: Path, arguments: dict[str, Any], code: str) -> None:
    (tmp_path / "file").write_text("")
    outcome = await call(LOWERED, tmp_path, **arguments)
    assert (outcome.success, outcome.error_code) == (False, code)


async def test_it_gets_nothing_to_read_and_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "hidden")
    outcome = await call(LOWERED, tmp_path, shell="cat; env; ls /proc/self/fd | wc -l")
    assert "hidden" not in outcome.for_model()
    assert "PATH=" in data_of(outcome)["stdout"]
    assert "SOME_API_KEY" not in plain_environment()


@keeps("builtin.run_command_streams")
async def test_output_is_told_while_it_comes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "go")
    said: list[tuple[str | None, str]] = []

    def hear(progress: tw.ToolProgress) -> None:
        said.append((progress.operation, progress.message))
        if progress.message == "one\n":  # only now does the command go on
            handle = os.open(tmp_path / "go", os.O_WRONLY)
            os.write(handle, b"\n")
            os.close(handle)

    executor = tw.Executor(tw.builtin.registry(tmp_path, command_isolation="none"), reviewer=tw.approve_all)
    running = tw.ToolCall.new(
        "run_command", shell="echo one; read x < go; printf '\\303'; echo >&2 two; printf '\\251'"
    )
    execution = await executor.execute(running, workspace=tmp_path, progress=hear)
    assert execution.outcome.success, execution.outcome.error
    assert [text for stream, text in said if stream == "stderr"] == ["two\n"]
    assert "".join(text for stream, text in said if stream == "stdout") == "one\né"


@keeps("builtin.run_command_streams")
async def test_a_talkative_command_is_told_of_a_few_times(tmp_path: Path) -> None:
    said: list[str] = []
    executor = tw.Executor(tw.builtin.registry(tmp_path, command_isolation="none"), reviewer=tw.approve_all)
    running = tw.ToolCall.new("run_command", shell="i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done")
    execution = await executor.execute(running, workspace=tmp_path, progress=lambda each: said.append(each.message))
    assert data_of(execution.outcome)["exit_code"] == 0
    assert said[-1].endswith("19999\n")
    assert len(said) < 400


def test_it_runs_from_code_without_a_loop(tmp_path: Path) -> None:
    executor = tw.Executor(tw.builtin.registry(tmp_path, command_isolation="none"), reviewer=tw.approve_all)
    execution = executor.execute_sync(tw.ToolCall.new("run_command", command=["echo", "hi"]), workspace=tmp_path)
    assert data_of(execution.outcome)["stdout"] == "hi\n"


async def test_of_endless_output_beginning_and_end_are_kept(tmp_path: Path) -> None:
    script = "print('first'); print('x' * 30_000_000); print('last')"
    data = data_of(await call(LOWERED, tmp_path, command=[sys.executable, "-c", script]))
    assert data["stdout"].startswith("first\n")
    assert data["stdout"].endswith("last\n")
    assert len(data["stdout"]) < 101_000
    assert data["stdout_left_out"] == 30_000_012 - 100_000


@given(pieces=st.lists(st.binary(max_size=50), max_size=20), most=st.integers(0, 60))
def test_what_is_kept_is_the_beginning_and_the_end(pieces: list[bytes], most: int) -> None:
    kept, whole = Kept(most), b"".join(pieces)
    for piece in pieces:
        kept.add(piece)
    room = most // 2
    assert kept.size == len(whole)
    if len(whole) <= 2 * room:
        assert (kept.left_out, kept.text()) == (0, whole.decode("utf-8", "replace"))
    else:
        assert kept.left_out == len(whole) - 2 * room
        assert kept.text().startswith(whole[:room].decode("utf-8", "replace"))
        assert kept.text().endswith(whole[len(whole) - room :].decode("utf-8", "replace"))


@keeps("builtin.run_command_tree")
async def test_its_own_time_limit_ends_the_whole_tree(tmp_path: Path) -> None:
    outcome = await call(LOWERED, tmp_path, shell=FAMILY, seconds=1.5)
    assert (outcome.success, outcome.error_code) == (False, "timed_out")
    data: Any = outcome.data
    pids = numbers(data["stdout"])
    assert pids
    assert all(map(has_ended, pids))


@keeps("builtin.run_command_tree")
@pytest.mark.parametrize("way", ["deadline", "cancel", "task"])
async def test_the_executor_ends_the_whole_tree(tmp_path: Path, way: str) -> None:
    said: list[str] = []
    ready = asyncio.Event()

    def hear(progress: tw.ToolProgress) -> None:
        said.append(progress.message)
        if len(numbers("".join(said))) == 5:
            ready.set()

    executor = tw.Executor(tw.builtin.registry(tmp_path, command_isolation="none"), reviewer=tw.approve_all)
    running = tw.ToolCall.new("run_command", shell=FAMILY)
    options: Any = {
        "workspace": tmp_path,
        "progress": hear,
        "session": "s",
        "timeout": 1.5 if way == "deadline" else 60,
    }
    task = asyncio.create_task(executor.execute(running, **options))
    async with asyncio.timeout(30):
        if way != "deadline":
            await ready.wait()
        if way == "cancel":
            executor.cancel(session="s")
        if way == "task":
            task.cancel()
        with suppress(asyncio.CancelledError):
            execution = await task
            assert execution.outcome.error_code == ("timed_out" if way == "deadline" else "cancelled")
    pids = numbers("".join(said))
    assert way == "deadline" or len(pids) == 5
    assert all(map(has_ended, pids))


@keeps("builtin.run_command_tree")
async def test_what_a_command_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    family = "(setsid sleep 600 & echo $!); env -i sleep 600 & echo $!"
    outcome = await call(LOWERED, tmp_path, shell=family)
    pids = numbers(data_of(outcome)["stdout"])
    assert len(pids) == 2
    assert all(map(has_ended, pids))


async def test_who_gets_away_does_not_hold_up_the_answer(tmp_path: Path) -> None:
    """Without isolation a process can leave its session and forget whose it is; it may then not keep us waiting."""
    outcome = await call(LOWERED, tmp_path, shell="env -i setsid sleep 600 & echo $! ; sleep 0.2", seconds=60)
    (pid,) = numbers(data_of(outcome)["stdout"])
    with suppress(ProcessLookupError):
        os.kill(pid, SIGKILL)
    assert has_ended(pid)


async def test_what_a_listener_raises_is_raised_when_the_process_has_ended(tmp_path: Path) -> None:
    def hear(stream: str, text: str) -> None:
        raise RuntimeError(f"{stream}: {text}")

    with pytest.raises(RuntimeError, match="stdout"):
        await run_process(
            ["/bin/sh", "-c", "echo $$"], folder=tmp_path, environment=plain_environment(), heard=hear, seconds=20
        )


@keeps("builtin.run_command_isolation")
async def test_without_strict_isolation_it_is_not_available(tmp_path: Path) -> None:
    plain = Sandbox(runners=[InProcess()])
    registry = tw.builtin.registry(tmp_path, sandbox=plain)
    definition = registry["run_command"].definition
    assert (definition.isolation, definition.risk) == ("strict", "high")
    assert not registry["run_command"].available
    executor = tw.Executor(registry, sandbox=plain, reviewer=tw.approve_all)
    running = tw.ToolCall.new("run_command", command=["touch", "ran"])
    execution = await executor.execute(running, workspace=tmp_path)
    assert execution.outcome.error_code == "tool_not_found"
    assert not (tmp_path / "ran").exists()
    able = Sandbox(runners=[Having(SandboxIsolationLevel.STRICT)])
    assert tw.builtin.registry(tmp_path, sandbox=able)["run_command"].available


@keeps("builtin.run_command_lowered")
@pytest.mark.parametrize(("level", "words"), [("none", "WITHOUT ISOLATION"), ("standard", "WITHOUT STRICT ISOLATION")])
def test_where_the_operator_lowers_the_isolation_it_says_so(level: str, words: str) -> None:
    definition = tw.builtin.registry(".", command_isolation=level)["run_command"].definition
    assert (definition.isolation, definition.risk) == (level, "critical")
    assert words in definition.description


def test_restricted_isolation_runs_no_command() -> None:
    tool = tw.builtin.command_tool("restricted", sandbox=Sandbox(runners=[Having(SandboxIsolationLevel.STRICT)]))
    assert not tool.available


def test_it_passes_what_every_tool_should(tmp_path: Path) -> None:
    assert_valid_tool(LOWERED, [{"command": ["sleep", "600"], "seconds": 0.5}], workspace=tmp_path)
