"""Read a text file: as many lines as are wanted, numbered on request, and never a binary file by mistake."""

from __future__ import annotations

import os
from hashlib import file_digest
from io import BufferedReader, TextIOWrapper
from itertools import count
from pathlib import Path
from typing import IO, Annotated, Final, Literal, TypeAlias, cast

from msgspec import Meta

from toolwright.builtin.folders import like_names
from toolwright.builtin.paging import counted
from toolwright.builtin.texts import LOOK, encoding_of
from toolwright.tools import ToolContext, ToolOutcome, tool

__all__ = ["read_file"]

_LINE_LENGTH: Final = 4_000  # a longer line is cut: it is data that happens to have no line ends
_LARGEST_HASHED: Final = 200 * 1024 * 1024
_LIMIT: Final = 2_000
_End: TypeAlias = Literal["none", "more", "endless"]
_SIZE: Final = 1_000_000  # characters in one answer, whatever the limit of lines
_ENDLESS: Final = 16_000_000  # characters after which nobody waits any more for the end of a line


@tool(category="file_system", risk="safe", side_effects=False, permissions=["tool.filesystem.read"])
def read_file(
    path: Annotated[Path, Meta(description="Relative to the workspace")],
    offset: Annotated[int, Meta(ge=1, description="The first line to read")] = 1,
    limit: Annotated[int, Meta(ge=1, le=20_000, description="How many lines to read")] = _LIMIT,
    line_numbers: Annotated[bool, Meta(description="Begin each line with its number")] = False,
    sha256: Annotated[bool, Meta(description="Also tell the hash of the whole file, to write it back safely")] = False,
    *,
    context: ToolContext,
) -> ToolOutcome:
    """Read a text file, whole or some of its lines."""
    try:
        with context.open(path, "rb") as file:
            encoding = encoding_of(file.read(LOOK))
            if encoding is None:
                return ToolOutcome.failed("This is a binary file, not text.", code="binary_file")
            file.seek(0)
            hints = _hash(file) if sha256 else []
            lines, end = _lines(file, encoding.name, offset, limit, context)
    except FileNotFoundError:
        near = like_names(context.workspace, path)
        return ToolOutcome.failed("There is no such file.", code="cannot_read", suggestions=near)
    except OSError as error:
        return ToolOutcome.failed(f"The file cannot be read: {error.strerror}.", code="cannot_read")
    if end == "endless":
        hints.append(f"A line goes on for more than {_ENDLESS:,} characters; nothing after it was read.")
    if not lines and offset > 1:
        return ToolOutcome.failed(f"No line {offset} was found in the file.", code="past_the_end", suggestions=hints)
    if line_numbers:
        lines = [f"{number:>6}\t{line}" for number, line in enumerate(lines, offset)]
    if end == "more":
        hints.append(f"There are more lines: read on with offset={offset + len(lines)}.")
    message = _summary(offset, len(lines), encoding.name, more=end == "more")
    return ToolOutcome.ok("\n".join(lines), message=message, suggestions=hints)


def _hash(file: IO[bytes]) -> list[str]:
    """Return how the hash of a file is told; a file that takes too long to read has none."""
    if os.fstat(file.fileno()).st_size > _LARGEST_HASHED:
        return ["The file is too large for its SHA-256 to be worked out here."]
    digest = file_digest(cast("BufferedReader", file), "sha256").hexdigest()
    file.seek(0)
    return [f"The SHA-256 of the file is {digest}: give it as expected_sha256 to change just this version."]


def _lines(file: IO[bytes], encoding: str, offset: int, limit: int, context: ToolContext) -> tuple[list[str], _End]:
    """Return the lines that are wanted, and what comes after them; no more of the file is read than that."""
    wanted: list[str] = []
    size = 0
    with TextIOWrapper(file, encoding, errors="replace") as reader:
        for number in count(1):
            line = reader.readline(_LINE_LENGTH)
            if not line:
                break
            if number >= offset + limit or size >= _SIZE or context.cancelled:
                return wanted, "more"
            kept = line.removesuffix("\n")
            left_out = _skip_rest(reader, context) if kept == line else 0
            if left_out:
                kept += "…"
            if number >= offset:
                wanted.append(kept)
                size += len(kept)
            if left_out >= _ENDLESS:
                return wanted, "endless"
    return wanted, "none"


def _skip_rest(reader: TextIOWrapper, context: ToolContext) -> int:
    """Go on to the next line, and return how many characters were left out on the way; not for ever."""
    left_out = 0
    while left_out < _ENDLESS and not context.cancelled and (rest := reader.readline(LOOK)):
        left_out += len(rest.removesuffix("\n"))
        if rest.endswith("\n"):
            break
    return left_out


def _summary(offset: int, lines: int, encoding: str, *, more: bool) -> str:
    summary = counted(lines, "line")
    if offset > 1:
        summary += f" from line {offset}"
    if encoding != "utf-8":
        summary += f", {encoding}"
    return f"{summary}; there are more, from line {offset + lines}" if more else summary
