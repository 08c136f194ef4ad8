"""What every store of runs keeps: one suite over those that there are."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import textwrap
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agent.running import agent_of, calling, check, codes, echo, results, within
from tests.promises import keeps
from toolwright.agent import JsonLinesRuns, MemoryRuns, RunHead, RunStore, new_run_id
from toolwright.errors import RunError
from toolwright.testing import MockTool
from toolwright.transcript import Record

MAKERS: list[Callable[[Path], RunStore]] = [
    lambda _folder: MemoryRuns(),
    lambda folder: JsonLinesRuns(folder / "runs"),
    lambda folder: JsonLinesRuns(folder / "runs", fsync=False),
]


@pytest.fixture(params=MAKERS, ids=["memory", "files", "files without fsync"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> RunStore:
    made: RunStore = request.param(tmp_path)
    return made


def head(id: str = "run_1", **fields: Any) -> RunHead:
    return RunHead(id=id, created_at=datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC), **fields)


GO = Record("user", "Go.", {"run": "run_1"})
HI = Record("assistant", "Hi \U0001f600 \u2028 there", {"ending": "stop", "deep": {"list": [1, None, "x"]}})


def code_of(caught: pytest.ExceptionInfo[RunError]) -> str:
    return caught.value.code


async def test_what_was_given_is_read_again(store: RunStore) -> None:
    known = head(title="Go.", model="m", workspace="/w", session="s", grants=("tool.filesystem.*",))
    epoch = await store.begin(known, [GO])
    await store.append("run_1", [HI, HI], epoch=epoch)
    stored = await store.read("run_1")
    assert stored.head == known
    assert stored.records == (GO, HI, HI)
    assert isinstance(store, RunStore)
    await store.end("run_1", "completed", epoch=epoch)


async def test_an_ended_run_says_how_and_when_and_takes_no_more(store: RunStore) -> None:
    epoch = await store.begin(head(), [GO])
    await store.end("run_1", "provider_error", epoch=epoch, error="LLMError")
    ended = (await store.read("run_1")).head
    assert (ended.state, ended.status, ended.error) == ("ended", "provider_error", "LLMError")
    assert ended.ended_at is not None
    with pytest.raises(RunError) as caught:
        await store.append("run_1", [HI], epoch=epoch)
    assert code_of(caught) == "run_lost"
    with pytest.raises(RunError):
        await store.end("run_1", "completed", epoch=epoch)
    taken = await store.take("run_1")
    assert (taken.head, taken.records) == (ended, (GO,))


async def test_a_waiting_run_is_taken_up_with_a_new_epoch(store: RunStore) -> None:
    first = await store.begin(head(), [GO])
    await store.end("run_1", "waiting", epoch=first)
    waiting = (await store.read("run_1")).head
    assert (waiting.state, waiting.status, waiting.ended_at) == ("waiting", "waiting", None)
    taken = await store.take("run_1")
    assert (taken.head.state, taken.head.status) == ("running", None)
    assert taken.head.epoch > first
    await store.append("run_1", [HI], epoch=taken.head.epoch)
    await store.end("run_1", "completed", epoch=taken.head.epoch)
    assert (await store.read("run_1")).records == (GO, HI)


async def test_an_id_is_taken_once(store: RunStore) -> None:
    epoch = await store.begin(head(), [GO])
    with pytest.raises(RunError) as caught:
        await store.begin(head(), [HI])
    assert code_of(caught) == "run_exists"
    await store.end("run_1", "completed", epoch=epoch)
    assert (await store.read("run_1")).records == (GO,)


async def test_a_run_that_is_not_there_is_not_found(store: RunStore) -> None:
    for work in (store.read("nobody"), store.take("nobody")):
        with pytest.raises(RunError, match="nobody") as caught:
            await work
        assert code_of(caught) == "run_not_found"
    with pytest.raises(RunError):
        await store.append("nobody", [HI], epoch=1)
    assert list(await store.list()) == []


async def test_the_newest_run_is_listed_first(store: RunStore) -> None:
    for number in range(3):
        at = datetime(2026, 1, 1 + number, tzinfo=UTC)
        epoch = await store.begin(RunHead(id=f"r{number}", created_at=at, title=str(number)), [GO])
        await store.end(f"r{number}", "completed", epoch=epoch)
    assert [each.title for each in await store.list()] == ["2", "1", "0"]


async def test_a_whole_run_is_kept_and_taken_up_again(store: RunStore) -> None:
    agent = agent_of([[*calling("echo", "echo")], "Done."], echo(), store=store)
    run = await within(agent.run("Go.", run_id="r"))
    assert (run.status, codes(run)) == ("completed", ["ok", "ok"])
    again = await within(agent.resume("r"))
    assert (again.records, again.conversation, again.status) == (run.records, run.conversation, "completed")
    check(again)


def test_ids_of_runs_are_new_and_grow_with_time() -> None:
    made = [new_run_id() for _ in range(100)]
    assert len(set(made)) == 100
    assert [id[:16] for id in made] == sorted(id[:16] for id in made)


# Files


@pytest.mark.parametrize("id", ["", "../escape", "a/b", ".hidden", "x" * 65, "a b", "nul\0"])
async def test_an_id_that_leads_elsewhere_is_refused(tmp_path: Path, id: str) -> None:
    store = JsonLinesRuns(tmp_path)
    with pytest.raises(ValueError, match="id of a run"):
        await store.begin(head(id), [GO])
    with pytest.raises(ValueError, match="id of a run"):
        await store.read(id)
    assert os.listdir(tmp_path) == []  # noqa: PTH208  as good as any in a test


async def test_files_of_runs_are_for_their_owner_alone(tmp_path: Path) -> None:
    store = JsonLinesRuns(tmp_path / "deep" / "runs")
    epoch = await store.begin(head(), [GO])
    file = store.folder / "run_1.jsonl"
    assert (file.stat().st_mode & 0o777, store.folder.stat().st_mode & 0o777) == (0o600, 0o700)
    await store.end("run_1", "completed", epoch=epoch)
    assert [json.loads(line)["line"] for line in file.read_text().splitlines()] == ["run", "ended"]


async def left_behind(folder: Path) -> Path:
    """Return the file of a run whose program died: begun, and let go without an end."""
    store = JsonLinesRuns(folder)
    epoch = await store.begin(head(), [GO])
    await store.append("run_1", [HI], epoch=epoch)
    await store.end("run_1", "waiting", epoch=epoch)
    file = folder / "run_1.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[: whole.rindex(b'{"line":"ended"')])
    return file


async def test_half_a_line_was_never_written(tmp_path: Path) -> None:
    file = await left_behind(tmp_path)
    whole = file.read_bytes()
    for cut in range(1, len(whole.splitlines()[-1])):
        file.write_bytes(whole[:-cut])
        assert (await JsonLinesRuns(tmp_path).read("run_1")).records == (GO,)
    store = JsonLinesRuns(tmp_path)
    taken = await store.take("run_1")
    await store.append("run_1", [HI], epoch=taken.head.epoch)
    await store.end("run_1", "completed", epoch=taken.head.epoch)
    assert (await store.read("run_1")).records == (GO, HI)


@given(st.binary(max_size=80), st.integers(0, 400))
def test_a_damaged_file_is_told_and_never_read_as_something_else(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, place: int
) -> None:
    async def go() -> None:
        folder = tmp_path_factory.mktemp("runs")
        file = await left_behind(folder)
        whole = file.read_bytes()
        at = place % len(whole)
        file.write_bytes(whole[:at] + junk + whole[at:])
        store = JsonLinesRuns(folder)
        heads = await store.list()
        if heads:
            assert (await store.read("run_1")).head == heads[0]
        else:
            with pytest.raises(RunError) as caught:
                await store.read("run_1")
            assert code_of(caught) == "run_unreadable"

    asyncio.run(go())


async def test_a_file_that_broke_off_before_it_began_or_cannot_be_read_is_told(tmp_path: Path) -> None:
    store = JsonLinesRuns(tmp_path)
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "folder.jsonl").mkdir()
    for id in ("empty", "folder"):
        with pytest.raises(RunError) as caught:
            await store.read(id)
        assert code_of(caught) == "run_unreadable"
    assert await store.list() == []


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RunError, match="cannot be kept") as caught:
        await JsonLinesRuns(tmp_path / "file" / "runs").begin(head(), [GO])
    assert code_of(caught) == "run_unreadable"


async def test_a_run_goes_on_in_one_program_at_a_time(tmp_path: Path) -> None:
    store = JsonLinesRuns(tmp_path)
    epoch = await store.begin(head(), [GO])
    with pytest.raises(RunError, match="another program") as caught:
        await JsonLinesRuns(tmp_path).take("run_1")
    assert code_of(caught) == "run_busy"
    await store.append("run_1", [HI], epoch=epoch)
    with pytest.raises(RunError) as caught:
        await store.append("run_1", [HI], epoch=epoch + 1)
    assert code_of(caught) == "run_lost"
    await store.end("run_1", "completed", epoch=epoch)
    assert (await store.read("run_1")).records == (GO, HI)


@pytest.mark.parametrize("fsync", [True, False])
async def test_a_full_disk_is_told_and_leaves_no_half_line(tmp_path: Path, fsync: bool) -> None:
    store = JsonLinesRuns(tmp_path, fsync=fsync)
    epoch = await store.begin(head(), [GO])
    size = os.stat(tmp_path / "run_1.jsonl").st_size  # noqa: PTH116
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, hard))  # as full as a disk can be made here
    try:
        with pytest.raises(OSError, match="large"):
            await store.append("run_1", [HI], epoch=epoch)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert os.stat(tmp_path / "run_1.jsonl").st_size == size  # noqa: PTH116
    await store.append("run_1", [HI, HI], epoch=epoch)
    await store.end("run_1", "completed", epoch=epoch)
    assert (await store.read("run_1")).records == (GO, HI, HI)


async def test_a_run_for_which_there_is_no_room_leaves_its_id_free(tmp_path: Path) -> None:
    store = JsonLinesRuns(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, hard))
    try:
        with pytest.raises(OSError, match="large"):
            await store.begin(head(), [GO])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    await store.end("run_1", "completed", epoch=await store.begin(head(), [GO]))
    assert (await store.read("run_1")).records == (GO,)


async def test_a_run_that_cannot_be_taken_for_want_of_room_is_let_go_again(tmp_path: Path) -> None:
    file = await left_behind(tmp_path)
    store = JsonLinesRuns(tmp_path)
    whole = file.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 5, hard))
    try:
        with pytest.raises(OSError, match="large"):
            await store.take("run_1")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert file.read_bytes() == whole
    taken = await JsonLinesRuns(tmp_path).take("run_1")
    assert taken.head.epoch == 2


async def test_a_file_that_is_spoilt_once_it_is_ours_is_let_go_again(tmp_path: Path) -> None:
    file = await left_behind(tmp_path)
    store = JsonLinesRuns(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole + b"no JSON\n")
    with pytest.raises(RunError):
        await store.take("run_1")
    file.write_bytes(whole)
    taken = await store.take("run_1")
    await store.end("run_1", "completed", epoch=taken.head.epoch)


KILLED = """
    import asyncio, os, signal, sys
    from toolwright.agent import Agent, JsonLinesRuns
    from toolwright.messages import ToolCall
    from toolwright.registry import Registry
    from toolwright.testing import MockTool, ScriptedProvider

    async def die(context):
        with open(sys.argv[2], "a") as effects:
            effects.write("once\\n")
        os.kill(os.getpid(), signal.SIGKILL)

    tools = [MockTool("look", "seen", constraints={"side_effects": False}), MockTool("die", run=die)]
    script = [ToolCall("call_0", "look", {}), ["Now. ", ToolCall("call_1", "look", {}), ToolCall("call_2", "die", {})]]
    agent = Agent(ScriptedProvider(script), Registry(tools), store=JsonLinesRuns(sys.argv[1]))
    asyncio.run(agent.run("Go.", run_id="r"))
"""


@keeps("agent.resume", "agent.resume.never_twice")
async def test_a_run_survives_the_death_of_its_program(tmp_path: Path) -> None:
    effects = tmp_path / "effects"
    arguments = [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path / "runs"), str(effects)]
    child = await asyncio.to_thread(subprocess.run, arguments, env={**os.environ}, timeout=60, check=False)
    assert child.returncode < 0, "it was killed"
    store = JsonLinesRuns(tmp_path / "runs")
    assert [(each.id, each.state) for each in await store.list()] == [("r", "running")]
    agent = agent_of(["It may have happened."], echo("look"), die := MockTool("die"), store=store, unknown="tell")
    run = await within(agent.resume("r"))
    assert (run.status, run.text) == ("completed", "It may have happened.")
    assert effects.read_text() == "once\n"
    assert die.calls == []
    assert "Nobody knows" in results(run)[2]
    check(run)
