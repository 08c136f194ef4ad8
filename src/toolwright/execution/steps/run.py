"""Step 7: on record first, then in the isolation that the definition asks for, under its deadline."""

from __future__ import annotations

from asyncio import CancelledError
from logging import INFO, getLogger
from typing import Any, Final

import msgspec

from toolwright.execution.clock import Clock
from toolwright.execution.course import Course
from toolwright.execution.events import Events, ExecutionStarted
from toolwright.execution.execution import Intent
from toolwright.execution.known import KnownTool
from toolwright.execution.reports import Reports
from toolwright.execution.running import Overdue, drive
from toolwright.execution.sinks import Recorder
from toolwright.execution.stages import Approved, Refused, Scope
from toolwright.execution.threads import BoundedThreads, TooManyAbandoned
from toolwright.levels import SandboxIsolationLevel
from toolwright.sandbox import NO_ACCESS, Access, RunLimits, Sandbox, Unavailable
from toolwright.tools.base import failure
from toolwright.tools.context import ToolContext
from toolwright.tools.outcome import ToolOutcome

__all__ = ["Bench", "run"]

_log: Final = getLogger("toolwright.execution")

_HERE: Final = SandboxIsolationLevel.NONE
_BACKSTOP: Final = 1.0  # seconds by which a runner that ends what it runs by itself may be late, before we end it


class Bench(msgspec.Struct, frozen=True, eq=False):
    """What tools are run with."""

    sandbox: Sandbox
    seconds: float
    threads: BoundedThreads
    recorder: Recorder | None
    events: Events
    clock: Clock


async def run(approved: Approved, bench: Bench, course: Course) -> ToolOutcome:
    """Run a call that may be run, and return how it ended.

    Raises:
        Refused: The isolation that it needs is not to be had here, or it could not be put on record: it did not run.
        CancelledError: The call was cancelled, before or while it ran.
    """
    checked = approved.permitted.placed.checked
    known, scope = checked.located.known, checked.located.scope
    level = known.isolation
    runner = bench.sandbox.runner_for(level)
    if isinstance(runner, Unavailable):
        raise Refused(_unavailable(known, runner))
    if bench.recorder is not None:
        recording = bench.recorder.started(_intent(approved, course, bench.clock), course)
        if recording is not None:
            _check_recorded(recording if isinstance(recording, BaseException) else await recording, known)
    course.ran, course.isolation = True, level
    if _log.isEnabledFor(INFO):
        facts = {"event": "execution.started", "tool": known.name, "execution_id": course.execution_id}
        _log.info("execution of %s started", known.name, extra=facts)
    if bench.events.heard:
        bench.events.emit(
            ExecutionStarted(at=bench.clock.now(), tool_name=known.name, execution_id=course.execution_id)
        )
    limits = known.limits
    if scope.timeout is not None or limits.seconds > bench.seconds:
        limits = _limits(limits, scope, bench.seconds)
    context = _context(approved, bench, course)
    here = level is _HERE
    access = NO_ACCESS if here else _access(known, scope, bench.sandbox.access)
    try:
        running = runner.run(known.tool, context, level=level, access=access, limits=limits)
        given: Any = await drive(course, running, limits.seconds if here else limits.seconds + _BACKSTOP)
    except Overdue:
        context.cancellation.cancel()
        return ToolOutcome.timed_out(limits.seconds)
    except CancelledError:
        if course.interrupted:
            context.cancellation.cancel()
            raise
        return ToolOutcome.cancelled("Something that the tool was waiting for was cancelled.")
    except BaseException as error:  # noqa: BLE001  the tool's own code; what may not be caught goes on
        given = failure(error)
    return given if given.__class__ is ToolOutcome and given.exception is None else _outcome_of(given)


def _context(approved: Approved, bench: Bench, course: Course) -> ToolContext:
    """Return what the tool gets."""
    checked = approved.permitted.placed.checked
    scope = checked.located.scope
    return ToolContext(
        execution_id=course.execution_id,
        call=checked.located.call,
        arguments=checked.arguments,
        session_id=scope.session,
        workspace=scope.workspace,
        services=scope.services,
        approved=approved.by != "policy",
        attempt=course.attempt,
        metadata=scope.metadata,
        started_at=course.started_at,
        checked=True,
        progress=Reports(course, checked.located.known.name, scope.progress, bench.events, bench.clock)
        if bench.events.heard or scope.progress is not None
        else None,  # so that reporting costs nothing
        threads=bench.threads,
    )


def _limits(limits: RunLimits, scope: Scope, ceiling: float) -> RunLimits:
    """Return what a run is held to: the shortest time of definition, call and executor."""
    seconds = ceiling if scope.timeout is None else min(ceiling, scope.timeout)
    return limits if limits.seconds <= seconds else RunLimits(seconds=seconds, output=limits.output)


def _outcome_of(given: Any) -> ToolOutcome:
    if not isinstance(given, ToolOutcome):
        return ToolOutcome.ok(given)
    if given.exception is not None and isinstance(given.exception, TooManyAbandoned):
        return ToolOutcome.failed(str(given.exception), code="resource_limit")
    return given


def _access(known: KnownTool, scope: Scope, configured: Access) -> Access:
    """Return what an isolated call may touch: its workspace, only to be read where it changes nothing, and the rest."""
    if scope.workspace is None:
        return configured
    workspace = str(scope.workspace)
    if known.side_effects:
        return Access(read=configured.read, write=(workspace, *configured.write), hosts=configured.hosts)
    return Access(read=(workspace, *configured.read), write=configured.write, hosts=configured.hosts)


def _unavailable(known: KnownTool, why: Unavailable) -> ToolOutcome:
    text = f"The tool needs isolation '{known.isolation}', which is not to be had here: {why.reason}. {why.remedy}."
    return ToolOutcome.failed(text, code="isolation_unavailable")


def _check_recorded(error: BaseException | None, known: KnownTool) -> None:
    """Let a call go on that could not be put on record only if it changes nothing: nobody would know of it.

    Raises:
        Refused: It has side effects.
    """
    if error is not None and known.side_effects:
        text = f"The call could not be put on record ({type(error).__name__}), so it was not run."
        raise Refused(ToolOutcome.failed(text, code="record_failed"))


def _intent(approved: Approved, course: Course, clock: Clock) -> Intent:
    checked = approved.permitted.placed.checked
    located = checked.located
    known = located.known
    return Intent(
        execution_id=course.execution_id,
        tool_name=known.name,
        call=located.call,
        arguments=checked.arguments,
        definition=known.digest,
        side_effects=known.side_effects,
        idempotency_key=known.idempotency_key,
        approved_by=approved.by,
        isolation=known.isolation,
        attempt=course.attempt,
        session=located.scope.session,
        at=clock.now(),
    )
