"""The commands as a tree. A command's module is imported when the command is run, and not before.

The first row of the tree is the table in ``front``; the groups below are made in their own files, of the same kinds.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click

from toolwright.cli.front import ELSEWHERE, GROUPS, page
from toolwright.cli.invocation import Invocation

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["Command", "Group", "app"]

_HOME: Final = "toolwright.cli"


class _WithDebug:
    """Takes ``--debug`` at any place of the line: nobody goes back to the beginning to add it."""

    params: list[click.Parameter]

    def add_debug(self) -> None:
        """Take the option, without telling of it on every page."""
        self.params.append(
            click.Option(["--debug"], is_flag=True, hidden=True, expose_value=False, is_eager=True, callback=_debug)
        )


class Command(click.Command, _WithDebug):
    """A command."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        options.setdefault("context_settings", {"help_option_names": ["-h", "--help"]})
        super().__init__(*arguments, **options)
        self.add_debug()


class Group(click.Group, _WithDebug):
    """A group of commands; ``rows`` are those that are imported when they are run, as ``front`` lists them."""

    command_class = Command

    def __init__(self, *arguments: Any, rows: Mapping[str, tuple[str, str]] | None = None, **options: Any) -> None:
        options.setdefault("context_settings", {"help_option_names": ["-h", "--help"]})
        super().__init__(*arguments, **options)
        self.rows = dict(rows or {})
        self.add_debug()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which they are shown."""
        return [*self.rows, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        if cmd_name not in self.rows:
            return super().get_command(ctx, cmd_name)
        module, _, name = self.rows[cmd_name][0].partition(":")
        found: click.Command = getattr(import_module(f"{_HOME}.{module}"), name)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that a line names.

        Raises:
            UsageError: There is none; the text names the nearest.
        """
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and self.get_command(ctx, name) is None:
            near = get_close_matches(name, self.list_commands(ctx), n=1, cutoff=0.5)
            hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(self.list_commands(ctx))}"
            raise click.UsageError(self.unknown(name) or f"There is no command '{name}'; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, without importing those whose line of help is known."""
        if not self.rows:
            super().format_commands(ctx, formatter)
            return
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.rows.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands that a word could become, likewise."""
        if not self.rows or incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        from click.shell_completion import CompletionItem

        return [CompletionItem(name, help=line) for name, (_, line) in self.rows.items() if name.startswith(incomplete)]

    def unknown(self, name: str) -> str:
        """Return what is said about a command that is not there, if there is more to say."""
        del name
        return ""


class _App(Group):
    def get_help(self, ctx: click.Context) -> str:
        del ctx
        return page().rstrip("\n")

    def unknown(self, name: str) -> str:
        return ELSEWHERE.get(name, "")


def _debug(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    del parameter
    if value and not ctx.resilient_parsing:  # tracebacks are the business of ``run``
        logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(name)s: %(message)s")
        logging.getLogger("asyncio").setLevel(logging.INFO)


def _version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    del parameter
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"toolwright {version('toolwright')}")
        ctx.exit()


@click.command(cls=_App, rows={name: row for rows in GROUPS.values() for name, row in rows.items()})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version)
@click.pass_context
def app(ctx: click.Context) -> None:
    """The tool layer for LLM agents."""
    # What is worth telling is told by the commands; the logs are for whoever asks for them.
    log = logging.getLogger("toolwright")
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    ctx.obj = ctx.obj or Invocation.of_process()
