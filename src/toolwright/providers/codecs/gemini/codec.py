"""Gemini's ``generateContent``.

Here is how requests are put together; ``contents`` writes the conversation, ``requests`` reads it back,
``answers`` reads the answers. What is kept for the provider: of an answer ``parts``, in their order (thoughts
and what ran at the provider: unchanged; of texts the length and the signature, of calls the id); of other messages
``parts``, or ``response`` and other ``fields``, where there is more than text; of a call its ``name``, where it is not
legal here, its ``id``, if Gemini gave it one, and the other fields of the call and of its ``part``, such as a
signature.

The model, and whether to stream, are said in the URL and not in the body.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Unpack, final

import msgspec

from toolwright.messages import ChatMessage
from toolwright.providers.codecs.gemini.answers import GeminiDecoder, decode_answer
from toolwright.providers.codecs.gemini.contents import CODEC, ContentWriter
from toolwright.providers.codecs.gemini.requests import read_contents, read_functions
from toolwright.providers.codecs.histories import Histories
from toolwright.providers.codecs.reading import reading_tools
from toolwright.providers.codecs.settings import Settings, read_options
from toolwright.providers.types import ChatOptions, ChatResponse, StreamDecoder
from toolwright.values import decode, encode

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["GeminiCodec"]

_MODES: Final = {"auto": "AUTO", "required": "ANY", "none": "NONE"}


@final
class GeminiCodec:
    """Reads and writes the contents of ``generateContent`` and ``streamGenerateContent``."""

    name = CODEC

    def __init__(self) -> None:
        self._histories = Histories(ContentWriter)

    def encode(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> dict[str, Any]:
        """Return the request body.

        Raises:
            TypeError: There is no such option.
            ValueError: An option cannot be expressed, or a result has no call; the text says what to do.
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
        body: dict[str, Any] = {}
        system = written.system()
        if system:
            body["systemInstruction"] = system
        body["contents"] = msgspec.Raw(written.contents())
        if definitions:
            functions = b",".join(map(_write_tool, definitions))
            body["tools"] = msgspec.Raw(b'[{"functionDeclarations":[' + functions + b"]}]")
        body.update(_written_options(settings))
        for key, value in settings.extra_body.items():
            # Both the caller and we may have something to say about the generationConfig.
            both = key in ("generationConfig", "toolConfig") and isinstance(value, Mapping)
            body[key] = {**body.get(key, {}), **value} if both else value
        return encode(body)

    def encode_tools(self, definitions: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
        """Return the definitions as the API takes them: one tool that is a list of functions."""
        functions: list[dict[str, Any]] = [decode(_write_tool(definition)) for definition in definitions]
        return [{"functionDeclarations": functions}] if functions else []

    def decode(self, body: bytes) -> ChatResponse:
        """Read an answer that came whole.

        Raises:
            LLMError: The body is not JSON (``bad_response``).
        """
        return decode_answer(body)

    def stream_decoder(self) -> StreamDecoder:
        """Return a decoder for one streamed answer."""
        return GeminiDecoder()

    def parse_messages(self, request: Mapping[str, Any]) -> tuple[tuple[ChatMessage, ...], tuple[ToolDefinition, ...]]:
        """Return the messages and tools of a request: the inverse of :meth:`encode`.

        Tools that run at the provider are no definitions and are passed over.

        Raises:
            InvalidMessageError: Something in it cannot be a message.
            InvalidDefinitionError: Something in it cannot be a tool.
        """
        messages = read_contents(request)
        with reading_tools():
            return messages, read_functions(request)


@lru_cache(maxsize=1024)
def _write_tool(definition: ToolDefinition) -> bytes:
    """Return a definition as a function; kept, since bending a schema costs more than all the rest of a request."""
    function: dict[str, Any] = {"name": definition.name, "description": definition.description}
    schema = definition.parameters.for_provider(CODEC).schema.to_dict()
    if schema.get("properties"):  # "should be non-empty for OBJECT type"
        function["parameters"] = schema
    return encode(function)


def _written_options(settings: Settings) -> dict[str, Any]:
    if settings.parallel_tool_calls is False:
        raise ValueError("Gemini cannot be told to make one call at a time: leave parallel_tool_calls out")
    body: dict[str, Any] = {}
    if settings.tool_choice is not None:
        mode = _MODES.get(settings.tool_choice)
        chosen: dict[str, Any] = {"mode": mode or "ANY"}
        if mode is None:
            chosen["allowedFunctionNames"] = [settings.tool_choice]
        body["toolConfig"] = {"functionCallingConfig": chosen}
    config: dict[str, Any] = {}
    if settings.temperature is not None:
        config["temperature"] = settings.temperature
    if settings.max_tokens is not None:
        config["maxOutputTokens"] = settings.max_tokens
    if settings.stop:
        config["stopSequences"] = settings.stop
    if settings.response_schema is not None:
        config["responseMimeType"] = "application/json"
        # As for parameters: the field for plain JSON Schema is not offered by every endpoint.
        config["responseSchema"] = settings.response_schema.for_provider(CODEC).schema.to_dict()
    if config:
        body["generationConfig"] = config
    return body
