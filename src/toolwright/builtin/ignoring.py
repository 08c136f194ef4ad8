"""What a ``.gitignore`` leaves out, as git reads it.

Bytes in, verdicts out: which files there are, and where they lie, is the walker's business.
"""

from __future__ import annotations

import codecs
import os
from itertools import groupby
from typing import Final, NamedTuple

from toolwright.builtin.patterns import segment_expression
from toolwright.schema.engine import Matcher, find_matcher

__all__ = ["NOTHING_IGNORED", "Ignored", "Rules", "rules_of"]

_ROOM: Final = 10_000_000
_AT_ONCE: Final = 100


class _Rule(NamedTuple):
    """Lines that say the same: what they match is ignored, or is not after all."""

    ignores: bool
    matcher: Matcher


class Rules(NamedTuple):
    """The rules of one file, and the folder that they are relative to (with a slash at its end)."""

    folder: str
    rules: tuple[_Rule, ...]

    def verdict(self, path: str) -> bool | None:
        """Say whether a path is ignored by the last rule that speaks of it; None where none does."""
        inside = _as_bytes(path.removeprefix(self.folder))
        return next((rule.ignores for rule in reversed(self.rules) if rule.matcher.matches(inside)), None)


class Ignored(NamedTuple):
    """All rules that hold in a folder, the outermost first."""

    files: tuple[Rules, ...] = ()

    def within(self, rules: Rules | None) -> Ignored:
        """Return what holds in a folder that has rules of its own."""
        return self if rules is None else Ignored((*self.files, rules))

    def holds(self, path: str, *, is_folder: bool) -> bool:
        """Say whether a path, relative to the workspace, is left out: the innermost file that speaks of it decides."""
        wanted = f"{path}/" if is_folder else path
        verdicts = (rules.verdict(wanted) for rules in reversed(self.files))
        return next((verdict for verdict in verdicts if verdict is not None), False)


NOTHING_IGNORED: Final = Ignored()


def _as_bytes(path: str) -> str:
    """Return the bytes of a path as characters: for git, ``?`` is one byte."""
    return path if path.isascii() else os.fsencode(path).decode("latin-1")


def rules_of(content: bytes, folder: str) -> Rules | None:
    """Read a ``.gitignore`` that lies in a folder; None where it says nothing."""
    text = content.removeprefix(codecs.BOM_UTF8).decode("latin-1")
    lines = [line for line in map(_expression, text.split("\n")) if line is not None]
    rules: list[_Rule] = []
    for ignores, group in groupby(lines, key=lambda line: line[0]):
        expressions = [expression for _, expression in group]
        for start in range(0, len(expressions), _AT_ONCE):
            # One look for many lines: most paths are in none of them.
            together = "|".join(expressions[start : start + _AT_ONCE])
            matcher = find_matcher(f"(?s)^(?:{together})$", _ROOM)
            if matcher is not None:
                rules.append(_Rule(ignores, matcher))
    return Rules(f"{folder}/" if folder else "", tuple(rules)) if rules else None


def _expression(line: str) -> tuple[bool, str] | None:
    """Return whether a line ignores, and the expression of what it means; a folder has a slash at its end."""
    line = _without_trailing_blanks(line.removesuffix("\r"))
    if not line or line.startswith("#"):
        return None
    ignores = not line.startswith("!")
    pattern = line if ignores else line[1:]
    only_folders = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    anchored = "/" in pattern
    names = pattern.removeprefix("/").split("/")
    if not pattern or "" in names or any(_is_broken(name) for name in names):
        return None
    if not anchored:
        names = ["**", *names]
    return ignores, _path_expression(names) + ("/" if only_folders else "/?")


def _without_trailing_blanks(line: str) -> str:
    kept = line.rstrip(" ")
    escaped = (len(kept) - len(kept.rstrip("\\"))) % 2 == 1 and len(kept) < len(line)
    return f"{kept} " if escaped else kept


def _is_broken(name: str) -> bool:
    """Say whether a name ends in a backslash, or has a class without an end: git then matches nothing."""
    if (len(name) - len(name.rstrip("\\"))) % 2 == 1:
        return True
    opened = name.replace("\\[", "").find("[")
    return opened >= 0 and "]" not in name[opened + 2 :]


def _path_expression(names: list[str]) -> str:
    written = ""
    for place, name in enumerate(names):
        last = place == len(names) - 1
        if name != "**":
            written += segment_expression(name) + ("" if last else "/")
        elif last:
            written += ".+" if place else "[^/]+(?:/[^/]+)*"
        else:
            written += "(?:[^/]+/)*"
    return written
