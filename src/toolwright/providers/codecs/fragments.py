"""A history in which each message is written by itself: fragments, and commas between them.

All that a message may need to know of the others are calls of the answer before it that are out of the ordinary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self, TypeAlias, final

from toolwright.messages import ChatMessage, MessageRole

__all__ = ["Fragments", "Ids"]

Ids: TypeAlias = frozenset[str]


def _none(_: ChatMessage) -> Ids:
    return frozenset()


@final
class Fragments:
    """Writes a history by a function that writes one message; a message may come to nothing.

    ``mark`` names the calls of an answer that the messages after it have to know of.
    """

    __slots__ = ("_mark", "_marked", "_pieces", "_write", "size")

    def __init__(
        self,
        write: Callable[[ChatMessage, Ids], bytes],
        mark: Callable[[ChatMessage], Ids] = _none,
        *,
        written: bytes = b"",
        marked: Ids = frozenset(),
    ) -> None:
        self._write = write
        self._mark = mark
        self._marked = marked
        self._pieces = [written] if written else []
        self.size = len(written)

    def add(self, message: ChatMessage) -> None:
        """Write the next message."""
        piece = self._write(message, self._marked)
        if message.role is MessageRole.ASSISTANT:
            self._marked = self._mark(message)
        if piece:
            self._pieces.append(piece)
            self.size += len(piece)

    def copy(self) -> Self:
        """Return another one that goes on from here."""
        return type(self)(self._write, self._mark, written=self.written, marked=self._marked)

    @property
    def written(self) -> bytes:
        """All that was written."""
        if len(self._pieces) > 1:  # joined once: the next turn begins with it
            self._pieces = [b",".join(self._pieces)]
        return self._pieces[0] if self._pieces else b""
