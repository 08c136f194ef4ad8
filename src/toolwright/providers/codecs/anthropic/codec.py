"""Anthropic's Messages API.

Here is how requests are put together; ``turns`` writes the conversation, ``answers`` reads the
answers. What is kept for the provider: of an answer ``content``, its blocks in their order (thinking and its
signatures, what tools at the provider did: unchanged; of texts only the length, of calls the id); of other messages
``content``, where there is more than text, and ``fields``; of a call its ``name``, where it is not legal here, and its
other fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Unpack, final

import msgspec

from toolwright.messages import ChatMessage
from toolwright.providers.codecs.anthropic.answers import MessageDecoder, decode_message, read_answer
from toolwright.providers.codecs.anthropic.turns import CODEC, TurnWriter, read_system, read_user_turn
from toolwright.providers.codecs.histories import Histories
from toolwright.providers.codecs.reading import MISREAD, listed, misread, reading_tools
from toolwright.providers.codecs.settings import Settings, read_options
from toolwright.providers.types import ChatOptions, ChatResponse, StreamDecoder
from toolwright.values import decode, encode

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["AnthropicCodec"]

_MOST_TOKENS: Final = 4096
# A request has to say how long the answer may be; every model allows this much.

_TOOL_CHOICES: Final = {"auto": "auto", "required": "any", "none": "none"}


@final
class AnthropicCodec:
    """Reads and writes messages of the Messages API."""

    name = CODEC

    def __init__(self) -> None:
        self._histories = Histories(TurnWriter)

    def encode(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> dict[str, Any]:
        """Return the request body.

        System messages go to the top, wherever they stand. Answers without any content are left out: the API
        refuses them.

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
        written = self._histories.write(messages)
        body: dict[str, Any] = {"model": settings.model} if settings.model else {}
        body["max_tokens"] = _MOST_TOKENS if settings.max_tokens is None else settings.max_tokens
        system = written.system()
        if system:
            body["system"] = system
        body["messages"] = msgspec.Raw(written.turns())
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
        return decode_message(body)

    def stream_decoder(self) -> StreamDecoder:
        """Return a decoder for one streamed answer."""
        return MessageDecoder()

    def parse_messages(self, request: Mapping[str, Any]) -> tuple[tuple[ChatMessage, ...], tuple[ToolDefinition, ...]]:
        """Return the messages and tools of a request: the inverse of :meth:`encode`.

        Tools that run at the provider are no definitions and are passed over.

        Raises:
            InvalidMessageError: Something in it cannot be a message.
            InvalidDefinitionError: Something in it cannot be a tool.
        """
        turns, path = listed(request, "messages"), "system"
        try:
            messages = read_system(request.get("system"))
            for position, turn in enumerate(turns):
                path = f"messages[{position}]"
                messages += _read_turn(turn)
        except MISREAD as error:
            raise misread(error, path) from None
        with reading_tools():
            return tuple(messages), _read_tools(request.get("tools") or ())


def _read_turn(turn: Mapping[str, Any]) -> list[ChatMessage]:
    content = turn["content"]
    match turn["role"]:
        case "assistant":
            return [read_answer(content)]
        case "system":
            return read_system(content)
        case _:
            return read_user_turn(content)


@lru_cache(maxsize=1024)
def _write_tool(definition: ToolDefinition) -> bytes:
    """Return a definition as a tool; kept, since bending a schema costs more than all the rest of a request."""
    schema = definition.parameters.for_provider(CODEC).schema.to_dict()
    return encode({**definition.to_anthropic(), "input_schema": schema})


def _written_options(settings: Settings) -> dict[str, Any]:
    body: dict[str, Any] = {}
    one_by_one = settings.parallel_tool_calls is False
    if settings.tool_choice is not None or one_by_one:
        choice = _TOOL_CHOICES.get(settings.tool_choice or "auto")
        chosen: dict[str, Any] = {"type": choice} if choice else {"type": "tool", "name": settings.tool_choice}
        if one_by_one and choice != "none":
            chosen["disable_parallel_tool_use"] = True
        body["tool_choice"] = chosen
    if settings.temperature is not None:
        body["temperature"] = settings.temperature
    if settings.stop:
        body["stop_sequences"] = settings.stop
    if settings.response_schema is not None:
        # Every object has to be closed here, as in the strict dialect, which is the nearest there is.
        schema = settings.response_schema.for_provider("openai-strict").schema.to_dict()
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    if settings.stream:
        body["stream"] = True
    return body


def _read_tools(tools: Iterable[Mapping[str, Any]]) -> tuple[ToolDefinition, ...]:
    # Only logs are read like this: a program that asks a model has no need of that room.
    from toolwright.tools.definition import ToolDefinition

    definitions: dict[str, ToolDefinition] = {}
    for tool in tools:
        if tool.get("input_schema") is not None:  # others run at the provider
            definition = ToolDefinition.from_anthropic(tool, taken=definitions)
            definitions[definition.name] = definition
    return tuple(definitions.values())
