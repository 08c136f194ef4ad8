from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.execution.deciding import NOW, defined, facts
from tests.promises import keeps
from toolwright.errors import PolicyError
from toolwright.execution.limits import Counts, Limits
from toolwright.execution.policy import Policy, Rule
from toolwright.execution.remembered import Remember, Remembered
from toolwright.execution.verdict import CallFacts
from toolwright.levels import RiskLevel, ToolCategory

STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


def remembered(effect: Any, call: CallFacts, **changes: Any) -> Remembered:
    made = Remembered.of(
        changes.pop("wish", Remember()),
        effect,
        tool=call.definition.name,
        definition=call.definition.digest,
        arguments=call.arguments,
        risk=call.risk,
        now=NOW,
        origin="ann",
        session=call.session,
        workspace=call.workspace,
    )
    return replace(made, **changes)


@keeps("policy.default")
@pytest.mark.parametrize(
    ("risk", "effect"),
    [("safe", "allow"), ("low", "allow"), ("medium", "ask"), ("high", "ask"), ("critical", "ask")],
)
def test_without_rules_the_effective_risk_decides(risk: str, effect: str) -> None:
    verdict = Policy().decide(facts(risk=risk, definition=defined(risk="safe")), now=NOW)
    assert verdict.effect == effect
    assert verdict.source == "risk"
    assert risk in verdict.reason


@keeps("policy.order")
def test_the_first_rule_that_fits_wins_and_deny_rules_go_before_all() -> None:
    allow, ask = Rule(effect="allow", tool="run_*"), Rule(effect="ask", tool="run_command")
    deny = Rule(effect="deny", tool="*", when={"command": "rm*"}, reason="use the bin")
    call = facts({"command": "ls"})
    assert Policy((allow, ask, deny)).decide(call, now=NOW).effect == "allow"
    assert Policy((ask, allow, deny)).decide(call, now=NOW).effect == "ask"
    verdict = Policy((allow, ask, deny)).decide(facts({"command": "rm x"}), now=NOW)
    assert (verdict.effect, verdict.source) == ("deny", "deny_rule")
    assert verdict.reason == "rule 3 forbids this: use the bin"
    assert verdict.rule is not None
    assert verdict.rule.when == {"command": "rm*"}


@keeps("policy.confirmation")
def test_only_a_deny_rule_goes_before_a_required_confirmation() -> None:
    call = facts(requires_confirmation=True, risk="safe")
    rules = (Rule(effect="allow", tool="*"),)
    before = [remembered("allow", call), remembered("allow", call, wish=Remember(covers="call"))]
    verdict = Policy(rules).decide(call, now=NOW, remembered=before)
    assert (verdict.effect, verdict.source) == ("ask", "confirmation")
    denied = Policy((*rules, Rule(effect="deny", tool="run_command"))).decide(call, now=NOW, remembered=before)
    assert denied.effect == "deny"


@keeps("policy.conditions")
@pytest.mark.parametrize(
    ("conditions", "fields", "misfit"),
    [
        ({"tool": "run_command"}, {}, None),
        ({"tool": "run_*"}, {}, None),
        ({"tool": "write_*"}, {}, "tool"),
        ({"category": "terminal"}, {"category": "terminal"}, None),
        ({"category": "git"}, {"category": "terminal"}, "category"),
        ({"tag": "Deploy"}, {"tags": ["deploy"]}, None),
        ({"tag": "deploy"}, {"tags": ["other"]}, "tag"),
        ({"risk": "medium"}, {"risk": "medium"}, None),
        ({"when": {"command": "git *"}}, {}, None),
        ({"when": {"command": "git *", "depth": "1"}}, {}, "when.depth"),
        ({"when": {"command": "svn *"}}, {}, "when.command"),
        ({"tool": "run_command", "category": "git", "when": {"command": "*"}}, {"category": "terminal"}, "category"),
    ],
)
def test_a_rule_fits_where_all_its_conditions_are_true(
    conditions: dict[str, Any], fields: dict[str, Any], misfit: str | None
) -> None:
    call = facts({"command": ["git", "push"]}, **fields)
    for effect in ("allow", "ask", "deny"):
        assert Rule(effect=effect, **conditions).misfit(call) == misfit


