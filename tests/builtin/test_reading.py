from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import toolwright as tw
from tests.builtin.calls import call, data_of
from tests.promises import keeps
from toolwright.testing import assert_valid_tool, tool_context

READ = tw.builtin.read_file


async def read(workspace: Path, **arguments: Any) -> tw.ToolOutcome:
    return await call(READ, workspace, **arguments)


@keeps("builtin.own_names", "builtin.permissions")
def test_it_is_a_tool_that_says_what_it_needs() -> None:
    assert_valid_tool(tw.builtin.read_file)
    definition = tw.builtin.read_file.definition
    assert (definition.name, definition.category, definition.risk) == ("read_file", "file_system", "safe")
    assert definition.permissions == ("tool.filesystem.read",)
    assert not definition.side_effects


@keeps("builtin.read_file")
async def test_it_reads_a_file_whole_or_in_part(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 11)))
    whole = await read(tmp_path, path="a.txt")
    assert whole.success
    assert whole.data == "\n".join(f"line {number}" for number in range(1, 11))
    assert whole.message == "10 lines"
    part = await read(tmp_path, path="a.txt", offset=3, limit=2, line_numbers=True)
    assert part.data == "     3\tline 3\n     4\tline 4"
    assert part.message == "2 lines from line 3; there are more, from line 5"
    last = await read(tmp_path, path="a.txt", offset=10, limit=1)
    assert (last.data, last.message) == ("line 10", "1 line from line 10")


@keeps("builtin.read_file")
@pytest.mark.parametrize(
    ("content", "text", "encoding"),
    [
        (b"", "", ""),
        ("é\r\nü".encode(), "é\nü", ""),
        ("é".encode("utf-8-sig"), "é", "utf-8-sig"),
        ("é😀".encode("utf-16"), "é😀", "utf-16"),
        ("é".encode("utf-32"), "é", "utf-32"),
        ("é".encode("latin-1"), "é", "latin-1"),
        (("x" * 8191 + "é").encode(), "x" * 4000 + "…", ""),
    ],
)
async def test_it_finds_out_the_encoding(tmp_path: Path, content: bytes, text: str, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    outcome = await read(tmp_path, path="a.txt")
    assert outcome.data == text
    assert encoding in (outcome.message or "")


@keeps("builtin.read_file_binary")
async def test_it_says_when_a_file_is_binary(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\x7fELF\0\0\1")
    outcome = await read(tmp_path, path="a.bin")
    assert (outcome.success, outcome.error_code) == (False, "binary_file")


@keeps("builtin.paged")
async def test_a_file_of_five_gigabytes_is_paged(tmp_path: Path) -> None:
    with (tmp_path / "big.txt").open("wb") as file:
        file.write(b"a line that comes again\n" * 100_000)
        file.truncate(5 * 2**30)  # sparse: nothing is written
    outcome = await read(tmp_path, path="big.txt", limit=20_000)
    assert outcome.message == "20,000 lines; there are more, from line 20001"


@keeps("builtin.paged")
async def test_a_line_without_an_end_and_an_answer_without_measure_are_cut(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 3_000_000 + "\nend")
    assert (await read(tmp_path, path="a.txt")).data == "x" * 4_000 + "…\nend"
    (tmp_path / "b.txt").write_text(("y" * 3_999 + "\n") * 1_000)
    outcome = await read(tmp_path, path="b.txt")
    assert outcome.message == "251 lines; there are more, from line 252"


@pytest.mark.parametrize(
    ("path", "code"), [("missing.txt", "cannot_read"), (".", "cannot_read"), ("a.txt", "past_the_end")]
)
async def test_what_cannot_be_read_is_said(tmp_path: Path, path: str, code: str) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    outcome = await read(tmp_path, path=path, offset=5)
    assert (outcome.success, outcome.error_code) == (False, code)
    assert str(tmp_path) not in (outcome.error or "")


async def test_nothing_outside_the_workspace_is_read(tmp_path: Path) -> None:
    workspace = tmp_path / "work"
    workspace.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (workspace / "link").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(workspace / "pipe")
    for path in ("../secret.txt", "link", str(tmp_path / "secret.txt"), "pipe"):
        outcome = await read(workspace, path=path)
        assert not outcome.success
        assert "secret" not in outcome.for_model().replace("secret.txt", "")


@keeps("builtin.expected_sha256")
async def test_the_hash_of_a_file_is_told_to_write_it_back_safely(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo")
    outcome = await read(tmp_path, path="a.txt", limit=1, sha256=True)
    digest = sha256(b"one\r\ntwo").hexdigest()
    assert digest in outcome.suggestions[0]
    assert data_of(outcome) == "one"
    assert (await call(tw.builtin.write_file, tmp_path, path="a.txt", content="x", expected_sha256=digest)).success
    with (tmp_path / "big.txt").open("wb") as file:
        file.write(b"line\n" * 3_000)
        file.truncate(5 * 2**30)
    huge = await read(tmp_path, path="big.txt", limit=1, sha256=True)
    assert huge.suggestions[0] == "The file is too large for its SHA-256 to be worked out here."


async def test_a_line_that_never_ends_is_left(tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("wb") as file:
        file.write(b"x" * 9_000)
        file.truncate(5 * 2**30)
    outcome = await read(tmp_path, path="a.txt")
    assert (data_of(outcome), outcome.message) == ("x" * 4_000 + "…", "1 line")
    assert "goes on for more than 16,000,000 characters" in outcome.suggestions[0]
    further = await read(tmp_path, path="a.txt", offset=2)
    assert (further.error_code, further.suggestions) == ("past_the_end", outcome.suggestions)


@pytest.mark.parametrize("size", [3_999, 4_000, 4_001, 8_192, 12_192, 12_193])
async def test_lines_as_long_as_a_piece_are_whole_or_cut(tmp_path: Path, size: int) -> None:
    (tmp_path / "a.txt").write_text("x" * size + "\nend\n")
    line, end = data_of(await read(tmp_path, path="a.txt")).split("\n")
    assert (line, end) == ("x" * min(size, 4_000) + ("…" if size > 4_000 else ""), "end")


async def test_a_read_that_is_cancelled_stops(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n" * 100_000)
    context = tool_context({"path": "a.txt"}, workspace=tmp_path)
    context.cancellation.cancel()
    assert data_of(await READ.execute(context)) == ""


async def test_devices_and_folders_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "null").symlink_to("/dev/null")
    assert not (await read(tmp_path, path="null")).success
    assert not (await read(Path("/dev"), path="zero")).success
    (tmp_path / "loop").symlink_to("loop")
    assert not (await read(tmp_path, path="loop")).success


def test_it_passes_what_every_tool_should(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("some text\n" * 10_000)
    assert_valid_tool(READ, [{"path": "a.txt"}], workspace=tmp_path)


async def test_of_a_missing_file_those_with_like_names_are_told(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("config.py", "confide.py", "other.txt"):
        (tmp_path / "src" / name).touch()
    for tool, arguments in ((READ, {}), (tw.builtin.edit_file, {"old": "a", "new": "b"})):
        outcome = await call(tool, tmp_path, path="src/confg.py", **arguments)
        assert outcome.error_code == "cannot_read"
        assert set(outcome.suggestions) == {"There is 'src/config.py'.", "There is 'src/confide.py'."}
    assert (await read(tmp_path, path="no/such/folder.py")).suggestions == ()
