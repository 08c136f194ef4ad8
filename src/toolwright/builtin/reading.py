"""Read a text file: as many lines as are wanted, numbered on request, and never a binary file by mistake."""

from __future__ import annotations

import codecs
from io import TextIOWrapper
from itertools import count
from pathlib import Path
from typing import IO, Annotated, Final

from msgspec import Meta

from toolwright.tools import ToolContext, ToolOutcome, tool

__all__ = ["read_file"]

_LINE_LENGTH: Final = 4_000  # a longer line is cut: it is data that happens to have no line ends
_LOOK: Final = 8_192  # bytes looked at to tell text from anything else
_LIMIT: Final = 2_000
_SIZE: Final = 1_000_000  # characters in one answer, whatever the limit of lines

# Longest first: the mark of UTF-16 is the beginning of that of UTF-32.
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@tool(category="file_system", risk="safe", side_effects=False, permissions=["tool.filesystem.read"])
def read_file(
    path: Annotated[Path, Meta(description="Relative to the workspace")],
    offset: Annotated[int, Meta(ge=1, description="The first line to read")] = 1,
    limit: Annotated[int, Meta(ge=1, le=20_000, description="How many lines to read")] = _LIMIT,
    line_numbers: Annotated[bool, Meta(description="Begin each line with its number")] = False,
    *,
    context: ToolContext,
) -> ToolOutcome:
    """Read a text file, whole or some of its lines."""
    try:
        with context.open(path, "rb") as file:
            encoding = _encoding_of(file.read(_LOOK))
            if encoding is None:
                return ToolOutcome.failed("This is a binary file, not text.", code="binary_file")
            file.seek(0)
            lines, more = _lines(file, encoding, offset, limit, context)
    except OSError as error:
        return ToolOutcome.failed(f"The file cannot be read: {error.strerror}.", code="cannot_read")
    if not lines and offset > 1:
        return ToolOutcome.failed(f"The file has fewer than {offset} lines.", code="past_the_end")
    if line_numbers:
        lines = [f"{number:>6}\t{line}" for number, line in enumerate(lines, offset)]
    return ToolOutcome.ok("\n".join(lines), message=_summary(offset, len(lines), encoding, more=more))


def _encoding_of(beginning: bytes) -> str | None:
    """Return the encoding that the beginning of a file is in, or None where it is not text."""
    for mark, encoding in _MARKS:
        if beginning.startswith(mark):
            return encoding
    if b"\0" in beginning:
        return None
    try:
        # The look may have cut a character: only what is wrong before its end counts.
        codecs.getincrementaldecoder("utf-8")().decode(beginning, final=len(beginning) < _LOOK)
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _lines(file: IO[bytes], encoding: str, offset: int, limit: int, context: ToolContext) -> tuple[list[str], bool]:
    """Return the lines that are wanted, and whether there are more; no more of the file is read than that."""
    wanted: list[str] = []
    size = 0
    with TextIOWrapper(file, encoding, errors="replace") as reader:
        for number in count(1):
            line = reader.readline(_LINE_LENGTH)
            if not line:
                break
            if number >= offset + limit or size >= _SIZE or context.cancelled:
                return wanted, True
            kept = line.removesuffix("\n")
            if kept == line and _skip_rest(reader):
                kept += "…"
            if number >= offset:
                wanted.append(kept)
                size += len(kept)
    return wanted, False


def _skip_rest(reader: TextIOWrapper) -> bool:
    """Go on to the next line; say whether anything was left out on the way."""
    left_out = False
    while rest := reader.readline(_LOOK):
        left_out = left_out or rest != "\n"
        if rest.endswith("\n"):
            break
    return left_out


def _summary(offset: int, lines: int, encoding: str, *, more: bool) -> str:
    summary = f"{lines} lines" if offset == 1 else f"{lines} lines from line {offset}"
    if encoding != "utf-8":
        summary += f", {encoding}"
    return f"{summary}; there are more, from line {offset + lines}" if more else summary
