"""Run a snippet of Python, without files, network or other programs: for what is better computed than guessed.

The isolation is the sandbox's: this module runs what it is given, and is never to be reached without one. What snippets
may need of the standard library is loaded here, since nothing can be once the doors are closed.
"""

from __future__ import annotations

import ast
import io
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from importlib import import_module
from types import CodeType
from typing import Annotated, Any, Final

from msgspec import Meta

from toolwright.builtin.isolation import is_to_be_had
from toolwright.builtin.paging import counted
from toolwright.levels import SandboxIsolationLevel
from toolwright.sandbox import Sandbox
from toolwright.tools import FunctionTool, ToolContext, ToolOutcome, tool

__all__ = ["PRELOADED", "python_tool", "run_python"]

PRELOADED: Final = (
    *("base64", "bisect", "calendar", "cmath", "collections", "copy", "csv", "dataclasses", "datetime", "decimal"),
    *("enum", "fractions", "functools", "hashlib", "heapq", "io", "itertools", "json", "math", "operator", "random"),
    *("re", "statistics", "string", "textwrap", "time", "typing", "unicodedata"),
)
"""The modules that a snippet can import."""

# What those load when it is first needed: dates that are read, and encodings.
_BEHIND: Final = ("_strptime", *(f"encodings.{name}" for name in ("ascii", "cp1252", "latin_1", "utf_16", "utf_8_sig")))
for _name in (*PRELOADED, *_BEHIND):
    import_module(_name)

_MOST: Final = 100_000  # characters of output, and of the value
_FILE: Final = "<snippet>"
_DESCRIPTION: Final = (
    "Run a snippet of Python and give what it prints and the value of its last line. It has no files, no network and "
    f"no other programs; it can import {', '.join(PRELOADED)}."
)


class _Output(io.TextIOBase):
    """Takes what is printed, up to a limit."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._room = _MOST
        self.left_out = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]  a snippet may give anything
            raise TypeError(f"text can be printed, not {type(text).__name__}")
        kept = text[: self._room]
        self._parts.append(kept)
        self._room -= len(kept)
        self.left_out += len(text) - len(kept)
        return len(text)

    def text(self) -> str:
        return "".join(self._parts)


def _run_python(
    code: Annotated[str, Meta(min_length=1, max_length=200_000, description="Whole lines of Python")],
    *,
    context: ToolContext,
) -> ToolOutcome:
    """Run a snippet of Python."""
    del context
    try:
        body, last = _compiled(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return ToolOutcome.failed(f"This is not Python: {_told(error)}", code="syntax_error")
    output = _Output()
    data: dict[str, Any] = {}
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        with redirect_stdout(output):
            exec(body, names)  # noqa: S102  that is what the tool is for
            value = None if last is None else eval(last, names)  # noqa: S307  likewise
            if value is not None:
                data["value"] = _shown(value)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return ToolOutcome.failed(_told(error), code="snippet_failed", partial=_with_output({}, output))
    return ToolOutcome.ok(_with_output(data, output), message="The snippet has run.")


def _compiled(code: str) -> tuple[CodeType, CodeType | None]:
    """Return what is to be run, and of a last line that has a value what gives it."""
    tree = ast.parse(code, _FILE)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    body = compile(tree, _FILE, "exec")
    if not isinstance(last, ast.Expr):
        return body, None
    return body, compile(ast.Expression(last.value), _FILE, "eval")


def _with_output(data: dict[str, Any], output: _Output) -> dict[str, Any]:
    if output.text():
        data["stdout"] = output.text()
    if output.left_out:
        data["left_out"] = output.left_out
    return data


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MOST else f"{text[:_MOST]}… ({len(text) - _MOST:,} more characters)"


def _told(error: BaseException) -> str:
    """Return what an exception says, and the line of the snippet that it came from."""
    line = error.lineno if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    words = (error.msg if isinstance(error, SyntaxError) else str(error))[:2_000]
    return f"{type(error).__name__}: {words}" + (f" (line {line})" if line else "")


def _summary(arguments: Mapping[str, Any]) -> str:
    lines = arguments["code"].strip().splitlines()
    return f"Run {counted(len(lines), 'line')} of Python: {next(iter(lines), '')[:80]!r}"


def python_tool(*, sandbox: Sandbox | None = None) -> FunctionTool[..., Any]:
    """Return ``run_python``; it is available where ``sandbox``, by default that of this machine, can restrict it."""
    can_run: Callable[[], bool] = lambda: is_to_be_had(SandboxIsolationLevel.RESTRICTED, sandbox)  # noqa: E731
    return tool(
        _run_python,
        name="run_python",
        description=_DESCRIPTION,
        category="code_execution",
        risk="high",
        side_effects=False,
        permissions=["tool.code.execute"],
        isolation="restricted",
        summarize=_summary,
        available=can_run,
    )


run_python: Final = python_tool()
