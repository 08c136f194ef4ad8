"""A terminal with a person at it: writing and reading lines without holding up the event loop.

What was typed before a question is thrown away, so that nothing is answered that was not read. Reading ends at once
when the task is cancelled, and takes nothing that is typed later.

This module may not know what is asked.
"""

from __future__ import annotations

import asyncio
import os
import select
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, TextIO

from toolwright.tools.threads import Threads, default_threads

__all__ = ["Terminal"]

_WIDTH: Final = 80
_LONGEST_LINE: Final = 1024 * 1024  # bytes; a system's own limit is 4,096 mostly


class Terminal:
    """Two descriptors of a terminal, one to read from and one to write to."""

    def __init__(self, reads: int, writes: int, *, color: bool, threads: Threads | None = None) -> None:
        self.reads = reads
        self.writes = writes
        self.color = color
        self._threads = threads or default_threads()

    @classmethod
    def find(cls, reads: TextIO | None, writes: TextIO | None, environment: Mapping[str, str]) -> Terminal | None:
        """Return the terminal at both ends, the program's own where none are given; None where a person is not there.

        A pipe or a file is no person, nor is a terminal in whose background the program runs.
        """
        source = _descriptor(reads or sys.stdin)
        target = _descriptor(writes) if writes is not None else _first_of(sys.stderr, sys.stdout)
        if source is None or target is None or _in_background(source):
            return None
        color = not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
        return cls(source, target, color=color)

    @property
    def width(self) -> int:
        """How many columns it has: 80 where it does not say."""
        try:
            return os.get_terminal_size(self.writes).columns or _WIDTH
        except OSError:
            return _WIDTH

    async def write(self, text: str) -> None:
        """Write text; a terminal that was stopped holds up nobody else."""
        await self._threads.run(_write_all, self.writes, text.encode("utf-8", "backslashreplace"))

    async def ask(self, prompt: str) -> str | None:
        """Ask a question and return the answer without blanks around it; None at the end of all input.

        Raises:
            NotImplementedError: This event loop cannot watch a terminal.
        """
        _discard_input(self.reads)
        await self.write(prompt)
        line = await self._read_line()
        return None if line is None else line.decode("utf-8", "replace").strip()

    def leave(self, text: str) -> None:
        """Write a last word if that can be done at once."""
        with suppress(OSError, ValueError):
            if select.select([], [self.writes], [], 0)[1]:
                os.write(self.writes, text.encode())

    async def _read_line(self) -> bytes | None:
        loop = asyncio.get_running_loop()
        found: asyncio.Future[bytes | None] = loop.create_future()
        read = bytearray()
        # One of our own, since a loop knows one reader for each: somebody else may be watching the other.
        source = os.dup(self.reads)

        def take() -> None:
            try:
                chunk = os.read(source, 4096)
            except OSError:  # hung up
                chunk = b""
            read.extend(chunk)
            if not found.done() and (not chunk or b"\n" in chunk or b"\r" in chunk or len(read) > _LONGEST_LINE):
                found.set_result(bytes(read) if chunk else None)

        try:
            loop.add_reader(source, take)
            try:
                return await found
            finally:
                loop.remove_reader(source)
        finally:
            os.close(source)


def _descriptor(stream: TextIO | None) -> int | None:
    """Return the descriptor of a stream that is a terminal."""
    try:
        number = stream.fileno() if stream is not None else -1
        return number if os.isatty(number) else None
    except (OSError, ValueError, AttributeError):  # closed, or none behind it
        return None


def _first_of(*streams: TextIO | None) -> int | None:
    return next((number for number in map(_descriptor, streams) if number is not None), None)


def _in_background(source: int) -> bool:
    try:
        return os.tcgetpgrp(source) != os.getpgrp()
    except (OSError, AttributeError):  # not the terminal that controls us, which therefore does not stop us either
        return False


def _discard_input(source: int) -> None:
    with suppress(ImportError, OSError):
        import termios  # not on every system

        termios.tcflush(source, termios.TCIFLUSH)


def _write_all(target: int, content: bytes) -> None:
    rest: Any = memoryview(content)
    while rest:
        rest = rest[os.write(target, rest) :]
