"""A tool's parameters as options of a command: ``--path X``, ``--tags a --tags b``, ``--line-numbers``.

Texts, numbers and words of a list are given as they are, anything else as JSON. What an option cannot say is said by
``--args``, a JSON object, or ``--args -`` and the object on stdin; options go before it. Whether arguments are valid is
not decided here: the tool's own schema says so.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

import click
import msgspec

from toolwright.cli.app import Command, Group
from toolwright.cli.exits import ExitCode, Stop
from toolwright.cli.invocation import Invocation

if TYPE_CHECKING:
    from toolwright.config import Configuration
    from toolwright.registry import Registry
    from toolwright.tools import Tool, ToolDefinition
    from toolwright.tools.parameters import ToolParameter

__all__ = ["Asked", "ToolGroup"]

_OPTION_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_SCALARS: Final[Mapping[str, click.ParamType[Any]]] = {
    "string": click.STRING,
    "integer": click.INT,
    "number": click.FLOAT,
}
_LARGEST: Final = 16 * 1024 * 1024  # characters on stdin


class Asked(msgspec.Struct, frozen=True):
    """A call that a line asks for, and where: what the commands of a :class:`ToolGroup` are given."""

    invocation: Invocation
    configuration: Configuration
    registry: Registry
    name: str
    arguments: Mapping[str, Any]

    @property
    def tool(self) -> Tool:
        """The tool that is asked for, offered or not."""
        return self.registry[self.name]


class ToolGroup(Group):
    """A group whose commands are the tools: each with its parameters as options.

    ``act`` is called with what is asked for, and the options that all of these commands have, which are those of the
    group. They may stand before the name or behind it.
    """

    def __init__(self, *arguments: Any, act: Callable[..., None], **options: Any) -> None:
        super().__init__(*arguments, subcommand_metavar="NAME [PARAMETERS]...", **options)
        self._act = act
        self._shared = [each for each in self.params if isinstance(each, click.Option) and each.expose_value]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the tools that are offered, for completion; none where they cannot be known."""
        from toolwright.cli.compose import availability_of

        try:
            configuration, registry = self._tools(ctx)
        except (Stop, ValueError, ImportError):
            return []
        return [each.definition.name for each in registry.available(availability_of(configuration))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command that a tool is."""
        configuration, registry = self._tools(ctx, cmd_name)
        tool = registry.get(cmd_name)
        return None if tool is None else self._command(ctx, configuration, registry, tool.definition)

    def unknown(self, name: str) -> str:
        """Say nothing of a tool that is not there: the registry knows better what is near."""
        return ""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of a tool, by its name in any spelling.

        Raises:
            ToolNotFoundError: There is no such tool; the text names the nearest.
        """
        if not ctx.resilient_parsing and not args[0].startswith("-"):
            registry = self._tools(ctx, args[0])[1]
            registry[args[0]]  # raises, and names the nearest
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Say where the names are to be found, instead of listing every tool."""
        del ctx
        with formatter.section("Tools"):
            formatter.write_text("'toolwright tools list' shows them; 'NAME --help' shows the options of one.")

    def _tools(self, ctx: click.Context, name: str | None = None) -> tuple[Configuration, Registry]:
        """Return the settings, and the tools of the workspace: all of them, or what a call of one takes."""
        return self._tools_in(ctx, ctx.params.get("workspace"), name)

    def _tools_in(self, ctx: click.Context, workspace: str | None, name: str | None) -> tuple[Configuration, Registry]:
        from toolwright.cli.compose import registry_for, registry_of

        place = ("tools", workspace, name)
        found: tuple[Configuration, Registry] | None = ctx.meta.get(str(place))
        if found is None:
            invocation = ctx.obj or Invocation.of_process()
            configuration = invocation.configuration(workspace)
            registry = registry_of(configuration) if name is None else registry_for(configuration, name)
            found = ctx.meta[str(place)] = configuration, registry
        return found

    def _command(
        self, ctx: click.Context, configuration: Configuration, registry: Registry, definition: ToolDefinition
    ) -> click.Command:
        own = list(_options(definition))
        taken = {word for option, _ in own for word in option.opts}
        shared = [each for each in self._shared if not taken.intersection(each.opts)]

        def act(**given: Any) -> None:
            said = {each.name: given.pop(each.name) for each in shared if each.name}
            options = {name: said.get(name) or value for name, value in ctx.params.items()}
            place, folder = (configuration, registry), options.pop("workspace")
            if folder is not None:
                place = self._tools_in(ctx, folder, definition.name)
            arguments = {**_object(options.pop("arguments")), **_given(own, given)}
            self._act(Asked(ctx.obj, *place, definition.name, arguments), **options)

        return Command(
            definition.name,
            callback=act,
            params=[*(option for option, _ in own), *shared],
            help=definition.description,
        )


def _options(definition: ToolDefinition) -> Iterator[tuple[click.Option, ToolParameter]]:
    for place, parameter in enumerate(definition.parameter_list):
        if not _OPTION_NAME.fullmatch(parameter.name):
            continue  # it is given by --args
        flag = f"--{parameter.name.replace('_', '-')}"
        more: dict[str, Any] = {"help": _help(parameter), "default": None}
        if str(parameter.type) == "boolean":
            yield click.Option([f"given_{place}", f"{flag}/--no-{flag[2:]}"], **more), parameter
            continue
        kind, several = _kind_of(parameter)
        yield click.Option([f"given_{place}", flag], type=kind, multiple=several, **more), parameter


def _kind_of(parameter: ToolParameter) -> tuple[click.ParamType[Any], bool]:
    """Return what an option takes, and whether it may be given several times."""
    kind = str(parameter.type)
    if kind == "array":
        items: Any = (parameter.schema.to_dict() if parameter.schema is not None else {}).get("items", {})
        of_items = cast("dict[str, Any]", items).get("type") if isinstance(items, dict) else None
        return _SCALARS.get(of_items, _JSON) if isinstance(of_items, str) else _JSON, True
    if kind == "string" and parameter.enum:
        return click.Choice([str(each) for each in parameter.enum]), False
    return _SCALARS.get(kind, _JSON), False


class _Json(click.ParamType[Any]):
    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return msgspec.json.decode(value)
        except msgspec.DecodeError:
            self.fail("is not JSON; a text stands in double quotes", param, ctx)


_JSON: Final = _Json()


def _help(parameter: ToolParameter) -> str:
    from toolwright.values import encode

    text = parameter.description.strip()
    if parameter.required:
        return f"{text}  [required]"
    return f"{text}  [default: {encode(parameter.default).decode()}]" if parameter.default is not None else text


def _given(own: list[tuple[click.Option, ToolParameter]], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that options have given; what was not given is left to the schema's defaults."""
    arguments: dict[str, Any] = {}
    for option, parameter in own:
        value = given.get(option.name or "")
        if value is not None and value != ():
            arguments[parameter.name] = list(value) if option.multiple else value
    return arguments


def _object(text: str | None) -> dict[str, Any]:
    """Return the object that ``--args`` holds, or that stands on stdin."""
    if text is None:
        return {}
    content = sys.stdin.read(_LARGEST) if text == "-" else text
    try:
        found: Any = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        raise Stop("--args: this is not JSON", ExitCode.WRONG_USE) from None
    if not isinstance(found, dict):
        raise Stop("--args: must be a JSON object", ExitCode.WRONG_USE)
    return cast("dict[str, Any]", found)
