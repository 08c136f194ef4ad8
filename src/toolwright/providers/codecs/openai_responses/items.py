"""The items that an answer of the responses format is made of: messages, calls, thoughts, and what a server did itself.

Items are read here when they are whole; those that are being received are put together here first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Final, final

from toolwright.messages import ToolCallDelta
from toolwright.providers.codecs.answer import Answer
from toolwright.providers.codecs.calls import CUSTOM_END, arguments_text, custom_piece
from toolwright.providers.codecs.documents import as_list, as_object, as_text, is_keepable

__all__ = ["BETWEEN", "CUSTOM_CALL", "Item", "call_id", "parts_of", "read_items"]

BETWEEN: Final = "\n\n"
"""What stands between thoughts: they come as paragraphs, each a part of its own."""

CUSTOM_CALL: Final = "custom_tool_call"
_UNFINISHED: Final = ("in_progress", "incomplete")
_OF_A_CALL: Final = ("name", "arguments", "input")
_FIELDS: Final = {"output_text": "text", "refusal": "refusal"}


def read_items(items: list[dict[str, Any]], answer: Answer) -> list[dict[str, Any]]:
    """Read whole items into an answer, and return what the provider wants to see again of each.

    Texts and calls are not held twice: of them only the place is kept.
    """
    calls = count()
    thoughts: list[str] = []
    entries: list[dict[str, Any]] = []
    for item in items:
        match item.get("type") or "message":
            case "message":
                entries.append(_read_message(item, answer))
            case "function_call" | "custom_tool_call":
                entries.append(_read_call(item, answer, next(calls)))
            case kind:
                if kind == "reasoning":
                    thoughts += _thoughts(item)
                if kind.__class__ is str:
                    entries.append(item)  # a server's own tools, and whatever comes to be
    if thoughts:
        answer.add_reasoning(BETWEEN.join(thoughts))
    return list(filter(is_keepable, entries))


def parts_of(item: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a message's content."""
    content = item.get("content")
    if content.__class__ is str:
        return [{"type": "output_text", "text": content}]
    return [part for part in as_list(content) if part.__class__ is dict]


def _read_message(item: dict[str, Any], answer: Answer) -> dict[str, Any]:
    places: list[dict[str, Any]] = []
    for part in parts_of(item):
        if part.get("text").__class__ is str:
            text = as_text(part["text"])
            answer.add_text(text)
            rest = {key: value for key, value in part.items() if key not in ("text", "logprobs") and value is not None}
            places.append({**rest, "length": len(text)})
            continue
        refusal = as_text(part.get("refusal"))
        if refusal:
            answer.refusals.append(refusal)
        places.append(part)
    return {**item, "type": "message", "content": places}


def _read_call(item: dict[str, Any], answer: Answer, index: int) -> dict[str, Any]:
    # An answer names `call_id`; `id` is that of the item.
    id = call_id(item) or f"call_{index}"
    name, calls = as_text(item.get("name")), answer.calls
    if item.get("type") == CUSTOM_CALL:
        delta = calls.add_custom(index, id, name, as_text(item.get("input")))
        if item.get("status") not in _UNFINISHED:
            calls.end_custom()
    else:
        delta = calls.add(index, id, name, arguments_text(item.get("arguments")))
    kept = {key: value for key, value in item.items() if key not in _OF_A_CALL and value is not None}
    return {**kept, "type": item.get("type"), "call_id": delta.id or id}


def call_id(item: dict[str, Any]) -> str:
    """Return the id that a result has to name: that of the call, or else that of its item."""
    return as_text(item.get("call_id")) or as_text(item.get("id"))


def _thoughts(item: dict[str, Any]) -> list[str]:
    parts = (*as_list(item.get("summary")), *as_list(item.get("content")))
    return [text for part in parts if (text := as_text(as_object(part).get("text")))]


@final
class Item:
    """An item that is being received."""

    __slots__ = ("arguments", "call", "done", "item", "texts")

    def __init__(self) -> None:
        self.item: dict[str, Any] = {}
        self.texts: dict[tuple[str, Any], list[str]] = {}
        self.arguments: list[str] = []
        self.done = False
        self.call: int | None = None

    def take_input(self, piece: str) -> ToolCallDelta:
        """Take a piece of a call's input, and return what is to be told of it."""
        begins = not self.arguments
        self.arguments.append(piece)
        told = custom_piece(piece, begins=begins) if self.item.get("type") == CUSTOM_CALL else piece
        return ToolCallDelta(self.call or 0, None, None, told)

    def finish_input(self) -> Iterator[ToolCallDelta]:
        """Yield what of a call's input was not told before it came whole."""
        is_custom = self.item.get("type") == CUSTOM_CALL
        if not self.arguments:
            text = as_text(self.item.get("input")) if is_custom else arguments_text(self.item.get("arguments"))
            yield self.take_input(text)
        if is_custom and self.item.get("status") not in _UNFINISHED:
            yield ToolCallDelta(self.call or 0, None, None, CUSTOM_END)

    def whole(self) -> dict[str, Any]:
        """Return the item, put together from its pieces if it never came whole."""
        if self.done:
            return self.item
        item = {"type": "message", **self.item}
        texts = [(kind, "".join(pieces)) for (kind, _), pieces in self.texts.items()]
        if item["type"] == "function_call":
            item["arguments"] = "".join(self.arguments) or item.get("arguments")
        elif item["type"] == CUSTOM_CALL:
            item["input"] = "".join(self.arguments) or item.get("input")
            item["status"] = "incomplete"
        elif item["type"] == "message" and texts:
            item["content"] = [{"type": kind, _FIELDS[kind]: text} for kind, text in texts if kind in _FIELDS]
        elif item["type"] == "reasoning" and texts and not _thoughts(item):
            item["summary"] = [{"type": "summary_text", "text": text} for _, text in texts]
        return item
