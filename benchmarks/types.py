"""What it costs to describe a typed function, and to check a definition: nothing is remembered from time to time."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal, get_type_hints

import msgspec

from benchmarks.harness import Work, workload
from toolwright.schema import Meta, Schema
from toolwright.schema.from_signature import describe_signature
from toolwright.tools import check_definition


def search(
    pattern: Annotated[str, Meta(min_length=1, description="What to look for.")],
    path: Annotated[str, Meta(description="Relative to the workspace.")] = ".",
    mode: Literal["text", "regex"] = "text",
    context_lines: Annotated[int, Meta(ge=0, le=20)] = 2,
    max_results: Annotated[int, Meta(ge=1, le=1000)] = 100,
    include: list[str] | None = None,
    case_sensitive: bool = True,
) -> list[str]:
    """Search the files of the workspace for a text.

    Files that the workspace ignores are left out.

    Args:
        pattern: What to look for.
        path: Where to look.
        mode: How the pattern is read.
        context_lines: Lines to show around each match.
        max_results: Where to stop.
        include: Patterns of the names of files to look into.
        case_sensitive: Whether letters must match in case.

    Returns:
        One line for each match.
    """
    return [pattern, path, mode, str((context_lines, max_results, include, case_sensitive))]


def least(function: Callable[..., Any]) -> tuple[dict[str, Any], str | None]:
    """Describe a function with msgspec alone."""
    hints = get_type_hints(function, include_extras=True)
    fields: list[Any] = [
        (name, hints[name]) if parameter.default is parameter.empty else (name, hints[name], parameter.default)
        for name, parameter in inspect.signature(function).parameters.items()
    ]
    struct = msgspec.defstruct(function.__name__, fields, forbid_unknown_fields=True)
    return msgspec.json.schema(struct), inspect.getdoc(function)


@workload("W4", "describe a typed function with a docstring, cold", goal=2)
def function() -> tuple[Work, Work]:
    return lambda: describe_signature(search), lambda: least(search)


@workload("W4", "the same, to a schema that is checked and frozen", goal=2)
def schema() -> tuple[Work, Work]:
    def ours() -> tuple[Schema, Schema | None]:
        described = describe_signature(search)
        returns = None if described.returns is None else Schema(described.returns)
        return Schema(described.parameters), returns

    return ours, lambda: least(search)


@workload("W4", "Schema.of a class with seven fields (floor: msgspec's schema, not checked)")
def a_class() -> tuple[Work, Work]:
    hints = get_type_hints(search, include_extras=True)
    struct = msgspec.defstruct("Search", [(name, hint) for name, hint in hints.items() if name != "return"])
    return lambda: Schema.of(struct), lambda: msgspec.json.schema(struct)


@workload("W4", "check a definition of 50 parameters (floor: its meta-schema)", limit=0.001)
def checked() -> tuple[Work, Work]:
    import jsonschema_rs

    kinds = ({"type": "string", "minLength": 1}, {"type": "integer", "default": 3}, {"enum": ["a", "b"]})
    properties = {f"p_{index}": {"description": "What it is for.", **kinds[index % 3]} for index in range(50)}
    parameters = {"type": "object", "properties": properties}
    draft = {"name": "search", "description": "Search.", "parameters": parameters}
    return lambda: check_definition(draft), lambda: jsonschema_rs.meta.is_valid(parameters)
