"""How a command ends, as a shell sees it; and the signal by which it ends early."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["ExitCode", "Stop"]


class ExitCode(IntEnum):
    """The exit codes: what each means is the same for every command."""

    FINE = 0
    FAILED = 1
    WRONG_USE = 2
    DENIED = 3
    NOT_CONFIGURED = 4
    INTERRUPTED = 130


class Stop(Exception):  # noqa: N818  a signal inside this room, not an error
    """Ends a command: a message of one or two lines that says what to do, and an exit code."""

    def __init__(self, message: str = "", code: ExitCode = ExitCode.FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
