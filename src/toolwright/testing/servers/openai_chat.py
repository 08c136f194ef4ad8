"""Chat completions: ``POST /v1/chat/completions``, also of the many servers that imitate it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, final

from toolwright.errors import LLMError
from toolwright.testing.script import cut
from toolwright.testing.servers.http import ServerRequest
from toolwright.testing.servers.interface import Interface, Turn, arguments_text, calls_of, event
from toolwright.testing.servers.openai_common import NAME, openai_error

__all__ = ["OpenAIChat"]

_ROLES: Final = frozenset(["system", "developer", "user", "assistant", "tool", "function"])
_MADE: Final = 1_767_268_800


@final
class OpenAIChat(Interface):
    """The interface of chat completions."""

    def takes(self, request: ServerRequest) -> bool:
        """Say whether a request is for a completion."""
        return request.method == "POST" and request.path.endswith("/chat/completions")

    def lists(self, request: ServerRequest) -> bool:
        """Say whether a request is for the models; another provider has its list at the same place."""
        return request.path.endswith("/v1/models") and "anthropic-version" not in request.headers

    def faults(self, request: ServerRequest) -> Iterator[str]:
        """Yield what is wrong with messages and tools."""
        body = request.body
        if not body.get("model"):
            yield "you must provide a model parameter"
        if not isinstance(body.get("messages"), list) or not body["messages"]:
            yield "'messages': an array with one message or more"
            return
        yield from _message_faults(body["messages"])
        tools = body.get("tools")
        if tools is not None and not tools:
            yield "[] is too short - 'tools'"
        for tool in tools or ():
            if tool.get("type") == "function" and not NAME.fullmatch(tool["function"].get("name", "")):
                yield "'tools[].function.name' does not match '^[a-zA-Z0-9_-]+$'"
        if not tools:
            yield from (
                f"'{key}' is only allowed when 'tools' are specified" for key in _ONLY_WITH_TOOLS if key in body
            )

    def whole(self, turn: Turn) -> dict[str, Any]:
        """Return a completion."""
        answer = turn.answer
        message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": answer.refusal}
        if answer.reasoning is not None:
            message["reasoning_content"] = answer.reasoning
        if calls_of(answer):
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments_text(call)}}
                for call in calls_of(answer)
            ]
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(turn)}
        return {**_head(turn, "chat.completion"), "choices": [choice], "usage": _usage(turn)}

    def stream(self, turn: Turn, error: LLMError | None) -> Iterator[bytes]:
        """Yield a completion in chunks."""
        for delta in _deltas(turn):
            yield _chunk(turn, [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}])
        if error is not None:
            yield event(self.error(error, 200))
            return
        yield _chunk(turn, [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": _finish(turn)}])
        if turn.request.body.get("stream_options", {}).get("include_usage"):
            yield event({**_head(turn, "chat.completion.chunk"), "choices": [], "usage": _usage(turn)})
        yield b"data: [DONE]\n\n"

    def error(self, error: LLMError, status: int) -> dict[str, Any]:
        """Return an error with its code."""
        return openai_error(error, status)

    def models(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the list of models."""
        rows = [{"id": name, "object": "model", "created": _MADE, "owned_by": "scripted"} for name in names]
        return {"object": "list", "data": rows}


_ONLY_WITH_TOOLS: Final = ("tool_choice", "parallel_tool_calls")


def _message_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with a history: each call is answered right behind it, and each answer is to a call."""
    waiting: list[str] = []
    for place, message in enumerate(messages):
        where, role = f"messages[{place}]", message.get("role")
        if role not in _ROLES:
            yield f"{where}.role: {role!r} is not one of {sorted(_ROLES)}"
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                yield f"{where}: messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
            waiting = [id for id in waiting if id != message.get("tool_call_id")]
            continue
        if waiting:
            yield f"{where}: 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'"
        calls = message.get("tool_calls")
        if calls is not None and not calls:
            yield f"{where}.tool_calls: [] is too short"
        if message.get("content") is None and not calls and not message.get("refusal"):
            yield f"{where}.content: expected a string, got null"
        if any(not isinstance(call["function"]["arguments"], str) for call in calls or ()):
            yield f"{where}.tool_calls[].function.arguments: expected a string"
        waiting = [call["id"] for call in calls or ()]
    if waiting:
        yield "'tool_calls' must be followed by tool messages responding to each 'tool_call_id'"


def _head(turn: Turn, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{turn.number}", "object": kind, "created": _MADE, "model": turn.model}


def _chunk(turn: Turn, choices: list[dict[str, Any]]) -> bytes:
    return event({**_head(turn, "chat.completion.chunk"), "choices": choices})


def _deltas(turn: Turn) -> Iterator[dict[str, Any]]:
    answer = turn.answer
    yield {"role": "assistant", "content": "", "refusal": None}
    for key, text in (("reasoning_content", answer.reasoning), ("content", answer.text), ("refusal", answer.refusal)):
        yield from ({key: piece} for piece in cut(text or "", turn.size))
    for index, call in enumerate(calls_of(answer)):
        function: dict[str, Any] = {"name": call.name, "arguments": ""}
        yield {"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]}
        for piece in cut(arguments_text(call), turn.size):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _finish(turn: Turn) -> str:
    return "stop" if turn.answer.finish_reason == "error" else turn.answer.finish_reason


def _usage(turn: Turn) -> dict[str, Any]:
    usage, asked, answered = turn.answer.usage, turn.asked_tokens, turn.answered_tokens
    counts: dict[str, Any] = {
        "prompt_tokens": asked,
        "completion_tokens": answered,
        "total_tokens": asked + answered,
    }
    if usage.cached_tokens is not None:
        counts["prompt_tokens_details"] = {"cached_tokens": usage.cached_tokens}
    if usage.reasoning_tokens is not None:
        counts["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning_tokens}
    return counts
