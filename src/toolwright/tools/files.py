"""Definition files: custom tools in TOML or JSON, one in each file.

All files are read and checked, and everything that is wrong with any of them is reported at once. Nothing in a file is
executed or imported.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any, Final

from toolwright.errors import InvalidDefinitionError
from toolwright.schema.report import ValidationIssue, ValidationReport
from toolwright.tiers import Tier
from toolwright.tools.custom import CustomTool, check_custom
from toolwright.tools.rules import Issues, is_mapping

__all__ = ["load_definition", "load_definitions"]

_SUFFIXES: Final = (".toml", ".json")
_LARGEST: Final = 4 * 1024 * 1024  # bytes; above what all fields of a stored definition may have together
# The parser of TOML takes time and memory by the square of the parts of a dotted key.
_LONG_KEY: Final = re.compile(r"""(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){200}""")


def load_definition(path: str | os.PathLike[str], *, tier: Tier | str | None = None) -> CustomTool:
    """Return the tool that a file defines.

    Raises:
        InvalidDefinitionError: Something is wrong with it; ``report`` says all of it, with the file's name.
        OSError: The file cannot be read.
    """
    issues: Issues = []
    tool = _load(Path(path), tier, issues)
    if tool is None or issues:
        raise _refusal(issues)
    return tool


def load_definitions(folder: str | os.PathLike[str], *, tier: Tier | str | None = None) -> tuple[CustomTool, ...]:
    """Return the tools that the ``.toml`` and ``.json`` files of a folder define, by the names of the files.

    Hidden files and folders inside are left out.

    Raises:
        InvalidDefinitionError: Something is wrong with any of them; ``report`` says all of it, with the files' names.
            No tool is returned then.
        OSError: The folder, or a file in it, cannot be read.
    """
    issues: Issues = []
    tools: dict[str, tuple[CustomTool, str]] = {}
    for path in sorted(Path(folder).iterdir()):
        if path.suffix.lower() not in _SUFFIXES or path.name.startswith(".") or not path.is_file():
            continue
        tool = _load(path, tier, issues)
        if tool is None:
            continue
        first = tools.setdefault(tool.definition.name, (tool, path.name))
        if first[0] is not tool:
            issues.append(_issue(path, "name", f"is taken by the tool in {first[1]}"))
    if issues:
        raise _refusal(issues)
    return tuple(tool for tool, _ in tools.values())


def _load(path: Path, tier: Tier | str | None, issues: Issues) -> CustomTool | None:
    draft = _read(path, issues)
    if draft is None:
        return None
    report = check_custom(draft, tier=tier)
    if report.valid:
        return CustomTool.from_dict(draft, tier=tier)
    issues += [_issue(path, issue.path, issue.message, like=issue) for issue in report.errors]
    return None


def _read(path: Path, issues: Issues) -> dict[str, Any] | None:
    if path.suffix.lower() not in _SUFFIXES:
        issues.append(_issue(path, "", "must be a .toml or .json file"))
        return None
    facts = path.stat()
    if not stat.S_ISREG(facts.st_mode):
        issues.append(_issue(path, "", "is not a file"))  # a pipe would make its reader wait, a device never end
        return None
    if facts.st_size > _LARGEST:
        issues.append(_issue(path, "", f"is larger than {_LARGEST:,} bytes"))
        return None
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
        draft: object = _toml(text) if path.suffix.lower() == ".toml" else _json(text)
    except (ValueError, RecursionError) as error:
        issues.append(_issue(path, "", f"cannot be read: {_fault(error)}"))
        return None
    if is_mapping(draft):
        return {str(key): value for key, value in draft.items()}
    issues.append(_issue(path, "", "must hold one object, the definition"))
    return None


def _toml(text: str) -> object:
    if _LONG_KEY.search(text):
        raise RecursionError
    return tomllib.loads(text)


def _json(text: str) -> object:
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is given twice")
    return found


def _fault(error: Exception) -> str:
    """Return what a parser says, which names a line and never quotes the text."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error).partition("\n")[0]


def _issue(path: Path, place: str, message: str, *, like: ValidationIssue | None = None) -> ValidationIssue:
    where = f"{path.name}: {place}" if place else path.name
    code, expected = (like.code, like.expected) if like else ("invalid_value", None)
    return ValidationIssue(path=where, code=code, message=message, expected=expected)


def _refusal(issues: Issues) -> InvalidDefinitionError:
    report = ValidationReport.invalid(*issues)
    return InvalidDefinitionError(f"There are faults in definition files:\n{report.message}", report=report)
