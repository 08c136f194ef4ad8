"""Step 5: a person is asked, where the policy wants that. The one place that makes an ``Approved``.

With nobody to ask, the answer is no. A reviewer that raises, hangs, or gives anything but a decision has not approved.
"""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from toolwright.execution.clock import Clock
from toolwright.execution.events import ApprovalDecided, ApprovalRequested, Events
from toolwright.execution.remembered import Memory, Remember
from toolwright.execution.reviewers import Decision, Review, ReviewRequest
from toolwright.execution.running import Overdue, Running, drive, is_no_failure
from toolwright.execution.stages import Approved, Permitted, Refused
from toolwright.execution.steps.paths import detours
from toolwright.execution.steps.permit import facts_of
from toolwright.tools.outcome import ToolOutcome
from toolwright.tools.threads import Threads
from toolwright.values import JsonObject

if TYPE_CHECKING:
    from toolwright.telemetry import Telemetry

__all__ = ["Desk", "allow_unasked", "ask"]

_log: Final = logging.getLogger("toolwright.execution")

_NOBODY: Final = (
    "it needs the approval of a person ({reason}), and nobody is there to ask. To allow it, give the executor a "
    "reviewer, or add a rule with effect 'allow' to its policy"
)
_OURS: Final = frozenset(["policy", "caller"])  # no person may stand in the record as either
_LONGEST_WAIT: Final = 10 * 365 * 86_400.0  # seconds; a date further off may not exist


class Desk(msgspec.Struct, frozen=True, eq=False):
    """Who is asked, for how long, and who hears of it."""

    review: Review | None
    name: str
    seconds: float
    memory: Memory
    events: Events
    clock: Clock
    threads: Threads
    telemetry: Telemetry | None


def allow_unasked(permitted: Permitted) -> Approved | None:
    """Let a call run that nobody need be asked about; None for one that somebody must."""
    if permitted.verdict.effect == "allow":
        return Approved(permitted, "policy")
    if permitted.verdict.effect == "ask" and permitted.placed.checked.located.scope.approved:
        return Approved(permitted, "caller")
    return None


async def ask(permitted: Permitted, desk: Desk, running: Running) -> Approved | JsonObject:
    """Ask whether a call may run; arguments instead of a yes are to be validated, permitted and asked about again.

    Raises:
        Refused: It may not (``denied``), or nobody said in time that it may (``approval_expired``).
    """
    if desk.review is None or permitted.verdict.effect != "ask":
        raise Refused(ToolOutcome.denied(_NOBODY.format(reason=permitted.verdict.reason)))
    request = _request(permitted, desk, running)
    name, id = request.tool_name, request.execution_id
    facts: dict[str, object] = {"tool": name, "execution_id": id}
    _log.info("approval asked for %s", name, extra={"event": "approval.asked", **facts})
    if desk.events.heard:
        desk.events.emit(ApprovalRequested(at=desk.clock.now(), execution_id=id, tool_name=name, request=request))
    began = desk.clock.monotonic()
    decision, refusal = await _decision(desk, request, running)
    if desk.telemetry is not None:
        desk.telemetry.approval_waited(desk.clock.monotonic() - began, decision.answer)
    _log.info("approval of %s decided", name, extra={"event": "approval.decided", "answer": decision.answer, **facts})
    if desk.events.heard:
        desk.events.emit(ApprovalDecided(at=desk.clock.now(), execution_id=id, tool_name=name, decision=decision))
    if refusal is not None:
        raise Refused(refusal)
    return await _follow(decision, permitted, desk, running)


async def _decision(desk: Desk, request: ReviewRequest, running: Running) -> tuple[Decision, ToolOutcome | None]:
    """Return what was decided, and for what counts as a denial without being one, how the call ends."""
    try:
        answer = await drive(running, _answer(desk, request), desk.seconds)
    except (Overdue, TimeoutError):  # the second is how an inbox says that a request has expired
        text = f"Nobody decided within {desk.seconds:g} s whether the call may run. It was not run."
        return Decision.deny("nobody decided in time", by=desk.name), ToolOutcome.failed(text, code="approval_expired")
    except CancelledError:
        if running.interrupted:
            raise
        return _no_answer(desk, "the reviewer gave up")
    except BaseException as error:
        if is_no_failure(error):
            raise
        facts = {"event": "approval.failed", "tool": request.tool_name, "error": type(error).__name__}
        _log.warning("the reviewer failed", extra=facts)
        return _no_answer(desk, f"the reviewer failed ({type(error).__name__})")
    if not isinstance(answer, Decision):
        return _no_answer(desk, "the reviewer gave no decision")
    return answer, None


async def _answer(desk: Desk, request: ReviewRequest) -> object:
    answer: Any = desk.review(request) if desk.review is not None else None
    return await answer if isawaitable(answer) else answer


def _no_answer(desk: Desk, reason: str) -> tuple[Decision, ToolOutcome]:
    return Decision.deny(reason, by=desk.name), ToolOutcome.denied(f"{reason}, which counts as no")


async def _follow(decision: Decision, permitted: Permitted, desk: Desk, running: Running) -> Approved | JsonObject:
    if decision.answer == "change" and decision.arguments is not None:
        return decision.arguments
    by = decision.by or desk.name
    if by in _OURS:
        by = f"reviewer {by}"
    if decision.remember is not None:
        note = _note(decision, decision.remember, permitted, desk, by)
        await _remember(note, decision.remember, desk, running)
    if decision.answer == "approve":
        return Approved(permitted, by)
    raise Refused(ToolOutcome.denied(decision.reason or "the reviewer said no"))


def _note(decision: Decision, wish: Remember, permitted: Permitted, desk: Desk, by: str) -> Callable[[], object]:
    """Return what remembers a decision."""
    facts = facts_of(permitted.placed, permitted.risk)
    return partial(
        desk.memory.remember,
        wish,
        "allow" if decision.answer == "approve" else "deny",
        definition=facts.definition,
        arguments=facts.arguments,
        risk=permitted.risk,
        now=desk.clock.now(),
        origin=by,
        session=facts.session,
        workspace=facts.workspace,
        reason=decision.reason,
        digest=facts.bound_to,
    )


async def _remember(note: Callable[[], object], wish: Remember, desk: Desk, running: Running) -> None:
    try:
        if wish.lasts == "session":
            note()
        else:  # which is written to the disk, and may take no longer than deciding
            await drive(running, desk.threads.run(note), desk.seconds)
    except Exception as error:  # noqa: BLE001  a decision counts, whether it could be remembered or not
        facts = {"event": "approval.not_remembered", "error": type(error).__name__}
        _log.warning("a decision could not be remembered", extra=facts)


def _request(permitted: Permitted, desk: Desk, running: Running) -> ReviewRequest:
    checked = permitted.placed.checked
    located = checked.located
    known, scope = located.known, located.scope
    seconds = min(desk.seconds, _LONGEST_WAIT)
    mended = (f"{issue.path}: {issue.message}" if issue.path else issue.message for issue in checked.warnings)
    return ReviewRequest(
        execution_id=running.execution_id,
        tool_name=known.name,
        call=located.call,
        summary=known.summarize(checked.arguments),
        arguments=checked.arguments,
        risk=permitted.risk,
        reason=permitted.verdict.reason,
        warnings=(*mended, *detours(permitted.placed)),
        diff=known.diff(checked.arguments, scope.workspace),
        expires_at=desk.clock.now() + timedelta(seconds=seconds),
        session=scope.session,
        workspace=None if scope.workspace is None else str(scope.workspace),
        definition=known.digest,
        memorable=not known.definition.requires_confirmation,
    )
