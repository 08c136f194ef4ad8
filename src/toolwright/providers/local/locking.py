"""One pull at a time: a lock that ends with the program that holds it.

Knows nothing of weights. Where a file system has no such locks, nobody is kept out; what is fetched is still checked
whole.
"""

from __future__ import annotations

import errno
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = ["Busy", "held"]

_AGAIN: Final = 0.2  # seconds between two looks
_TAKEN: Final = frozenset([errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK])  # the last two on Windows


class Busy(Exception):  # noqa: N818  a signal for the caller of this room, who words it
    """Somebody else holds the lock, and does not get on."""


@contextmanager
def held(path: Path, *, moving: Callable[[], object], patience: float) -> Generator[None]:
    """Hold the lock; wait for whoever has it as long as what ``moving`` returns changes.

    Raises:
        Busy: It stayed the same for ``patience`` seconds.
    """
    with path.open("ab") as file:
        _wait(file.fileno(), moving, patience)
        yield  # closing the file gives the lock back


def _wait(file: int, moving: Callable[[], object], patience: float) -> None:
    if _take(file):
        return
    seen, left = moving(), patience
    pause = threading.Event()
    while not _take(file):
        if left <= 0:
            raise Busy
        pause.wait(_AGAIN)
        now = moving()
        seen, left = now, (patience if now != seen else left - _AGAIN)


def _take(file: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _TAKEN
    return True
