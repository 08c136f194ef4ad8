"""One line at the end of a terminal that changes while something is going on.

Where nobody looks there is none. It never wraps, and is gone before anything else is written. The cursor stays where it
can be seen: a program that is killed could not give it back.
"""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from toolwright.cli.console import Console, cut, one_line

__all__ = ["Live", "amount", "bar", "lasted"]

_CLEAR: Final = "\r\x1b[K"
_BAR_WIDTH: Final = 20


class Live:
    """The line; written to where messages go."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown = ""

    @property
    def on(self) -> bool:
        """Whether there is a terminal to show it at."""
        return self._console.can_redraw

    def show(self, text: str) -> None:
        """Show a line in the place of what was shown."""
        if not self.on:
            return
        line = cut(one_line(text), max(10, shutil.get_terminal_size().columns - 1))
        if line != self._shown:
            self._shown = line
            self._console.write_err(f"{_CLEAR}{self._console.style_err(line, 'dim')}")

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._shown = ""
            self._console.write_err(_CLEAR)

    @contextmanager
    def ended(self) -> Generator[None]:
        """Take the line away at the end, however that comes."""
        try:
            yield
        finally:
            self.clear()


def bar(done: float) -> str:
    """Return a bar that is filled to a part from 0 to 1, and the part in percent."""
    part = min(max(done, 0.0), 1.0)
    filled = round(part * _BAR_WIDTH)
    return f"{'█' * filled}{'░' * (_BAR_WIDTH - filled)} {part:4.0%}"


def amount(size: float) -> str:
    """Return a number of bytes as people read it."""
    for unit in ("bytes", "KB", "MB"):
        if size < 1024:
            return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} GB"


def lasted(seconds: float) -> str:
    """Return a duration as people read it."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds // 60)} min {seconds % 60:.0f} s"
