"""What callers may have to be granted: the words for it.

This module knows the words only; who has been granted which is for those to say who run tools.
"""

from __future__ import annotations

import re
from typing import Any, Final

from toolwright.schema import ValidationIssue
from toolwright.tools.rules import Issues, text

__all__ = ["KNOWN_PERMISSIONS", "permission"]

KNOWN_PERMISSIONS: Final = frozenset(
    f"tool.{area}.{action}"
    for area in (
        *("filesystem", "terminal", "network", "database", "code", "external"),
        *("knowledge", "communication", "system", "workspace", "editor", "git"),
    )
    for action in ("read", "write", "execute", "fetch", "send")
)
"""The permissions that a tool may ask for, unless the application brings a set of its own."""

_DOTTED: Final = re.compile(r"[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)+")


def permission(value: Any, path: str, issues: Issues) -> str:
    """Hold one permission: lower-case words with dots between them."""
    result = text(value, path, issues)
    if result and not result.isspace() and not _DOTTED.fullmatch(result):
        problem = "must be lower-case words with dots between them, such as tool.filesystem.read"
        issues.append(ValidationIssue.invalid_value(path, problem, provided=value))
    return result
