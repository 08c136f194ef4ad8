"""The responses format of OpenAI: a request and an answer are lists of items.

Here is how requests are written; ``answers`` reads answers and ``requests`` reads
requests back. What is kept for the provider: of an answer ``items``, the items in their order with ids, reasoning and
whatever the server's own tools did, where texts are replaced by their lengths and calls by their ids; of a question
``parts`` (contents that are not text alone), ``role`` (``developer``) and ``instructions``; of a call its ``name``,
where it is not legal here, and ``custom``, where its input is a text, as of a result for such a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Unpack, final

import msgspec

from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall
from toolwright.providers.codecs.calls import arguments_text, custom_input
from toolwright.providers.codecs.documents import as_text
from toolwright.providers.codecs.fragments import Fragments, Ids, array
from toolwright.providers.codecs.histories import Histories
from toolwright.providers.codecs.names import sendable_name
from toolwright.providers.codecs.openai_responses.answers import ResponsesDecoder, decode_response
from toolwright.providers.codecs.openai_responses.requests import read_messages
from toolwright.providers.codecs.reading import reading_tools
from toolwright.providers.codecs.requests import read_functions
from toolwright.providers.codecs.settings import Settings, answer_name, read_options
from toolwright.providers.types import ChatOptions, ChatResponse, StreamDecoder
from toolwright.values import decode, encode

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["OpenAIResponsesCodec"]

_NAME: Final = "openai-responses"
_NOTHING: Final[Mapping[str, Any]] = {}


@final
class OpenAIResponsesCodec:
    """Reads and writes responses; ``strict`` sends strict definitions in the strict dialect of OpenAI itself."""

    name = _NAME

    def __init__(self, *, strict: bool = True) -> None:
        self._strict = strict
        self._histories = Histories(lambda: Fragments(_write_message, _custom_calls))

    def encode(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> dict[str, Any]:
        """Return the request body.

        Raises:
            ValueError: ``stop`` is asked for, which this format does not have.
        """
        body: dict[str, Any] = decode(self.encode_bytes(messages, tools, **options))
        return body

    def encode_bytes(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> bytes:
        """Return the request body as JSON.

        Raises:
            ValueError: ``stop`` is asked for, which this format does not have.
        """
        definitions = tuple(tools)
        settings = read_options(options, [definition.name for definition in definitions])
        history = tuple(messages)
        body: dict[str, Any] = {} if settings.model is None else {"model": settings.model}
        if history and _kept(history[0]).get("instructions"):
            body["instructions"] = history[0].content
            history = history[1:]
        body["input"] = msgspec.Raw(self._histories.write(history).written)
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
        return decode_response(body, _NAME)

    def stream_decoder(self) -> StreamDecoder:
        """Return a decoder for one streamed answer."""
        return ResponsesDecoder(_NAME)

    def parse_messages(self, request: Mapping[str, Any]) -> tuple[tuple[ChatMessage, ...], tuple[ToolDefinition, ...]]:
        """Return the messages and tools of a request.

        Raises:
            InvalidMessageError: Something in it cannot be a message.
            DefinitionDecodeError: Something in it is not a function.
            InvalidDefinitionError: A function in it breaks a rule of tools.
        """
        messages = read_messages(request, _NAME)
        with reading_tools():
            return messages, read_functions(request.get("tools") or ())


def _kept(owner: ChatMessage | ToolCall | InvalidToolCall) -> Mapping[str, Any]:
    """Return what this format once kept with a message or a call."""
    kept: Any = owner.provider_data.get(_NAME) if owner.provider_data else None
    return kept if kept.__class__ is MappingProxyType else _NOTHING


def _write_message(message: ChatMessage, custom: Ids) -> bytes:
    """Write a message as its items, of which there may be none; ``custom`` are calls whose input is a text."""
    kept = _kept(message)
    if message.role is MessageRole.ASSISTANT:
        items = _with_entries(message, kept["items"]) if "items" in kept else _plain_answer(message)
        return b",".join(map(encode, items))
    content = kept["parts"] if "parts" in kept and kept.get("text") == message.content else message.content
    if message.role is MessageRole.TOOL:
        is_custom = kept.get("custom") is True or message.tool_call_id in custom
        kind = "custom_tool_call_output" if is_custom else "function_call_output"
        return encode({"type": kind, "call_id": message.tool_call_id, "output": content})
    return encode({"role": "developer" if kept.get("role") == "developer" else message.role, "content": content})


def _custom_calls(answer: ChatMessage) -> Ids:
    """Return the ids of the calls whose input is a text: their results are items of their own kind."""
    return frozenset(call.id for call in _calls(answer) if _kept(call).get("custom") is True)


def _calls(message: ChatMessage) -> Iterator[ToolCall | InvalidToolCall]:
    yield from message.tool_calls
    yield from message.invalid_tool_calls


def _plain_answer(message: ChatMessage) -> Iterator[dict[str, Any]]:
    if message.content or not (message.tool_calls or message.invalid_tool_calls):
        yield _said(message.content or "")
    for call in _calls(message):
        yield _write_call(call, _NOTHING)


def _with_entries(message: ChatMessage, entries: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the items of an answer as they once came, with the texts and calls that the message has now."""
    calls = {call.id: call for call in _calls(message)}
    text = message.content or ""
    unchanged = _has_same_text(text, entries)
    unsaid = bool(text) and not unchanged
    position = 0
    for entry in entries:
        kind = entry.get("type")
        if kind in ("function_call", "custom_tool_call"):
            call = calls.pop(entry["call_id"], None)
            if call is not None:
                yield _write_call(call, entry)
        elif kind == "message":
            if unchanged:
                parts, position = _with_texts(entry["content"], text, position)
                yield {**entry, "role": "assistant", "content": parts}
            elif unsaid:
                yield _said(text)
                unsaid = False
        else:
            yield dict(entry)
    if unsaid:
        yield _said(text)
    for call in calls.values():
        yield _write_call(call, _NOTHING)


