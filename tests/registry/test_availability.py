from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from tests.promises import keeps
from tests.registry.making import make_tool, names_of
from toolwright.errors import UnknownWordError
from toolwright.levels import RiskLevel, ToolCategory
from toolwright.registry import Availability, Registry
from toolwright.registry.availability import NEEDS

EVERYTHING: dict[str, Any] = {"has_workspace": True, "has_terminal": True, "has_editor": True, "has_git": True}


def registry_of_all_categories() -> Registry:
    return Registry([make_tool(f"{category}_tool", category=category, risk="safe") for category in ToolCategory])


@keeps("registry.availability.workspace")
def test_a_workspace_that_is_given_is_there() -> None:
    given = Availability(workspace=Path("somewhere"))
    assert given.has_workspace
    assert given.workspace == Path("somewhere")
    assert not Availability().has_workspace
    assert Availability(has_workspace=True).has_workspace


@keeps("registry.availability.needs")
@pytest.mark.parametrize("category", ["workspace", "terminal", "editor", "git"])
def test_a_category_needs_what_it_is_named_after(category: str) -> None:
    registry = registry_of_all_categories()
    every = names_of(registry.available(Availability(**EVERYTHING)))
    assert every == names_of(registry)
    without = Availability(**{**EVERYTHING, f"has_{category}": False})
    assert names_of(registry.available(without)) == [name for name in every if name != f"{category}_tool"]
    assert NEEDS[ToolCategory(category)] == f"has_{category}"


@keeps("registry.availability.default")
def test_by_default_there_is_all_but_git() -> None:
    registry = registry_of_all_categories()
    left_out = set(names_of(registry)) - set(names_of(registry.available(Availability.default())))
    assert left_out == {"git_tool"}


@keeps("registry.availability.safe_only")
def test_safe_only_has_a_workspace_and_safe_tools() -> None:
    safe = Availability.safe_only()
    registry = registry_of_all_categories()
    left_out = set(names_of(registry)) - set(names_of(registry.available(safe)))
    assert left_out == {"terminal_tool", "editor_tool", "git_tool"}
    registry.register(make_tool("low_tool", risk="low"))
    assert "low_tool" not in names_of(registry.available(safe))


TOOLS = [
    make_tool("one", category="network", risk="safe", tags=["Web", "read"]),
    make_tool("two", category="network", risk="medium", tags=["web"]),
    make_tool("three", category="database", risk="high", tags=["read"]),
]


@keeps("registry.availability.conditions")
@pytest.mark.parametrize(
    ("conditions", "left"),
    [
        ({}, ["one", "two", "three"]),
        ({"enabled": {"Two", "three", "absent"}}, ["two", "three"]),
        ({"enabled": set()}, []),
        ({"disabled": ["TWO"]}, ["one", "three"]),
        ({"enabled": ["one", "two"], "disabled": ["one"]}, ["two"]),
        ({"max_risk": "medium"}, ["one", "two"]),
        ({"max_risk": RiskLevel.SAFE}, ["one"]),
        ({"include_categories": {"Database"}}, ["three"]),
        ({"include_categories": []}, []),
        ({"exclude_categories": {ToolCategory.NETWORK}}, ["three"]),
        ({"required_tags": {"WEB"}}, ["one", "two"]),
        ({"required_tags": {"web", "Read"}}, ["one"]),
        ({"required_tags": {"web"}, "max_risk": "safe", "include_categories": {"network"}}, ["one"]),
    ],
)
def test_a_tool_has_to_meet_every_condition(conditions: dict[str, Any], left: list[str]) -> None:
    registry = Registry(TOOLS)
    assert names_of(registry.available(Availability(**conditions))) == left
    assert names_of(registry.definitions(Availability(**conditions))) == left
    assert sorted(names_of(registry.search("", availability=Availability(**conditions)))) == sorted(left)


@pytest.mark.parametrize("field", ["enabled", "disabled", "include_categories", "exclude_categories", "required_tags"])
def test_one_word_is_not_taken_for_a_collection_of_letters(field: str) -> None:
    given: dict[str, Any] = {field: "git"}
    with pytest.raises(TypeError, match="collection"):
        Availability(**given)


def test_words_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UnknownWordError):
        Availability(max_risk="harmless")
    with pytest.raises(UnknownWordError):
        Availability(include_categories={"gti"})


def test_conditions_do_not_change_afterwards() -> None:
    names = {"one"}
    given = Availability(enabled=names)
    names.add("two")
    assert not given.allows(TOOLS[1].definition)
    with pytest.raises(FrozenInstanceError):
        given.max_risk = RiskLevel.HIGH  # type: ignore[misc]
