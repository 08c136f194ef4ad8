"""Step 4: whether a call may run: permissions, tier, policy and limits.

What the policy lets pass, or wants a person asked about, takes its place under the limits here, before anybody is
asked and before anything awaits: of twenty calls at once under a limit of ten, ten get a place. A call that is then
not run gives its place back; a call that comes here again with changed arguments keeps the one it has.

This step asks nobody and runs nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import msgspec

from toolwright.errors import LicenseError, PolicyError
from toolwright.execution.clock import Clock
from toolwright.execution.limits import Accounts, Reservation
from toolwright.execution.policy import Policy
from toolwright.execution.remembered import Memory
from toolwright.execution.stages import Permitted, Placed, Refused
from toolwright.execution.verdict import CallFacts, Considered, Explanation, Verdict
from toolwright.levels import RiskLevel
from toolwright.tiers import LicenseContext, validate_isolation
from toolwright.tools.outcome import ToolOutcome

__all__ = ["Gate", "checked_grants", "explain", "facts_of", "missing_permissions", "permit"]

_GRANT: Final = re.compile(r"(\*|[a-z][a-z0-9_-]*)(\.(\*|[a-z][a-z0-9_-]*))*")


class Gate(msgspec.Struct, frozen=True, eq=False):
    """What an executor decides by."""

    policy: Policy
    memory: Memory
    accounts: Accounts
    license: LicenseContext
    clock: Clock


def permit(placed: Placed, gate: Gate, held: Reservation | None = None) -> Permitted:
    """Let a call go on, to be run or to be asked about; ``held`` is the place that it has already.

    Raises:
        Refused: A permission is missing, the tier does not reach, or the policy or a limit forbids it
            (``permission_denied``). A place that was ``held`` is still to be given back.
    """
    located = placed.checked.located
    known, session = located.known, located.scope.session
    definition = known.definition
    barred = _barred(placed, gate) if known.may_be_barred else None
    if barred is not None:
        raise _refused(barred)
    risk = known.risk_of(placed.checked.arguments)
    remembered = gate.memory.about(definition.name, session)
    verdict = None if remembered else gate.policy.standing(definition, risk)
    if verdict is None:  # it depends on more than the tool and the risk
        verdict = gate.policy.decide(facts_of(placed, risk), now=gate.clock.now(), remembered=remembered)
    if verdict.effect == "deny":
        raise _refused(verdict)
    place = held or gate.accounts.take(session, definition.name, gate.clock.monotonic())
    if isinstance(place, str):
        raise _refused(Verdict(effect="deny", source="limit", reason=place))
    return Permitted(placed, verdict, risk, place)


def explain(placed: Placed, gate: Gate) -> Explanation:
    """Return what :func:`permit` would say now, with each step on the way. Nothing is counted."""
    barred = _barred(placed, gate)
    if barred is not None:
        return Explanation(barred, (Considered(barred.source, barred.reason),))
    facts = facts_of(placed, placed.checked.located.known.risk_of(placed.checked.arguments))
    name, session = facts.definition.name, facts.session
    told = gate.policy.explain(
        facts,
        now=gate.clock.now(),
        remembered=gate.memory.about(name, session),
        counts=gate.accounts.counts(session, name, gate.clock.monotonic()),
    )
    passed = Considered("permissions", "the caller has those that the tool asks for")
    return Explanation(told.verdict, (passed, *told.steps))


def facts_of(placed: Placed, risk: RiskLevel) -> CallFacts:
    """Return what a policy decides by: paths as they lead, and the risk of just this call."""
    located = placed.checked.located
    definition, scope = located.known.definition, located.scope
    workspace = None
    if scope.workspace is not None:
        workspace = os.path.realpath(scope.workspace) if placed.paths else str(scope.workspace)
    return CallFacts(
        definition=definition,
        arguments=placed.resolved,
        risk=risk,
        session=scope.session,
        workspace=workspace,
        paths=placed.paths,
        digest=located.known.digest,
    )


def _barred(placed: Placed, gate: Gate) -> Verdict | None:
    """Return why nobody could let this call pass: no rule and no person stands above permissions and tier."""
    known, scope = placed.checked.located.known, placed.checked.located.scope
    missing = missing_permissions(known.definition.permissions, scope.grants)
    if missing:
        reason = f"the caller has not been granted {', '.join(missing)}"
        return Verdict(effect="deny", source="permissions", reason=reason)
    try:
        validate_isolation(gate.license.tier, known.isolation)
    except LicenseError as error:
        return Verdict(effect="deny", source="tier", reason=str(error))
    return None


def _refused(verdict: Verdict) -> Refused:
    return Refused(ToolOutcome.failed(f"This call may not run: {verdict.reason}.", code="permission_denied"))


def missing_permissions(required: tuple[str, ...], grants: tuple[str, ...]) -> tuple[str, ...]:
    """Return the permissions that no grant gives.

    A ``*`` stands for one word, and at the end for all that follow: ``tool.filesystem.*``, ``tool.*.read``, ``*``.
    """
    if not required:
        return ()
    return tuple([each for each in required if not any(_gives(grant, each) for grant in grants)])


@lru_cache(maxsize=4096)
def _gives(grant: str, permission: str) -> bool:
    granted, wanted = grant.split("."), permission.split(".")
    if granted[-1] == "*" and len(wanted) >= len(granted):
        granted.pop()
        wanted = wanted[: len(granted)]
    return len(granted) == len(wanted) and all(
        word in ("*", other) for word, other in zip(granted, wanted, strict=True)
    )


def checked_grants(grants: Iterable[str]) -> tuple[str, ...]:
    """Return grants as a tuple, all of which can give something.

    Raises:
        TypeError: One text was given instead of a collection of them.
        PolicyError: A grant is not made of words, or of ``*``, with dots between them.
    """
    if isinstance(grants, str):
        raise TypeError("grants are given as a collection of texts, such as a tuple")
    checked = tuple(grants)
    for index, grant in enumerate(checked):
        if not _is_grant(grant):
            problem = "must be words with dots between them, each a name or *, such as tool.filesystem.*"
            raise PolicyError(problem, code="invalid_rule", path=f"grants[{index}]")
    return checked


def _is_grant(grant: object) -> bool:
    return isinstance(grant, str) and _GRANT.fullmatch(grant) is not None
