"""Anthropic's messages: ``POST /v1/messages``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast, final

from toolwright.errors import LLMError
from toolwright.messages import ToolCall
from toolwright.testing.script import cut
from toolwright.testing.servers.http import ServerRequest
from toolwright.testing.servers.interface import Interface, Turn, arguments_text, calls_of, event
from toolwright.values import thaw

__all__ = ["Anthropic"]

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")
_KINDS: Final[Mapping[str, str]] = {
    "authentication_failed": "authentication_error",
    "rate_limited": "rate_limit_error",
    "model_not_found": "not_found_error",
    "timeout": "timeout_error",
}
_STOPS: Final[Mapping[str, str]] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
    "error": "end_turn",
}


@final
class Anthropic(Interface):
    """The interface of messages."""

    def takes(self, request: ServerRequest) -> bool:
        """Say whether a request is for a message."""
        return request.method == "POST" and request.path.endswith("/messages")

    def lists(self, request: ServerRequest) -> bool:
        """Say whether a request is for the models of this one."""
        return request.path.endswith("/v1/models") and "anthropic-version" in request.headers

    def key(self, request: ServerRequest) -> str:
        """Return what ``x-api-key`` holds."""
        return request.headers.get("x-api-key", "")

    def faults(self, request: ServerRequest) -> Iterator[str]:
        """Yield what is wrong with the request."""
        body = request.body
        if "anthropic-version" not in request.headers:
            yield "anthropic-version: header is required"
        for field, kind in (("model", str), ("max_tokens", int), ("messages", list)):
            if not isinstance(body.get(field), kind) or not body[field]:
                yield f"{field}: Field required"
        for place, tool in enumerate(body.get("tools") or ()):
            if not _NAME.fullmatch(tool.get("name", "")):
                yield f"tools.{place}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
        if isinstance(body.get("messages"), list):
            yield from _message_faults(body["messages"])

    def whole(self, turn: Turn) -> dict[str, Any]:
        """Return a message."""
        content = [block for block, _ in _blocks(turn)]
        return {**_frame(turn), "content": content, **_end(turn), "usage": _usage(turn)}

    def stream(self, turn: Turn, error: LLMError | None) -> Iterator[bytes]:
        """Yield the events of a message."""
        for content in self._events(turn, error):
            yield event(content, content["type"])

    def _events(self, turn: Turn, error: LLMError | None) -> Iterator[dict[str, Any]]:
        open_end = {"stop_reason": None, "stop_sequence": None}
        begun: dict[str, Any] = {
            **_frame(turn),
            "content": [],
            **open_end,
            "usage": {**_usage(turn), "output_tokens": 1},
        }
        yield {"type": "message_start", "message": begun}
        yield {"type": "ping"}
        for index, (block, deltas) in enumerate(_blocks(turn)):
            yield {"type": "content_block_start", "index": index, "content_block": _bare(block)}
            yield from ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
            yield {"type": "content_block_stop", "index": index}
        if error is not None:
            yield self.error(error, 200)
            return
        yield {"type": "message_delta", "delta": _end(turn), "usage": {"output_tokens": turn.answered_tokens}}
        yield {"type": "message_stop"}

    def error(self, error: LLMError, status: int) -> dict[str, Any]:
        """Return an error with its type."""
        usual = "overloaded_error" if status == 529 else "api_error" if status >= 500 else "invalid_request_error"
        kind = _KINDS.get(error.code, usual)
        return {"type": "error", "error": {"type": kind, "message": error.message}, "request_id": "req_scripted"}

    def models(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the list of models."""
        made = "2026-01-01T12:00:00Z"
        rows = [{"type": "model", "id": name, "display_name": name, "created_at": made} for name in names]
        return {
            "data": rows,
            "has_more": False,
            "first_id": rows[0]["id"] if rows else None,
            "last_id": rows[-1]["id"] if rows else None,
        }


def _message_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with a history: all calls of a message are answered by the next one."""
    waiting: set[str] = set()
    for place, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if role not in ("user", "assistant") or (place == 0 and role != "user"):
            yield f"messages.{place}: roles are 'user' and 'assistant', the first one 'user'"
        if not content:
            yield f"messages.{place}: all messages must have non-empty content"
        blocks = cast("list[dict[str, Any]]", content) if isinstance(content, list) else []
        if any(block.get("type") == "text" and not block.get("text", "").strip() for block in blocks):
            yield f"messages.{place}: text content blocks must be non-empty"
        answered = {str(block.get("tool_use_id")) for block in blocks if block.get("type") == "tool_result"}
        for id in sorted(waiting - answered):
            yield f"messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}"
        for id in sorted(answered - waiting):
            yield f"messages.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}"
        waiting = {block.get("id", "") for block in blocks if block.get("type") == "tool_use"}
        if not all(map(_ID.fullmatch, waiting)):
            yield f"messages.{place}: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
    if waiting:
        yield "`tool_use` ids were found without `tool_result` blocks immediately after"


def _blocks(turn: Turn) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield each block of the content, and the deltas in which it arises."""
    answer, size = turn.answer, turn.size
    if answer.reasoning is not None:
        signature = f"c2lnbmF0dXJl{turn.number}"
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in cut(answer.reasoning, size)]
        signed = {"type": "signature_delta", "signature": signature}
        yield {"type": "thinking", "thinking": answer.reasoning, "signature": signature}, [*deltas, signed]
    text = answer.text or answer.refusal
    if text:
        yield {"type": "text", "text": text}, [{"type": "text_delta", "text": piece} for piece in cut(text, size)]
    for call in calls_of(answer):
        given = thaw(call.arguments) if isinstance(call, ToolCall) else call.arguments_text
        pieces = list(cut(arguments_text(call), size)) if given or not isinstance(call, ToolCall) else [""]
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        yield {"type": "tool_use", "id": call.id, "name": call.name, "input": given}, deltas


def _bare(block: dict[str, Any]) -> dict[str, Any]:
    empty: dict[str, Any] = {"text": "", "thinking": "", "signature": "", "input": {}}
    return {key: empty.get(key, value) for key, value in block.items()}


def _frame(turn: Turn) -> dict[str, Any]:
    return {"id": f"msg_{turn.number}", "type": "message", "role": "assistant", "model": turn.model}


def _end(turn: Turn) -> dict[str, Any]:
    reason = "refusal" if turn.answer.refusal is not None else _STOPS[turn.answer.finish_reason]
    return {"stop_reason": reason, "stop_sequence": None}


def _usage(turn: Turn) -> dict[str, Any]:
    cached = turn.answer.usage.cached_tokens or 0
    return {
        "input_tokens": turn.asked_tokens - cached,  # here, those from a cache are not among them
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": turn.answered_tokens,
    }
