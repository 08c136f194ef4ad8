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

TYPE_CHECKING = False  # type checkers take it for true; importing typing would cost more than all the rest of this

if TYPE_CHECKING:
    from toolwright import builtin as builtin
    from toolwright.agent import Agent as Agent
    from toolwright.agent import JsonLinesRuns as JsonLinesRuns
    from toolwright.agent import MemoryRuns as MemoryRuns
    from toolwright.agent import Run as Run
    from toolwright.agent import RunCompleted as RunCompleted
    from toolwright.agent import RunStore as RunStore
    from toolwright.conversation import Conversation as Conversation
    from toolwright.errors import AuditError as AuditError
    from toolwright.errors import ConfigError as ConfigError
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
    from toolwright.errors import ModelFileError as ModelFileError
    from toolwright.errors import NotJsonError as NotJsonError
    from toolwright.errors import PathOutsideWorkspaceError as PathOutsideWorkspaceError
    from toolwright.errors import PolicyError as PolicyError
    from toolwright.errors import ProtectedToolError as ProtectedToolError
    from toolwright.errors import RunError as RunError
    from toolwright.errors import ToolLoadError as ToolLoadError
    from toolwright.errors import ToolNotFoundError as ToolNotFoundError
    from toolwright.errors import ToolwrightError as ToolwrightError
    from toolwright.errors import UnknownWordError as UnknownWordError
    from toolwright.errors import UnsupportedTypeError as UnsupportedTypeError
    from toolwright.execution import ApprovalDecided as ApprovalDecided
    from toolwright.execution import ApprovalRequested as ApprovalRequested
    from toolwright.execution import AuditSink as AuditSink
    from toolwright.execution import Concurrency as Concurrency
    from toolwright.execution import ConsoleReviewer as ConsoleReviewer
    from toolwright.execution import Decision as Decision
    from toolwright.execution import Events as Events
    from toolwright.execution import Execution as Execution
    from toolwright.execution import ExecutionCompleted as ExecutionCompleted
    from toolwright.execution import ExecutionProgress as ExecutionProgress
    from toolwright.execution import ExecutionStarted as ExecutionStarted
    from toolwright.execution import Executor as Executor
    from toolwright.execution import InboxReviewer as InboxReviewer
    from toolwright.execution import JsonLinesSink as JsonLinesSink
    from toolwright.execution import Limits as Limits
    from toolwright.execution import MemoryInbox as MemoryInbox
    from toolwright.execution import MemorySink as MemorySink
    from toolwright.execution import Policy as Policy
    from toolwright.execution import Reviewer as Reviewer
    from toolwright.execution import ReviewRequest as ReviewRequest
    from toolwright.execution import Rule as Rule
    from toolwright.execution import approve_all as approve_all
    from toolwright.execution import deny_all as deny_all
    from toolwright.execution import load_policy as load_policy
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
    from toolwright.providers import ChatProvider as ChatProvider
    from toolwright.providers import ChatResponse as ChatResponse
    from toolwright.providers import Completed as Completed
    from toolwright.providers import ReasoningDelta as ReasoningDelta
    from toolwright.providers import StreamEvent as StreamEvent
    from toolwright.providers import TextDelta as TextDelta
    from toolwright.providers import Usage as Usage
    from toolwright.providers import codec as codec
    from toolwright.providers import provider as provider
    from toolwright.registry import Availability as Availability
    from toolwright.registry import Registry as Registry
    from toolwright.registry import RegistryEvent as RegistryEvent
    from toolwright.registry import ScoredTool as ScoredTool
    from toolwright.registry import Toolset as Toolset
    from toolwright.registry import ToolSource as ToolSource
    from toolwright.registry import ToolView as ToolView
    from toolwright.sandbox import Sandbox as Sandbox
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
        "Agent": "agent",
        "ApprovalDecided": "execution",
        "ApprovalRequested": "execution",
        "Artifact": "tools",
        "AuditError": "errors",
        "AuditSink": "execution",
        "Availability": "registry",
        "ChatMessage": "messages",
        "ChatProvider": "providers",
        "ChatResponse": "providers",
        "Completed": "providers",
        "Concurrency": "execution",
        "ConfigError": "errors",
        "ConsoleReviewer": "execution",
        "Conversation": "conversation",
        "ConversationOrderError": "errors",
        "CustomTool": "tools",
        "Decision": "execution",
        "DefinitionDecodeError": "errors",
        "Dialected": "schema",
        "DuplicateToolError": "errors",
        "Events": "execution",
        "Execution": "execution",
        "ExecutionCompleted": "execution",
        "ExecutionProgress": "execution",
        "ExecutionStarted": "execution",
        "Executor": "execution",
        "FunctionTool": "tools",
        "InboxReviewer": "execution",
        "InvalidDefinitionError": "errors",
        "InvalidMessageError": "errors",
        "InvalidSchemaError": "errors",
        "InvalidToolCall": "messages",
        "JsonLinesRuns": "agent",
        "JsonLinesSink": "execution",
        "KNOWN_PERMISSIONS": "tools",
        "LLMError": "errors",
        "License": "tiers",
        "LicenseContext": "tiers",
        "LicenseError": "errors",
        "Limits": "execution",
        "MemoryInbox": "execution",
        "MemoryRuns": "agent",
        "MemorySink": "execution",
        "MessageDecodeError": "errors",
        "MessageRole": "messages",
        "Meta": "schema",
        "MissingExtraError": "errors",
        "ModelFileError": "errors",
        "NotJsonError": "errors",
        "PathOutsideWorkspaceError": "errors",
        "Policy": "execution",
        "PolicyError": "errors",
        "ProtectedToolError": "errors",
        "ReasoningDelta": "providers",
        "Record": "transcript",
        "Registry": "registry",
        "RegistryEvent": "registry",
        "ReviewRequest": "execution",
        "Reviewer": "execution",
        "RiskLevel": "levels",
        "Rule": "execution",
        "Run": "agent",
        "RunCompleted": "agent",
        "RunError": "errors",
        "RunStore": "agent",
        "Sandbox": "sandbox",
        "SandboxIsolationLevel": "levels",
        "Schema": "schema",
        "SchemaBuilder": "schema",
        "ScoredTool": "registry",
        "Service": "tools",
        "Services": "tools",
        "StreamEvent": "providers",
        "TextDelta": "providers",
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
        "Usage": "providers",
        "ValidationIssue": "schema",
        "ValidationReport": "schema",
        "approve_all": "execution",
        "assistant": "messages",
        "builtin": "",  # a room whose own names are used: ``tw.builtin.read_file``
        "check_definition": "tools",
        "codec": "providers",
        "deny_all": "execution",
        "load_definition": "tools",
        "load_definitions": "tools",
        "load_policy": "execution",
        "provider": "providers",
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
