"""Errors that quote the question: what was asked is taken out of them, so that logs and traces do not hold it.

Pure. A server may quote a message whole, or only its beginning; either is recognised by how a line begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from toolwright.messages import ChatMessage

__all__ = ["without_quotes"]

_TELLING: Final = 24  # characters that nobody else says by chance
_MARK: Final = "[...]"


def without_quotes(text: str, messages: Iterable[ChatMessage]) -> str:
    """Return an error's text without what it repeats of the messages."""
    for line in _lines(messages):
        beginning, place = line[:_TELLING], 0
        while (place := text.find(beginning, place)) >= 0:
            end = place + _shared(text, place, line)
            text = text[:place] + _MARK + text[end:]
            place += len(_MARK)
    return text


def _lines(messages: Iterable[ChatMessage]) -> Iterator[str]:
    for text in (text for message in messages for text in _texts(message)):
        for line in text.splitlines():
            bare = line.strip()
            if len(bare) >= _TELLING:
                yield bare


def _texts(message: ChatMessage) -> Iterator[str]:
    yield message.content or ""
    for call in message.tool_calls:
        yield from _strings(call.arguments)
    for broken in message.invalid_tool_calls:
        yield broken.arguments_text


def _strings(value: Any) -> Iterator[str]:
    """Yield the texts in arguments, however deep: those of JSON cannot be too deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _strings(tuple(cast("Mapping[str, Any]", value).values()))
    elif isinstance(value, (list, tuple)):
        for item in cast("Sequence[Any]", value):
            yield from _strings(item)


def _shared(text: str, place: int, line: str) -> int:
    """Return how many characters the text has in common with a line, from a place on."""
    for count, (one, other) in enumerate(zip(text[place:], line, strict=False)):
        if one != other:
            return count
    return min(len(text) - place, len(line))
