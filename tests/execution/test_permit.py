from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.errors import PolicyError
from toolwright.execution.known import KnownTools
from toolwright.execution.limits import Accounts, Limits
from toolwright.execution.policy import Policy, Rule
from toolwright.execution.remembered import Memory
from toolwright.execution.stages import Checked, Located, Permitted, Placed, Refused, Scope
from toolwright.execution.steps.permit import Gate, checked_grants, explain, facts_of, missing_permissions, permit
from toolwright.levels import RiskLevel
from toolwright.messages import ToolCall
from toolwright.registry import Registry
from toolwright.testing import FakeClock, MockTool
from toolwright.tiers import License, Tier
from toolwright.tools import ToolBase, ToolDefinition
from toolwright.tools.outcome import ToolOutcome
from toolwright.values import freeze_object


def gate(policy: Policy | None = None, *, tier: Tier = Tier.ENTERPRISE, clock: FakeClock | None = None) -> Gate:
    decided = policy or Policy()
    return Gate(decided, Memory(decided.remembered), Accounts(decided.limits), License(tier), clock or FakeClock())


def placed(tool: Any = None, arguments: Mapping[str, Any] | None = None, **scope: Any) -> Placed:
    tool = tool or MockTool("probe")
    known = KnownTools(Registry([tool])).get(tool.definition.name)
    assert known is not None
    given = freeze_object(arguments or {})
    located = Located(ToolCall("call_1", known.name, given), known, Scope(**({"grants": ("*",)} | scope)))
    return Placed(Checked(located, given), given)


def refusal(call: Placed, by: Gate) -> ToolOutcome:
    with pytest.raises(Refused) as caught:
        permit(call, by)
    assert caught.value.outcome.error_code == "permission_denied"
    assert not caught.value.outcome.success
    return caught.value.outcome


@keeps("policy.permissions")
@pytest.mark.parametrize(
    ("grants", "given"),
    [
        (("*",), True),
        (("tool.*",), True),
        (("tool.filesystem.*",), True),
        (("tool.filesystem.read",), True),
        (("tool.*.read",), True),
        (("other", "*.filesystem.read"), True),
        ((), False),
        (("tool",), False),
        (("tool.filesystem",), False),
        (("tool.filesystem.write",), False),
        (("tool.filesystem.read.*",), False),
        (("tool.filesystem.read.deep",), False),
        (("tool.file*",), False),
        (("",), False),
    ],
)
def test_a_permission_is_given_by_its_name_or_by_wildcards(grants: tuple[str, ...], given: bool) -> None:
    assert (missing_permissions(("tool.filesystem.read",), grants) == ()) == given


WORDS = st.lists(st.sampled_from(["tool", "git", "read", "*"]), min_size=1, max_size=4)


@given(WORDS, st.lists(st.sampled_from(["tool", "git", "read"]), min_size=1, max_size=4))
def test_a_wildcard_stands_for_one_word_or_at_the_end_for_all_that_follow(grant: list[str], wanted: list[str]) -> None:
    def gives(grant: list[str], wanted: list[str]) -> bool:
        if not grant or not wanted:
            return grant == wanted
        if grant == ["*"]:
            return True
        return grant[0] in ("*", wanted[0]) and gives(grant[1:], wanted[1:])

    assert (missing_permissions((".".join(wanted),), (".".join(grant),)) == ()) == gives(grant, wanted)


def test_grants_that_could_give_nothing_are_refused() -> None:
    assert checked_grants(["tool.filesystem.*", "*"]) == ("tool.filesystem.*", "*")
    with pytest.raises(TypeError):
        checked_grants("tool.filesystem.read")
    for wrong in ("", "tool.file*", "Tool.git", "tool..read", "tool.", 1):
        with pytest.raises(PolicyError, match=r"grants\[1\]"):
            checked_grants(["*", wrong])  # type: ignore[list-item]


@keeps("policy.permissions")
def test_a_call_without_its_permission_is_refused_whatever_the_rules_say() -> None:
    tool = MockTool("probe", permissions=["tool.git.read", "tool.git.write"])
    by = gate(Policy((Rule(effect="allow", tool="*"),)))
    outcome = refusal(placed(tool, grants=("tool.git.read",)), by)
    assert outcome.error == "This call may not run: the caller has not been granted tool.git.write."
    assert permit(placed(tool, grants=("tool.git.*",)), by).verdict.effect == "allow"


