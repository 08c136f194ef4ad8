"""What has to hold for a tool to be offered: what there is around it, and what is wanted of it.

This module may not know the registry: one definition at a time is judged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from toolwright.levels import RiskLevel, ToolCategory
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.names import normalize_name

__all__ = ["NEEDS", "Availability"]

NEEDS: Final = MappingProxyType(
    {
        ToolCategory.WORKSPACE: "has_workspace",
        ToolCategory.TERMINAL: "has_terminal",
        ToolCategory.EDITOR: "has_editor",
        ToolCategory.GIT: "has_git",
    }
)
"""Which condition of an :class:`Availability` tools of a category need; the other categories need none."""


@dataclass(frozen=True, kw_only=True)
class Availability:
    """Conditions under which tools are offered; a tool has to meet every one.

    Names and tags are compared in any spelling and case; categories and risks may be given as words. ``None`` is no
    condition, while an empty collection allows nothing.

    Raises:
        UnknownWordError: There is no such category or risk.
        TypeError: Text where a collection belongs.
    """

    workspace: Path | None = None
    has_workspace: bool = False
    """Always true where a ``workspace`` is given."""
    has_terminal: bool = False
    has_editor: bool = False
    has_git: bool = False
    enabled: Collection[str] | None = None
    """Only these tools."""
    disabled: Collection[str] = ()
    """Never these tools, whatever else is said."""
    max_risk: RiskLevel | str | None = None
    include_categories: Collection[ToolCategory | str] | None = None
    exclude_categories: Collection[ToolCategory | str] = ()
    required_tags: Collection[str] = ()
    """All of these."""

    def __post_init__(self) -> None:
        if self.workspace is not None:
            self._settle(has_workspace=True, workspace=Path(self.workspace))
        if self.max_risk is not None:
            self._settle(max_risk=RiskLevel.parse(self.max_risk))
        for field, read in _READERS.items():
            value: Any = getattr(self, field)
            if value is not None:
                self._settle(**{field: frozenset(map(read, _several(value)))})

    def _settle(self, **fields: Any) -> None:
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    @classmethod
    def default(cls) -> Availability:
        """Return what an ordinary session has: all but git."""
        return cls(has_workspace=True, has_terminal=True, has_editor=True)

    @classmethod
    def safe_only(cls) -> Availability:
        """Return what can do no harm: a workspace, neither terminal nor editor, safe tools only."""
        return cls(has_workspace=True, max_risk=RiskLevel.SAFE)

    def allows(self, definition: ToolDefinition) -> bool:
        """Say whether a tool meets the conditions."""
        category = definition.category
        need = NEEDS.get(category)
        return (
            (need is None or getattr(self, need))
            and (self.enabled is None or definition.name in self.enabled)
            and definition.name not in self.disabled
            and (self.max_risk is None or definition.risk <= self.max_risk)
            and (self.include_categories is None or category in self.include_categories)
            and category not in self.exclude_categories
            and (not self.required_tags or {tag.casefold() for tag in definition.tags}.issuperset(self.required_tags))
        )


def _several(value: object) -> Iterable[Any]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError("names, categories and tags are given as a collection, such as a set")
    return value  # pyright: ignore[reportUnknownVariableType]


_READERS: Final = {
    "enabled": normalize_name,
    "disabled": normalize_name,
    "include_categories": ToolCategory.parse,
    "exclude_categories": ToolCategory.parse,
    "required_tags": str.casefold,
}
