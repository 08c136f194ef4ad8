"""The blocks that an answer of Anthropic's is made of, while they are being received."""

from __future__ import annotations

from typing import Any, final

import msgspec

from toolwright.values import decode

__all__ = ["Block", "is_plain", "settled"]


@final
class Block:
    """A content block that is being received: ``entry`` is what is kept of it, ``call`` its place among the calls."""

    __slots__ = ("call", "citations", "entry", "kind", "length", "pieces", "waiting")

    def __init__(self, kind: str, entry: dict[str, Any]) -> None:
        self.kind = kind
        self.entry = entry
        self.length = 0  # of a text, which the message has
        self.call: int | None = None
        self.pieces: list[str] = []  # of thinking, or of the input of a tool at the provider
        self.citations: list[Any] = []
        self.waiting = ""  # arguments with which a call began: those that are streamed take their place


def settled(block: Block) -> dict[str, Any]:
    """Return what is kept of a block, now that all of it is there."""
    entry = block.entry
    if block.citations:
        cited: Any = entry.get("citations")
        entry["citations"] = cited + block.citations if cited.__class__ is list else block.citations
    if block.kind == "text":
        return {**entry, "length": block.length}
    if block.kind == "thinking":
        return {**entry, "thinking": "".join(block.pieces)}
    if block.pieces:
        return {**entry, "input": _input("".join(block.pieces)) or entry.get("input", {})}
    return entry


def _input(text: str) -> Any:
    try:
        return decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def is_plain(entries: list[dict[str, Any]]) -> bool:
    """Say whether an answer is a text, calls, or a text and calls: then its message says all there is to say."""
    rest = entries[1:] if entries and entries[0].keys() == {"type", "length"} else entries
    return all(entry["type"] == "tool_use" for entry in rest)
