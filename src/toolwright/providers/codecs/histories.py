"""Histories that were written before, for formats in which a message is not written by itself.

Where messages are joined into turns, or a result names the tool of an earlier call, what a message becomes depends on
those before it. A writer carries that along; what it had written of the beginning of a history is taken up again when
the same history comes back longer, as it does every turn of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import is_
from typing import Final, Generic, Protocol, Self, TypeVar

from toolwright.errors import InvalidMessageError, ToolwrightError
from toolwright.messages import ChatMessage
from toolwright.providers.codecs.reading import MISREAD

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
        """Return a writer that has written these messages, and no others.

        Raises:
            InvalidMessageError: What a message keeps for this provider is not what its codec kept.
        """
        history = tuple(messages)
        known = next((one for one in self._known if _begins_with(history, one[0])), None)
        writer = known[1].copy() if known else self._begin()
        start = len(known[0]) if known else 0
        for position, message in enumerate(history[start:], start):
            try:
                writer.add(message)
            except MISREAD as error:
                raise _unwritable(error, position) from None
        if history and writer.size <= _MOST_BYTES:
            others = [one for one in self._known if one is not known]
            self._known = ((history, writer), *others[: _RUNS - 1])
        return writer


def _unwritable(error: Exception, position: int) -> Exception:
    """Return the error of a message that cannot be written: messages are checked, so it is what nobody else reads."""
    if isinstance(error, ToolwrightError):
        return error
    problem = "is not what the codec keeps: send the message without it, or as it was stored"
    return InvalidMessageError(problem, code="wrong_shape", path=f"messages[{position}].provider_data")


def _begins_with(history: tuple[ChatMessage, ...], beginning: tuple[ChatMessage, ...]) -> bool:
    length = len(beginning)
    # Other runs mostly differ in their last message, which is looked at first.
    return length <= len(history) and beginning[-1] is history[length - 1] and all(map(is_, beginning, history))
