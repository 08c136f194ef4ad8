from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.execution.deciding import NOW, defined, facts
from tests.promises import keeps
from toolwright.errors import PolicyError
from toolwright.execution.policy import Policy, Rule
from toolwright.execution.remembered import Memory, Remember, Remembered, arguments_digest
from toolwright.execution.rules import RuleFile
from toolwright.execution.verdict import CallFacts, Verdict
from toolwright.values import freeze_object


def remember(memory: Memory, call: CallFacts, wish: Remember | str, effect: Any = "allow", **fields: Any) -> Remembered:
    made = Remember.of(wish)
    assert made is not None
    usual = {"now": NOW, "origin": "ann", "session": call.session, "workspace": call.workspace}
    told = {"definition": call.definition, "arguments": call.arguments, "risk": call.risk}
    return memory.remember(made, effect, **(usual | told | fields))


def decide(memory: Memory, call: CallFacts, *, now: datetime = NOW, rules: tuple[Rule, ...] = ()) -> Verdict:
    about = memory.about(call.definition.name, call.session)
    return Policy(rules).decide(call, now=now, remembered=about)


@keeps("policy.remembered.scope")
@pytest.mark.parametrize(
    ("wish", "same", "other_arguments", "other_session"),
    [
        ("call", "allow", "ask", "ask"),
        ("tool", "allow", "allow", "ask"),
        ("session", "allow", "allow", "ask"),
        ("project", "allow", "allow", "allow"),
        ("always", "allow", "allow", "allow"),
        (Remember(covers="call", lasts="always"), "allow", "ask", "allow"),
    ],
)
def test_a_decision_holds_for_the_calls_it_was_remembered_for(
    wish: Remember | str, same: str, other_arguments: str, other_session: str, tmp_path: Path
) -> None:
    memory = Memory(keepers={"project": RuleFile(tmp_path / "p.toml"), "always": RuleFile(tmp_path / "u.toml")})
    call = facts({"command": "ls"}, session="one")
    remember(memory, call, wish)
    assert decide(memory, call).effect == same
    assert decide(memory, facts({"command": "rm"}, session="one")).effect == other_arguments
    assert decide(memory, facts({"command": "ls"}, session="two")).effect == other_session
    assert decide(memory, facts({"command": "ls"})).effect == other_session
    assert decide(memory, facts({"command": "ls"}, session="one", name="other")).effect == "ask"


def test_a_wish_is_a_word_or_says_more() -> None:
    assert Remember.of(None) is None
    assert Remember.of("call") == Remember(covers="call", lasts="session")
    assert Remember.of("project") == Remember(covers="tool", lasts="project")
    for wrong in ({"covers": "everything"}, {"lasts": "ever"}, {"seconds": 0}, {"seconds": float("inf")}):
        with pytest.raises(PolicyError):
            Remember(**wrong)
    with pytest.raises(PolicyError, match="must be one of always, call, project, session, tool"):
        Remember.of("forever")


@keeps("policy.remembered.expiry")
def test_a_decision_that_has_expired_is_as_if_it_had_not_been() -> None:
    memory = Memory()
    made = remember(memory, facts(), Remember(seconds=60))
    assert made.expires_at == NOW + timedelta(seconds=60)
    assert decide(memory, facts(), now=NOW + timedelta(seconds=59)).effect == "allow"
    assert decide(memory, facts(), now=NOW + timedelta(seconds=60)).effect == "ask"
    assert memory.all(NOW + timedelta(seconds=60)) == ()
    assert remember(Memory(), facts(), Remember(seconds=1e300)).expires_at is None


@keeps("policy.remembered.digest")
def test_a_changed_definition_asks_again() -> None:
    memory, changed = Memory(), defined(description="It does something else now.")
    remember(memory, facts(), "tool")
    assert decide(memory, facts(definition=changed)).effect == "ask"
    remember(memory, facts(), "tool", "deny")
    verdict = decide(memory, facts(definition=changed), rules=(Rule(effect="allow", tool="*"),))
    assert (verdict.effect, verdict.source) == ("ask", "remembered")


def test_an_approval_covers_no_more_risk_than_was_seen() -> None:
    memory = Memory()
    remember(memory, facts(risk="medium"), "tool")
    assert decide(memory, facts(risk="medium")).effect == "allow"
    assert decide(memory, facts(risk="high")).effect == "ask"
    remember(memory, facts(risk="medium"), "tool", "deny")
    assert decide(memory, facts(risk="critical")).effect == "deny"


@keeps("policy.confirmation")
def test_no_decision_outranks_a_deny_rule_or_a_required_confirmation() -> None:
    memory = Memory()
    for wish in ("call", "tool"):
        remember(memory, facts(requires_confirmation=True), wish)
    assert decide(memory, facts(requires_confirmation=True)).effect == "ask"
    remember(memory, facts(), "tool")
    assert decide(memory, facts(), rules=(Rule(effect="deny", tool="*"),)).effect == "deny"
    assert decide(memory, facts(), rules=(Rule(effect="ask", tool="*"),)).effect == "allow"


