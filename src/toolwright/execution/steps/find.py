"""Step 1: the tool that a call names."""

from __future__ import annotations

from toolwright.execution.known import KnownTool, KnownTools
from toolwright.execution.stages import Located, Refused, Scope
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.registry.view import is_available
from toolwright.tools.outcome import ToolOutcome

__all__ = ["find"]

_SUGGESTIONS = 3


def find(call: ToolCall | InvalidToolCall, tools: KnownTools, scope: Scope) -> Located:
    """Find the tool that a call names, if this scope offers it.

    A spelling such as ``readFile`` finds ``read_file``. The tool found here stays with the call to the end, whatever
    is registered meanwhile.

    Raises:
        Refused: There is no such tool here, and the outcome names the nearest that are; or the call is none.
    """
    if isinstance(call, InvalidToolCall):
        raise Refused(ToolOutcome.failed(call.reason, code="validation_failed"))
    known = tools.get(call.name)
    if known is not None and ((scope.availability is None and known.always_available) or _is_offered(known, scope)):
        return Located(call, known, scope)
    raise Refused(ToolOutcome.not_found(call.name, _offered(call.name, tools, scope)))


def _is_offered(known: KnownTool, scope: Scope) -> bool:
    availability = scope.availability
    if availability is not None and not availability.allows(known.definition):
        return False
    return known.always_available or is_available(known.tool, known.name)


def _offered(name: str, tools: KnownTools, scope: Scope) -> list[str]:
    """Return the nearest names of tools that could be called instead: what is not offered is not told either."""
    near = (tools.get(each) for each in tools.nearest(name))
    return [known.name for known in near if known is not None and _is_offered(known, scope)][:_SUGGESTIONS]
