"""How the messages of a request of the responses format are read back, from a log or another program.

The items that a model once answered with, up to the next question or result, are one message here; their order and ids
are kept, so that writing it again gives the same items.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolwright.messages import ChatMessage, MessageRole
from toolwright.providers.codecs.answer import Answer
from toolwright.providers.codecs.calls import CUSTOM
from toolwright.providers.codecs.openai_responses.items import read_items
from toolwright.providers.codecs.reading import MISREAD, listed, misread
from toolwright.providers.codecs.requests import read_parts

__all__ = ["read_messages"]

_OUTPUTS: Final = ("function_call_output", "custom_tool_call_output")
_PLAIN_CALL: Final = {"type", "call_id"}


def read_messages(request: Mapping[str, Any], codec: str) -> tuple[ChatMessage, ...]:
    """Return the messages of a request.

    Raises:
        InvalidMessageError: Something in it cannot be a message; ``path`` says which.
    """
    messages: list[ChatMessage] = []
    answered: list[dict[str, Any]] = []
    path = "instructions"
    try:
        asked = request.get("input")
        items = [{"role": "user", "content": asked}] if isinstance(asked, str) else listed(request, "input")
        if request.get(path):
            messages.append(ChatMessage(MessageRole.SYSTEM, request[path], provider_data={codec: {path: True}}))
        for position, item in enumerate(items):
            path = f"input[{position}]"
            if _is_answer(item):
                answered.append(item)
                continue
            messages += _read_answer(answered, codec)
            answered = []
            messages.append(_read_item(item, codec))
        messages += _read_answer(answered, codec)
    except MISREAD as error:
        raise misread(error, path, "an item") from None
    return tuple(messages)


def _is_answer(item: Mapping[str, Any]) -> bool:
    """Say whether the model made an item: its words, its calls, its reasoning, what the server did for it."""
    kind = item.get("type") or "message"
    return item.get("role") == "assistant" if kind == "message" else kind not in _OUTPUTS


def _read_item(item: Mapping[str, Any], codec: str) -> ChatMessage:
    kind = item.get("type")
    if kind in _OUTPUTS:
        text, kept = _read_content(item.get("output"))
        if kind != "function_call_output":
            kept.update(CUSTOM)
        data = {codec: kept} if kept else None
        return ChatMessage(MessageRole.TOOL, text, tool_call_id=item["call_id"], provider_data=data)
    text, kept = _read_content(item.get("content"))
    if item["role"] == "developer":
        kept["role"] = "developer"
    return ChatMessage(MessageRole.parse(item["role"]), text, provider_data={codec: kept} if kept else None)


def _read_content(content: Any) -> tuple[str, dict[str, Any]]:
    if content is None or content.__class__ is str:
        return content or "", {}
    return read_parts(content, "\n")


def _read_answer(items: list[dict[str, Any]], codec: str) -> list[ChatMessage]:
    """Return the message that items make, if there are any."""
    if not items:
        return []
    answer = Answer(codec)
    entries = read_items(items, answer)
    if not _is_plain(entries):
        answer.kept["items"] = entries
    answer.finish = "stop"  # what stands in a history was not cut off
    return [answer.respond().to_message()]


def _is_plain(entries: list[dict[str, Any]]) -> bool:
    """Say whether items are a text and then calls, and nothing else: what a message is without further notes."""
    calls = entries[1:] if entries[0].get("type") == "message" else entries
    said = entries[0] if calls is not entries else None
    if any(call.get("type") != "function_call" or call.keys() != _PLAIN_CALL for call in calls):
        return False
    if said is None:
        return True
    parts = said["content"]
    return len(parts) == 1 and parts[0].keys() == {"type", "length"} and said.keys() == {"type", "role", "content"}
