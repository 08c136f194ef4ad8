"""``doctor``: what works on this machine, and what to do about the rest.

Every check is a function that gives findings; one that breaks is a finding as well. Nothing is changed, and nothing is
asked of a network beside what runs on this machine.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, TypeAlias

import click
import msgspec

from toolwright.cli.app import Command
from toolwright.cli.console import Console
from toolwright.cli.exits import ExitCode, Stop
from toolwright.cli.invocation import Invocation
from toolwright.cli.options import as_json, in_workspace

__all__ = ["Finding", "State", "doctor"]

State: TypeAlias = Literal["ok", "missing", "broken"]
"""How something stands: it works, it is not there and could be, it is there and does not work."""

_MARKS: Final[Mapping[State, tuple[str, str]]] = {
    "ok": ("ok", "green"),
    "missing": ("--", "yellow"),
    "broken": ("!!", "red"),
}

# Each extra with a module that comes with it, and what it is for.
_EXTRAS: Final = {
    "http": ("httpx2", "models behind HTTP interfaces"),
    "cli": ("platformdirs", "this command line"),
    "local": ("xllamacpp", "a model in this process, without any server"),
    "otel": ("opentelemetry", "traces and metrics"),
}

# Programs that make something better or possible: what for.
_PROGRAMS: Final = {
    "rg": ("ripgrep", "text is searched by Python without it, which takes longer", "install ripgrep"),
    "git": ("git", "tools of the category git are not offered without it", "install git"),
    "ollama": ("Ollama", "one way to have models on this machine", "see ollama.com, or 'toolwright model pull'"),
}


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at: how it stands, and what to do about it."""

    topic: str
    name: str
    state: State
    detail: str
    remedy: str = ""


@click.command(cls=Command)
@in_workspace
@as_json
@click.pass_obj
def doctor(
    invocation: Invocation,
    workspace: str | None,
    as_json: bool,
) -> None:
    """Show what works on this machine, and what to do about the rest."""
    findings = list(_findings(invocation, workspace))
    broken = sum(each.state == "broken" for each in findings)
    if as_json:
        invocation.console.json(
            {"healthy": not broken, "findings": [msgspec.structs.asdict(each) for each in findings]}
        )
    else:
        _print(invocation.console, findings)
    if broken:
        raise Stop("" if as_json else f"{broken} of these need mending.", ExitCode.FAILED)


def _findings(invocation: Invocation, workspace: str | None) -> Iterator[Finding]:
    yield from _guarded("Python", _python)
    yield from _guarded("Configuration", lambda: _configuration(invocation, workspace))
    yield from _guarded("Model", lambda: _models(invocation, workspace))
    yield from _guarded("Tools", lambda: _tools(invocation, workspace))
    yield from _guarded("Isolation", _isolation)
    yield from _guarded("Programs", _programs)


