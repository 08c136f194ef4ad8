"""What a small model is shown by default: few tools, and none that changes anything.

It chooses right among three, well among six, and worse with each one more. What it may do is not decided here, but by
the policy; whoever wants to show it more, does.
"""

from __future__ import annotations

from typing import Final

from toolwright.levels import RiskLevel
from toolwright.registry import Availability, Toolset, ToolView
from toolwright.registry.toolset import selection
from toolwright.tools.definition import ToolDefinition

__all__ = ["MOST_TOOLS", "small_offer"]

MOST_TOOLS: Final = 6
"""As many as a small model chooses well from."""


def small_offer(tools: ToolView, availability: Availability | None = None, *, most: int = MOST_TOOLS) -> Toolset:
    """Return the tools to show a small model: of those that are available and only read, the first few.

    Their choice is made once, so that what it is shown stays the same for the length of a conversation.
    """
    names = [each.name for each in tools.definitions(availability) if _only_reads(each)][:most]
    return Toolset([tools], keep=selection(names=names), name="what a small model is shown")


def _only_reads(definition: ToolDefinition) -> bool:
    return not definition.side_effects and definition.risk <= RiskLevel.SAFE
