"""``config show``, ``path`` and ``trust``: the settings, where each came from, and whom the user trusts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from toolwright.cli.app import Group
from toolwright.cli.invocation import Invocation
from toolwright.cli.options import as_json, in_workspace

if TYPE_CHECKING:
    from toolwright.config import Configuration, Ignored

__all__ = ["config", "path", "show", "trust"]


@click.command(cls=Group)
def config() -> None:
    """The settings that hold, and where they come from."""


@config.command()
@in_workspace
@as_json
@click.pass_obj
def show(
    invocation: Invocation,
    workspace: str | None,
    as_json: bool,
) -> None:
    """Show every setting, and where its value came from."""
    from toolwright.cli.compose import ignored_rules
    from toolwright.config import KEYS

    configuration = invocation.configuration(workspace)
    ignored = [*configuration.ignored, *ignored_rules(configuration)]
    if as_json:
        invocation.console.json(_as_json(configuration, ignored))
        return
    console = invocation.console
    rows: list[tuple[str, str, str]] = []
    for key in KEYS:
        origin = configuration.origins[key]
        where = origin.source + (f"  {origin.where}" if origin.where else "")
        rows.append((key, _text(configuration.settings.get(key)), where))
    console.table(rows, styles=("bold", "", "dim"), wraps=True)
    for table in configuration.policies:
        standing = "" if table.source == "user" or table.trusted else ", and only tightens"
        console.data(
            f"{console.style('policy', 'bold')}  {console.style(f'{table.source}  {table.file}{standing}', 'dim')}"
        )
    for each in ignored:
        console.say(f"note: {each}", "yellow")
    if ignored:
        console.say("note: 'toolwright config trust' trusts this project's folder", "dim")


def _as_json(configuration: Configuration, ignored: list[Ignored]) -> dict[str, Any]:
    from toolwright.config import KEYS

    settings: dict[str, Any] = {}
    for key in KEYS:
        origin = configuration.origins[key]
        value = _plain(configuration.settings.get(key))
        settings[key] = {"value": value, "source": origin.source, "where": origin.where or None}
    return {
        "workspace": str(configuration.workspace),
        "project_file": str(configuration.project_file) if configuration.project_file else None,
        "trusted": configuration.trusted,
        "settings": settings,
        "policies": [
            {"source": each.source, "file": str(each.file), "trusted": each.trusted} for each in configuration.policies
        ],
        "ignored": [{"key": each.path, "where": each.where, "why": each.why} for each in ignored],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


@config.command()
@in_workspace
@as_json
@click.pass_obj
def path(
    invocation: Invocation,
    workspace: str | None,
    as_json: bool,
) -> None:
    """Show where files are looked for, and whether they are there."""
    rows = list(_places(invocation, workspace))
    if as_json:
        invocation.console.json({name: {"path": place, "exists": there} for name, place, there in rows})
        return
    invocation.console.table(
        [(name, "there" if there else "not there", place or "none") for name, place, there in rows],
        styles=("bold", "dim", ""),
        wraps=True,
    )


def _places(invocation: Invocation, workspace: str | None) -> Iterator[tuple[str, str | None, bool]]:
    import os

    from toolwright.config import find_project_file

    project = find_project_file(invocation.workspace(workspace))
    yield "project_file", str(project) if project else None, project is not None
    for name, place in invocation.places.to_dict().items():
        yield name, place, os.path.exists(place)  # noqa: PTH110  a text


@config.command()
@click.argument("folder", required=False, type=click.Path())
@click.option("--remove", is_flag=True, help="Trust it no longer.")
@click.option("--list", "lists", is_flag=True, help="Show the folders that are trusted.")
@as_json
@click.pass_obj
def trust(
    invocation: Invocation,
    folder: str | None,
    remove: bool,
    lists: bool,
    as_json: bool,
) -> None:
    """Let the file of a project loosen what you have: the project of FOLDER, or of this one."""
    from toolwright.config import TrustedFolders, find_project_file

    console = invocation.console
    trusted = TrustedFolders(invocation.places.trust_file)
    if not lists:
        meant = invocation.workspace(folder)
        project = find_project_file(meant)
        meant = project.parent if project is not None else meant
        changed = trusted.remove(meant) if remove else trusted.add(meant)
        word = "no longer trusted" if remove else "trusted"
        console.say(f"{meant} is {word}." if changed else f"{meant} was {'not ' if remove else ''}trusted already.")
    if as_json:
        console.json({"folders": [{"folder": each.folder, "at": each.at.isoformat()} for each in trusted.all()]})
    elif lists:
        console.table([(each.folder, f"{each.at.astimezone():%Y-%m-%d %H:%M}") for each in trusted.all()])
