"""Results that were too long, kept for their session so that they can be read on.

What is kept is bounded in every direction: the oldest goes first. One session cannot read what another one left.
Secrets of known shapes are hidden before a text is cut into pages, so that no cut leaves half of one readable.

This module may not know what ran.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import cache
from itertools import count
from secrets import token_hex
from threading import Lock
from typing import Any, Final, NamedTuple

from toolwright.levels import RiskLevel, ToolCategory
from toolwright.redact import redact_text
from toolwright.schema import SchemaBuilder
from toolwright.tools.base import ToolBase
from toolwright.tools.constraints import ToolConstraints
from toolwright.tools.context import ToolContext
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.outcome import ToolOutcome

__all__ = ["Kept", "Page", "ReadMore"]

_PAGE: Final = 40_000
"""Characters of a page: what a model is shown of a result at once, and some room for words around it."""

_MOST_TEXTS: Final = 256
_MOST_CHARACTERS: Final = 64 * 1024 * 1024
_BREAK: Final = 1_000  # how far from the end of a page a blank is looked for, so that no word is torn apart


class Page(NamedTuple):
    """Part of a kept text: where it begins and ends, and how long the whole is."""

    text: str
    start: int
    end: int
    total: int


class Kept:
    """Long texts by session: at most so many, of so many characters together. Safe to share between threads."""

    def __init__(self, *, texts: int = _MOST_TEXTS, characters: int = _MOST_CHARACTERS) -> None:
        self._most_texts: Final = texts
        self._most_characters: Final = characters
        self._texts: OrderedDict[tuple[str | None, str], str] = OrderedDict()
        self._size = 0
        self._numbers = count(1)
        self._lock = Lock()

    def keep(self, session: str | None, text: str) -> str | None:
        """Keep a text, and return the id under which the session reads it; None for one that is too long to be kept."""
        if len(text) > self._most_characters:
            return None
        hidden = redact_text(text)
        id = f"out_{next(self._numbers)}_{token_hex(4)}"
        with self._lock:
            self._texts[session, id] = hidden
            self._size += len(hidden)
            while len(self._texts) > self._most_texts or self._size > self._most_characters:
                _, dropped = self._texts.popitem(last=False)
                self._size -= len(dropped)
        return id

    def read(self, session: str | None, id: str, start: int, length: int = _PAGE) -> Page | None:
        """Return a page of a text, from a character on; None where the session has no such text."""
        with self._lock:
            text = self._texts.get((session, id))
        if text is None:
            return None
        start = min(max(0, start), len(text))
        end = min(start + length, len(text))
        if end < len(text):
            blank = max(text.rfind(" ", end - _BREAK, end), text.rfind("\n", end - _BREAK, end))
            end = blank + 1 if blank >= start else end
        return Page(text[start:end], start, end, len(text))

    def forget(self, session: str | None) -> None:
        """Forget what a session left, once it has ended."""
        with self._lock:
            for key in [key for key in self._texts if key[0] == session]:
                self._size -= len(self._texts.pop(key))


@cache  # made when the first executor is: a schema brings the validator with it
def _definition() -> ToolDefinition:
    builder = SchemaBuilder()
    builder.string("id", "The id in the note where the result was cut", required=True)
    builder.integer("start", "The first character to read", minimum=0, default=0)
    return ToolDefinition(
        name="read_more",
        description=(
            "Read on in the result of an earlier call that was too long to be shown at once. The note in that result "
            "names the id."
        ),
        category=ToolCategory.SYSTEM,
        risk=RiskLevel.SAFE,
        constraints=ToolConstraints(side_effects=False),
        parameters=builder.build(),
    )


class ReadMore(ToolBase):
    """The tool ``read_more``: a model reads on in a result that was too long to be shown at once."""

    def __init__(self, kept: Kept) -> None:
        self.definition = _definition()
        self._kept = kept

    async def run(self, context: ToolContext) -> ToolOutcome:
        """Return a page."""
        arguments: Mapping[str, Any] = context.arguments
        page = self._kept.read(context.session_id, arguments["id"], arguments["start"])
        if page is None:
            return ToolOutcome.failed("There is no such result to read on in; it may be too old. Call the tool again.")
        rest = f"read_more with start={page.end} gives what follows" if page.end < page.total else "this is the end"
        note = f"[characters {page.start:,} to {page.end:,} of {page.total:,}; {rest}]"
        return ToolOutcome.ok(f"{page.text}\n{note}", metadata={"next": page.end if page.end < page.total else None})
