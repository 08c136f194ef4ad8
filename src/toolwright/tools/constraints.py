"""What a run of a tool is held to: time, size, side effects, what it may not overlap on, isolation.

This module may not know who enforces any of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from msgspec.structs import replace

from toolwright.levels import SandboxIsolationLevel
from toolwright.schema import ValidationIssue
from toolwright.tools.rules import Issues, Rule, flag, number, optional, text, word
from toolwright.tools.written import Written
from toolwright.values import encode

__all__ = ["LARGEST_OUTPUT", "LONGEST_EXECUTION", "ToolConstraints", "gather_limits", "placeholders"]

LONGEST_EXECUTION: Final = 600
"""Seconds: ten minutes. The shortest limit is one second."""

LARGEST_OUTPUT: Final = 100 * 1024 * 1024
"""Bytes: 100 MB. The smallest limit is 1 KB."""

_PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{(?P<name>[^{}]*)\}|(?P<stray>[{}])")


def _resource(value: Any, path: str, issues: Issues) -> str:
    template = text(value, path, issues)
    if any(match["stray"] or match["name"] == "" for match in _PLACEHOLDER.finditer(template)):
        issues.append(ValidationIssue.invalid_value(path, "has a brace that is not part of a {placeholder}"))
    return template


_RULES: Final[Mapping[str, Rule]] = {
    "max_execution_time": number(1, LONGEST_EXECUTION),
    "max_output_size": number(1024, LARGEST_OUTPUT, whole=True),
    "side_effects": flag,
    "idempotency_key": flag,
    "resource": optional(_resource),
    "isolation": optional(word(SandboxIsolationLevel)),
}


class ToolConstraints(Written, frozen=True, gc=False):
    """The limits within which a tool runs; what is not given is the system's default.

    Without ``side_effects``, calls run side by side, and again after a crash. ``idempotency_key`` lets a tool be called
    again with the same key instead. Calls whose ``resource`` is the same do not overlap: a template over the arguments,
    such as ``file:{path}``. ``isolation`` is the least that the tool needs; None leaves it to where the tool comes
    from: none for the application's own code, standard for definitions kept as data.

    Raises:
        InvalidDefinitionError: A limit is out of range or of the wrong type; ``report`` says all that is wrong.
    """

    noun: ClassVar[str] = "A set of constraints"
    rules: ClassVar[Mapping[str, Rule]] = _RULES

    max_execution_time: float = 60
    """Seconds, from 1 to 600."""
    max_output_size: int = 10 * 1024 * 1024
    """Bytes, from 1 KB to 100 MB; longer text is cut, and says so."""
    side_effects: bool = True
    idempotency_key: bool = False
    resource: str | None = None
    isolation: SandboxIsolationLevel | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            max_execution_time: float = ...,
            max_output_size: int = ...,
            side_effects: bool = ...,
            idempotency_key: bool = ...,
            resource: str | None = ...,
            isolation: SandboxIsolationLevel | str | None = ...,
        ) -> None: ...

    def resource_for(self, arguments: Mapping[str, Any]) -> str | None:
        """Return what a call with these arguments must not share with another; None where it may share everything.

        Arguments that are not text stand as JSON, those not given as ``null``.
        """
        if self.resource is None:
            return None
        return _PLACEHOLDER.sub(lambda match: _filled(match, arguments), self.resource)


def _filled(match: re.Match[str], arguments: Mapping[str, Any]) -> str:
    name = match["name"]
    if name is None:
        return match[0][0]  # "{{" and "}}" stand for one brace
    value = arguments.get(name)
    return value if isinstance(value, str) else encode(value, canonical=True).decode()


def gather_limits(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a definition, with limits that are given by themselves brought into its constraints."""
    limits = {name: value for name, value in fields.items() if name in _RULES}
    others = {name: value for name, value in fields.items() if name not in _RULES}
    if limits:
        given: ToolConstraints | None = others.get("constraints")
        others["constraints"] = ToolConstraints(**limits) if given is None else replace(given, **limits)
    return others


def placeholders(template: str) -> Iterator[str]:
    """Yield the names of the arguments that a template is made of."""
    return (match["name"] for match in _PLACEHOLDER.finditer(template) if match["name"])
