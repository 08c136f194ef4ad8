"""``model list``, ``pull``, ``verify`` and ``remove``: the weights of the local model on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolwright.cli.app import Group
from toolwright.cli.exits import ExitCode, Stop
from toolwright.cli.invocation import Invocation
from toolwright.cli.live import Live, amount, bar
from toolwright.cli.options import as_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwright.providers.local import Model, Progress, Standing

__all__ = ["list_models", "model", "pull", "remove", "verify"]


@click.command(cls=Group)
def model() -> None:
    """The local model: small, fetched once, run on this machine."""


@model.command("list")
@as_json
@click.pass_obj
def list_models(invocation: Invocation, as_json: bool) -> None:
    """List the models that can be pulled, and what is here of each."""
    from toolwright.providers.local import listed

    found = listed()
    console = invocation.console
    if as_json:
        console.json({"models": [_row(each) for each in found]})
        return
    rows = [
        (each.path.name if each.own else each.model.name, each.state, amount(each.size), each.advice or str(each.path))
        for each in found
    ]
    console.table(rows, styles=("bold", "", "", "dim"))


@model.command()
@click.argument("name", required=False)
@as_json
@click.pass_obj
def pull(invocation: Invocation, name: str | None, as_json: bool) -> None:
    """Fetch the weights of NAME, or of the usual model; what was begun is gone on with."""
    from toolwright.providers.local import pull as fetch

    wanted = _model(name)
    live = Live(invocation.console)
    if not live.on:
        invocation.console.say(f"Fetching {wanted.title}, {amount(wanted.size)}")
    with live.ended():
        file = fetch(wanted, progress=_shown(live))
    _done(invocation, {"name": wanted.name, "file": str(file)}, f"{wanted.title} is here: {file}", as_json=as_json)


@model.command()
@click.argument("name", required=False)
@as_json
@click.pass_obj
def verify(invocation: Invocation, name: str | None, as_json: bool) -> None:
    """Read the weights and compare their digest with the pinned one."""
    from toolwright.providers.local import verify as check

    wanted = _model(name)
    live = Live(invocation.console)
    with live.ended():
        file = check(wanted, progress=_shown(live))
    answer = {"name": wanted.name, "file": str(file), "sha256": wanted.sha256, "valid": True}
    _done(invocation, answer, f"{file} is what it should be", as_json=as_json)


@model.command()
@click.argument("name", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@click.pass_obj
def remove(invocation: Invocation, name: str | None, yes: bool, as_json: bool) -> None:
    """Remove the weights, and what was fetched of them."""
    from toolwright.providers.local import remove as drop
    from toolwright.providers.local import standing

    wanted = _model(name)
    there = standing(wanted, own=False)
    if there.state == "absent":
        _done(
            invocation, {"name": wanted.name, "freed": 0}, f"There is nothing of {wanted.name} here.", as_json=as_json
        )
        return
    invocation.confirm(f"Delete {wanted.title}, {amount(there.size)}?", yes=yes, asks=not as_json)
    freed = drop(wanted)
    _done(invocation, {"name": wanted.name, "freed": freed}, f"Removed {wanted.name}: {amount(freed)}", as_json=as_json)


def _model(name: str | None) -> Model:
    from toolwright.providers.local import MODELS, QWEN

    if name is None:
        return QWEN
    if name not in MODELS:
        raise Stop(f"There is no model {name} to pull; there is {', '.join(MODELS)}.", ExitCode.WRONG_USE)
    return MODELS[name]


def _shown(live: Live) -> Callable[[Progress], None]:
    def show(progress: Progress) -> None:
        part = progress.done / progress.total if progress.total else 0.0
        live.show(
            f"{progress.step} {bar(part)}  {amount(progress.done)} of {amount(progress.total)}, {progress.source}"
        )

    return show


def _done(invocation: Invocation, answer: dict[str, Any], text: str, *, as_json: bool) -> None:
    if as_json:
        invocation.console.json(answer)
    else:
        invocation.console.say(text)


def _row(each: Standing) -> dict[str, Any]:
    return {
        "name": each.model.name,
        "title": each.model.title,
        "state": each.state,
        "path": str(each.path),
        "size": each.size,
        "whole": each.model.size,
        "own": each.own,
        "advice": each.advice,
    }
