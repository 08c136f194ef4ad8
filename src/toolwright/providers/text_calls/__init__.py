"""Calls that models write into their texts, in the dialects of some forty families.

Pure: text goes in, in any pieces, and text and calls come out, the same ones however it was cut. What this room knows
is where markup begins and ends; it asks no model and knows no wire format. The way through it::

    formats         which openings a format has, and its names; json_, tag_, code_families and passages have them
    openings, heads where something begins
    quoting         where nothing can begin: in code and quotations
    parser          passes text on, and lets readers read what begins
    readers         blocks (nesting: values) and tagged (a tag for each parameter)
    json_calls, python_calls    what was read, as names and arguments; python_values, gemma_values (tokens)
    offered         which of them are calls, and what their arguments are
    told            what is told of it all
    answers         the same for a provider's answer

The function of the same name is what the room around this one exports under it; so that this costs nothing where calls
are native, all that is above is loaded by the first text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolwright.providers.text_calls.answers import TextReading
    from toolwright.providers.text_calls.formats import FORMATS
    from toolwright.providers.text_calls.parser import TextCalls
    from toolwright.tools.definition import ToolDefinition

__all__ = ["FORMATS", "TextCalls", "TextReading", "reading", "text_calls"]


def text_calls(format: str = "auto", tools: Iterable[ToolDefinition] | None = None) -> TextCalls:
    """Return a parser that finds the calls in a text: ``feed`` it, then ``close`` it.

    ``tools`` are those that were offered: nothing else is taken for a call. ``None`` accepts any name. What stands in
    code, quotations or reasoning is never a call, and what is no call stays text.

    Raises:
        ValueError: There is no such format; the text names those there are.
    """
    from toolwright.providers.text_calls.formats import format_named
    from toolwright.providers.text_calls.offered import Offered
    from toolwright.providers.text_calls.parser import TextCalls

    return TextCalls(format_named(format), Offered(tools))


def reading(format: str, tools: Iterable[ToolDefinition]) -> TextReading:
    """Return what reads a provider's answer with the calls that are written in its text.

    Raises:
        ValueError: There is no such format; the text names those there are.
    """
    from toolwright.providers.text_calls.answers import TextReading

    return TextReading(format, tools)


if not TYPE_CHECKING:
    _LATER = {"FORMATS": "formats", "TextCalls": "parser", "TextReading": "answers"}

    def __getattr__(name: str) -> object:
        if name in _LATER:
            from importlib import import_module

            return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
