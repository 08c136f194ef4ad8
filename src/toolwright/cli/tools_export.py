"""``tools export``: tools as a provider, or a client of MCP, takes them; what is lost on the way is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from toolwright.cli.app import Command
from toolwright.cli.console import Console
from toolwright.cli.invocation import Invocation
from toolwright.cli.options import in_workspace, tools_that_fit

if TYPE_CHECKING:
    from toolwright.tools import ToolDefinition

__all__ = ["export"]

# Each format with the dialects that its schemas are bent to: a strict one first, for definitions that are strict.
_DIALECTS: Final[Mapping[str, tuple[str, ...]]] = {
    "openai-chat": ("openai-strict", "openai"),
    "openai-responses": ("openai-strict", "openai"),
    "anthropic": ("anthropic",),
    "gemini": ("gemini",),
    "ollama": ("ollama",),
    "cohere": ("openai",),
    "mcp": ("mcp",),
    "definition": (),
}


@click.command(cls=Command)
@click.argument("names", nargs=-1, shell_complete=tools_that_fit)
@click.option(
    "--format", type=click.Choice(list(_DIALECTS)), default="definition", show_default=True, help="Whose format."
)
@in_workspace
@click.pass_obj
def export(invocation: Invocation, names: tuple[str, ...], format: str, workspace: str | None) -> None:
    """Print the tools NAMES, or all that are offered, as one JSON array."""
    from toolwright.cli.compose import availability_of, registry_of

    configuration = invocation.configuration(workspace)
    registry = registry_of(configuration)
    if names:
        definitions = [registry[name].definition for name in names]
    else:
        definitions = list(registry.definitions(availability_of(configuration)))
    invocation.console.json(_written(definitions, format))
    _tell_losses(invocation.console, definitions, _DIALECTS[format])


def _written(definitions: list[ToolDefinition], format: str) -> list[Any]:
    if format == "definition":
        return [each.to_dict() for each in definitions]
    if format == "mcp":
        return [each.to_mcp() for each in definitions]
    from toolwright.providers import codec

    return list(codec(format).encode_tools(definitions))


def _tell_losses(console: Console, definitions: Iterable[ToolDefinition], dialects: tuple[str, ...]) -> None:
    for definition in definitions:
        usual = dialects if definition.strict else dialects[-1:]
        for change in definition.parameters.for_provider(usual[0]).changes if usual else ():
            console.say(f"{definition.name}: {change}", "yellow")
