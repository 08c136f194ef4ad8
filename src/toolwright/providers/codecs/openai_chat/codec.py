"""The chat completions format: OpenAI's, and that of vLLM, llama.cpp, OpenRouter, Groq, Mistral and many more.

Here is how requests are written, and read back from logs; ``answers`` reads the answers. What is kept for
the provider: of a message ``fields`` (reasoning, names, refusals: sent back as they came), ``parts`` (contents that are
not text alone), ``think`` and ``thinking`` (reasoning that belongs into the content), ``role`` (``developer``); of a
call its ``name``, where it is not legal here, ``fields``, and ``custom``, where its input is a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Unpack, final

import msgspec

from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall
from toolwright.providers.codecs.calls import arguments_text, custom_input
from toolwright.providers.codecs.fragments import Fragments, Ids, array
from toolwright.providers.codecs.histories import Histories
from toolwright.providers.codecs.names import sendable_name
from toolwright.providers.codecs.openai_chat.answers import ChatDecoder, decode_chat
from toolwright.providers.codecs.openai_chat.requests import read_messages
from toolwright.providers.codecs.reading import reading_tools
from toolwright.providers.codecs.requests import read_functions
from toolwright.providers.codecs.settings import Settings, answer_name, read_options
from toolwright.providers.types import ChatOptions, ChatResponse, StreamDecoder
from toolwright.values import decode, encode

if TYPE_CHECKING:
    from toolwright.schema import Schema
    from toolwright.tools.definition import ToolDefinition

__all__ = ["OpenAIChatCodec"]

_NAME: Final = "openai-chat"
_ASSISTANT: Final = MessageRole.ASSISTANT
_TOOL: Final = MessageRole.TOOL
_NOTHING: Final[Mapping[str, Any]] = {}


@final
class OpenAIChatCodec:
    """Reads and writes chat completions.

    ``strict`` is for OpenAI itself: strict definitions are sent in its strict dialect, and the limit of the answer's
    length under the name that its newer models want. Other servers know neither.
    """

    name = _NAME

    def __init__(self, *, strict: bool = True) -> None:
        self._strict = strict
        self._histories = Histories(lambda: Fragments(_write_message))

    def encode(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> dict[str, Any]:
        """Return the request body."""
        body: dict[str, Any] = decode(self.encode_bytes(messages, tools, **options))
        return body

    def encode_bytes(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> bytes:
        """Return the request body as JSON."""
        definitions = tuple(tools)
        settings = read_options(options, [definition.name for definition in definitions])
        body: dict[str, Any] = {} if settings.model is None else {"model": settings.model}
        body["messages"] = msgspec.Raw(self._histories.write(messages).written)
        if definitions:
            body["tools"] = msgspec.Raw(array(self._write_tools(definitions)))
        _write_settings(body, settings, strict=self._strict)
        return encode(body)

    def encode_tools(self, definitions: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
        """Return the definitions as functions; strict ones in the strict dialect, where they can be said in it."""
        return [decode(written) for written in self._write_tools(definitions)]

    def _write_tools(self, definitions: Iterable[ToolDefinition]) -> list[bytes]:
        return [_write_tool(definition, self._strict and definition.strict) for definition in definitions]

    def decode(self, body: bytes) -> ChatResponse:
        """Read an answer that came whole.

        Raises:
            LLMError: The body is not JSON (``bad_response``).
        """
        return decode_chat(body, _NAME)

    def stream_decoder(self) -> StreamDecoder:
        """Return a decoder for one streamed answer."""
        return ChatDecoder(_NAME)

    def parse_messages(self, request: Mapping[str, Any]) -> tuple[tuple[ChatMessage, ...], tuple[ToolDefinition, ...]]:
        """Return the messages and tools of a request.

        Raises:
            InvalidMessageError: Something in it cannot be a message.
            DefinitionDecodeError: Something in it is not a function.
            InvalidDefinitionError: A function in it breaks a rule of tools.
        """
        messages = read_messages(request, _NAME)
        with reading_tools():
            functions = [{"type": "function", "function": each} for each in request.get("functions") or ()]
            return messages, read_functions(request.get("tools") or functions)


def _kept(owner: ChatMessage | ToolCall | InvalidToolCall) -> Mapping[str, Any]:
    """Return what this format once kept with a message or a call."""
    kept: Any = owner.provider_data.get(_NAME) if owner.provider_data else None
    return kept if kept.__class__ is MappingProxyType else _NOTHING


def _write_message(message: ChatMessage, _: Ids) -> bytes:
    if message.provider_data is None and not message.tool_calls and not message.invalid_tool_calls:
        if message.role is _TOOL:
            return encode({"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content})
        return encode({"role": message.role, "content": message.content})
    kept = _kept(message)
    wire: dict[str, Any] = dict(kept.get("fields", _NOTHING))
    wire["role"] = "developer" if kept.get("role") == "developer" else message.role
    if message.role is _TOOL:
        wire["tool_call_id"] = message.tool_call_id
    wire["content"] = _content(message, kept)
    calls = [*map(_write_call, message.tool_calls), *map(_write_call, message.invalid_tool_calls)]
    if calls:
        wire["tool_calls"] = calls
    return encode(wire)


def _content(message: ChatMessage, kept: Mapping[str, Any]) -> Any:
    """Return the content as it once was; what is kept is of no use where somebody has changed the text since."""
    content = message.content
    if "parts" in kept and kept.get("text") == content:
        return kept["parts"]
    if message.role is _ASSISTANT:
        if "think" in kept:
            return f"{kept['think']}{content or ''}"
        if "thinking" in kept:
            thinking = {"type": "thinking", "thinking": [{"type": "text", "text": kept["thinking"]}]}
            return [thinking, {"type": "text", "text": content}] if content else [thinking]
        if content is not None and kept.get("fields", _NOTHING).get("refusal") == content:
            return None
    return content


def _write_call(call: ToolCall | InvalidToolCall) -> dict[str, Any]:
    kept = _kept(call) if call.provider_data else _NOTHING
    if isinstance(call, ToolCall):
        name, arguments = call.name, arguments_text(dict(call.arguments))
    else:
        name, arguments = sendable_name(call.name), call.arguments_text
    name = kept.get("name", name)
    wire = {**kept.get("fields", _NOTHING), "id": call.id}
    if kept.get("custom") is True:
        return {**wire, "type": "custom", "custom": {"name": name, "input": custom_input(call)}}
    return {**wire, "type": "function", "function": {"name": name, "arguments": arguments}}


@lru_cache(maxsize=1024)
def _write_tool(definition: ToolDefinition, strict: bool) -> bytes:
    """Return a definition as a function; kept, since bending a schema costs more than all the rest of a request."""
    form = definition.parameters.for_provider("openai-strict" if strict else "openai")
    function: dict[str, Any] = {
        "name": definition.name,
        "description": definition.description,
        "parameters": form.schema.to_dict(),
    }
    if form.strict:
        function["strict"] = True
    return encode({"type": "function", "function": function})


def _write_settings(body: dict[str, Any], settings: Settings, *, strict: bool) -> None:
    if settings.stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    if settings.tool_choice is not None:
        name = settings.chosen_tool
        body["tool_choice"] = {"type": "function", "function": {"name": name}} if name else settings.tool_choice
    if settings.parallel_tool_calls is not None:
        body["parallel_tool_calls"] = settings.parallel_tool_calls
    if settings.temperature is not None:
        body["temperature"] = settings.temperature
    if settings.max_tokens is not None:
        body["max_completion_tokens" if strict else "max_tokens"] = settings.max_tokens
    if settings.stop:
        body["stop"] = settings.stop
    if settings.response_schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": _answer_form(settings.response_schema, strict)}
    body.update(settings.extra_body)


def _answer_form(schema: Schema, strict: bool) -> dict[str, Any]:
    form = schema.for_provider("openai-strict" if strict else "openai")
    named: dict[str, Any] = {"name": answer_name(schema), "schema": form.schema.to_dict()}
    return {**named, "strict": True} if form.strict else named
