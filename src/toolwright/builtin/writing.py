"""Write a text file: whole or not at all, and shown before it is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta

from toolwright.builtin.folders import Folder, place_of
from toolwright.builtin.paging import counted
from toolwright.builtin.replacing import ChangedMeanwhile, diff_of, read_current, replace_file, written
from toolwright.builtin.texts import is_whole
from toolwright.schema import ValidationIssue, ValidationReport
from toolwright.tools import ToolContext, ToolOutcome, tool

__all__ = ["write_file"]

_LARGEST: Final = 100 * 1024 * 1024


def _check(arguments: Mapping[str, Any]) -> ValidationReport:
    if is_whole(arguments["content"]):
        return ValidationReport.ok()
    return ValidationReport.invalid(ValidationIssue.invalid_value("content", "has half of a character in it"))


def _diff(arguments: Mapping[str, Any], workspace: Path | None) -> str | None:
    return diff_of(workspace, arguments["path"], arguments["content"].encode())


def _summary(arguments: Mapping[str, Any]) -> str:
    return f"Write {counted(len(arguments['content']), 'character')} to {arguments['path']!r}"


@tool(
    category="file_system",
    risk="medium",
    resource="file:{path}",
    permissions=["tool.filesystem.write"],
    check=_check,
    diff=_diff,
    summarize=_summary,
)
def write_file(
    path: Annotated[Path, Meta(description="Relative to the workspace; folders that are missing are made")],
    content: Annotated[str, Meta(description="All that the file holds afterwards")],
    expected_sha256: Annotated[
        str | None,
        Meta(
            pattern="^[0-9a-fA-F]{64}$",
            description="Write only if the file still has this SHA-256, so that nobody's changes are lost",
        ),
    ] = None,
    *,
    context: ToolContext,
) -> ToolOutcome:
    """Create a text file, or replace what it holds."""
    root, names = place_of(context.workspace, path)
    if not names:
        return ToolOutcome.failed("The path is that of the workspace itself: name a file in it.", code="cannot_write")
    new, shown = content.encode(), "/".join(names)
    try:
        with Folder.open(root, names[:-1], make=True) as folder:
            current = read_current(folder, names[-1], most=_LARGEST)
            if expected_sha256 is not None and current.sha256 != expected_sha256.lower():
                return _changed(shown)
            if current.content == new:
                data = {"path": shown, "status": "unchanged", "size": len(new), "sha256": current.sha256}
                return ToolOutcome.ok(data, message=f"{shown} holds just that already")
            replace_file(folder, names[-1], new, current)
    except ChangedMeanwhile:
        return _changed(shown)
    except OSError as error:
        return ToolOutcome.failed(f"The file cannot be written: {error.strerror}.", code="cannot_write")
    return written(shown, new, is_new=current.content is None)


def _changed(shown: str) -> ToolOutcome:
    return ToolOutcome.failed(
        f"{shown} is not what was expected: somebody has changed it. Read it again, and write what should be there.",
        code="changed_meanwhile",
    )
