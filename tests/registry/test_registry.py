from __future__ import annotations

import logging
from typing import Any

import pytest

from tests.promises import keeps
from tests.registry.making import Echo, make_tool, make_tools, names_of
from toolwright.errors import (
    DuplicateToolError,
    InvalidDefinitionError,
    ProtectedToolError,
    ToolNotFoundError,
    UnknownWordError,
)
from toolwright.levels import RiskLevel, ToolCategory
from toolwright.registry import Availability, Registry
from toolwright.tools import CustomTool, tool


@keeps("registry.container")
def test_a_registered_tool_is_there() -> None:
    registry = Registry()
    registry.register(make_tool("test_tool"))
    assert len(registry) == 1
    assert "test_tool" in registry


@keeps("registry.get")
def test_get_returns_the_tool_itself_or_none() -> None:
    one, two = make_tool("one", title="Number One"), make_tool("two")
    registry = Registry([one, two])
    assert registry.get("one") is one
    assert registry["two"] is two
    assert registry.get("nonexistent") is None
    assert "nonexistent" not in registry
    assert 1 not in registry


@keeps("registry.container")
def test_tools_come_in_the_order_of_registration() -> None:
    names = ["zeta", "alpha", "mid", "beta"]
    registry = Registry(make_tools(*names))
    assert names_of(registry) == names
    registry.unregister("alpha")
    registry.register(make_tool("alpha"))
    assert names_of(registry) == ["zeta", "mid", "beta", "alpha"]


@keeps("registry.duplicate")
def test_a_second_tool_of_a_name_is_refused() -> None:
    first = make_tool("test_tool")
    registry = Registry([first])
    with pytest.raises(DuplicateToolError, match="test_tool") as caught:
        registry.register(make_tool("test_tool"))
    assert caught.value.name == "test_tool"
    assert isinstance(caught.value, ValueError)
    assert list(registry) == [first]


@keeps("registry.try_register")
def test_trying_to_register_says_whether_the_name_was_free() -> None:
    registry = Registry()
    assert registry.try_register(make_tool("one"))
    assert not registry.try_register(make_tool("one"))
    registry.register(make_tool("read_file"), builtin=True)
    assert not registry.try_register(make_tool("readfile"))
    assert names_of(registry) == ["one", "read_file"]


def test_several_tools_are_taken_in_together_or_not_at_all() -> None:
    registry = Registry(make_tools("one"))
    with pytest.raises(DuplicateToolError):
        registry.add(make_tools("two", "one"))
    with pytest.raises(DuplicateToolError):
        registry.add(make_tools("two", "two"))
    assert names_of(registry) == ["one"]


@keeps("registry.replace")
def test_a_replacement_takes_the_place_of_the_tool_of_its_name() -> None:
    registry = Registry(make_tools("one", "two", "three"))
    events: list[tuple[str, Any]] = []
    registry.subscribe(lambda event: events.append((event.kind, event.tool)))
    new = make_tool("two", "Does it better.")
    registry.replace(new)
    assert registry["two"] is new
    assert names_of(registry) == ["one", "two", "three"]
    assert events == [("updated", new)]
    with pytest.raises(ToolNotFoundError):
        registry.replace(make_tool("four"))


@keeps("registry.unregister")
def test_an_unregistered_tool_is_gone() -> None:
    registry = Registry(make_tools("test_tool"))
    assert registry.unregister("Test-Tool")
    assert len(registry) == 0
    assert not registry.unregister("test_tool")


@keeps("registry.protected")
@pytest.mark.parametrize("name", ["read_file", "readfile", "rea_dfile", "read__file", "readfile_"])
def test_nothing_takes_the_name_of_a_builtin_tool(name: str) -> None:
    builtin = make_tool("read_file")
    registry = Registry()
    registry.register(builtin, builtin=True)
    with pytest.raises(ProtectedToolError) as caught:
        registry.register(make_tool(name))
    assert caught.value.name == "read_file"
    assert isinstance(caught.value, DuplicateToolError)
    with pytest.raises(ProtectedToolError):
        registry.replace(make_tool(name))
    assert list(registry) == [builtin]


@keeps("registry.protected")
@pytest.mark.parametrize("spelling", ["read_file", "readfile", "Read-File", "READ_FILE", "readFile", "read.file"])
def test_a_builtin_tool_stays_whatever_spelling_is_unregistered(spelling: str) -> None:
    registry = Registry()
    registry.register(make_tool("read_file"), builtin=True)
    with pytest.raises(ProtectedToolError):
        registry.unregister(spelling)
    assert "read_file" in registry


