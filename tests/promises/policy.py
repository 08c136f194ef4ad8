"""What execution.md promises of policies, limits, remembered decisions and reviewers."""

from __future__ import annotations

from tests.promises import Promise

PAGE = "execution.md"

PROMISES: dict[str, Promise] = {
    "policy.default": Promise(
        PAGE, "By effective risk, safe and low are allowed; medium, high and critical are asked."
    ),
    "policy.order": Promise(PAGE, "Rules come first, the first that fits wins, deny rules before all."),
    "policy.confirmation": Promise(
        PAGE, "Only a deny rule goes before requires_confirmation: no allow rule, no remembered decision."
    ),
    "policy.conditions": Promise(PAGE, "A rule names a tool or a glob, a category, a tag, a risk, and globs in when."),
    "policy.globs": Promise(
        PAGE, "Globs over arguments: paths resolved, lists joined by blanks; a missing argument never fits."
    ),
    "policy.globs.seen": Promise(
        PAGE, "Nothing passes an allow rule, or slips past a deny rule, by characters that nobody sees or spelling."
    ),
    "policy.globs.linear": Promise(PAGE, "No text that a model writes makes a glob slow."),
    "policy.toml": Promise(PAGE, "Rules are written in TOML, in the tables policy.rules."),
    "policy.strict_loading": Promise("README.md", "A bad rule or an unknown key means that nothing is allowed by it."),
    "policy.examples": Promise(
        PAGE, "Examples in match and not_match are tried on loading: a wrong one stops loading."
    ),
    "policy.why": Promise(PAGE, "A policy can say why: which rule decided."),
    "policy.remembered.scope": Promise(
        PAGE, "A decision is remembered for exact arguments, the tool, the session, the project, or for good."
    ),
    "policy.remembered.file": Promise(
        PAGE, "For good it is a rule in the project's or the user's file, shown before it is written."
    ),
    "policy.remembered.expiry": Promise(PAGE, "A remembered decision may expire."),
    "policy.remembered.digest": Promise(PAGE, "It is bound to the definition's digest: a changed one asks again."),
    "policy.remembered.revoked": Promise(PAGE, "It knows its origin, can be listed and revoked."),
    "policy.limits": Promise(PAGE, "Limits are counted per session: calls, calls per tool, calls per minute."),
    "policy.limits.taken": Promise(
        PAGE, "Limits are taken before the call runs, so that of 20 calls at once under a limit of 10 exactly 10 run."
    ),
    "policy.permissions": Promise(
        PAGE, "A tool's permissions are held against the grants, with wildcards such as tool.filesystem.*."
    ),
    "policy.tier": Promise(PAGE, "A tool that needs a higher isolation than the tier has is refused, never run lower."),
    "reviewers.decision": Promise(
        PAGE, "A Decision is made by approve(), deny(reason) and change(arguments), each with remember."
    ),
    "reviewers.request": Promise(
        PAGE, "A ReviewRequest has what a person needs: summary, arguments, warnings, risk, reason, diff, expires_at."
    ),
    "reviewers.any": Promise(PAGE, "Provided are approve_all and deny_all, and any async function is a reviewer."),
    "reviewers.nobody": Promise(PAGE, "With no terminal to ask at the answer is deny, and says how to allow."),
    "reviewers.console": Promise(
        "cli.md", "Approvals show summary, risk in its colour, the diff, and take y/n/always/edit."
    ),
    "reviewers.console.honest": Promise(PAGE, "A terminal shows full arguments, and nothing in them can pass as more."),
    "reviewers.console.free": Promise(PAGE, "Waiting for a person holds up nothing else, and ends with the deadline."),
    "reviewers.inbox": Promise(
        PAGE, "An InboxReviewer keeps pending requests until they are decided, surviving a restart."
    ),
    "reviewers.inbox.once": Promise("store.md", "Two deciders: one wins."),
    "reviewers.inbox.expiry": Promise(PAGE, "An inbox has its own expiry."),
    "testing.fakes": Promise("testing.md", "There are a FakeReviewer and a FakeClock."),
}