@keeps("policy.tier")
def test_a_tool_that_needs_more_isolation_than_the_tier_has_is_refused() -> None:
    tool = MockTool("probe", constraints={"isolation": "strict"})
    assert "Teams lifts this" in (refusal(placed(tool), gate(tier=Tier.CORE)).error or "")
    assert permit(placed(tool), gate(tier=Tier.TEAMS)).verdict.effect == "allow"


def test_the_risk_of_just_this_call_decides() -> None:
    class Careful(ToolBase):
        definition = ToolDefinition("careful", "For tests.", risk="safe", strict=False)

        def effective_risk(self, arguments: Mapping[str, Any]) -> RiskLevel:
            return RiskLevel(arguments["risk"])

        def run(self, context: Any) -> None:
            raise AssertionError("nothing runs here")

    for risk, effect in (("safe", "allow"), ("high", "ask"), ("no such risk", "ask")):
        permitted = permit(placed(Careful(), {"risk": risk}), gate())
        assert permitted.verdict.effect == effect
    assert permit(placed(Careful(), {}), gate()).risk is RiskLevel.CRITICAL


def test_a_deny_rule_refuses_and_tells_the_model_why() -> None:
    rules = (Rule(effect="deny", tool="probe", reason="use the other one", origin="policy.toml, rule 1"),)
    outcome = refusal(placed(), gate(Policy(rules)))
    assert outcome.error == "This call may not run: policy.toml, rule 1 forbids this: use the other one."


@keeps("policy.limits.taken")
async def test_twenty_calls_at_once_under_a_limit_of_ten_are_ten_permitted_calls() -> None:
    by = gate(Policy(limits=Limits(calls=10)))

    async def one() -> bool:
        await asyncio.sleep(0)
        try:
            permitted = permit(placed(session="s"), by)
        except Refused:
            return False
        await asyncio.sleep(0)
        return isinstance(permitted, Permitted)

    assert sum(await asyncio.gather(*[one() for _ in range(20)])) == 10


@keeps("policy.limits")
def test_limits_belong_to_a_session_and_a_minute_passes() -> None:
    clock = FakeClock()
    by = gate(Policy(limits=Limits(calls_per_minute=1)), clock=clock)
    permit(placed(session="one"), by)
    permit(placed(session="two"), by)
    permit(placed(), by)
    refusal(placed(session="one"), by)
    clock.advance(60)
    permit(placed(session="one"), by)


def test_a_place_is_kept_through_changes_and_given_back_if_nothing_runs() -> None:
    by = gate(Policy(limits=Limits(calls=1)))
    first = permit(placed(), by)
    again = permit(placed(arguments={"changed": True}), by, first.reservation)
    assert again.reservation is first.reservation
    refusal(placed(), by)
    again.reservation.give_back()
    permit(placed(), by)


def test_a_refused_call_takes_no_place() -> None:
    by = gate(Policy((Rule(effect="deny", when={"no": "*"}),), Limits(calls=1)))
    for _ in range(5):
        refusal(placed(arguments={"no": 1}), by)
    permit(placed(), by)


@keeps("policy.why")
def test_an_explanation_tells_what_permit_would_do_and_counts_nothing() -> None:
    by = gate(Policy((Rule(effect="allow", tool="probe"),), Limits(calls=1)))
    for _ in range(3):
        told = explain(placed(), by)
        assert (told.verdict.effect, told.verdict.origin) == ("allow", "rule 1")
        assert [step.step for step in told.steps] == ["permissions", "deny_rule", "confirmation", "remembered", "rule"]
    permit(placed(), by)
    assert explain(placed(), by).verdict.source == "limit"
    barred = explain(placed(MockTool("probe", permissions=["tool.git.read"]), grants=()), by)
    assert (barred.verdict.source, len(barred.steps)) == ("permissions", 1)


def test_a_policy_sees_paths_as_they_lead(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    call = placed(workspace=tmp_path / "link")
    resolved = freeze_object({"path": str(tmp_path / "a.txt")})
    facts = facts_of(Placed(call.checked, resolved, frozenset({"path"})), RiskLevel.LOW)
    assert facts.texts_of("path") == (str(tmp_path / "a.txt"), "a.txt")