def test_a_denial_goes_before_an_approval_and_before_an_allow_rule() -> None:
    memory = Memory()
    call = facts({"command": "rm"})
    remember(memory, call, "call", "deny", reason="it is needed")
    remember(memory, call, "tool")
    verdict = decide(memory, call, rules=(Rule(effect="allow", tool="*"),))
    assert (verdict.effect, verdict.origin) == ("deny", "ann")
    assert verdict.reason == "this call was denied before, by ann: it is needed"
    assert decide(memory, facts({"command": "ls"})).effect == "allow"


def test_a_later_decision_on_the_same_calls_takes_the_place_of_the_earlier() -> None:
    memory = Memory()
    remember(memory, facts(), "tool", "deny")
    remember(memory, facts(), "tool", "allow", now=NOW + timedelta(seconds=1))
    assert [each.effect for each in memory.all(NOW)] == ["allow"]
    assert decide(memory, facts()).effect == "allow"


@keeps("policy.remembered.revoked")
def test_decisions_know_their_origin_are_listed_and_revoked() -> None:
    memory = Memory()
    first = remember(memory, facts(), "tool", origin="ann")
    second = remember(memory, facts(session="s"), "call", origin="ben", now=NOW + timedelta(seconds=5))
    assert memory.all(NOW) == (second, first)
    assert [each.origin for each in memory.all(NOW)] == ["ben", "ann"]
    assert memory.revoke(first.id)
    assert not memory.revoke(first.id)
    assert memory.all(NOW) == (second,)
    assert decide(memory, facts()).effect == "ask"
    memory.forget("s")
    assert memory.all(NOW) == ()
    assert memory.about("run_command", "s") == ()


@keeps("policy.remembered.file")
def test_what_cannot_be_written_down_is_remembered_for_the_session_alone(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("this is no policy")
    for memory in (
        Memory(),
        Memory(keepers={"always": RuleFile(broken)}),
        Memory(keepers={"always": RuleFile(tmp_path)}),
    ):
        made = remember(memory, facts(session="s"), "always")
        assert (made.lasts, made.session) == ("session", "s")
        assert decide(memory, facts(session="s")).effect == "allow"
        assert decide(memory, facts(session="t")).effect == "ask"
    assert broken.read_text() == "this is no policy"


@keeps("policy.remembered.scope")
def test_exact_arguments_are_exact() -> None:
    alike: list[Any] = [
        1,
        1.0,
        True,
        "1",
        "true",
        [1],
        {"a": 1},
        None,
        "",
        "\ud800",
        "\ud801",
        "\ufffd",
        "é",
        "e\u0301",
    ]
    digests = [arguments_digest(freeze_object({"value": each})) for each in alike]
    assert len(set(digests)) == len(alike)
    assert arguments_digest(freeze_object({})) not in digests
    assert arguments_digest(freeze_object({"value": 1}), "/a") != arguments_digest(freeze_object({"value": 1}), "/b")
    assert arguments_digest(freeze_object({"a": 1, "b": 2})) == arguments_digest(freeze_object({"b": 2, "a": 1}))


def test_a_denial_of_a_number_also_holds_for_its_other_spelling() -> None:
    memory = Memory()
    remember(memory, facts({"count": [1]}), "call", "deny")
    allow = (Rule(effect="allow", tool="*"),)
    assert decide(memory, facts({"count": [1.0]}), rules=allow).effect == "deny"
    assert decide(memory, facts({"count": [True]}), rules=allow).effect == "allow"
    remember(memory, facts({"count": 2}), "call")
    assert decide(memory, facts({"count": 2})).effect == "allow"
    assert decide(memory, facts({"count": 2.0})).effect == "ask"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def typed(value: Any) -> Any:
    """Return a value that equals another only where JSON would be the same."""
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return type(value).__name__, repr(value)


@given(st.dictionaries(st.text(max_size=3), JSON, max_size=3), st.dictionaries(st.text(max_size=3), JSON, max_size=3))
def test_two_digests_are_equal_where_the_arguments_are_the_same(one: dict[str, Any], two: dict[str, Any]) -> None:
    same = typed(one) == typed(two)
    assert (arguments_digest(freeze_object(one)) == arguments_digest(freeze_object(two))) == same
    shuffled = dict(reversed(one.items()))
    assert arguments_digest(freeze_object(one)) == arguments_digest(freeze_object(shuffled))


def test_a_decision_has_words_and_times_that_can_be_relied_on() -> None:
    made = remember(Memory(), facts(), "tool")
    for wrong in ({"effect": "ask"}, {"lasts": "ever"}, {"at": datetime(2026, 1, 1)}):  # noqa: DTZ001
        with pytest.raises(PolicyError):
            replace(made, **wrong)
