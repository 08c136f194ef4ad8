from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import toolwright as tw
from tests.builtin.calls import call, data_of
from tests.builtin.test_patterns import PATTERNS
from tests.promises import keeps
from toolwright.builtin.lines import Matches
from toolwright.builtin.patterns import Expression
from toolwright.builtin.ripgrep import may_match
from toolwright.builtin.searching import Search
from toolwright.testing import assert_valid_tool, tool_context

SEARCH = tw.builtin.search_text
RIPGREP = sysconfig.get_path("scripts")  # where the tests bring it along
NOWHERE = "/nowhere"


def lines_of(data: Any) -> list[tuple[str, int, str]]:
    return [(match["path"], match["line"], match["text"]) for match in data["matches"]]


def test_ripgrep_is_there_to_be_tested_with() -> None:
    assert shutil.which("rg", path=RIPGREP)


@keeps("builtin.search_text")
async def test_it_finds_lines_by_expression_or_plain_text(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def one():\n    return 1.0\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.py").write_text("x = 1x0\nDEF two\n")
    found = data_of(await call(SEARCH, tmp_path, pattern=r"^def \w+"))
    assert lines_of(found) == [("a.py", 1, "def one():")]
    assert (found["files"], found["total"]) == ([{"path": "a.py", "count": 1}], 1)
    assert lines_of(data_of(await call(SEARCH, tmp_path, pattern="1.0", regex=False))) == [
        ("a.py", 2, "    return 1.0")
    ]
    both = await call(SEARCH, tmp_path, pattern="def", ignore_case=True)
    assert lines_of(data_of(both)) == [("a.py", 1, "def one():"), ("sub/b.py", 2, "DEF two")]
    assert both.message == "2 matches in 2 of 2 files"
    assert data_of(await call(SEARCH, tmp_path, pattern="def", glob="sub/*.py"))["total"] == 0
    assert data_of(await call(SEARCH, tmp_path, pattern="x", path="sub", glob="*.py"))["total"] == 1
    assert data_of(await call(SEARCH, tmp_path, pattern="x", path="sub/b.py"))["total"] == 1


@keeps("builtin.search_text")
async def test_it_shows_the_lines_around_and_the_counts_of_each_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2 hit\n3\n4 hit\n5\n6\n")
    (tmp_path / "b.txt").write_text("hit")
    found = data_of(await call(SEARCH, tmp_path, pattern="hit", context_lines=2))
    assert found["matches"] == [
        {"path": "a.txt", "line": 2, "text": "2 hit", "before": ["1"], "after": ["3", "4 hit"]},
        {"path": "a.txt", "line": 4, "text": "4 hit", "before": ["2 hit", "3"], "after": ["5", "6"]},
        {"path": "b.txt", "line": 1, "text": "hit", "before": [], "after": []},
    ]
    counts = data_of(await call(SEARCH, tmp_path, pattern="hit", counts_only=True))
    assert counts == {"files": [{"path": "a.txt", "count": 2}, {"path": "b.txt", "count": 1}], "total": 3}


@keeps("builtin.paged")
async def test_what_there_is_one_of_is_told_as_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hit\nhit\n")
    found = await call(SEARCH, tmp_path, pattern="hit", limit=1)
    assert found.message == "2 matches in 1 of 1 file"
    assert found.suggestions == ("Not on this page: 1 more match. Go on with offset=1, or look more closely.",)
    assert (await call(tw.builtin.list_directory, tmp_path)).message == "1 entry"
    assert (await call(tw.builtin.glob, tmp_path, pattern="*")).message == "1 file"
    assert (await call(tw.builtin.write_file, tmp_path, path="b.txt", content="b")).message == "b.txt created, 1 byte"


async def test_many_matches_are_given_in_pages(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hit\n" * 250)
    first = await call(SEARCH, tmp_path, pattern="hit")
    assert (len(data_of(first)["matches"]), first.data["total"]) == (100, 250)
    assert first.suggestions == ("Not on this page: 150 more matches. Go on with offset=100, or look more closely.",)
    last = data_of(await call(SEARCH, tmp_path, pattern="hit", offset=200))
    assert [match["line"] for match in last["matches"]] == list(range(201, 251))


async def test_hundreds_of_files_are_told_and_the_others_counted(tmp_path: Path) -> None:
    for number in range(502):
        (tmp_path / f"{number:03}").write_text("hit")
    outcome = await call(SEARCH, tmp_path, pattern="hit", counts_only=True)
    assert len(data_of(outcome)["files"]) == 500
    assert outcome.suggestions == ("Not told: 2 more files with matches. Search a smaller part.",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1"])
@pytest.mark.parametrize("path", [RIPGREP, NOWHERE], ids=["ripgrep", "alone"])
async def test_every_encoding_is_read(
    tmp_path: Path, encoding: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", path)
    for number in range(30):
        (tmp_path / f"{number}.txt").write_text("nothing")
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    (tmp_path / "a.txt").write_bytes(mark + "ascii here\r\nkäse\r\n".encode(encoding))
    found = data_of(await call(SEARCH, tmp_path, pattern="^(käse|ascii here)$"))
    assert lines_of(found) == [("a.txt", 1, "ascii here"), ("a.txt", 2, "käse")]


async def test_binary_files_links_and_pipes_are_left_out(tmp_path: Path) -> None:
    workspace = tmp_path / "work"
    workspace.mkdir()
    (tmp_path / "secret.txt").write_text("hit")
    (workspace / "a.txt").write_text("hit")
    (workspace / "b.bin").write_bytes(b"hit\0")
    (workspace / "c.txt").write_bytes(b"hit\n" + b"x" * 10_000 + b"\nhit\0hit\n")
    (workspace / "out.txt").symlink_to(tmp_path / "secret.txt")
    (workspace / "loop").symlink_to(".")
    os.mkfifo(workspace / "pipe")
    found = data_of(await call(SEARCH, workspace, pattern="hit"))
    assert (found["files"], found["skipped"]) == ([{"path": "a.txt", "count": 1}], {"binary files": 2})
    for path in ("pipe", "out.txt", "missing"):
        assert not (await call(SEARCH, workspace, pattern="hit", path=path)).success
    (workspace / ".gitignore").write_text("a.*\n")
    assert data_of(await call(SEARCH, workspace, pattern="hit"))["total"] == 0
    assert data_of(await call(SEARCH, workspace, pattern="hit", ignore=False))["total"] == 1


async def test_a_file_of_five_gigabytes_is_searched_in_bounded_room(tmp_path: Path) -> None:
    with (tmp_path / "zeros.bin").open("wb") as file:
        file.truncate(5 * 2**30)
    with (tmp_path / "text.txt").open("wb") as file:
        file.write(b"a hit\n" + b"line\n" * 10_000)
        file.truncate(5 * 2**30)
    found = data_of(await call(SEARCH, tmp_path, pattern="hit"))
    assert (found["total"], found["skipped"]) == (0, {"binary files": 2})


async def test_of_a_very_long_line_the_match_is_shown(tmp_path: Path) -> None:
    long = "x" * 20_000_000 + "needle" + "y" * 1_000_000 + "needle" + "z" * 1_000_000
    (tmp_path / "a.txt").write_text(f"{long}\nend\n")
    match, end = data_of(await call(SEARCH, tmp_path, pattern="needle|^end", context_lines=1))["matches"]
    assert "needle" in match["text"]
    assert len(match["text"]) <= 402
    assert (end["text"], end["line"], set(end["before"][0])) == ("end", 2, {"z"})
    assert len(end["before"][0]) <= 401


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"pattern": "("}, "bad_pattern"),
        ({"pattern": r"(a)\1"}, "bad_pattern"),
        ({"pattern": "a", "glob": "../*"}, "bad_pattern"),
        ({"pattern": "a", "path": ".."}, "validation_failed"),
        ({"pattern": ""}, "validation_failed"),
    ],
)
async def test_what_cannot_be_searched_is_said(tmp_path: Path, arguments: dict[str, Any], code: str) -> None:
    outcome = await call(SEARCH, tmp_path, **arguments)
    assert (outcome.success, outcome.error_code) == (False, code)


