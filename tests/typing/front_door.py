"""The front door gives type checkers the real types, and tells them about misspelt names."""

from __future__ import annotations

from typing import assert_type

import toolwright as tw


def call_of(message: tw.ChatMessage) -> tuple[tw.ToolCall, ...]:
    assert_type(message.role, tw.MessageRole)
    return message.tool_calls


def a_misspelt_name_is_an_error() -> object:
    return tw.ChatMesage  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
