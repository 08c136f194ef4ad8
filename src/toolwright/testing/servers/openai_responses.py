"""OpenAI's responses: ``POST /v1/responses``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast, final

from toolwright.errors import LLMError
from toolwright.testing.script import cut
from toolwright.testing.servers.http import ServerRequest
from toolwright.testing.servers.interface import Interface, Turn, arguments_text, calls_of, event
from toolwright.testing.servers.openai_common import NAME, openai_error

__all__ = ["OpenAIResponses"]

_MADE: Final = 1_767_268_800
_CUT_SHORT: Final[Mapping[str, str]] = {"length": "max_output_tokens", "content_filter": "content_filter"}


@final
class OpenAIResponses(Interface):
    """The interface of responses."""

    def takes(self, request: ServerRequest) -> bool:
        """Say whether a request is for a response."""
        return request.method == "POST" and request.path.endswith("/responses")

    def faults(self, request: ServerRequest) -> Iterator[str]:
        """Yield what is wrong with the input and the tools."""
        body = request.body
        given: Any = body.get("input")
        if not body.get("model"):
            yield "you must provide a model parameter"
        if not isinstance(given, str | list) or not given:
            yield "'input': a text, or an array with one item or more"
            return
        yield from _item_faults([] if isinstance(given, str) else cast("list[dict[str, Any]]", given))
        for tool in body.get("tools") or ():
            if tool.get("type") == "function" and not NAME.fullmatch(tool.get("name", "")):
                yield "'tools[].name' does not match '^[a-zA-Z0-9_-]+$'"

    def whole(self, turn: Turn) -> dict[str, Any]:
        """Return a response."""
        cause = _CUT_SHORT.get(turn.answer.finish_reason)
        return {
            **_frame(turn, "incomplete" if cause else "completed"),
            "incomplete_details": {"reason": cause} if cause else None,
            "output": [item for item, _ in _items(turn)],
            "usage": _usage(turn),
        }

    def stream(self, turn: Turn, error: LLMError | None) -> Iterator[bytes]:
        """Yield the events of a response, numbered."""
        for number, content in enumerate(self._events(turn, error)):
            yield event({**content, "sequence_number": number}, content["type"])

    def _events(self, turn: Turn, error: LLMError | None) -> Iterator[dict[str, Any]]:
        begun = _frame(turn, "in_progress")
        yield {"type": "response.created", "response": begun}
        yield {"type": "response.in_progress", "response": begun}
        for index, (item, steps) in enumerate(_items(turn)):
            place = {"output_index": index, "item_id": item["id"]}
            yield {"type": "response.output_item.added", "output_index": index, "item": _bare(item)}
            yield from ({**step, **place} for step in steps)
            yield {"type": "response.output_item.done", "output_index": index, "item": item}
        if error is not None:
            told = self.error(error, 200)["error"]
            yield {"type": "error", "code": told["code"], "message": told["message"], "param": None}
            return
        whole = self.whole(turn)
        yield {"type": f"response.{whole['status']}", "response": whole}

    def error(self, error: LLMError, status: int) -> dict[str, Any]:
        """Return an error with its code."""
        return openai_error(error, status)

    def models(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the list of models."""
        return {"object": "list", "data": [{"id": name, "object": "model", "owned_by": "scripted"} for name in names]}


def _item_faults(items: list[dict[str, Any]]) -> Iterator[str]:
    called: set[str] = set()
    answered: set[str] = set()
    for place, item in enumerate(items):
        kind = item.get("type", "message")
        if kind == "function_call":
            called.add(item.get("call_id", ""))
            if not isinstance(item.get("arguments"), str):
                yield f"input[{place}].arguments: expected a string"
        elif kind == "function_call_output":
            answered.add(item.get("call_id", ""))
            if item.get("call_id") not in called:
                yield f"input[{place}]: no tool call found for function call output with call_id {item.get('call_id')}"
        elif kind == "message" and not item.get("content"):
            yield f"input[{place}].content: missing"
    for id in sorted(called - answered):
        yield f"no tool output found for function call {id}"


def _items(turn: Turn) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield each item of the output, and the events in which it arises."""
    answer, number = turn.answer, turn.number
    if answer.reasoning is not None:
        part = {"type": "summary_text", "text": answer.reasoning}
        steps = _steps("response.reasoning_summary_text", "summary_index", answer.reasoning, turn.size)
        yield {"id": f"rs_{number}", "type": "reasoning", "summary": [part]}, steps
    for kind, text in (("output_text", answer.text), ("refusal", answer.refusal)):
        if text is not None:
            yield _message(turn, kind, text)
    for index, call in enumerate(calls_of(answer)):
        written = arguments_text(call)
        item = {"id": f"fc_{number}_{index}", "type": "function_call", "status": "completed", "call_id": call.id}
        deltas = [{"type": "response.function_call_arguments.delta", "delta": each} for each in cut(written, turn.size)]
        done = {"type": "response.function_call_arguments.done", "name": call.name, "arguments": written}
        yield {**item, "name": call.name, "arguments": written}, [*deltas, done]


def _message(turn: Turn, kind: str, text: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    part: dict[str, Any] = {"type": kind, "text": text, "annotations": [], "logprobs": []}
    if kind == "refusal":
        part = {"type": kind, "refusal": text}
    place = {"content_index": 0}
    empty = {key: "" if value == text else value for key, value in part.items() if key != "type"}
    item = {"id": f"msg_{turn.number}_{kind}", "type": "message", "status": "completed", "role": "assistant"}
    steps = _steps(f"response.{kind}", "content_index", text, turn.size)
    return {**item, "content": [part]}, [
        {"type": "response.content_part.added", **place, "part": {"type": kind, **empty}},
        *steps,
        {"type": "response.content_part.done", **place, "part": part},
    ]


def _steps(kind: str, index: str, text: str, size: int) -> list[dict[str, Any]]:
    key = "refusal" if kind.endswith("refusal") else "text"
    common: dict[str, Any] = {index: 0, "logprobs": []}
    deltas = [{"type": f"{kind}.delta", "delta": piece, **common} for piece in cut(text, size)]
    return [*deltas, {"type": f"{kind}.done", key: text, **common}]


def _bare(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item as it is when nothing of it is there yet."""
    empty: dict[str, Any] = {"content": [], "summary": [], "arguments": "", "status": "in_progress"}
    return {key: empty.get(key, value) for key, value in item.items()}


def _frame(turn: Turn, status: str) -> dict[str, Any]:
    return {
        "id": f"resp_{turn.number}",
        "object": "response",
        "created_at": _MADE,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": turn.request.body.get("instructions"),
        "metadata": {},
        "model": turn.model,
        "output": [],
        "parallel_tool_calls": turn.request.body.get("parallel_tool_calls", True),
        "temperature": turn.request.body.get("temperature"),
        "tool_choice": turn.request.body.get("tool_choice", "auto"),
        "tools": turn.request.body.get("tools", []),
        "top_p": None,
        "usage": None,
    }


def _usage(turn: Turn) -> dict[str, Any]:
    usage, asked, answered = turn.answer.usage, turn.asked_tokens, turn.answered_tokens
    return {
        "input_tokens": asked,
        "input_tokens_details": {"cached_tokens": usage.cached_tokens or 0, "cache_write_tokens": 0},
        "output_tokens": answered,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens or 0},
        "total_tokens": asked + answered,
    }