def _guarded(topic: str, check: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    try:
        yield from check()
    except (ValueError, ImportError, LookupError, OSError, Stop) as error:
        first = str(error).splitlines()
        detail = first[0] if first else type(error).__name__
        yield Finding(topic=topic, name=topic.lower(), state="broken", detail=detail, remedy=" ".join(first[1:2]))


def _python() -> Iterator[Finding]:
    from importlib.metadata import version

    detail = f"{platform.python_version()} on {platform.system()} {platform.machine()}, {sys.executable}"
    yield Finding(topic="Python", name="python", state="ok", detail=detail)
    yield Finding(topic="Python", name="toolwright", state="ok", detail=version("toolwright"))
    for extra, (module, purpose) in _EXTRAS.items():
        there = find_spec(module) is not None
        remedy = "" if there else f"pip install 'toolwright[{extra}]'"
        state: State = "ok" if there else "missing"
        yield Finding(topic="Python", name=f"extra {extra}", state=state, detail=f"for {purpose}", remedy=remedy)


def _configuration(invocation: Invocation, workspace: str | None) -> Iterator[Finding]:
    from toolwright.cli.compose import ignored_rules, policy_of, runs_folder

    configuration = invocation.configuration(workspace)
    user = configuration.places.user_file
    there = "read" if user.exists() else "not there, which is fine"
    yield Finding(topic="Configuration", name="user's file", state="ok", detail=f"{user}: {there}")
    project = configuration.project_file
    detail = (
        f"{project}: {'trusted' if configuration.trusted else 'may only tighten'}" if project else "there is none here"
    )
    yield Finding(topic="Configuration", name="project's file", state="ok", detail=detail)
    yield _runs(runs_folder(configuration))
    policy = policy_of(configuration)
    kept = f"{len(policy.rules)} rules, {len(policy.remembered)} remembered decisions"
    yield Finding(topic="Configuration", name="policy", state="ok", detail=kept)
    for each in (*configuration.ignored, *ignored_rules(configuration)):
        yield Finding(
            topic="Configuration",
            name=each.path,
            state="missing",
            detail=f"ignored: {each.why}",
            remedy="'toolwright config trust', if you trust what lies in this folder",
        )


def _runs(folder: Path) -> Finding:
    there = next((each for each in (folder, *folder.parents) if each.exists()), folder)
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return Finding(topic="Configuration", name="runs", state="ok", detail=str(folder))
    remedy = "TOOLWRIGHT_RUNS_FOLDER, or the setting runs.folder, names another place"
    detail = f"{folder}: {there} cannot be written"
    return Finding(topic="Configuration", name="runs", state="broken", detail=detail, remedy=remedy)


def _models(invocation: Invocation, workspace: str | None) -> Iterator[Finding]:
    from toolwright.providers.choose import candidates

    configured = invocation.configuration(workspace).settings.model
    found = candidates(configured=configured)
    for each in found:
        name = f"{each.name} (used)" if each.chosen else each.name
        told = each.source == each.name or each.source in each.reason
        detail = each.reason if told else f"{each.source}: {each.reason}"
        yield Finding(topic="Model", name=name, state="ok" if each.found else "missing", detail=detail)
    if not any(each.chosen for each in found):
        remedy = "'toolwright model pull' brings a small one; or set TOOLWRIGHT_MODEL, such as ollama:qwen3"
        yield Finding(topic="Model", name="model", state="missing", detail="no model is configured", remedy=remedy)


def _tools(invocation: Invocation, workspace: str | None) -> Iterator[Finding]:
    from toolwright.cli.compose import availability_of, definition_folders, policy_of, registry_of

    configuration = invocation.configuration(workspace)
    for folder in definition_folders(configuration):
        yield Finding(topic="Tools", name="definitions", state="ok", detail=str(folder))
    registry = registry_of(configuration)
    offered = registry.definitions(availability_of(configuration))
    yield Finding(
        topic="Tools", name="tools", state="ok", detail=f"{len(registry)}, {len(offered)} of them offered here"
    )
    for doubt in policy_of(configuration).doubts(entry.definition for entry in registry.entries()):
        yield Finding(topic="Tools", name="policy", state="missing", detail=doubt, remedy="look at this rule again")


def _isolation() -> Iterator[Finding]:
    from toolwright.sandbox import Sandbox, Unavailable

    for level, standing in Sandbox().probe().items():
        if isinstance(standing, Unavailable):
            yield Finding(
                topic="Isolation", name=str(level), state="missing", detail=standing.reason, remedy=standing.remedy
            )
        else:
            yield Finding(topic="Isolation", name=str(level), state="ok", detail=level.description)


def _programs() -> Iterator[Finding]:
    for program, (name, purpose, remedy) in _PROGRAMS.items():
        place = shutil.which(program)
        if place is None:
            yield Finding(topic="Programs", name=name, state="missing", detail=purpose, remedy=remedy)
        else:
            yield Finding(topic="Programs", name=name, state="ok", detail=place)


def _print(console: Console, findings: list[Finding]) -> None:
    width = max(len(each.name) for each in findings)
    topic = ""
    for each in findings:
        if each.topic != topic:
            console.data(("\n" if topic else "") + console.style(each.topic, "bold"))
            topic = each.topic
        word, style = _MARKS[each.state]
        console.data(f"  {console.style(word, style)}  {each.name:<{width}}  {each.detail}")
        if each.remedy:
            console.data(f"      {'':<{width}}  {console.style(f'-> {each.remedy}', 'dim')}")
