"""Calls written as JSON: one object, a list of them, several in a row, or the arguments alone after a name.

Most families write these; they differ in the words around. The fields have different names as well: all that were seen
are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import msgspec

from toolwright.providers.text_calls.blocks import Interpret
from toolwright.providers.text_calls.readers import BROKEN, CUT, Found
from toolwright.values import decode, encode

__all__ = ["arguments_of", "keyed_calls", "lone_calls", "named_calls"]

_Read: TypeAlias = Callable[[Mapping[str, Any]], Found]

_UNREADABLE: Final = (msgspec.DecodeError, ValueError, OverflowError, RecursionError)
"""What reading JSON that a model wrote may raise."""

_NAMES: Final = ("name", "tool_name", "function", "tool")
_ARGUMENTS: Final = ("arguments", "parameters", "args", "tool_input", "input")
_IDS: Final = ("id", "tool_call_id")

_NAME_IN_TEXT: Final = re.compile(r"""["'](?:name|tool_name)["']\s*+:\s*+["']([^"'\\]{1,128})["']""")
_ARGUMENTS_IN_TEXT: Final = re.compile(r"""["'](?:arguments|parameters)["']\s*+:\s*+""")


def named_calls(values: Sequence[str], problem: str) -> tuple[Found, ...]:
    """Read ``{"name": ..., "arguments": {...}}`` in all its spellings, alone or in lists."""
    return _calls(_named, values, problem)


def keyed_calls(values: Sequence[str], problem: str) -> tuple[Found, ...]:
    """Read ``{name: {...}}``, alone or in lists."""
    return _calls(_keyed, values, problem)


def lone_calls(values: Sequence[str], problem: str) -> tuple[Found, ...]:
    """Read ``{"name": ..., "arguments": {...}}`` where nothing else says that it is a call: both must be there."""
    found = named_calls(values, problem)
    return found if all(call.name and call.arguments for call in found) else ()


def arguments_of(name: str, id: str = "") -> Interpret:
    """Return what reads a value that is the arguments of a call."""
    return partial(_arguments, name, id)


def _arguments(name: str, id: str, values: Sequence[str], problem: str) -> tuple[Found, ...]:
    return (Found(name, "".join(values), id, problem),)


def _calls(read: _Read, values: Sequence[str], problem: str) -> tuple[Found, ...]:
    if problem:
        return _broken("".join(values), problem)
    try:
        return tuple([found for value in values for found in _items(read, value)])
    except _UNREADABLE:
        return _broken("".join(values), BROKEN)


def _items(read: _Read, text: str) -> list[Found]:
    value: Any = decode(text)
    items: list[Any] = value if value.__class__ is list else [value]
    return [read(item) if item.__class__ is dict else Found("", text, problem=BROKEN) for item in items]


def _named(item: Mapping[str, Any]) -> Found:
    inner = item.get("function")
    if isinstance(inner, Mapping):
        item = {**item, **inner}
    name = next((item[key] for key in _NAMES if isinstance(item.get(key), str)), "")
    given = next((item[key] for key in _ARGUMENTS if item.get(key) is not None), "")
    id = next((item[key] for key in _IDS if isinstance(item.get(key), str)), "")
    return Found(name, given if isinstance(given, str) else encode(given).decode(), id)


def _keyed(item: Mapping[str, Any]) -> Found:
    if len(item) != 1:
        return Found("", encode(item).decode(), problem=BROKEN)
    ((name, given),) = item.items()
    return Found(name, encode(given).decode())


def _broken(text: str, problem: str) -> tuple[Found, ...]:
    """Return what can be told of a call that cannot be read: its name, and what stands after it."""
    name = _NAME_IN_TEXT.search(text)
    if name is None:
        return (Found("", text, problem=CUT),) if problem is CUT else ()
    given = _ARGUMENTS_IN_TEXT.search(text)
    return (Found(name[1], text[given.end() :] if given else text, problem=problem),)
