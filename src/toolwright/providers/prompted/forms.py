"""The form that an answer is held to: one object, which is the call of one of the tools.

A schema as JSON. How a provider takes it is known to its codec.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from toolwright.providers.codecs.documents import as_list, as_object

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["ARGUMENTS", "NEXT", "TEXT", "TOOL", "answer_form"]

NEXT: Final = "next"
TOOL: Final = "tool"
ARGUMENTS: Final = "arguments"
TEXT: Final = "text"

# What gives names to parts of a schema other than their place: such a schema cannot become part of another one.
_NAMING: Final = frozenset(["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "id"])


def answer_form(tools: Iterable[ToolDefinition], reply: str) -> dict[str, Any]:
    """Return the form of an answer that calls one of these tools, or says something where there is a ``reply``."""
    definitions: dict[str, Any] = {}
    forms = [_call_form(tool.name, _arguments_form(tool, definitions)) for tool in tools]
    if reply:
        forms.append(_call_form(reply, _object({TEXT: {"type": "string"}})))
    # Inside of an object, since a choice at the top is what several providers do not take.
    form = _object({NEXT: {"anyOf": forms} if len(forms) > 1 else forms[0]})
    return form | ({"$defs": definitions} if definitions else {})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _call_form(name: str, arguments: Any) -> dict[str, Any]:
    return _object({TOOL: {"const": name}, ARGUMENTS: arguments})


def _arguments_form(tool: ToolDefinition, definitions: dict[str, Any]) -> Any:
    """Return the schema of the arguments; one that refers to parts of itself is put where it can be referred to."""
    schema = tool.parameters.to_dict()
    schema.pop("$schema", None)
    keywords = set(_keywords(schema))
    if keywords & _NAMING:
        return {"type": "object"}
    if "$ref" not in keywords:
        return schema
    place = f"#/$defs/{tool.name}"
    definitions[tool.name] = _moved(schema, place)
    return {"$ref": place}


def _keywords(node: Any) -> Iterator[str]:
    for key, value in as_object(node).items():
        if value.__class__ is str:  # a property of such a name has a schema, and no text
            yield key
        yield from _keywords(value)
    for item in as_list(node):
        yield from _keywords(item)


def _moved(node: Any, place: str) -> Any:
    """Return a schema as it reads when it stands at another place of a document."""
    if node.__class__ is dict:
        return {
            key: place + value[1:] if key == "$ref" and value.__class__ is str else _moved(value, place)
            for key, value in node.items()
        }
    return [_moved(item, place) for item in node] if node.__class__ is list else node
