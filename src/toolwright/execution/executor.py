"""The executor: one call in, one ``Execution`` out, whatever happens.

:meth:`Executor._carry_out` is the list of the steps; each is a module in ``steps``. What a step refuses, it says by
raising ``Refused``, which is caught here, once. Who is asked, what is recorded and where a tool runs are arguments of
the constructor: what is absent refuses.

It never raises for what a model or a tool did wrong; only for what the programmer did.
"""

from __future__ import annotations

import logging
from asyncio import CancelledError, create_task, get_running_loop
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Unpack

from toolwright.bridge import run_from_outside
from toolwright.errors import NotJsonError
from toolwright.execution.clock import Clock, SystemClock
from toolwright.execution.course import Course, as_call, new_id
from toolwright.execution.events import Events
from toolwright.execution.execution import Execution
from toolwright.execution.keeping import Kept, ReadMore
from toolwright.execution.known import KnownTools
from toolwright.execution.limits import Accounts
from toolwright.execution.many import Answers, Turn, side_by_side, until_done
from toolwright.execution.options import CallOptions, ScopeOptions, scope_of, seconds_of, services_of
from toolwright.execution.policy import Policy
from toolwright.execution.remembered import Memory
from toolwright.execution.reviewers import Review, Reviewer, patience_of, review_of
from toolwright.execution.rules import memory_of
from toolwright.execution.running import is_no_failure
from toolwright.execution.scheduling import EVERYTHING, NOTHING, Claim, Concurrency, Slots
from toolwright.execution.sinks import AuditSink, Recorder
from toolwright.execution.stages import Approved, Located, Permitted, Refused, Scope
from toolwright.execution.steps.admit import Admission, Slot
from toolwright.execution.steps.approve import Desk, allow_unasked, ask
from toolwright.execution.steps.bound import bound
from toolwright.execution.steps.find import find
from toolwright.execution.steps.paths import check_unmoved, resolve_paths
from toolwright.execution.steps.permit import Gate, checked_grants, explain, permit
from toolwright.execution.steps.record import Ledger, open_span, record, record_at_once, whereabouts
from toolwright.execution.steps.run import Bench, run
from toolwright.execution.steps.validate import report_on, validate
from toolwright.execution.threads import BoundedThreads
from toolwright.execution.verdict import Considered, Explanation, Verdict
from toolwright.levels import RiskLevel
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.registry import Availability
from toolwright.registry.view import ToolView
from toolwright.sandbox import Sandbox
from toolwright.schema import ValidationIssue, ValidationReport
from toolwright.telemetry import telemetry
from toolwright.tiers import License, LicenseContext
from toolwright.tools.outcome import ToolOutcome
from toolwright.tools.services import ServiceSource
from toolwright.values import JsonObject, freeze_object

__all__ = ["Executor"]

_log: Final = logging.getLogger("toolwright.execution")

_MOST_CHANGES: Final = 3  # how often a reviewer may change the arguments of one call
_MOST_ABANDONED: Final = 32  # threads that may be left behind before no further sync tool is started
_LONGEST: Final = 600.0  # seconds: ten minutes, the most that a definition may ask for


