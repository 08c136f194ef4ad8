"""Paths of this machine, hidden from models: what lies outside the workspace is nobody's business there.

How much is hidden depends on the text. Of words about the call (an error, say) every absolute path goes. Of what a tool
returned, a value that is a path goes unless it is the same on every machine (``/usr/bin/git``); and inside longer text,
such as the content of a file, only what lies in somebody's home: all else would tear configuration files apart.

Text in, text out: nothing is looked up on the disk.
"""

from __future__ import annotations

import re
from os.path import normpath
from typing import Final

__all__ = ["HIDDEN_PATH", "hide_paths_in_text", "hide_paths_in_words"]

HIDDEN_PATH: Final = "[path outside the workspace]"
"""What stands where a path was."""

# The first folders of an absolute path, on Linux and macOS. A list, so that `/api/users` is not taken for a path; the
# second part could also be the address of a page, and counts in words only.
_OWN: Final = "home|mnt|nix|opt|root|srv|tmp|var|Users|Volumes"
_ALSO: Final = (
    "Applications|bin|boot|data|dev|etc|lib|lib64|Library|media|private|proc|run|sbin|snap|sys|System|usr|work"
)
_BEFORE: Final = r"(?<![\w./\\~-])(?:file://)?"
_REST: Final = r"[^\s'\"`<>|*?:;,()\[\]{}]"
_DRIVE: Final = r"(?<![A-Za-z0-9])[A-Za-z]:(?:\\+|/)"

_ANY: Final = re.compile(
    rf"(?<=['\"])(?:/(?:{_OWN}|{_ALSO})/|{_DRIVE})[^'\"\n]*(?=['\"])"  # quoted, as in errors of the system: blanks too
    rf"|{_BEFORE}/(?:{_OWN}|{_ALSO})/{_REST}*"
    rf"|{_DRIVE}{_REST}+"
    rf"|(?<![\w\\])\\{{2,4}}[\w.-]+\\{_REST}+"
)
_HOMES: Final = re.compile(
    rf"{_BEFORE}(?:/(?:home|Users)/[^\s'\"`<>|:/]+/|/root/){_REST}+|{_DRIVE}Users(?:\\+|/){_REST}+"
)
_HOME_HINTS: Final = ("/home/", "/Users/", "/root/", ":\\Users", ":\\\\Users", ":/Users")
_WHOLE: Final = re.compile(rf"(?:file://)?/(?:{_OWN})/[^\n]*|[A-Za-z]:[\\/][^\n]*|\\\\[\w.-]+\\[^\n]*")
_LONGEST_PATH: Final = 4096


def hide_paths_in_words(text: str, workspace: str | None) -> str:
    """Return words about a call without the absolute paths that lie outside the workspace."""
    if "/" not in text and "\\" not in text:
        return text
    return _ANY.sub(lambda match: _shown(match[0], workspace), text)


def hide_paths_in_text(text: str, workspace: str | None) -> str:
    """Return a text that a tool gave without paths of this machine outside the workspace."""
    if "/" not in text and "\\" not in text:
        return text
    if len(text) <= _LONGEST_PATH and _WHOLE.fullmatch(text):
        return _shown(text, workspace)
    if not any(hint in text for hint in _HOME_HINTS):
        return text
    return _HOMES.sub(lambda match: _shown(match[0], workspace), text)


def _shown(path: str, workspace: str | None) -> str:
    stem = path.rstrip(".")  # the end of a sentence
    if workspace is not None and _is_inside(normpath(stem.removeprefix("file://")), workspace):
        return path
    return HIDDEN_PATH + path[len(stem) :]


def _is_inside(path: str, workspace: str) -> bool:
    return path == workspace or path.startswith((f"{workspace.rstrip('/')}/", f"{workspace}\\"))
