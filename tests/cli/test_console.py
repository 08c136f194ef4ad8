"""What is written where, and how wide it is: tables, cut lines, characters that nobody would see."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.making import Home, Person
from tests.promises import keeps
from toolwright.cli.console import cut, one_line, seen, table, width_of, wrapped
from toolwright.cli.lines import call_line, data_lines, excerpt, progress_line, result_line
from toolwright.cli.live import amount, bar, lasted
from toolwright.execution import Executor
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.registry import Registry
from toolwright.schema import SchemaBuilder
from toolwright.testing import MockTool
from toolwright.tools import ToolProgress


@keeps("cli.visible")
@settings(max_examples=200)
@given(st.text())
def test_whatever_is_seen_has_nothing_that_a_terminal_would_act_on(text: str) -> None:
    allowed = set("\n\t\u200c\u200d")
    assert all(each.isprintable() or each in allowed or each.isspace() for each in seen(text))
    assert not set("\x1b\x9b\r\x07\u202e\u2066") & set(seen(text))
    assert "\n" not in one_line(text)


@settings(max_examples=200)
@given(st.text(st.characters(codec="utf-8")), st.integers(1, 40))
def test_a_line_that_was_cut_is_never_wider_than_wanted(text: str, width: int) -> None:
    line = one_line(text)
    shown = cut(line, width)
    assert width_of(shown) <= width
    assert shown == line or shown.endswith("…")


def test_wide_letters_and_marks_are_counted_as_a_terminal_shows_them() -> None:
    assert width_of("abc") == 3
    assert width_of("日本") == 4
    assert width_of("e\u0301") == 1
    assert cut("日本語", 5) == "日本…"
    assert table([["日本", "x"], ["a", "y"]], 80) == [["日本", "x"], ["a   ", "y"]]


def test_the_last_column_takes_what_is_left_of_the_line() -> None:
    rows = table([["name", "x" * 100], ["longer name", "y"]], 40)
    assert [width_of("  ".join(row)) for row in rows] == [40, 14]


def test_numbers_are_written_as_people_read_them() -> None:
    assert [amount(size) for size in (0, 1023, 1024, 491_400_064, 3 * 1024**3)] == [
        *("0 bytes", "1,023 bytes", "1.0 KB", "468.6 MB", "3.0 GB")
    ]
    assert [lasted(seconds) for seconds in (0.0123, 1.26, 61)] == ["12 ms", "1.3 s", "1 min 1 s"]
    assert bar(0.5) == "██████████░░░░░░░░░░  50%"
    assert bar(7).endswith("100%")


def test_a_call_is_one_line_however_much_it_says() -> None:
    call = ToolCall("c", "write_file", {"path": "a.txt", "content": "x\n" * 10_000, "mode": None})
    line = call_line(call)
    assert line.startswith('write_file(path="a.txt", content="x\\nx\\n')
    assert "…, 20,000 characters, mode=null)" in line
    assert len(line) < 200
    assert call_line(InvalidToolCall("c", "f", '{"a"\n: ', "not JSON")) == 'f({"a" :)'


def test_progress_says_what_is_known_of_it() -> None:
    assert progress_line(ToolProgress(message="looking")) == "looking"
    assert progress_line(ToolProgress(message="a.py", operation="reading", percent=50)) == f"{bar(0.5)} reading: a.py"
    assert progress_line(ToolProgress(message="files", items=1000, total=4000)) == f"{bar(0.25)} 1,000 of 4,000 files"


def test_what_a_tool_gave_is_shown_as_people_read_it() -> None:
    data = {
        "matches": [{"path": "a.py", "line": 1}, {"path": "long/b.py", "line": 20, "more": None}],
        "names": ["x", "y"],
        "text": "one\ntwo",
        "total": 2,
        "done": True,
        "none": [],
    }
    assert data_lines(data, 80) == [
        "matches:",
        "  a.py       1",
        "  long/b.py  20  null",
        "names:",
        "  x",
        "  y",
        "text:",
        "  one",
        "  two",
        "total: 2",
        "done: true",
        "none: []",
    ]
    assert data_lines("a\nb", 80) == ["a", "b"]
    assert data_lines([1, "b", [2]], 80) == ["1", "b", "[2]"]
    assert data_lines(None, 80) == ["null"]
    assert data_lines({}, 80) == ["{}"]
    assert excerpt("\na\nb\nc\n", 2) == "a\nb\n... 1 more line"


@keeps("cli.pipes", "cli.no_color")
def test_colours_are_for_a_terminal_and_for_who_wants_them(home: Home) -> None:
    assert "\x1b" not in home.run("tools", "list").out
    with Person("tools", "list") as person:
        person.leaves()
        assert "\x1b[32msafe" in person.all
    with Person("tools", "list", env={"NO_COLOR": "1"}) as person:
        person.leaves()
        assert "\x1b" not in person.all


def test_a_table_fits_the_terminal_and_a_pipe_gets_all_of_it(home: Home) -> None:
    with Person("tools", "list", env={"COLUMNS": "60", "NO_COLOR": "1"}) as person:
        person.leaves()
        assert max(map(len, person.all.splitlines())) <= 60
        assert "…" in person.all
    assert "…" not in home.run("tools", "list").out


@keeps("cli.json")
def test_json_is_in_lines_for_a_person_and_in_one_for_a_program(home: Home) -> None:
    assert home.run("config", "path", "--json").out.count("\n") == 1
    with Person("config", "path", "--json") as person:
        person.leaves()
        assert person.all.startswith("{\n  ")


def test_another_encoding_of_the_terminal_ends_nothing(home: Home) -> None:
    home.writes("日本.txt", "語\n")
    env = {"PYTHONIOENCODING": "ascii"}
    said = home.spawn("tools", "call", "read_file", "--path", "日本.txt", env=env)
    assert (said.code, said.out) == (0, "\\u8a9e\n")
    assert home.spawn("tools", "show", "read_file", env={**env, "COLUMNS": "40"}).code == 0


def test_a_message_that_announces_a_list_is_told_with_the_list() -> None:
    schema = SchemaBuilder().string("path", required=True).integer("limit", maximum=9).build()
    refused = Executor(Registry([MockTool("look", parameters=schema)])).execute_sync(ToolCall.new("look", limit=10))
    assert result_line(refused).startswith("The arguments are not valid: limit: must be at most 9; path: is missing  ")


def test_what_must_be_read_to_its_end_goes_on_in_the_next_line() -> None:
    rows = [
        ("one", "a b", "words that take more than a line"),
        ("three", "c"),
        ("x", "", "/a/path-that-is-copied-whole"),
    ]
    assert [cells for _, cells in wrapped(rows, 34)] == [
        ["one  ", "a b", "words that take more"],
        ["     ", "   ", "than a line"],
        ["three", "c  ", ""],
        ["x    ", "   ", "/a/path-that-is-copied-whole"],
    ]