class Executor:
    """Executes calls of the tools in a registry.

    ``policy`` says what may run, and ``reviewer`` is asked where it wants a person asked; without one, such calls do
    not run. ``grants`` are the permissions of the caller, ``license`` is the tier. ``availability`` says which tools
    are offered, ``services`` is lent to them, ``sandbox`` runs them and ``audit`` keeps the record. ``concurrency`` is
    how many calls run at once, ``timeout`` the longest that one may take and ``review_timeout`` the longest that a
    reviewer may take, in seconds. ``memory`` keeps decisions, by default those in the policy's files and new ones.
    Arguments and results are logged only if ``log_arguments`` and ``log_results`` say so, through the redactor.
    Safe to share between threads and loops.

    Raises:
        ValueError: A time or a number is out of range.
        TypeError: The reviewer is none.
        PolicyError: A grant is not made of words.
    """

    def __init__(
        self,
        registry: ToolView,
        *,
        policy: Policy | None = None,
        reviewer: Reviewer | Review | None = None,
        grants: Iterable[str] = ("*",),
        license: LicenseContext | None = None,
        availability: Availability | None = None,
        services: ServiceSource | Mapping[Any, Any] | None = None,
        sandbox: Sandbox | None = None,
        audit: AuditSink | None = None,
        concurrency: int | Concurrency = 3,
        timeout: float = _LONGEST,
        review_timeout: float = 600.0,
        memory: Memory | None = None,
        log_arguments: bool = False,
        log_results: bool = False,
        clock: Clock | None = None,
    ) -> None:
        clock = clock or SystemClock()
        self.registry: Final = registry
        self.policy: Final = policy or Policy()
        self.memory: Final = memory or memory_of(self.policy)
        self.events: Final = Events()
        self._telemetry: Final = telemetry()
        self._clock: Final = clock
        self._kept: Final = Kept()
        self.read_more: Final = ReadMore(self._kept)
        self._tools: Final = KnownTools(registry, also=[self.read_more])
        granted = checked_grants(grants)
        self.scope: Final = Scope(services=services_of(services), grants=granted, availability=availability)
        self._accounts: Final = Accounts(self.policy.limits)
        self._gate: Final = Gate(self.policy, self.memory, self._accounts, license or License(), clock)
        self._threads: Final = BoundedThreads(_MOST_ABANDONED)
        self.desk: Final = self._make_desk(reviewer, seconds_of(review_timeout, "review_timeout"))
        limits = concurrency if isinstance(concurrency, Concurrency) else Concurrency(total=concurrency)
        self._admission: Final = Admission(Slots(limits))
        recorder = None if audit is None else Recorder(audit)
        self._bench: Final = Bench(
            sandbox or Sandbox(), seconds_of(timeout, "timeout"), self._threads, recorder, self.events, clock
        )
        self._ledger: Final = Ledger(recorder, self.events, self._telemetry, log_arguments, log_results)
        self._courses: Final[set[Course]] = set()
        if self._telemetry is not None:
            self._telemetry.watch(self)

    def _make_desk(self, reviewer: Reviewer | Review | None, seconds: float) -> Desk:
        name = ""
        if reviewer is not None:
            name = getattr(reviewer, "__name__", type(reviewer).__name__)
            seconds = patience_of(reviewer, seconds)  # an inbox has its own
        return Desk(
            review=None if reviewer is None else review_of(reviewer),
            name=name,
            seconds=seconds,
            memory=self.memory,
            events=self.events,
            clock=self._clock,
            threads=self._threads,
            telemetry=self._telemetry,
        )

    # Executing

    async def execute(self, call: ToolCall | InvalidToolCall, **options: Unpack[CallOptions]) -> Execution:
        """Execute one call, and return how it ended: always exactly one answer.

        The options replace the executor's own; the shortest of all time limits holds. ``approved=True`` says that a
        person has approved the call: it answers every question, and no deny.

        Raises:
            CancelledError: Whoever awaits this was cancelled; the call has been ended and recorded as cancelled.
            TypeError: This is no call, or an option is none.
        """
        course = self._course_with(call, options)
        execution, cancelled = await self._answer(course)
        if cancelled:
            raise CancelledError(*course.words)
        return execution

    async def execute_many(
        self,
        calls: Sequence[ToolCall | InvalidToolCall],
        *,
        done: Callable[[int, Execution], object] | None = None,
        execution_ids: Sequence[str] | None = None,
        **options: Unpack[ScopeOptions],
    ) -> list[Execution]:
        """Execute several calls, and return how each ended, in the order of the calls.

        Calls without side effects run side by side. One with side effects waits for all before it, and those after
        wait for it; where both definitions name a resource, only if it is the same.

        ``done`` is called in the loop with the place of a call and its execution as soon as that has ended, exactly
        once for each, also when the whole is cancelled. What it raises is raised here, once all calls have ended.
        ``execution_ids`` are the ids that the calls are given, where whoever calls has to know them before.

        Raises:
            CancelledError: Whoever awaits this was cancelled; every call has ended and has been recorded.
            TypeError, ValueError: One is no call, an option is none, there are not as many ids; nothing was run.
        """
        scope = scope_of(self.scope, options) if options else self.scope
        ids: Sequence[str | None] = [None] * len(calls) if execution_ids is None else execution_ids
        courses = [self._course(call, scope, id) for call, id in zip(calls, ids, strict=True)]
        answers = Answers(done)

        async def work(place: int, turn: Turn | None) -> bool:
            execution, cancelled = await self._answer(courses[place], turn)
            answers.put(place, execution)
            return cancelled

        if len(courses) == 1:
            if await work(0, None):
                raise CancelledError(*courses[0].words)
            return answers.all()
        try:
            await side_by_side([self._claim(course.call, scope) for course in courses], work)
        except CancelledError:
            # Those whose task was cancelled before it took its first step get their answer as well.
            left = [place for place in range(len(courses)) if place not in answers]
            noting = [create_task(self._note_cancelled(place, courses[place], answers)) for place in left]
            await until_done(noting, whatever=True)
            raise
        return answers.all()

    def execute_sync(self, call: ToolCall | InvalidToolCall, **options: Unpack[CallOptions]) -> Execution:
        """Execute one call from code without an event loop: from any thread, also from inside a running loop.

        A running loop stands still meanwhile, and a call out of one waits for no slot that only what stands still there
        could free. The tool runs in another loop, in a thread that is shared by all who call this.
        """
        course = self._course_with(call, options)
        course.waits_for_itself = self._stands_still()
        execution, cancelled = run_from_outside(lambda: self._answer(course))
        if cancelled:
            raise CancelledError
        return execution

    def _stands_still(self) -> bool:
        """Say whether there are calls in a loop of this thread, which is about to wait."""
        try:
            here = get_running_loop()
        except RuntimeError:
            return False
        return any(course.loop in (None, here) for course in list(self._courses))

    def cancel(self, *, execution_id: str | None = None, session: str | None = None) -> int:
        """End calls, from any thread: the one of this id, all of this session; return how many are told to.

        Their ``execute`` returns an execution that is ``cancelled``.

        Raises:
            ValueError: Neither is given.
        """
        if execution_id is None and session is None:
            raise ValueError("cancel: say which calls, by execution_id or by session")
        meant = (
            course
            for course in list(self._courses)
            if execution_id in (None, course.execution_id) and session in (None, course.session)
        )
        return sum(course.stop() for course in meant)

    async def _answer(self, course: Course, turn: Turn | None = None) -> tuple[Execution, bool]:
        """Give a call its one answer; and say whether whoever awaits it was cancelled."""
        self._courses.add(course)
        cancelled = False
        span = None if self._telemetry is None else open_span(course.call, self._telemetry)
        try:
            outcome = await self._carry_out(course, turn)
        except Refused as refusal:
            outcome = refusal.outcome
        except CancelledError as error:
            outcome = ToolOutcome.cancelled()
            cancelled = course.cancelled_elsewhere
            course.words = error.args
        except BaseException as error:
            if is_no_failure(error):  # the program is being ended
                record_at_once(course.ended(ToolOutcome.cancelled()), self._ledger, span)
                raise
            outcome = self._broken(course, error)
        finally:
            self._courses.discard(course)
            if not course.ran and course.reservation is not None:
                course.reservation.give_back()
        execution = course.ended(outcome)
        recording = record(execution, self._ledger, span)
        if recording is not None and (late := await recording) is not None:
            cancelled = True
            course.words = late.args
        return execution, cancelled

    async def _carry_out(self, course: Course, turn: Turn | None) -> ToolOutcome:
        """Take the steps, one after the other."""
        located = find(course.call, self._tools, course.scope)
        course.tool_name = located.known.name
        if turn is not None:
            with course.waiting():
                await turn()
        permitted = self._check(located, located.call.arguments, course)
        approved = allow_unasked(permitted) or await self._ask(permitted, course)
        course.approved_by = approved.by
        slot = self._admission.now(approved) or await self._wait_for_slot(approved, course)
        try:
            if course.loop is not None:  # it has waited, and others may have been at work meanwhile
                check_unmoved(approved.permitted.placed)
            outcome = await run(approved, self._bench, course)
        finally:
            slot.give_back()
        return bound(outcome, located.known, self._kept, course.session)

    def _check(self, located: Located, arguments: JsonObject, course: Course) -> Permitted:
        """Take the steps that wait for nothing: what a model sent goes through them, and what a reviewer changed."""
        checked = validate(located, arguments, repair=self.policy.repair)
        course.warnings = checked.warnings
        permitted = permit(resolve_paths(checked), self._gate, course.reservation)
        course.reservation = permitted.reservation
        return permitted

    async def _ask(self, permitted: Permitted, course: Course) -> Approved:
        """Ask about a call; with changed arguments it is another one: checked, permitted and asked about again."""
        located = permitted.placed.checked.located
        for left in range(_MOST_CHANGES, -1, -1):
            with course.waiting():
                answer = await ask(permitted, self.desk, course)
            if isinstance(answer, Approved):
                return answer
            if not left:
                break
            permitted = self._check(located, answer, course)
            approved = allow_unasked(permitted)
            if approved is not None:
                return approved
        raise Refused(ToolOutcome.denied(f"the reviewer changed the arguments more than {_MOST_CHANGES} times"))

    async def _wait_for_slot(self, approved: Approved, course: Course) -> Slot:
        if course.waits_for_itself:
            return self._admission.none
        with course.waiting():
            return await self._admission.later(approved, course)

    def _broken(self, course: Course, error: BaseException) -> ToolOutcome:
        """Return the outcome of a call that failed in a part of the executor: a policy, a registry, a clock."""
        facts = {"event": "execution.broken", "tool": course.tool_name, "execution_id": course.execution_id}
        _log.error("the execution of %s broke down", course.tool_name, extra=facts | whereabouts(error))
        ran = "It may have had effects." if course.ran else "It was not run."
        return ToolOutcome.failed(f"The call could not be carried out. {ran}", exception=error)

    async def _note_cancelled(self, place: int, course: Course, answers: Answers[Execution]) -> None:
        execution = course.ended(ToolOutcome.cancelled())
        recording = record(execution, self._ledger)
        if recording is not None:
            await recording
        answers.put(place, execution)

    def _course_with(self, call: ToolCall | InvalidToolCall, options: CallOptions) -> Course:
        if not options:
            return self._course(call, self.scope)
        scope, id = scope_of(self.scope, options), options.get("execution_id")
        return self._course(call, scope, id, options.get("attempt", 1))

    def _course(
        self, call: ToolCall | InvalidToolCall, scope: Scope, execution_id: str | None = None, attempt: int = 1
    ) -> Course:
        call = call if type(call) is ToolCall else as_call(call)
        return Course(execution_id or new_id(), call, scope, attempt, self._clock)

    def _claim(self, call: ToolCall | InvalidToolCall, scope: Scope) -> Claim:
        """Return what a call lays hands on: one that will be refused, nothing; one that breaks, everything."""
        try:
            known = self._tools.get(call.name)
            if known is None or isinstance(call, InvalidToolCall):
                return NOTHING
            constraints = known.definition.constraints
            if constraints is None or constraints.resource is None:
                return EVERYTHING if known.side_effects else NOTHING
            located = find(call, self._tools, scope)
            placed = resolve_paths(validate(located, located.call.arguments, repair=self.policy.repair))
            return Claim(known.side_effects, constraints.resource_for(placed.resolved))
        except Refused:
            return NOTHING
        except BaseException as error:
            if is_no_failure(error):
                raise
            return EVERYTHING  # its own answer will tell what is wrong

    # Looking, without running anything

    def explain(self, call: ToolCall | InvalidToolCall, **options: Unpack[ScopeOptions]) -> Explanation:
        """Say what would be decided about a call now, by which rule, and every step on the way. Nothing is run."""
        try:
            located = find(call, self._tools, scope_of(self.scope, options) if options else self.scope)
            placed = resolve_paths(validate(located, located.call.arguments, repair=self.policy.repair))
        except Refused as refusal:
            reason = refusal.outcome.error or "the call is not valid"
            verdict = Verdict(effect="deny", source="arguments", reason=reason)
            return Explanation(verdict, (Considered("arguments", reason),))
        return explain(placed, self._gate)

    def validate(self, name: str, arguments: Mapping[str, Any]) -> ValidationReport:
        """Say what is wrong with arguments, as a call of them would be told. Nothing is run."""
        known = self._tools.get(name)
        if known is None:
            issue = ValidationIssue(path="", code="tool_not_found", message="there is no tool of this name")
            return ValidationReport.invalid(issue)
        try:
            frozen = freeze_object(arguments)
        except NotJsonError as error:
            return ValidationReport.invalid(ValidationIssue.invalid_value(error.path, error.problem))
        return report_on(known, frozen, repair=self.policy.repair)[1]

    def summarize(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Say in one line what a call would do. Nothing is run."""
        known = self._tools.get(name)
        return f"Execute {name}" if known is None else known.summarize(arguments)

    def effective_risk(self, name: str, arguments: Mapping[str, Any]) -> RiskLevel:
        """Return the risk of a call; medium for a tool that nobody knows. Nothing is run."""
        known = self._tools.get(name)
        return RiskLevel.MEDIUM if known is None else known.risk_of(arguments)

    @property
    def active(self) -> int:
        """How many calls run now."""
        return self._admission.slots.active

    @property
    def queued(self) -> int:
        """How many calls wait for a slot."""
        return self._admission.slots.queued

    @property
    def abandoned(self) -> int:
        """How many sync tools still run in a thread although their time is over; too many, and none is started."""
        return self._threads.abandoned

    def forget_session(self, session: str) -> None:
        """Forget what was counted, remembered and kept for a session that has ended."""
        self._accounts.close(session)
        self.memory.forget(session)
        self._kept.forget(session)
