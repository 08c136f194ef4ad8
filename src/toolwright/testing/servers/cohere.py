"""Cohere's chat, in its second version: ``POST /v2/chat``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, final

from toolwright.errors import LLMError
from toolwright.testing.script import cut
from toolwright.testing.servers.http import ServerRequest
from toolwright.testing.servers.interface import Interface, Turn, arguments_text, calls_of, event

__all__ = ["Cohere"]

_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]*")
_ROLES: Final = ("system", "user", "assistant", "tool")
_ENDS: Final[Mapping[str, str]] = {
    "stop": "COMPLETE",
    "tool_calls": "TOOL_CALL",
    "length": "MAX_TOKENS",
    "content_filter": "ERROR_TOXIC",
    "error": "ERROR",
}


@final
class Cohere(Interface):
    """The interface of chats."""

    def takes(self, request: ServerRequest) -> bool:
        """Say whether a request is for a chat."""
        return request.method == "POST" and request.path.endswith("/v2/chat")

    def faults(self, request: ServerRequest) -> Iterator[str]:
        """Yield what is wrong with messages and tools."""
        body = request.body
        if not body.get("model"):
            yield "invalid request: model is required"
        messages: list[dict[str, Any]] = body.get("messages") or []
        if not messages:
            yield "invalid request: at least one message is required"
        yield from _message_faults(messages)
        if any(not _NAME.fullmatch(tool["function"].get("name", "")) for tool in body.get("tools") or ()):
            yield "invalid request: all elements in tools must have a name."

    def whole(self, turn: Turn) -> dict[str, Any]:
        """Return an answer."""
        message: dict[str, Any] = {"role": "assistant"}
        content = [part for part, _ in _parts(turn)]
        calls = [_call(call.id, call.name, arguments_text(call)) for call in calls_of(turn.answer)]
        message |= {"content": content} if content else {}
        message |= {"tool_calls": calls} if calls else {}
        return {"id": _id(turn), "message": message, **_end(turn)}

    def stream(self, turn: Turn, error: LLMError | None) -> Iterator[bytes]:
        """Yield the events of an answer."""
        for content in self._events(turn, error):
            yield event(content, content["type"])

    def _events(self, turn: Turn, error: LLMError | None) -> Iterator[dict[str, Any]]:
        begun: dict[str, Any] = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
        yield {"type": "message-start", "id": _id(turn), "delta": {"message": begun}}
        for index, (part, pieces) in enumerate(_parts(turn)):
            empty = {key: value if key == "type" else "" for key, value in part.items()}
            yield _step("content-start", index, {"content": empty})
            yield from (_step("content-delta", index, {"content": piece}) for piece in pieces)
            yield {"type": "content-end", "index": index}
        for index, call in enumerate(calls_of(turn.answer)):
            yield _step("tool-call-start", index, {"tool_calls": _call(call.id, call.name, "")})
            for piece in cut(arguments_text(call), turn.size):
                yield _step("tool-call-delta", index, {"tool_calls": {"function": {"arguments": piece}}})
            yield {"type": "tool-call-end", "index": index}
        if error is None:
            yield {"type": "message-end", "delta": _end(turn)}
        else:
            yield {"type": "message-end", "delta": {"finish_reason": "ERROR", "error": error.message}}

    def error(self, error: LLMError, status: int) -> dict[str, Any]:
        """Return an error, which is a message alone."""
        del status
        return {"id": "scripted", "message": error.message}

    def models(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the list of models."""
        return {"models": [{"name": name, "endpoints": ["chat"], "finetuned": False} for name in names]}


def _message_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with a history: calls are answered right behind them, and answers are to calls."""
    waiting: set[str] = set()
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if role not in _ROLES:
            yield f"invalid request: role must be one of {', '.join(_ROLES)}"
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                yield "invalid request: tool call id not found in previous tool calls"
            waiting.discard(str(message.get("tool_call_id")))
            continue
        if waiting:
            yield "invalid request: cannot have unanswered tool calls"
        waiting = {call["id"] for call in message.get("tool_calls") or ()}
        if not content and not waiting:
            yield "invalid request: message must be at least 1 token long or tool results must be specified."
    if waiting:
        yield "invalid request: cannot have unanswered tool calls"


def _parts(turn: Turn) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield each part of the content, and the pieces in which it arrives."""
    answer = turn.answer
    for kind, text in (("thinking", answer.reasoning), ("text", answer.text or answer.refusal)):
        if text:
            yield {"type": kind, kind: text}, [{kind: piece} for piece in cut(text, turn.size)]


def _step(kind: str, index: int, message: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "index": index, "delta": {"message": message}}


def _call(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _id(turn: Turn) -> str:
    return f"scripted-{turn.number}"


def _end(turn: Turn) -> dict[str, Any]:
    tokens = {"input_tokens": turn.asked_tokens, "output_tokens": turn.answered_tokens}
    usage: dict[str, Any] = {"billed_units": tokens, "tokens": tokens}
    if turn.answer.usage.cached_tokens is not None:
        usage["cached_tokens"] = turn.answer.usage.cached_tokens
    return {"finish_reason": _ENDS[turn.answer.finish_reason], "usage": usage}
