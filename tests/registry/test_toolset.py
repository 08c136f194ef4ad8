from __future__ import annotations

import copy

import pytest

from tests.promises import keeps
from tests.registry.making import make_tool, make_tools, names_of
from toolwright.errors import DuplicateToolError, ToolNotFoundError, UnknownWordError
from toolwright.registry import Availability, Registry, Toolset, ToolView
from toolwright.tools import Tool


def workshop() -> Registry:
    return Registry(
        [
            make_tool("git_log", "Show commits.", tags=["Git", "read"], category="git", risk="safe"),
            make_tool("git_push", "Publish commits.", tags=["git"], category="git", risk="high"),
            make_tool("read_file", "Read a file.", tags=["read"], category="file_system", risk="low"),
        ]
    )


@keeps("registry.toolset.methods")
def test_a_toolset_keeps_what_meets_every_condition() -> None:
    registry = workshop()
    assert names_of(registry.toolset()) == ["git_log", "git_push", "read_file"]
    assert names_of(registry.toolset(tags={"git"})) == ["git_log", "git_push"]
    assert names_of(registry.toolset(tags={"git", "read"})) == ["git_log", "git_push", "read_file"]
    assert names_of(registry.toolset(names=["Read-File", "gitPush"])) == ["git_push", "read_file"]
    assert names_of(registry.toolset(categories={"git"})) == ["git_log", "git_push"]
    assert names_of(registry.toolset(max_risk="low")) == ["git_log", "read_file"]
    assert names_of(registry.toolset(tags={"READ"}, max_risk="safe")) == ["git_log"]
    assert names_of(registry.toolset(names=[])) == []


def test_conditions_that_cannot_be_meant_are_refused() -> None:
    with pytest.raises(TypeError, match="collection"):
        workshop().toolset(tags="git")
    with pytest.raises(TypeError, match="collection"):
        workshop().toolset(names="git_log")
    with pytest.raises(UnknownWordError):
        workshop().toolset(categories={"gti"})


@keeps("registry.toolset")
def test_a_toolset_is_read_as_a_registry_is() -> None:
    registry = workshop()
    view = registry.toolset("version control", tags={"git"})
    assert isinstance(view, ToolView)
    assert view.get("gitLog") is registry["git_log"]
    assert view["git_push"] is registry["git_push"]
    assert view.get("read_file") is None
    assert "read_file" not in view
    assert len(view) == 2
    assert bool(view.filtered(lambda _: False))
    assert names_of(view.available(Availability(max_risk="safe", has_git=True))) == ["git_log"]
    assert names_of(view.definitions()) == ["git_log", "git_push"]
    assert names_of(view.by_risk("safe")) == names_of(view.by_tag("read")) == ["git_log"]
    assert names_of(view.search("commits")) == ["git_log", "git_push"]
    assert view.search("file") == []
    assert len(view.search("")) == 2
    with pytest.raises(ToolNotFoundError) as caught:
        view["git_logg"]
    assert caught.value.suggestions == ("git_log",)
    assert repr(view) == "<Toolset version control: 2 tools>"


@keeps("registry.toolset")
def test_a_toolset_sees_later_changes() -> None:
    registry = workshop()
    view = registry.toolset(tags={"git"}).prefixed("vcs")
    registry.unregister("git_log")
    registry.register(make_tool("git_blame", "Who wrote a line.", tags=["git"]))
    assert names_of(view) == ["vcs_git_push", "vcs_git_blame"]
    assert names_of(view.search("who wrote this line")) == ["vcs_git_blame"]
    registry.replace(make_tool("git_push", "Upload.", tags=["git"]))
    assert view["vcs_git_push"].definition.description == "Upload."
    assert names_of(view.search("upload")) == ["vcs_git_push"]


@keeps("registry.toolset.methods")
async def test_a_renamed_tool_runs_as_before_under_the_new_name() -> None:
    from toolwright.testing import tool_context

    registry = workshop()
    view = registry.toolset().renamed({"Read-File": "cat"})
    cat = view["cat"]
    assert isinstance(cat, Tool)
    assert names_of(view) == ["git_log", "git_push", "cat"]
    assert view.get("read_file") is None
    assert view["cat"] is cat
    assert cat.definition.name == "cat"
    assert registry["read_file"].definition.name == "read_file"
    assert cat.definition.description == "Read a file."
    assert cat.available
    assert cat.check({}).valid
    assert cat.effective_risk({}) is registry["read_file"].effective_risk({})
    assert cat.summarize({}) == registry["read_file"].summarize({})
    outcome = await cat.execute(tool_context())
    assert outcome.success
    assert names_of(view.search("cat")) == ["cat"]
    assert not hasattr(cat, "unheard_of")
    assert copy.copy(cat).definition == cat.definition


