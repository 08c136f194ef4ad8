"""Google's contents: ``POST /v1beta/models/MODEL:generateContent``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, final
from urllib.parse import parse_qs

from toolwright.errors import LLMError
from toolwright.messages import ToolCall
from toolwright.testing.script import cut
from toolwright.testing.servers.http import ServerRequest
from toolwright.testing.servers.interface import Interface, Turn, calls_of, event
from toolwright.values import thaw

__all__ = ["Gemini"]

_PATH: Final = re.compile(r"/models/(.+):(generateContent|streamGenerateContent)$")
_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
_KINDS: Final[Mapping[int, str]] = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_ENDS: Final[Mapping[str, str]] = {"length": "MAX_TOKENS", "content_filter": "SAFETY"}


@final
class Gemini(Interface):
    """The interface of contents."""

    def takes(self, request: ServerRequest) -> bool:
        """Say whether a request is for content."""
        return request.method == "POST" and _PATH.search(request.path) is not None

    def lists(self, request: ServerRequest) -> bool:
        """Say whether a request is for the models."""
        return request.path.endswith("/v1beta/models")

    def streams(self, request: ServerRequest) -> bool:
        """Say whether the path wants a stream."""
        return request.path.endswith(":streamGenerateContent")

    def model(self, request: ServerRequest) -> str:
        """Return the model of the path."""
        found = _PATH.search(request.path)
        return found[1] if found else ""

    def key(self, request: ServerRequest) -> str:
        """Return the key of the header, or of the query."""
        return request.headers.get("x-goog-api-key", "") or "".join(parse_qs(request.query).get("key", []))

    def faults(self, request: ServerRequest) -> Iterator[str]:
        """Yield what is wrong with contents and functions."""
        contents: list[dict[str, Any]] = request.body.get("contents") or []
        if not contents:
            yield "* GenerateContentRequest.contents: contents is not specified"
            return
        for place, content in enumerate(contents):
            if content.get("role", "user") not in ("user", "model"):
                yield "Please use a valid role: user, model."
            if not content.get("parts"):
                yield f"* GenerateContentRequest.contents[{place}].parts: must not be empty"
        yield from _turn_faults(contents)
        for tool in request.body.get("tools") or ():
            for function in tool.get("functionDeclarations") or ():
                if not _NAME.fullmatch(function.get("name", "")):
                    yield "* GenerateContentRequest.tools.function_declarations.name: Invalid function name."

    def whole(self, turn: Turn) -> dict[str, Any]:
        """Return an answer."""
        return {**_candidate(turn, [part for part, _ in _parts(turn)], end=True), **_tail(turn)}

    def stream(self, turn: Turn, error: LLMError | None) -> Iterator[bytes]:
        """Yield an answer in parts, each a whole answer by itself."""
        for _, pieces in _parts(turn):
            for piece in pieces:
                yield event({**_candidate(turn, [piece], end=False), **_tail(turn)})
        if error is not None:
            yield event(self.error(error, 500))
            return
        yield event({**_candidate(turn, [{"text": ""}], end=True), **_tail(turn)})

    def error(self, error: LLMError, status: int) -> dict[str, Any]:
        """Return an error with its status."""
        return {"error": {"code": status, "message": error.message, "status": _KINDS.get(status, "INTERNAL")}}

    def models(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the list of models."""
        methods = ["generateContent", "countTokens"]
        return {"models": [{"name": f"models/{name}", "supportedGenerationMethods": methods} for name in names]}


def _turn_faults(contents: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with calls: as many answers follow at once as there were calls."""
    waiting = 0
    for content in contents:
        parts: list[dict[str, Any]] = content.get("parts") or []
        answered = sum("functionResponse" in part for part in parts)
        if answered != waiting:
            yield "Please ensure that the number of function response parts is equal to that of the function call parts"
        waiting = sum("functionCall" in part for part in parts)
    if waiting:
        yield "Please ensure that function call turn is followed by a function response turn."


def _parts(turn: Turn) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield each part of the content, and the parts in which it arrives."""
    answer = turn.answer
    for text, kind in ((answer.reasoning, {"thought": True}), (answer.text or answer.refusal, {})):
        if text:
            yield {"text": text, **kind}, [{"text": piece, **kind} for piece in cut(text, turn.size)]
    for call in calls_of(answer):
        given = thaw(call.arguments) if isinstance(call, ToolCall) else call.arguments_text
        part = {"functionCall": {"id": call.id, "name": call.name, "args": given}}
        yield part, [part]


def _candidate(turn: Turn, parts: list[dict[str, Any]], *, end: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if end:
        found["finishReason"] = _ENDS.get(turn.answer.finish_reason, "STOP")
    return {"candidates": [found]}


def _tail(turn: Turn) -> dict[str, Any]:
    usage = turn.answer.usage
    thought = usage.reasoning_tokens or 0
    counts: dict[str, Any] = {
        "promptTokenCount": turn.asked_tokens,
        "candidatesTokenCount": turn.answered_tokens - thought,
        "totalTokenCount": turn.asked_tokens + turn.answered_tokens,
    }
    if usage.reasoning_tokens is not None:
        counts["thoughtsTokenCount"] = thought
    if usage.cached_tokens is not None:
        counts["cachedContentTokenCount"] = usage.cached_tokens
    return {"usageMetadata": counts, "modelVersion": turn.model, "responseId": f"scripted-{turn.number}"}
