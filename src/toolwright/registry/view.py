"""What can be asked of tools in a row: a registry answers it, and every view of one.

A view says which tools there are (:meth:`ToolView.entry`, :meth:`ToolView.entries`); everything else follows from that
here, so that a part of a registry can stand wherever a registry is read.

This module may not know how tools come and go.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from heapq import nlargest
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeGuard

from toolwright.errors import ToolNotFoundError
from toolwright.levels import RiskLevel, ToolCategory
from toolwright.registry.availability import Availability
from toolwright.registry.snapshot import Entry
from toolwright.tools.base import Tool
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.names import NAME_LENGTH, letters_of, normalize_name

if TYPE_CHECKING:
    from toolwright.registry.find_tools import FindTools
    from toolwright.registry.index import ToolIndex

__all__ = ["ScoredTool", "ToolView", "is_available", "is_tool"]

_log: Final = logging.getLogger("toolwright.registry")

_SUGGESTIONS: Final = 3
_RANKED: Final = 100  # tools that a search looks at closely: about 3 us each
_INTERFACE: Final = ("definition", "available", "check", "summarize", "effective_risk", "execute")


class ScoredTool(NamedTuple):
    """A tool that was found, and how well it fits: more is better, only within one search."""

    tool: Tool
    score: float


class ToolView(ABC):
    """Tools by name, in an order, that can be read while others change them."""

    def __init__(self, *, full_text: bool | None = None) -> None:
        self._full_text = full_text

    @cached_property
    def _index(self) -> ToolIndex:
        # Most programs search nothing, and the words of a search take as long to load as all of the registry.
        from toolwright.registry.index import ToolIndex

        return ToolIndex(full_text=self._full_text)

    @abstractmethod
    def entry(self, name: str) -> Entry | None:
        """Return the tool of exactly this name, with what is known about it here."""

    @abstractmethod
    def entries(self) -> Sequence[Entry]:
        """Return all tools at this moment, in order, with what is known about them here."""

    def get(self, name: str) -> Tool | None:
        """Return a tool by its name, in any spelling: ``readFile`` and ``Read-File`` find ``read_file``."""
        found = self.entry(name) or self.entry(normalize_name(name))
        return found.tool if found else None

    def __getitem__(self, name: str) -> Tool:
        """Return a tool by its name, in any spelling.

        Raises:
            ToolNotFoundError: There is none; ``suggestions`` are the nearest names.
        """
        tool = self.get(name)
        if tool is None:
            raise self._not_found(name)
        return tool

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __iter__(self) -> Iterator[Tool]:
        return iter([entry.tool for entry in self.entries()])

    def __len__(self) -> int:
        return len(self.entries())

    def __bool__(self) -> bool:
        return True  # an empty registry is still one: `registry or default` must not lose it

    def available(self, availability: Availability | None = None) -> list[Tool]:
        """Return the tools that can be used now, in order; ``availability`` sets further conditions."""
        return [entry.tool for entry in self._available(availability)]

    def definitions(self, availability: Availability | None = None) -> list[ToolDefinition]:
        """Return what a model is shown of the tools that can be used now, in order."""
        return [entry.definition for entry in self._available(availability)]

    def by_category(self, category: ToolCategory | str) -> list[Tool]:
        """Return the available tools of a category.

        Raises:
            UnknownWordError: There is no such category.
        """
        wanted = ToolCategory.parse(category)
        return [entry.tool for entry in self._available() if entry.definition.category is wanted]

    def by_tag(self, tag: str) -> list[Tool]:
        """Return the available tools that carry a tag, in whatever case it is written."""
        wanted = tag.casefold()
        return [
            entry.tool for entry in self._available() if any(own.casefold() == wanted for own in entry.definition.tags)
        ]

    def by_risk(self, max_risk: RiskLevel | str) -> list[Tool]:
        """Return the available tools that are at most as risky as this.

        Raises:
            UnknownWordError: There is no such level.
        """
        most = RiskLevel.parse(max_risk)
        return [entry.tool for entry in self._available() if entry.definition.risk <= most]

    def search(self, query: str, limit: int = 10, availability: Availability | None = None) -> list[ScoredTool]:
        """Return the available tools that fit a question or some words, best first.

        Searched are names, titles, descriptions, tags, and the names and descriptions of parameters. Any text is a
        query, of any length; an empty one gives all tools, whatever the limit.
        """
        if limit < 0:
            raise ValueError("limit: must not be negative")
        if not query or query.isspace():
            return [ScoredTool(entry.tool, 0.0) for entry in self._available(availability)]
        entries, definitions = self._searchable()
        most = min(limit, len(entries))
        count = max(_RANKED, 2 * most)
        while True:
            ranked = self._index.rank(query, definitions, count)
            # The tools are asked here, where the index is free: what a tool does to answer is its own affair.
            fitting = ((entries[name], score) for name, score in ranked if _fits(entries[name], availability))
            found = [ScoredTool(entry.tool, score) for entry, score in islice(fitting, most)]
            if len(found) == most or len(ranked) < count:
                return found
            count *= 8  # many are not available: look further

    def nearest(self, name: str, limit: int = _SUGGESTIONS) -> list[str]:
        """Return the names that are most like one that does not exist, best first."""
        wanted = normalize_name(name[: 4 * NAME_LENGTH])[:NAME_LENGTH]
        names = [entry.name for entry in self.entries()]
        letters = letters_of(wanted)
        alike = [name for name in names if letters_of(name) == letters]
        pool = _sharing_letters(wanted, names)
        return list(dict.fromkeys([*alike, *get_close_matches(wanted, pool, n=limit)]))[:limit]

    def search_tool(self, availability: Availability | None = None) -> FindTools:
        """Return a tool, ``find_tools``, with which a model looks for others here when there are too many to list."""
        # Only those who have that many tools need it.
        from toolwright.registry.find_tools import FindTools

        return FindTools(self, availability=availability)

    def _searchable(self) -> tuple[Mapping[str, Entry], Mapping[str, ToolDefinition]]:
        """Return the tools by name; the same mappings as last time where nothing has changed, if that is known."""
        entries = {entry.name: entry for entry in self.entries()}
        return entries, {name: entry.definition for name, entry in entries.items()}

    def _available(self, availability: Availability | None = None) -> list[Entry]:
        return [entry for entry in self.entries() if _fits(entry, availability)]

    def _not_found(self, name: str) -> ToolNotFoundError:
        suggestions = tuple(self.nearest(name))
        shown = normalize_name(name[:NAME_LENGTH])
        _log.warning("tool %s not found", shown, extra={"event": "tool.not_found", "tool": shown})
        hint = f"; did you mean {', '.join(suggestions)}?" if suggestions else ""
        return ToolNotFoundError(f"there is no tool {shown!r}{hint}", name=name, suggestions=suggestions)


def is_tool(value: object) -> TypeGuard[Tool]:
    """Say whether a value has all that a tool has; none of its own code runs, as it would for ``isinstance``."""
    if isinstance(value, type):
        return False
    return all(hasattr(type(value), name) or hasattr(value, name) for name in _INTERFACE)


def is_available(tool: Tool, name: str) -> bool:
    """Say whether a tool says that it can be used now; one that cannot say is taken not to be."""
    try:
        return bool(tool.available)
    except Exception as error:  # noqa: BLE001  (the tool's own code: its fault must not hide the other tools)
        _log.warning(
            "tool %s cannot say whether it is available",
            name,
            extra={"event": "tool.availability_failed", "tool": name, "error": type(error).__name__},
        )
        return False


def _fits(entry: Entry, availability: Availability | None) -> bool:
    return (availability is None or availability.allows(entry.definition)) and is_available(entry.tool, entry.name)


def _sharing_letters(wanted: str, names: list[str], most: int = 50) -> list[str]:
    """Return the names that share most pairs of letters with the wanted one: comparing closely takes its time."""
    pairs = {wanted[at : at + 2] for at in range(len(wanted) - 1)}
    return nlargest(most, names, key=lambda name: sum(pair in name for pair in pairs))
