"""How the messages of a request of the chat format are read back, from a log or another program.

The inverse of what ``codec`` writes. What has no place in a message is kept for the provider, so that writing it
again gives the same request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall
from toolwright.providers.codecs.calls import CUSTOM, arguments_text, custom_arguments, parse_call, parted
from toolwright.providers.codecs.ids import UnusedIds
from toolwright.providers.codecs.reading import MISREAD, listed, misread
from toolwright.providers.codecs.requests import read_parts
from toolwright.providers.codecs.thoughts import ThoughtSplitter
from toolwright.providers.codecs.waiting import Waiting

__all__ = ["read_messages"]

_ROLES: Final = {role.value: role for role in MessageRole}
_SYSTEM: Final = MessageRole.SYSTEM
_USER: Final = MessageRole.USER
_ASSISTANT: Final = MessageRole.ASSISTANT
_TOOL: Final = MessageRole.TOOL
_READ: Final = frozenset(("role", "content", "tool_calls", "tool_call_id", "function_call"))
_OF_A_CALL: Final = frozenset(("index", "id", "type", "function", "custom"))
_TAGS_BEGIN: Final = "<[ \n\t\r"

_Calls = list[ToolCall | InvalidToolCall]


def read_messages(request: Mapping[str, Any], codec: str) -> tuple[ChatMessage, ...]:
    """Return the messages of a request.

    Raises:
        InvalidMessageError: Something in it cannot be a message; ``path`` says which.
    """
    messages: list[ChatMessage] = []
    asked = _Asked()
    for wire in listed(request, "messages"):
        try:
            # Nearly all messages are plain texts, calls and results: these are let through by their shape. Whatever
            # has a field more, or another one, takes the long way.
            content: Any = wire.get("content")
            role, size = _ROLES.get(wire["role"]), len(wire)
            if content.__class__ is str:
                if size == 2 and (role is _USER or role is _SYSTEM or (role is _ASSISTANT and not _may_think(content))):
                    messages.append(ChatMessage(role, content))
                    continue
                if size == 3 and role is _TOOL and wire.get("tool_call_id"):
                    messages.append(ChatMessage(role, content, (), (), wire["tool_call_id"]))
                    continue
            elif size == 3 and role is _ASSISTANT and "content" in wire and content is None and wire.get("tool_calls"):
                asked.calls = _read_calls(wire["tool_calls"], codec)
                messages.append(ChatMessage(role, None, *parted(asked.calls)))
                continue
            messages.append(_read_message(wire, asked, codec))
        except MISREAD as error:
            raise misread(error, f"messages[{len(messages)}]") from None
    return tuple(messages)


class _Asked:
    """The calls of the last answer, for results that do not say which of them they are for."""

    __slots__ = ("_of", "_waiting", "calls")

    def __init__(self) -> None:
        self.calls: _Calls = []
        self._of: _Calls = self.calls
        self._waiting = Waiting()

    def answered(self, name: str | None) -> str:
        """Return the id of the call that a result is for: the first of that name, or the first of all."""
        if self._of is not self.calls:  # nearly all results say it themselves
            self._of = self.calls
            self._waiting = Waiting((call.id, call.id, call.name) for call in self.calls)
        waiting = self._waiting
        return (waiting.of_name(name) if name else None) or waiting.first() or "call_0"


def _may_think(content: str) -> bool:
    """Say whether a text has to be looked at more closely, since thoughts may stand before it."""
    return content[:1] in _TAGS_BEGIN


def _read_message(wire: Mapping[str, Any], asked: _Asked, codec: str) -> ChatMessage:
    role = _ROLES.get(wire["role"]) or MessageRole.parse(wire["role"])
    text, kept = _read_content(wire.get("content"), role)
    fields = _beyond(_READ, wire)
    if wire["role"] == "developer":
        kept["role"] = "developer"
    if role is _TOOL:
        name = fields.pop("name", None) if wire["role"] == "function" else fields.get("name")
        id = wire.get("tool_call_id") or asked.answered(name)
        return ChatMessage(role, text or "", tool_call_id=id, provider_data=_data(codec, kept, fields))
    calls: _Calls = []
    if role is _ASSISTANT:
        old = wire.get("function_call")  # what calls were before there could be several
        calls = _read_calls(wire.get("tool_calls") or ([{"function": old}] if old else []), codec)
        asked.calls = calls
    if text is None and role is _ASSISTANT and not calls:
        text = fields.get("refusal") or ""
    return ChatMessage(role, text, *parted(calls), provider_data=_data(codec, kept, fields))


def _beyond(known: frozenset[str], wire: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that have no place of their own here."""
    if known.issuperset(wire):
        return {}
    return {key: value for key, value in wire.items() if key not in known and value is not None}


def _data(codec: str, kept: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any] | None:
    if fields:
        kept["fields"] = fields
    return {codec: kept} if kept else None


def _read_content(content: Any, role: MessageRole) -> tuple[str | None, dict[str, Any]]:
    """Return a content as text, and what has to be kept of it because it is more than that."""
    if content is None:
        return None, {}
    if content.__class__ is str:
        return _read_thoughts(content) if role is _ASSISTANT else (content, {})
    return read_parts(content, "" if role is _ASSISTANT else "\n")


def _read_thoughts(content: str) -> tuple[str, dict[str, Any]]:
    """Part what a model thought from what it said."""
    splitter = ThoughtSplitter()
    said = "".join(text for kind, text in (*splitter.feed(content), *splitter.close()) if kind == "text")
    return said, {"think": splitter.raw} if splitter.raw else {}


def _read_calls(wires: list[dict[str, Any]], codec: str) -> _Calls:
    ids = UnusedIds() if len(wires) > 1 else None
    calls: _Calls = []
    for position, one in enumerate(wires):
        id = one.get("id") or f"call_{position}"
        calls.append(_read_call(one, ids.take(id) if ids else id, codec))
    return calls


def _read_call(one: dict[str, Any], id: str, codec: str) -> ToolCall | InvalidToolCall:
    custom = one.get("custom")
    function = custom or one["function"]
    extra = _beyond(_OF_A_CALL, one)
    kept: dict[str, Any] = {"fields": extra} if extra else {}
    if custom:
        kept, text = {**kept, **CUSTOM}, custom_arguments(custom.get("input") or "")
    else:
        text = arguments_text(function.get("arguments"))
    return parse_call(id, function.get("name") or "", text, codec=codec, kept=kept)
