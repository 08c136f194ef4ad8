"""What a command is given: a console, an environment, the folder it was called in.

Settings are loaded from here, when a command wants them. This module may not know a command.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from toolwright.cli.console import Console
from toolwright.cli.exits import ExitCode, Stop

if TYPE_CHECKING:
    from toolwright.config import Configuration, Places

__all__ = ["Invocation"]


class Invocation:
    """One call of the program."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self.environment = environment
        self.folder = folder
        self.console = Console(environment)

    @classmethod
    def of_process(cls) -> Self:
        """Return the call that this process is."""
        try:
            folder = Path.cwd()
        except OSError:
            raise Stop("The current folder is gone; go to one that exists.", ExitCode.WRONG_USE) from None
        return cls(os.environ, folder)

    @property
    def places(self) -> Places:
        """The user's folders."""
        from toolwright.config import Places

        return Places.of_user()

    def workspace(self, given: str | None) -> Path:
        """Return the folder to work in: the one that was given, or this one.

        Raises:
            Stop: It is no folder.
        """
        folder = Path(os.path.abspath(self.folder / Path(given or ".").expanduser()))  # noqa: PTH100  keeps its links
        if not folder.is_dir():
            raise Stop(f"--workspace: {folder} is not a folder", ExitCode.WRONG_USE)
        return folder

    def configuration(self, workspace: str | None = None, options: Mapping[str, Any] | None = None) -> Configuration:
        """Return the settings that hold in a workspace.

        Raises:
            ConfigError: Something in any source cannot be relied on.
        """
        from toolwright.config import load_configuration

        return load_configuration(
            self.workspace(workspace),
            places=self.places,
            environment=self.environment,
            options=options,
            folder=self.folder,
        )

    def confirm(self, question: str, *, yes: bool, asks: bool = True) -> None:
        """Go on with what cannot be undone: because ``--yes`` says so, or a person at a terminal does.

        Raises:
            Stop: Nobody said so.
        """
        import click

        if yes:
            return
        if not asks or not self.console.is_person:
            raise Stop(f"{question} Nobody is there to ask: add --yes.", ExitCode.DENIED)
        if not click.confirm(question, err=True):
            raise Stop("Nothing was done.", ExitCode.DENIED)

    def tell_ignored(self, configuration: Configuration) -> None:
        """Tell what of a project's file does not count, and how it could."""
        for each in configuration.ignored:
            self.console.say(f"note: {each}", "dim")
        if configuration.ignored:
            self.console.say("note: 'toolwright config trust' trusts this project's folder", "dim")
