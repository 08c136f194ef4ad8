"""``chat``: one question and its answer, or a conversation where no question is given."""

from __future__ import annotations

from typing import Any, Final

import click

from toolwright.cli.app import Command
from toolwright.cli.exits import ExitCode, Stop
from toolwright.cli.invocation import Invocation
from toolwright.cli.options import as_json, in_workspace, model_option, rules_of, with_rules

__all__ = ["chat"]

_NOTHING_ASKED: Final = (
    "There is no question: give one, as in 'toolwright chat \"Which files are here?\"', or pipe one in."
)


@click.command(cls=Command)
@click.argument("prompt", required=False)
@model_option
@with_rules
@click.option("--max-turns", type=int, metavar="N", help="How often the model may be asked for one answer.")
@click.option("-c", "--continue", "goes_on", is_flag=True, help="Go on with the last conversation in this workspace.")
@click.option("--system", metavar="TEXT", help="What the model is told before anything else.")
@in_workspace
@as_json
@click.pass_obj
def chat(
    invocation: Invocation,
    prompt: str | None,
    model: str | None,
    allow: tuple[str, ...],
    deny: tuple[str, ...],
    yes: str | None,
    max_turns: int | None,
    goes_on: bool,
    system: str | None,
    workspace: str | None,
    as_json: bool,
) -> None:
    """Ask a model that may use tools; without PROMPT, talk with it.

    Piped input is appended to the prompt. Ctrl-C stops the answer, a second one leaves.
    """
    if goes_on and system is not None:
        raise Stop(
            "--system cannot change a conversation that has begun; leave it or --continue out.", ExitCode.WRONG_USE
        )
    rules = rules_of(allow, deny, yes)
    asked = _with_input(prompt, invocation)
    if asked is None and (as_json or not invocation.console.is_person):
        raise Stop(_NOTHING_ASKED, ExitCode.WRONG_USE)
    _talk(
        invocation,
        asked,
        options={"model": model, "agent.max_turns": max_turns, "system": system},
        rules=rules,
        workspace=workspace,
        as_json=as_json,
        goes_on=goes_on,
    )


def _talk(invocation: Invocation, asked: str | None, **wishes: Any) -> None:
    from toolwright.cli.answering import how_it_ended
    from toolwright.cli.chatting import Wishes, opened
    from toolwright.cli.talking import converse

    with opened(invocation, Wishes(**wishes)) as talk:
        if asked is None:
            converse(invocation, talk)
            return
        code, text = how_it_ended(talk.ask(asked))
        if code is not ExitCode.FINE:
            raise Stop(text, code)


def _with_input(prompt: str | None, invocation: Invocation) -> str | None:
    """Return what is asked: the prompt, and what was piped in behind it; None where neither is there."""
    piped = invocation.console.piped()
    parts = [part for part in (prompt, piped) if part is not None and part.strip()]
    if prompt is not None and not parts:
        raise Stop(_NOTHING_ASKED, ExitCode.WRONG_USE)
    return "\n\n".join(parts) or None
