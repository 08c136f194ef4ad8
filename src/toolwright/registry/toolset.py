"""Parts of registries, put together: views that see every later change.

A toolset keeps some tools of what it looks at, and may show them under other names. It holds no tools of its own;
toolsets are made of toolsets.

This module may not know how tools come and go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias, cast
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from toolwright.errors import DuplicateToolError, ProtectedToolError
from toolwright.levels import RiskLevel, ToolCategory
from toolwright.registry.availability import Availability
from toolwright.registry.snapshot import Entry
from toolwright.registry.view import ToolView
from toolwright.schema import ValidationReport
from toolwright.tools.base import Tool
from toolwright.tools.context import ToolContext
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.names import is_legal_name, legal_name, letters_of, normalize_name
from toolwright.tools.outcome import ToolOutcome

__all__ = ["Keep", "RenamedTool", "Toolset", "selection"]

Keep: TypeAlias = "Callable[[Tool], object]"
"""Says whether a tool stays in a view."""

_KeepEntry: TypeAlias = "Callable[[Entry], object]"


class RenamedTool:
    """A tool under another name: what the model sees changes, what runs is the same."""

    def __init__(self, tool: Tool, definition: ToolDefinition) -> None:
        self.wrapped: Final = tool
        self.definition: Final = definition

    @property
    def available(self) -> bool:
        """Whether the tool can be offered just now."""
        return self.wrapped.available

    def check(self, arguments: Mapping[str, Any]) -> ValidationReport:
        """Say what is wrong with arguments."""
        return self.wrapped.check(arguments)

    def summarize(self, arguments: Mapping[str, Any]) -> str:
        """Say in one line what a call would do."""
        return self.wrapped.summarize(arguments)

    def effective_risk(self, arguments: Mapping[str, Any]) -> RiskLevel:
        """Return the risk of a call with these arguments."""
        return self.wrapped.effective_risk(arguments)

    async def execute(self, context: ToolContext) -> ToolOutcome:
        """Do the work, and return how it ended."""
        return await self.wrapped.execute(context)

    def __getattr__(self, name: str) -> Any:
        # What only some tools have, such as `reconcile`, a renamed one has as well. Not what Python itself looks for,
        # nor `wrapped`: a copy is asked for it before it has one.
        if name == "wrapped" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.wrapped, name)

    def __repr__(self) -> str:
        return f"<{self.definition.name}: {self.wrapped!r}>"


class Toolset(ToolView):
    """Some tools of other views, perhaps under other names; made by :meth:`Registry.toolset` and the methods here.

    It can be used wherever a registry is read. If tools come later whose names clash, a built-in one is seen, or else
    the one further left in ``a + b``.
    """

    def __init__(
        self,
        parts: Sequence[ToolView],
        *,
        keep: _KeepEntry | None = None,
        rename: Mapping[str, str] | None = None,
        prefix: str = "",
        name: str = "",
    ) -> None:
        super().__init__()
        self.name: Final = name
        self._parts = tuple(parts)
        self._keep = keep
        self._rename = dict(rename or {})
        self._origins = {new: old for old, new in self._rename.items()}
        self._prefix = prefix
        self._renamed: WeakKeyDictionary[Entry, Entry] = WeakKeyDictionary()
        self._refuse_clashes()

    def __repr__(self) -> str:
        return f"<Toolset {self.name}: {len(self)} tools>" if self.name else f"<Toolset of {len(self)} tools>"

    def prefixed(self, prefix: str) -> Toolset:
        """Return these tools with a prefix before their names: ``git_log`` for ``log``.

        A name that gets too long is cut, and ends in a short hash of the whole.

        Raises:
            ValueError: No tool may have such a name.
        """
        return Toolset([self], prefix=_legal(prefix), name=self.name)

    def filtered(self, keep: Keep) -> Toolset:
        """Return those of these tools that ``keep`` says yes to; it is asked anew each time that they are read."""
        return Toolset([self], keep=lambda entry: keep(entry.tool), name=self.name)

    def renamed(self, names: Mapping[str, str]) -> Toolset:
        """Return these tools, some of them under other names: old names in any spelling, and the new ones.

        Raises:
            ToolNotFoundError: An old name is that of no tool here.
            ValueError: No tool may have one of the new names.
            DuplicateToolError: Two tools would have the same name.
        """
        rename = {normalize_name(old): _legal(new) for old, new in names.items()}
        for old in rename:
            if self.entry(old) is None:
                raise self._not_found(old)
        return Toolset([self], rename=rename, name=self.name)

    def __add__(self, other: ToolView) -> Toolset:
        """Return the tools of both. The same tool in both is one.

        Raises:
            DuplicateToolError: Different tools have the same name.
        """
        if not isinstance(cast("object", other), ToolView):
            return NotImplemented
        return Toolset([self, other], name=" + ".join(filter(None, [self.name, getattr(other, "name", "")])))

    # Reading

    def entry(self, name: str) -> Entry | None:
        """Return the tool of exactly this name, with what is known about it here."""
        origins = filter(None, (part.entry(self._origin(name)) for part in self._parts))
        seen = [entry for entry in map(self._see, origins) if entry is not None and entry.name == name]
        if seen:
            return next((entry for entry in seen if entry.builtin), seen[0])
        # A prefixed name that was cut does not tell what it was cut from.
        if self._prefix and name.startswith(self._prefix):
            return next((entry for entry in self._all() if entry.name == name), None)
        return None

    def entries(self) -> Sequence[Entry]:
        """Return all tools at this moment, in order, with what is known about them here."""
        found: dict[str, Entry] = {}
        for entry in self._all():
            if entry.builtin or entry.name not in found:
                found[entry.name] = entry
        return list(found.values())

    def _all(self) -> Iterator[Entry]:
        return filter(None, map(self._see, chain.from_iterable(part.entries() for part in self._parts)))

    def _origin(self, name: str) -> str:
        if self._prefix:
            return name.removeprefix(f"{self._prefix}_")
        return self._origins.get(name, name)

    def _see(self, entry: Entry) -> Entry | None:
        """Return what is seen here of a tool further in: nothing, the same, or the same under another name."""
        if self._keep is not None and not self._keep(entry):
            return None
        name = legal_name(f"{self._prefix}_{entry.name}") if self._prefix else self._rename.get(entry.name, entry.name)
        if name == entry.name:
            return entry
        seen = self._renamed.get(entry)
        if seen is None:
            definition = replace(entry.definition, name=name)
            renamed = Entry(name, RenamedTool(entry.tool, definition), definition, entry.builtin)
            seen = self._renamed.setdefault(entry, renamed)
        return seen

    def _refuse_clashes(self) -> None:
        seen: dict[str, Tool] = {}
        every = list(self._all())
        builtin = {letters_of(entry.name): entry.name for entry in every if entry.builtin}
        for entry in every:
            if seen.setdefault(entry.name, entry.tool) is not entry.tool:
                raise DuplicateToolError(f"two tools would be called {entry.name}", name=entry.name)
            protected = builtin.get(letters_of(entry.name), entry.name)
            if protected != entry.name:
                raise ProtectedToolError(f"{entry.name} is too like {protected}, which is built in", name=protected)


def selection(
    *,
    names: Collection[str] | None = None,
    tags: Collection[str] | None = None,
    categories: Collection[ToolCategory | str] | None = None,
    max_risk: RiskLevel | str | None = None,
) -> _KeepEntry:
    """Return what keeps the tools that meet every condition that is given.

    Raises:
        UnknownWordError: There is no such category or risk.
        TypeError: Text where a collection belongs.
    """
    # The same conditions as those of availability, but for what there has to be around a tool.
    conditions = Availability(
        has_workspace=True,
        has_terminal=True,
        has_editor=True,
        has_git=True,
        enabled=names,
        include_categories=categories,
        max_risk=max_risk,
    )
    if isinstance(tags, str):
        raise TypeError("names, categories and tags are given as a collection, such as a set")
    wanted = None if tags is None else {tag.casefold() for tag in tags}

    def keep(entry: Entry) -> bool:
        definition = entry.definition
        return conditions.allows(definition) and (
            wanted is None or any(tag.casefold() in wanted for tag in definition.tags)
        )

    return keep


def _legal(name: str) -> str:
    if not is_legal_name(name):
        raise ValueError("a tool's name is a lower-case letter, then such letters, digits and underscores, 64 at most")
    return name
