"""Texts with ``{placeholders}``, filled from the arguments of a call.

``{{`` and ``}}`` stand for one brace. A placeholder names a parameter and nothing else: there are no formats,
attributes or indices to reach further with.

This module knows text, and nothing of handlers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from toolwright.schema.report import ValidationIssue
from toolwright.tools.rules import Issues
from toolwright.values import encode

__all__ = ["fill", "note_placeholders", "placeholder", "placeholders", "text_of"]

_PART: Final = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}|([{}])")


def placeholders(template: str) -> Iterator[str]:
    """Yield the names of the parameters that a template is made of."""
    return (match[1] for match in _PART.finditer(template) if match[1])


def placeholder(template: str) -> str | None:
    """Return the parameter that the whole of a template stands for, if it does."""
    match = _PART.fullmatch(template)
    return match[1] if match else None


def note_placeholders(template: str, known: Mapping[str, Any], path: str, issues: Issues) -> None:
    """Note the placeholders that name no parameter, and braces that are none."""
    for match in _PART.finditer(template):
        if match[2]:
            problem = "has a brace that is not part of a {placeholder}; write {{ and }} for braces"
            issues.append(ValidationIssue.invalid_value(path, problem))
        elif match[1] and match[1] not in known:
            issues.append(
                ValidationIssue.invalid_value(path, f"has a placeholder for {match[1]}, which is no parameter")
            )


def fill(template: str, arguments: Mapping[str, Any], shown: Callable[[str, Any], str]) -> str:
    """Return a template with each placeholder replaced by what ``shown`` makes of its name and argument."""

    def part(match: re.Match[str]) -> str:
        return shown(match[1], arguments.get(match[1])) if match[1] else match[0][0]

    return _PART.sub(part, template)


def text_of(value: Any) -> str:
    """Return an argument as text: text as it is, nothing as nothing, all else as JSON."""
    return value if isinstance(value, str) else "" if value is None else encode(value).decode()
