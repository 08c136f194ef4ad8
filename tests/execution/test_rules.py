from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.execution.deciding import NOW, facts
from tests.promises import keeps
from toolwright.errors import PolicyError
from toolwright.execution.limits import Limits
from toolwright.execution.policy import Policy
from toolwright.execution.remembered import Remember, Remembered
from toolwright.execution.rules import RuleFile, load_policy, memory_of, parse_policy, read_policy, to_toml
from toolwright.levels import RiskLevel

PAGE = """
[policy]
repair = false
limits = { calls = 50, calls_per_minute = 10 }

[[policy.rules]]
effect = "allow"                      # allow | ask | deny
tool = "run_command"                  # name or glob; also: category, tag, risk
when = { command = "git status*" }    # globs over arguments
match = [{ command = ["git", "status", "-s"] }]
not_match = [{ command = ["git", "push"] }]

[[policy.rules]]
effect = "deny"
category = "terminal"
when = { command = "*sudo*" }
reason = "ask an administrator"
"""


def decision(**changes: Any) -> Remembered:
    call = facts({"command": "ls"})
    made = Remembered.of(
        Remember(lasts="project"),
        "allow",
        tool="run_command",
        definition=call.definition.digest,
        arguments=call.arguments,
        risk=RiskLevel.HIGH,
        now=NOW,
        origin="ann",
    )
    return replace(made, **changes)


