"""How a request to Gemini is read back, from a log or another program: contents, and functions.

The API takes its fields in two spellings, ``functionCall`` and ``function_call``, and schemas in two languages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall
from toolwright.providers.codecs.gemini.answers import read_answer
from toolwright.providers.codecs.gemini.contents import CODEC, kept_by_gemini
from toolwright.providers.codecs.reading import MISREAD, listed, misread
from toolwright.providers.codecs.waiting import Waiting
from toolwright.values import encode, thaw

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["read_contents", "read_functions"]

_OF_A_RESULT: Final = frozenset({"id", "name", "response"})
_DEPTH: Final = 200  # of a schema; Schema refuses what is nested deeper
_COUNTS: Final = frozenset({"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"})
_ONLY_THERE: Final = frozenset({"nullable", "propertyOrdering", "property_ordering", "example", "type", "properties",
                                "items", "anyOf", "any_of"})  # fmt: skip


def read_contents(request: Mapping[str, Any]) -> tuple[ChatMessage, ...]:
    """Return the messages of a request.

    Raises:
        InvalidMessageError: Something in it cannot be a message; ``path`` says which.
    """
    results = _Results()
    messages: list[ChatMessage] = []
    contents, path = listed(request, "contents"), "systemInstruction"
    try:
        instruction = _field(request, path)
        if instruction:
            messages.append(_spoken(MessageRole.SYSTEM, _parts(instruction)))
        for position, content in enumerate(contents):
            path = f"contents[{position}]"
            messages += _read_content(content, results)
    except MISREAD as error:
        raise misread(error, path, "a content") from None
    return tuple(messages)


def _read_content(content: Mapping[str, Any], results: _Results) -> list[ChatMessage]:
    parts = _parts(content)
    if content.get("role") == "model":
        answer = read_answer([_in_camel_case(part) for part in parts])
        results.ask(answer)
        return [answer]
    answers = [results.read(part) for part in parts if _field(part, "functionResponse")]
    said = [part for part in parts if not _field(part, "functionResponse")]
    return [*answers, _spoken(MessageRole.USER, said)] if said or not answers else answers


def _parts(content: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the parts of a content: the API takes a single one without its list as well."""
    parts: Any = content["parts"]
    alone: list[Mapping[str, Any]] = [parts]
    return alone if isinstance(parts, Mapping) else parts


def _spoken(role: MessageRole, parts: Sequence[Mapping[str, Any]]) -> ChatMessage:
    """Return the message of a text, with the parts where they are more than that."""
    # A word in brackets for what is no text, so that no reader takes it for nothing.
    parts = [dict(part) for part in parts]
    text = "\n".join(part["text"] if "text" in part else f"[{next(iter(part), 'part')}]" for part in parts)
    if not parts or (len(parts) == 1 and list(parts[0]) == ["text"]):
        return ChatMessage(role, text)
    return ChatMessage(role, text, provider_data={CODEC: {"parts": parts, "text": text}})


def _field(value: Mapping[str, Any], name: str) -> Any:
    """Return a field in either of its spellings."""
    if name in value:
        return value[name]
    return value.get("".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name))


def _in_camel_case(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a part of the model's with its fields spelt as answers have them."""
    words = {"function_call": "functionCall", "thought_signature": "thoughtSignature"}
    return {words.get(key, key): value for key, value in part.items()}


class _Results:
    """Reads results of tools: finds the call of each by its id, or else by its name and order."""

    def __init__(self) -> None:
        self._waiting = Waiting()

    def ask(self, message: ChatMessage) -> None:
        """Take note of the calls of an answer."""
        calls: tuple[ToolCall | InvalidToolCall, ...] = message.tool_calls
        self._waiting = Waiting(map(_known_by, (*calls, *message.invalid_tool_calls)))

    def read(self, part: Mapping[str, Any]) -> ChatMessage:
        """Return the message of a result."""
        function: Mapping[str, Any] = _field(part, "functionResponse")
        address: dict[str, str] = {key: function[key] for key in ("id", "name") if function.get(key)}
        response: dict[str, Any] = thaw(function.get("response") or {})
        failed = "error" in response
        fields = {key: value for key, value in function.items() if key not in _OF_A_RESULT}  # pictures, say
        plain = len(response) == 1 and response.get("error", response.get("output")).__class__ is str and not fields
        text: str = next(iter(response.values())) if plain else encode(response).decode()
        kept: dict[str, Any] = {} if plain else {"response": response, "text": text, "is_error": failed}
        if fields:
            kept["fields"] = fields
        extras = {key: value for key, value in part.items() if key not in ("functionResponse", "function_response")}
        if extras:
            kept["part"] = extras
        id = self._find(address)
        if id is None:
            kept["address"] = {"name": "unknown", **address}
            id = address.get("id") or address.get("name") or "unknown"
        data = {CODEC: kept} if kept else None
        return ChatMessage(MessageRole.TOOL, text, tool_call_id=id, is_error=failed, provider_data=data)

    def _find(self, address: Mapping[str, str]) -> str | None:
        found = self._waiting.of_id(address["id"]) if "id" in address else None
        return found or (self._waiting.of_name(address["name"]) if "name" in address else None)


def _known_by(call: ToolCall | InvalidToolCall) -> tuple[str, str, str]:
    kept = kept_by_gemini(call)
    return call.id, kept.get("id", call.id), kept.get("name", call.name)


def read_functions(request: Mapping[str, Any]) -> tuple[ToolDefinition, ...]:
    """Return the functions of a request as definitions, under names that are legal here.

    Raises:
        DefinitionDecodeError: Something in it is not a function.
        InvalidDefinitionError: A function breaks a rule of tools.
    """
    wires = [wire for tool in request.get("tools") or () for wire in _field(tool, "functionDeclarations") or ()]
    if not wires:
        return ()
    # Only logs are read like this: a program that asks a model has no need of that room.
    from toolwright.tools.definition import ToolDefinition

    definitions: dict[str, ToolDefinition] = {}
    for wire in wires:
        schema = _field(wire, "parametersJsonSchema") or _json_schema(wire.get("parameters") or {}, _DEPTH)
        plain = {"name": wire.get("name"), "description": wire.get("description"), "parameters": schema or None}
        definition = ToolDefinition.from_openai(plain, taken=definitions)
        definitions[definition.name] = definition
    return tuple(definitions.values())


def _json_schema(schema: Any, room: int) -> Any:
    """Return a schema of Gemini's as JSON Schema: types in lower case, ``nullable`` as a type, counts as numbers."""
    if not room or not hasattr(schema, "items"):
        return schema
    plain = {key: value for key, value in schema.items() if key not in _ONLY_THERE}
    if plain.get("format") == "enum":
        del plain["format"]  # says no more than that there is an enum
    for key in _COUNTS & plain.keys():
        plain[key] = int(plain[key])  # 64-bit numbers are texts in this JSON
    nullable = schema.get("nullable") is True
    if "type" in schema:
        kind = schema["type"].lower()
        plain["type"] = [kind, "null"] if nullable else kind
    if nullable and "enum" in plain:
        plain["enum"] = [*plain["enum"], None]
    if "properties" in schema:
        plain["properties"] = {name: _json_schema(part, room - 1) for name, part in schema["properties"].items()}
    if "items" in schema:
        plain["items"] = _json_schema(schema["items"], room - 1)
    branches = _field(schema, "anyOf")
    if branches:
        plain["anyOf"] = [_json_schema(part, room - 1) for part in branches] + [{"type": "null"}] * nullable
    return plain
