"""``runs resume``: a run that was cut off goes on where it was, with the model and the policy of now.

Of a call that was cut off, nobody may know whether it happened. A person says so: at the terminal, or by ``--call``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from toolwright.cli.app import Command
from toolwright.cli.exits import ExitCode, Stop
from toolwright.cli.invocation import Invocation
from toolwright.cli.options import as_json, in_workspace, model_option, rules_of, with_rules

if TYPE_CHECKING:
    from toolwright.agent import Decided, Run
    from toolwright.cli.chatting import Talk

__all__ = ["resume"]

_WORDS: Final = ("happened", "did_not_happen", "run_again")
_LETTERS: Final[Mapping[str, str]] = {"h": "happened", "d": "did_not_happen", "r": "run_again"}


@click.command(cls=Command)
@click.argument("run", default="last")
@click.option(
    "--call", "calls", multiple=True, metavar="ID=WORD", help=f"Of a call that was cut off: {', '.join(_WORDS)}."
)
@model_option
@with_rules
@in_workspace
@as_json
@click.pass_obj
def resume(
    invocation: Invocation,
    run: str,
    calls: tuple[str, ...],
    model: str | None,
    allow: tuple[str, ...],
    deny: tuple[str, ...],
    yes: str | None,
    workspace: str | None,
    as_json: bool,
) -> None:
    """Go on with the run RUN: its id, the beginning of it, or 'last'."""
    from toolwright.cli.answering import how_it_ended
    from toolwright.cli.chatting import Wishes, opened
    from toolwright.cli.runs_reading import find_run

    rules, decided = rules_of(allow, deny, yes), _decided(calls)
    head = find_run(invocation, run, workspace)
    if head.state == "ended":
        problem = f"The run {head.id} has ended ({head.status}); 'toolwright chat --continue' goes on from there."
        raise Stop(problem, ExitCode.WRONG_USE)
    folder = workspace or head.workspace
    wishes = Wishes(options={"model": model}, rules=rules, workspace=folder, as_json=as_json)
    with opened(invocation, wishes) as talk:
        code, text = how_it_ended(_resumed(invocation, talk, head.id, decided, asks=not as_json))
        if code is not ExitCode.FINE:
            raise Stop(text, code)


def _decided(calls: tuple[str, ...]) -> dict[str, Decided]:
    found: dict[str, Any] = {}
    for text in calls:
        id, _, word = text.partition("=")
        if word not in _WORDS:
            raise Stop(f"--call '{text}': write ID=WORD, where WORD is {', '.join(_WORDS)}", ExitCode.WRONG_USE)
        found[id] = word
    return found


def _resumed(invocation: Invocation, talk: Talk, id: str, decided: dict[str, Decided], *, asks: bool) -> Run:
    ended = talk.resume(id, decided)
    if ended.status != "waiting":
        return ended
    open_calls = ended.conversation.pending_calls
    if not asks or not invocation.console.is_person:
        ids = " ".join(f"--call {call.id}=happened" for call in open_calls)
        raise Stop(f"Nobody knows whether these calls happened: find out, and say so.\nFor example: {ids}")
    for call in open_calls:
        decided[call.id] = _asked(invocation, call)
    return talk.resume(id, decided)


def _asked(invocation: Invocation, call: Any) -> Decided:
    from toolwright.cli.console import one_line
    from toolwright.cli.lines import call_line

    invocation.console.say("This call was begun, and nobody knows whether it happened:", "yellow")
    invocation.console.say(f"  {one_line(call_line(call))}")
    question = "It [h]appened, [d]id not happen, [r]un it again"
    answer: Any = _LETTERS[click.prompt(question, type=click.Choice(list(_LETTERS)), show_choices=False, err=True)]
    return answer  # type: ignore[no-any-return]
