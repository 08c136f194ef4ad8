"""What the formats of OpenAI have in common when their requests are read back: functions, and contents in parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["read_functions", "read_parts"]

_NOT_SAID: Final = ("thinking",)
_TEXT_INPUT: Final = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}


def read_functions(wires: Iterable[Any]) -> tuple[ToolDefinition, ...]:
    """Return the functions of a request as definitions, under names that are legal here.

    A tool whose input is a text of any form is read as a function of that text. Tools that run at the provider are no
    definitions and are passed over.

    Raises:
        DefinitionDecodeError: Something in it is not a function.
        InvalidDefinitionError: A function breaks a rule of tools.
    """
    # Only logs are read like this: a program that asks a model has no need of that room.
    from toolwright.tools.definition import ToolDefinition

    definitions: dict[str, ToolDefinition] = {}
    for wire in wires:
        kind = _kind(wire)
        if kind not in ("function", "custom"):
            continue
        function = _as_function(wire) if kind == "custom" else wire
        definition = ToolDefinition.from_openai(function, taken=definitions)
        definitions[definition.name] = definition
    return tuple(definitions.values())


def _kind(wire: Any) -> Any:
    return cast("Mapping[str, Any]", wire).get("type", "function") if isinstance(wire, Mapping) else "function"


def _as_function(wire: Mapping[str, Any]) -> dict[str, Any]:
    inner = wire.get("custom") or wire  # one format has a level more
    named = {key: inner[key] for key in ("name", "description") if key in inner}
    return {"type": "function", "function": {**named, "parameters": _TEXT_INPUT}}


def read_parts(content: Any, between: str) -> tuple[str, dict[str, Any]]:
    """Return a content in parts as one text, and what has to be kept of it because it is more than that."""
    parts = content if content.__class__ is list else [content]
    text = between.join(text for text in map(_part_text, parts) if text is not None)
    if len(parts) == 1 and parts[0].__class__ is dict and parts[0].keys() == {"type", "text"}:
        return text, {}
    return text, {"parts": parts, "text": text}


def _part_text(part: Any) -> str | None:
    """Return the text of a part; a word in brackets for what is none, so that no reader takes it for nothing."""
    if part.__class__ is str:
        return str(part)
    kind = part.get("type", "part")
    if kind in _NOT_SAID:
        return None
    text = part.get("text", part.get("refusal"))
    return text if text.__class__ is str else f"[{kind}]"
