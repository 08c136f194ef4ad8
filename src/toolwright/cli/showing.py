"""What happens in a run, as a person sees it: text as it streams, calls as they happen and what came of them.

The model's text is data and goes to stdout; everything about calls is a message. While something is going on, the last
line of the terminal says what; it stands still while a question is on the screen.

This module may not know how a run goes on, nor who is asked.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from toolwright.cli.console import Console, cut, one_line, seen
from toolwright.cli.lines import call_line, data_lines, excerpt, progress_line, result_line, usage_line
from toolwright.cli.live import Live, lasted
from toolwright.cli.wrapping import Wrapping
from toolwright.execution import (
    ApprovalDecided,
    Execution,
    ExecutionCompleted,
    ExecutionProgress,
    ExecutionStarted,
)
from toolwright.messages import InvalidToolCall, ToolCall, ToolCallAssembler, ToolCallDelta
from toolwright.providers import ReasoningDelta, TextDelta
from toolwright.tools.names import letters_of

if TYPE_CHECKING:
    from toolwright.agent import Run

__all__ = ["Screen", "Shows"]

_FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_FRAMES_PER_SECOND: Final = 10
_RESULT_LINES: Final = 20
_MARGIN: Final = 4


class Shows(Protocol):
    """Whoever shows a run: the screen, or lines of JSON for a program."""

    def begin(self) -> None:
        """The model is asked."""

    def show(self, event: Any) -> None:
        """Something happened."""

    def tick(self) -> None:
        """Time has passed."""

    def end(self) -> None:
        """The answer is over, however it ended."""

    def ended(self, run: Run, seconds: float) -> None:
        """There is a run; it took so long."""


class _Running(msgspec.Struct):
    """A call that runs now."""

    line: str
    since: float
    progress: str = ""


class Screen:
    """Shows runs at a terminal, or in a pipe.

    With a ``note``, which is what a model of little power has, every answer stands below it, and what a tool gave is
    shown as it is.
    """

    def __init__(self, console: Console, model: str, *, note: str | None = None) -> None:
        self._console = console
        self._model = model
        self._note = note
        self._live = Live(console)
        self._since = time.monotonic()
        self._paused = 0
        self._held: list[Execution] = []
        self._running: dict[str, _Running] = {}
        self._wanted: list[ToolCall | InvalidToolCall] = []
        self._changed: dict[str, Mapping[str, Any]] = {}  # what calls run with instead of what the model wrote
        self._assembler: ToolCallAssembler | None = None
        self._doing = ""
        self._in_text = False
        self._held_back = (
            ""  # blanks that may be the last: an answer begins with no empty line and ends with one line end
        )
        self._wrapping = Wrapping(console.width)
        self._last = ""  # what stands above: text, calls, or nothing of ours
        self._labelled = False
        self._shown = ""

    def begin(self) -> None:
        """Say that the model is asked."""
        self._since = time.monotonic()
        self._labelled = False
        self._running.clear()
        self._doing = f"asking {self._model}"
        self.tick()

    def show(self, event: Any) -> None:
        """Show what happened; what is not for a person's eyes is passed over."""
        match event:
            case TextDelta():
                self._text(event.text)
            case ReasoningDelta():
                self._doing = f"{self._model} is thinking"
            case ToolCallDelta():
                self._collect(event)
            case ExecutionStarted():
                self._doing = ""
                self._running[event.execution_id] = _Running(self._line_of(event.tool_name), time.monotonic())
            case ExecutionProgress():
                if event.execution_id in self._running:
                    self._running[event.execution_id].progress = progress_line(event.progress)
            case ApprovalDecided(execution_id=execution_id, decision=decision) if decision.arguments is not None:
                self._changed[execution_id] = decision.arguments
            case ExecutionCompleted():
                self._completed(event.execution)
            case _:
                return
        self.tick()

    def tick(self) -> None:
        """Write the last line anew: what is going on, and for how long."""
        if self._paused or not self._live.on:
            return
        now = time.monotonic()
        frame = _FRAMES[int(now * _FRAMES_PER_SECOND) % len(_FRAMES)]
        running = list(self._running.values())
        if running:
            first = running[0]
            others = f"  and {len(running) - 1} more" if len(running) > 1 else ""
            spent = lasted(now - first.since)
            progress = f"  {first.progress}" if first.progress else ""
            self._live.show(f"{frame} {first.line}{progress}  {spent}{others}")
        elif self._doing and not self._in_text:
            self._live.show(f"{frame} {self._doing}  {lasted(now - self._since)}")

    @contextmanager
    def paused(self) -> Generator[None]:
        """Leave the screen to a question; what ends meanwhile is told afterwards."""
        self._live.clear()
        self._end_text()
        self._paused += 1
        try:
            yield
        finally:
            self._paused -= 1
            if not self._paused:
                held, self._held = self._held, []
                for execution in held:
                    self._write_result(execution)
                self.tick()

    def end(self) -> None:
        """Leave the screen as whoever writes next expects it: at the beginning of a line."""
        self._doing = ""
        self._live.clear()
        self._end_text()

    def ended(self, run: Run, seconds: float) -> None:
        """Say what the answer took, to a person."""
        if self._live.on and self._console.shows:
            usage = run.usage
            took = usage_line(
                seconds=seconds, calls=len(run.executions), read=usage.input_tokens, written=usage.output_tokens
            )
            self._console.say(f"\n{took}, {run.id}", "dim")

    # Text

    def _text(self, text: str) -> None:
        self._held_back += text
        if not self._in_text:
            self._held_back = self._held_back.lstrip("\n")
            if not self._held_back.strip():
                return
            self._live.clear()
            self._turn_to("text")
            self._label()
            self._in_text, self._doing = True, ""
            self._wrapping = Wrapping(self._console.width)
        whole = self._held_back.rstrip()
        self._held_back = self._held_back[len(whole) :]
        if whole:
            shows = self._console.shows
            self._console.write_out(self._wrapping.feed(seen(whole.replace("\r\n", "\n"))) if shows else whole)

    def _label(self) -> None:
        if self._note and not self._labelled:
            self._labelled = True
            self._console.say(f"({self._note})", "dim")

    def _end_text(self) -> None:
        if self._in_text:
            self._in_text = False
            self._console.write_out("\n")
        self._held_back = ""

    def _turn_to(self, kind: str) -> None:
        """Leave one empty line between text and calls, where a person looks at both."""
        if self._last not in ("", kind) and self._live.on and self._console.shows:
            self._console.write_err("\n")
        self._last = kind

    # Calls

    def _collect(self, delta: ToolCallDelta) -> None:
        if self._assembler is None:
            self._assembler = ToolCallAssembler()
        self._assembler.add(delta)
        if delta.name:
            self._doing = f"{self._model} is writing a call of {delta.name}"

    def _line_of(self, tool: str) -> str:
        """Return the line of a call that begins: the first of this tool that the model wrote and that has not begun."""
        if self._assembler is not None:
            self._wanted, self._assembler = list(self._assembler.finish()), None
        for place, call in enumerate(self._wanted):
            if letters_of(call.name) == letters_of(tool):
                return call_line(self._wanted.pop(place))
        return f"{tool}(...)"

    def _completed(self, execution: Execution) -> None:
        self._running.pop(execution.execution_id, None)
        self._wanted = [call for call in self._wanted if call.id != execution.call.id]  # it may never have begun
        if not self._running:
            self._doing = f"asking {self._model}"
            self._since = time.monotonic()
        if self._paused:
            self._held.append(execution)
        else:
            self._write_result(execution)

    def _write_result(self, execution: Execution) -> None:
        console, good = self._console, execution.outcome.success
        self._live.clear()
        self._end_text()
        self._turn_to("calls")
        call, changed = execution.call, self._changed.pop(execution.execution_id, None)
        run = call if changed is None else ToolCall(call.id, call.name, changed)
        name, rest = _split(one_line(call_line(run)))
        mark = console.style_err("✓", "green") if good else console.style_err("✗", "red")
        console.write_err(f"{mark} {console.style_err(name, 'bold')}{rest}\n")
        console.write_err(console.style_err(f"  {one_line(result_line(execution))}", "dim" if good else "red") + "\n")
        if self._note and good:
            self._write_data(execution)

    def _write_data(self, execution: Execution) -> None:
        """Show what a tool gave as it is, once: a small model asks for the same thing again."""
        width = self._console.err_width - _MARGIN
        text = excerpt("\n".join(data_lines(execution.outcome.data, width)), _RESULT_LINES)
        if text == self._shown:
            text = "the same as above"
        else:
            self._shown = text
        for line in text.splitlines():
            self._console.write_err(f"  │ {cut(one_line(line), width)}\n")


def _split(line: str) -> tuple[str, str]:
    name, opening, rest = line.partition("(")
    return name, f"{opening}{rest}"
