"""Toolwright: the tool layer for LLM agents.

Define a tool once, and every call that a model makes to it is valid, permitted, bounded, isolated, recorded and
answered. ``import toolwright as tw`` gives every name that a user needs, and loads a room only when one of its names is
first used.

General layout: values flow one way through small pure steps; whatever touches the world stands at the edge. From the
ground up: ``errors`` (all exceptions), ``values`` (JSON, frozen), ``messages`` and ``schema``, ``conversation`` and
``transcript``. ARCHITECTURE.md draws the whole house.

This module holds no logic of its own, and no other module may import it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolwright import builtin as builtin
    from toolwright.conversation import Conversation as Conversation
    from toolwright.errors import ConversationOrderError as ConversationOrderError
    from toolwright.errors import DefinitionDecodeError as DefinitionDecodeError
    from toolwright.errors import DuplicateToolError as DuplicateToolError
    from toolwright.errors import InvalidDefinitionError as InvalidDefinitionError
    from toolwright.errors import InvalidMessageError as InvalidMessageError
    from toolwright.errors import InvalidSchemaError as InvalidSchemaError
    from toolwright.errors import LicenseError as LicenseError
    from toolwright.errors import LLMError as LLMError
    from toolwright.errors import MessageDecodeError as MessageDecodeError
    from toolwright.errors import MissingExtraError as MissingExtraError
    from toolwright.errors import NotJsonError as NotJsonError
    from toolwright.errors import PathOutsideWorkspaceError as PathOutsideWorkspaceError
    from toolwright.errors import ProtectedToolError as ProtectedToolError
    from toolwright.errors import ToolLoadError as ToolLoadError
    from toolwright.errors import ToolNotFoundError as ToolNotFoundError
    from toolwright.errors import ToolwrightError as ToolwrightError
    from toolwright.errors import UnknownWordError as UnknownWordError
    from toolwright.errors import UnsupportedTypeError as UnsupportedTypeError
    from toolwright.levels import RiskLevel as RiskLevel
    from toolwright.levels import SandboxIsolationLevel as SandboxIsolationLevel
    from toolwright.levels import ToolCategory as ToolCategory
    from toolwright.messages import ChatMessage as ChatMessage
    from toolwright.messages import InvalidToolCall as InvalidToolCall
    from toolwright.messages import MessageRole as MessageRole
    from toolwright.messages import ToolCall as ToolCall
    from toolwright.messages import ToolCallAssembler as ToolCallAssembler
    from toolwright.messages import ToolCallDelta as ToolCallDelta
    from toolwright.messages import ToolResult as ToolResult
    from toolwright.messages import assistant as assistant
    from toolwright.messages import system as system
    from toolwright.messages import tool_result as tool_result
    from toolwright.messages import user as user
    from toolwright.registry import Availability as Availability
    from toolwright.registry import Registry as Registry
    from toolwright.registry import RegistryEvent as RegistryEvent
    from toolwright.registry import ScoredTool as ScoredTool
    from toolwright.registry import Toolset as Toolset
    from toolwright.registry import ToolSource as ToolSource
    from toolwright.registry import ToolView as ToolView
    from toolwright.schema import Dialected as Dialected
    from toolwright.schema import Meta as Meta
    from toolwright.schema import Schema as Schema
    from toolwright.schema import SchemaBuilder as SchemaBuilder
    from toolwright.schema import ValidationIssue as ValidationIssue
    from toolwright.schema import ValidationReport as ValidationReport
    from toolwright.tiers import License as License
    from toolwright.tiers import LicenseContext as LicenseContext
    from toolwright.tiers import Tier as Tier
    from toolwright.tools import KNOWN_PERMISSIONS as KNOWN_PERMISSIONS
    from toolwright.tools import Artifact as Artifact
    from toolwright.tools import CustomTool as CustomTool
    from toolwright.tools import FunctionTool as FunctionTool
    from toolwright.tools import Service as Service
    from toolwright.tools import Services as Services
    from toolwright.tools import Tool as Tool
    from toolwright.tools import ToolBase as ToolBase
    from toolwright.tools import ToolConstraints as ToolConstraints
    from toolwright.tools import ToolContext as ToolContext
    from toolwright.tools import ToolDefinition as ToolDefinition
    from toolwright.tools import ToolOutcome as ToolOutcome
    from toolwright.tools import ToolParameter as ToolParameter
    from toolwright.tools import ToolProgress as ToolProgress
    from toolwright.tools import check_definition as check_definition
    from toolwright.tools import load_definition as load_definition
    from toolwright.tools import load_definitions as load_definitions
    from toolwright.tools import tool as tool
    from toolwright.tools import tool_from_langchain as tool_from_langchain
    from toolwright.tools import tool_from_pydantic_ai as tool_from_pydantic_ai
    from toolwright.transcript import Record as Record
    from toolwright.transcript import to_messages as to_messages
    from toolwright.transcript import to_records as to_records

# A visible __getattr__ would make every misspelt name type-check, so type checkers see only the block above.
if not TYPE_CHECKING:
    _HOMES = {
        "Artifact": "tools",
        "Availability": "registry",
        "ChatMessage": "messages",
        "Conversation": "conversation",
        "ConversationOrderError": "errors",
        "CustomTool": "tools",
        "DefinitionDecodeError": "errors",
        "Dialected": "schema",
        "DuplicateToolError": "errors",
        "FunctionTool": "tools",
        "InvalidDefinitionError": "errors",
        "InvalidMessageError": "errors",
        "InvalidSchemaError": "errors",
        "InvalidToolCall": "messages",
        "KNOWN_PERMISSIONS": "tools",
        "LLMError": "errors",
        "License": "tiers",
        "LicenseContext": "tiers",
        "LicenseError": "errors",
        "MessageDecodeError": "errors",
        "MessageRole": "messages",
        "Meta": "schema",
        "MissingExtraError": "errors",
        "NotJsonError": "errors",
        "PathOutsideWorkspaceError": "errors",
        "ProtectedToolError": "errors",
        "Record": "transcript",
        "Registry": "registry",
        "RegistryEvent": "registry",
        "RiskLevel": "levels",
        "SandboxIsolationLevel": "levels",
        "Schema": "schema",
        "SchemaBuilder": "schema",
        "ScoredTool": "registry",
        "Service": "tools",
        "Services": "tools",
        "Tier": "tiers",
        "Tool": "tools",
        "ToolBase": "tools",
        "ToolCall": "messages",
        "ToolCallAssembler": "messages",
        "ToolCallDelta": "messages",
        "ToolCategory": "levels",
        "ToolConstraints": "tools",
        "ToolContext": "tools",
        "ToolDefinition": "tools",
        "ToolLoadError": "errors",
        "ToolNotFoundError": "errors",
        "ToolOutcome": "tools",
        "ToolParameter": "tools",
        "ToolProgress": "tools",
        "ToolResult": "messages",
        "ToolSource": "registry",
        "ToolView": "registry",
        "Toolset": "registry",
        "ToolwrightError": "errors",
        "UnknownWordError": "errors",
        "UnsupportedTypeError": "errors",
        "ValidationIssue": "schema",
        "ValidationReport": "schema",
        "assistant": "messages",
        "builtin": "",  # a room whose own names are used: ``tw.builtin.read_file``
        "check_definition": "tools",
        "load_definition": "tools",
        "load_definitions": "tools",
        "system": "messages",
        "to_messages": "transcript",
        "to_records": "transcript",
        "tool": "tools",
        "tool_from_langchain": "tools",
        "tool_from_pydantic_ai": "tools",
        "tool_result": "messages",
        "user": "messages",
    }

    __all__ = list(_HOMES)

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if _HOMES.get(name):
            value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
            return value
        if name.isidentifier() and not name.startswith("_"):
            try:
                return import_module(f"{__name__}.{name}")  # a room: ``tw.schema``
            except ModuleNotFoundError as error:
                if error.name != f"{__name__}.{name}":
                    raise
        from difflib import get_close_matches

        near = get_close_matches(name, __all__, n=1)
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""),
            name=name,
        )

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
