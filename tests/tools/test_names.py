from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.promises import keeps
from tests.tools.definitions import names
from toolwright.tools.names import (
    NAME_LENGTH,
    RESERVED_NAMES,
    is_legal_name,
    legal_name,
    normalize_name,
    title_of,
)


@keeps("definition.name")
@pytest.mark.parametrize("name", ["ReadFile", "read file", "read-file", "123_tool", "", "_a", "a" * 65, "naïve", "a\n"])
def test_a_name_of_other_characters_is_not_legal(name: str) -> None:
    assert not is_legal_name(name)


@keeps("definition.name")
@pytest.mark.parametrize("name", sorted(RESERVED_NAMES))
def test_reserved_words_are_not_legal_names(name: str) -> None:
    assert not is_legal_name(name)
    assert is_legal_name(f"{name}_it")
    assert RESERVED_NAMES == {"execute", "run", "call", "invoke"}


@keeps("names.look_up")
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Read-File", "read_file"),
        ("readFile", "read_file"),
        ("read.file", "read_file"),
        ("READ_FILE", "read_file"),
        ("HTTPServer", "http_server"),
        ("getURL2Go", "get_url2_go"),
        ("\N{KELVIN SIGN}elvin", "_elvin"),
    ],
)
def test_spellings_of_a_name_are_one(text: str, name: str) -> None:
    assert normalize_name(text) == name


@keeps("names.look_up")
@given(names)
def test_a_legal_name_is_its_own_spelling(name: str) -> None:
    assert normalize_name(name) == legal_name(name) == name


@keeps("names.look_up")
@given(st.text())
def test_looking_up_twice_is_looking_up_once(text: str) -> None:
    once = normalize_name(text)
    assert normalize_name(once) == once
    assert re.fullmatch("[a-z0-9_]*", once)


@keeps("names.legal")
@pytest.mark.parametrize(
    ("text", "name"),
    [("123_tool", "t123_tool"), ("run", "run_2"), ("Call", "call_2"), ("_private", "private"), ("", "tool")],
)
def test_a_foreign_name_changes_as_little_as_it_must(text: str, name: str) -> None:
    assert legal_name(text) == name


@keeps("names.legal")
def test_a_name_that_is_taken_gets_a_number() -> None:
    assert legal_name("readFile", {"read_file", "read_file_2"}) == "read_file_3"
    long = "a" * NAME_LENGTH
    assert legal_name(long, {long}) == f"{'a' * (NAME_LENGTH - 2)}_2"


@keeps("names.legal")
def test_long_names_with_the_same_beginning_stay_apart() -> None:
    first, second = legal_name("a" * 70), legal_name("a" * 71)
    assert first != second
    assert first[:55] == second[:55] == "a" * 55
    assert len(first) == NAME_LENGTH


@keeps("names.legal")
def test_names_of_which_nothing_is_left_stay_apart() -> None:
    assert legal_name("搜索") != legal_name("读取")
    assert legal_name("搜索").startswith("tool_")


@keeps("names.legal")
@example("\ud800", frozenset())
@given(st.text() | st.from_regex(r"[A-Za-z0-9_.-]+", fullmatch=True), st.frozensets(names | st.sampled_from(["tool"])))
def test_any_text_becomes_a_legal_name_that_is_free(text: str, taken: frozenset[str]) -> None:
    name = legal_name(text, taken)
    assert is_legal_name(name)
    assert name not in taken
    assert legal_name(text, taken) == name


@keeps("names.legal")
@given(st.lists(st.text(max_size=90), max_size=12))
def test_the_names_of_a_whole_server_are_different(texts: list[str]) -> None:
    taken: set[str] = set()
    for text in texts:
        taken.add(legal_name(text, taken))
    assert len(taken) == len(texts)


@keeps("definition.title")
@pytest.mark.parametrize(("name", "title"), [("read_file", "Read File"), ("grep", "Grep"), ("a__b_", "A B")])
def test_a_title_is_the_name_as_people_read_it(name: str, title: str) -> None:
    assert title_of(name) == title
