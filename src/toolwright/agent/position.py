"""Where a run stands: what was said, what its calls gave, and the few facts from which it follows what comes next.

Whatever happens in a run is put down here, in one place: in the conversation that the model is sent, in the journal
that is stored, and in the state that :func:`~toolwright.agent.turn.next_step` looks at.

This module asks nothing, runs nothing and stores nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from toolwright.agent.final import FinalAnswer, Reading
from toolwright.agent.journal import Journal
from toolwright.agent.repetition import REPEATED, Repetition
from toolwright.agent.turn import (
    NOT_RUN,
    WRONG_CODES,
    Call,
    Ending,
    State,
    Why,
    answered,
    closed,
    corrected,
    key_of,
)
from toolwright.agent.usage import added, usage_from, usage_of, usage_to
from toolwright.conversation import Conversation
from toolwright.execution import Execution
from toolwright.messages import ChatMessage, ToolResult
from toolwright.providers import ChatResponse, Usage

__all__ = ["Position"]


class Position:
    """The place that a run has come to. ``calls`` are those of the last answer, ``results`` what there is of them."""

    def __init__(self, conversation: Conversation, journal: Journal, final: FinalAnswer | None = None) -> None:
        self.conversation: Final = conversation
        self.journal: Final = journal
        self.final: Final = final
        self.reading = Reading()
        self.state = State()
        self.text = ""
        self.usage = Usage()
        self.executions: list[Execution] = []
        self.calls: tuple[Call, ...] = ()
        self.results: dict[str, ToolResult] = {}
        self.repetition: Final = Repetition()
        self.wrong: set[bytes] = set()
        self.exhausted = False
        self.ran = 0
        self.interrupted = False
        self._ran: dict[str, Execution] = {}

    def put_answer(self, response: ChatResponse) -> None:
        """Put down what the model answered: its text and all its calls, together."""
        message = response.to_message()
        ending, refused = response.finish_reason, response.refusal is not None
        if message.content or ending != "error" or message.tool_calls or message.invalid_tool_calls:
            self.take_answer(message, response.usage, ending, refused=refused)
            self.journal.add(
                message, ending=ending, refused=refused or None, usage=usage_to(response.usage), model=response.model
            )
        else:
            self.usage = added(self.usage, response.usage)
            self.put_failure()

    def take_answer(self, message: ChatMessage, usage: Usage, ending: Ending, *, refused: bool) -> None:
        """Take in an answer that is in the journal."""
        calls: tuple[Call, ...] = (*message.tool_calls, *message.invalid_tool_calls)
        self.conversation.add(message)
        self.usage = added(self.usage, usage)
        self.text = message.content or self.text
        self.reading = Reading() if self.final is None or calls else self.final.read(message.content or "")
        self._begin_calls(calls)
        self.state = answered(self.state, calls, ending, refused=refused, fits=self.reading.problem is None)

    def _begin_calls(self, calls: tuple[Call, ...]) -> None:
        if calls or self.calls:
            self.calls, self.results, self._ran = calls, {}, {}
            self.ran, self.wrong, self.exhausted, self.interrupted = 0, set(), False, False

    def put_failure(self) -> None:
        """Put down that the model was asked and there is no answer."""
        self.state = answered(self.state, (), "error")

    def put_execution(self, call: Call, execution: Execution, found: Sequence[str] = ()) -> None:
        """Put down what a call gave, the moment it is there."""
        result = execution.to_result()
        key = key_of(call)
        if self.repetition.notice(self.state.turns, key, result.result):
            result = replace(result, result=result.result + REPEATED)
        if execution.outcome.error_code in WRONG_CODES:
            self.wrong.add(key)
        facts: dict[str, Any] = {"found": found} if found else {}
        used = usage_of(execution.outcome)
        if used:
            self.usage = added(self.usage, usage_from(used))
            facts["usage"] = used
        self.results[call.id] = result
        self._ran[call.id] = execution
        self.ran += 1
        self.journal.add_result(result, execution, **facts)

    def put_unrun(self, call: Call, why: Why) -> None:
        """Put down why a call is not run."""
        said = NOT_RUN[why]
        result = self.results[call.id] = ToolResult(call.id, said.text, is_error=said.is_error)
        if why == "cut":
            self.wrong.add(key_of(call))
        self.exhausted |= why == "limit"
        self.journal.add_result(result, why, not_run=why)

    def missing(self) -> tuple[Call, ...]:
        """Return the calls of the last answer that have no result yet."""
        if len(self.results) == len(self.calls):
            return ()
        return tuple(call for call in self.calls if call.id not in self.results)

    def execution_ids(self, run_id: str) -> dict[str, str]:
        """Return the ids of executions by those of their calls: the same whenever the run is taken up again."""
        return {call.id: f"{run_id}_{self.state.turns}_{place}" for place, call in enumerate(self.calls, 1)}

    def close_calls(self, why: Why) -> None:
        """Bring the results of the last answer into the order of its calls; one without a result was not run: why."""
        for call in self.missing():
            self.put_unrun(call, why)
        for call in self.calls:
            self.conversation.add(ChatMessage.from_result(self.results[call.id]))
            if call.id in self._ran:
                self.executions.append(self._ran[call.id])
        self.state = closed(self.state, ran=self.ran, wrong=self.wrong, exhausted=self.exhausted)
        self._begin_calls(())

    def leave_calls(self) -> None:
        """Leave the calls that have no result open, for whoever takes the run up again."""
        for call in self.calls:
            if call.id in self.results:
                self.conversation.add(ChatMessage.from_result(self.results[call.id]))

    def put_correction(self) -> None:
        """Put down what the model is told about an answer that does not fit."""
        message = ChatMessage.user(self.reading.correction)
        self.journal.add(message, correction=True)
        self.take_correction(message)

    def take_correction(self, message: ChatMessage) -> None:
        """Take in a correction that is in the journal."""
        self.conversation.add(message)
        self.state = corrected(self.state)