@keeps("policy.toml")
def test_the_rules_of_the_page_are_read_as_written(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(PAGE)
    policy = load_policy(file)
    assert [rule.effect for rule in policy.rules] == ["allow", "deny"]
    assert policy.limits == Limits(calls=50, calls_per_minute=10)
    assert not policy.repair
    status = facts({"command": ["git", "status"]}, category="terminal")
    assert policy.decide(status, now=NOW).origin == "policy.toml, rule 1"
    sudo = policy.decide(facts({"command": "sudo ls"}, category="terminal"), now=NOW)
    assert sudo.reason == "policy.toml, rule 2 forbids this: ask an administrator"


def test_a_policy_that_says_nothing_is_the_default_one(tmp_path: Path) -> None:
    assert parse_policy("") == read_policy({}) == Policy()
    assert load_policy(tmp_path / "none.toml", missing_ok=True) == Policy()
    with pytest.raises(FileNotFoundError):
        load_policy(tmp_path / "none.toml")


@keeps("policy.strict_loading")
@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("[polcy]", "unknown_key", "polcy: is not a key that is known here; did you mean 'policy'?"),
        ("[policy]\nrule = []", "unknown_key", "policy.rule: .* did you mean 'rules'?"),
        ("[policy.limits]\ncals = 1", "unknown_key", "policy.limits.cals: .* did you mean 'calls'?"),
        (
            '[[policy.rules]]\neffect = "deny"\ntol = "a"',
            "unknown_key",
            r"policy.rules\[0\].tol: .* did you mean 'tool'?",
        ),
        ('[[policy.rules]]\ntool = "a"', "invalid_rule", r"policy.rules\[0\].effect: is missing"),
        ('[[policy.rules]]\neffect = "alow"\ntool = "a"', "invalid_rule", r"policy.rules\[0\].effect: must be one of"),
        ('[policy.rules]\neffect = "deny"', "invalid_rule", "policy.rules: must be an array of tables"),
        ("policy = 1", "invalid_rule", "policy: must be a table"),
        ("[policy.limits]\ncalls = -1", "invalid_rule", "policy.limits.calls: must be a whole number"),
        ("[policy]\nrepair = 'no'", "invalid_rule", "policy.repair: must be true or false"),
        ("[policy", "unreadable", "is not TOML: there is a fault at "),
        ("a = " + "[" * 5_000, "unreadable", "is (not TOML|nested too deeply)"),
        (PAGE.replace('"git", "push"', '"git", "status"'), "wrong_example", r"policy.rules\[0\].not_match\[0\]: "),
        ('[[policy.rules]]\neffect = "allow"\ndefinition = "d"\ntool = "a"', "invalid_rule", r"\[0\].id: is missing"),
        (to_toml(decision()).replace("origin", "orign"), "unknown_key", "did you mean 'origin'?"),
        (to_toml(decision()).replace('"allow"', '"ask"'), "invalid_rule", "effect: must be one of allow, deny"),
        (to_toml(decision()).replace('"high"', '"hihg"'), "invalid_rule", r"policy.rules\[0\].risk: "),
        (to_toml(decision()).replace("12:00:00Z", "12:00:00"), "invalid_rule", "at: must have a time zone"),
        (to_toml(decision()).replace("2026-03-01T12:00:00Z", "1"), "invalid_rule", "at: must be a date with a time"),
    ],
)
def test_whatever_cannot_be_relied_on_stops_loading(text: str, code: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(text)
    with pytest.raises(PolicyError, match=message) as caught:
        load_policy(file)
    assert caught.value.code == code
    assert caught.value.path.startswith("policy.toml")


@pytest.mark.parametrize("content", [b"\xff\xfe", b" " * (1024 * 1024 + 1)], ids=["not UTF-8", "too large"])
def test_a_file_that_is_no_text_or_too_much_of_it_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_bytes(content)
    with pytest.raises(PolicyError) as caught:
        load_policy(file)
    assert caught.value.code == "unreadable"


def test_a_refusal_quotes_nothing_of_the_file() -> None:
    for text in ('key = "hunter2', "hunter2", "[policy]\nhunter2\u202e = 1\n", '[[policy.rules]]\neffect = "hunter2"'):
        with pytest.raises(PolicyError) as caught:
            parse_policy(text)
        assert "hunter2" not in str(caught.value) or caught.value.code == "unknown_key"
        assert str(caught.value).isprintable()


def test_tables_of_others_are_left_alone_where_they_are_named() -> None:
    assert parse_policy("[features]\na = 1", also=("features",)) == Policy()


@keeps("policy.remembered.file")
def test_a_decision_for_good_is_a_rule_in_the_file_and_holds_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "policy.toml"
    call = facts({"command": "ls"}, risk="high")
    memory = memory_of(load_policy(file, lasts="project", missing_ok=True))
    made = memory.remember(
        Remember(lasts="project"),
        "allow",
        definition=call.definition,
        arguments=call.arguments,
        risk=call.risk,
        now=NOW,
        origin="ann",
    )
    assert file.read_text() == to_toml(made)
    again = load_policy(file, lasts="project")
    assert again.remembered == (made,)
    assert again.decide(call, now=NOW).origin == "ann"
    later = memory_of(again)
    assert later.about("run_command", "any") == (made,)
    assert later.revoke(made.id)
    assert load_policy(file).remembered == ()
    assert load_policy(file).decide(call, now=NOW).effect == "ask"


def test_what_a_person_wrote_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(PAGE)
    file = RuleFile(path)
    first, second = decision(), decision(effect="deny", tool="other", reason='it says "no"\u202e\x7f\ud800')
    file.add(first)
    file.add(second)
    assert path.read_text() == f"{PAGE}\n{to_toml(first)}\n{to_toml(second)}"
    path.write_text(path.read_text() + '\n[[policy.rules]]  # mine\neffect = "ask"\ntool = "*"\n')
    assert file.remove(first.id)
    assert not file.remove(first.id)
    left = path.read_text()
    assert left == f'{PAGE}\n{to_toml(second)}\n[[policy.rules]]  # mine\neffect = "ask"\ntool = "*"\n'
    assert file.remove(second.id)
    assert path.read_text() == f'{PAGE}\n[[policy.rules]]  # mine\neffect = "ask"\ntool = "*"\n'
    assert [each.name for each in tmp_path.iterdir()] == ["policy.toml"]


@pytest.mark.parametrize("reason", ["a\u2028[b]", "a\u2028\u2028[policy]\x85", "a\x0b\x1c\n\n[[policy.rules]]"])
def test_a_reason_that_looks_like_lines_does_not_keep_a_decision_from_being_struck_out(
    tmp_path: Path, reason: str
) -> None:
    file = RuleFile(tmp_path / "policy.toml")
    first, second = decision(reason=reason), decision(tool="other")
    for made in (first, second):
        file.add(made)
    assert file.remove(first.id)
    assert load_policy(file.path).remembered == (second,)


def test_what_was_written_by_hand_in_another_way_is_not_struck_out(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    lines = to_toml(decision()).splitlines()[1:]
    path.write_text("[policy]\nrules = [{ " + ", ".join(lines) + " }]\n")
    before = path.read_text()
    file = RuleFile(path)
    with pytest.raises(PolicyError, match="must be edited by hand"):
        file.remove(decision(id=load_policy(path).remembered[0].id).id)
    with pytest.raises(PolicyError):
        file.add(decision())
    assert path.read_text() == before


def test_a_file_that_does_not_load_is_not_added_to(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text("[[policy.rules]]\neffect = 1\n")
    with pytest.raises(PolicyError):
        RuleFile(path).add(decision())
    assert path.read_text() == "[[policy.rules]]\neffect = 1\n"
    assert not RuleFile(tmp_path / "none.toml").remove("decision_1")


def test_two_programs_may_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    made = [decision(id=f"decision_{number}", tool=f"tool_{number}") for number in range(12)]
    threads = [threading.Thread(target=RuleFile(path).add, args=[each]) for each in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert {each.id for each in load_policy(path).remembered} == {each.id for each in made}


@given(
    st.text(max_size=20),
    st.text(max_size=20),
    st.sampled_from(list(RiskLevel)),
    st.booleans(),
    st.sampled_from(["allow", "deny"]),
)
def test_a_decision_comes_back_from_its_rule(
    origin: str, reason: str, risk: RiskLevel, exact: bool, effect: str
) -> None:
    arguments = "0" * 64 if exact else None
    made = decision(origin=origin, reason=reason or None, risk=risk, arguments=arguments, effect=effect, expires_at=NOW)
    (read,) = parse_policy(to_toml(made)).remembered
    lossless = all("\ud800" > each or each > "\udfff" for each in origin + reason)
    assert not lossless or read == made
    assert (read.id, read.effect, read.risk, read.arguments) == (made.id, made.effect, made.risk, made.arguments)
