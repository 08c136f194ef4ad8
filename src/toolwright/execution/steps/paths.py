"""Step 3: every path in the arguments lies in the workspace, and those that must lead to something do.

The tool gets a path as it was given, and resolves it once more when it uses it: what is checked here is what rules and
people decide by, and what keeps a model from asking in vain.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

from toolwright.errors import NotJsonError, PathOutsideWorkspaceError
from toolwright.execution.stages import Checked, Placed, Refused
from toolwright.schema import ValidationIssue, ValidationReport
from toolwright.tools.outcome import ToolOutcome
from toolwright.tools.paths import resolve_inside
from toolwright.values import JsonObject, freeze_object, join_path

__all__ = ["check_unmoved", "detours", "resolve_paths"]

_Place: TypeAlias = "tuple[str | int, ...]"


def resolve_paths(checked: Checked) -> Placed:
    """See where the paths of a call lead: those that the schema says are paths, wherever they stand.

    Raises:
        Refused: One leads out of the workspace, or there is none, or nothing is there that must be.
    """
    known = checked.located.known
    if not known.has_paths:
        return Placed(checked, checked.arguments)
    try:
        found = known.schema.paths_in(checked.arguments)
    except (NotJsonError, ValueError):
        raise _refused(
            [ValidationIssue.invalid_value("", "it cannot be told which of the arguments are paths")]
        ) from None
    workspace = checked.located.scope.workspace
    resolved: dict[_Place, str] = {}
    issues: list[ValidationIssue] = []
    for each in found:
        try:
            path = resolve_inside(workspace, each.text)
        except PathOutsideWorkspaceError:
            issues.append(_leads_out(each.path, workspace))
            continue
        if each.must_exist and not path.exists():
            issues.append(ValidationIssue.path_not_found(each.path))
        resolved[each.place] = str(path)
    if issues:
        raise _refused(issues)
    names = frozenset(str(place[0]) for place in resolved)
    return Placed(checked, _with_paths(checked.arguments, resolved), names)


def check_unmoved(placed: Placed) -> None:
    """See that every path still leads to where it led when the call was decided about.

    Raises:
        Refused: A link was put in its way since: rules and people have decided about another place.
    """
    if placed.paths and resolve_paths(placed.checked).resolved != placed.resolved:
        problem = "a path leads elsewhere now than when the call was allowed; call again if that is what you want"
        raise _refused([ValidationIssue.invalid_value("", problem)])


def detours(placed: Placed) -> Iterator[str]:
    """Yield, for each path that goes through a link, where it leads: whoever reads the path alone would not see it."""
    workspace = placed.checked.located.scope.workspace
    if placed.paths and workspace is not None:
        folders = str(workspace), os.path.realpath(workspace)
        for name in placed.paths:
            yield from _detours(placed.checked.arguments[name], placed.resolved[name], name, folders)


def _detours(given: Any, resolved: Any, place: str, folders: tuple[str, str]) -> Iterator[str]:
    if isinstance(given, str):
        asked, real = folders
        if given != resolved and os.path.normpath(Path(asked, given)) != asked + resolved.removeprefix(real):
            yield f"{place}: leads to {os.path.relpath(resolved, real)}"
    elif isinstance(given, Mapping):
        for key, item in cast("Mapping[str, Any]", given).items():
            yield from _detours(item, resolved[key], join_path(place, key), folders)
    elif isinstance(given, tuple):
        for index, item in enumerate(cast("Sequence[Any]", given)):
            yield from _detours(item, resolved[index], join_path(place, index), folders)


def _leads_out(place: str, workspace: Path | None) -> ValidationIssue:
    if workspace is None:
        return ValidationIssue.invalid_value(place, "is a path, and there is no workspace that it could lie in")
    return ValidationIssue.path_outside_workspace(place)


def _refused(issues: Iterable[ValidationIssue]) -> Refused:
    return Refused(ToolOutcome.invalid(ValidationReport.invalid(*issues)))


def _with_paths(arguments: JsonObject, resolved: Mapping[_Place, str]) -> JsonObject:
    if not resolved:
        return arguments
    return freeze_object({name: _replaced(item, (name,), resolved) for name, item in arguments.items()})


def _replaced(value: Any, place: _Place, resolved: Mapping[_Place, str]) -> Any:
    if isinstance(value, str):
        return resolved.get(place, value)
    if isinstance(value, Mapping):
        members = cast("Mapping[str, Any]", value)
        return {key: _replaced(item, (*place, key), resolved) for key, item in members.items()}
    if isinstance(value, tuple):
        return [_replaced(item, (*place, index), resolved) for index, item in enumerate(cast("Sequence[Any]", value))]
    return value
