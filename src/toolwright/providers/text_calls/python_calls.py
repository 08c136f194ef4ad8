"""Calls written in the form of Python's, ``[f(a=1), g()]``, and in Gemma's, ``call:f{a:1}``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from toolwright.providers.text_calls.blocks import Interpret
from toolwright.providers.text_calls.gemma_values import read_gemma
from toolwright.providers.text_calls.python_values import read_calls
from toolwright.providers.text_calls.readers import BROKEN, CUT, Found
from toolwright.providers.text_calls.tokens import Unreadable
from toolwright.values import encode

__all__ = ["gemma_arguments_of", "python_calls"]

_NAMELESS: Final = "The arguments have no names. Send the call again, with the name of each argument before its value."
_FIRST_NAME: Final = re.compile(r"[\s\[]*+([A-Za-z_][\w.-]{0,127})\s*+\(")


def python_calls(values: Sequence[str], problem: str) -> tuple[Found, ...]:
    """Read calls of literals; positional arguments make an invalid one."""
    if not problem:
        try:
            return tuple([_found(call.name, call.arguments, value) for value in values for call in read_calls(value)])
        except (Unreadable, ValueError, RecursionError):
            problem = BROKEN
    whole = "".join(values)
    name = _FIRST_NAME.match(whole)
    if name is None:
        return (Found("", whole, problem=CUT),) if problem is CUT else ()
    return (Found(_plain(name[1]), whole[name.end() - 1 :], problem=problem),)


def _found(name: str, arguments: dict[str, Any] | None, text: str) -> Found:
    if arguments is None:
        return Found(_plain(name), text, problem=_NAMELESS)
    return Found(_plain(name), encode(arguments).decode())


def _plain(name: str) -> str:
    """Return a name without what Llama's built-in tools end on: ``brave_search.call(query="...")``."""
    return name.removesuffix(".call")


def gemma_arguments_of(name: str) -> Interpret:
    """Return what reads Gemma's arguments of a call."""
    return partial(_gemma, name)


def _gemma(name: str, values: Sequence[str], problem: str) -> tuple[Found, ...]:
    text = "".join(values)
    if not problem:
        try:
            return (Found(name, encode(read_gemma(text)).decode()),)
        except (Unreadable, ValueError, RecursionError):
            problem = BROKEN
    return (Found(name, text, problem=problem),)
