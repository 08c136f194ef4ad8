"""Texts read in pieces, and all that came of it as one value that can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from tests.providers.text_calls.samples import TOOLS
from toolwright.messages import InvalidToolCall, ToolCall, ToolCallDelta
from toolwright.providers import ReasoningDelta, TextDelta, text_calls
from toolwright.providers.types import StreamEvent
from toolwright.tools.definition import ToolDefinition


class Outcome(NamedTuple):
    text: str
    calls: tuple[ToolCall, ...]
    invalid: tuple[InvalidToolCall, ...]
    reasoning: str
    told: tuple[tuple[str, Any], ...]
    """The events in their order, pieces of one kind joined."""

    @property
    def named(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        return tuple((call.name, dict(call.arguments)) for call in self.calls)


def read(
    text: str, format: str = "auto", cuts: Iterable[int] = (), tools: Sequence[ToolDefinition] | None = TOOLS
) -> Outcome:
    """Read a text that is cut at these places."""
    parser = text_calls(format, tools)
    events: list[StreamEvent] = []
    places = sorted(cuts)
    for start, end in zip((0, *places), (*places, len(text)), strict=True):
        events += parser.feed(text[start:end])
    events += parser.end()
    return Outcome(*parser.close(), parser.reasoning, tuple(joined(events)))


def joined(events: Iterable[StreamEvent]) -> list[tuple[str, Any]]:
    told: list[tuple[str, Any]] = []
    for event in events:
        kind = type(event).__name__
        if isinstance(event, ToolCallDelta):
            told.append((kind, (event.index, event.id, event.name, event.arguments_delta)))
        elif isinstance(event, (TextDelta, ReasoningDelta)):
            before = told.pop()[1] if told and told[-1][0] == kind else ""
            told.append((kind, before + event.text))
    return told


def letter_by_letter(text: str) -> range:
    return range(1, len(text))


def cuts_of(text: str) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, len(text)), max_size=6)