def _has_same_text(text: str, entries: Iterable[Mapping[str, Any]]) -> bool:
    """Say whether a text is as long as what was kept of it; a refusal stands for a text where there was none."""
    parts = [part for entry in entries if entry.get("type") == "message" for part in entry["content"]]
    length = sum(part.get("length", 0) for part in parts)
    return length == len(text) or (not length and text == "".join(as_text(part.get("refusal")) for part in parts))


def _with_texts(parts: Iterable[Mapping[str, Any]], text: str, position: int) -> tuple[list[dict[str, Any]], int]:
    """Put the texts back into the parts of a message."""
    filled: list[dict[str, Any]] = []
    for part in parts:
        filled.append(dict(part))
        if "length" in part:
            length = filled[-1].pop("length")
            filled[-1]["text"] = text[position : position + length]
            position += length
    return filled, position


def _said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _write_call(call: ToolCall | InvalidToolCall, entry: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(call, ToolCall):
        name, arguments = call.name, arguments_text(dict(call.arguments))
    else:
        name, arguments = sendable_name(call.name), call.arguments_text
    kept = _kept(call)
    wire = {**entry, "type": "function_call", "call_id": call.id, "name": kept.get("name", name)}
    if kept.get("custom") is True:
        return {**wire, "type": "custom_tool_call", "input": custom_input(call)}
    return {**wire, "arguments": arguments}


@lru_cache(maxsize=1024)
def _write_tool(definition: ToolDefinition, strict: bool) -> bytes:
    """Return a definition as a function; kept, since bending a schema costs more than all the rest of a request."""
    form = definition.parameters.for_provider("openai-strict" if strict else "openai")
    # Said in either case: here, silence means strict.
    return encode(
        {
            "type": "function",
            "name": definition.name,
            "description": definition.description,
            "parameters": form.schema.to_dict(),
            "strict": form.strict,
        }
    )


def _write_settings(body: dict[str, Any], settings: Settings, *, strict: bool) -> None:
    if settings.stop:
        raise ValueError("this format has no stop texts: use the codec openai-chat, or cut the text yourself")
    if settings.stream:
        body["stream"] = True
    if settings.tool_choice is not None:
        name = settings.chosen_tool
        body["tool_choice"] = {"type": "function", "name": name} if name else settings.tool_choice
    if settings.parallel_tool_calls is not None:
        body["parallel_tool_calls"] = settings.parallel_tool_calls
    if settings.temperature is not None:
        body["temperature"] = settings.temperature
    if settings.max_tokens is not None:
        body["max_output_tokens"] = settings.max_tokens
    schema = settings.response_schema
    if schema is not None:
        form = schema.for_provider("openai-strict" if strict else "openai")
        named = {
            "type": "json_schema",
            "name": answer_name(schema),
            "schema": form.schema.to_dict(),
            "strict": form.strict,
        }
        body["text"] = {"format": named}
    body.update(settings.extra_body)
