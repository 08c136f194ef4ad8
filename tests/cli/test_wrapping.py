"""Streaming text, broken between words."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from toolwright.cli.console import width_of
from toolwright.cli.wrapping import Wrapping

PROSE = st.lists(st.sampled_from(["word", "a", "longer-word", "日本", "é", "\n", "\n\n"]), max_size=60).map(" ".join)


def wrapped(*pieces: str, width: int = 20) -> str:
    wrapping = Wrapping(width)
    return "".join(map(wrapping.feed, pieces))


def test_lines_are_broken_between_words() -> None:
    assert wrapped("The quick brown fox jumps over", width=15) == "The quick brown\nfox jumps over"
    assert wrapped("The quick ", "brown fox", " jumps", width=15) == "The quick brown\nfox jumps"


def test_code_and_tables_are_left_alone() -> None:
    code = "```python\n" + "x = " + "1 + " * 20 + "1\n```\n"
    assert wrapped(code) == code
    table = "| a | b |\n|---|---|\n| a long cell, indeed | b |\n"
    assert wrapped(table) == table
    assert wrapped(code, "and then prose that goes on").endswith("```\nand then prose that\ngoes on")


def test_indents_and_empty_lines_stay_and_scripts_without_blanks_are_broken_too() -> None:
    assert wrapped("a\n\n    - b\n") == "a\n\n    - b\n"
    assert wrapped("日本語" * 5, width=10) == "日本語日本\n語日本語日\n本語日本語"


def test_a_word_that_comes_in_pieces_is_not_torn_apart() -> None:
    assert wrapped("asyn", "cio and", " more", width=8) == "asyncio\nand more"


@settings(max_examples=200)
@given(PROSE, st.integers(12, 40))
def test_nothing_is_lost_and_no_line_is_too_wide(text: str, width: int) -> None:
    shown = wrapped(text, width=width)
    assert shown.split() == text.split() or "".join(shown.split()) == "".join(text.split())
    assert all(width_of(line.strip()) <= width for line in shown.split("\n"))