@keeps("registry.protected")
def test_a_builtin_tool_cannot_be_exchanged_either() -> None:
    builtin = make_tool("read_file")
    registry = Registry()
    registry.register(builtin, builtin=True)
    with pytest.raises(ProtectedToolError):
        registry.exchange({"read_file": builtin}, [])
    assert list(registry) == [builtin]


def test_no_builtin_tool_comes_beside_a_tool_too_like_it() -> None:
    registry = Registry(make_tools("readfile"))
    with pytest.raises(DuplicateToolError, match="readfile"):
        registry.register(make_tool("read_file"), builtin=True)
    assert names_of(registry) == ["readfile"]
    registry.unregister("readfile")
    registry.register(make_tool("read_file"), builtin=True)
    assert names_of(registry) == ["read_file"]


@keeps("registry.only_tools")
def test_a_decorated_function_is_a_tool() -> None:
    @tool
    def count_lines(path: str) -> int:
        """Count the lines of a file."""
        return len(path)

    registry = Registry([count_lines])
    assert registry["countLines"] is count_lines
    assert count_lines(path="abc") == 3


@keeps("registry.only_tools")
@pytest.mark.parametrize("thing", [None, "read_file", len, object(), Echo, make_tool("a").definition, [make_tool("b")]])
def test_what_is_no_tool_is_refused(thing: Any) -> None:
    registry = Registry()
    with pytest.raises(TypeError, match="is not a tool"):
        registry.register(thing)
    assert len(registry) == 0


@keeps("registry.only_tools")
def test_a_tool_without_a_real_definition_is_refused() -> None:
    odd = make_tool("odd")
    odd.definition = "odd"  # type: ignore[assignment]
    with pytest.raises(TypeError, match="not a ToolDefinition"):
        Registry([odd])


@keeps("registry.custom_tools")
def test_a_custom_tool_can_be_registered() -> None:
    custom = CustomTool(make_tool("lookup").definition, {"kind": "command", "command": ["true"]})
    assert Registry([custom])["lookup"] is custom


@keeps("registry.spelling")
@pytest.mark.parametrize("spelling", ["read_file", "readFile", "Read-File", "READ_FILE", "read.file", "Read File"])
def test_a_name_is_found_in_any_spelling(spelling: str) -> None:
    read_file = make_tool("read_file")
    registry = Registry([read_file])
    assert registry.get(spelling) is read_file
    assert registry[spelling] is read_file
    assert spelling in registry


@keeps("registry.not_found")
@pytest.mark.parametrize(
    ("asked", "nearest"),
    [("raed_file", "read_file"), ("readfile", "read_file"), ("READ_FILES", "read_file"), ("delete", "delete_file")],
)
def test_an_unknown_name_is_answered_with_the_nearest(asked: str, nearest: str) -> None:
    registry = Registry(make_tools("write_file", "read_file", "delete_file", "send_email"))
    with pytest.raises(ToolNotFoundError, match=nearest) as caught:
        registry[asked]
    assert caught.value.name == asked
    assert caught.value.suggestions[0] == nearest
    assert isinstance(caught.value, LookupError)


@keeps("registry.not_found")
def test_an_unknown_name_like_none_gets_no_suggestions() -> None:
    with pytest.raises(ToolNotFoundError) as caught:
        Registry(make_tools("read_file"))["xylophone"]
    assert caught.value.suggestions == ()
    assert Registry().nearest("anything") == []


@pytest.mark.parametrize("name", ["", "\x00", "é" * 100_000, "a" * 1_000_000, "'; DROP TABLE tools", "\ud800"])
def test_any_text_may_be_looked_up(name: str) -> None:
    registry = Registry(make_tools("read_file"))
    assert registry.get(name) is None
    with pytest.raises(ToolNotFoundError) as caught:
        registry[name]
    assert len(str(caught.value)) < 300


@keeps("registry.permissions")
def test_a_permission_must_be_known_to_the_registry() -> None:
    reader = make_tool("reader", permissions=["tool.filesystem.read"])
    dreamer = make_tool("dreamer", permissions=["tool.filesystem.read", "tool.dreams.read"])
    registry = Registry([reader])
    with pytest.raises(InvalidDefinitionError, match="dreamer") as caught:
        registry.register(dreamer)
    assert caught.value.report is not None
    assert [issue.path for issue in caught.value.report.errors] == ["permissions[1]"]
    assert names_of(registry) == ["reader"]
    assert names_of(Registry([dreamer], permissions={"tool.filesystem.read", "tool.dreams.read"})) == ["dreamer"]
    with pytest.raises(TypeError, match="permissions"):
        Registry(permissions="tool.dreams.read")


