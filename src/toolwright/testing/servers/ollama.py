"""Ollama's own interface: ``POST /api/chat``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, final

from toolwright.errors import LLMError
from toolwright.messages import ToolCall
from toolwright.testing.script import cut
from toolwright.testing.servers.http import ServerRequest
from toolwright.testing.servers.interface import Interface, Turn, calls_of, line
from toolwright.values import thaw

__all__ = ["Ollama"]

_MADE: Final = "2026-01-01T12:00:00.000000Z"
_DIGEST: Final = "0" * 64


@final
class Ollama(Interface):
    """The interface of chats."""

    kind = "application/x-ndjson"

    def takes(self, request: ServerRequest) -> bool:
        """Say whether a request is for a chat."""
        return request.method == "POST" and request.path.endswith("/api/chat")

    def lists(self, request: ServerRequest) -> bool:
        """Say whether a request is for the models."""
        return request.path.endswith("/api/tags")

    def streams(self, request: ServerRequest) -> bool:
        """Say whether ``stream`` is not switched off: it is on by itself."""
        return request.body.get("stream") is not False

    def faults(self, request: ServerRequest) -> Iterator[str]:
        """Yield what is wrong with messages: roles, and arguments that are no objects."""
        if not request.body.get("model"):
            yield "model is required"
        for message in request.body.get("messages") or ():
            if message.get("role") not in ("system", "user", "assistant", "tool"):
                yield f"invalid role: {message.get('role')}"
            if not isinstance(message.get("content", ""), str):
                yield "json: cannot unmarshal content into Go struct field of type string"
            for call in message.get("tool_calls") or ():
                if not isinstance(call.get("function", {}).get("arguments"), dict):
                    yield "json: cannot unmarshal arguments into Go struct field of type map[string]interface {}"

    def whole(self, turn: Turn) -> dict[str, Any]:
        """Return an answer."""
        message: dict[str, Any] = {"role": "assistant", "content": turn.answer.text or turn.answer.refusal or ""}
        if turn.answer.reasoning is not None:
            message["thinking"] = turn.answer.reasoning
        if calls_of(turn.answer):
            message["tool_calls"] = _calls(turn)
        return {**_row(turn, message), **_end(turn)}

    def stream(self, turn: Turn, error: LLMError | None) -> Iterator[bytes]:
        """Yield an answer in rows; calls come whole."""
        answer = turn.answer
        for key, text in (("thinking", answer.reasoning), ("content", answer.text or answer.refusal)):
            for piece in cut(text or "", turn.size):
                yield line(_row(turn, {"role": "assistant", "content": "", key: piece}))
        if calls_of(answer):
            yield line(_row(turn, {"role": "assistant", "content": "", "tool_calls": _calls(turn)}))
        if error is not None:
            yield line(self.error(error, 200))
            return
        yield line({**_row(turn, {"role": "assistant", "content": ""}), **_end(turn)})

    def error(self, error: LLMError, status: int) -> dict[str, Any]:
        """Return an error, which is a text alone."""
        del status
        return {"error": error.message}

    def models(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the list of models."""
        details = {"format": "gguf", "family": "llama", "parameter_size": "8B", "quantization_level": "Q4_K_M"}
        common = {"modified_at": _MADE, "size": 1, "digest": _DIGEST, "details": details}
        return {"models": [{"name": name, "model": name, **common} for name in names]}


def _calls(turn: Turn) -> list[dict[str, Any]]:
    return [
        {
            "id": call.id,
            "function": {
                "index": index,
                "name": call.name,
                "arguments": thaw(call.arguments) if isinstance(call, ToolCall) else call.arguments_text,
            },
        }
        for index, call in enumerate(calls_of(turn.answer))
    ]


def _row(turn: Turn, message: dict[str, Any]) -> dict[str, Any]:
    return {"model": turn.model, "created_at": _MADE, "message": message, "done": False}


def _end(turn: Turn) -> dict[str, Any]:
    return {
        "done": True,
        "done_reason": "length" if turn.answer.finish_reason == "length" else "stop",
        "total_duration": 2_000_000,
        "load_duration": 1_000_000,
        "prompt_eval_count": turn.asked_tokens,
        "prompt_eval_duration": 500_000,
        "eval_count": turn.answered_tokens,
        "eval_duration": 500_000,
    }
