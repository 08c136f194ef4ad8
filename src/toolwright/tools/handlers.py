"""What a tool that is kept as data does: one small class for each kind of handler.

A handler says what is to be done, and checks at once whether that makes sense; nothing in this room does it, and
nothing is executed or imported to find out. In JSON and TOML the kinds are told apart by ``kind``.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from toolwright.schema import Schema
from toolwright.schema.report import ValidationIssue, ValidationReport
from toolwright.tools.arguments import UnfitArguments
from toolwright.tools.rules import Issues, Rule, any_text, is_mapping, is_sequence, mismatch, optional, sequence, text
from toolwright.tools.templates import fill, note_placeholders, placeholder, placeholders, text_of
from toolwright.tools.written import Written
from toolwright.values import scrub

__all__ = ["CommandHandler", "EntrypointHandler", "Handler", "PythonHandler", "address", "checker", "read_handler"]

_ADDRESS: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)


def address(value: Any, path: str, issues: Issues) -> str:
    """Hold the address of a function, which is not looked for: ``package.module:function``."""
    written = any_text(value, path, issues)
    if isinstance(value, str) and not _ADDRESS.fullmatch(written):
        problem = "must name a function as package.module:function"
        issues.append(ValidationIssue.invalid_value(path, problem, provided=value))
    return written


def checker(value: Any, path: str, issues: Issues) -> str:
    """Hold the address of a function that checks arguments: one that somebody wrote for it, in a package of theirs."""
    written = address(value, path, issues)
    if written.partition(".")[0].partition(":")[0] in sys.stdlib_module_names:
        issues.append(
            ValidationIssue.invalid_value(path, "names a function of Python itself, which checks no arguments")
        )
    return written


class Handler(Written, frozen=True):
    """What runs when a custom tool is called.

    Every kind may name a ``check``: a function (``package.module:function``) that is given the arguments and returns a
    ``ValidationReport`` or None.

    Raises:
        InvalidDefinitionError: A rule is broken; ``report`` says all that is wrong.
    """

    noun: ClassVar[str] = "The handler"
    kind: ClassVar[str] = ""

    def note_faults(self, parameters: Schema, path: str, issues: Issues) -> None:
        """Note what does not go together with the parameters of the definition."""

    def to_dict(self) -> dict[str, Any]:
        """Return the handler as JSON has it, ``kind`` first."""
        return {"kind": self.kind, **super().to_dict()}


_CHECK: Final[Mapping[str, Rule]] = {"check": optional(checker)}


class PythonHandler(Handler, frozen=True):
    """Python source with a function ``run(arguments, context)``, sync or async."""

    kind: ClassVar[str] = "python"
    required_fields: ClassVar[tuple[str, ...]] = ("source",)

    source: str
    check: str | None = None

    def __repr__(self) -> str:
        return f"PythonHandler(source=<{len(self.source)} chars>)"


def _source(value: Any, path: str, issues: Issues) -> str:
    source = text(value, path, issues)
    if not source or source.isspace():
        return source
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        problem = f"is not Python: {error.msg} (line {error.lineno})"
    except (ValueError, RecursionError, MemoryError):
        problem = "is not Python that can be read: a NUL in it, or nested too deeply"
    else:
        problem = _fault_of_run(tree)
    if problem:
        issues.append(ValidationIssue.invalid_value(path, problem))
    return source


def _fault_of_run(tree: ast.Module) -> str:
    found = [
        node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == "run"
    ]
    if not found:
        return "must define a function run(arguments, context)"
    given = found[-1].args
    count = len(given.posonlyargs) + len(given.args)
    required = count - len(given.defaults)
    named = sum(default is None for default in given.kw_defaults)
    if named or required > 2 or (count < 2 and given.vararg is None):
        return "has a function run that cannot be called as run(arguments, context)"
    return ""


PythonHandler.rules = {"source": _source, **_CHECK}


class CommandHandler(Handler, frozen=True):
    """A program with its arguments, each a text with ``{placeholders}``; there is no shell.

    An argument that is one placeholder becomes as many arguments as its array has items, and none where the parameter
    is not given. Other arguments fill in the text, and are left out where a parameter in them is not given.
    """

    kind: ClassVar[str] = "command"
    required_fields: ClassVar[tuple[str, ...]] = ("command",)

    command: tuple[str, ...]
    check: str | None = None

    def note_faults(self, parameters: Schema, path: str, issues: Issues) -> None:
        """Note placeholders that name no parameter."""
        for index, part in enumerate(self.command):
            note_placeholders(part, parameters.properties, f"{path}.command[{index}]", issues)

    def argument_vector(self, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the program and its arguments for one call.

        A value may not begin with a dash where the program could take it for an option: put ``--`` before it in the
        command, if the program knows that.

        Raises:
            UnfitArguments: It does, or holds a NUL.
        """
        vector: list[str] = []
        for part in self.command:
            vector += _expanded(part, arguments, literal="--" in vector)
        return tuple(vector)

    def __repr__(self) -> str:
        return f"CommandHandler(command=<{len(self.command)} parts>)"


