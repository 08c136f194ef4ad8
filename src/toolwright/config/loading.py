"""All sources together: which value holds, where it came from, and what was left out because of whom it came from.

The order is fixed: defaults, the project's file, the user's file, the environment, options; the later one wins. What
an untrusted project's file says is taken where it is stricter than the default, and told where it is not.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from toolwright.config.keys import KEYS
from toolwright.config.places import Places, find_project_file
from toolwright.config.settings import Settings
from toolwright.config.sources import Said, read_environment, read_file, read_options
from toolwright.config.trust import TrustedFolders

__all__ = ["Configuration", "Ignored", "Origin", "PolicyTable", "Source", "load_configuration"]

Source: TypeAlias = Literal["default", "project", "user", "environment", "option"]
"""Who may say something, in the order in which the later one wins."""


class Origin(msgspec.Struct, frozen=True):
    """Where a value came from: who said it, and the file, variable or option where it stands."""

    source: Source
    where: str = ""


class Ignored(msgspec.Struct, frozen=True):
    """Something that a project's file says and that does not count, and why."""

    path: str
    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.path} is ignored: {self.why}"


class PolicyTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table ``policy`` as it stands in a file; ``trusted`` says whether it may loosen anything."""

    source: Literal["project", "user"]
    file: Path
    table: Mapping[str, Any]
    trusted: bool


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that hold, where each came from, and what does not count.

    ``policies`` are the tables for rules, the project's first. ``project_file`` is None where there is none.
    """

    settings: Settings
    origins: Mapping[str, Origin]
    workspace: Path
    places: Places
    project_file: Path | None = None
    trusted: bool = False
    ignored: tuple[Ignored, ...] = ()
    policies: tuple[PolicyTable, ...] = ()


def load_configuration(
    workspace: Path,
    *,
    places: Places,
    environment: Mapping[str, str],
    options: Mapping[str, Any] | None = None,
    folder: Path | None = None,
) -> Configuration:
    """Return the configuration that holds in a workspace.

    ``options`` are by dotted names, None where one was not given. Paths of environment and options are relative to
    ``folder``, by default the workspace.

    Raises:
        ConfigError: Something in any source cannot be relied on; none of it holds then.
    """
    project_file = find_project_file(workspace)
    trusted = project_file is not None and TrustedFolders(places.trust_file).holds(project_file.parent)
    project = read_file(project_file) if project_file else Said()
    user = read_file(places.user_file) if os.path.lexists(places.user_file) else Said()
    ignored = () if trusted else _left_out(project)
    without = {each.path for each in ignored}
    layers: tuple[tuple[Source, Said], ...] = (
        ("project", _without(project, without)),
        ("user", user),
        ("environment", read_environment(environment, folder or workspace)),
        ("option", read_options(options or {}, folder or workspace)),
    )
    values: dict[str, Any] = {}
    origins = dict.fromkeys(KEYS, Origin("default"))
    for source, said in layers:
        values.update(said.values)
        origins.update({path: Origin(source, said.places[path]) for path in said.values})
    policies: list[PolicyTable] = []
    if project_file and project.policy is not None:
        policies.append(PolicyTable(source="project", file=project_file, table=project.policy, trusted=trusted))
    if user.policy is not None:
        policies.append(PolicyTable(source="user", file=places.user_file, table=user.policy, trusted=True))
    return Configuration(
        settings=Settings.of(values),
        origins=origins,
        workspace=workspace,
        places=places,
        project_file=project_file,
        trusted=trusted,
        ignored=ignored,
        policies=tuple(policies),
    )


def _left_out(project: Said) -> tuple[Ignored, ...]:
    """Return what an untrusted project's file says and may not."""
    found: list[Ignored] = []
    for path, value in project.values.items():
        key = KEYS[path]
        stricter = key.kind.is_stricter
        if key.from_project == "trust" or stricter is None:
            found.append(Ignored(path, project.places[path], "the folder is not trusted"))
        elif not stricter(value, key.default):
            found.append(Ignored(path, project.places[path], "looser than the default, and the folder is not trusted"))
    return tuple(found)


def _without(said: Said, left_out: set[str]) -> Said:
    values = {path: value for path, value in said.values.items() if path not in left_out}
    return Said(values=values, places=said.places, policy=said.policy)
