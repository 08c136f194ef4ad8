from __future__ import annotations

import copy
import operator
import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.errors import UnknownWordError
from toolwright.levels import RiskLevel, SandboxIsolationLevel, ToolCategory, Word

LISTS: list[type[Word]] = [ToolCategory, RiskLevel, SandboxIsolationLevel]
WORDS = [word for kind in LISTS for word in kind]
each_word = pytest.mark.parametrize("word", WORDS, ids=lambda word: f"{type(word).__name__}.{word.name}")

CATEGORIES = {
    "file_system": (0, "medium"),
    "network": (1, "medium"),
    "database": (2, "medium"),
    "code_execution": (3, "high"),
    "external_api": (4, "medium"),
    "knowledge": (5, "low"),
    "communication": (6, "medium"),
    "system": (7, "low"),
    "terminal": (8, "high"),
    "search": (9, "safe"),
    "workspace": (10, "low"),
    "editor": (11, "low"),
    "git": (12, "medium"),
    "custom": (13, "low"),
}


@keeps("levels.categories")
def test_each_category_has_its_number_and_risk() -> None:
    assert {str(each): (each.number, str(each.default_risk)) for each in ToolCategory} == CATEGORIES


@keeps("levels.category_shown")
def test_categories_are_shown_by_name_icon_and_description() -> None:
    git = ToolCategory.GIT
    assert (git.display_name, git.icon, git.description) == ("Git", "git-branch", "Version control operations")
    assert len({each.display_name for each in ToolCategory}) == len({each.icon for each in ToolCategory}) == 14
    assert all(each.description for each in ToolCategory)


@keeps("levels.risks")
def test_risks_are_ordered_by_their_number() -> None:
    words = ["safe", "low", "medium", "high", "critical"]
    assert [(str(risk), risk.number) for risk in RiskLevel] == list(zip(words, range(5), strict=True))
    assert sorted(RiskLevel, reverse=True) == words[::-1]
    assert max(RiskLevel) is RiskLevel.CRITICAL


@keeps("levels.risk_shown")
def test_risks_are_shown_by_name_colour_and_description() -> None:
    high = RiskLevel.HIGH
    assert (high.display_name, high.color, high.description) == (
        "High Risk",
        "#EF4444",
        "Potentially destructive operation",
    )
    assert all(re.fullmatch("#[0-9A-F]{6}", risk.color) for risk in RiskLevel)
    assert len({risk.color for risk in RiskLevel}) == 5


@keeps("levels.approval")
@pytest.mark.parametrize("risk", RiskLevel)
def test_approval_and_log_follow_from_the_order(risk: RiskLevel) -> None:
    assert risk.requires_approval is (risk >= RiskLevel.MEDIUM)
    assert risk.show_in_log is (risk >= RiskLevel.LOW)


@keeps("levels.isolation")
def test_isolation_is_ordered_by_its_number() -> None:
    words = ["none", "standard", "strict", "restricted"]
    assert [(str(level), level.number) for level in SandboxIsolationLevel] == list(zip(words, range(4), strict=True))
    assert all(level.display_name and level.description for level in SandboxIsolationLevel)


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne])
@given(left=st.sampled_from(RiskLevel), right=st.sampled_from(RiskLevel))
def test_plain_words_compare_as_the_members_they_name(
    compare: Callable[[object, object], bool], left: RiskLevel, right: RiskLevel
) -> None:
    expected = compare(left.number, right.number)
    assert compare(left, right) is compare(left, str(right)) is compare(str(left), right) is expected


@pytest.mark.parametrize("other", ["huge", 3, None, SandboxIsolationLevel.STRICT])
def test_a_risk_compares_with_nothing_but_risks(other: Any) -> None:
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        with pytest.raises(TypeError):
            compare(RiskLevel.HIGH, other)
        with pytest.raises(TypeError):
            compare(other, RiskLevel.HIGH)


@each_word
def test_a_word_is_read_in_any_spelling(word: Word) -> None:
    spellings = [word.name, word.value.title(), word.value.replace("_", "-"), word.value.title().replace("_", "")]
    assert all(type(word).parse(spelling) is word and type(word)(spelling) is word for spelling in spellings)
    assert type(word).from_number(word.number) is word


@each_word
def test_a_word_is_the_text_that_stands_in_json(word: Word) -> None:
    assert word == word.value == str(word) == f"{word}"
    assert hash(word) == hash(word.value)
    assert pickle.loads(pickle.dumps(word)) is copy.deepcopy(word) is word  # noqa: S301


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("number", [-1, 14, 99])
def test_an_unknown_number_is_refused(kind: type[Word], number: int) -> None:
    with pytest.raises(UnknownWordError):
        kind.from_number(number)


def test_an_unknown_word_is_answered_with_the_nearest_and_not_repeated() -> None:
    with pytest.raises(UnknownWordError, match="did you mean high") as caught:
        RiskLevel.parse("hihg")
    assert caught.value.code == "unknown_word"
    assert "hihg" not in str(caught.value)


@given(st.text())
def test_any_text_is_a_word_or_an_error(text: str) -> None:
    for kind in LISTS:
        try:
            assert kind.parse(text) in list(kind)
        except UnknownWordError:
            assert text.upper() not in kind.__members__