@keeps("policy.conditions")
@pytest.mark.parametrize("risk", list(RiskLevel))
def test_an_allow_rule_reaches_up_to_its_risk_and_all_others_from_it_on(risk: RiskLevel) -> None:
    call = facts(risk=risk)
    assert (Rule(effect="allow", risk="medium").misfit(call) is None) == (risk <= RiskLevel.MEDIUM)
    assert (Rule(effect="ask", risk="medium").misfit(call) is None) == (risk >= RiskLevel.MEDIUM)
    assert (Rule(effect="deny", risk="medium").misfit(call) is None) == (risk >= RiskLevel.MEDIUM)


@keeps("policy.globs")
def test_a_missing_argument_never_fits_and_null_is_missing() -> None:
    for effect in ("allow", "ask", "deny"):
        rule = Rule(effect=effect, when={"command": "*"})
        assert rule.misfit(facts({})) == "when.command"
        assert rule.misfit(facts({"command": None})) == "when.command"
        assert rule.misfit(facts({"command": ""})) is None


@keeps("policy.globs")
@pytest.mark.parametrize(
    ("glob", "fits"),
    [
        ("src/*", True),
        ("/home/ann/work/src/*", True),
        ("*.py", True),
        ("/etc/*", False),
        ("home/*", False),
        ("work/*", False),
    ],
)
def test_a_path_is_known_by_where_it_leads_and_by_its_place_in_the_workspace(glob: str, fits: bool) -> None:
    rule = Rule(effect="allow", when={"path": glob})
    arguments = {"path": "/home/ann/work/src/a.py"}
    call = facts(arguments, workspace="/home/ann/work", paths=frozenset({"path"}))
    assert (rule.misfit(call) is None) == fits
    many = facts({"path": list(arguments.values())}, workspace="/home/ann/work", paths=frozenset({"path"}))
    assert (rule.misfit(many) is None) == fits


@keeps("policy.globs")
def test_of_several_paths_all_must_be_allowed_and_one_is_enough_to_stop_the_call() -> None:
    def call(*paths: Any) -> CallFacts:
        return facts({"paths": list(paths)}, workspace="/w", paths=frozenset({"paths"}))

    allow, deny = (Rule(effect=effect, when={"paths": "src/*"}) for effect in ("allow", "deny"))
    for inside in (call("/w/src/a"), call("/w/src/a", "/w/src/b")):
        assert allow.misfit(inside) is deny.misfit(inside) is None
    for mixed in (call("/w/src/a", "/w/b"), call("/w/b", "/w/src/a"), call("/w/src/a", None)):
        assert (allow.misfit(mixed), deny.misfit(mixed)) == ("when.paths", None)
    assert allow.misfit(call("/w/b")) == deny.misfit(call("/w/b")) == allow.misfit(call()) == "when.paths"


@pytest.mark.parametrize(
    ("workspace", "path", "inside"),
    [
        ("/home/ann/work", "/home/ann/work/a/b", "a/b"),
        ("/home/ann/work", "/home/ann/work", "."),
        ("/home/ann/work", "/home/ann/work-old/a", None),
        ("/home/ann/work", "/home/ann/work/a\\b", "a\\b"),
        ("/", "/a", "a"),
        ("C:\\work", "C:\\work\\a\\b", "a/b"),
        ("C:\\", "C:\\a", "a"),
        ("C:\\work", "C:\\work2\\a", None),
    ],
)
def test_the_place_of_a_path_is_told_where_it_lies_in_the_workspace(
    workspace: str, path: str, inside: str | None
) -> None:
    call = facts({"path": path, "text": path}, workspace=workspace, paths=frozenset({"path"}))
    assert call.texts_of("path") == ((path,) if inside is None else (path, inside))
    assert call.texts_of("text") == (path,)


