"""Tools: what one is, how one is written, what it gets and what it gives back.

==============  =========================================================================================
``definition``  the description that everything else reads; its parameters, constraints, checks and formats
``function``    ``@tool``: a function as a tool; ``base``: the shape of every tool, and a class to start from
``custom``      tools kept as data, with their ``handlers``; ``files`` reads them
``context``     what a tool gets: arguments, ``paths``, ``services``, ``progress``
``outcome``     what it gives: ``codes``, ``artifacts``, and the ``model_view`` of it
``adapters``    tools of other libraries
==============  =========================================================================================

A tool runs when it is told to. Who may tell it, and in what isolation, is decided by later rooms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolwright.tools.adapters import tool_from_langchain, tool_from_pydantic_ai
    from toolwright.tools.artifacts import Artifact
    from toolwright.tools.base import Tool, ToolBase
    from toolwright.tools.checking import check_definition
    from toolwright.tools.codes import CODES, OutcomeCode
    from toolwright.tools.constraints import ToolConstraints
    from toolwright.tools.context import ToolContext
    from toolwright.tools.custom import CustomTool
    from toolwright.tools.definition import ToolDefinition
    from toolwright.tools.files import load_definition, load_definitions
    from toolwright.tools.function import FunctionTool, tool
    from toolwright.tools.outcome import ToolOutcome
    from toolwright.tools.parameters import ToolParameter
    from toolwright.tools.permissions import KNOWN_PERMISSIONS
    from toolwright.tools.progress import ToolProgress
    from toolwright.tools.services import Service, Services

__all__ = [
    "CODES",
    "KNOWN_PERMISSIONS",
    "Artifact",
    "CustomTool",
    "FunctionTool",
    "OutcomeCode",
    "Service",
    "Services",
    "Tool",
    "ToolBase",
    "ToolConstraints",
    "ToolContext",
    "ToolDefinition",
    "ToolOutcome",
    "ToolParameter",
    "ToolProgress",
    "check_definition",
    "load_definition",
    "load_definitions",
    "tool",
    "tool_from_langchain",
    "tool_from_pydantic_ai",
]

if not TYPE_CHECKING:
    # Lazily, so that whoever needs one part, such as a definition, does not pay for the others.
    _HOMES = {
        "CODES": "codes",
        "KNOWN_PERMISSIONS": "permissions",
        "Artifact": "artifacts",
        "CustomTool": "custom",
        "FunctionTool": "function",
        "OutcomeCode": "codes",
        "Service": "services",
        "Services": "services",
        "Tool": "base",
        "ToolBase": "base",
        "ToolConstraints": "constraints",
        "ToolContext": "context",
        "ToolDefinition": "definition",
        "ToolOutcome": "outcome",
        "ToolParameter": "parameters",
        "ToolProgress": "progress",
        "check_definition": "checking",
        "load_definition": "files",
        "load_definitions": "files",
        "tool": "function",
        "tool_from_langchain": "adapters",
        "tool_from_pydantic_ai": "adapters",
    }

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            from importlib import import_module

            value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
            return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
