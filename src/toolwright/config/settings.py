"""The settings: one frozen value, whatever they came from.

The names here are the keys of the files: ``agent.max_turns`` is ``settings.agent.max_turns``. What each may hold is
said in ``keys``; this module holds values only.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import msgspec

from toolwright.levels import RiskLevel, SandboxIsolationLevel

__all__ = [
    "AgentSettings",
    "BuiltinSettings",
    "ExecutionSettings",
    "FeatureSettings",
    "RunSettings",
    "Settings",
    "ToolSettings",
]


class AgentSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What one run may take: turns, calls, seconds."""

    max_turns: int = 20
    max_tool_calls: int = 100
    timeout: float | None = None


class ExecutionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What calls may take: how many at once, seconds each, seconds until somebody decides."""

    concurrency: int = 3
    timeout: float = 600.0
    review_timeout: float = 600.0


class ToolSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which tools there are: folders of definition files, names that are left out, the highest risk."""

    folders: tuple[Path, ...] = ()
    disabled: tuple[str, ...] = ()
    max_risk: RiskLevel | None = None


class FeatureSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What is switched on."""

    tool_definitions: bool = True


class BuiltinSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the built-in tools are run: the isolation that commands ask for."""

    command_isolation: SandboxIsolationLevel = SandboxIsolationLevel.STRICT


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where runs are kept; None is the user's data folder."""

    folder: Path | None = None


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings; without arguments, the defaults."""

    model: str | None = None
    system: str | None = None
    agent: AgentSettings = AgentSettings()
    execution: ExecutionSettings = ExecutionSettings()
    tools: ToolSettings = ToolSettings()
    features: FeatureSettings = FeatureSettings()
    builtin: BuiltinSettings = BuiltinSettings()
    runs: RunSettings = RunSettings()

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return settings with these values, by their dotted names; the others are at their defaults."""
        parts: dict[str, dict[str, Any]] = {}
        own: dict[str, Any] = {}
        for path, value in values.items():
            group, _, name = path.rpartition(".")
            (parts.setdefault(group, {}) if group else own)[name] = value
        defaults = cls()
        changed = {group: msgspec.structs.replace(getattr(defaults, group), **part) for group, part in parts.items()}
        return cls(**own, **changed)

    def get(self, path: str) -> Any:
        """Return the value of a dotted name."""
        found: Any = self
        for name in path.split("."):
            found = getattr(found, name)
        return found
