"""The calls of an answer that is arriving.

Deltas are joined by the assembler of the messages. Here is what wire formats add to that: names that are not legal,
what the provider wants back with a call, arguments that were written as JSON twice, and answers that were cut off.

Some formats have calls whose input is a text of any form and no object. Here they are calls with one argument,
``input``; ``custom`` is kept with them, so that they go back as what they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from toolwright.messages import InvalidToolCall, ToolCall, ToolCallAssembler, ToolCallDelta
from toolwright.providers.codecs.documents import as_object, is_keepable
from toolwright.providers.codecs.ids import UnusedIds
from toolwright.providers.codecs.names import legal_call_name
from toolwright.values import decode, encode

__all__ = [
    "CUSTOM",
    "CUSTOM_END",
    "Calls",
    "arguments_text",
    "custom_arguments",
    "custom_input",
    "custom_piece",
    "parse_call",
    "parted",
]

CUSTOM: Final[Mapping[str, Any]] = MappingProxyType({"custom": True})
"""What is kept with a call whose input is a text."""

_CUSTOM_BEGIN: Final = '{"input":"'
CUSTOM_END: Final = '"}'
"""What ends the arguments of such a call, when all of its text has come."""

_CUT: Final = "The answer was cut off before the arguments were complete. Send the whole call again, or a shorter one."


def arguments_text(arguments: Any) -> str:
    """Return arguments as JSON text: they come as text from most servers, and as an object from some."""
    if arguments.__class__ is str:
        return str(arguments)
    return "" if arguments is None else encode(arguments).decode()


def custom_piece(text: str, *, begins: bool) -> str:
    """Return the piece of the arguments that a piece of the text makes."""
    escaped = encode(text).decode()[1:-1]
    return _CUSTOM_BEGIN + escaped if begins else escaped


def custom_arguments(text: str) -> str:
    """Return the arguments of a call whose input is a text."""
    return custom_piece(text, begins=True) + CUSTOM_END


def custom_input(call: ToolCall | InvalidToolCall) -> str:
    """Return the text that was the input of a call."""
    arguments = dict(call.arguments) if isinstance(call, ToolCall) else _cut_input(call.arguments_text)
    text: Any = arguments.get("input")
    # Somebody may have changed the arguments since.
    return text if text.__class__ is str else arguments_text(arguments)


def _cut_input(text: str) -> dict[str, Any]:
    for end in ("", CUSTOM_END):
        try:
            return as_object(decode(text + end))
        except (msgspec.DecodeError, RecursionError):
            continue
    return {"input": text}


def parted(
    calls: Iterable[ToolCall | InvalidToolCall],
) -> tuple[tuple[ToolCall, ...], tuple[InvalidToolCall, ...]]:
    """Return the valid and the invalid ones among calls, each in their order."""
    valid: list[ToolCall] = []
    invalid: list[InvalidToolCall] = []
    for call in calls:
        if isinstance(call, ToolCall):
            valid.append(call)
        else:
            invalid.append(call)
    return tuple(valid), tuple(invalid)


def parse_call(
    id: str, name: str, text: str, *, codec: str, kept: Mapping[str, Any] | None = None
) -> ToolCall | InvalidToolCall:
    """Return the ``ToolCall`` or ``InvalidToolCall`` of a complete call on the wire.

    ``kept`` is what the provider wants to see again with it.
    """
    if not (name.isidentifier() and name.isascii()):
        legal = legal_call_name(name)
        if legal != name:
            name, kept = legal, {**(kept or {}), "name": name}
    call = ToolCall.parse(id, name, text, provider_data={codec: kept} if kept else None)
    return _written_twice(call) if isinstance(call, InvalidToolCall) else call


def _written_twice(call: InvalidToolCall) -> ToolCall | InvalidToolCall:
    """Read once more what is the JSON text of a JSON text."""
    text = call.arguments_text.strip()
    if text[:1] == '"':
        try:
            inner: Any = decode(text)
        except (msgspec.DecodeError, RecursionError):
            return call
        again = ToolCall.parse(call.id, call.name, inner, provider_data=call.provider_data)
        if isinstance(again, ToolCall):
            return again
    return call


class Calls:
    """Collects calls by deltas, or whole ones, and gives them out when the answer has ended."""

    __slots__ = ("_assembler", "_codec", "_custom", "_ids", "_kept", "_named", "_said")

    def __init__(self, codec: str) -> None:
        self._codec = codec
        self._assembler = ToolCallAssembler()
        self._ids = UnusedIds()
        self._named: set[int] = set()  # the indices that have their id
        self._kept: dict[int, dict[str, Any]] = {}
        self._said: dict[int, bool] = {}  # by index: whether any arguments came at all
        self._custom: list[int] = []  # those whose input is a text that has not ended

    def __len__(self) -> int:
        return len(self._said)

    def add(self, index: int, id: str | None, name: str | None, arguments: str | None) -> ToolCallDelta:
        """Take one fragment of the call at ``index``; empty ids and names say nothing.

        The delta that is returned has the id that the call will have: servers use one for several.
        """
        if id and index not in self._named:
            self._named.add(index)
            id = self._ids.take(id)
        if name:
            legal = legal_call_name(name)
            if legal != name:
                self._kept.setdefault(index, {}).setdefault("name", name)
                name = legal
        delta = ToolCallDelta(index, id or None, name or None, arguments)
        self._assembler.add(delta)
        if not self._said.get(index):
            self._said[index] = arguments is not None and bool(arguments) and not arguments.isspace()
        return delta

    def add_custom(self, index: int, id: str | None, name: str | None, text: str) -> ToolCallDelta:
        """Take one fragment of a call whose input is a text."""
        begins = index not in self._kept or "custom" not in self._kept[index]
        if begins:
            self._custom.append(index)
            self.keep(index, CUSTOM)
        return self.add(index, id, name, custom_piece(text, begins=begins))

    def end_custom(self) -> list[ToolCallDelta]:
        """Take note that calls whose input is a text are complete, and return what ends them."""
        ended = [self.add(index, None, None, CUSTOM_END) for index in self._custom]
        self._custom.clear()
        return ended

    def end(self, index: int) -> None:
        """Take note that the call at ``index`` is complete: if no arguments came, none were meant."""
        self._said[index] = True

    def keep(self, index: int, kept: Mapping[str, Any]) -> None:
        """Remember what the provider wants to see again with the call at ``index``, if a message can hold it."""
        if is_keepable(kept):
            self._kept.setdefault(index, {}).update(kept)

    def finish(self, *, cut: bool) -> tuple[tuple[ToolCall, ...], tuple[InvalidToolCall, ...]]:
        """Return the valid and the invalid calls, each in the order of their indices.

        Where the answer was ``cut``, a call without any arguments is an invalid one: they may have been on their way.
        """
        calls: list[ToolCall | InvalidToolCall] = []
        if not cut:
            self.end_custom()
        for index, assembled in zip(sorted(self._said), self._assembler.finish(), strict=True):
            call: ToolCall | InvalidToolCall = assembled
            kept = self._kept.get(index)
            if kept:
                call = replace(call, provider_data={self._codec: kept})
            if isinstance(call, InvalidToolCall):
                call = _written_twice(call)
            elif cut and not self._said[index]:
                call = InvalidToolCall(call.id, call.name, "", _CUT, call.provider_data)
            calls.append(call)
        return parted(calls)
