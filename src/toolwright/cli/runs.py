"""``runs``: the group, and where its commands are."""

from __future__ import annotations

from typing import Final

import click

from toolwright.cli.app import Group

__all__ = ["runs"]

_ROWS: Final = {
    "list": ("runs_reading:list_runs", "The runs there are, the newest first"),
    "show": ("runs_reading:show", "One run: what was said, called and answered"),
    "resume": ("runs_resume:resume", "Go on with a run that was cut off"),
    "export": ("runs_reading:export", "Print a run for other programs, or as Markdown"),
}


@click.command(cls=Group, rows=_ROWS)
def runs() -> None:
    """What was asked, called and answered."""
