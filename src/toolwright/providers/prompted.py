"""Tools for a model that has no calls of its own: told in words, and called by an answer that is held to a form.

Every answer is one JSON object that names what comes next: ``{"next": {"tool": ..., "arguments": {...}}}``. To say
something is a tool among the others, ``reply``, with the text as its argument: a small model that has to choose between
things of one kind chooses better than one that may also just talk. The history is written in the same form, so that it
sees how it is done.

Pure. How the answer is read is in ``prompted_answers``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, final

from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall
from toolwright.providers.codecs.names import sendable_name
from toolwright.providers.prompted_answers import ARGUMENTS, NEXT, TEXT, TOOL, PromptedReading
from toolwright.schema import Schema
from toolwright.values import encode, thaw

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition
    from toolwright.tools.parameters import ToolParameter

__all__ = ["Prompted", "prompted"]

_INTRODUCTION: Final = "You can use these tools:"
_RULE: Final = (
    "Answer with one JSON object, as in the examples. "
    "If a tool fits the request, use it: never make up what a tool can tell you."
)
_REPLY: Final = "{name}: Say something to the user, when no other tool fits or its result is there."
_AFTER_RESULT: Final = "Now {name} with that, or use another tool if more is needed."
_REPLY_NAMES: Final = ("reply", "reply_to_user", "say_to_user")
_MOST_REFERENCES: Final = 8
_LOST: Final = "a tool"
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")
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
        self._tools = () if tool_choice == "none" else tuple(named or tools)
        self._texts = tool_choice in (None, "auto", "none")
        taken = {tool.name for tool in tools}
        self._reply = next((name for name in _REPLY_NAMES if name not in taken), _REPLY_NAMES[0] + "_")
        self._instructions = "\n\n".join(self._say())
        self.response_schema = Schema(self._form())

    def messages(self, history: Iterable[ChatMessage]) -> tuple[ChatMessage, ...]:
        """Return a history in which tools, calls and results are told in words."""
        rest = list(history)
        system = rest.pop(0).content if rest and rest[0].role is MessageRole.SYSTEM else None
        said = self._instructions if not system else f"{system}\n\n{self._instructions}"
        return ChatMessage.system(said), *_joined(self._told(rest))

    def reading(self) -> PromptedReading:
        """Return what reads one answer."""
        return PromptedReading(self._tools, self._reply)

    def _say(self) -> Iterator[str]:
        yield _INTRODUCTION
        yield from map(_described, self._tools)
        if self._texts:
            yield f"{_REPLY.format(name=self._reply)}\n  Example: {self._reply_call('...')}"
        yield _RULE

    def _form(self) -> dict[str, Any]:
        definitions: dict[str, Any] = {}
        forms = [_call_form(tool.name, _arguments_form(tool, definitions)) for tool in self._tools]
        if self._texts:
            forms.append(_call_form(self._reply, _object({TEXT: {"type": "string"}})))
        form = _object({NEXT: {"anyOf": forms} if len(forms) > 1 else forms[0]})
        return form | ({"$defs": definitions} if definitions else {})

    # The history in words

    def _reply_call(self, text: str) -> str:
        return _call(self._reply, encode({TEXT: text}).decode())

    def _told(self, history: Iterable[ChatMessage]) -> Iterator[ChatMessage]:
        """Yield messages with calls and results in words: each call right before its result."""
        waiting: dict[str, ToolCall | InvalidToolCall] = {}
        for message in history:
            if message.role is MessageRole.TOOL:
                call = waiting.pop(message.tool_call_id or "", None)
                if call is not None:
                    yield ChatMessage.assistant(_call_in_words(call))
                yield ChatMessage.user(self._result(message, call, more=bool(waiting)))
                continue
            yield from _unanswered(waiting)
            if message.role is not MessageRole.ASSISTANT:
                yield message
                continue
            if message.content:
                yield ChatMessage.assistant(self._reply_call(message.content))
            calls: tuple[ToolCall | InvalidToolCall, ...] = (*message.tool_calls, *message.invalid_tool_calls)
            waiting = {call.id: call for call in calls}
        yield from _unanswered(waiting)

    def _result(self, message: ChatMessage, call: ToolCall | InvalidToolCall | None, *, more: bool) -> str:
        name = sendable_name(call.name) if call is not None else _LOST
        head = f"Error of {name}:" if message.is_error else f"Result of {name}:"
        after = "" if more or not self._texts else f"\n\n{_AFTER_RESULT.format(name=self._reply)}"
        return f"{head}\n{message.content}{after}"


# The form of an answer


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
    schema = tool.parameters.to_dict()
    example = thaw(tool.examples[0]) if tool.examples else _sample(schema, schema)
    call = _call(tool.name, encode(example).decode())
    first = _SENTENCE.split(tool.description.strip(), 1)[0].rstrip(".!?")
    lines = [f"{tool.name}: {tool.description}", *map(_row, tool.parameter_list)]
    return "\n".join([*lines, f"  When asked to {first[:1].lower()}{first[1:]}, answer: {call}"])


def _row(row: ToolParameter) -> str:
    needed = "" if row.required else ", optional"
    choice = f", one of {encode(row.enum).decode()}" if row.enum else ""
    about = f": {row.description}" if row.description else ""
    return f"  {row.name} ({row.type}{needed}{choice}){about}"


def _sample(schema: Any, root: Any, room: int = 8) -> Any:
    """Return a value that fits the look of a schema: what it gives as an example, or one of the right type."""
    schema = _referred(schema, root)
    if not isinstance(schema, dict) or room <= 0:
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
        return {name: _sample(part, root, room - 1) for name, part in properties.items() if name in required}
    if kind == "array":
        return [_sample(schema.get("items"), root, room - 1)]
    return _SAMPLES.get(str(kind), _SAMPLES["string"])


def _referred(schema: Any, root: Any) -> Any:
    """Return what a schema refers to, if it does and that is a part of its document."""
    for _ in range(_MOST_REFERENCES):
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        schema = root
        for key in reference[2:].split("/"):
            schema = schema.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(schema, dict) else None
    return schema


# The history in words


def _call(name: str, arguments: str) -> str:
    return f'{{"{NEXT}":{{"{TOOL}":{encode(name).decode()},"{ARGUMENTS}":{arguments}}}}}'


def _unanswered(waiting: dict[str, ToolCall | InvalidToolCall]) -> Iterator[ChatMessage]:
    for call in waiting.values():
        yield ChatMessage.assistant(_call_in_words(call))
    waiting.clear()


def _call_in_words(call: ToolCall | InvalidToolCall) -> str:
    if isinstance(call, ToolCall):
        return _call(call.name, encode(call.arguments).decode())
    return _call(sendable_name(call.name), call.arguments_text or "{}")


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
