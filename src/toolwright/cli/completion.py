"""``completion``: a script for a shell, which asks the program itself what fits."""

from __future__ import annotations

from typing import Final

import click

from toolwright.cli.app import Command, app
from toolwright.cli.invocation import Invocation

__all__ = ["completion"]

_NAMES: Final = ("toolwright", "tw")
_LINES: Final = {
    "bash": 'eval "$(toolwright completion bash)"      # in ~/.bashrc',
    "zsh": 'eval "$(toolwright completion zsh)"       # in ~/.zshrc',
    "fish": "toolwright completion fish | source       # in ~/.config/fish/config.fish",
}


@click.command(cls=Command, epilog="\b\n" + "\n".join(_LINES.values()))
@click.argument("shell", type=click.Choice(list(_LINES)))
@click.pass_obj
def completion(invocation: Invocation, shell: str) -> None:
    """Print the completion script for SHELL."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:  # pragma: no cover  the choice above is of those that click has
        raise click.UsageError(f"There is no completion for {shell}.")
    for name in _NAMES:
        # Both names ask under one variable, which is the one that the program looks at.
        invocation.console.data(kind(app, {}, name, "_TOOLWRIGHT_COMPLETE").source().rstrip("\n"))
