from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from tests.promises import keeps
from tests.registry.making import Echo, make_tool, make_tools, names_of
from toolwright.errors import DuplicateToolError, InvalidDefinitionError
from toolwright.registry import Registry, RegistryEvent, ToolSource
from toolwright.tools import Tool


class Shelf:
    """A source whose tools a test puts there and takes away."""

    def __init__(self, tools: Iterable[Echo] = ()) -> None:
        self.here: list[Echo] = list(tools)
        self.fault: Exception | None = None
        self.listeners: list[Callable[[], object]] = []

    def tools(self) -> list[Tool]:
        if self.fault is not None:
            raise self.fault
        return list(self.here)

    def subscribe(self, changed: Callable[[], object], /) -> Callable[[], object]:
        self.listeners.append(changed)
        return lambda: self.listeners.remove(changed)

    def put(self, *tools: Echo) -> None:
        self.here = list(tools)
        for listener in list(self.listeners):
            listener()


def kinds(events: list[RegistryEvent]) -> list[tuple[str, str]]:
    return [(event.kind, event.tool.definition.name) for event in events]


@keeps("registry.mount")
def test_mounted_tools_come_go_and_change_with_their_source() -> None:
    source: ToolSource
    shelf = source = Shelf(make_tools("s_one", "s_two"))
    registry = Registry(make_tools("own"))
    registry.mount(source)
    events: list[RegistryEvent] = []
    registry.subscribe(events.append)
    one, _ = shelf.here
    new, three = make_tool("s_two", "Better."), make_tool("s_three")
    shelf.put(one, new, three)
    assert kinds(events) == [("updated", "s_two"), ("added", "s_three")]
    assert registry["s_two"] is new
    shelf.put(three)
    assert names_of(registry) == ["own", "s_three"]
    shelf.put(three)
    assert kinds(events[2:]) == [("removed", "s_one"), ("removed", "s_two")]


@keeps("registry.mount")
def test_unmounting_takes_out_exactly_the_tools_of_the_source() -> None:
    shelf = Shelf(make_tools("s_one", "s_two", "s_three"))
    registry = Registry(make_tools("own"))
    unmount = registry.mount(shelf)
    mine = make_tool("s_two", "Mine.")
    registry.replace(mine)
    registry.unregister("s_three")
    registry.register(make_tool("s_three", "Mine too."))
    unmount()
    unmount()
    assert names_of(registry) == ["own", "s_two", "s_three"]
    assert registry["s_two"] is mine
    assert shelf.listeners == []
    shelf.put(make_tool("s_four"))
    assert "s_four" not in registry


@keeps("registry.mount")
def test_a_clash_when_mounting_takes_in_nothing() -> None:
    shelf = Shelf(make_tools("fresh", "own"))
    registry = Registry(make_tools("own"))
    with pytest.raises(DuplicateToolError, match="own"):
        registry.mount(shelf)
    assert names_of(registry) == ["own"]
    assert shelf.listeners == []


def test_an_unknown_permission_when_mounting_takes_in_nothing() -> None:
    shelf = Shelf([make_tool("fresh"), make_tool("odd", permissions=["tool.moon.fetch"])])
    registry = Registry()
    with pytest.raises(InvalidDefinitionError):
        registry.mount(shelf)
    assert len(registry) == 0
    assert shelf.listeners == []


@keeps("registry.mount")
def test_a_clash_later_keeps_out_only_the_tool_that_clashes(caplog: pytest.LogCaptureFixture) -> None:
    shelf = Shelf(make_tools("s_one"))
    registry = Registry(make_tools("own"))
    registry.register(make_tool("read_file"), builtin=True)
    unmount = registry.mount(shelf)
    own = registry["own"]
    shelf.put(
        *make_tools("own", "readfile", "s_two"),
        make_tool("s_odd", permissions=["tool.moon.fetch"]),
        make_tool("s_three"),
    )
    assert names_of(registry) == ["own", "read_file", "s_two", "s_three"]
    assert registry["own"] is own
    refused = {record.__dict__["tool"] for record in caplog.records if record.levelname == "WARNING"}
    assert {"own", "s_odd"} <= refused
    unmount()
    assert names_of(registry) == ["own", "read_file"]


@keeps("registry.mount.death")
def test_a_source_that_dies_makes_its_tools_unavailable_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    shelf = Shelf(make_tools("s_one"))
    registry = Registry(make_tools("own"))
    unmount = registry.mount(shelf)
    shelf.fault = ConnectionError("secret host")
    shelf.here[0].switched_on = False
    shelf.put(*shelf.here)
    assert names_of(registry.available()) == ["own"]
    assert "secret host" not in caplog.text
    assert [record.__dict__["error"] for record in caplog.records] == ["ConnectionError"]
    shelf.fault = None
    shelf.here[0].switched_on = True
    shelf.put(*shelf.here)
    assert names_of(registry.available()) == ["own", "s_one"]
    shelf.fault = ConnectionError()
    unmount()
    assert names_of(registry) == ["own"]


def test_a_source_may_tell_of_a_change_while_it_is_read() -> None:
    class Nervous(Shelf):
        def tools(self) -> list[Tool]:
            found = super().tools()
            if len(self.here) < 3:
                self.put(*self.here, make_tool(f"s_{len(self.here)}"))
            return found

    registry = Registry()
    registry.mount(Nervous())
    assert names_of(registry) == ["s_0", "s_1", "s_2"]


def test_a_subscriber_may_unmount_what_is_just_coming() -> None:
    shelf = Shelf(make_tools("s_one"))
    registry = Registry()
    unmount = registry.mount(shelf)
    registry.subscribe(lambda _: unmount() if shelf.listeners else None)
    shelf.put(*shelf.here, make_tool("s_two"))
    assert names_of(registry) == []
