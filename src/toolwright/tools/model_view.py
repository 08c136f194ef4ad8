"""What a model reads of an outcome.

Data first (or what went wrong, and what to try), then what was made and what could be done next. Everything shown has
gone through the redactor and has lost the paths of this machine; what is too long is cut in the middle, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from toolwright.redact import redact_text
from toolwright.tools.artifacts import Artifact
from toolwright.tools.codes import advice_for
from toolwright.tools.excerpt import Excerpt, json_excerpt, shorten, text_excerpt
from toolwright.tools.host_paths import hide_paths_in_text, hide_paths_in_words

if TYPE_CHECKING:
    from toolwright.tools.outcome import ToolOutcome  # which is shown here, and knows this module

__all__ = ["view"]

_MOST_LISTED: Final = 50
_LONGEST_LINE: Final = 500
_TRACE: Final = "Traceback (most recent call last):"


def view(outcome: ToolOutcome, room: int, workspace: str | None) -> str:
    """Return at most ``room`` characters of an outcome; ``workspace`` is a real path or None."""
    if outcome.success and not outcome.artifacts and not outcome.suggestions and outcome.data is not None:
        return _data(outcome, room, workspace)  # the usual case
    before = "" if outcome.success else _failure(outcome, room // 2, workspace)
    after = shorten("".join(_lists(outcome, workspace)), room // 4)
    left = room - len(before) - len(after)
    if outcome.data is not None:
        label = "" if outcome.success else "\n\nWhat there is of the result:\n"
        body = label + _data(outcome, left - len(label), workspace) if left > len(label) else ""
    else:
        body = _words(outcome.message or "Done.", left, workspace) if outcome.success else ""
    return (before + body + after)[:room]


def _data(outcome: ToolOutcome, room: int, workspace: str | None) -> str:
    shown = _cut(outcome, room, workspace)
    if not shown.omitted:
        return shown.head
    notice = _notice(shown.omitted, outcome.more)
    if room < 2 * len(notice):
        notice = "..."  # there is no room to explain
    # The number in the notice may grow by some digits, as the notice itself takes room.
    shown = _cut(outcome, max(0, room - len(notice) - 6), workspace)
    if notice != "...":
        notice = _notice(shown.omitted, outcome.more)
    return f"{shown.head}\n{notice}\n{shown.tail}"[: max(0, room)]


def _cut(outcome: ToolOutcome, room: int, workspace: str | None) -> Excerpt:
    hide = partial(_seen, workspace=workspace)
    if isinstance(outcome.data, str):
        return text_excerpt(outcome.data, max(0, room), hide)
    return json_excerpt(outcome.data, max(0, room), hide)


def _seen(text: str, workspace: str | None) -> str:
    return hide_paths_in_text(redact_text(text), workspace)


def _notice(omitted: int, more: str | None) -> str:
    way = f'call read_more with id "{shorten(more, 100)}" to read on' if more else "ask for a smaller part to see it"
    return f"[... {omitted:,} characters left out here: {way} ...]"


def _failure(outcome: ToolOutcome, room: int, workspace: str | None) -> str:
    code = outcome.error_code or "tool_error"
    head, advice = f"Error ({code}): ", f"\n{advice_for(code)}"
    return head + _words(_without_trace(outcome.error or ""), room - len(head) - len(advice), workspace) + advice


def _words(text: str, room: int, workspace: str | None) -> str:
    """Return words about the call, as far as there is room."""

    def hide(part: str) -> str:
        return hide_paths_in_words(redact_text(part), workspace)

    shown = text_excerpt(text, max(0, room), hide)
    if not shown.omitted:
        return shown.head
    shown = text_excerpt(text, max(0, room - 5), hide)
    return f"{shown.head} ... {shown.tail}"[: max(0, room)]


def _without_trace(text: str) -> str:
    """Return an error without a stack trace that was put into it; what was raised stays."""
    before, found, trace = text.partition(_TRACE)
    if not found:
        return text
    lines = [line for line in trace[-100_000:].splitlines() if line and not line[0].isspace() and line != _TRACE]
    return f"{before}{lines[-1] if lines else ''}".strip()


def _lists(outcome: ToolOutcome, workspace: str | None) -> Iterator[str]:
    if outcome.artifacts:
        yield from _listed(
            "Artifacts", (_artifact(artifact) for artifact in outcome.artifacts[:_MOST_LISTED]), workspace
        )
        yield _rest(len(outcome.artifacts))
    if outcome.suggestions:
        yield from _listed("Suggestions", outcome.suggestions[:_MOST_LISTED], workspace)
        yield _rest(len(outcome.suggestions))


def _listed(title: str, lines: Iterable[str], workspace: str | None) -> Iterator[str]:
    yield f"\n\n{title}:"
    for line in lines:
        yield "\n- " + _words(line, _LONGEST_LINE, workspace)


def _rest(count: int) -> str:
    return f"\n- and {count - _MOST_LISTED:,} more" if count > _MOST_LISTED else ""


def _artifact(artifact: Artifact) -> str:
    facts = [f"{artifact.size:,} bytes"] if artifact.size is not None else []
    facts += [artifact.mime_type] if artifact.mime_type else []
    facts += ["new"] if artifact.is_new else []
    noun = f"{artifact.type} {artifact.path}" + (f" ({', '.join(facts)})" if facts else "")
    return f"{noun}: {artifact.description}" if artifact.description else noun
