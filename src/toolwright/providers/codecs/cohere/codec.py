"""Cohere's chat, in its second version.

Here is how requests are written and read back; ``answers`` reads the answers. What is kept for the provider: of a
message ``parts`` (thoughts in their order among texts, of which only the length is kept; documents) and ``fields`` (the
plan for its calls, citations); of a call its ``name``, where it is not legal here, and its ``fields``.

A plan is what the model says to itself before it calls, so it is read as reasoning. That a result is an error cannot
be said apart from its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Unpack, cast, final

import msgspec

from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall
from toolwright.providers.codecs.calls import arguments_text, parse_call, parted
from toolwright.providers.codecs.cohere.answers import CODEC, OF_A_CALL, ChatDecoder, decode_chat
from toolwright.providers.codecs.fragments import Fragments, Ids
from toolwright.providers.codecs.histories import Histories
from toolwright.providers.codecs.ids import UnusedIds
from toolwright.providers.codecs.names import sendable_name
from toolwright.providers.codecs.reading import MISREAD, listed, misread, reading_tools
from toolwright.providers.codecs.requests import read_functions
from toolwright.providers.codecs.settings import Settings, read_options
from toolwright.providers.types import ChatOptions, ChatResponse, StreamDecoder
from toolwright.values import decode, encode

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["CohereCodec"]

_NOTHING: Final[Mapping[str, Any]] = {}
_CHOICES: Final = {"required": "REQUIRED", "none": "NONE"}  # to leave it to the model is to say nothing
_OF_A_MESSAGE: Final = frozenset({"role", "content", "tool_calls", "tool_call_id"})


@final
class CohereCodec:
    """Reads and writes the messages of ``/v2/chat``."""

    name = CODEC

    def __init__(self) -> None:
        self._histories = Histories(lambda: Fragments(_write_message))

    def encode(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> dict[str, Any]:
        """Return the request body.

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
        body: dict[str, Any] = {"model": settings.model} if settings.model else {}
        body["messages"] = msgspec.Raw(self._histories.write(messages).written)
        if definitions:
            body["tools"] = [msgspec.Raw(_write_tool(definition)) for definition in definitions]
        return encode({**body, **_written_options(settings), **settings.extra_body})

    def encode_tools(self, definitions: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
        """Return the definitions as the API takes them."""
        return [decode(_write_tool(definition)) for definition in definitions]

    def decode(self, body: bytes) -> ChatResponse:
        """Read an answer that came whole.

        Raises:
            LLMError: The body is not JSON (``bad_response``).
        """
        return decode_chat(body)

    def stream_decoder(self) -> StreamDecoder:
        """Return a decoder for one streamed answer."""
        return ChatDecoder()

    def parse_messages(self, request: Mapping[str, Any]) -> tuple[tuple[ChatMessage, ...], tuple[ToolDefinition, ...]]:
        """Return the messages and tools of a request: the inverse of :meth:`encode`.

        Raises:
            InvalidMessageError: Something in it cannot be a message.
            DefinitionDecodeError: Something in it is not a tool.
            InvalidDefinitionError: A tool in it breaks a rule of tools.
        """
        messages: list[ChatMessage] = []
        for position, wire in enumerate(listed(request, "messages")):
            try:
                messages.append(_read_message(wire))
            except MISREAD as error:
                raise misread(error, f"messages[{position}]") from None
        with reading_tools():
            return tuple(messages), read_functions(request.get("tools") or ())


def _written_options(settings: Settings) -> dict[str, Any]:
    if settings.chosen_tool is not None:
        raise ValueError("Cohere cannot be told which tool to call: offer that one alone, with tool_choice='required'")
    if settings.parallel_tool_calls is False:
        raise ValueError("Cohere cannot be told to make one call at a time: leave parallel_tool_calls out")
    body: dict[str, Any] = {"stream": settings.stream}  # has to be said
    if settings.tool_choice in _CHOICES:
        body["tool_choice"] = _CHOICES[settings.tool_choice]
    if settings.temperature is not None:
        body["temperature"] = settings.temperature
    if settings.max_tokens is not None:
        body["max_tokens"] = settings.max_tokens
    if settings.stop:
        body["stop_sequences"] = settings.stop
    if settings.response_schema is not None:
        schema = settings.response_schema.for_provider("openai").schema.to_dict()
        body["response_format"] = {"type": "json_object", "json_schema": schema}
    return body


@lru_cache(maxsize=1024)
def _write_tool(definition: ToolDefinition) -> bytes:
    """Return a definition as a function; kept, since bending a schema costs more than all the rest of a request."""
    schema = definition.parameters.for_provider("openai").schema.to_dict()
    function = {"name": definition.name, "description": definition.description, "parameters": schema}
    return encode({"type": "function", "function": function})


def _kept(owner: ChatMessage | ToolCall | InvalidToolCall) -> Mapping[str, Any]:
    """Return what was once kept for this provider with a message or a call."""
    kept: Any = owner.provider_data.get(CODEC) if owner.provider_data else None
    return kept if kept.__class__ is MappingProxyType else _NOTHING


def _write_message(message: ChatMessage, _: Ids) -> bytes:
    kept = _kept(message)
    wire: dict[str, Any] = {"role": message.role, **kept.get("fields", _NOTHING)}
    if message.role is MessageRole.TOOL:
        wire["tool_call_id"] = message.tool_call_id
    content = _content(message.content, kept)
    if content is not None:
        wire["content"] = content
    calls = [*map(_write_call, message.tool_calls), *map(_write_call, message.invalid_tool_calls)]
    if calls:
        wire["tool_calls"] = calls
    return encode(wire)


def _content(text: str | None, kept: Mapping[str, Any]) -> Any:
    """Return the content as it once was; what is kept is of no use where somebody has changed the text since."""
    if "text" in kept and kept["text"] == text:
        return kept["parts"]
    parts: Iterable[Mapping[str, Any]] = kept.get("parts", ()) if "text" not in kept else ()
    if not parts:
        return text
    unchanged = sum(part.get("length", 0) for part in parts) == len(text or "")
    written: list[Mapping[str, Any]] = []
    position = 0
    for part in parts:
        if "length" not in part:
            written.append(part)
        elif unchanged:
            written.append({"type": "text", "text": (text or "")[position : position + part["length"]]})
            position += part["length"]
    return written if unchanged else [*written, {"type": "text", "text": text}]


def _write_call(call: ToolCall | InvalidToolCall) -> dict[str, Any]:
    kept = _kept(call)
    if isinstance(call, ToolCall):
        name, arguments = call.name, arguments_text(dict(call.arguments))
    else:
        name, arguments = sendable_name(call.name), call.arguments_text
    function = {"name": kept.get("name", name), "arguments": arguments}
    return {**kept.get("fields", _NOTHING), "id": call.id, "type": "function", "function": function}


def _read_message(wire: Mapping[str, Any]) -> ChatMessage:
    role = MessageRole.parse(wire["role"])
    fields = {key: value for key, value in wire.items() if key not in _OF_A_MESSAGE and value is not None}
    text, kept = _read_content(wire.get("content"), role)
    if fields:
        kept["fields"] = fields
    data = {CODEC: kept} if kept else None
    if role is MessageRole.TOOL:
        return ChatMessage(role, text or "", tool_call_id=wire["tool_call_id"], provider_data=data)
    calls = _read_calls(wire.get("tool_calls") or ())
    if text is None and not calls:
        text = ""
    return ChatMessage(role, text, *parted(calls), provider_data=data)


def _read_content(content: Any, role: MessageRole) -> tuple[str | None, dict[str, Any]]:
    """Return a content as text, and what has to be kept of it because it is more than that."""
    if content is None or content.__class__ is str:
        return content, {}
    if role is MessageRole.ASSISTANT:
        return _text_of(content), {"parts": _places(content)}
    texts = [str(part["text"]) if part["type"] == "text" else _document_text(part) for part in content]
    return "\n".join(texts), {"parts": content, "text": "\n".join(texts)}


def _document_text(part: Mapping[str, Any]) -> str:
    """Return what a document says; of other parts a word in brackets, so that no reader takes them for nothing."""
    document: Any = part.get("document")
    if document is None:
        return f"[{part['type']}]"
    data: Any = cast("Mapping[str, Any]", document)["data"] if isinstance(document, Mapping) else document
    return data if data.__class__ is str else encode(data).decode()


def _text_of(parts: Iterable[Mapping[str, Any]]) -> str | None:
    return "".join(str(part["text"]) for part in parts if part["type"] == "text") or None


def _places(parts: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [{"type": "text", "length": len(part["text"])} if part["type"] == "text" else part for part in parts]


def _read_calls(wires: Iterable[Mapping[str, Any]]) -> list[ToolCall | InvalidToolCall]:
    ids = UnusedIds()
    calls: list[ToolCall | InvalidToolCall] = []
    for place, wire in enumerate(wires):
        function = wire["function"]
        fields = {key: value for key, value in wire.items() if key not in OF_A_CALL and value is not None}
        kept = {"fields": fields} if fields else None
        id = ids.take(wire.get("id") or f"call_{place}")
        text = arguments_text(function.get("arguments"))
        calls.append(parse_call(id, function.get("name") or "", text, codec=CODEC, kept=kept))
    return calls
