"""Tools in words: what each is for, its arguments, and one example of a call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from toolwright.providers.codecs.documents import as_list, as_object
from toolwright.providers.prompted.forms import ARGUMENTS, NEXT, TEXT, TOOL
from toolwright.values import encode, thaw

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition
    from toolwright.tools.parameters import ToolParameter

__all__ = ["call_in_words", "reply_in_words", "tools_in_words"]

_INTRODUCTION: Final = "You can use these tools:"
_REPLY: Final = "{name}: Say something to the user, when no other tool fits or its result is there."
_RULE: Final = "Answer with one JSON object, as in the examples."
_TOOLS_FIRST: Final = "If a tool fits the request, use it: never make up what a tool can tell you."
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")

_SAMPLES: Final[Mapping[str, Any]] = {"string": "...", "integer": 1, "number": 1.5, "boolean": True}
_MOST_REFERENCES: Final = 8
_DEEPEST: Final = 8


def call_in_words(name: str, arguments: str) -> str:
    """Return a call as an answer has it, its arguments being the text of an object."""
    return f'{{"{NEXT}":{{"{TOOL}":{encode(name).decode()},"{ARGUMENTS}":{arguments}}}}}'


def reply_in_words(reply: str, text: str) -> str:
    """Return a text as an answer has it."""
    return call_in_words(reply, encode({TEXT: text}).decode())


def tools_in_words(tools: Iterable[ToolDefinition], reply: str) -> str:
    """Return what a model is told of these tools, and of its ``reply`` where it may say something."""
    return "\n\n".join(_said(tuple(tools), reply))


def _said(tools: tuple[ToolDefinition, ...], reply: str) -> Iterator[str]:
    if tools:
        yield _INTRODUCTION
    yield from map(_described, tools)
    if reply:
        yield f"{_REPLY.format(name=reply)}\n  Example: {reply_in_words(reply, '...')}"
    yield f"{_RULE} {_TOOLS_FIRST}" if tools else _RULE


def _described(tool: ToolDefinition) -> str:
    schema = tool.parameters.to_dict()
    example = thaw(tool.examples[0]) if tool.examples else _sample(schema, schema)
    call = call_in_words(tool.name, encode(example).decode())
    first = _SENTENCE.split(tool.description.strip(), 1)[0].rstrip(".!?")
    lines = [f"{tool.name}: {tool.description}", *map(_row, tool.parameter_list)]
    return "\n".join([*lines, f"  When asked to {first[:1].lower()}{first[1:]}, answer: {call}"])


def _row(row: ToolParameter) -> str:
    needed = "" if row.required else ", optional"
    choice = f", one of {encode(row.enum).decode()}" if row.enum else ""
    about = f": {row.description}" if row.description else ""
    return f"  {row.name} ({row.type}{needed}{choice}){about}"


def _sample(schema: Any, root: Any, room: int = _DEEPEST) -> Any:
    """Return a value that fits the look of a schema: what it gives as an example, or one of the right type."""
    part = as_object(_referred(schema, root))
    given = [*as_list(part.get("examples")), part.get("const"), part.get("default"), *as_list(part.get("enum"))]
    example = next((value for value in given if value is not None), None)
    if example is not None:
        return example
    kind: Any = next(iter(as_list(part.get("type"))), part.get("type"))
    if room > 0 and (kind == "object" or "properties" in part):
        required = as_list(part.get("required"))
        properties = as_object(part.get("properties"))
        return {name: _sample(inner, root, room - 1) for name, inner in properties.items() if name in required}
    if room > 0 and kind == "array":
        return [_sample(part.get("items"), root, room - 1)]
    return _SAMPLES.get(str(kind), _SAMPLES["string"])


def _referred(schema: Any, root: Any) -> Any:
    """Return what a schema refers to, if it does and that is a part of its document."""
    for _ in range(_MOST_REFERENCES):
        reference = str(as_object(schema).get("$ref", ""))
        if not reference.startswith("#/"):
            break
        schema = root
        for key in reference[2:].split("/"):
            schema = as_object(schema).get(key.replace("~1", "/").replace("~0", "~"))
    return schema
