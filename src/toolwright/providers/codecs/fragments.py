"""A history in which each message is written by itself: fragments, and commas between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self, final

from toolwright.messages import ChatMessage

__all__ = ["Fragments"]


@final
class Fragments:
    """Writes a history by a function that writes one message; a message may come to nothing."""

    __slots__ = ("_pieces", "_write", "size")

    def __init__(self, write: Callable[[ChatMessage], bytes], written: bytes = b"") -> None:
        self._write = write
        self._pieces = [written] if written else []
        self.size = len(written)

    def add(self, message: ChatMessage) -> None:
        """Write the next message."""
        piece = self._write(message)
        if piece:
            self._pieces.append(piece)
            self.size += len(piece)

    def copy(self) -> Self:
        """Return another one that goes on from here."""
        return type(self)(self._write, self.written)

    @property
    def written(self) -> bytes:
        """All that was written."""
        if len(self._pieces) > 1:  # joined once: the next turn begins with it
            self._pieces = [b",".join(self._pieces)]
        return self._pieces[0] if self._pieces else b""