@keeps("policy.globs.seen")
def test_what_lets_pass_is_held_strictly_and_what_stops_is_held_widely() -> None:
    allow, deny = Rule(effect="allow", when={"command": "git *"}), Rule(effect="deny", when={"command": "git push*"})
    hidden = facts({"command": "git status\nrm -rf /"})
    assert Policy((allow,)).decide(hidden, now=NOW).effect == "ask"
    for spelling in ("GIT push", "git  push", "git\tpush", "git\u200b push", " git push"):
        assert Policy((allow, deny)).decide(facts({"command": spelling}), now=NOW).effect == "deny"


@keeps("policy.strict_loading")
@pytest.mark.parametrize(
    ("fields", "path", "words"),
    [
        ({"effect": "permit", "tool": "a"}, "effect", "allow, ask, deny"),
        ({"effect": "deny"}, "", 'tool = "*"'),
        ({"effect": "allow", "tool": "Read-File"}, "tool", "a-z"),
        ({"effect": "allow", "tool": ""}, "tool", "not empty"),
        ({"effect": "allow", "category": "terminl"}, "category", "did you mean terminal"),
        ({"effect": "allow", "risk": "hgh"}, "risk", "did you mean high"),
        ({"effect": "allow", "when": {"command": 1}}, "when.command", "glob"),
        ({"effect": "allow", "when": {"command": "[a"}}, "when.command", "bracket"),
        ({"effect": "allow", "when": "git *"}, "when", "object"),
        ({"effect": "allow", "tool": "a", "match": [{}]}, "match[0]", "says nothing of arguments"),
        ({"effect": "allow", "when": {"a": "*"}, "match": {"a": 1}}, "match", "array"),
        ({"effect": "allow", "when": {"a": "*"}, "match": ["a"]}, "match[0]", "object"),
    ],
)
def test_a_rule_that_cannot_be_relied_on_is_refused(fields: dict[str, Any], path: str, words: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Rule(**fields)
    assert caught.value.path == path
    assert words in caught.value.problem


@keeps("policy.examples")
def test_examples_are_tried_when_the_rule_is_made() -> None:
    status, push = {"command": ["git", "status", "-s"]}, {"command": ["git", "push"]}
    rule = Rule(effect="allow", when={"command": "git status*"}, match=[status], not_match=[push])
    assert rule.match == (status,)
    with pytest.raises(PolicyError, match=r"match\[1\]: is an example that should fit and does not, because of 'comm"):
        Rule(effect="allow", when={"command": "git status*"}, match=[status, push])
    with pytest.raises(PolicyError, match=r"not_match\[0\]: is an example that should not fit and does"):
        Rule(effect="allow", when={"command": "git status*"}, not_match=[status])
    with pytest.raises(PolicyError, match="because of 'comand'"):
        Rule(effect="deny", when={"comand": "rm*"}, match=[{"command": "rm x"}])


def test_rules_may_come_one_by_one_and_none_is_lost() -> None:
    rules = [Rule(effect="deny", tool=name) for name in ("a", "b")]
    assert [rule.tool for rule in Policy(iter(rules)).rules] == ["a", "b"]  # type: ignore[arg-type]


def test_a_policy_takes_rules_and_limits_and_nothing_else() -> None:
    for wrong in ({"rules": ({"effect": "allow"},)}, {"limits": {"calls": 1}}, {"repair": 1}):
        with pytest.raises(PolicyError):
            Policy(**wrong)


@keeps("policy.limits")
def test_a_limit_denies_what_rules_would_let_pass_and_nothing_else() -> None:
    policy = Policy((Rule(effect="deny", when={"command": "rm*"}),), Limits(calls=3))
    full = Counts(calls=3)
    verdict = policy.decide(facts({"command": "ls"}, risk="safe"), now=NOW, counts=full)
    assert (verdict.effect, verdict.source) == ("deny", "limit")
    assert policy.decide(facts({"command": "rm"}), now=NOW, counts=full).source == "deny_rule"
    assert policy.decide(facts(), now=NOW, counts=Counts(calls=2)).effect == "ask"


@keeps("policy.why")
def test_an_explanation_tells_every_step_up_to_the_one_that_decided() -> None:
    policy = Policy(
        (
            Rule(effect="deny", when={"command": "rm*"}),
            Rule(effect="allow", tool="other"),
            Rule(effect="allow", when={"command": "git *"}),
        )
    )
    told = policy.explain(facts({"command": "git push"}), now=NOW)
    assert [step.step for step in told.steps] == ["deny_rule", "confirmation", "remembered", "rule"]
    assert told.verdict.origin == "rule 3"
    assert "rule 1 (deny command like 'rm*') does not fit: when.command" in str(told)
    assert str(told).startswith("allow: rule 3 allows this\n")
    by_risk = policy.explain(facts({"command": "ls"}), now=NOW)
    assert by_risk.steps[-1].found == by_risk.verdict.reason
    assert "rule 2 (allow tool other) does not fit: tool" in str(by_risk)
    over = Policy(limits=Limits(calls=0)).explain(facts(), now=NOW)
    assert (over.verdict.source, over.steps[-1].step) == ("limit", "limit")


def test_an_explanation_and_a_reason_quote_no_argument() -> None:
    policy = Policy((Rule(effect="deny", when={"command": "*x*"}), Rule(effect="allow", when={"command": "y*"})))
    for command in ("secret-x", "secret"):
        told = policy.explain(facts({"command": command}), now=NOW)
        assert "secret" not in str(told) + told.verdict.reason + repr(told)


def test_rules_that_look_as_if_they_guarded_something_are_doubted() -> None:
    schema = {"type": "object", "properties": {"command": {"type": "string"}}}
    tools = [defined(parameters=schema, strict=True)]
    policy = Policy(
        (
            Rule(effect="deny", when={"comand": "rm*"}),
            Rule(effect="deny", tool="run_comand"),
            Rule(effect="deny", when={"command": "rm*"}),
        )
    )
    doubts = policy.doubts(tools)
    assert len(doubts) == 2
    assert doubts[0].startswith("rule 1: ")
    assert "'comand'" in doubts[0]
    assert doubts[1] == "rule 2: there is no such tool as 'run_comand'"
    assert policy.doubts([*tools, defined("run_comand")]) == ()


def test_a_tool_may_have_the_name_of_anything() -> None:
    policy = Policy((Rule(effect="allow", tool="*"),))
    for name in ("decide", "explain", "rules", "limits"):
        assert policy.decide(facts(definition=defined(name)), now=NOW).effect == "allow"


def test_a_definition_that_changes_under_its_name_is_looked_at_anew() -> None:
    policy = Policy((Rule(effect="deny", category="git"),))
    assert policy.decide(facts(definition=defined(category="git")), now=NOW).effect == "deny"
    assert policy.decide(facts(definition=defined(category="search")), now=NOW).effect == "ask"
    assert policy.decide(facts(definition=defined(category="git")), now=NOW).effect == "deny"


def test_the_policy_that_comes_first_has_its_rules_first() -> None:
    user = Policy((Rule(effect="ask", tool="run_*"),), Limits(calls=5), repair=False)
    project = Policy((Rule(effect="allow", tool="*"),), Limits(calls=9, calls_per_minute=2))
    both = user.followed_by(project)
    assert both.decide(facts(risk="safe"), now=NOW).effect == "ask"
    assert both.limits == Limits(calls=5, calls_per_minute=2)
    assert not both.repair


# Laws, over policies of all kinds

GLOBS = st.sampled_from(["*", "git *", "*push*", "rm*"])
RULES = st.builds(
    Rule,
    effect=st.sampled_from(["allow", "ask", "deny"]),
    tool=st.sampled_from([None, "*", "run_*", "run_command", "other"]),
    category=st.sampled_from([None, ToolCategory.TERMINAL, ToolCategory.GIT]),
    tag=st.sampled_from([None, "a"]),
    risk=st.sampled_from([None, *RiskLevel]),
    when=st.dictionaries(st.sampled_from(["command", "path"]), GLOBS, min_size=1, max_size=1),
)
CALLS = st.builds(
    lambda command, risk, confirmed, category, tags: facts(
        command,
        definition=defined(risk="safe", requires_confirmation=confirmed, category=category, tags=tags),
        risk=risk,
    ),
    st.dictionaries(st.sampled_from(["command", "path"]), st.sampled_from(["git push", "rm x", "ls", "RM  x"])),
    st.sampled_from(list(RiskLevel)),
    st.booleans(),
    st.sampled_from(["terminal", "git"]),
    st.sampled_from([(), ("a",)]),
)
MEMORIES = st.lists(
    st.tuples(st.sampled_from(["allow", "deny"]), st.sampled_from([Remember(), Remember(covers="call")])), max_size=3
)
COUNTS = st.builds(Counts, st.integers(0, 3))


@st.composite
def situations(draw: st.DrawFn) -> tuple[list[Rule], CallFacts, list[Remembered], Counts]:
    call = draw(CALLS)
    memories = [remembered(effect, call, wish=wish) for effect, wish in draw(MEMORIES)]
    return draw(st.lists(RULES, max_size=5)), call, memories, draw(COUNTS)


LIMITS = Limits(calls=2)


@keeps("policy.order", "policy.confirmation")
@given(situations())
def test_every_decision_is_the_one_that_the_page_describes(
    situation: tuple[list[Rule], CallFacts, list[Remembered], Counts],
) -> None:
    rules, call, memories, counts = situation
    fitting = [rule.effect for rule in rules if rule.misfit(call) is None]
    if "deny" in fitting:
        expected = "deny"
    elif call.definition.requires_confirmation:
        expected = "ask"
    elif memories:
        expected = "deny" if any(each.effect == "deny" for each in memories) else "allow"
    elif fitting:
        expected = fitting[0]
    else:
        expected = "ask" if call.risk.requires_approval else "allow"
    if counts.calls >= 2:
        expected = "deny"
    policy = Policy(tuple(rules), LIMITS)
    assert policy.decide(call, now=NOW, remembered=memories, counts=counts).effect == expected
    told = policy.explain(call, now=NOW, remembered=memories, counts=counts)
    assert told.verdict == policy.decide(call, now=NOW, remembered=memories, counts=counts)
    assert told.steps[-1].found == told.verdict.reason


@given(situations(), RULES, st.integers(0, 5))
def test_one_more_deny_rule_never_lets_more_pass(
    situation: tuple[list[Rule], CallFacts, list[Remembered], Counts], rule: Rule, place: int
) -> None:
    rules, call, memories, counts = situation
    denying = [*rules[:place], replace(rule, effect="deny"), *rules[place:]]

    def effect(of: list[Rule]) -> int:
        return STRICTNESS[Policy(tuple(of), LIMITS).decide(call, now=NOW, remembered=memories, counts=counts).effect]

    assert effect(denying) >= effect(rules)


@given(situations())
def test_deciding_changes_nothing_and_gives_the_same_again(
    situation: tuple[list[Rule], CallFacts, list[Remembered], Counts],
) -> None:
    rules, call, memories, counts = situation
    policy = Policy(tuple(rules), LIMITS)
    first = policy.decide(call, now=NOW, remembered=memories, counts=counts)
    again = copy.copy(policy).decide(call, now=NOW, remembered=list(memories), counts=counts)
    assert first == again == policy.decide(call, now=NOW, remembered=memories, counts=counts)
