"""``tools check``, ``add`` and ``remove``: definition files, one tool in each.

Nothing in a file is executed or imported. A file is added as it is, with its comments; what stands in its way is told,
and nothing is replaced or removed that was not meant.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolwright.cli.app import Command
from toolwright.cli.console import Console
from toolwright.cli.exits import ExitCode, Stop
from toolwright.cli.invocation import Invocation
from toolwright.cli.options import as_json
from toolwright.errors import InvalidDefinitionError, ToolNotFoundError

if TYPE_CHECKING:
    from toolwright.tools import CustomTool

__all__ = ["add", "check", "remove"]


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--tier", help="Also check what this tier may have.")
@as_json
@click.pass_obj
def check(
    invocation: Invocation,
    files: tuple[Path, ...],
    tier: str | None,
    as_json: bool,
) -> None:
    """Check definition FILES, or folders of them: every fault at once, and what each provider would not get."""
    results = [_checked(file, tier) for given in files for file in _files_in(given)]
    if not results:
        raise Stop("There are no .toml or .json files there.", ExitCode.WRONG_USE)
    if as_json:
        invocation.console.json({"valid": all(each["valid"] for each in results), "files": results})
    else:
        for each in results:
            _print_result(invocation.console, each)
    if not all(each["valid"] for each in results):
        raise Stop(code=ExitCode.FAILED)


def _files_in(given: Path) -> Iterator[Path]:
    if not given.is_dir():
        yield given
        return
    for path in sorted(given.iterdir()):
        if path.suffix.lower() in (".toml", ".json") and not path.name.startswith(".") and path.is_file():
            yield path


def _checked(file: Path, tier: str | None) -> dict[str, Any]:
    from toolwright.tools import load_definition

    try:
        tool = load_definition(file, tier=tier)
    except InvalidDefinitionError as error:
        issues = error.report.errors if error.report else ()
        faults = [
            {"path": issue.path.partition(": ")[2], "code": issue.code, "message": issue.message} for issue in issues
        ]
        return {"file": str(file), "valid": False, "name": None, "faults": faults, "providers": {}}
    return {
        "file": str(file),
        "valid": True,
        "name": tool.definition.name,
        "faults": [],
        "providers": dict(_per_provider(tool)),
    }


def _per_provider(tool: CustomTool) -> Iterator[tuple[str, list[dict[str, str]]]]:
    from toolwright.schema.dialects import DIALECTS

    for dialect in DIALECTS:
        changes = tool.definition.parameters.for_provider(dialect).changes
        yield dialect, [{"path": each.path, "keyword": each.keyword, "note": each.note} for each in changes]


def _print_result(console: Console, result: Mapping[str, Any]) -> None:
    mark = console.style("ok", "green") if result["valid"] else console.style("wrong", "red")
    console.data(f"{result['file']}: {mark}" + (f", {result['name']}" if result["name"] else ""))
    for fault in result["faults"]:
        console.data("  " + ": ".join(filter(None, (fault["path"], fault["message"]))))
    rows: list[tuple[str, str]] = []
    for dialect, changes in result["providers"].items():
        if not changes:
            rows.append((f"  {dialect}", "as it is"))
        for place, change in enumerate(changes):
            text = ": ".join(filter(None, (change["path"] or "the schema", change["keyword"], change["note"])))
            rows.append(("" if place else f"  {dialect}", text))
    console.table(rows, styles=("dim", ""), wraps=True)


@click.command(cls=Command)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--replace", is_flag=True, help="Take the place of a tool of the same name.")
@as_json
@click.pass_obj
def add(
    invocation: Invocation,
    file: Path,
    replace: bool,
    as_json: bool,
) -> None:
    """Add the tool that FILE defines to your own."""
    from toolwright.cli.compose import built_ins, isolation_missing
    from toolwright.tools import load_definition
    from toolwright.tools.names import letters_of

    tool = load_definition(file)
    name = tool.definition.name
    if letters_of(name) in {letters_of(each.name) for each in built_ins(invocation.folder).entries()}:
        raise Stop(f"{name} is the name of a built-in tool; give yours another one.")
    folder = invocation.places.definitions
    there = _named(folder, name)
    if there is not None and not replace:
        raise Stop(f"There is a tool {name} in {there}; --replace takes its place.")
    target = (
        there if there is not None and there.suffix == file.suffix.lower() else folder / f"{name}{file.suffix.lower()}"
    )
    if target.exists() and target != there:
        raise Stop(f"{target} is there already and defines something else; move it away.")
    _write(target, file.read_bytes())
    if there is not None and there != target:
        there.unlink()
    if as_json:
        invocation.console.json({"name": name, "file": str(target), "replaced": there is not None})
    else:
        invocation.console.say(f"Added {name}: {target}")
        missing = isolation_missing(tool)
        if missing:
            invocation.console.say(f"note: calls of it are refused here: {missing}", "yellow")


@click.command(cls=Command)
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@click.pass_obj
def remove(
    invocation: Invocation,
    name: str,
    yes: bool,
    as_json: bool,
) -> None:
    """Remove your own tool NAME: its file is deleted."""
    from toolwright.tools.names import normalize_name

    folder = invocation.places.definitions
    file = _named(folder, normalize_name(name))
    if file is None:
        raise _no_such_tool(invocation, folder, name)
    invocation.confirm(f"Delete {file}?", yes=yes, asks=not as_json)
    file.unlink()
    if as_json:
        invocation.console.json({"name": name, "file": str(file), "removed": True})
    else:
        invocation.console.say(f"Removed {name}: {file}")


def _no_such_tool(invocation: Invocation, folder: Path, name: str) -> Exception:
    from difflib import get_close_matches

    from toolwright.cli.compose import built_ins

    registry = built_ins(invocation.folder)
    if registry.get(name) is not None:
        hint = (
            f'[tools] disabled = ["{registry[name].definition.name}"] in your configuration keeps it from being offered'
        )
        return Stop(f"{name} is built in and stays.\n{hint}")
    own = [each for each, _ in _definitions_in(folder)]
    near = tuple(get_close_matches(name, own, n=1, cutoff=0.5))
    hint = (
        f"did you mean {near[0]}?" if near else f"there are {', '.join(own)}" if own else f"there are none in {folder}"
    )
    return ToolNotFoundError(f"You have no tool {name}; {hint}", name=name, suggestions=near)


def _named(folder: Path, name: str) -> Path | None:
    """Return the file of a folder that defines a tool of this name, also where others in it are broken."""
    return next((path for each, path in _definitions_in(folder) if each == name), None)


def _definitions_in(folder: Path) -> Iterator[tuple[str, Path]]:
    from toolwright.tools import load_definition

    for path in _files_in(folder) if folder.is_dir() else ():
        try:
            yield load_definition(path).definition.name, path
        except (InvalidDefinitionError, OSError):
            yield path.stem, path  # what it is called is all that can be said of it


def _write(target: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise
