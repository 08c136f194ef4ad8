from __future__ import annotations

import logging
from datetime import UTC, datetime
from threading import Thread

import pytest

from tests.promises import keeps
from tests.registry.making import make_tool, make_tools, names_of
from toolwright.errors import DuplicateToolError
from toolwright.registry import Registry, RegistryEvent


@keeps("registry.events")
def test_a_subscriber_hears_of_every_change_in_order() -> None:
    registry = Registry(make_tools("before"))
    heard: list[RegistryEvent] = []
    registry.subscribe(heard.append)
    start = datetime.now(UTC)
    one, two = make_tools("one", "two")
    registry.add([one, two])
    new = make_tool("one")
    registry.replace(new)
    registry.unregister("two")
    registry.unregister("absent")
    with pytest.raises(DuplicateToolError):
        registry.register(make_tool("one"))
    assert [(event.kind, event.tool) for event in heard] == [
        ("added", one),
        ("added", two),
        ("updated", new),
        ("removed", two),
    ]
    times = [event.at for event in heard]
    assert times == sorted(times)
    assert start <= times[0] <= times[-1] <= datetime.now(UTC)


@keeps("registry.events")
def test_a_change_is_visible_before_it_is_told() -> None:
    registry = Registry()
    seen: list[tuple[str, bool, list[str], list[str]]] = []

    def look(event: RegistryEvent) -> None:
        name = event.tool.definition.name
        seen.append((event.kind, name in registry, names_of(registry), names_of(registry.search(name))))

    registry.subscribe(look)
    registry.register(make_tool("one"))
    registry.unregister("one")
    assert seen == [("added", True, ["one"], ["one"]), ("removed", False, [], [])]


@keeps("registry.events.faults")
def test_a_subscriber_that_raises_disturbs_nobody_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    registry = Registry()
    heard: list[str] = []

    def fail(event: RegistryEvent) -> None:
        raise ValueError(f"secret {event.kind}")

    registry.subscribe(fail)
    registry.subscribe(lambda event: heard.append(event.kind))
    registry.register(make_tool("one"))
    registry.unregister("one")
    assert heard == ["added", "removed"]
    failures = [record for record in caplog.records if record.__dict__.get("event") == "subscriber.failed"]
    assert [(record.levelno, record.__dict__["error"]) for record in failures] == [(logging.WARNING, "ValueError")] * 2
    assert "secret" not in caplog.text


def test_who_has_unsubscribed_hears_no_more() -> None:
    registry = Registry()
    heard: list[str] = []
    end = registry.subscribe(lambda event: heard.append(event.kind))
    registry.register(make_tool("one"))
    end()
    end()
    registry.register(make_tool("two"))
    assert heard == ["added"]


def test_the_same_callback_may_be_subscribed_twice() -> None:
    registry = Registry()
    heard: list[RegistryEvent] = []
    ends = [registry.subscribe(heard.append), registry.subscribe(heard.append)]
    registry.register(make_tool("one"))
    ends[0]()
    registry.register(make_tool("two"))
    assert names_of(heard) == ["one", "one", "two"]


def test_who_is_unsubscribed_by_another_subscriber_hears_no_more() -> None:
    registry = Registry()
    heard: list[str] = []
    registry.subscribe(lambda _: end())
    end = registry.subscribe(lambda event: heard.append(event.kind))
    registry.register(make_tool("one"))
    assert heard == []


@keeps("registry.events")
def test_a_subscriber_may_change_the_registry_and_the_order_holds_for_all() -> None:
    registry = Registry()
    first: list[tuple[str, str]] = []
    second: list[tuple[str, str]] = []

    def follow_up(event: RegistryEvent) -> None:
        name = event.tool.definition.name
        first.append((event.kind, name))
        if event.kind == "added" and name == "one":
            registry.register(make_tool("two"))
            registry.unregister("one")

    registry.subscribe(follow_up)
    registry.subscribe(lambda event: second.append((event.kind, event.tool.definition.name)))
    registry.register(make_tool("one"))
    assert first == second == [("added", "one"), ("added", "two"), ("removed", "one")]
    assert names_of(registry) == ["two"]


def test_who_subscribes_within_a_callback_hears_of_what_comes_after() -> None:
    registry = Registry()
    late: list[RegistryEvent] = []

    def invite(event: RegistryEvent) -> None:
        if event.tool.definition.name == "one":
            registry.register(make_tool("two"))
            registry.subscribe(late.append)
            registry.register(make_tool("three"))

    registry.subscribe(invite)
    registry.register(make_tool("one"))
    assert names_of(late) == ["three"]


@keeps("registry.events")
def test_changes_from_many_threads_are_told_one_at_a_time_in_the_order_of_the_registry() -> None:
    registry = Registry()
    heard: list[str] = []
    registry.subscribe(lambda event: heard.append(event.tool.definition.name))
    threads = [
        Thread(target=registry.add, args=[[tool]]) for tool in make_tools(*(f"tool_{number}" for number in range(64)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    registry.register(make_tool("last"))  # whoever delivers last has by now delivered everything
    assert heard == names_of(registry)
