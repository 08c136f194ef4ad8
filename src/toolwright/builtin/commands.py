"""Run a command: an argument vector, or, at a higher risk, a text for a shell.

The tool asks for strict isolation. Where there is none it is not available, unless the operator lowers what it asks
for; then its description and its risk say so.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta

from toolwright.builtin.isolation import is_to_be_had
from toolwright.builtin.processes import Ended, plain_environment, run_process
from toolwright.levels import RiskLevel, SandboxIsolationLevel
from toolwright.sandbox import Sandbox
from toolwright.schema import ValidationIssue, ValidationReport
from toolwright.tools import FunctionTool, ToolContext, ToolOutcome, tool

__all__ = ["command_tool", "run_command"]

_KEPT: Final = 100_000  # bytes of each stream; the beginning and the end of longer ones
# What isolates a tool counts its reports: they are few, however talkative the command is.
_SOON: Final = 0.1  # seconds
_MOST_TOLD: Final = 400
_TOLD_AT_ONCE: Final = 20_000  # characters, the last ones
_SHELL: Final = "/bin/sh" if os.name == "posix" else os.environ.get("COMSPEC", "cmd.exe")
_STRICT: Final = SandboxIsolationLevel.STRICT
_WORDS: Final[Mapping[SandboxIsolationLevel, str]] = {
    SandboxIsolationLevel.NONE: (
        "Run a command on this machine, WITHOUT ISOLATION: it can do whatever the user who runs this program can."
    ),
    SandboxIsolationLevel.STANDARD: (
        "Run a command in a process with limits, but WITHOUT STRICT ISOLATION: it can reach the user's files and the "
        "network."
    ),
    SandboxIsolationLevel.STRICT: "Run a command, isolated: it reaches the workspace and what has been allowed.",
    SandboxIsolationLevel.RESTRICTED: "Run a command. Not available: nothing can be run in restricted isolation.",
}


def _check(arguments: Mapping[str, Any]) -> ValidationReport:
    command, shell = arguments.get("command"), arguments.get("shell")
    if (command is None) == (shell is None):
        problem = "give either command, which needs no shell, or shell"
        return ValidationReport.invalid(ValidationIssue.invalid_value("", problem))
    if any("\0" in part for part in (*(command or ()), shell or "")):
        return ValidationReport.invalid(ValidationIssue.invalid_value("", "no command can hold a NUL character"))
    return ValidationReport.ok()


def _risk(arguments: Mapping[str, Any]) -> RiskLevel:
    return RiskLevel.CRITICAL if arguments.get("shell") is not None else RiskLevel.HIGH


def _summary(arguments: Mapping[str, Any]) -> str:
    if arguments.get("shell") is not None:
        return f"Run in a shell: {arguments['shell']!r}"
    return f"Run {' '.join(map(_quoted, arguments['command']))}"


def _quoted(part: str) -> str:
    return part if part and part.isprintable() and not set(part) & set(" '\"\\$`&|;<>()*?[]#~") else repr(part)


async def _run_command(
    command: Annotated[
        list[Annotated[str, Meta(max_length=100_000)]] | None,
        Meta(min_length=1, max_length=1_000, description="The program and its arguments, each as it is: no shell"),
    ] = None,
    shell: Annotated[
        str | None,
        Meta(min_length=1, max_length=100_000, description="A text for a shell instead: only where one is needed"),
    ] = None,
    folder: Annotated[Path, Meta(description="Where to run it, relative to the workspace")] = Path(),
    seconds: Annotated[float, Meta(gt=0, le=590, description="The longest that it may take")] = 60,
    *,
    context: ToolContext,
) -> ToolOutcome:
    """Run a command."""
    where = context.resolve(folder)
    if not where.is_dir():
        return ToolOutcome.failed("There is no such folder to run it in.", code="not_a_folder")
    vector = [_SHELL, "-c" if os.name == "posix" else "/c", shell] if shell is not None else command or []
    live = None if context.progress is None else _Live(context, seconds)
    try:
        ended = await run_process(
            vector,
            folder=where,
            environment=plain_environment(PWD=str(where)),
            seconds=seconds,
            most=_KEPT,
            heard=None if live is None else live.hear,
        )
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or "it is no command"
        return ToolOutcome.failed(f"The command cannot be started: {words}.", code="cannot_start")
    finally:
        if live is not None:
            live.tell()
    return _outcome(ended, seconds)


class _Live:
    """Tells output as progress: at once when there has been none for a while, and then together what comes soon."""

    def __init__(self, context: ToolContext, seconds: float) -> None:
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._interval = max(_SOON, seconds / _MOST_TOLD)
        self._next = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: dict[str, str] = {}

    def hear(self, stream: str, text: str) -> None:
        """Take in a piece of output."""
        self._waiting[stream] = (self._waiting.get(stream, "") + text)[-_TOLD_AT_ONCE:]
        if self._timer is None:
            delay = self._next - self._loop.time()
            if delay <= 0:
                self.tell()
            else:
                self._timer = self._loop.call_later(delay, self.tell)

    def tell(self) -> None:
        """Tell what has come since."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._next = self._loop.time() + self._interval
        waiting, self._waiting = self._waiting, {}
        for stream, text in waiting.items():
            self._context.report(text, operation=stream)


def _outcome(ended: Ended, seconds: float) -> ToolOutcome:
    data: dict[str, Any] = {"exit_code": ended.exit_code}
    for name, kept in (("stdout", ended.stdout), ("stderr", ended.stderr)):
        if kept.size:
            data[name] = kept.text()
        if kept.left_out:
            data[f"{name}_left_out"] = kept.left_out
    if ended.timed_out:
        error = f"The command was stopped after {seconds:g} s, with everything that it had started."
        return ToolOutcome.failed(error, code="timed_out", partial=data)
    return ToolOutcome.ok(data, message=f"The command ended with exit code {ended.exit_code}.")


def command_tool(
    isolation: SandboxIsolationLevel | str = _STRICT, *, sandbox: Sandbox | None = None
) -> FunctionTool[..., Any]:
    """Return ``run_command`` for a level of isolation; below strict, its description and its risk say so.

    It is available where ``sandbox``, by default that of this machine, has that level.
    """
    level = SandboxIsolationLevel.parse(isolation)
    can_run: Callable[[], bool] = lambda: (  # noqa: E731  the tool asks each time
        level < SandboxIsolationLevel.RESTRICTED and is_to_be_had(level, sandbox)
    )
    return tool(
        _run_command,
        name="run_command",
        description=_WORDS[level],
        category="terminal",
        risk="high" if level >= _STRICT else "critical",
        permissions=["tool.terminal.execute"],
        isolation=level,
        max_execution_time=600,
        check=_check,
        effective_risk=_risk,
        summarize=_summary,
        available=can_run,
    )


run_command: Final = command_tool()
