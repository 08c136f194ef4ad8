"""Tools with everything about them that no call changes: worked out when a tool is first called, then kept.

This module may not know who calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from toolwright.levels import RiskLevel, SandboxIsolationLevel
from toolwright.registry.snapshot import Entry
from toolwright.registry.toolset import RenamedTool
from toolwright.registry.view import ToolView
from toolwright.sandbox import RunLimits
from toolwright.schema import Schema
from toolwright.tools.base import Tool, ToolBase, raised_risk, written_summary
from toolwright.tools.custom import CustomTool
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.function import FunctionTool
from toolwright.tools.names import normalize_name

__all__ = ["KnownTool", "KnownTools"]

_NEAREST: Final = 10  # some of which may not be offered
_SPARE: Final = 256  # tools that have gone are forgotten once there are so many more than there should be


class KnownTool:
    """One registered tool, with the definition that it had when it came."""

    __slots__ = (
        "always_available",
        "check",
        "definition",
        "delegates",
        "digest",
        "entry",
        "has_paths",
        "idempotency_key",
        "isolation",
        "limits",
        "may_be_barred",
        "name",
        "schema",
        "side_effects",
        "states_risk",
        "tool",
    )

    def __init__(self, entry: Entry) -> None:
        definition = entry.definition
        innermost = _unwrapped(entry.tool)
        kept_as_data = isinstance(innermost, CustomTool)
        self.entry: Final = entry
        self.name: Final[str] = entry.name
        self.tool: Final[Tool] = entry.tool
        self.definition: Final[ToolDefinition] = definition
        # What is approved of data is approved of its handler as well.
        self.digest: Final[str] = innermost.digest if isinstance(innermost, CustomTool) else definition.digest
        self.schema: Final[Schema] = definition.parameters
        self.side_effects: Final[bool] = definition.side_effects
        self.idempotency_key: Final[bool] = definition.idempotency_key
        self.isolation: Final[SandboxIsolationLevel] = definition.least_isolation(kept_as_data=kept_as_data)
        self.limits: Final = RunLimits(seconds=definition.time_limit, output=definition.output_limit)
        self.has_paths: Final[bool] = definition.parameters.has_paths
        self.may_be_barred: Final[bool] = (
            bool(definition.permissions) or self.isolation is not SandboxIsolationLevel.NONE  # which every tier has
        )
        self.delegates: Final[bool] = getattr(entry.tool, "delegates", False) is True
        # What a tool does not say by itself need not be asked of it at each call.
        self.always_available: Final[bool] = not _says(entry.tool, "available")
        self.states_risk: Final[bool] = _says(entry.tool, "effective_risk")
        self.check: Final = self._checker()

    def _checker(self) -> Callable[[Mapping[str, Any]], object]:
        """Return what says all that is wrong with arguments: by the schema, then by the tool."""
        tool, by_schema = self.tool, self.schema.validate
        if not _says(tool, "check"):
            return by_schema
        if type(tool) in (FunctionTool, CustomTool):
            return tool.check  # which asks the schema first; what anybody else's does is not known

        def both(arguments: Mapping[str, Any]) -> object:
            report = by_schema(arguments)
            return report if report.errors else tool.check(arguments)

        return both

    def risk_of(self, arguments: Mapping[str, Any]) -> RiskLevel:
        """Return the risk of a call with these arguments."""
        if not self.states_risk:
            return self.definition.risk
        return raised_risk(self.definition, self.tool.effective_risk, arguments)

    def summarize(self, arguments: Mapping[str, Any]) -> str:
        """Say in one line what a call would do, also where the tool cannot."""
        return written_summary(self.definition, self.tool.summarize, arguments)

    def diff(self, arguments: Mapping[str, Any], workspace: Path | None) -> str | None:
        """Return what a call would change in files, of a tool that has ``diff(arguments, workspace)``."""
        own: object = getattr(self.tool, "diff", None)
        if not callable(own):
            return None
        try:
            said = own(arguments, workspace)
        except Exception:  # noqa: BLE001  around the user's own code
            return None
        return said if isinstance(said, str) else None


def _unwrapped(tool: Tool) -> Tool:
    """Return the tool that a name in some toolset stands for."""
    while isinstance(tool, RenamedTool):
        tool = tool.wrapped
    return tool


def _says(tool: Tool, what: str) -> bool:
    """Say whether a tool has something of its own to say about that, beyond its definition."""
    if type(tool) is FunctionTool:  # one that is derived from it may say more
        return what in tool.hooks
    if not isinstance(tool, ToolBase) or what in vars(tool):
        return True
    return getattr(type(tool), what) is not getattr(ToolBase, what)


class KnownTools:
    """Finds tools by name, and remembers what it has worked out about them."""

    def __init__(self, registry: ToolView, *, also: Iterable[Tool] = ()) -> None:
        self._registry: Final = registry
        entries = (Entry(tool.definition.name, tool, tool.definition, builtin=True) for tool in also)
        self._own: Final = {entry.name: entry for entry in entries}  # found where the registry has nothing of the name
        self._known: dict[str, KnownTool] = {}

    def get(self, name: str) -> KnownTool | None:
        """Return the tool that a name stands for, in any spelling, as it is registered at this moment."""
        entry = self._registry.entry(name) or self._registry.entry(normalize_name(name))
        if entry is None:
            entry = self._own.get(normalize_name(name))
            if entry is None:
                return None
        known = self._known.get(entry.name)
        return known if known is not None and known.entry is entry else self._learn(entry)

    def nearest(self, name: str) -> list[str]:
        """Return the names that are most like one that does not exist, best first."""
        return self._registry.nearest(name, _NEAREST)

    def _learn(self, entry: Entry) -> KnownTool:
        if len(self._known) > len(self._registry) + _SPARE:
            self._known.clear()
        known = self._known[entry.name] = KnownTool(entry)
        return known
