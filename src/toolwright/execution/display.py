"""A request as a terminal shows it: everything, and nothing that could pass for something else.

What a model wrote may hold characters that move the cursor, turn the direction of writing or cannot be seen. None of
them reaches the terminal: each is shown as its number. Lines of an argument have a bar before them, so that none looks
like a line of ours.

Pure: text comes out. This module may not know where it goes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from unicodedata import east_asian_width, name

from toolwright.execution.reviewers import ReviewRequest
from toolwright.levels import RiskLevel
from toolwright.values import thaw

__all__ = ["as_json", "render", "visible"]

_ESCAPE: Final = "\x1b["
_RESET: Final = f"{_ESCAPE}0m"
_STYLES: Final[Mapping[RiskLevel, str]] = {
    RiskLevel.SAFE: "32",
    RiskLevel.LOW: "34",
    RiskLevel.MEDIUM: "33",
    RiskLevel.HIGH: "31",
    RiskLevel.CRITICAL: "1;31",
}
_DIFF_STYLES: Final[Mapping[str, str]] = {"+": "32", "-": "31", "@": "36"}
_BOLD: Final = "1"
_BAR: Final = "    │ "

_WIDTH: Final = 80  # columns, where nobody knows better
_NARROWEST: Final = 20
_SCREEN: Final = 20  # lines

_WORD: Final = re.compile(r"\w+")
# The alphabets whose letters are mistaken for one another.
_ALPHABETS: Final = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC"})


def visible(text: str) -> str:
    """Return one line in which every character can be seen: others are shown as ``<U+202E>``, tabs as an arrow."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _shown(each) for each in text)


def _shown(character: str) -> str:
    return "→   " if character == "\t" else f"<U+{ord(character):04X}>"


def as_json(value: Any, *, indent: int | None = None) -> str:
    """Return a value as JSON in which every character can be seen: others are escaped, as JSON has it."""
    text = json.dumps(thaw(value), ensure_ascii=False, indent=indent)
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in text)


def render(request: ReviewRequest, *, color: bool, width: int = _WIDTH) -> str:
    """Return all that a person needs to decide, in lines of at most ``width`` columns."""

    def styled(text: str, style: str) -> str:
        return f"{_ESCAPE}{style}m{text}{_RESET}" if color and style else text

    risk = f"{request.risk.display_name}: {request.risk.description}"
    head = f"{styled(visible(request.tool_name), _BOLD)}  {styled(risk, _STYLES[request.risk])}"
    lines = ["", head]
    for lead, text, style in _told(request):
        lines += [before + styled(piece, style) for before, piece in _folded(lead, text, width)]
    if len(lines) > _SCREEN:
        lines.append(head)  # which is out of sight by now
    return "\n".join([*lines, ""])


def _told(request: ReviewRequest) -> Iterator[tuple[str, str, str]]:
    """Yield each line about a request: what stands before it, the line itself and its style."""
    yield "  ", visible(request.summary), ""
    yield "  ", f"why: {visible(request.reason)}", ""
    yield from (("  ", f"! {visible(warning)}", _STYLES[RiskLevel.MEDIUM]) for warning in request.warnings)
    yield from (("  ", f"! {warning}", _STYLES[RiskLevel.HIGH]) for warning in dict.fromkeys(_pitfalls(request)))
    yield "  ", "arguments:" if request.arguments else "no arguments", ""
    for key, value in request.arguments.items():
        yield from _argument(key, value)
    if request.diff:
        yield "  ", "changes:", ""
        yield from (("  │ ", visible(line), _DIFF_STYLES.get(line[:1], "")) for line in request.diff.split("\n"))
    if request.expires_at is not None:
        yield "  ", f"to be decided before {request.expires_at.astimezone():%Y-%m-%d %H:%M:%S %Z}", ""


def _argument(key: str, value: Any) -> Iterator[tuple[str, str, str]]:
    if not isinstance(value, str) or "\n" not in value:
        yield "    ", f"{visible(key)}: {as_json(value)}", ""
        return
    yield "    ", f"{visible(key)}: text of {len(value):,} characters", ""
    yield from ((_BAR, visible(line), "") for line in value.split("\n"))


def _folded(lead: str, text: str, width: int) -> Iterator[tuple[str, str]]:
    """Yield a line in pieces that a terminal does not break, each with what stands before it: a bar, but for the first.

    What a terminal breaks by itself goes on in its first column, where only lines of ours begin.
    """
    room, start = max(width, _NARROWEST), 0
    plain = text.isascii()
    while True:
        left = room - len(lead)
        end = start + left if plain else _end_of(text, start, left)
        yield lead, text[start:end]
        if end >= len(text):
            return
        start, lead = end, _BAR


def _end_of(line: str, start: int, columns: int) -> int:
    """Return where the part of a line ends that has room in so many columns."""
    for place in range(start, len(line)):
        columns -= 2 if east_asian_width(line[place]) in "WF" else 1
        if columns < 0:
            return place
    return len(line)


def _pitfalls(request: ReviewRequest) -> Iterator[str]:
    """Yield what a reader could miss although it is there."""
    for text in _texts(request.arguments):
        if not text.isprintable() and not text.translate(_ORDINARY).isprintable():
            yield "there are control characters or invisible ones in the arguments; they are shown as numbers"
        if not text.isascii():
            for word in _WORD.findall(text):
                alphabets = _ALPHABETS.intersection(name(each, "").partition(" ")[0] for each in word)
                if len(alphabets) > 1:
                    mixed = " and ".join(sorted(each.capitalize() for each in alphabets))
                    yield f"a word mixes letters that look alike: {visible(word[:60])} ({mixed})"


_ORDINARY: Final = str.maketrans("", "", "\n\t")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from _texts(key)
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _texts(item)
