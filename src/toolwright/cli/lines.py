"""A call in one line, and what came of it in another: for the terminal, for logs in a pipe, for lists of runs.

Pure: text comes out. What a model or a tool wrote is cut to a line here, and made visible where it is written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from toolwright.cli.console import cut, table
from toolwright.cli.live import bar, lasted
from toolwright.values import thaw

if TYPE_CHECKING:
    from toolwright.execution import Execution
    from toolwright.messages import InvalidToolCall, ToolCall
    from toolwright.tools import ToolOutcome, ToolProgress

__all__ = ["call_line", "data_lines", "excerpt", "progress_line", "result_line", "usage_line"]

_LONGEST_ARGUMENT: Final = 60
_LONGEST_LINE: Final = 200


def call_line(call: ToolCall | InvalidToolCall) -> str:
    """Return a call as it is written in Python: ``search_text(pattern="asyncio")``; long texts are cut."""
    arguments: Mapping[str, Any] | None = getattr(call, "arguments", None)
    if arguments is None:
        text: str = getattr(call, "arguments_text", "")
        return f"{call.name}({cut(' '.join(text[:_LONGEST_LINE].split()), _LONGEST_ARGUMENT)})"
    return f"{call.name}({', '.join(f'{key}={_argument(value)}' for key, value in arguments.items())})"


def _argument(value: Any) -> str:
    given = value[: _LONGEST_ARGUMENT * 2] if isinstance(value, str) else thaw(value)
    text = cut(json.dumps(given, ensure_ascii=False), _LONGEST_ARGUMENT)
    return f"{text}, {len(value):,} characters" if isinstance(value, str) and len(value) > _LONGEST_LINE else text


def result_line(execution: Execution) -> str:
    """Return what came of a call, in the tool's own words or the fewest that tell it; and how long it took."""
    outcome = execution.outcome
    text = _given(outcome) if outcome.success else outcome.error or ""
    return f"{cut(_first_words(text), _LONGEST_LINE) or 'done'}  {lasted(execution.duration)}"


def _first_words(text: str) -> str:
    """Return the first line of a text; where it announces a list, what is in the list belongs to it."""
    first, *others = text.strip().splitlines() or [""]
    listed = "; ".join(line.removeprefix("- ") for line in others if line.startswith("- "))
    return f"{first} {listed}" if first.endswith(":") and listed else first


def _given(outcome: ToolOutcome) -> str:
    if outcome.message:
        return outcome.message
    data: Any = thaw(outcome.data)
    if isinstance(data, str):
        lines = len(data.splitlines())
        return data if lines < 2 else f"{lines:,} lines"
    if isinstance(data, list):
        return f"{len(data):,} items"  # pyright: ignore[reportUnknownArgumentType]
    return "" if data is None else json.dumps(data, ensure_ascii=False)


def progress_line(progress: ToolProgress) -> str:
    """Return how far a call is: a bar where it knows, its step, and its words."""
    part = f"{bar(progress.percent / 100)} " if progress.percent is not None else ""
    counted = f"{progress.items:,} of {progress.total:,} " if progress.items is not None and progress.total else ""
    step = f"{progress.operation}: " if progress.operation else ""
    return f"{part}{counted}{step}{progress.message}".strip()


def data_lines(data: Any, width: int) -> list[str]:
    """Return what a tool gave as people read it: texts as they are, objects by their keys, equal objects as a table."""
    given = thaw(data)
    if isinstance(given, dict) and given:
        return [line for key, value in given.items() for line in _entry(str(key), value, width)]  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]
    if isinstance(given, list):
        return _list(given, width)  # pyright: ignore[reportUnknownArgumentType]
    return given.splitlines() if isinstance(given, str) else [json.dumps(given, ensure_ascii=False)]


def _entry(key: str, value: Any, width: int) -> list[str]:
    if isinstance(value, (list, dict)) and value:
        return [f"{key}:", *(f"  {line}" for line in data_lines(value, width - 2))]
    if isinstance(value, str) and "\n" in value.strip():
        return [f"{key}:", *(f"  {line}" for line in value.splitlines())]
    return [f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"]


def _list(items: list[Any], width: int) -> list[str]:
    if items and all(isinstance(each, dict) for each in items):
        keys = list(dict.fromkeys(key for each in items for key in each))
        rows = [[_cell(each.get(key, "")) for key in keys] for each in items]
        return ["  ".join(cells).rstrip() for cells in table(rows, width)]
    return [_cell(each) for each in items]


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def excerpt(text: str, lines: int) -> str:
    """Return the first lines of a text, and how many are left out."""
    found = text.strip("\n").splitlines()
    more = len(found) - lines
    told = f"... {more:,} more line{'s' if more > 1 else ''}"
    return "\n".join(found) if more <= 0 else "\n".join([*found[:lines], told])


def usage_line(*, seconds: float, calls: int, read: int | None, written: int | None) -> str:
    """Return what an answer took."""
    parts = [lasted(seconds)]
    if calls:
        parts.append(f"{calls} call{'s' if calls > 1 else ''}")
    if read is not None or written is not None:
        parts.append(f"{read or 0:,} tokens read, {written or 0:,} written")
    return ", ".join(parts)
