"""``tools list``, ``show`` and ``search``: looking at the tools, running none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from toolwright.cli.app import Command
from toolwright.cli.console import Console
from toolwright.cli.invocation import Invocation
from toolwright.cli.options import as_json, in_workspace, tools_that_fit
from toolwright.errors import UnknownWordError
from toolwright.levels import RiskLevel, ToolCategory, Word

if TYPE_CHECKING:
    from toolwright.registry import Registry
    from toolwright.tools import Tool, ToolDefinition

__all__ = ["list_tools", "search", "show"]


def _read(words: type[Word]) -> Callable[[click.Context, click.Parameter, str | None], Word | None]:
    """Return what reads an option that is one word of a list, in any spelling, and names the option where it is not."""

    def read(ctx: click.Context, parameter: click.Parameter, value: str | None) -> Word | None:
        try:
            return None if value is None else words.parse(value)
        except UnknownWordError as error:
            raise click.BadParameter(f"'{value}' {error}", ctx, parameter) from None

    return read


@click.command("list", cls=Command)
@click.option("--category", callback=_read(ToolCategory), help="Only tools of this category.")
@click.option("--tag", help="Only tools with this tag.")
@click.option("--max-risk", callback=_read(RiskLevel), help="Only tools up to this risk.")
@click.option("--all", "everything", is_flag=True, help="Also those that are not offered here.")
@in_workspace
@as_json
@click.pass_obj
def list_tools(
    invocation: Invocation,
    category: ToolCategory | None,
    tag: str | None,
    max_risk: RiskLevel | None,
    everything: bool,
    workspace: str | None,
    as_json: bool,
) -> None:
    """List the tools that are offered here."""
    from toolwright.cli.compose import availability_of, registry_of

    configuration = invocation.configuration(workspace)
    registry = registry_of(configuration)
    offered = {tool.definition.name for tool in registry.available(availability_of(configuration))}
    wanted = registry.toolset(
        tags=None if tag is None else [tag],
        categories=None if category is None else [category],
        max_risk=max_risk,
    )
    tools = [entry.definition for entry in wanted.entries() if everything or entry.name in offered]
    if as_json:
        invocation.console.json({"tools": [{**_brief(each), "offered": each.name in offered} for each in tools]})
        return
    _print_rows(invocation.console, ((each, "" if each.name in offered else "not offered here") for each in tools))
    hidden = len(registry) - len(offered)
    if hidden and not everything:
        invocation.console.say(f"{hidden} more are not offered here; --all shows them", "dim")


@click.command(cls=Command)
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="How many at most.")
@in_workspace
@as_json
@click.pass_obj
def search(
    invocation: Invocation,
    words: tuple[str, ...],
    limit: int,
    workspace: str | None,
    as_json: bool,
) -> None:
    """Find the tools that fit some WORDS, best first."""
    from toolwright.cli.compose import availability_of, registry_of

    configuration = invocation.configuration(workspace)
    registry = registry_of(configuration)
    found = registry.search(" ".join(words), limit, availability_of(configuration))
    if as_json:
        rows = [{**_brief(each.tool.definition), "score": round(each.score, 4)} for each in found]
        invocation.console.json({"query": " ".join(words), "tools": rows})
        return
    _print_rows(invocation.console, ((each.tool.definition, "") for each in found))
    if not found:
        invocation.console.say("No tool fits these words; 'toolwright tools list' shows all.")


@click.command(cls=Command)
@click.argument("name", shell_complete=tools_that_fit)
@in_workspace
@as_json
@click.pass_obj
def show(
    invocation: Invocation,
    name: str,
    workspace: str | None,
    as_json: bool,
) -> None:
    """Show the tool NAME: what it takes, and what it may do."""
    from toolwright.cli.compose import registry_of, why_not_offered

    configuration = invocation.configuration(workspace)
    registry = registry_of(configuration)
    tool = registry[name]
    definition = tool.definition
    why_not = why_not_offered(configuration, tool)
    if as_json:
        invocation.console.json({**definition.to_dict(), **_beside(registry, tool), "offered": not why_not})
        return
    _print_definition(invocation.console, definition, _beside(registry, tool), why_not)


def _brief(definition: ToolDefinition) -> dict[str, Any]:
    """Return what a list says of a tool."""
    return {
        "name": definition.name,
        "title": definition.title,
        "risk": str(definition.risk),
        "category": str(definition.category),
        "isolation": str(definition.isolation),
        "description": definition.description,
        "tags": list(definition.tags),
    }


def _beside(registry: Registry, tool: Tool) -> dict[str, Any]:
    """Return what is known of a tool beside its definition."""
    definition = tool.definition
    entry = registry.entry(definition.name)
    handler = getattr(getattr(tool, "handler", None), "kind", None)
    origin = "built in" if entry is not None and entry.builtin else "definition file" if handler else "package"
    return {"origin": origin, "handler": handler, "digest": definition.digest}


def _print_rows(console: Console, tools: Iterable[tuple[ToolDefinition, str]]) -> None:
    rows = [
        (each.name, str(each.risk), str(each.category), f"({note}) {_first(each)}" if note else _first(each))
        for each, note in tools
    ]
    console.table(rows, styles=("bold", "=", "dim", ""))


def _first(definition: ToolDefinition) -> str:
    return definition.description.strip().partition("\n")[0]


def _print_definition(console: Console, definition: ToolDefinition, beside: dict[str, Any], why_not: str) -> None:
    console.data(f"{console.style(definition.name, 'bold')}  {definition.title}")
    console.text(definition.description.strip())
    console.data()
    rows = [
        ("risk", str(definition.risk), definition.risk.description),
        ("category", str(definition.category), definition.category.description),
        ("isolation", str(definition.isolation), definition.isolation.description),
        ("limits", f"{definition.time_limit:g} s, {definition.output_limit:,} bytes", ""),
        ("side effects", "yes" if definition.side_effects else "no", ""),
        ("asks", "every time" if definition.requires_confirmation else "as the policy says", ""),
        ("permissions", ", ".join(definition.permissions) or "none", ""),
        ("tags", ", ".join(definition.tags) or "none", ""),
        ("from", beside["origin"], f"runs as {beside['handler']}" if beside["handler"] else ""),
        ("offered", "not here" if why_not else "yes", why_not),
    ]
    console.table(rows, styles=("dim", "=", "dim"), wraps=True)
    console.data()
    parameters = list(_parameters(definition))
    if parameters:
        console.data(console.style("parameters", "dim"))
        console.table(parameters, styles=("bold", "cyan", ""), wraps=True)
    else:
        console.data("no parameters")
    for example in definition.examples:
        console.data(console.style("example ", "dim") + _json(example))


def _parameters(definition: ToolDefinition) -> Iterator[tuple[str, str, str]]:
    for each in definition.parameter_list:
        need = "required" if each.required else f"default {_json(each.default)}" if each.default is not None else ""
        choice = f"one of {', '.join(map(_json, each.enum))}" if each.enum else ""
        kind = f"{each.type}, {need}" if need else str(each.type)
        yield f"  {each.name}", kind, "; ".join(filter(None, (each.description.strip(), choice)))


def _json(value: Any) -> str:
    from toolwright.values import encode

    return encode(value).decode()
