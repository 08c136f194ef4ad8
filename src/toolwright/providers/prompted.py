"""Tools for a model that has no calls of its own: told in words, and called by an answer that is held to a form.

Every answer is one JSON object, either a text or a call: ``{"answer": {"text": ...}}`` or ``{"answer": {"tool": ...,
"arguments": {...}}}``. The history is written in the same form, so that a small model sees how it is done.

Pure. How the answer is read is in ``prompted_answers``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, final

from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall
from toolwright.providers.codecs.names import sendable_name
from toolwright.providers.prompted_answers import ANSWER, ARGUMENTS, TEXT, TOOL, PromptedReading
from toolwright.schema import Schema
from toolwright.values import encode, thaw

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition
    from toolwright.tools.parameters import ToolParameter

__all__ = ["Prompted", "prompted"]

_INTRODUCTION: Final = "You can use these tools:"
_CALL_RULE: Final = "To use a tool, answer with one JSON object that names it and has its arguments, as in its example."
_RESULT_RULE: Final = "You are then given its result."
_TEXT_RULE: Final = "To say something to the user, or when no tool helps, answer"
_ONLY_CALL: Final = "Answer with a call of a tool now."
_ONLY_TEXT: Final = "Do not use a tool now."
_LOST: Final = "a tool"
_SAMPLES: Final[Mapping[str, Any]] = {"string": "...", "integer": 1, "number": 1.5, "boolean": True}
_NO_ARGUMENTS: Final = "no arguments"
# What gives names to parts of a schema other than their place: such a schema cannot become part of another one.
_NAMING: Final = frozenset(["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "id"])


def prompted(tools: Sequence[ToolDefinition], tool_choice: str | None = None) -> Prompted:
    """Return how these tools are told to a model that has no calls of its own; worked out once for the same tools.

    Raises:
        ValueError: ``tool_choice`` names a tool that is not among them.
    """
    return _prompted(tuple(tools), tool_choice)


@lru_cache(maxsize=64)
def _prompted(tools: tuple[ToolDefinition, ...], tool_choice: str | None) -> Prompted:
    return Prompted(tools, tool_choice)


@final
class Prompted:
    """Tools in words: what is said of them, the form of an answer, and how it is read."""

    def __init__(self, tools: Sequence[ToolDefinition], tool_choice: str | None = None) -> None:
        named = [tool for tool in tools if tool.name == tool_choice]
        if tool_choice not in (None, "auto", "required", "none") and not named:
            raise ValueError(f"tool_choice names {tool_choice!r}, which is not among the tools")
        self._tools = tuple(named or tools)
        self._calls = tool_choice != "none"
        self._texts = tool_choice in (None, "auto", "none")
        self._instructions = "\n\n".join(self._say())
        self.response_schema = Schema(self._form())

    def messages(self, history: Iterable[ChatMessage]) -> tuple[ChatMessage, ...]:
        """Return a history in which tools, calls and results are told in words."""
        rest = list(history)
        system = rest.pop(0).content if rest and rest[0].role is MessageRole.SYSTEM else None
        said = self._instructions if not system else f"{system}\n\n{self._instructions}"
        return ChatMessage.system(said), *_joined(_told(rest))

    def reading(self) -> PromptedReading:
        """Return what reads one answer."""
        return PromptedReading(self._tools if self._calls else ())

    def _say(self) -> Iterator[str]:
        yield _INTRODUCTION
        yield from map(_described, self._tools)
        yield f"{_CALL_RULE} {_RESULT_RULE}"
        if self._texts:
            yield f"{_TEXT_RULE} {_text_answer('...')}"
        if not self._texts:
            yield _ONLY_CALL
        elif not self._calls:
            yield _ONLY_TEXT

    def _form(self) -> dict[str, Any]:
        definitions: dict[str, Any] = {}
        forms = [_call_form(tool, definitions) for tool in self._tools] if self._calls else []
        if self._texts:
            forms.append(_object({TEXT: {"type": "string"}}))
        form = _object({ANSWER: {"anyOf": forms} if len(forms) > 1 else forms[0]})
        return form | ({"$defs": definitions} if definitions else {})


# The form of an answer


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _call_form(tool: ToolDefinition, definitions: dict[str, Any]) -> dict[str, Any]:
    return _object({TOOL: {"const": tool.name}, ARGUMENTS: _arguments_form(tool, definitions)})


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
    if isinstance(node, dict):
        for key, value in node.items():
            if isinstance(value, str):  # a property of such a name has a schema, and no text
                yield key
            yield from _keywords(value)
    elif isinstance(node, list):
        for item in node:
            yield from _keywords(item)


def _moved(node: Any, place: str) -> Any:
    """Return a schema as it reads when it stands at another place of a document."""
    if isinstance(node, dict):
        return {
            key: place + value[1:] if key == "$ref" and isinstance(value, str) else _moved(value, place)
            for key, value in node.items()
        }
    return [_moved(item, place) for item in node] if isinstance(node, list) else node


# Tools in words


def _described(tool: ToolDefinition) -> str:
    rows = tool.parameter_list
    lines = [f"{tool.name}: {tool.description}", *map(_row, rows)]
    if not rows:
        lines.append(f"  ({_NO_ARGUMENTS})")
    example = thaw(tool.examples[0]) if tool.examples else _sample(tool.parameters.to_dict())
    return "\n".join([*lines, f"  Example: {_call_answer(tool.name, encode(example).decode())}"])


def _row(row: ToolParameter) -> str:
    needed = "" if row.required else ", optional"
    choice = f", one of {encode(row.enum).decode()}" if row.enum else ""
    about = f": {row.description}" if row.description else ""
    return f"  {row.name} ({row.type}{needed}{choice}){about}"


def _sample(schema: Any) -> Any:
    """Return a value that fits the look of a schema: what it gives as an example, or one of the right type."""
    if not isinstance(schema, dict):
        return _SAMPLES["string"]
    for keyword in ("examples", "enum"):
        if schema.get(keyword):
            return schema[keyword][0]
    for keyword in ("const", "default"):
        if schema.get(keyword) is not None:
            return schema[keyword]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object" or "properties" in schema:
        required, properties = schema.get("required", ()), schema.get("properties", {})
        return {name: _sample(part) for name, part in properties.items() if name in required}
    if kind == "array":
        return [_sample(schema.get("items"))]
    return _SAMPLES.get(str(kind), _SAMPLES["string"])


# The history in words


def _text_answer(text: str) -> str:
    return encode({ANSWER: {TEXT: text}}).decode()


def _call_answer(name: str, arguments: str) -> str:
    return f'{{"{ANSWER}":{{"{TOOL}":{encode(name).decode()},"{ARGUMENTS}":{arguments}}}}}'


def _told(history: Iterable[ChatMessage]) -> Iterator[ChatMessage]:
    """Yield messages with calls and results in words: each call right before its result."""
    waiting: dict[str, ToolCall | InvalidToolCall] = {}
    for message in history:
        if message.role is MessageRole.TOOL:
            call = waiting.pop(message.tool_call_id or "", None)
            if call is not None:
                yield ChatMessage.assistant(_call_in_words(call))
            yield ChatMessage.user(_result_in_words(message, call))
            continue
        yield from _unanswered(waiting)
        if message.role is not MessageRole.ASSISTANT:
            yield message
            continue
        if message.content:
            yield ChatMessage.assistant(_text_answer(message.content))
        calls: tuple[ToolCall | InvalidToolCall, ...] = (*message.tool_calls, *message.invalid_tool_calls)
        waiting = {call.id: call for call in calls}
    yield from _unanswered(waiting)


def _unanswered(waiting: dict[str, ToolCall | InvalidToolCall]) -> Iterator[ChatMessage]:
    for call in waiting.values():
        yield ChatMessage.assistant(_call_in_words(call))
    waiting.clear()


def _call_in_words(call: ToolCall | InvalidToolCall) -> str:
    if isinstance(call, ToolCall):
        return _call_answer(call.name, encode(call.arguments).decode())
    return _call_answer(sendable_name(call.name), call.arguments_text or "{}")


def _result_in_words(message: ChatMessage, call: ToolCall | InvalidToolCall | None) -> str:
    name = sendable_name(call.name) if call is not None else _LOST
    head = f"Error of {name}:" if message.is_error else f"Result of {name}:"
    return f"{head}\n{message.content}"


def _joined(messages: Iterable[ChatMessage]) -> Iterator[ChatMessage]:
    """Yield messages with neighbours of one role made one: many templates want user and assistant in turn."""
    held: ChatMessage | None = None
    for message in messages:
        if held is not None and held.role is message.role:
            held = ChatMessage(held.role, f"{held.content}\n\n{message.content}")
            continue
        if held is not None:
            yield held
        held = message
    if held is not None:
        yield held
