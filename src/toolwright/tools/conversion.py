"""Definitions in the formats of others: OpenAI's functions, Anthropic's tools, the Model Context Protocol's.

What these formats share with ours is read and written; what only one of them has is left out. Schemas stay as they are:
bending one to what a provider accepts is the business of dialects, when a request is made.

This is the only module outside the codecs that knows the words of providers. It may not know a transport.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import TYPE_CHECKING, Any, Final

from toolwright.errors import DefinitionDecodeError, InvalidSchemaError
from toolwright.levels import RiskLevel, ToolCategory
from toolwright.schema import Schema
from toolwright.tools.names import legal_name, title_of
from toolwright.tools.rules import is_mapping
from toolwright.tools.strictness import is_closed

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = [
    "ORIGINAL_NAME",
    "read_anthropic",
    "read_mcp",
    "read_openai",
    "write_anthropic",
    "write_mcp",
    "write_openai",
]

ORIGINAL_NAME: Final = "original_name"
"""Where in the metadata the name stands that a foreign tool has at home."""

_OPEN_WORLD: Final = frozenset(
    [ToolCategory.NETWORK, ToolCategory.EXTERNAL_API, ToolCategory.COMMUNICATION, ToolCategory.SEARCH]
)
# Tools of these kinds meet things that nobody here knows of.


def read_openai(tool: Any, taken: Container[str]) -> dict[str, Any]:
    """Return the fields of a definition that a function of OpenAI's has.

    Raises:
        DefinitionDecodeError: It is not a function.
    """
    source = _mapping(tool)
    if source.get("type", "function") != "function":
        raise _not_this("a function: other tools of OpenAI have no parameters of their own", "type")
    function = _mapping(source["function"], "function") if "function" in source else source
    return _fields(function, function.get("parameters"), taken, title=None)


def read_anthropic(tool: Any, taken: Container[str]) -> dict[str, Any]:
    """Return the fields of a definition that a tool of Anthropic's has.

    Raises:
        DefinitionDecodeError: It has no schema of its own, as tools that run at the provider.
    """
    source = _mapping(tool)
    if source.get("input_schema") is None:
        raise _not_this("a tool with an input_schema: those that run at the provider have none", "input_schema")
    fields = _fields(source, source["input_schema"], taken, title=None)
    if source.get("input_examples"):
        fields["examples"] = source["input_examples"]
    return fields


def read_mcp(tool: Any, taken: Container[str]) -> dict[str, Any]:
    """Return the fields of a definition that a tool of an MCP server has.

    Raises:
        DefinitionDecodeError: It is not such a tool.
    """
    source = _mapping(tool)
    annotations = source.get("annotations")
    hints: Mapping[str, Any] = {} if annotations is None else _mapping(annotations, "annotations")
    destructive = hints.get("destructiveHint") is True
    title = source.get("title") or hints.get("title")
    fields = _fields(source, source.get("inputSchema"), taken, title=title)
    fields["risk"] = RiskLevel.HIGH if destructive else RiskLevel.MEDIUM
    if title:
        fields["title"] = title
    if source.get("outputSchema") is not None:
        fields["output_schema"] = source["outputSchema"]
    if hints.get("readOnlyHint") is True and not destructive:  # of two hints that contradict, the graver counts
        fields["constraints"] = {"side_effects": False}
    return fields


def write_openai(definition: ToolDefinition, *, responses: bool) -> dict[str, Any]:
    """Return a function as chat completions have it, or as responses do."""
    function = {
        "name": definition.name,
        "description": definition.description,
        "parameters": definition.parameters.to_dict(),
    }
    if responses:
        # There, a function without this word is strict, which few schemas are without being rewritten.
        return {"type": "function", **function, "strict": False}
    return {"type": "function", "function": function}


def write_anthropic(definition: ToolDefinition) -> dict[str, Any]:
    """Return a tool as messages have it."""
    tool = {
        "name": definition.name,
        "description": definition.description,
        "input_schema": definition.parameters.to_dict(),
    }
    if definition.examples:
        tool["input_examples"] = definition.to_dict()["examples"]
    return tool


def write_mcp(definition: ToolDefinition) -> dict[str, Any]:
    """Return a tool as a server lists it."""
    tool: dict[str, Any] = {
        "name": definition.name,
        "title": definition.title,
        "description": definition.description,
        "inputSchema": definition.parameters.to_dict(),
    }
    if definition.output_schema is not None:
        tool["outputSchema"] = definition.output_schema.to_dict()
    tool["annotations"] = {
        "readOnlyHint": not definition.side_effects,
        "destructiveHint": definition.side_effects and definition.risk >= RiskLevel.HIGH,
        "openWorldHint": definition.category in _OPEN_WORLD,
    }
    return tool


def _fields(source: Mapping[str, Any], parameters: object, taken: Container[str], *, title: object) -> dict[str, Any]:
    """Return what all formats have: name, description, parameters, and whether anything else may be given."""
    given = source.get("name")
    if not isinstance(given, str) or not given:
        raise _not_this("a tool with a name", "name")
    name = legal_name(given, taken)
    description = source.get("description")
    # Elsewhere a description may be missing; here people and models rely on it, and the name is what there is.
    has_description = isinstance(description, str) and description and not description.isspace()
    schema = _with_type(parameters)
    fields: dict[str, Any] = {
        "name": name,
        "description": description if has_description else f"{title or title_of(legal_name(given))}.",
        "parameters": schema,
        # Elsewhere a schema that says nothing about further arguments takes them: it is not closed behind its back.
        "strict": source.get("strict") is True or _closes_itself(schema),
    }
    if name != given:
        fields["metadata"] = {ORIGINAL_NAME: given}
    return fields


def _with_type(parameters: object) -> Mapping[str, Any]:
    if parameters is None:
        return {"type": "object", "properties": {}}
    schema = _mapping(parameters, "parameters")
    return schema if "type" in schema else {"type": "object", **schema}


def _closes_itself(schema: Mapping[str, Any]) -> bool:
    try:
        return is_closed(Schema(schema).to_dict())
    except InvalidSchemaError:
        return False  # the definition will say what is wrong with it


def _mapping(value: Any, path: str = "") -> Mapping[str, Any]:
    """Return a mapping, also of what the packages of providers have instead: models of pydantic."""
    dump: Callable[..., Any] | None = getattr(value, "model_dump", None)
    if dump is not None:
        value = dump(by_alias=True, exclude_none=True)
    if not is_mapping(value):
        raise _not_this("an object", path)
    return value


def _not_this(wanted: str, path: str) -> DefinitionDecodeError:
    return DefinitionDecodeError(f"must be {wanted}", code="wrong_shape", path=path)
