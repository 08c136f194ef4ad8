"""What is on a cassette: questions and answers as plain JSON, written so that people can read and compare it.

A question says only what is new since the one before it, and a text of several lines is written as its lines. Secrets
are hidden before anything is written. This module may not know who asks or answers.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from difflib import unified_diff
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from toolwright.errors import LLMError
from toolwright.messages.decoding import read
from toolwright.providers.types import ChatResponse
from toolwright.redact import redact
from toolwright.values import encode, thaw

__all__ = ["Asked", "Exchange", "Tape", "difference", "load", "plain", "save"]

_VERSION: Final = 1
_AS_BEFORE: Final = "as before"
_TEXTS: Final = ("content", "text", "reasoning", "refusal")


class Asked(msgspec.Struct, frozen=True):
    """A question as plain JSON: messages, tools and options, without secrets."""

    messages: list[Any] = []
    tools: list[Any] = []
    options: dict[str, Any] = {}


class Exchange(msgspec.Struct, frozen=True):
    """A question, and the answer or the error that came."""

    asked: Asked
    answer: ChatResponse | LLMError


class Tape(msgspec.Struct, frozen=True):
    """All of a cassette: which model it was, and what was asked and said, in the order of the questions."""

    model: str
    exchanges: tuple[Exchange, ...] = ()


def difference(recorded: Asked, asked: Asked) -> str:
    """Return how a question differs from the one that was recorded, line by line; empty where it does not."""
    return "\n".join(unified_diff(_lines(recorded), _lines(asked), "recorded", "asked", lineterm=""))


def _lines(asked: Asked) -> list[str]:
    whole = {"messages": list(map(_unfolded, asked.messages)), "tools": asked.tools, "options": asked.options}
    return json.dumps(whole, indent=2, ensure_ascii=False).split("\n")


def save(tape: Tape, file: Path) -> None:
    """Write a cassette: all of it, or what was there before stays."""
    written: list[dict[str, Any]] = []
    before = Asked()
    for exchange in tape.exchanges:
        written.append({"request": _written(exchange.asked, before), **_answer_written(exchange.answer)})
        before = exchange.asked
    whole = {"cassette": _VERSION, "model": tape.model, "exchanges": written}
    file.parent.mkdir(parents=True, exist_ok=True)
    number, part = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(number, "w", encoding="utf-8", newline="\n") as opened:
            opened.write(json.dumps(whole, indent=2, ensure_ascii=False) + "\n")
        Path(part).chmod(0o644)  # as any file of a project: it is meant to be shared
        Path(part).replace(file)
    except BaseException:
        with suppress(OSError):
            Path(part).unlink()
        raise


def _written(asked: Asked, before: Asked) -> dict[str, Any]:
    kept = 0
    for one, other in zip(asked.messages, before.messages, strict=False):
        if one != other:
            break
        kept += 1
    told: dict[str, Any] = {"kept": kept} if kept else {}
    told["messages"] = [_unfolded(message) for message in asked.messages[kept:]]
    if asked.tools:
        told["tools"] = _AS_BEFORE if asked.tools == before.tools else asked.tools
    return told | ({"options": asked.options} if asked.options else {})


def _answer_written(answer: ChatResponse | LLMError) -> dict[str, Any]:
    if isinstance(answer, ChatResponse):
        return {"response": _unfolded(redact(json.loads(answer.to_json())))}
    fields = {key: getattr(answer, key) for key in ("code", "message", "status", "retryable")}
    return {"error": redact({key: value for key, value in fields.items() if value})}


def _unfolded(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message or an answer with its texts as lines, where they have several."""
    return {
        key: text.split("\n") if key in _TEXTS and isinstance(text, str) and "\n" in text else text
        for key, text in value.items()
    }


def _folded(value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: "\n".join(cast("list[str]", text)) if key in _TEXTS and isinstance(text, list) else thaw(text)
        for key, text in value.items()
    }


def load(file: Path) -> Tape:
    """Read a cassette.

    Raises:
        FileNotFoundError: There is none; the text says how one is made.
        ValueError: It is none, or it was changed so that it cannot be read; the text says where.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no cassette {file}: record(provider, {file.name!r}) makes one") from None
    where = ""
    try:
        whole = json.loads(text)
        if whole["cassette"] != _VERSION:
            raise ValueError(f"it has version {whole['cassette']!r}, and {_VERSION} is read here")
        exchanges: list[Exchange] = []
        for number, row in enumerate(whole["exchanges"]):
            where = f", exchange {number + 1}"
            asked = _read_asked(row["request"], exchanges[-1].asked if exchanges else Asked())
            exchanges.append(Exchange(asked, _read_answer(row)))
        return Tape(str(whole["model"]), tuple(exchanges))
    except (ValueError, TypeError, KeyError, AttributeError) as fault:
        problem = f"the cassette {file} cannot be read{where}: {type(fault).__name__}: {fault}; record it again"
    raise ValueError(problem)


def _read_asked(row: Mapping[str, Any], before: Asked) -> Asked:
    tools = row.get("tools", [])
    messages = [*before.messages[: row.get("kept", 0)], *map(_folded, row["messages"])]
    return Asked(messages, before.tools if tools == _AS_BEFORE else tools, row.get("options", {}))


def _read_answer(row: Mapping[str, Any]) -> ChatResponse | LLMError:
    if "error" in row:
        return LLMError(**row["error"])
    return read(ChatResponse, encode(_folded(row["response"])))


def plain(messages: Sequence[Any]) -> list[Any]:
    """Return values as their JSON has them."""
    return [json.loads(message.to_json()) for message in messages]
