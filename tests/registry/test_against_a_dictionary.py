from __future__ import annotations

from collections.abc import Iterator

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.promises import keeps
from tests.registry.making import Echo, make_tool, names_of
from toolwright.errors import DuplicateToolError, ProtectedToolError, ToolNotFoundError
from toolwright.registry import Registry, RegistryEvent

NAMES = st.sampled_from(["alpha", "al_pha", "beta", "gamma", "gam_ma", "delta", "eps_ilon", "epsilon"])


class Model(RuleBasedStateMachine):
    """A registry beside a plain dictionary, and a listener who rebuilds it from events alone."""

    def __init__(self) -> None:
        super().__init__()
        self.registry = Registry()
        self.tools: dict[str, Echo] = {}
        self.builtin: set[str] = set()
        self.heard: dict[str, object] = {}
        self.registry.subscribe(self.hear)
        self.readings: list[tuple[Iterator[object], list[Echo]]] = []

    def hear(self, event: RegistryEvent) -> None:
        name = event.tool.definition.name
        assert (name in self.heard) == (event.kind != "added")
        if event.kind == "removed":
            del self.heard[name]
        else:
            self.heard[name] = event.tool

    def protected(self, name: str) -> bool:
        return name.replace("_", "") in {each.replace("_", "") for each in self.builtin}

    @rule(name=NAMES, builtin=st.booleans())
    def register(self, name: str, builtin: bool) -> None:
        tool = make_tool(name)
        alike = [other for other in self.tools if other.replace("_", "") == name.replace("_", "")]
        try:
            self.registry.register(tool, builtin=builtin)
        except ProtectedToolError:
            assert self.protected(name)
        except DuplicateToolError:
            assert name in self.tools or (builtin and alike)
        else:
            assert name not in self.tools
            assert not self.protected(name)
            assert not (builtin and alike)
            self.tools[name] = tool
            self.builtin |= {name} if builtin else set()

    @rule(name=NAMES)
    def replace(self, name: str) -> None:
        tool = make_tool(name)
        try:
            self.registry.replace(tool)
        except ProtectedToolError:
            assert self.protected(name)
        except ToolNotFoundError:
            assert name not in self.tools
        else:
            assert name in self.tools
            self.tools[name] = tool

    @rule(name=NAMES)
    def unregister(self, name: str) -> None:
        try:
            gone = self.registry.unregister(name)
        except ProtectedToolError:
            assert self.protected(name)
        else:
            assert gone == (name in self.tools)
            self.tools.pop(name, None)

    @rule(leaving=st.sets(NAMES), coming=st.lists(NAMES, unique=True, max_size=3))
    def exchange(self, leaving: set[str], coming: list[str]) -> None:
        tools = [make_tool(name) for name in coming]
        out = {name: self.tools.get(name) or make_tool(name) for name in sorted(leaving)}
        before = list(self.registry)
        try:
            self.registry.exchange(out, tools)
        except DuplicateToolError:
            assert list(self.registry) == before
            taken = [name for name in coming if name in self.tools and name not in leaving]
            assert taken or any(map(self.protected, [*coming, *(name for name in leaving if name in self.tools)]))
        else:
            for name in leaving - set(coming):
                self.tools.pop(name, None)
            self.tools.update(zip(coming, tools, strict=True))

    @rule()
    def begin_to_read(self) -> None:
        self.readings.append((iter(self.registry), list(self.tools.values())))

    @invariant()
    def agrees(self) -> None:
        assert list(self.registry) == list(self.tools.values())
        assert len(self.registry) == len(self.tools)
        assert {name: self.registry.get(name) for name in self.tools} == self.tools
        assert self.heard == self.tools
        assert set(names_of(self.registry.search("alpha beta gamma delta epsilon al pha gam ma eps ilon", 99))) == set(
            self.tools
        )

    def teardown(self) -> None:
        for reading, expected in self.readings:
            assert list(reading) == expected, "what comes later does not show in a reading that began before"


@keeps("registry.container", "registry.protected", "registry.search.current", "registry.events")
def test_a_registry_is_a_dictionary_with_rules() -> None:
    run_state_machine_as_test(Model, settings=settings(max_examples=40, stateful_step_count=25))
