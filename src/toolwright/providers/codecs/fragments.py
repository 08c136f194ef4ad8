"""A history in which each message is written by itself: fragments, and commas between them.

All that a message may need to know of the others are calls of the answer before it that are out of the ordinary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Self, TypeAlias, final

from toolwright.messages import ChatMessage, MessageRole

__all__ = ["Fragments", "Ids", "array", "merged"]

Ids: TypeAlias = frozenset[str]

_MOST: Final = 32  # pieces that are left as they are: joining them anew each turn would copy all that was ever written


def array(pieces: Iterable[bytes]) -> bytes:
    """Return pieces as a JSON array; its bytes are copied once."""
    written = [b"["]
    for piece in pieces:
        written += (piece, b",")
    if len(written) == 1:
        return b"[]"
    written[-1] = b"]"
    return b"".join(written)


def merged(pieces: list[bytes]) -> list[bytes]:
    """Return a copy of a list of pieces, joined into one where there are many; so is the list itself."""
    if len(pieces) > _MOST:
        pieces[:] = [b",".join(pieces)]
    return [*pieces]


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
        pieces: Iterable[bytes] = (),
        marked: Ids = frozenset(),
    ) -> None:
        self._write = write
        self._mark = mark
        self._marked = marked
        self._pieces = [*pieces]
        self.size = sum(map(len, self._pieces))

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
        return type(self)(self._write, self._mark, pieces=merged(self._pieces), marked=self._marked)

    @property
    def written(self) -> bytes:
        """All that was written, as a JSON array."""
        return array(merged(self._pieces))
