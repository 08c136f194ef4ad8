"""The agent: what a run needs, put together once, and every way of starting one.

How a run goes on is not known here.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, Unpack

from msgspec.structs import replace

from toolwright.agent.asking import Tell
from toolwright.agent.beginning import first_position
from toolwright.agent.doubts import Decided, Unknown, reconciled, settle
from toolwright.agent.final import FinalAnswer
from toolwright.agent.limits import RunLimits
from toolwright.agent.loop import Means, Prepare, RunLoop
from toolwright.agent.offer import Offer
from toolwright.agent.parts import check_parts, checked_offer, known_options
from toolwright.agent.position import Position
from toolwright.agent.resuming import ended_run, found_in, position_of
from toolwright.agent.run import Run, RunCompleted
from toolwright.agent.runs import RunHead, RunStore, StoredRun, checked_run_id, new_run_id
from toolwright.agent.saving import Saver, in_time, unbroken
from toolwright.agent.streaming import events_of
from toolwright.bridge import run_from_outside
from toolwright.conversation import Conversation
from toolwright.execution import Executor, ScopeOptions
from toolwright.execution.events import Event
from toolwright.execution.options import scope_of
from toolwright.execution.steps.permit import checked_grants
from toolwright.messages import ToolCallDelta
from toolwright.providers import ChatProvider, ReasoningDelta, TextDelta
from toolwright.registry import ToolView
from toolwright.telemetry import telemetry

if TYPE_CHECKING:
    from toolwright.agent.sub_agent import AgentTool

__all__ = ["Agent", "AgentEvent"]

AgentEvent: TypeAlias = TextDelta | ReasoningDelta | ToolCallDelta | Event | RunCompleted
"""What a streamed run is made of: what the model says, what happens to its calls, and last the run."""

_TITLE: Final = 100  # characters of the prompt that a list of runs shows


class Agent:
    """Asks a model, lets it call tools, answers back, until there is a final answer.

    ``system`` is the system message of conversations that begin here. ``executor`` runs the calls; without one it is
    ``Executor(registry)``. A run ends after ``max_turns`` answers of the model, ``max_tool_calls`` calls or ``timeout``
    seconds at the latest. ``store`` keeps runs, so that they can be resumed. ``prepare`` makes of the conversation what
    is sent. ``offer`` is what the model is shown at first, by default all that is available. ``unknown`` says what
    becomes of a call of which nobody knows whether it happened, after a crash. Safe to share between threads and loops.

    Raises:
        ValueError: A limit is out of range, the executor or the offer is over another registry, or ``unknown`` is no
            such word.
        TypeError: The provider, the store or the hook is none.
    """

    def __init__(
        self,
        provider: ChatProvider,
        registry: ToolView,
        *,
        system: str | None = None,
        executor: Executor | None = None,
        max_turns: int = 20,
        max_tool_calls: int = 100,
        timeout: float | None = None,
        store: RunStore | None = None,
        prepare: Prepare | None = None,
        offer: ToolView | None = None,
        unknown: Unknown = "ask",
    ) -> None:
        check_parts(provider, store, prepare)
        if executor is not None and executor.registry is not registry:
            raise ValueError("executor: it is over another registry than the agent; give both the same")
        if unknown not in ("ask", "tell", "rerun"):
            raise ValueError("unknown: one of ask, tell and rerun")
        self.provider: Final = provider
        self.executor: Final = executor or Executor(registry)
        self._system: Final = system
        self._limits: Final = RunLimits(max_turns=max_turns, max_tool_calls=max_tool_calls, timeout=timeout)
        self._store: Final = store
        self._prepare: Final = prepare
        self._offer: Final = checked_offer(offer, registry)
        self._unknown: Final = unknown
        self._telemetry: Final = telemetry()
        self._running: Final[dict[str, RunLoop]] = {}

    async def run(
        self,
        prompt: str,
        *,
        conversation: Conversation | None = None,
        final: Any = None,
        run_id: str | None = None,
        **options: Unpack[ScopeOptions],
    ) -> Run:
        """Run until there is a final answer, or until it ends for another reason: ``run.status`` says which.

        A ``conversation`` that is handed in stays as it is. ``final`` is a type: the answer is asked for in that form,
        and ``run.value`` is one. ``run_id`` is the id, a new one by default. The others are the executor's, for each
        call, but for ``timeout``, which is the run's; the shortest holds.

        What a model, a provider, a tool or a store did wrong is no exception here.

        Raises:
            CancelledError: Whoever awaits this was cancelled; the run has been ended, and recorded as cancelled.
            ConversationOrderError: The conversation cannot go on with a prompt.
            TypeError, ValueError: An option is none.
        """
        means, position = self._begin(prompt, conversation, final, run_id, options)
        return await self._carry_out(means, position)

    def stream(
        self,
        prompt: str,
        *,
        conversation: Conversation | None = None,
        final: Any = None,
        run_id: str | None = None,
        **options: Unpack[ScopeOptions],
    ) -> AsyncGenerator[AgentEvent]:
        """Run as :meth:`run` does, and yield what happens meanwhile; the last event is ``RunCompleted``.

        Closing the generator cancels the run.

        Raises:
            ConversationOrderError: The conversation cannot go on with a prompt.
            TypeError, ValueError: An option is none.
        """
        means, position = self._begin(prompt, conversation, final, run_id, options)
        return events_of(lambda tell: self._carry_out(means, position, tell))

    def run_sync(
        self,
        prompt: str,
        *,
        conversation: Conversation | None = None,
        final: Any = None,
        run_id: str | None = None,
        **options: Unpack[ScopeOptions],
    ) -> Run:
        """Run from code without an event loop: from any thread, also from inside a running loop, which stands still."""
        return run_from_outside(
            lambda: self.run(prompt, conversation=conversation, final=final, run_id=run_id, **options)
        )

    def cancel(self, run_id: str) -> bool:
        """End a run of this agent, from any thread, and say whether it was going on; its status is ``cancelled``."""
        loop = self._running.get(run_id)
        if loop is not None:
            loop.stop()
        return loop is not None

    def as_tool(
        self, name: str, description: str, *, grants: Iterable[str] = (), final: Any = None, **fields: Any
    ) -> AgentTool:
        """Return a tool that runs this agent with a task: what another agent's model calls.

        It may do what its ``grants`` allow, by default nothing that needs one. ``fields`` are those of the tool's
        definition. The usage of its runs is counted with that of the caller's.

        Raises:
            InvalidDefinitionError: The name, or another field, breaks a rule.
            TypeError, ValueError: The grants are none.
        """
        from toolwright.agent.sub_agent import AgentTool  # which makes a schema

        return AgentTool(self.run, name, description, grants=grants, final=final, **fields)

    async def resume(
        self,
        run_id: str,
        *,
        decided: Mapping[str, Decided] | None = None,
        final: Any = None,
        **options: Unpack[ScopeOptions],
    ) -> Run:
        """Go on with a run that was interrupted, or waits; one that has ended is only returned.

        A call without a result that has no side effects is run again. Of another one nobody knows whether it happened:
        ``decided`` says it by the id of the call, else the agent's ``unknown`` does. Where a person is to be asked and
        has not decided, the run is ``waiting``, and ``run.conversation.pending_calls`` are the calls.

        Workspace, session and grants are those of the run, unless others are given. What else it had of its own is not
        kept, such as ``availability`` or ``final``: give it again.

        Raises:
            RunError: There is no such run, somebody else has it, or it is not readable.
            ValueError: The agent has no store, or an option is none.
            CancelledError: As in :meth:`run`.
        """
        if self._store is None:
            raise ValueError("store: this agent keeps no runs, so there is none to go on with")
        form = _form(final)
        self._means(run_id, options)  # what is wrong with the options is told before the run is taken
        stored = await self._store.take(run_id)
        if stored.head.state == "ended":
            return ended_run(stored, position_of(stored.records, run_id, form))
        try:
            means, position = await self._taken_up(self._store, stored, form, decided or {}, options)
        except BaseException:
            await unbroken(_let_go(self._store, stored.head))
            raise
        return await self._carry_out(means, position)

    # Putting together

    def _begin(
        self, prompt: str, conversation: Conversation | None, final: Any, run_id: str | None, options: ScopeOptions
    ) -> tuple[Means, Position]:
        """Return what a new run has, and where it begins."""
        id = new_run_id() if run_id is None else checked_run_id(run_id)
        means = self._means(id, options)
        position = first_position(prompt, conversation, self._system, id, _form(final))
        if self._store is None:
            return means, position
        workspace = options.get("workspace")
        head = RunHead(
            id=id,
            created_at=datetime.now(UTC),
            title=prompt[:_TITLE],
            model=self.provider.model_name,
            workspace=None if workspace is None else os.path.abspath(workspace),  # noqa: PTH100  keeps its links
            session=options.get("session"),
            grants=means.options.get("grants"),
        )
        return replace(means, saver=Saver(self._store, id, position.journal), head=head), position

    async def _taken_up(
        self,
        store: RunStore,
        stored: StoredRun,
        form: FinalAnswer | None,
        decided: Mapping[str, Decided],
        options: ScopeOptions,
    ) -> tuple[Means, Position]:
        """Return what a run has that was taken from the store, and where it stands."""
        head, executor = stored.head, self.executor
        kept: ScopeOptions = {"workspace": head.workspace, "session": head.session, "grants": head.grants}
        means = self._means(head.id, {**kept, **options})
        position = position_of(stored.records, head.id, form)
        means.offer.add(found_in(stored.records))
        decided = await reconciled(position, executor, means.limits, head.id, head.epoch, means.options, decided)
        settle(position, executor, means.limits, decided, self._unknown)
        saver = Saver(store, head.id, position.journal, epoch=head.epoch, length=len(stored.records))
        return replace(means, saver=saver, attempt=head.epoch), position

    def _means(self, id: str, options: ScopeOptions) -> Means:
        rest = known_options(options) if options else {}
        limits, seconds = self._limits, rest.pop("timeout", None)
        if seconds is not None:
            shortest = seconds if limits.timeout is None else min(seconds, limits.timeout)
            limits = replace(limits, timeout=shortest)
        if "grants" in rest:
            rest["grants"] = checked_grants(rest["grants"])  # a tuple, so that the first call does not use them up
        if rest:
            scope_of(self.executor.scope, rest)  # what is wrong with one is told before anything begins
        workspace = rest.get("workspace")
        folder = None if workspace is None else Path(os.path.abspath(workspace))  # noqa: PTH100  keeps its links
        return Means(
            id=id,
            provider=self.provider,
            executor=self.executor,
            limits=limits,
            offer=Offer(self.executor, self._offer, rest.get("availability"), folder),
            options=rest,
            prepare=self._prepare,
            telemetry=self._telemetry,
        )

    async def _carry_out(self, means: Means, position: Position, tell: Tell | None = None) -> Run:
        loop = RunLoop(means if tell is None else replace(means, tell=tell), position)
        self._running[means.id] = loop
        try:
            return await loop.run()
        finally:
            if self._running.get(means.id) is loop:
                del self._running[means.id]


async def _let_go(store: RunStore, head: RunHead) -> None:
    """Give back a run that cannot be gone on with as it was wanted."""
    with suppress(Exception):  # the fault that is on its way says more
        async with in_time():  # nobody can break it off
            await store.end(head.id, "waiting", epoch=head.epoch)


def _form(final: Any) -> FinalAnswer | None:
    return None if final is None else FinalAnswer(final)
