"""Which tools there are: kept, found, looked at from several sides, and followed as they come and go.

Reading never waits for writing. Whatever reads tools takes a :class:`ToolView`, which a registry is, and so is every
:class:`Toolset`.

This room may not know how a tool is run, nor who may run it.
"""

from __future__ import annotations

from toolwright.registry.availability import Availability
from toolwright.registry.events import RegistryEvent
from toolwright.registry.registry import Registry
from toolwright.registry.sources import ToolSource
from toolwright.registry.toolset import Toolset
from toolwright.registry.view import ScoredTool, ToolView

__all__ = ["Availability", "Registry", "RegistryEvent", "ScoredTool", "ToolSource", "ToolView", "Toolset"]
