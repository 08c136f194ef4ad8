"""``runs list``, ``show`` and ``export``: looking at what was asked, called and answered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from toolwright.cli.app import Command
from toolwright.cli.exits import ExitCode, Stop
from toolwright.cli.invocation import Invocation
from toolwright.cli.lines import excerpt
from toolwright.cli.options import as_json, in_workspace
from toolwright.providers.codecs import CODECS

if TYPE_CHECKING:
    from toolwright.agent import JsonLinesRuns, RunHead, StoredRun
    from toolwright.cli.console import Console
    from toolwright.transcript import Record

__all__ = ["export", "find_run", "list_runs", "show"]

_FEW_LINES: Final = 10
_SHORTEST_PREFIX: Final = 4


def find_run(invocation: Invocation, name: str, workspace: str | None) -> RunHead:
    """Return a run by its id, by the beginning of it, or as ``last``.

    Raises:
        Stop: There is none, or there are several.
    """
    store = _store(invocation, workspace)
    heads = _heads(store)
    if name == "last" and heads:
        return heads[0]
    found = [each for each in heads if each.id == name]
    if not found and len(name) >= _SHORTEST_PREFIX:
        found = [each for each in heads if each.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    damaged = _damaged(store, heads)
    if name in damaged:
        raise Stop(f"The run {name} cannot be read: see {store.folder / f'{name}.jsonl'}", ExitCode.FAILED)
    problem = f"{len(found)} runs begin with {name}; write more of it." if found else f"There is no run {name}."
    raise Stop(f"{problem}\n'toolwright runs list' shows those there are.", ExitCode.WRONG_USE)


def _store(invocation: Invocation, workspace: str | None) -> JsonLinesRuns:
    from toolwright.agent import JsonLinesRuns
    from toolwright.cli.compose import runs_folder

    return JsonLinesRuns(runs_folder(invocation.configuration(workspace)))


def _heads(store: JsonLinesRuns) -> Sequence[RunHead]:
    import asyncio  # not for the page of help

    async def listed() -> Sequence[RunHead]:
        return await store.list()

    return asyncio.run(listed())


def _damaged(store: JsonLinesRuns, heads: Sequence[RunHead]) -> list[str]:
    """Return the ids of runs whose files are there and cannot be read."""
    read = {each.id for each in heads}
    return sorted(file.stem for file in store.folder.glob("*.jsonl") if file.stem not in read)


def _stored(invocation: Invocation, name: str, workspace: str | None) -> StoredRun:
    import asyncio  # likewise

    head, store = find_run(invocation, name, workspace), _store(invocation, workspace)

    async def read() -> StoredRun:
        return await store.read(head.id)

    return asyncio.run(read())


@click.command("list", cls=Command)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many at most.")
@click.option("--here", is_flag=True, help="Only those of this workspace.")
@in_workspace
@as_json
@click.pass_obj
def list_runs(invocation: Invocation, limit: int, here: bool, workspace: str | None, as_json: bool) -> None:
    """List the runs there are, the newest first."""
    from msgspec import to_builtins

    store = _store(invocation, workspace)
    heads = _heads(store)
    damaged = _damaged(store, heads)
    if here:
        folder = str(invocation.workspace(workspace))
        heads = [each for each in heads if each.workspace == folder]
    shown = heads[:limit]
    if as_json:
        invocation.console.json({"runs": [to_builtins(each) for each in shown]})
        return
    rows = [(each.id, f"{each.created_at.astimezone():%Y-%m-%d %H:%M}", _stands(each), each.title) for each in shown]
    invocation.console.table(rows, styles=("bold", "dim", "", ""))
    if damaged:
        invocation.console.say(f"cannot be read, in {store.folder}: {', '.join(damaged)}", "yellow")
    if not heads:
        invocation.console.say("There are no runs yet; 'toolwright chat' makes one.", "dim")
    elif len(shown) < len(heads):
        invocation.console.say(f"{len(heads) - len(shown)} older ones; --limit shows more", "dim")


def _stands(head: RunHead) -> str:
    return (
        (head.status or "ended")
        if head.state == "ended"
        else "cut off or going on"
        if head.state == "running"
        else head.state
    )


@click.command(cls=Command)
@click.argument("run")
@click.option("--full", is_flag=True, help="Show results whole.")
@in_workspace
@as_json
@click.pass_obj
def show(invocation: Invocation, run: str, full: bool, workspace: str | None, as_json: bool) -> None:
    """Show the run RUN: its id, the beginning of it, or 'last'."""
    from msgspec import to_builtins

    stored = _stored(invocation, run, workspace)
    console = invocation.console
    if as_json:
        console.json({**to_builtins(stored.head), "records": [_plain(each) for each in stored.records]})
        return
    head = stored.head
    rows = [
        ("run", head.id),
        ("began", f"{head.created_at.astimezone():%Y-%m-%d %H:%M:%S}"),
        ("stands", _stands(head)),
        ("model", head.model or "unknown"),
        ("workspace", head.workspace or "none"),
    ]
    console.table(rows, styles=("dim", ""), wraps=True)
    for record in stored.records:
        _print(console, record, full=full)


def _plain(record: Record) -> dict[str, Any]:
    from toolwright.values import thaw

    return {"kind": record.kind, "content": record.content, "data": thaw(record.data)}


def _print(console: Console, record: Record, *, full: bool) -> None:
    match record.kind:
        case "user":
            console.data()
            console.text("\n".join(f"> {line}" for line in record.content.splitlines() or [""]))
        case "assistant":
            console.data()
            console.text(record.content)
        case "system":
            console.data()
            console.text(f"({record.content})")
        case "tool_call":
            console.data()
            console.text(f"• {record.content}")
        case "tool_result":
            console.text("\n".join(f"  {line}" for line in _result(record, full=full)))


def _result(record: Record, *, full: bool) -> Iterator[str]:
    result = record.data.get("result")
    text = result if isinstance(result, str) else record.content
    yield from (text if full else excerpt(text, _FEW_LINES)).splitlines() or ["(nothing)"]


@click.command(cls=Command)
@click.argument("run")
@click.option(
    "--format",
    type=click.Choice(["records", "messages", "markdown", *CODECS]),
    default="records",
    show_default=True,
    help="Records in lines of JSON, messages, Markdown, or the request of a provider.",
)
@in_workspace
@click.pass_obj
def export(invocation: Invocation, run: str, format: str, workspace: str | None) -> None:
    """Print the run RUN for other programs, or for people."""
    stored = _stored(invocation, run, workspace)
    console = invocation.console
    if format == "records":
        for record in stored.records:
            console.data(json.dumps(_plain(record), ensure_ascii=False))
    elif format == "markdown":
        console.text("\n\n".join(_markdown(stored)))
    else:
        console.json(_written(stored, format))


def _written(stored: StoredRun, format: str) -> Any:
    from toolwright.agent.journal import messages_of
    from toolwright.values import decode

    messages = messages_of(stored.records)
    if format == "messages":
        return [decode(each.to_json()) for each in messages]
    from toolwright.providers import codec

    return codec(format).encode(messages, model=stored.head.model or None)


def _markdown(stored: StoredRun) -> Iterator[str]:
    yield f"# {stored.head.title or stored.head.id}"
    yield f"{stored.head.created_at:%Y-%m-%d %H:%M} UTC, {stored.head.model or 'unknown model'}, {_stands(stored.head)}"
    for record in stored.records:
        match record.kind:
            case "user":
                yield f"## {next(iter(record.content.splitlines()), '')}"
                rest = "\n".join(record.content.splitlines()[1:]).strip()
                if rest:
                    yield rest
            case "assistant":
                yield record.content
            case "tool_call":
                yield f"`{record.content.replace('`', chr(39))}`"
            case "tool_result":
                yield _fenced("\n".join(_result(record, full=True)))
            case "system":
                yield f"*{record.content}*"


def _fenced(text: str) -> str:
    """Return a block of code; its fence is longer than any row of backticks in the text."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
