"""``tools call``: one call of a tool, through the same gate as a model's.

The result is printed as it is: text as text, everything else as JSON. Where the policy wants a person asked, one is
asked at a terminal; in a pipe the call is denied, and the message says how to allow it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from toolwright.cli.exits import ExitCode, Stop
from toolwright.cli.invocation import Invocation
from toolwright.cli.options import as_json, in_workspace, rules_of, with_rules
from toolwright.cli.parameters import Asked, ToolGroup
from toolwright.values import thaw

if TYPE_CHECKING:
    from toolwright.execution import Execution
    from toolwright.tools import ToolOutcome

__all__ = ["call"]

_CODES: Final[Mapping[str, ExitCode]] = {
    "validation_failed": ExitCode.WRONG_USE,
    "tool_not_found": ExitCode.WRONG_USE,
    "permission_denied": ExitCode.DENIED,
    "denied": ExitCode.DENIED,
    "approval_expired": ExitCode.DENIED,
    "cancelled": ExitCode.INTERRUPTED,
}


def _call(asked: Asked, *, allow: tuple[str, ...], deny: tuple[str, ...], yes: str | None, as_json: bool) -> None:
    import asyncio  # not for the page of help

    from toolwright.cli.compose import executor_of
    from toolwright.cli.lines import progress_line
    from toolwright.cli.live import Live
    from toolwright.cli.reviewing import reviewer_of
    from toolwright.messages import ToolCall

    invocation, workspace = asked.invocation, asked.configuration.workspace
    invocation.tell_ignored(asked.configuration)
    reviewer = reviewer_of(invocation, as_json=as_json)
    executor = executor_of(asked.configuration, asked.registry, rules=rules_of(allow, deny, yes), reviewer=reviewer)
    made = ToolCall(ToolCall.new(asked.name).id, asked.name, asked.arguments)
    live = Live(invocation.console)
    with live.ended():
        work = executor.execute(
            made,
            workspace=workspace,
            session="tools call",
            progress=lambda progress: live.show(progress_line(progress)),
        )
        execution = asyncio.run(work)
    if as_json:
        import msgspec

        invocation.console.json(msgspec.json.decode(execution.to_json()))
    else:
        _print(invocation, execution.outcome)
    if not execution.outcome.success:
        code = _CODES.get(execution.outcome.error_code or "", ExitCode.FAILED)
        raise Stop("" if as_json else _problem(asked, execution), code)


def _print(invocation: Invocation, outcome: ToolOutcome) -> None:
    console = invocation.console
    if isinstance(outcome.data, str):
        console.text(outcome.data)
    elif outcome.data is not None:
        console.json(thaw(outcome.data))
    if outcome.message and outcome.success:
        console.say(outcome.message, "dim")
    for artifact in outcome.artifacts:
        console.say(f"{artifact.type}: {artifact.path or artifact.description}", "dim")
    if outcome.more:
        console.say("The result was cut; ask for less, or for a part of it.", "yellow")


def _problem(asked: Asked, execution: Execution) -> str:
    from toolwright.cli.compose import why_not_offered

    outcome = execution.outcome
    why_not = why_not_offered(asked.configuration, asked.tool) if outcome.error_code == "tool_not_found" else ""
    error = f"{asked.name} is not offered here: {why_not}" if why_not else outcome.error
    return f"{error} ({outcome.error_code})"


@click.command(cls=ToolGroup, act=_call)
@click.option("--args", "arguments", metavar="JSON", help="All arguments as a JSON object; '-' reads them from stdin.")
@with_rules
@in_workspace
@as_json
def call(**options: Any) -> None:
    """Call the tool NAME; its parameters are options."""
