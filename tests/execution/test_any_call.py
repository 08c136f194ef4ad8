"""Whatever tools, policies, reviewers and faults come together: nothing runs that was not allowed, and all is answered.

One hundred scenarios by default; ``HYPOTHESIS_PROFILE=thorough`` plays ten thousand.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter

from hypothesis import given

from tests.execution.scenarios import SCENARIOS, Play, Scenario, Seen, story_of, verdict_of
from tests.promises import keeps
from toolwright.execution import Execution, ExecutionStarted
from toolwright.execution.execution import status_of
from toolwright.messages import ToolCall

WELL_FORMED = re.compile(r"(requested decided )*(started (progress )*)?completed")
CUT_OFF = re.compile(r"(requested decided )*(requested )?completed")  # ended while somebody was asked


def played(scenario: Scenario) -> tuple[Play, Seen]:
    play = Play(scenario)
    return play, asyncio.run(play.play())


def allowed(scenario: Scenario, seen: Seen, ran: tuple[str, str, object], call_approved: bool) -> bool:
    """Say whether somebody who may has let a call run, as far as that can be seen from outside."""
    id, name, arguments = ran
    verdict = verdict_of(scenario, name, arguments)  # type: ignore[arg-type]
    if verdict == "deny":
        return False
    asked_and_approved = any(
        (each[0], each[1], each[2]) == (id, name, arguments) and each[3].startswith("approve")
        for each in seen.approvals
    )
    if verdict == "allow" or asked_and_approved or call_approved:
        return True
    # Somebody has approved all calls of the tool before; that does not count where each is to be confirmed.
    remembered = any(each[1] == name and each[3] == "approve and remember" for each in seen.approvals)
    return remembered and verdict != "confirm"


@keeps("execution.gate")
@given(SCENARIOS)
def test_nothing_runs_that_was_not_allowed_and_every_call_is_answered_once(scenario: Scenario) -> None:
    play, seen = played(scenario)
    many = scenario.together == "many"
    completed: dict[str, Execution] = {
        each.execution_id: each.execution for each in seen.events if hasattr(each, "execution")
    }

    # Nothing runs after anything but a yes, twice, without its permissions, or beyond the limits.
    assert max(Counter(id for id, *_ in seen.ran).values(), default=1) == 1
    for ran in seen.ran:
        plan = scenario.calls[int(completed[ran[0]].call.id.removeprefix("call_"))]
        assert allowed(scenario, seen, ran, plan.approved and not many)
        needs_permission = scenario.tools[("alpha", "beta", "gamma").index(ran[1])].permission
        assert many or plan.granted or not needs_permission
        assert ran[2]["mode"] in ("a", "b")
        assert type(ran[2]["count"]) is int
    assert scenario.limit is None or len(seen.ran) <= scenario.limit

    # What runs was on record before, and what cannot be put there and has side effects does not run.
    if scenario.sink not in ("none", "start fails", "start stops"):
        assert {id for id, *_ in seen.ran} <= {intent.execution_id for intent in seen.intents}
    if scenario.sink.startswith("start "):
        plans = dict(zip(("alpha", "beta", "gamma"), scenario.tools, strict=True))
        assert not any(plans[name].side_effects for _, name, _ in seen.ran)

    # Each call has exactly one outcome, wherever that is told.
    completions = Counter(each.execution_id for each in seen.events if hasattr(each, "execution"))
    assert set(completions.values()) <= {1}
    if scenario.sink != "none":
        assert Counter(each.execution_id for each in seen.finished) == completions
    if not seen.cancelled:
        assert Counter(each.execution_id for each in seen.answers) == completions
        assert sorted(each.call.id for each in seen.answers) == [f"call_{n}" for n in range(len(scenario.calls))]
        if many:
            assert [each.call.id for each in seen.answers] == [f"call_{n}" for n in range(len(scenario.calls))]
    for execution in completed.values():
        assert execution.status == status_of(execution.outcome)
        result = execution.to_result()
        assert (result.tool_call_id, result.is_error) == (execution.call.id, not execution.outcome.success)
        assert result.result

    # The story that events tell of a call is one that can be.
    started = {each.execution_id for each in seen.events if isinstance(each, ExecutionStarted)}
    assert {id for id, *_ in seen.ran} == started
    for id, execution in completed.items():
        story = story_of(seen.events, id)
        cut_off = execution.status == "cancelled" and CUT_OFF.fullmatch(story)
        assert WELL_FORMED.fullmatch(story) or cut_off, story

    # Whatever was taken is given back.
    executor = play.executor
    assert (executor.active, executor.queued, executor.abandoned, executor.cancel(session="s")) == (0, 0, 0, 0)
    assert not any(seen.running.values())
    told = executor.explain(ToolCall("call_x", "alpha", {"mode": "a"}), session="s")
    if scenario.limit is not None and told.verdict.source in ("rule", "risk", "confirmation", "limit"):
        assert (told.verdict.source == "limit") == (len(seen.ran) >= scenario.limit)
