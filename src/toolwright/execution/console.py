"""A reviewer at a terminal: shows a request, and takes y, n, always or edit for an answer.

Nobody at a terminal means no. Several requests are asked one after the other. What is typed is taken only as an answer
to the question that stands there: when a deadline passes, the question is gone.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import tempfile
import threading
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TextIO
from weakref import WeakKeyDictionary

import msgspec

from toolwright.errors import NotJsonError
from toolwright.execution.display import as_json, render
from toolwright.execution.remembered import Remember, Remembered
from toolwright.execution.reviewers import Decision, ReviewRequest
from toolwright.execution.rules import to_toml
from toolwright.execution.terminal import Terminal
from toolwright.tools.threads import default_threads
from toolwright.values import JsonObject, decode, encode, freeze_object

__all__ = ["ConsoleReviewer"]

_TRIES: Final = 5
_BY: Final = "console"
_OTHER_LOOP_SECONDS: Final = 0.05  # between looks whether another event loop still asks; there is hardly ever one

_WISHES: Final[Mapping[str, Remember]] = {
    "s": Remember(),
    "session": Remember(),
    "c": Remember(covers="call"),
    "call": Remember(covers="call"),
    "p": Remember(lasts="project"),
    "project": Remember(lasts="project"),
    "a": Remember(lasts="always"),
    "always": Remember(lasts="always"),
}


class ConsoleReviewer:
    """Asks at the terminal of the program: ``Executor(registry, reviewer=ConsoleReviewer())``.

    Input and output have to be a terminal, else every request is denied, and the reason says how to allow it. Colours
    are left out where ``NO_COLOR`` is set. Arguments are edited in ``$VISUAL`` or ``$EDITOR``, else typed as JSON. May
    be shared between executors, threads and loops.
    """

    def __init__(
        self,
        *,
        reads: TextIO | None = None,
        writes: TextIO | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._reads = reads
        self._writes = writes
        self._environment = os.environ if environment is None else environment
        self._busy = threading.Lock()
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def review(self, request: ReviewRequest, /) -> Decision:
        """Show a request and return the answer; cancelling this takes the question back."""
        terminal = Terminal.find(self._reads, self._writes, self._environment)
        if terminal is None:
            return Decision.deny(_nobody("there is no terminal to ask at", request), by=_BY)
        async with self._turn():
            try:
                return await self._ask(terminal, request)
            except NotImplementedError:
                return Decision.deny(_nobody("this event loop cannot read from a terminal", request), by=_BY)
            except asyncio.CancelledError:
                terminal.leave("\n(This is no longer asked.)\n")
                raise

    async def _ask(self, terminal: Terminal, request: ReviewRequest) -> Decision:
        await terminal.write(render(request, color=terminal.color, width=terminal.width))
        choices = "[y]es, [n]o, [a]lways, [e]dit" if request.memorable else "[y]es, [n]o, [e]dit"
        for _ in range(_TRIES):
            answer = await terminal.ask(f"Run it? {choices}: ")
            decision: Decision | None = None
            match (answer or "").casefold():
                case _ if answer is None:
                    return Decision.deny("the terminal was closed before there was an answer", by=_BY)
                case "y" | "yes":
                    return Decision.approve(by=_BY)
                case "n" | "no":
                    reason = await terminal.ask("Why not? The model reads it (Enter for no reason): ")
                    return Decision.deny(reason, by=_BY)
                case "a" | "always" if request.memorable:
                    decision = await _remembering(terminal, request)
                case "e" | "edit":
                    decision = await self._changing(terminal, request)
                case _:
                    await terminal.write("Please answer with one of these words or letters.\n")
            if decision is not None:
                return decision
        return Decision.deny("there was no clear answer", by=_BY)

    async def _changing(self, terminal: Terminal, request: ReviewRequest) -> Decision | None:
        editor = self._environment.get("VISUAL") or self._environment.get("EDITOR")
        if editor:
            text = await _edited(terminal, editor, as_json(request.arguments, indent=2))
        else:
            text = await terminal.ask("New arguments, as JSON in one line: ")
        arguments = _arguments_in(text)
        if arguments is None:
            await terminal.write("That is not a JSON object; nothing was changed.\n")
        elif encode(arguments, canonical=True) == encode(request.arguments, canonical=True):
            await terminal.write("Nothing was changed.\n")
        else:
            return Decision.change(arguments, by=_BY)
        return None

    @asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None]:
        """Wait until nobody else is asking: in order in one loop, and also while another loop asks."""
        lock = self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())
        async with lock:
            while not self._busy.acquire(blocking=False):  # noqa: ASYNC110  no event goes from one loop to another
                await asyncio.sleep(_OTHER_LOOP_SECONDS)
            try:
                yield
            finally:
                self._busy.release()


def _nobody(why: str, request: ReviewRequest) -> str:
    return (
        f"nobody could be asked: {why}. To allow such calls, give the policy a rule "
        f'(effect = "allow", tool = "{request.tool_name}"), or the executor a reviewer that can be reached'
    )


async def _remembering(terminal: Terminal, request: ReviewRequest) -> Decision | None:
    """Ask for how long; what would be written to a file is shown first."""
    answer = await terminal.ask("Remember for this [s]ession, exactly this [c]all, this [p]roject, or [a]lways: ")
    wish = _WISHES.get((answer or "").casefold())
    if wish is None:
        return None
    if wish.lasts != "session":
        await terminal.write(f"This rule would be written:\n\n{_rule(request, wish)}\n")
        if (await terminal.ask("Write it? [y]es, [n]o: ") or "").casefold() not in ("y", "yes"):
            return None
    return Decision.approve(remember=wish, by=_BY)


def _rule(request: ReviewRequest, wish: Remember) -> str:
    made = Remembered.of(
        wish,
        "allow",
        tool=request.tool_name,
        definition=request.definition,
        arguments=request.arguments,
        risk=request.risk,
        now=datetime.now(UTC),
        origin=_BY,
        workspace=request.workspace,
    )
    return to_toml(made)


def _arguments_in(text: str | None) -> JsonObject | None:
    try:
        return freeze_object(decode(text or ""))
    except (msgspec.DecodeError, NotJsonError, RecursionError):
        return None


async def _edited(terminal: Terminal, editor: str, text: str) -> str | None:
    """Return a text as it is when an editor is left; None where the editor fails."""
    with tempfile.TemporaryDirectory(prefix="toolwright-") as folder:  # which nobody else may enter
        file = Path(folder) / "arguments.json"
        file.write_text(f"{text}\n", encoding="utf-8")
        if not await _run_editor(terminal, editor, str(file)):
            return None
        return file.read_text(encoding="utf-8", errors="replace")


async def _run_editor(terminal: Terminal, editor: str, file: str) -> bool:
    streams: dict[str, Any] = {"stdin": terminal.reads, "stdout": terminal.writes, "stderr": terminal.writes}
    try:
        command = [*shlex.split(editor), file]
        process = subprocess.Popen(command, **streams)  # noqa: S603, ASYNC220  the user's own editor; starts at once
    except (OSError, ValueError):  # it is not there, or is no command
        return False
    try:
        return await default_threads().run(process.wait) == 0
    finally:
        if process.poll() is None:  # the question was taken back
            process.kill()
            process.wait()