def _expanded(part: str, arguments: Mapping[str, Any], *, literal: bool) -> list[str]:
    names = tuple(placeholders(part))
    if any(arguments.get(name) is None for name in names):
        return []
    whole = placeholder(part)
    if whole is None:
        return [fill(part, arguments, lambda name, value: _safe(name, text_of(value), literal=True))]
    value = arguments[whole]
    items = value if is_sequence(value) else [value]
    return [_safe(whole, text_of(item), literal=literal) for item in items]


def _safe(name: str, value: str, *, literal: bool) -> str:
    if "\0" in value:
        raise _unfit(name, "holds a NUL character")
    if scrub(value) != value:
        raise _unfit(name, "holds half of a surrogate pair, which no program can be given")
    if value.startswith("-") and not literal:
        raise _unfit(name, "begins with a dash, and would be taken for an option")
    return value


def _unfit(name: str, problem: str) -> UnfitArguments:
    return UnfitArguments(ValidationReport.invalid(ValidationIssue.invalid_value(name, problem)))


_SHELLS: Final = re.compile(r"(.*[/\\])?((ba|da|z|k|c|tc|fi|a)?sh|cmd|powershell|pwsh)(\.exe)?", re.IGNORECASE)
# Programs that run what stands behind them; of another program, the same words are merely its arguments.
_WRAPPERS: Final = re.compile(
    r"(.*/)?(env|sudo|doas|nice|nohup|timeout|setsid|stdbuf|time|xargs|busybox|toybox|chroot|unshare|exec|command)"
)
_SCRIPT_OPTIONS: Final = re.compile(r"-[a-z]*c|/c|/k|-command|-encodedcommand", re.IGNORECASE)


def _command(value: Any, path: str, issues: Issues) -> tuple[str, ...]:
    if isinstance(value, str):
        problem = 'must be an array, the program and each argument by itself (["git", "log"]): there is no shell'
        issues.append(ValidationIssue.invalid_value(path, problem))
        return ()
    parts: tuple[str, ...] = sequence(any_text)(value, path, issues)
    if not parts:
        if is_sequence(value):
            issues.append(ValidationIssue.invalid_value(path, "must name a program"))
        return parts
    if not parts[0] or tuple(placeholders(parts[0])):
        issues.append(ValidationIssue.invalid_value(f"{path}[0]", "must be the program itself, without placeholders"))
    if any("\0" in part for part in parts):
        issues.append(ValidationIssue.invalid_value(path, "holds a NUL character"))
    if _hands_to_shell(parts):
        problem = "hands a text to a shell: name the program that is to run, and its arguments one by one"
        issues.append(ValidationIssue.invalid_value(path, problem))
    return parts


def _hands_to_shell(parts: tuple[str, ...]) -> bool:
    programs = parts if _WRAPPERS.fullmatch(parts[0]) else parts[:1]
    shell = next((at for at, part in enumerate(programs) if _SHELLS.fullmatch(part)), None)
    return shell is not None and any(map(_SCRIPT_OPTIONS.fullmatch, parts[shell + 1 :]))


CommandHandler.rules = {"command": _command, **_CHECK}


class EntrypointHandler(Handler, frozen=True):
    """A function of an installed package, ``package.module:function``, called as ``function(arguments, context)``."""

    kind: ClassVar[str] = "entrypoint"
    required_fields: ClassVar[tuple[str, ...]] = ("entrypoint",)
    rules: ClassVar[Mapping[str, Rule]] = {"entrypoint": address, **_CHECK}

    entrypoint: str
    check: str | None = None


def _kinds() -> dict[str, type[Handler]]:
    # The http handler is the largest, and brings the rules of URLs along: in a module of its own, which needs this one.
    from toolwright.tools.http_handler import HttpHandler

    return {kind.kind: kind for kind in (PythonHandler, CommandHandler, HttpHandler, EntrypointHandler)}


def read_handler(value: object, path: str, issues: Issues) -> Handler | None:
    """Return a handler, also if it is written as a mapping with its ``kind``; what is wrong with it is noted."""
    if isinstance(value, Handler):
        return value
    if not is_mapping(value):
        mismatch(value, path, "object", issues)
        return None
    kinds = _kinds()
    kind = value.get("kind")
    if "kind" not in value:
        issues.append(ValidationIssue.required(f"{path}.kind"))
    elif not isinstance(kind, str) or kind not in kinds:
        issues.append(ValidationIssue.invalid_enum(f"{path}.kind", kinds, provided=kind))
    else:
        return kinds[kind].read({name: field for name, field in value.items() if name != "kind"}, path, issues)
    return None
