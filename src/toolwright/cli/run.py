"""From what a command raises to an exit code, and to one or two lines that say what to do.

This is the only place where that is decided. A traceback is shown with ``--debug``, and to nobody else.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Final

import click

from toolwright.cli.app import app
from toolwright.cli.console import seen
from toolwright.cli.exits import ExitCode, Stop
from toolwright.errors import (
    ConfigError,
    DefinitionDecodeError,
    DuplicateToolError,
    InvalidDefinitionError,
    InvalidMessageError,
    InvalidSchemaError,
    LLMError,
    MissingExtraError,
    PolicyError,
    ToolNotFoundError,
    ToolwrightError,
    UnknownWordError,
)

__all__ = ["NAME", "run", "told"]

NAME: Final = "toolwright"
"""What the program calls itself."""

_COMPLETE: Final = "_TOOLWRIGHT_COMPLETE"
_MOST_LINES: Final = 2

# The first row that an exception is an instance of says how the program ends.
_CODES: Final[tuple[tuple[type[BaseException], ExitCode], ...]] = (
    (MissingExtraError, ExitCode.NOT_CONFIGURED),
    (ConfigError, ExitCode.WRONG_USE),
    (PolicyError, ExitCode.WRONG_USE),
    (InvalidMessageError, ExitCode.WRONG_USE),
    (ToolNotFoundError, ExitCode.WRONG_USE),
    (UnknownWordError, ExitCode.WRONG_USE),
    (InvalidDefinitionError, ExitCode.FAILED),
    (DefinitionDecodeError, ExitCode.FAILED),
    (InvalidSchemaError, ExitCode.FAILED),
    (DuplicateToolError, ExitCode.FAILED),
    (LLMError, ExitCode.FAILED),
    (ToolwrightError, ExitCode.FAILED),
    (OSError, ExitCode.FAILED),
)

# Codes of exceptions that say that something has to be set up first.
_NOT_THERE: Final = frozenset(["not_pulled"])


def run(arguments: Sequence[str]) -> int:
    """Run one command, and return the exit code; whatever it raised has been told."""
    code = _run(list(arguments))
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        _forget_stdout()
    return int(code)


def _run(arguments: list[str]) -> int:
    streams = sys.stdout, sys.stderr
    try:
        code = app.main(arguments, prog_name=NAME, complete_var=_COMPLETE, standalone_mode=False)
        return code if isinstance(code, int) else ExitCode.FINE
    except (KeyboardInterrupt, click.Abort):
        return ExitCode.INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()  # the page itself
        return ExitCode.WRONG_USE
    except SystemExit as error:
        if sys.stdout is not streams[0]:  # click has put a wrapper there, since whoever read has seen enough
            sys.stdout, sys.stderr = streams
            _forget_stdout()
            return ExitCode.FINE
        return error.code if isinstance(error.code, int) else ExitCode.FAILED
    except BaseException as error:  # noqa: BLE001  the one place where everything that was raised is told
        if "--debug" in arguments:
            traceback.print_exc()
        code, text = told(error)
        if text:
            _say(text if isinstance(error, Stop) else _shortened(text))
        return code


def told(error: BaseException) -> tuple[int, str]:
    """Return the exit code of an exception, and what is said about it."""
    if isinstance(error, Stop):
        return error.code, error.message
    if isinstance(error, click.UsageError):
        return ExitCode.WRONG_USE, _usage(error)
    if isinstance(error, click.ClickException):
        return ExitCode(error.exit_code), error.format_message()
    if getattr(error, "code", None) in _NOT_THERE:
        return ExitCode.NOT_CONFIGURED, str(error)
    for kind, code in _CODES:
        if isinstance(error, kind):
            return code, _os_fault(error) if isinstance(error, OSError) else str(error)
    hint = "This is a fault in the program; --debug shows where."
    return ExitCode.FAILED, f"{type(error).__name__}: {str(error).partition(chr(10))[0]}\n{hint}"


def _usage(error: click.UsageError) -> str:
    text = " ".join(error.format_message().split())
    if error.ctx is None:
        return text
    return f"{text}\nTry '{error.ctx.command_path} --help'."


def _os_fault(error: OSError) -> str:
    reason = error.strerror or type(error).__name__
    return f"{error.filename}: {reason}" if error.filename is not None else reason


def _shortened(text: str) -> str:
    lines = text.splitlines()
    more = len(lines) - _MOST_LINES
    told = f"({more} more line{'s' if more > 1 else ''} with --debug)"
    return text if more <= 0 else "\n".join([*lines[:_MOST_LINES], told])


def _say(text: str) -> None:
    try:
        click.echo(f"{NAME}: {seen(text)}", err=True)
    except BrokenPipeError:
        _forget_stdout()


def _forget_stdout() -> None:
    """Let nothing more be written to a pipe that nobody reads: closing it at exit would complain once more."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (BrokenPipeError, ValueError):
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            except (OSError, ValueError):
                continue
