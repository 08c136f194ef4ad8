"""``policy explain``: why a call would run, be asked about, or not run. Nothing is run, asked or counted."""

from __future__ import annotations

from typing import Any, Final

import click

from toolwright.cli.app import Group
from toolwright.cli.options import as_json, in_workspace, rules_of, with_rules
from toolwright.cli.parameters import Asked, ToolGroup

__all__ = ["explain", "policy"]

_COLORS: Final = {"allow": "green", "ask": "yellow", "deny": "red"}


def _explain(asked: Asked, *, allow: tuple[str, ...], deny: tuple[str, ...], yes: str | None, as_json: bool) -> None:
    from toolwright.cli.compose import executor_of, ignored_rules, why_not_offered
    from toolwright.messages import ToolCall

    name, arguments, configuration = asked.name, asked.arguments, asked.configuration
    executor = executor_of(configuration, asked.registry, rules=rules_of(allow, deny, yes))
    made = ToolCall("explained", name, arguments)
    found = executor.explain(made, workspace=configuration.workspace, session="explain")
    why_not = why_not_offered(configuration, asked.tool)
    reason = f"{name} is not offered here: {why_not}" if why_not else found.verdict.reason
    steps = () if why_not else found.steps
    ignored = ignored_rules(configuration)
    risk = executor.effective_risk(name, arguments)
    if as_json:
        asked.invocation.console.json(
            {
                "tool": name,
                "arguments": arguments,
                "effect": found.verdict.effect,
                "reason": reason,
                "source": found.verdict.source,
                "origin": found.verdict.origin,
                "risk": str(risk),
                "summary": executor.summarize(name, arguments),
                "steps": [{"step": each.step, "found": each.found} for each in steps],
                "ignored": [{"rule": each.path, "file": each.where, "why": each.why} for each in ignored],
            }
        )
        return
    console = asked.invocation.console
    console.data(f"{console.style(found.verdict.effect, _COLORS[found.verdict.effect])}: {reason}")
    console.data(f"  {executor.summarize(name, arguments)}, risk {console.style(str(risk), str(risk))}")
    console.table(
        [(f"  {each.step}", line) for each in steps for line in each.found.splitlines()], styles=("dim",), wraps=True
    )
    for each in ignored:
        console.say(f"note: {each}", "dim")


@click.command(cls=Group)
def policy() -> None:
    """What may run, and why."""


@policy.command(cls=ToolGroup, act=_explain)
@click.option("--args", "arguments", metavar="JSON", help="All arguments as a JSON object; '-' reads them from stdin.")
@with_rules
@in_workspace
@as_json
def explain(**options: Any) -> None:
    """Say why a call of the tool NAME would run, be asked about, or not run."""
