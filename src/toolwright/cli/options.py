"""What several commands take alike: where to work, how to print, and what may run without asking.

Rules on the command line are rules of the policy like any other, and stand before those in files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from toolwright.cli.exits import ExitCode, Stop
from toolwright.cli.invocation import Invocation

if TYPE_CHECKING:
    from toolwright.execution import Rule

__all__ = ["as_json", "in_workspace", "model_option", "rules_of", "tools_that_fit", "with_rules"]

F = TypeVar("F", bound=Callable[..., Any])

_RISKS: Final = ("safe", "low", "medium", "high", "critical")
_CONDITIONS: Final = ("tool", "category", "tag", "risk")

as_json: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
"""The option ``--json``."""

in_workspace: Final = click.option(
    "-w", "--workspace", metavar="FOLDER", help="The folder to work in; default: this one.", type=click.Path()
)
"""The option ``--workspace``."""


model_option: Final = click.option(
    "-m", "--model", metavar="NAME", help="The model to ask, such as ollama:qwen3; default: the first that is found."
)
"""The option ``--model``."""


def tools_that_fit(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of tools that a word could become, for completion; none where they cannot be known."""
    from toolwright.cli.compose import registry_of

    del parameter
    try:
        configuration = Invocation.of_process().configuration(ctx.params.get("workspace"))
        return [each.name for each in registry_of(configuration).entries() if each.name.startswith(incomplete)]
    except (Stop, ValueError, ImportError, OSError):
        return []


def with_rules(command: F) -> F:
    """Take ``--allow``, ``--deny`` and ``--yes``."""
    options = (
        click.option(
            "--allow",
            multiple=True,
            metavar="RULE",
            help="Run without asking: NAME, or NAME:ARGUMENT=GLOB.",
        ),
        click.option("--deny", multiple=True, metavar="RULE", help="Never run; goes before everything else."),
        click.option("--yes", metavar="RISK", type=click.Choice(_RISKS), help="Run up to this risk without asking."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def rules_of(allow: tuple[str, ...], deny: tuple[str, ...], yes: str | None) -> tuple[Rule, ...]:
    """Return the rules that options say, in the order in which they count.

    Raises:
        Stop: One of them is no rule.
    """
    from toolwright.execution import Rule

    rules = [_rule("deny", text) for text in deny] + [_rule("allow", text) for text in allow]
    if yes is not None:
        rules.append(Rule(effect="allow", tool="*", risk=yes, origin="--yes"))
    return tuple(rules)


def _rule(effect: Any, text: str) -> Rule:
    """Read ``git_*``, ``run_command:command=git status*``, ``category=git``, ``tag=x`` or ``risk=low``."""
    from toolwright.errors import PolicyError
    from toolwright.execution import Rule

    name, colon, condition = text.partition(":")
    argument, equals, glob = condition.partition("=")
    word, said, value = text.partition("=")
    try:
        if colon and equals and "=" not in name:
            return Rule(effect=effect, tool=name, when={argument: glob}, origin=f"--{effect}")
        if said and word in _CONDITIONS:
            conditions: dict[str, Any] = {word: value}
            return Rule(effect=effect, **conditions, origin=f"--{effect}")
        if not colon and not said:
            return Rule(effect=effect, tool=text, origin=f"--{effect}")
    except PolicyError as error:
        raise Stop(f"--{effect} '{text}': {error}", ExitCode.WRONG_USE) from None
    problem = "is no rule: write NAME, NAME:ARGUMENT=GLOB, category=WORD, tag=WORD or risk=WORD"
    raise Stop(f"--{effect} '{text}' {problem}", ExitCode.WRONG_USE)