@keeps("registry.toolset.methods")
def test_names_can_be_swapped() -> None:
    registry = Registry(make_tools("left", "right"))
    view = registry.toolset().renamed({"left": "right", "right": "left"})
    assert view["left"].definition.name == "left"
    assert names_of(view) == ["right", "left"]
    assert getattr(view["left"], "wrapped", None) is registry["right"]


@keeps("registry.toolset.methods")
def test_a_prefix_makes_names_that_are_legal_and_found() -> None:
    long = "x" * 64
    registry = Registry(make_tools("log", long, "x" * 63 + "y"))
    view = registry.toolset().prefixed("git")
    names = names_of(view)
    assert names[0] == "git_log"
    assert len(set(names)) == 3
    assert all(len(name) <= 64 for name in names)
    for name in names:
        assert view[name].definition.name == name
    assert view.get("log") is None
    assert view.get("git_git_log") is None
    assert "gitLog" in view


@pytest.mark.parametrize("prefix", ["", "9", "Git", "a-b", "run", "x" * 65])
def test_a_prefix_that_is_no_name_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="name"):
        workshop().toolset().prefixed(prefix)


@keeps("registry.toolset.methods")
def test_a_filter_is_asked_each_time() -> None:
    allowed = {"git_log"}
    view = workshop().toolset().filtered(lambda tool: tool.definition.name in allowed)
    assert names_of(view) == ["git_log"]
    assert view.get("read_file") is None
    allowed.add("read_file")
    assert names_of(view) == ["git_log", "read_file"]
    assert view.get("read_file") is not None
    assert names_of(view.search("file")) == ["read_file"]
    allowed.clear()
    assert view.search("file") == []


@keeps("registry.toolset.methods")
def test_two_toolsets_add_up_to_one() -> None:
    registry, other = workshop(), Registry(make_tools("git_log", "plot"))
    view = registry.toolset("mine", max_risk="safe") + other.toolset("theirs").prefixed("my")
    assert names_of(view) == ["git_log", "my_git_log", "my_plot"]
    assert view["my_plot"].definition.name == "my_plot"
    assert names_of(view.search("plot")) == ["my_plot"]
    assert view.name == "mine + theirs"
    assert names_of(registry.toolset(tags={"git"}) + registry.toolset(tags={"read"})) == [
        "git_log",
        "git_push",
        "read_file",
    ]
    assert names_of(other.toolset() + Registry(make_tools("third"))) == ["git_log", "plot", "third"]
    with pytest.raises(TypeError):
        other.toolset() + 5  # type: ignore[operator]


@keeps("registry.toolset.clashes")
def test_names_that_clash_are_refused_when_composed() -> None:
    registry, other = workshop(), Registry(make_tools("git_log"))
    with pytest.raises(DuplicateToolError) as caught:
        registry.toolset() + other.toolset()
    assert caught.value.name == "git_log"
    with pytest.raises(DuplicateToolError):
        registry.toolset().renamed({"git_log": "git_push"})
    with pytest.raises(DuplicateToolError):
        registry.toolset().renamed({"git_log": "log", "git_push": "log"})


def test_names_that_clash_later_leave_the_one_further_left() -> None:
    registry, other = workshop(), Registry()
    view = registry.toolset() + other.toolset()
    other.register(make_tool("git_log", "Another."))
    assert names_of(view) == ["git_log", "git_push", "read_file"]
    assert view["git_log"] is registry["git_log"]


def test_renaming_what_is_not_there_or_to_no_name_is_refused() -> None:
    with pytest.raises(ToolNotFoundError) as caught:
        workshop().toolset().renamed({"git_lgo": "log"})
    assert caught.value.suggestions[0] == "git_log"
    with pytest.raises(ValueError, match="name"):
        workshop().toolset().renamed({"git_log": "No Name"})


def test_toolsets_are_made_of_other_toolsets() -> None:
    view: Toolset = workshop().toolset(tags={"git"}).prefixed("a").renamed({"a_git_log": "history"}).prefixed("b")
    assert names_of(view) == ["b_history", "b_a_git_push"]
    assert view["b_history"].definition.description == "Show commits."
    assert view.get("b_a_git_log") is None
