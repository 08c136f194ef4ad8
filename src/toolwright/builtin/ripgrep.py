"""Ripgrep, where it is installed: it says quickly which of many files are worth a look.

What is found is found by our own reading, with or without it, so that the results are the same and no file is read
through a link. Ripgrep only leaves out files in which nothing can be found: it is asked for those that match, and for
those with a carriage return or anything but ASCII in them, where the two might not mean the same by a line or a letter.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from toolwright.builtin.patterns import Expression
from toolwright.builtin.processes import plain_environment

__all__ = ["may_match"]

_FEWEST: Final = 20  # files for which a process is worth its start
_LONGEST_LIST: Final = 100_000  # bytes of paths in one command: the least that a system takes
_OPTIONS: Final = (
    *("--no-config", "--files-with-matches", "--null", "--text", "--encoding=none", "--no-messages", "--no-ignore"),
    *("--hidden", "--no-heading", "--color=never", "--regex-size-limit=10M", "-e", r"(?-u)[\r\x80-\xff]", "-e"),
)


def may_match(
    root: Path, paths: Sequence[str], expression: Expression, cancelled: Callable[[], bool]
) -> set[str] | None:
    """Return the files, relative to a folder, in which the expression can occur; None where nobody can say."""
    if len(paths) < _FEWEST or not expression.whole_texts:
        return None
    program = shutil.which("rg")
    if program is None or Path(program).is_relative_to(root):  # what lies in a project is not to be run
        return None
    found: set[str] = set()
    for part in _parts(paths):
        said = _ask([program, *_OPTIONS, expression.pattern, "--", *part], root, cancelled)
        if said is None:
            return None
        found.update(os.fsdecode(path).removeprefix("./") for path in said.split(b"\0") if path)
    return found


def _parts(paths: Sequence[str]) -> list[list[bytes]]:
    """Split paths into lists that fit into one command each."""
    parts: list[list[bytes]] = [[]]
    room = _LONGEST_LIST
    for path in paths:
        name = b"./" + os.fsencode(path)
        size = len(name) + 9  # its end, and the pointer to it
        if size > room and parts[-1]:
            parts.append([])
            room = _LONGEST_LIST
        parts[-1].append(name)
        room -= size
    return parts


def _ask(command: list[str | bytes], root: Path, cancelled: Callable[[], bool]) -> bytes | None:
    """Return what ripgrep says; None where it cannot do what is wanted."""
    try:
        process = subprocess.Popen(  # noqa: S603  an argument vector; paths begin with ./
            command, cwd=root, env=plain_environment(), stdin=subprocess.DEVNULL, stdout=-1, stderr=-3
        )
    except OSError:
        return None
    said = b""
    with process:
        while True:
            try:
                said, _ = process.communicate(timeout=0.1)
                break
            except subprocess.TimeoutExpired:
                if cancelled():
                    with suppress(OSError):
                        process.kill()
    return said if process.returncode in (0, 1) else None