CONTENTS = st.lists(
    st.text("ab .x\n\r", max_size=12).map(str.encode)
    | st.sampled_from([b"", b"\0", "é\n".encode(), b"\xff", "ab\n".encode("utf-16"), "ab\n".encode("utf-32"), b"ab\r"]),
    min_size=24,
    max_size=24,
)


@keeps("builtin.search_ripgrep")
@given(
    contents=CONTENTS, pattern=PATTERNS | st.sampled_from([r"\S", r"\D", r"[^\w]", "a$", "^$", r"\x61", r"a\/?", "&&"])
)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(contents=[b"a\rb"] * 24, pattern="a.b")
@example(contents=[b"a\r"] * 24, pattern="a.")
def test_ripgrep_leaves_out_no_file_that_has_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contents: list[bytes], pattern: str
) -> None:
    monkeypatch.setenv("PATH", RIPGREP)
    paths = [f"{number}.txt" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        (tmp_path / path).write_bytes(content)
    worth = may_match(tmp_path, paths, Expression(pattern), lambda: False)
    expression = Expression(pattern)
    if worth is not None:
        for path, content in zip(paths, contents, strict=True):
            lines = content.decode("latin-1").replace("\r\n", "\n").removesuffix("\n").split("\n") if content else []
            if b"\0" not in content and content.isascii() and any(map(expression.matches, lines)):
                assert path in worth


@keeps("builtin.search_ripgrep")
async def test_the_answers_are_the_same_with_and_without_ripgrep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(300):
        folder = tmp_path / f"-d{number % 7}"
        folder.mkdir(exist_ok=True)
        text = f"line {number}\nneedle {number}\r\n" if number % 11 == 0 else f"line {number}\n" * 50
        (folder / f"new\nline {number}.txt").write_bytes(text.encode())
    answers = []
    for path in (RIPGREP, NOWHERE):
        monkeypatch.setenv("PATH", path)
        answers.append(data_of(await call(SEARCH, tmp_path, pattern="^needle [0-9]+$", context_lines=1)))
    assert answers[0] == answers[1]
    assert answers[0]["total"] == 28
    monkeypatch.setenv("PATH", RIPGREP)
    worth = may_match(
        tmp_path,
        [f"-d{number % 7}/new\nline {number}.txt" for number in range(300)],
        Expression("^needle"),
        lambda: False,
    )
    assert worth is not None
    assert len(worth) == 28, "all others need not be read"


def test_a_program_of_the_workspace_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rg").write_text("#!/bin/sh\ntouch ran\n")
    (tmp_path / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert may_match(tmp_path, ["rg"] * 30, Expression("a"), lambda: False) is None
    assert not (tmp_path / "ran").exists()


def test_a_ripgrep_that_fails_or_cannot_be_started_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs, work = tmp_path / "programs", tmp_path / "work"
    programs.mkdir()
    work.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    for text in ("#!/bin/sh\nexit 2\n", "#!/nowhere/at/all\n"):
        (programs / "rg").write_text(text)
        (programs / "rg").chmod(0o755)
        assert may_match(work, ["a"] * 30, Expression("a"), lambda: False) is None


def test_a_ripgrep_that_hangs_is_ended_when_the_call_is_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs, work = tmp_path / "programs", tmp_path / "work"
    programs.mkdir()
    work.mkdir()
    (programs / "rg").write_text("#!/bin/sh\nexec /bin/sleep 600\n")
    (programs / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    assert may_match(work, ["a"] * 30, Expression("a"), lambda: True) is None


async def test_a_search_that_is_cancelled_stops(tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / f"{number}.txt").write_text("hit\n" * 100)
    context = tool_context({"pattern": "hit"}, workspace=tmp_path)
    context.cancellation.cancel()
    assert data_of(await SEARCH.execute(context))["total"] == 0


async def test_progress_is_told_on_the_way(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hit")
    said: list[str] = []
    executor = tw.Executor(tw.builtin.registry(tmp_path))
    await executor.execute(
        tw.ToolCall.new("search_text", pattern="hit"),
        workspace=tmp_path,
        progress=lambda each: said.append(each.message),
    )
    assert said == ["1 file searched, 1 match"]


def test_it_passes_what_every_tool_should(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}.txt").write_text("some text\n" * 1_000)
    assert_valid_tool(SEARCH, [{"pattern": "text"}], workspace=tmp_path)
    assert SEARCH.summarize({"pattern": "a\nb"}) == "Search for 'a\\nb'"


async def test_thousands_of_files_and_long_names_are_searched_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", RIPGREP)
    for number in range(2_050):
        (tmp_path / f"{number:04}{'x' * 100}").write_text("hit" if number % 1_000 == 7 else "nothing")
    found = await call(SEARCH, tmp_path, pattern="hit")
    assert [path[:4] for path, _, _ in lines_of(data_of(found))] == ["0007", "1007", "2007"]
    assert found.message == "3 matches in 3 of 2,050 files"


async def test_a_text_of_several_blocks_is_numbered_through(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("filler line\n" * 800_000 + "needle\n")
    (match,) = data_of(await call(SEARCH, tmp_path, pattern="needle", context_lines=1))["matches"]
    assert (match["line"], match["before"], match["after"]) == (800_001, ["filler line"], [])


async def test_lines_around_go_over_the_end_of_a_block(tmp_path: Path) -> None:
    line = "x" * 1_023 + "\n"
    (tmp_path / "a.txt").write_text(line * 4_095 + "needle" + "y" * 1_017 + "\n" + "after\n" + line * 5_000)
    (match,) = data_of(await call(SEARCH, tmp_path, pattern="needle", context_lines=1))["matches"]
    assert (match["line"], match["after"]) == (4_096, ["after"])


async def test_zeros_far_behind_a_match_end_the_text(tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("wb") as file:
        file.write(b"a hit\n" + b"line\n" * 1_000_000)
        file.truncate(5 * 2**30)
    found = data_of(await call(SEARCH, tmp_path, pattern="hit"))
    assert (found["total"], "skipped" in found) == (1, False)


async def test_files_that_cannot_be_opened_are_counted(tmp_path: Path) -> None:
    found = Matches(Expression("hit"), around=0, offset=0, limit=10)
    search = Search(tmp_path, found, tool_context({}, workspace=tmp_path))
    search.files(iter([("gone.txt",)]))
    assert search.skipped["unreadable files"] == 1


async def test_halves_of_characters_are_no_ends_of_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("\ufeffone\nhit ꄊĀਅĀ".encode("utf-16-le"))
    assert lines_of(data_of(await call(SEARCH, tmp_path, pattern="hit"))) == [("a.txt", 2, "hit ꄊĀਅĀ")]


async def test_a_line_that_is_searched_in_pieces_loses_no_character(tmp_path: Path) -> None:
    line = "ä€𝄞" * 3_000
    dear = "(?:.{0,200}){3}needle|needle$"
    assert Expression(dear).reach < len(line), "the line is longer than what is looked at at once"
    for encoding in ("utf-8", "utf-16", "utf-32"):
        (tmp_path / "a.txt").write_bytes(f"{line}needle\r\nend\r\n".encode(encoding))
        match, end = data_of(await call(SEARCH, tmp_path, pattern=f"{dear}|^end$"))["matches"]
        assert (match["line"], match["text"].endswith("needle"), "\ufffd" in match["text"]) == (1, True, False)
        assert (end["line"], end["text"]) == (2, "end")


async def test_a_cancelled_search_of_one_file_stops(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hit\n")
    context = tool_context({"pattern": "hit", "path": "a.txt"}, workspace=tmp_path)
    context.cancellation.cancel()
    assert data_of(await SEARCH.execute(context))["total"] == 0


async def test_a_workspace_that_is_not_there_is_told(tmp_path: Path) -> None:
    outcome = await call(SEARCH, tmp_path / "gone", pattern="x")
    assert outcome.error_code == "cannot_read"
    assert "No such file or directory" in (outcome.error or "")
