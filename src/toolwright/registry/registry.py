"""The registry: the one place that knows which tools there are.

Reading takes no lock: readers look at a snapshot, which a change replaces as a whole. Changes are made one at a time,
and told to subscribers once they can be seen.

This module may not know how a tool is run, nor whether a call of it is permitted.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolwright.errors import DuplicateToolError, InvalidDefinitionError, ProtectedToolError
from toolwright.registry.events import EventKind, Feed, RegistryEvent, Subscriber
from toolwright.registry.snapshot import Entry, Snapshot
from toolwright.registry.toolset import Toolset, selection
from toolwright.registry.view import ToolView, is_tool
from toolwright.schema import ValidationIssue, ValidationReport
from toolwright.tools.base import Tool
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.names import letters_of, normalize_name
from toolwright.tools.permissions import KNOWN_PERMISSIONS

if TYPE_CHECKING:
    from os import PathLike

    from toolwright.levels import RiskLevel, ToolCategory
    from toolwright.registry.sources import ToolSource

__all__ = ["Registry"]

_log: Final = logging.getLogger("toolwright.registry")

_Change: TypeAlias = "tuple[EventKind, Entry]"
_Plan: TypeAlias = "Callable[[Snapshot], tuple[Snapshot, list[_Change]]]"


class Registry(ToolView):
    """Which tools there are, for any number of threads.

    ``permissions`` are the words that tools may ask for: Toolwright's own, unless the application brings others.
    ``full_text=False`` searches without SQLite's full-text index, as happens by itself where SQLite lacks it.

    Raises:
        TypeError: Something among ``tools`` is not a tool.
        DuplicateToolError: Two of them have the same name.
        InvalidDefinitionError: One asks for a permission that is not known.
    """

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        *,
        permissions: Collection[str] = KNOWN_PERMISSIONS,
        full_text: bool | None = None,
    ) -> None:
        super().__init__(full_text=full_text)
        if isinstance(permissions, str):
            raise TypeError("permissions: a collection of words belongs here, not one word")
        self._permissions = frozenset(permissions)
        self._snapshot = Snapshot.empty()
        self._searched: tuple[Snapshot, Mapping[str, Entry], Mapping[str, ToolDefinition]] | None = None
        self._protected: dict[str, str] = {}  # the names of built-in tools by their letters and digits
        self._feed = Feed()
        # Held while a change is made, and for nothing else: no tool's, subscriber's or logger's code runs under it.
        self._lock = Lock()
        self.add(tools)

    def __repr__(self) -> str:
        return f"<Registry of {len(self)} tools>"

    # Reading

    def entry(self, name: str) -> Entry | None:
        """Return the tool of exactly this name, with what is known about it here."""
        return self._snapshot.get(name)

    def entries(self) -> Sequence[Entry]:
        """Return all tools at this moment, in the order in which they came."""
        return list(self._snapshot)

    def __len__(self) -> int:
        return len(self._snapshot)

    def _searchable(self) -> tuple[Mapping[str, Entry], Mapping[str, ToolDefinition]]:
        snapshot, searched = self._snapshot, self._searched
        if searched is None or searched[0] is not snapshot:
            entries = {entry.name: entry for entry in snapshot}
            searched = snapshot, entries, {name: entry.definition for name, entry in entries.items()}
            self._searched = searched
        return searched[1], searched[2]

    # Changing

    def register(self, tool: Tool, *, builtin: bool = False) -> None:
        """Take in a tool. A built-in one stays for good, and nothing can take its name in any spelling.

        Raises:
            TypeError: It is not a tool.
            DuplicateToolError: Another tool has its name; a built-in one, if it is a ``ProtectedToolError``.
            InvalidDefinitionError: It asks for a permission that is not known.
        """
        self.add([tool], builtin=builtin)

    def try_register(self, tool: Tool, *, builtin: bool = False) -> bool:
        """Take in a tool unless its name is taken, and say whether it was taken in.

        Raises:
            TypeError: It is not a tool.
            InvalidDefinitionError: It asks for a permission that is not known.
        """
        try:
            self.register(tool, builtin=builtin)
        except DuplicateToolError:
            return False
        return True

    def add(self, tools: Iterable[Tool], *, builtin: bool = False) -> None:
        """Take in several tools in one step: all of them or, where one cannot be, none.

        Raises:
            TypeError: One of them is not a tool.
            DuplicateToolError: The name of one is taken.
            InvalidDefinitionError: One asks for a permission that is not known.
        """
        self.exchange({}, tools, builtin=builtin)

    def replace(self, tool: Tool) -> None:
        """Put a tool in the place of the one that has its name.

        Raises:
            TypeError: It is not a tool.
            ToolNotFoundError: No tool has its name.
            ProtectedToolError: A built-in tool has it.
            InvalidDefinitionError: It asks for a permission that is not known.
        """
        entry = self._admit(tool)

        def plan(snapshot: Snapshot) -> tuple[Snapshot, list[_Change]]:
            self._refuse_protected(entry.name)
            if snapshot.get(entry.name) is None:
                return snapshot, []
            return snapshot.changing({entry.name: entry}), [("updated", entry)]

        if not self._change(plan):
            raise self._not_found(entry.name)

    def unregister(self, name: str) -> bool:
        """Remove a tool by its name, in any spelling, and say whether there was one.

        Raises:
            ProtectedToolError: It is a built-in tool, which stays.
        """
        wanted = normalize_name(name)

        def plan(snapshot: Snapshot) -> tuple[Snapshot, list[_Change]]:
            self._refuse_protected(wanted)
            old = snapshot.get(wanted)
            return (snapshot, []) if old is None else (snapshot.changing({wanted: None}), [("removed", old)])

        return self._change(plan)

    def exchange(self, leaving: Mapping[str, Tool], coming: Iterable[Tool], *, builtin: bool = False) -> None:
        """Remove some tools and take in others, in one step of which readers see all or nothing.

        Of those ``leaving``, by name, only the very tools that are given go: what somebody else put in their place
        meanwhile stays. Where one comes under the name of one that leaves, it takes its place, as an update.

        Raises:
            TypeError: One that comes is not a tool.
            DuplicateToolError: The name of one that comes is taken; nothing has changed then.
            InvalidDefinitionError: One asks for a permission that is not known.
        """
        entries = [self._admit(tool, builtin=builtin) for tool in coming]

        def plan(snapshot: Snapshot) -> tuple[Snapshot, list[_Change]]:
            found = {name: snapshot.get(name) for name in leaving}
            gone = {name: old for name, old in found.items() if old is not None and old.tool is leaving[name]}
            for name in gone:
                self._refuse_protected(name)
            self._refuse_taken(entries, gone, snapshot)
            successors = {entry.name: entry for entry in entries if entry.name in gone}
            new = [entry for entry in entries if entry.name not in gone]
            if gone:
                snapshot = snapshot.changing({name: successors.get(name) for name in gone})
            changes: list[_Change] = []
            changes.extend(("removed", old) for name, old in gone.items() if name not in successors)
            changes.extend(("updated", entry) for entry in successors.values())
            changes.extend(("added", entry) for entry in new)
            if builtin:
                self._protected.update((letters_of(entry.name), entry.name) for entry in entries)
            return snapshot.adding(new) if new else snapshot, changes

        self._change(plan)

    def _admit(self, tool: object, *, builtin: bool = False) -> Entry:
        if not is_tool(tool):
            hint = "decorate a function with @tool, or make an instance of a ToolBase"
            raise TypeError(f"{_kind(tool)} is not a tool: {hint}")
        definition: Any = tool.definition
        if not isinstance(definition, ToolDefinition):
            raise TypeError(f"the definition of {_kind(tool)} is not a ToolDefinition")
        unknown = [place for place, word in enumerate(definition.permissions) if word not in self._permissions]
        if unknown:
            issues = [
                ValidationIssue.invalid_value(f"permissions[{place}]", "is not a permission known to this registry")
                for place in unknown
            ]
            report = ValidationReport.invalid(*issues)
            raise InvalidDefinitionError(f"tool {definition.name} is not valid:\n{report.message}", report=report)
        return Entry(definition.name, tool, definition, builtin)

    def _refuse_taken(self, entries: Sequence[Entry], gone: Mapping[str, Entry], snapshot: Snapshot) -> None:
        seen: set[str] = set()
        for entry in entries:
            name = entry.name
            self._refuse_protected(name)
            if name in seen or (name not in gone and snapshot.get(name) is not None):
                raise DuplicateToolError(f"there is a tool {name} already", name=name)
            seen.add(name)
        builtin = {letters_of(entry.name): entry.name for entry in entries if entry.builtin}
        for other in snapshot if builtin else ():
            if other.name not in gone and letters_of(other.name) in builtin:
                name = builtin[letters_of(other.name)]
                raise DuplicateToolError(f"there is a tool {other.name} already, too like {name}", name=name)

    def _refuse_protected(self, name: str) -> None:
        protected = self._protected.get(letters_of(name))
        if protected is not None:
            problem = f"{protected} is built in: it cannot be replaced, removed or hidden"
            raise ProtectedToolError(problem, name=protected)

    def _change(self, plan: _Plan) -> bool:
        """Make a change in one step, then tell of it; say whether anything changed."""
        try:
            with self._lock:
                before = self._snapshot  # kept until the lock is free: what ends with it may have a finalizer
                snapshot, changes = plan(before)
                self._snapshot = snapshot
                now = datetime.now(UTC)
                for kind, entry in changes:
                    self._feed.put(RegistryEvent(kind, entry.tool, now))
        except DuplicateToolError as error:
            facts = {"event": "tool.duplicate", "tool": error.name}
            _log.warning("tool %s refused as duplicate", error.name, extra=facts)
            raise
        if _log.isEnabledFor(logging.INFO):
            for kind, entry in changes:
                _log_change(kind, entry.definition)
        self._feed.deliver()
        return bool(changes)

    # Telling

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Call back for every change from now on, once it can be seen; the function that is returned ends that.

        A callback may read and change the registry. What it raises is logged and disturbs nobody.
        """
        with self._lock:
            return self._feed.add(callback, self._lock)

    def mount(self, source: ToolSource) -> Callable[[], None]:
        """Take in the tools of a source, and follow it: what it adds, drops or changes is so here too.

        The function that is returned takes out exactly these tools again.

        Raises:
            DuplicateToolError: The name of one of its tools is taken: nothing was taken in.
            InvalidDefinitionError: One asks for a permission that is not known.
        """
        from toolwright.registry.sources import Mount

        return Mount(self, source).unmount

    # Views and discovery

    def toolset(
        self,
        name: str = "",
        *,
        names: Collection[str] | None = None,
        tags: Collection[str] | None = None,
        categories: Collection[ToolCategory | str] | None = None,
        max_risk: RiskLevel | str | None = None,
    ) -> Toolset:
        """Return a view of the tools that meet every condition that is given; ``name`` is for people.

        ``names`` in any spelling, any of the ``tags`` in whatever case, any of the ``categories``. Tools that come
        later and meet the conditions are in it too.
        """
        keep = selection(names=names, tags=tags, categories=categories, max_risk=max_risk)
        return Toolset([self], keep=keep, name=name)

    def load_package(self, name: str) -> list[Tool]:
        """Import a package with all modules below it, take in the tools that are defined there, and return them.

        Modules come in alphabetical order, the tools of each in the order in which they are written. Names with a
        leading underscore, and what was imported from elsewhere, stay out.

        Raises:
            ToolLoadError: Modules that cannot be imported, all of them named; nothing was taken in.
            DuplicateToolError: The name of a tool is taken; nothing was taken in.
        """
        from toolwright.registry.discovery import find_in_package

        return self._take_in(find_in_package(name))

    def load_entry_points(self, group: str = "toolwright.tools") -> list[Tool]:
        """Take in the tools that installed distributions offer in a group of entry points, and return them.

        An entry point names a tool, several of them, or a module with tools. Whose code cannot be loaded or whose tools
        cannot be taken in is logged and left out: it is somebody else's, and the others are fine.
        """
        from toolwright.registry.discovery import take_in_entry_points

        return take_in_entry_points(self, group)

    def load_folder(self, folder: str | PathLike[str]) -> list[Tool]:
        """Take in the tools that the definition files of a folder describe, and return them.

        Raises:
            InvalidDefinitionError: What a file says is wrong.
            DuplicateToolError: The name of a tool is taken; nothing was taken in.
        """
        from toolwright.tools.files import load_definitions

        return self._take_in(load_definitions(folder))

    def _take_in(self, tools: Iterable[Tool]) -> list[Tool]:
        found = list(tools)
        self.add(found)
        return found


def _kind(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else f"an object of type {type(value).__name__}"


def _log_change(kind: EventKind, definition: ToolDefinition) -> None:
    word = {"added": "registered", "removed": "unregistered", "updated": "replaced"}[kind]
    facts = {
        "event": f"tool.{word}",
        "tool": definition.name,
        "category": definition.category.value,
        "risk": definition.risk.value,
    }
    _log.info("tool %s %s", definition.name, word, extra=facts)
