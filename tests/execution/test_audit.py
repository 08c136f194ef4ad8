"""The record in a file: chained, so that whatever was done to it shows."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.calling import executor_of, gathered
from tests.promises import keeps
from toolwright.errors import AuditError
from toolwright.execution import Head, JsonLinesSink, MemorySink, verify
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.testing import MockTool

SECRET = "sk-abcdefghijklmnopqrstuvwxyz012345"


async def written(path: Path, calls: int = 3, **options: bool) -> JsonLinesSink:
    sink = JsonLinesSink(path, **options)
    executor = executor_of(MockTool("note", {"token": SECRET}), audit=sink, concurrency=5)
    await gathered(executor.execute(ToolCall.new("note", text=f"{SECRET} {number}")) for number in range(calls))
    await executor.execute(InvalidToolCall("call_x", "note", f'{{"text": "{SECRET}', "cut off"))
    return sink


@keeps("execution.audit")
async def test_each_call_is_written_before_it_runs_and_when_it_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    sink = await written(path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["n"] for line in lines] == list(range(1, 8))
    assert sorted(line["kind"] for line in lines) == ["finished"] * 4 + ["started"] * 3
    started, finished = (
        lines[0],
        next(line for line in lines if line["execution_id"] == lines[0]["execution_id"] and line["kind"] == "finished"),
    )
    assert (started["tool_name"], started["approved_by"], started["isolation"]) == ("note", "policy", "none")
    assert (finished["status"], finished["error_code"], finished["call_id"]) == ("completed", None, started["call_id"])
    assert len(started["arguments_sha256"]) == len(finished["data_sha256"]) == 64
    assert lines[-1]["error_code"] == "validation_failed"
    assert SECRET not in path.read_text()
    assert sink.head == Head(7, lines[-1]["digest"])
    assert verify(path).valid
    assert oct(path.stat().st_mode & 0o777) == "0o600"
    sink.close()


@keeps("execution.audit.content")
async def test_content_is_written_only_where_that_was_switched_on_and_then_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    (await written(path, content=True)).close()
    assert SECRET not in path.read_text()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["arguments"] == {"text": "[redacted] 0"}
    assert {str(line["data"]) for line in lines if line["kind"] == "finished"} == {"{'token': '[redacted]'}", "None"}
    assert verify(path).valid


def without(text: list[str], place: int) -> list[str]:
    return text[:place] + text[place + 1 :]


def swapped(text: list[str], place: int) -> list[str]:
    return [*text[:place], text[place + 1], text[place], *text[place + 2 :]]


TAMPERING: list[tuple[str, Callable[[list[str]], list[str]], int, str]] = [
    ("edit", lambda lines: [*lines[:2], lines[2].replace("note", "mote"), *lines[3:]], 3, "changed"),
    ("removal", lambda lines: without(lines, 3), 4, "taken out"),
    ("removal of the first", lambda lines: without(lines, 0), 1, "taken out"),
    ("reordering", lambda lines: swapped(lines, 1), 2, "moved"),
    ("repetition", lambda lines: [*lines[:2], lines[1], *lines[2:]], 3, "put in"),
    ("truncation", lambda lines: lines[:-2], 6, "missing at the end"),
    ("truncation to nothing", lambda _lines: [], 1, "missing at the end"),
    ("half a line", lambda lines: [*lines[:-1], lines[-1][:-10]], 7, "not complete"),
    ("no line of ours", lambda lines: [*lines, "{}\n"], 8, "changed"),
    ("blank line", lambda lines: [lines[0], "\n", *lines[1:]], 2, "changed"),
]


@keeps("execution.audit.chain")
@pytest.mark.parametrize(("_name", "tamper", "line", "problem"), TAMPERING, ids=[each[0] for each in TAMPERING])
async def test_whatever_was_done_to_a_record_is_found_at_its_place(
    tmp_path: Path, _name: str, tamper: Callable[[list[str]], list[str]], line: int, problem: str
) -> None:
    path = tmp_path / "audit.jsonl"
    (await written(path)).close()
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(tamper(lines)))
    found = verify(path)
    assert (found.valid, found.line, found.lines) == (False, line, line - 1)
    assert problem in (found.problem or "")


@pytest.mark.parametrize("body", [b"not json", b"[1", b'{"n":"8"', b'{"n":8.5', b'{"n":' + b"9" * 5_000, b"[" * 9_000])
async def test_a_line_that_no_sink_writes_is_found_although_its_digest_is_right(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "audit.jsonl"
    sink = await written(path)
    sink.close()
    with path.open("ab") as file:
        file.write(body + b',"digest":"' + sha256(body + b"}").hexdigest().encode() + b'"}\n')
    found = verify(path, sink.head)
    assert (found.valid, found.line, found.problem) == (False, 8, "the line was changed")
    with pytest.raises(AuditError, match="was changed"):
        JsonLinesSink(path)


@keeps("execution.audit.chain")
async def test_whoever_rewrites_everything_is_found_by_a_copy_of_the_head(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    sink = await written(path)
    head = sink.head
    sink.close()
    path.unlink()
    (tmp_path / "audit.jsonl.head").unlink()
    (await written(path)).close()
    assert verify(path).valid
    assert not verify(path, head).valid
    assert verify(path, Head()).valid


@keeps("execution.audit.chain")
async def test_a_record_whose_end_nobody_knows_is_not_called_whole(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    sink = await written(path)
    sink.close()
    for broken in (None, b"", b"7 abc\n", b"\xff" * 86):
        (tmp_path / "audit.jsonl.head").unlink(missing_ok=True)
        if broken is not None:
            (tmp_path / "audit.jsonl.head").write_bytes(broken)
        found = verify(path)
        assert (found.valid, found.lines) == (False, 7)
        assert "missing" in (found.problem or "")
        with pytest.raises(AuditError, match="is missing"):  # else a new one would vouch for whatever is left
            JsonLinesSink(path)
    assert verify(path, sink.head).valid


@keeps("execution.audit")
async def test_a_record_goes_on_where_it_ended_and_half_a_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    (await written(path)).close()
    with path.open("a") as file:
        file.write('{"n":8,"kind":"sta')  # the machine stopped here
    sink = await written(path)
    assert sink.head.count == 14
    assert verify(path, sink.head).valid
    sink.close()


async def test_a_record_that_was_shortened_or_changed_at_its_end_is_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    (await written(path)).close()
    whole = path.read_text()
    path.write_text("".join(whole.splitlines(keepends=True)[:-1]))
    with pytest.raises(AuditError, match="missing at the end"):
        JsonLinesSink(path)
    path.write_text(whole.replace("validation_failed", "everything_fine"))
    with pytest.raises(AuditError, match="was changed"):
        JsonLinesSink(path)
    path.write_text(whole)
    JsonLinesSink(path).close()


def test_a_file_is_written_by_one_sink_at_a_time_also_of_two_programs(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    sink = JsonLinesSink(path)
    with pytest.raises(AuditError, match="another sink"):
        JsonLinesSink(path)
    code = f"from toolwright.execution import JsonLinesSink as Sink; Sink({str(path)!r})"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert "another sink is writing" in other.stderr
    sink.close()
    JsonLinesSink(path).close()


async def test_a_disk_that_is_full_spoils_no_line_and_lets_nothing_with_side_effects_run(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    sink = await written(path)
    tool = MockTool("note")
    executor = executor_of(tool, audit=sink)
    size = path.stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, before[1]))
    try:
        answer = await executor.execute(ToolCall.new("note"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert (answer.outcome.error_code, tool.calls, path.stat().st_size) == ("record_failed", [], size)
    assert (await executor.execute(ToolCall.new("note"))).outcome.success
    assert verify(path, sink.head).valid
    sink.close()


async def test_a_line_that_is_on_the_disk_before_the_call_goes_on_is_chained_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    sink = await written(path, calls=5, fsync=True)
    assert sink.head.count == 11
    assert verify(path, sink.head).valid
    sink.close()


async def test_a_sink_that_was_closed_lets_nothing_with_side_effects_run(tmp_path: Path) -> None:
    sink = JsonLinesSink(tmp_path / "audit.jsonl")
    sink.close()
    sink.close()
    tool = MockTool("note")
    answer = await executor_of(tool, audit=sink).execute(ToolCall.new("note"))
    assert (answer.outcome.error_code, tool.calls) == ("record_failed", [])


def test_what_cannot_be_opened_says_so_and_leaves_nothing_open(tmp_path: Path) -> None:
    opened = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match="nowhere"):
        JsonLinesSink(tmp_path / "nowhere" / "audit.jsonl")
    (tmp_path / "audit.jsonl.head").mkdir()
    with pytest.raises(OSError, match="head"):
        JsonLinesSink(tmp_path / "audit.jsonl")
    assert len(list(Path("/proc/self/fd").iterdir())) == opened
    with pytest.raises(FileNotFoundError):
        verify(tmp_path / "nothing.jsonl")


@keeps("execution.audit.chain")
@given(data=st.data())
def test_no_single_byte_can_be_changed_unseen(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = _sample(tmp_path_factory)
    original = path.read_bytes()
    place = data.draw(st.integers(0, len(original) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda each: each != original[place]))
    changed = path.with_name("changed.jsonl")
    changed.write_bytes(original[:place] + bytes([byte]) + original[place + 1 :])
    head = Head(7, json.loads(original.splitlines()[-1])["digest"])
    assert not verify(changed, head).valid


_SAMPLES: list[Path] = []


def _sample(factory: pytest.TempPathFactory) -> Path:
    if not _SAMPLES:
        path = factory.mktemp("audit") / "audit.jsonl"
        asyncio.run(written(path)).close()
        _SAMPLES.append(path)
    return _SAMPLES[0]


async def test_the_record_in_memory_keeps_the_last_ones() -> None:
    sink = MemorySink(limit=2)
    executor = executor_of(MockTool("note"), audit=sink)
    answers = [await executor.execute(ToolCall.new("note")) for _ in range(4)]
    assert list(sink.executions) == answers[2:]
    assert [each.execution_id for each in sink.intents] == [each.execution_id for each in answers[2:]]
