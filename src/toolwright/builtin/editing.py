"""Change one place of a text file: exactly, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta

from toolwright.builtin.folders import Folder, like_names, place_of
from toolwright.builtin.replacing import ChangedMeanwhile, diff_of, read_current, replace_file, written
from toolwright.builtin.texts import LOOK, encoding_of
from toolwright.tools import ToolContext, ToolOutcome, tool
from toolwright.tools.paths import open_inside

__all__ = ["edit_file"]

_LARGEST: Final = 50 * 1024 * 1024


def _diff(arguments: Mapping[str, Any], workspace: Path | None) -> str | None:
    with open_inside(workspace, arguments["path"], "rb") as file:
        content = _replaced(file.read(_LARGEST), arguments["old"], arguments["new"])
    return diff_of(workspace, arguments["path"], content) if isinstance(content, bytes) else None


def _summary(arguments: Mapping[str, Any]) -> str:
    return f"Change one place of {arguments['path']!r}"


@tool(
    category="file_system",
    risk="medium",
    resource="file:{path}",
    tags=["edit"],
    permissions=["tool.filesystem.read", "tool.filesystem.write"],
    diff=_diff,
    summarize=_summary,
)
def edit_file(
    path: Annotated[Path, Meta(description="Relative to the workspace")],
    old: Annotated[
        str,
        Meta(min_length=1, description="What stands there now, exactly; with enough around it to be there only once"),
    ],
    new: Annotated[str, Meta(description="What is to stand there instead; empty removes it")],
    expected_sha256: Annotated[
        str | None,
        Meta(pattern="^[0-9a-fA-F]{64}$", description="Change only if the whole file still has this SHA-256"),
    ] = None,
    *,
    context: ToolContext,
) -> ToolOutcome:
    """Replace one piece of text in a file; it must be there exactly once."""
    root, names = place_of(context.workspace, path)
    shown = "/".join(names)
    try:
        with Folder.open(root, names[:-1]) as folder:
            current = read_current(folder, names[-1] if names else ".", most=_LARGEST)
            if current.content is None:
                problem, near = "There is no such file. To create one, use write_file.", like_names(root, path)
                return ToolOutcome.failed(problem, code="cannot_read", suggestions=near)
            if expected_sha256 is not None and current.sha256 != expected_sha256.lower():
                return _CHANGED
            content = _replaced(current.content, old, new)
            if isinstance(content, ToolOutcome):
                return content
            replace_file(folder, names[-1], content, current)
    except ChangedMeanwhile:
        return _CHANGED
    except OSError as error:
        return ToolOutcome.failed(f"The file cannot be changed: {error.strerror}.", code="cannot_write")
    return written(shown, content, is_new=False)


_CHANGED: Final = ToolOutcome.failed("The file has been changed meanwhile. Read it again.", code="changed_meanwhile")


def _replaced(content: bytes, old: str, new: str) -> bytes | ToolOutcome:
    """Return the whole file as it will be, in the encoding and with the line ends that it has."""
    encoding = encoding_of(content[:LOOK])
    if encoding is None:
        return ToolOutcome.failed("This is a binary file, not text.", code="binary_file")
    try:
        text = encoding.decode(content)
    except UnicodeDecodeError:
        problem = f"The file is not {encoding.name} throughout, so nothing was changed."
        return ToolOutcome.failed(problem, code="not_text")
    old, new = _with_ends_of(text, old, new)
    count = text.count(old)
    if count == 0:
        return ToolOutcome.failed("The text is not there. Read the file again, and give it exactly.", code="no_match")
    if count > 1 or text.find(old, text.find(old) + 1) >= 0:  # also where it overlaps with itself
        return ToolOutcome.failed(
            f"The text is there {max(count, 2)} times. Give more of what stands around the place that is meant.",
            code="several_matches",
        )
    if old == new:
        return ToolOutcome.failed("Old and new text are the same: there is nothing to change.", code="no_change")
    try:
        return encoding.encode(text.replace(old, new))
    except UnicodeEncodeError:
        return ToolOutcome.failed(f"The new text has characters that {encoding.name} has not.", code="not_text")


def _with_ends_of(text: str, old: str, new: str) -> tuple[str, str]:
    """Return both pieces with the line ends that the file has there: whoever has read it saw lines, not their ends."""
    if "\r\n" not in text or "\r" in old:
        return old, new
    if "\n" in old:
        there = old.replace("\n", "\r\n")
        if old in text or there not in text:  # in this place the ends are plain ones
            return old, new
        old = there
    elif text.count("\r\n") * 2 < text.count("\n"):
        return old, new
    return old, new.replace("\r\n", "\n").replace("\n", "\r\n")
