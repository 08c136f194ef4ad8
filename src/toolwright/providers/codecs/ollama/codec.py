"""Ollama's ``/api/chat``: rows of JSON, one message each.

What is kept for the provider: of an answer its ``thinking``, and ``fields`` that are not known here; of other messages
``fields`` (images, say); of a call its ``name``, where it is not legal here, and its other ``fields``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Unpack, final

import msgspec

from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall
from toolwright.providers.codecs.calls import arguments_text, parse_call, parted
from toolwright.providers.codecs.fragments import array, merged
from toolwright.providers.codecs.histories import Histories
from toolwright.providers.codecs.ids import UnusedIds
from toolwright.providers.codecs.names import sendable_name
from toolwright.providers.codecs.ollama.answers import CODEC, RowDecoder, decode_row
from toolwright.providers.codecs.reading import MISREAD, listed, misread, reading_tools
from toolwright.providers.codecs.requests import read_functions
from toolwright.providers.codecs.settings import Settings, read_options
from toolwright.providers.codecs.waiting import Waiting
from toolwright.providers.types import ChatOptions, ChatResponse, StreamDecoder
from toolwright.values import decode, encode

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["OllamaCodec"]

_NOTHING: Final[Mapping[str, Any]] = {}
_OF_A_MESSAGE: Final = frozenset({"role", "content", "thinking", "tool_calls", "tool_call_id", "tool_name"})
_OF_A_FUNCTION: Final = frozenset({"name", "arguments"})


@final
class OllamaCodec:
    """Reads and writes the rows of ``/api/chat``."""

    name = CODEC

    def __init__(self) -> None:
        self._histories = Histories(_MessageWriter)

    def encode(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> dict[str, Any]:
        """Return the request body.

        That a result is an error cannot be said apart from its text. With ``tool_choice="none"`` no tools are sent.

        Raises:
            TypeError: There is no such option.
            ValueError: An option cannot be expressed; the text says what to do.
        """
        body: dict[str, Any] = decode(self.encode_bytes(messages, tools, **options))
        return body

    def encode_bytes(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> bytes:
        """Return the request body as JSON; see :meth:`encode`."""
        definitions = tuple(tools)
        settings = read_options(options, [definition.name for definition in definitions])
        _check_choice(settings)
        body: dict[str, Any] = {"model": settings.model} if settings.model else {}
        body["messages"] = msgspec.Raw(self._histories.write(messages).rows())
        if definitions and settings.tool_choice != "none":
            body["tools"] = [msgspec.Raw(_write_tool(definition)) for definition in definitions]
        body.update(_written_options(settings))
        for key, value in settings.extra_body.items():
            # Both the caller and we may have something to say about these.
            both = key == "options" and isinstance(value, Mapping)
            body[key] = {**body.get(key, {}), **value} if both else value
        return encode(body)

    def encode_tools(self, definitions: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
        """Return the definitions as the API takes them."""
        return [decode(_write_tool(definition)) for definition in definitions]

    def decode(self, body: bytes) -> ChatResponse:
        """Read an answer that came whole.

        Raises:
            LLMError: The body is not JSON (``bad_response``).
        """
        return decode_row(body)

    def stream_decoder(self) -> StreamDecoder:
        """Return a decoder for one streamed answer."""
        return RowDecoder()

    def parse_messages(self, request: Mapping[str, Any]) -> tuple[tuple[ChatMessage, ...], tuple[ToolDefinition, ...]]:
        """Return the messages and tools of a request: the inverse of :meth:`encode`.

        Raises:
            InvalidMessageError: Something in it cannot be a message.
            InvalidDefinitionError: Something in it cannot be a tool.
        """
        reader = _MessageReader()
        messages: list[ChatMessage] = []
        for position, row in enumerate(listed(request, "messages")):
            try:
                messages.append(reader.read(row))
            except MISREAD as error:
                raise misread(error, f"messages[{position}]") from None
        with reading_tools():
            return tuple(messages), read_functions(request.get("tools") or ())


def _check_choice(settings: Settings) -> None:
    if settings.tool_choice not in (None, "auto", "none"):
        raise ValueError("Ollama cannot be told to call a tool: offer only the tools that it may call, and say which")
    if settings.parallel_tool_calls is False:
        raise ValueError("Ollama cannot be told to make one call at a time: leave parallel_tool_calls out")


def _written_options(settings: Settings) -> dict[str, Any]:
    body: dict[str, Any] = {"stream": settings.stream}  # it streams unless told not to
    options: dict[str, Any] = {}
    if settings.temperature is not None:
        options["temperature"] = settings.temperature
    if settings.max_tokens is not None:
        options["num_predict"] = settings.max_tokens
    if settings.stop:
        options["stop"] = settings.stop
    if options:
        body["options"] = options
    if settings.response_schema is not None:
        # Made into a grammar by the runtime, which follows references and reads far more than the tools' reader does.
        body["format"] = settings.response_schema.for_provider("openai").schema.to_dict()
    return body


@lru_cache(maxsize=1024)
def _write_tool(definition: ToolDefinition) -> bytes:
    """Return a definition as a function; kept, since bending a schema costs more than all the rest of a request."""
    schema = definition.parameters.for_provider(CODEC).schema.to_dict()
    function = {"name": definition.name, "description": definition.description, "parameters": schema}
    return encode({"type": "function", "function": function})


def _kept(owner: ChatMessage | ToolCall | InvalidToolCall) -> Mapping[str, Any]:
    """Return what was once kept for this provider with a message or a call."""
    kept: Any = owner.provider_data.get(CODEC) if owner.provider_data else None
    return kept if kept.__class__ is MappingProxyType else _NOTHING


@final
class _MessageWriter:
    """Writes a history as rows; remembers the names of the calls, which results have to give."""

    __slots__ = ("_asked", "_rows", "size")

    def __init__(self) -> None:
        self.size = 0
        self._rows: list[bytes] = []
        self._asked: Mapping[str, str] = {}

    def copy(self) -> _MessageWriter:
        """Return another one that goes on from here."""
        other = _MessageWriter()
        other.size, other._asked, other._rows = self.size, self._asked, merged(self._rows)
        return other

    def add(self, message: ChatMessage) -> None:
        """Write the next message."""
        kept = _kept(message)
        row: dict[str, Any] = {"role": message.role, "content": message.content or "", **kept.get("fields", _NOTHING)}
        if "thinking" in kept:
            row["thinking"] = kept["thinking"]
        if message.role is MessageRole.TOOL:
            id = message.tool_call_id or ""
            row["tool_call_id"] = id
            name = self._asked.get(id, kept.get("name"))
            if name:
                row["tool_name"] = name
        calls: tuple[ToolCall | InvalidToolCall, ...] = message.tool_calls
        calls += message.invalid_tool_calls
        if calls:
            row["tool_calls"] = [_write_call(call) for call in calls]
        if message.role is MessageRole.ASSISTANT:
            self._asked = {call.id: _wire_name(call) for call in calls}
        written = encode(row)
        self._rows.append(written)
        self.size += len(written)

    def rows(self) -> bytes:
        """Return the messages, as a JSON array."""
        return array(merged(self._rows))


def _wire_name(call: ToolCall | InvalidToolCall) -> str:
    name: str = _kept(call).get("name") or (call.name if isinstance(call, ToolCall) else sendable_name(call.name))
    return name


def _write_call(call: ToolCall | InvalidToolCall) -> dict[str, Any]:
    kept = _kept(call)
    arguments = call.arguments if isinstance(call, ToolCall) else _NOTHING  # only an object is taken
    function = {**kept.get("function", _NOTHING), "name": _wire_name(call), "arguments": arguments}
    return {**kept.get("fields", _NOTHING), "id": call.id, "function": function}


class _MessageReader:
    """Reads the messages of a request; a result without an id is for the first call of its name, or else the first."""

    def __init__(self) -> None:
        self._waiting = Waiting()

    def read(self, row: Mapping[str, Any]) -> ChatMessage:
        """Return the message of one row."""
        role = MessageRole.parse(row["role"])
        kept: dict[str, Any] = {}
        fields = {key: value for key, value in row.items() if key not in _OF_A_MESSAGE and value is not None}
        if fields:
            kept["fields"] = fields
        text = row.get("content") or ""
        if role is MessageRole.TOOL:
            id = self._answered(row, kept)
            return ChatMessage(role, text, tool_call_id=id, provider_data={CODEC: kept} if kept else None)
        if row.get("thinking"):
            kept["thinking"] = row["thinking"]
        calls = _read_calls(row.get("tool_calls") or ()) if role is MessageRole.ASSISTANT else []
        if role is MessageRole.ASSISTANT:
            self._waiting = Waiting((call.id, call.id, _wire_name(call)) for call in calls)
        return ChatMessage(
            role,
            text if text or not calls else None,
            *parted(calls),
            provider_data={CODEC: kept} if kept else None,
        )

    def _answered(self, row: Mapping[str, Any], kept: dict[str, Any]) -> str:
        id, name = row.get("tool_call_id"), row.get("tool_name") or row.get("name")
        waiting = self._waiting
        found = waiting.of_id(id) if id else waiting.of_name(name) if name else waiting.first()
        if found is not None:
            return found
        if name:
            kept["name"] = name
        return str(id or name or "call_0")


def _read_calls(wires: Iterable[Mapping[str, Any]]) -> list[ToolCall | InvalidToolCall]:
    ids = UnusedIds()
    calls: list[ToolCall | InvalidToolCall] = []
    for place, wire in enumerate(wires):
        function = wire["function"]
        kept: dict[str, Any] = {}
        fields = {key: value for key, value in wire.items() if key not in ("id", "function")}
        if fields:
            kept["fields"] = fields
        extras = {key: value for key, value in function.items() if key not in _OF_A_FUNCTION}
        if extras:
            kept["function"] = extras
        id = ids.take(wire.get("id") or f"call_{place}")
        arguments = arguments_text(function.get("arguments"))
        calls.append(parse_call(id, function.get("name") or "", arguments, codec=CODEC, kept=kept))
    return calls
