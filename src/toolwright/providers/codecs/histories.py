"""Histories that were written before, for formats in which a message is not written by itself.

Where messages are joined into turns, or a result names the tool of an earlier call, what a message becomes depends on
those before it. A writer carries that along; what it had written of the beginning of a history is taken up again when
the same history comes back longer, as it does every turn of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import is_
from typing import Final, Generic, Protocol, Self, TypeVar

from toolwright.messages import ChatMessage

__all__ = ["Histories", "Writer"]

_RUNS: Final = 16  # histories that are remembered: of so many runs at a time
_MOST_BYTES: Final = 4 * 1024 * 1024  # of one history; what is larger is written anew, and not held in memory


class Writer(Protocol):
    """Writes one history, message by message."""

    @property
    def size(self) -> int:
        """How many bytes it holds."""
        ...

    def add(self, message: ChatMessage) -> None:
        """Write the next message."""
        ...

    def copy(self) -> Self:
        """Return another one that goes on from here."""
        ...


W = TypeVar("W", bound=Writer)


class Histories(Generic[W]):
    """Remembers what was written of the latest histories.

    Messages are told apart by identity, since equal ones need not be the same in JSON (``1`` equals ``True``). What is
    remembered is replaced and never changed, so that threads may share it.
    """

    __slots__ = ("_begin", "_known")

    def __init__(self, begin: Callable[[], W]) -> None:
        self._begin = begin
        self._known: tuple[tuple[tuple[ChatMessage, ...], W], ...] = ()

    def write(self, messages: Iterable[ChatMessage]) -> W:
        """Return a writer that has written these messages, and no others."""
        history = tuple(messages)
        known = next((one for one in self._known if _begins_with(history, one[0])), None)
        writer = known[1].copy() if known else self._begin()
        for message in history[len(known[0]) :] if known else history:
            writer.add(message)
        if history and writer.size <= _MOST_BYTES:
            others = [one for one in self._known if one is not known]
            self._known = ((history, writer), *others[: _RUNS - 1])
        return writer


def _begins_with(history: tuple[ChatMessage, ...], beginning: tuple[ChatMessage, ...]) -> bool:
    length = len(beginning)
    # Other runs mostly differ in their last message, which is looked at first.
    return length <= len(history) and beginning[-1] is history[length - 1] and all(map(is_, beginning, history))