@keeps("registry.available")
def test_a_tool_that_is_not_available_is_not_offered() -> None:
    on, off = make_tool("on_tool"), make_tool("off_tool")
    off.switched_on = False
    registry = Registry([on, off])
    assert registry.available() == registry.available(None) == [on]
    assert registry.definitions() == [on.definition]
    assert names_of(registry.search("tool")) == ["on_tool"]
    assert len(registry) == 2
    off.switched_on = True
    assert registry.available() == [on, off]


class Moody(Echo):
    """Cannot say whether it is available."""

    angry = False

    @property
    def available(self) -> bool:
        if self.angry:
            raise RuntimeError("secret words")
        return True


@keeps("registry.available")
def test_a_tool_that_cannot_say_is_not_available_and_hides_no_other(caplog: pytest.LogCaptureFixture) -> None:
    moody = Moody(make_tool("moody_tool").definition)
    registry = Registry([moody, make_tool("calm_tool")])
    moody.angry = True
    assert names_of(registry.available()) == ["calm_tool"]
    assert names_of(registry.search("tool")) == ["calm_tool"]
    assert "moody_tool" in caplog.text
    assert "secret words" not in caplog.text


@keeps("registry.filters")
def test_tools_are_found_by_category() -> None:
    registry = Registry(
        [
            make_tool("file_one", category="file_system"),
            make_tool("file_two", category="file_system"),
            make_tool("terminal_one", category="terminal"),
        ]
    )
    assert names_of(registry.by_category(ToolCategory.FILE_SYSTEM)) == ["file_one", "file_two"]
    assert names_of(registry.by_category("Terminal")) == ["terminal_one"]
    with pytest.raises(UnknownWordError):
        registry.by_category("nowhere")


@keeps("registry.filters")
def test_tools_are_found_by_tag_in_any_case() -> None:
    registry = Registry([make_tool("one", tags=["Git", "vcs"]), make_tool("two", tags=["other"])])
    assert names_of(registry.by_tag("GIT")) == ["one"]
    assert registry.by_tag("gi") == []


@keeps("registry.filters")
def test_tools_are_found_by_the_risk_they_may_have() -> None:
    risks = ["critical", "low", "safe", "medium", "high"]
    registry = Registry([make_tool(f"tool_{risk}", risk=risk) for risk in risks])
    assert names_of(registry.by_risk(RiskLevel.LOW)) == ["tool_low", "tool_safe"]
    assert names_of(registry.by_risk("high")) == ["tool_low", "tool_safe", "tool_medium", "tool_high"]


@keeps("registry.filters")
def test_filters_leave_out_what_is_not_available() -> None:
    off = make_tool("off", category="git", tags=["x"], risk="safe")
    off.switched_on = False
    registry = Registry([off])
    assert registry.by_category("git") == registry.by_tag("x") == registry.by_risk("critical") == []


@keeps("registry.definitions")
def test_definitions_are_those_of_what_is_available() -> None:
    path = {"path": "File path", "recursive": "Search recursively"}
    registry = Registry(
        [make_tool("test_tool", "A test tool", parameters=path), make_tool("shell", category="terminal")]
    )
    definitions = registry.definitions(Availability(has_terminal=False))
    assert [(each.name, each.description) for each in definitions] == [("test_tool", "A test tool")]
    assert set(definitions[0].parameters.properties) == {"path", "recursive"}


def test_an_empty_registry_is_still_true() -> None:
    assert Registry()
    assert repr(Registry(make_tools("one"))) == "<Registry of 1 tools>"


@keeps("registry.logs")
def test_changes_and_refusals_are_logged_with_their_facts(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="toolwright.registry")
    registry = Registry([make_tool("one", category="git", risk="high")])
    registry.try_register(make_tool("one"))
    registry.replace(make_tool("one"))
    registry.unregister("one")
    with pytest.raises(ToolNotFoundError):
        registry["o\nne"]
    facts = [(record.levelname, record.__dict__["event"], record.__dict__["tool"]) for record in caplog.records]
    assert facts == [
        ("INFO", "tool.registered", "one"),
        ("WARNING", "tool.duplicate", "one"),
        ("INFO", "tool.replaced", "one"),
        ("INFO", "tool.unregistered", "one"),
        ("WARNING", "tool.not_found", "o_ne"),
    ]
    assert (caplog.records[0].__dict__["category"], caplog.records[0].__dict__["risk"]) == ("git", "high")
    assert not any("\n" in record.getMessage() for record in caplog.records)
