"""One question and its answer, shown while it comes; and the conversation that it belongs to.

Ctrl-C stops the answer: what was said and done until then is kept, and belongs to the conversation.

This module may not know who asks, nor where from.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolwright.agent import Agent, Decided, Run, RunCompleted, RunStore, new_run_id
from toolwright.agent.journal import messages_of
from toolwright.cli.exits import ExitCode
from toolwright.cli.interrupts import stopping
from toolwright.conversation import Conversation
from toolwright.errors import RunError
from toolwright.providers import TextDelta

if TYPE_CHECKING:
    from toolwright.agent import RunHead, StoredRun
    from toolwright.cli.console import Console
    from toolwright.cli.showing import Shows

__all__ = ["Chat", "conversation_of", "how_it_ended", "last_run"]

_FRAME_SECONDS: Final = 0.1

# What is said of a run that has no final answer, and how a command ends that asked for one.
_ENDS: Final[Mapping[str, tuple[ExitCode, str]]] = {
    "completed": (ExitCode.FINE, ""),
    "max_turns": (ExitCode.FAILED, "There is no final answer after as many turns as were allowed; see --max-turns."),
    "max_tool_calls": (ExitCode.FAILED, "The run has made as many calls as it may; see agent.max_tool_calls."),
    "timed_out": (ExitCode.FAILED, "The time of the run was over; see agent.timeout."),
    "cancelled": (ExitCode.INTERRUPTED, "Stopped."),
    "refused": (ExitCode.FAILED, "The model, or its provider, refused to answer."),
    "length": (ExitCode.FAILED, "The answer is cut off: it was longer than the model may write at once."),
    "wrong_calls": (ExitCode.FAILED, "The model made the same wrong call three times; another model may do better."),
    "provider_error": (ExitCode.FAILED, "The model could not be asked: {}"),
    "failed": (ExitCode.FAILED, "The run failed: {}"),
    "waiting": (ExitCode.FAILED, "The run waits for a person; 'toolwright runs resume {id}' goes on with it."),
}

_ELSEWHERE: Final = "TOOLWRIGHT_RUNS_FOLDER, or the setting runs.folder, names another place for runs."


class Chat:
    """A conversation with a model: :meth:`ask` it something, and the next question knows what was said."""

    def __init__(
        self,
        agent: Agent,
        *,
        shows: Shows,
        console: Console,
        workspace: Path,
        session: str,
        conversation: Conversation | None = None,
    ) -> None:
        self._agent = agent
        self._shows = shows
        self._console = console
        self._options: Mapping[str, Any] = {"workspace": workspace, "session": session}
        self._conversation = conversation

    def forget(self) -> None:
        """Begin anew: the next question knows nothing of what was said."""
        self._conversation = None

    async def ask(self, prompt: str) -> Run:
        """Ask, show the answer as it comes, and return the run."""
        id = new_run_id()
        events = self._agent.stream(prompt, run_id=id, conversation=self._conversation, **self._options)
        return await self._follow(id, events)

    async def resume(self, run_id: str, decided: Mapping[str, Decided]) -> Run:
        """Go on with a run that has not ended, and return it; what it says is shown when it is there.

        Raises:
            RunError: There is no such run, or another program has it.
        """
        return await self._follow(run_id, self._resumed(run_id, decided))

    async def _resumed(self, run_id: str, decided: Mapping[str, Decided]) -> AsyncGenerator[Any]:
        async def show(event: Any) -> None:
            self._shows.show(event)

        unsubscribe = self._agent.executor.events.subscribe(show)
        try:
            run = await self._agent.resume(run_id, decided=decided, workspace=self._options["workspace"])
        finally:
            unsubscribe()
        yield TextDelta(run.text)
        yield RunCompleted(run)

    async def _follow(self, run_id: str, events: AsyncGenerator[Any]) -> Run:
        began = time.monotonic()
        run: Run | None = None
        self._shows.begin()
        ticking = asyncio.create_task(self._tick())
        try:
            with stopping(lambda: self._stop(run_id)):
                async with aclosing(events):
                    async for event in events:
                        if isinstance(event, RunCompleted):
                            run = event.run
                        else:
                            self._shows.show(event)
        finally:
            ticking.cancel()
            self._shows.end()
        if run is None:
            raise RuntimeError("a stream of events ended without its run")
        self._conversation = run.conversation
        self._shows.ended(run, time.monotonic() - began)
        return run

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_FRAME_SECONDS)
            self._shows.tick()

    def _stop(self, run_id: str) -> None:
        self._shows.end()
        self._console.say("stopping; Ctrl-C once more leaves at once", "dim")
        self._agent.cancel(run_id)


def how_it_ended(run: Run) -> tuple[ExitCode, str]:
    """Return how a command ends that asked for an answer, and what is said where there is no final one."""
    code, text = _ENDS[run.status]
    not_kept = isinstance(run.error, RunError) and run.error.code == "run_unreadable"
    return code, text.format(run.error, id=run.id) + (f"\n{_ELSEWHERE}" if not_kept else "")


def conversation_of(stored: StoredRun) -> Conversation:
    """Return the conversation of a stored run, to go on from."""
    return Conversation(messages_of(stored.records), require_system=False)


async def last_run(store: RunStore, workspace: Path) -> RunHead | None:
    """Return the last run in a workspace."""
    heads = await store.list()
    return next((each for each in heads if each.workspace == str(workspace)), None)
