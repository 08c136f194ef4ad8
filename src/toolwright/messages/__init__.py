"""Messages, tool calls and their results: what passes between an application and a model.

Pure data. Every value here is deeply immutable, is checked by the same rules whether it is constructed, decoded or
replaced, and goes to JSON and back without loss. Nothing here opens a file or a socket, reads a clock or knows a
provider's format, a schema or a tool.

=============  ==========================================================================================
``calls``      :class:`ToolCall`, :class:`InvalidToolCall` and :class:`ToolResult`: asked for, broken, answered
``chat``       :class:`ChatMessage`, the four roles, and short ways to write them
``deltas``     :class:`ToolCallDelta` and the assembler that makes calls out of streamed fragments
``decoding``   how JSON becomes one of these, and what is said when it cannot
=============  ==========================================================================================
"""

from toolwright.messages.calls import InvalidToolCall, ToolCall, ToolResult
from toolwright.messages.chat import ChatMessage, MessageRole, assistant, system, tool_result, user
from toolwright.messages.deltas import ToolCallAssembler, ToolCallDelta

__all__ = [
    "ChatMessage",
    "InvalidToolCall",
    "MessageRole",
    "ToolCall",
    "ToolCallAssembler",
    "ToolCallDelta",
    "ToolResult",
    "assistant",
    "system",
    "tool_result",
    "user",
]
