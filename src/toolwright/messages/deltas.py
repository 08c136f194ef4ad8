"""Streamed tool calls: fragments, and the assembler that makes calls out of them.

Collect, join, parse once: the cost is linear in the bytes received. Reading what is there so far is done only when
somebody asks for it.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec
from msgspec.structs import force_setattr

from toolwright.errors import InvalidMessageError, NotJsonError
from toolwright.messages.calls import InvalidToolCall, ToolCall
from toolwright.messages.decoding import MessageValue, plain_text
from toolwright.values import MAX_DEPTH, JsonObject, decode, freeze_object

__all__ = ["ToolCallAssembler", "ToolCallDelta"]


class ToolCallDelta(MessageValue, frozen=True, gc=False):
    """One streamed fragment of a call.

    ``index`` says which call is being built; ``id`` and ``name`` come with its first fragment; ``arguments_delta`` is
    a piece of JSON text and may be empty.

    Raises:
        InvalidMessageError: ``invalid_index`` or ``wrong_shape``.
    """

    index: int
    id: str | None = None
    name: str | None = None
    arguments_delta: str | None = None

    def __post_init__(self) -> None:
        index = self.index
        if type(index) is not int or index >> 63:  # what is left of a negative number, and of one of more than 63 bits
            raise InvalidMessageError("must be a whole number from 0 to 2**63 - 1", code="invalid_index", path="index")
        if type(self.arguments_delta) is str and self.id is None and self.name is None:
            return
        for field in ("id", "name", "arguments_delta"):
            value = getattr(self, field)
            if value is not None:
                force_setattr(self, field, plain_text(value, field))

    def __repr__(self) -> str:
        size = "None" if self.arguments_delta is None else f"<{len(self.arguments_delta)} chars>"
        return f"ToolCallDelta(index={self.index}, id={self.id!r}, name={self.name!r}, arguments_delta={size})"


class _Growing:
    """A call that is being received."""

    __slots__ = ("id", "name", "pieces")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.pieces: list[str] = []


class ToolCallAssembler:
    """Makes finished calls out of deltas that may come in any interleaving.

    The first id and the first name that a call is given count; what servers repeat or send empty later is ignored. A
    call without an id gets one that is the same for the same stream, and an id that another call has already is made
    unique, so that the calls always fit into one message.
    """

    def __init__(self) -> None:
        self._calls: dict[int, _Growing] = {}

    def add(self, delta: ToolCallDelta) -> None:
        """Take one fragment."""
        try:
            growing = self._calls[delta.index]
        except KeyError:
            growing = self._calls[delta.index] = _Growing()
        piece = delta.arguments_delta
        if piece:
            growing.pieces.append(piece)
        if delta.id is not None or delta.name is not None:
            growing.id = growing.id or delta.id or ""
            growing.name = growing.name or delta.name or ""

    def finish(self) -> tuple[ToolCall | InvalidToolCall, ...]:
        """Return the calls in the order of their indices; those that cannot be read as invalid ones."""
        taken: dict[str, int] = {}
        calls: list[ToolCall | InvalidToolCall] = []
        for index in sorted(self._calls):
            growing = self._calls[index]
            id = _unique(growing.id or f"call_{index}", taken)
            calls.append(ToolCall.parse(id, growing.name, "".join(growing.pieces)))
        return tuple(calls)

    def partial(self, index: int) -> JsonObject:
        """Return the arguments of one call as far as they can be read, for a live display.

        A text that has only begun is there as far as it goes; a number or word that may still grow is not. Each use
        costs as much as the call has text.
        """
        growing = self._calls.get(index)
        return _read_begun("".join(growing.pieces)) if growing else freeze_object({})


def _unique(id: str, taken: dict[str, int]) -> str:
    """Return the id, numbered if it is taken; ``taken`` keeps the last number of each, so none is tried twice."""
    candidate, number = id, taken.get(id, 1)
    while candidate in taken:
        number += 1
        candidate = f"{id}_{number}"
    taken[id] = number
    taken.setdefault(candidate, 1)
    return candidate


# Possessive, so that a text without its end costs one look at each character and no second try.
_TOKEN: Final = re.compile(r'\s+|"(?:[^"\\]++|\\.)*+"|[\[\]{}:,]|[^\s"\[\]{}:,]+', re.DOTALL)
_BEGUN_TEXT: Final = re.compile(r'"(?:[^"\\]++|\\(?:u[0-9a-fA-F]{4}|[^u]))*+', re.DOTALL)
_CLOSING: Final = {"{": "}", "[": "]"}


def _read_begun(text: str) -> JsonObject:
    """Read the beginning of a JSON object: close what is open, leave out what is not whole."""
    try:
        return freeze_object(decode(_close(text)))
    except (msgspec.DecodeError, NotJsonError, RecursionError):
        return freeze_object({})


def _close(text: str) -> str:
    """Return the longest beginning that makes a whole value, with the brackets that it lacks."""
    open_brackets: list[str] = []
    whole = position = 0  # up to `whole`, only brackets are missing
    before = ""  # the last token that was not blank
    while (match := _TOKEN.match(text, position)) and len(open_brackets) <= MAX_DEPTH:
        token, position = match[0], match.end()
        if token.isspace():
            continue
        if token in _CLOSING:
            open_brackets.append(token)
            whole = position
        elif token in "]}":
            if open_brackets:
                open_brackets.pop()
            whole = position
        elif token[0] == '"' or position < len(text):
            whole = whole if token in ":," or _at_key(open_brackets, before) else position
        before = token
    kept = text[:whole]
    begun = _BEGUN_TEXT.match(text, position)
    if begun and not _at_key(open_brackets, before):
        kept = text[: begun.end()] + '"'
    return kept + "".join(_CLOSING[bracket] for bracket in reversed(open_brackets))


def _at_key(open_brackets: list[str], before: str) -> bool:
    return bool(open_brackets) and open_brackets[-1] == "{" and before != ":"
