"""List a folder: what is in it, how large, and how deep one wants to look."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta

from toolwright.builtin.folders import place_of
from toolwright.builtin.paging import Page, counted
from toolwright.builtin.texts import shown
from toolwright.builtin.walking import Found, Walk
from toolwright.tools import ToolContext, ToolOutcome, tool

__all__ = ["list_directory"]

_MOST: Final = 2_000


@tool(
    category="file_system",
    risk="safe",
    side_effects=False,
    permissions=["tool.filesystem.read"],
    summarize=lambda arguments: f"List {arguments.get('path', '.')!r}",
)
def list_directory(
    path: Annotated[Path, Meta(description="Relative to the workspace")] = Path(),
    depth: Annotated[int, Meta(ge=1, le=20, description="How many levels to look into")] = 1,
    ignore: Annotated[bool, Meta(description="Leave out .git, and what .gitignore files name")] = False,
    limit: Annotated[int, Meta(ge=1, le=_MOST, description="How many entries to give")] = 500,
    offset: Annotated[int, Meta(ge=0, description="How many entries to leave out before those")] = 0,
    *,
    context: ToolContext,
) -> ToolOutcome:
    """List what is in a folder, with kinds and sizes."""
    root, start = place_of(context.workspace, path)
    walk = Walk(root, start, ignore=ignore, depth=depth, cancelled=lambda: context.cancelled)
    page: Page[Mapping[str, Any]] = Page(offset, limit)
    try:
        for found in walk:
            page.take(lambda found=found: _entry(found, root, len("/".join(start))))  # type: ignore[misc]
    except NotADirectoryError:
        return ToolOutcome.failed("This is a file, not a folder: read it with read_file.", code="not_a_folder")
    except OSError as error:
        return ToolOutcome.failed(f"The folder cannot be listed: {error.strerror}.", code="cannot_read")
    data: dict[str, Any] = {"path": shown("/".join(start)) or ".", "entries": page.items, "total": page.total}
    if walk.unreadable:
        data["unreadable"] = [shown(each) for each in walk.unreadable[:20]]
    return ToolOutcome.ok(data, message=counted(page.total, "entry"), suggestions=page.hints("entry"))


def _entry(found: Found, root: Path, start: int) -> Mapping[str, Any]:
    """Return what is told of one thing; a path outside the workspace is not told, also where a link leads there."""
    entry: dict[str, Any] = {"name": shown(found.path[start:].removeprefix("/")), "kind": found.kind}
    if found.kind == "file":
        entry["size"] = found.status.st_size
    if found.kind == "link":
        entry["leads"] = _target(root, found.path)
    entry["modified"] = datetime.fromtimestamp(max(0.0, found.status.st_mtime), UTC).isoformat(timespec="seconds")
    return entry


def _target(root: Path, path: str) -> str:
    root_text, target = str(root), Path(root, path)
    try:
        real = target.resolve()
    except (OSError, RuntimeError):
        return "nowhere"
    if not real.is_relative_to(root_text):
        return "outside the workspace"
    return shown(real.relative_to(root_text).as_posix()) if real.exists() else "nowhere"
