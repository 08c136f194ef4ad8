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
    from toolwright.conversation import Conversation as Conversation
    from toolwright.errors import ConversationOrderError as ConversationOrderError
    from toolwright.errors import InvalidMessageError as InvalidMessageError
    from toolwright.errors import InvalidSchemaError as InvalidSchemaError
    from toolwright.errors import MessageDecodeError as MessageDecodeError
    from toolwright.errors import MissingExtraError as MissingExtraError
    from toolwright.errors import NotJsonError as NotJsonError
    from toolwright.errors import ToolwrightError as ToolwrightError
    from toolwright.errors import UnsupportedTypeError as UnsupportedTypeError
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
    from toolwright.schema import Meta as Meta
    from toolwright.schema import Schema as Schema
    from toolwright.schema import SchemaBuilder as SchemaBuilder
    from toolwright.schema import ValidationIssue as ValidationIssue
    from toolwright.schema import ValidationReport as ValidationReport
    from toolwright.transcript import Record as Record
    from toolwright.transcript import to_messages as to_messages
    from toolwright.transcript import to_records as to_records

# A visible __getattr__ would make every misspelt name type-check, so type checkers see only the block above.
if not TYPE_CHECKING:
    _HOMES = {
        "ChatMessage": "messages",
        "Conversation": "conversation",
        "ConversationOrderError": "errors",
        "InvalidMessageError": "errors",
        "InvalidSchemaError": "errors",
        "InvalidToolCall": "messages",
        "MessageDecodeError": "errors",
        "MessageRole": "messages",
        "Meta": "schema",
        "MissingExtraError": "errors",
        "NotJsonError": "errors",
        "Record": "transcript",
        "Schema": "schema",
        "SchemaBuilder": "schema",
        "ToolCall": "messages",
        "ToolCallAssembler": "messages",
        "ToolCallDelta": "messages",
        "ToolResult": "messages",
        "ToolwrightError": "errors",
        "UnsupportedTypeError": "errors",
        "ValidationIssue": "schema",
        "ValidationReport": "schema",
        "assistant": "messages",
        "system": "messages",
        "to_messages": "transcript",
        "to_records": "transcript",
        "tool_result": "messages",
        "user": "messages",
    }

    __all__ = list(_HOMES)

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name in _HOMES:
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
