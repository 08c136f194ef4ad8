"""Commands of this machine: run in a group of their own, heard while they run, and ended as a whole tree.

A process that is started here gets a plain environment, without whatever secrets the parent has, and nothing to read
from. When it has ended, or is no longer wanted, everything that it has started ends with it: its group is killed, and
on Linux also what has left the group, which is known by its session, its ancestors and a mark in its environment. What
leaves its session, clears its environment and outlives its ancestors gets away: only isolation holds that.

This module knows processes, and nothing of tools.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import signal
import sys
from asyncio import SubprocessProtocol, SubprocessTransport
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

__all__ = ["Ended", "Kept", "Listener", "plain_environment", "run_process"]

Listener = Callable[[str, str], None]
"""Hears output while it comes: the name of the stream, and the text."""

_NAMES: Final = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"),
    *("SYSTEMROOT", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE"),  # what programs on Windows do not do without
)
_MARK: Final = "TOOLWRIGHT_PROCESS"
_PIECE: Final = 65_536
_ROUNDS: Final = 50  # a tree that goes on forking while it is being killed is killed again
_PATIENCE: Final = 1.0  # seconds for the last output, once everything has been killed that can be
_PROC: Final = Path("/proc")


def plain_environment(**more: str) -> dict[str, str]:
    """Return what a program needs to know of its surroundings, and none of the secrets of this one."""
    return {name: os.environ[name] for name in _NAMES if name in os.environ} | {"TERM": "dumb"} | more


class Kept:
    """The beginning and the end of a stream, and how much was left out between them."""

    def __init__(self, most: int) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._room = most // 2
        self.size = 0

    def add(self, piece: bytes) -> None:
        """Take in what has come."""
        self.size += len(piece)
        fits = self._room - len(self._head)
        self._head += piece[: max(0, fits)]
        self._tail += piece[max(0, fits) :]
        if len(self._tail) > self._room + _PIECE:
            del self._tail[: len(self._tail) - self._room]

    @property
    def left_out(self) -> int:
        """How many bytes are not kept."""
        return max(0, self.size - len(self._head) - min(self._room, len(self._tail)))

    def text(self) -> str:
        """Return what is kept, with a line in the place of what is not."""
        tail = bytes(self._tail[-self._room :]) if self._room else b""
        head = bytes(self._head)
        if not self.left_out:
            return (head + tail).decode("utf-8", "replace")
        notice = f"\n[... {self.left_out:,} bytes left out here ...]\n"
        return head.decode("utf-8", "replace") + notice + tail.decode("utf-8", "replace")


class Ended:
    """How a process has ended: its exit code (negative: the signal), what it said, and whether its time was over."""

    def __init__(self, most: int) -> None:
        self.exit_code = 0
        self.timed_out = False
        self.stdout = Kept(most)
        self.stderr = Kept(most)


async def run_process(
    command: Sequence[str | bytes],
    *,
    folder: str | Path,
    environment: Mapping[str, str],
    seconds: float | None = None,
    most: int = 1_000_000,
    heard: Listener | None = None,
) -> Ended:
    """Run a program, and return how it ended. At most ``most`` bytes of each stream are kept.

    Raises:
        OSError: It cannot be started.
        CancelledError: The caller was cancelled; the whole tree has been killed.
    """
    loop = asyncio.get_running_loop()
    mark = token_hex(16)
    hearing = _Hearing(Ended(most), heard)
    transport, _ = await loop.subprocess_exec(
        lambda: hearing,
        *command,
        cwd=folder,
        env={**environment, _MARK: mark},
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
    )
    try:
        await _until_ended(transport, hearing, mark, seconds)
    except BaseException:
        # First of all, and without waiting: whoever cancelled this gets an answer when nothing runs any more.
        _kill_tree(transport, mark)
        with suppress(asyncio.CancelledError):
            await hearing.exited.wait()
        raise
    finally:
        transport.close()
    if hearing.fault is not None:
        raise hearing.fault
    hearing.ended.exit_code = transport.get_returncode() or 0
    return hearing.ended


async def _until_ended(transport: SubprocessTransport, hearing: _Hearing, mark: str, seconds: float | None) -> None:
    try:
        async with asyncio.timeout(seconds):
            await hearing.exited.wait()
    except TimeoutError:
        hearing.ended.timed_out = True
        _kill_tree(transport, mark)
        await hearing.exited.wait()
    _kill_tree(transport, mark)  # what it has left behind, which also holds its output open
    with suppress(TimeoutError):  # somebody got away and holds it open
        async with asyncio.timeout(_PATIENCE):
            await hearing.silent.wait()


class _Hearing(SubprocessProtocol):
    """Takes in what a process says, and notes when it has ended and when nothing more can come from it."""

    def __init__(self, ended: Ended, heard: Listener | None) -> None:
        self.ended: Final = ended
        self.exited: Final = asyncio.Event()
        self.silent: Final = asyncio.Event()
        self.fault: Exception | None = None
        self._heard = heard
        utf8 = codecs.getincrementaldecoder("utf-8")
        self._open = {1: ("stdout", ended.stdout, utf8("replace")), 2: ("stderr", ended.stderr, utf8("replace"))}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take in what has come."""
        name, kept, decoder = self._open[fd]
        kept.add(data)
        if self._heard is not None and (text := decoder.decode(data)):
            try:
                self._heard(name, text)
            except Exception as error:  # noqa: BLE001  the listener's own code
                self.fault, self._heard = error, None

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note that one of the streams has ended."""
        del exc
        self._open.pop(fd, None)
        if not self._open:
            self.silent.set()

    def process_exited(self) -> None:
        """Note that the process has ended."""
        self.exited.set()


def _kill_tree(transport: SubprocessTransport, mark: str) -> None:
    """Kill a process, its group, and whatever else descends from it."""
    leader = transport.get_pid()
    if transport.get_returncode() is None:
        members = _descendants(leader)
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(leader, signal.SIGKILL)
            else:
                transport.kill()
        for pid in members:
            _kill(pid)
    if sys.platform == "linux":
        for _ in range(_ROUNDS):
            left = _left_behind(leader, f"{_MARK}={mark}".encode())
            if not left:
                return
            for pid in left:
                _kill(pid)


def _kill(pid: int) -> None:
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def _processes() -> list[int]:
    return [int(name) for name in os.listdir(_PROC) if name.isdigit()]  # noqa: PTH208  names only


def _left_behind(session: int, mark: bytes) -> list[int]:
    """Return the living processes of a session, and those that have the mark in their environment."""
    found: list[int] = []
    for pid in _processes():
        with suppress(OSError):  # gone, or somebody else's
            state, _, _, its_session = _stat(pid)
            if state in "ZX" or pid == session:
                continue
            if its_session == session or mark in (_PROC / str(pid) / "environ").read_bytes().split(b"\0"):
                found.append(pid)
    return found


def _stat(pid: int) -> tuple[str, int, int, int]:
    """Return state, parent, group and session of a process."""
    text = (_PROC / str(pid) / "stat").read_bytes()
    state, parent, group, session = text.rpartition(b")")[2].split()[:4]  # a name may hold anything, brackets too
    return state.decode(), int(parent), int(group), int(session)


def _descendants(pid: int) -> list[int]:
    """Return what a process has started, and what that has started, as long as the chain is whole."""
    if sys.platform != "linux":
        return []
    children: dict[int, list[int]] = {}
    for each in _processes():
        with suppress(OSError):
            children.setdefault(_stat(each)[1], []).append(each)
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found[1:]
