"""The loop: does what ``turn.py`` decides, and tells it what came of it.

Here a model is asked, calls are handed to the executor, and what happened is given to a store. Whatever goes wrong, the
run ends with a status, and every call in its transcript has an answer.

This module may not decide what comes next: :func:`~toolwright.agent.turn.next_step` does.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from inspect import isawaitable
from typing import Any, Final, TypeAlias

import msgspec

from toolwright.agent.asking import Tell, ask
from toolwright.agent.doubts import execute_again
from toolwright.agent.limits import RunLimits
from toolwright.agent.offer import Offer
from toolwright.agent.position import Position
from toolwright.agent.run import Run
from toolwright.agent.runs import RunHead
from toolwright.agent.saving import Saver, unbroken
from toolwright.agent.stopping import Stopping
from toolwright.agent.streaming import relayed
from toolwright.agent.turn import Ask, Call, RunCalls, RunStatus, Why, next_step
from toolwright.conversation import Conversation
from toolwright.errors import LLMError, RunError
from toolwright.execution import Execution, Executor
from toolwright.execution.running import is_no_failure
from toolwright.messages import ChatMessage
from toolwright.providers import ChatProvider
from toolwright.telemetry import Span, Telemetry

__all__ = ["Means", "Prepare", "RunLoop"]

_log: Final = logging.getLogger("toolwright.agent")

Prepare: TypeAlias = Callable[[Conversation], Iterable[ChatMessage] | Awaitable[Iterable[ChatMessage]]]
"""Makes of a conversation what is sent to the model."""

_WHY: Final[Mapping[RunStatus, Why]] = {"cancelled": "cancelled", "timed_out": "timed_out"}


class Means(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """What a run has to go on with. ``options`` are the executor's, for each call.

    ``head`` is there where the run is new to the store that ``saver`` writes to. ``attempt`` is that of the calls that
    were begun before, where it is not.
    """

    id: str
    provider: ChatProvider
    executor: Executor
    limits: RunLimits
    offer: Offer
    options: Mapping[str, Any]
    prepare: Prepare | None = None
    saver: Saver | None = None
    head: RunHead | None = None
    attempt: int = 1
    tell: Tell | None = None
    telemetry: Telemetry | None = None


class RunLoop:
    """One run, from where it stands to its end: made and carried out in one task."""

    def __init__(self, means: Means, position: Position) -> None:
        self._means: Final = means
        self._position: Final = position
        self._asked: Final = {} if position.final is None else {"response_schema": position.final.schema}
        self._stopping: Final = Stopping()
        self._error: Exception | None = None
        self._cancelled = False
        self._words: tuple[Any, ...] = ()  # of whoever cancelled it, by which they know their own cancellation again

    async def run(self) -> Run:
        """Go on until the end, and return what came of it.

        Raises:
            CancelledError: Whoever awaits this was cancelled; the run has been ended, and recorded as cancelled.
        """
        means, position = self._means, self._position
        span = None if means.telemetry is None else self._open_span(means.telemetry)
        status: RunStatus = "failed"
        try:
            status = await self._in_time()
            self._cancelled = self._stopping.end()
            if status == "waiting":
                position.leave_calls()
            elif position.calls:
                position.close_calls(_WHY.get(status, "failed"))
            if means.saver is not None:
                status = await self._keep_end(means.saver, status)
        finally:
            if span is not None:
                self._close_span(span, status)
        if self._cancelled:
            raise asyncio.CancelledError(*self._words)
        return self._result(status)

    def stop(self) -> None:
        """End the run, from any thread: its status is ``cancelled``."""
        self._stopping.stop()

    # Going on

    def _hear(self, cancellation: asyncio.CancelledError | None) -> bool:
        """Take note of the words of a cancellation, and say whether there was one."""
        if cancellation is not None:
            self._words = cancellation.args or self._words
        return cancellation is not None

    async def _in_time(self) -> RunStatus:
        """Go on until the end, or until the time is over, somebody has had enough, or something breaks."""
        seconds = self._means.limits.timeout
        try:
            if seconds is None:
                return await self._steps()
            async with asyncio.timeout(seconds) as self._stopping.scope:
                return await self._steps()
        except asyncio.CancelledError as error:
            self._hear(error)
            return "cancelled"
        except BaseException as error:  # the application's own code: a hook, a store, a provider of its own
            if is_no_failure(error):  # the program is being ended
                raise
            if isinstance(error, TimeoutError) and self._stopping.expired:
                return "timed_out"
            self._error = _as_exception(error)
            return "failed"

    async def _steps(self) -> RunStatus:
        means = self._means
        if means.saver is not None and means.head is not None:
            self._hear(await unbroken(means.saver.begin(means.head)))
        while True:
            self._stopping.check()
            step = next_step(self._position.state, means.limits)
            if isinstance(step, Ask):
                await self._ask(step)
            elif isinstance(step, RunCalls):
                await self._run_calls(step)
            else:
                return self._finish(step.status)

    async def _ask(self, step: Ask) -> None:
        means, position = self._means, self._position
        if step.correcting:
            position.put_correction()
        messages: Iterable[ChatMessage] = position.conversation.messages
        if means.prepare is not None:
            prepared = means.prepare(position.conversation.fork())
            messages = tuple(await prepared if isawaitable(prepared) else prepared)
        try:
            response = await ask(means.provider, messages, means.offer.definitions(), self._asked, means.tell)
        except LLMError as error:
            self._error = error
            position.put_failure()
            return
        position.put_answer(response)
        if position.state.ending == "error":
            failure = response.failure
            self._error = LLMError("bad_response", "the answer broke off") if failure is None else failure.to_error()
        if means.saver is not None:
            means.saver.put()

    async def _run_calls(self, step: RunCalls) -> None:
        position = self._position
        if step.calls:
            if self._means.saver is not None:
                await self._means.saver.written()  # what is going to be run is on record before anything is
            await self._execute(step.calls)
        for call in step.refused:
            position.put_unrun(call, step.why)
        position.close_calls(step.why)
        if self._means.saver is not None:
            self._means.saver.put()

    async def _execute(self, calls: tuple[Call, ...]) -> None:
        means = self._means
        options, only = means.options, means.offer.callable
        if only is not None:
            options = {**options, "availability": only}
        if means.tell is None and means.saver is None:
            await means.executor.execute_many(calls, done=self._note_of(calls), **options)
            return
        every = self._position.execution_ids(means.id)
        ids = [every[call.id] for call in calls]
        async with AsyncExitStack() as stack:
            if means.tell is not None:
                await stack.enter_async_context(relayed(means.executor.events, ids, means.tell))
            if self._position.interrupted:
                await execute_again(means.executor, calls, ids, means.attempt, self._note_of(calls), options)
            else:
                done = self._note_of(calls)
                await means.executor.execute_many(calls, done=done, execution_ids=ids, **options)

    def _note_of(self, calls: tuple[Call, ...]) -> Callable[[int, Execution], None]:
        def note(place: int, execution: Execution) -> None:
            self._position.put_execution(calls[place], execution, self._means.offer.learn(execution))
            if self._means.saver is not None:
                self._means.saver.put()

        return note

    def _finish(self, status: RunStatus) -> RunStatus:
        if status == "failed":
            problem = f"the model gave no answer of the form that was asked for: {self._position.reading.problem}"
            self._error = RunError(problem, code="answer_invalid")
        return status

    # Ending

    async def _keep_end(self, saver: Saver, status: RunStatus) -> RunStatus:
        """Have the end written, whatever happens meanwhile, and return how the run has ended then."""
        kind = None if self._error is None else type(self._error).__name__
        fault: Exception | None = None

        async def end() -> None:
            nonlocal fault
            try:
                await saver.end(status, kind)
            except Exception as error:  # noqa: BLE001  the application's own code
                fault = error

        self._cancelled |= self._hear(await unbroken(end()))
        if fault is None:
            return status
        facts = {"event": "run.store_failed", "run_id": self._means.id, "error": type(fault).__name__}
        _log.warning("the end of the run %s could not be kept", self._means.id, extra=facts)
        self._error = self._error or fault
        return status if self._cancelled else "failed"

    def _result(self, status: RunStatus) -> Run:
        position = self._position
        return Run(
            id=self._means.id,
            status=status,
            text=position.text,
            conversation=position.conversation,
            journal=position.journal,
            executions=tuple(position.executions),
            usage=position.usage,
            error=self._error,
            value=position.reading.value if status == "completed" else None,
        )

    def _open_span(self, telemetry: Telemetry) -> Span | None:
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.request.model": self._means.provider.model_name,
            "gen_ai.conversation.id": self._means.id,
        }
        return telemetry.span("invoke_agent", attributes)

    def _close_span(self, span: Span, status: RunStatus) -> None:
        usage = self._position.usage
        counts = {"gen_ai.usage.input_tokens": usage.input_tokens, "gen_ai.usage.output_tokens": usage.output_tokens}
        found: dict[str, Any] = {name: number for name, number in counts.items() if number is not None}
        found["toolwright.status"] = status
        if self._error is not None:
            found["error.type"] = getattr(self._error, "code", None) or type(self._error).__name__
        span.close(found)


def _as_exception(error: BaseException) -> Exception:
    """Return what whoever catches exceptions can catch: libraries derive from ``BaseException`` as well."""
    if isinstance(error, Exception):
        return error
    wrapped = RuntimeError(f"{type(error).__name__} was raised, which is no Exception")
    wrapped.__cause__ = error
    return wrapped
