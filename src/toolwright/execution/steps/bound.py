"""Step 8: what a tool gave, within the schema and the size that it may have.

What is cut off is kept for the session, so that it can be read on: what exceeds the definition's limit, and what a
model is not shown at once.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from toolwright.execution.keeping import Kept
from toolwright.execution.known import KnownTool
from toolwright.tools.outcome import ToolOutcome
from toolwright.values import encode

__all__ = ["bound"]

_SHOWN: Final = 50_000
"""Characters that a model is shown of a result, unless somebody asks for another number."""

_SMALL: Final[frozenset[type]] = frozenset([type(None), bool, int, float])
_SHORTEST_LIMIT: Final = 1024  # bytes; no definition has less, so what is shorter need not be measured
_NOTICE: Final = "\n[... {left:,} characters left out here{way} ...]\n"


def bound(outcome: ToolOutcome, known: KnownTool, kept: Kept, session: str | None) -> ToolOutcome:
    """Hold a result against the output schema, and cut it where it is too long.

    A success that does not fit the schema becomes a failure (``output_invalid``): the call has had its effects, and
    nobody should rely on what it gave.
    """
    schema = known.definition.output_schema
    if schema is not None and outcome.success:
        report = schema.validate(outcome.data)
        if report.errors:
            return ToolOutcome.failed(
                f"The tool ran, but its result is not what it declares:\n{report.message}",
                code="output_invalid",
                artifacts=outcome.artifacts,
            )
    if outcome.error is not None or outcome.message is not None:
        outcome = _with_short_words(outcome, known.definition.output_limit)
    data = outcome.data
    if data.__class__ in _SMALL or (data.__class__ is str and len(data) * 4 <= _SHORTEST_LIMIT):
        return outcome
    return _fitted(outcome, data, known.definition.output_limit, kept, session)


def _with_short_words(outcome: ToolOutcome, limit: int) -> ToolOutcome:
    """Return an outcome whose error and message are cut where they are too long; nobody reads on in those."""
    long = {
        name: _cut(text, limit, None)
        for name, text in (("error", outcome.error), ("message", outcome.message))
        if text is not None and len(text) * 4 > limit and len(text.encode("utf-8", "replace")) > limit
    }
    return replace(outcome, truncated=True, **long) if long else outcome


def _fitted(outcome: ToolOutcome, data: Any, limit: int, kept: Kept, session: str | None) -> ToolOutcome:
    is_text = data.__class__ is str
    written = data.encode("utf-8", "replace") if is_text else encode(data)
    shown = _SHOWN if outcome.max_chars is None else min(_SHOWN, outcome.max_chars)
    if len(written) <= min(limit, shown):  # bytes are no fewer than characters
        return outcome
    text: str = data if is_text else written.decode()
    if len(written) <= limit:
        if len(text) <= shown or outcome.more is not None:
            return outcome
        more = kept.keep(session, text)
        return outcome if more is None else replace(outcome, more=more)
    more = outcome.more or kept.keep(session, text)
    return replace(outcome, data=_cut(text, limit, more), truncated=True, more=more)


def _cut(text: str, limit: int, more: str | None) -> str:
    """Return the beginning and the end of a text, in at most ``limit`` bytes together with the note between them."""
    way = "" if more is None else f': call read_more with id "{more}" to read on'
    room = max(0, limit - len(_NOTICE.format(left=len(text), way=way)))
    head = text[: room - room // 2].encode("utf-8", "replace")[: room - room // 2].decode("utf-8", "ignore")
    tail_bytes = text[len(text) - room // 2 :].encode("utf-8", "replace")
    tail = tail_bytes[len(tail_bytes) - room // 2 :].decode("utf-8", "ignore") if room // 2 else ""
    return head + _NOTICE.format(left=len(text) - len(head) - len(tail), way=way) + tail
