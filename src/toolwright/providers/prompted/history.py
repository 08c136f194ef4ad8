"""A history in words: calls in the form of an answer, results as what a user says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall
from toolwright.providers.codecs.names import sendable_name
from toolwright.providers.prompted.words import call_in_words, reply_in_words
from toolwright.values import encode

__all__ = ["history_in_words"]

_Call: TypeAlias = ToolCall | InvalidToolCall

_AFTER_RESULT: Final = "Now {name} with that, or use another tool if more is needed."
_LOST: Final = "a tool"


def history_in_words(history: Iterable[ChatMessage], reply: str, *, may_reply: bool) -> Iterator[ChatMessage]:
    """Yield messages without calls and results that say the same, user and assistant in turn where they were."""
    return _joined(_told(history, reply, may_reply=may_reply))


def _told(history: Iterable[ChatMessage], reply: str, *, may_reply: bool) -> Iterator[ChatMessage]:
    """Yield each call right before its result, whatever order the results came in."""
    waiting: dict[str, _Call] = {}
    after = f"\n\n{_AFTER_RESULT.format(name=reply)}" if may_reply else ""
    for message in history:
        if message.role is MessageRole.TOOL:
            call = waiting.pop(message.tool_call_id or "", None)
            if call is not None:
                yield ChatMessage.assistant(_call(call))
            yield ChatMessage.user(_result(message, call) + ("" if waiting else after))
            continue
        yield from _unanswered(waiting)
        waiting = {}
        if message.role is not MessageRole.ASSISTANT:
            yield message
            continue
        if message.content:
            yield ChatMessage.assistant(reply_in_words(reply, message.content))
        calls: tuple[_Call, ...] = (*message.tool_calls, *message.invalid_tool_calls)
        waiting = {call.id: call for call in calls}
    yield from _unanswered(waiting)


def _unanswered(waiting: dict[str, _Call]) -> Iterator[ChatMessage]:
    return (ChatMessage.assistant(_call(call)) for call in waiting.values())


def _call(call: _Call) -> str:
    if isinstance(call, ToolCall):
        return call_in_words(call.name, encode(call.arguments).decode())
    return call_in_words(sendable_name(call.name), call.arguments_text or "{}")


def _result(message: ChatMessage, call: _Call | None) -> str:
    name = sendable_name(call.name) if call is not None else _LOST
    return f"{'Error' if message.is_error else 'Result'} of {name}:\n{message.content}"


def _joined(messages: Iterable[ChatMessage]) -> Iterator[ChatMessage]:
    """Yield messages with neighbours of one role made one: many templates want user and assistant in turn.

    What a provider wants back belongs to one message alone: such a one is left as it is.
    """
    held: ChatMessage | None = None
    for message in messages:
        if held is not None and held.role is message.role and held.provider_data is message.provider_data is None:
            held = ChatMessage(held.role, f"{held.content}\n\n{message.content}")
            continue
        if held is not None:
            yield held
        held = message
    if held is not None:
        yield held
