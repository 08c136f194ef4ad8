"""Reasoning that a model writes into its text, between tags at the very beginning.

Text goes in, cut anywhere; pieces of reasoning and pieces of text come out. Tags in the middle of a text are text.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

__all__ = ["ThoughtSplitter"]

_Piece: TypeAlias = tuple[Literal["text", "reasoning"], str]

_TAGS: Final = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "[THINK]": "[/THINK]",
}
_BLANKS: Final = 40  # before a tag; with more, what follows is text, so that little has to be held back
_BEGINNING: Final = re.compile(rf"\s{{0,{_BLANKS}}}({'|'.join(map(re.escape, _TAGS))})")


class ThoughtSplitter:
    """Parts the reasoning at the beginning of a text from the rest.

    ``raw`` is what stood before the text, tags and white space included: what has to be put in front of it again to
    have the text as the model wrote it. ``settled`` says that all that follows is text.
    """

    __slots__ = ("_closing", "_raw", "_waiting", "settled")

    def __init__(self) -> None:
        self._waiting = ""
        self._closing: str | None = None
        self._raw: list[str] = []
        self.settled = False

    @property
    def raw(self) -> str:
        """What stood before the text."""
        return "".join(self._raw)

    def feed(self, text: str) -> list[_Piece]:
        """Take a piece of the whole and return what it brought."""
        if self.settled:
            return [("text", text)] if text else []
        if self._closing is None:
            return self._look_for_beginning(text)
        if self._closing:
            return self._look_for_end(text)
        return self._skip_blanks(text)

    def _look_for_beginning(self, text: str) -> list[_Piece]:
        seen = self._waiting + text
        found = _BEGINNING.match(seen)
        if found is not None:
            self._closing = _TAGS[found[1]]
            self._raw.append(found[0])
            self._waiting = ""
            return self._look_for_end(seen[found.end() :])
        word = seen.lstrip()
        if len(seen) - len(word) <= _BLANKS and any(tag.startswith(word) for tag in _TAGS):
            self._waiting = seen
            return []
        self._waiting = ""
        self.settled = True
        return [("text", seen)]

    def _look_for_end(self, text: str) -> list[_Piece]:
        closing = self._closing or ""
        seen = self._waiting + text
        found = seen.find(closing)
        if found >= 0:
            self._raw.append(seen[: found + len(closing)])
            self._waiting = ""
            self._closing = ""
            thoughts: list[_Piece] = [("reasoning", seen[:found])] if found else []
            return thoughts + self._skip_blanks(seen[found + len(closing) :])
        held = _overlap(seen, closing)
        self._waiting = seen[len(seen) - held :]
        thought = seen[: len(seen) - held]
        self._raw.append(thought)
        return [("reasoning", thought)] if thought else []

    def _skip_blanks(self, text: str) -> list[_Piece]:
        rest = text.lstrip()
        self._raw.append(text[: len(text) - len(rest)])
        self.settled = bool(rest)
        return [("text", rest)] if rest else []

    def close(self) -> list[_Piece]:
        """Say that nothing follows, and return what was held back."""
        waiting, self._waiting = self._waiting, ""
        if not waiting:
            return []
        if self._closing is None:
            return [("text", waiting)]
        self._raw.append(waiting)
        return [("reasoning", waiting)]


def _overlap(text: str, tag: str) -> int:
    """Return how much of the end of a text may be the beginning of a tag."""
    most = min(len(text), len(tag) - 1)
    return next((size for size in range(most, 0, -1) if text.endswith(tag[:size])), 0)
