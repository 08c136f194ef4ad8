"""The calls of an answer that is arriving.

Deltas are joined by the assembler of the messages. Here is what wire formats add to that: names that are not legal,
what the provider wants back with a call, arguments that were written as JSON twice, and answers that were cut off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from toolwright.messages import InvalidToolCall, ToolCall, ToolCallAssembler, ToolCallDelta
from toolwright.providers.codecs.ids import UnusedIds
from toolwright.providers.codecs.names import legal_call_name
from toolwright.values import decode, encode

__all__ = ["Calls", "arguments_text", "parse_call", "parted"]

_CUT: Final = "The answer was cut off before the arguments were complete. Send the whole call again, or a shorter one."


def arguments_text(arguments: Any) -> str:
    """Return arguments as JSON text: they come as text from most servers, and as an object from some."""
    if arguments.__class__ is str:
        return str(arguments)
    return "" if arguments is None else encode(arguments).decode()


def parted(
    calls: Iterable[ToolCall | InvalidToolCall],
) -> tuple[tuple[ToolCall, ...], tuple[InvalidToolCall, ...]]:
    """Return the valid and the invalid ones among calls, each in their order."""
    listed = tuple(calls)
    valid = tuple([call for call in listed if isinstance(call, ToolCall)])
    if len(valid) == len(listed):
        return valid, ()
    return valid, tuple([call for call in listed if isinstance(call, InvalidToolCall)])


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

    __slots__ = ("_assembler", "_codec", "_ids", "_kept", "_named", "_said")

    def __init__(self, codec: str) -> None:
        self._codec = codec
        self._assembler = ToolCallAssembler()
        self._ids = UnusedIds()
        self._named: set[int] = set()  # the indices that have their id
        self._kept: dict[int, dict[str, Any]] = {}
        self._said: dict[int, bool] = {}  # by index: whether any arguments came at all

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

    def end(self, index: int) -> None:
        """Take note that the call at ``index`` is complete: if no arguments came, none were meant."""
        self._said[index] = True

    def keep(self, index: int, kept: Mapping[str, Any]) -> None:
        """Remember what the provider wants to see again with the call at ``index``."""
        self._kept.setdefault(index, {}).update(kept)

    def finish(self, *, cut: bool) -> tuple[tuple[ToolCall, ...], tuple[InvalidToolCall, ...]]:
        """Return the valid and the invalid calls, each in the order of their indices.

        Where the answer was ``cut``, a call without any arguments is an invalid one: they may have been on their way.
        """
        calls: list[ToolCall | InvalidToolCall] = []
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
