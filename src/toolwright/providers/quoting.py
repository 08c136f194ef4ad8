"""Errors that quote the question: what was asked is taken out of them, so that logs and traces do not hold it.

Pure. A server may quote a message whole, or only its beginning; either is recognised by how a line begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from toolwright.messages import ChatMessage

__all__ = ["without_quotes"]

_TELLING: Final = 24  # characters that nobody else says by chance
_MARK: Final = "[...]"


def without_quotes(text: str, messages: Iterable[ChatMessage]) -> str:
    """Return an error's text without what it repeats of the messages."""
    for line in _lines(messages):
        place = text.find(line[:_TELLING])
        if place >= 0:
            end = place + _shared(text, place, line)
            text = text[:place] + _MARK + text[end:]
    return text


def _lines(messages: Iterable[ChatMessage]) -> Iterator[str]:
    for message in messages:
        for line in (message.content or "").splitlines():
            bare = line.strip()
            if len(bare) >= _TELLING:
                yield bare


def _shared(text: str, place: int, line: str) -> int:
    """Return how many characters the text has in common with a line, from a place on."""
    for count, (one, other) in enumerate(zip(text[place:], line, strict=False)):
        if one != other:
            return count
    return min(len(text) - place, len(line))
