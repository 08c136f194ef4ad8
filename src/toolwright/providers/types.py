"""What every provider speaks, whatever its wire format: answers, events, options, and the shapes of the parts.

Pure data and protocols. Nothing here knows a wire format or a network; codecs fill these values in, and whoever asks a
model reads them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias, TypedDict, Unpack

import msgspec
from msgspec.structs import force_setattr

from toolwright.errors import LLMError
from toolwright.messages import ChatMessage, InvalidToolCall, ToolCall, ToolCallDelta
from toolwright.values import JsonObject, Value, freeze_object

if TYPE_CHECKING:
    from toolwright.schema import Schema
    from toolwright.tools.definition import ToolDefinition

__all__ = [
    "AnswerReading",
    "ChatOptions",
    "ChatProvider",
    "ChatResponse",
    "Codec",
    "Completed",
    "ErrorCode",
    "Failure",
    "FinishReason",
    "ReasoningDelta",
    "StreamDecoder",
    "StreamEvent",
    "TextDelta",
    "ToolMode",
    "Usage",
]

FinishReason: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter", "error"]
"""Why an answer ended: done, calls to run, too long, withheld, or not ended properly."""

ErrorCode: TypeAlias = Literal[
    "api_call_failed",
    "authentication_failed",
    "rate_limited",
    "context_length_exceeded",
    "model_not_found",
    "content_filtered",
    "timeout",
    "connection_failed",
    "bad_response",
    "cancelled",
]
"""The codes of :class:`~toolwright.errors.LLMError`."""


_UNTOLD: Final = "the provider reported an error without a word on it: the log of the server may know more"


class Usage(Value, frozen=True, gc=False, kw_only=True):
    """How many tokens an answer took; ``None`` where the provider did not say.

    ``input_tokens`` are all that were read, those from a cache (``cached_tokens``) among them; ``reasoning_tokens`` are
    part of ``output_tokens``.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class Failure(Value, frozen=True, gc=False, kw_only=True):
    """What a provider said instead of an answer, or in the middle of one."""

    code: ErrorCode = "api_call_failed"
    message: str = ""
    status: int | None = None
    retryable: bool = False

    def to_error(self, *, request_id: str | None = None) -> LLMError:
        """Return the exception that says the same, or that nothing was said."""
        said = self.message or _UNTOLD
        return LLMError(self.code, said, status=self.status, request_id=request_id, retryable=self.retryable)

    def __repr__(self) -> str:
        return f"Failure(code={self.code!r}, message=<{len(self.message)} chars>)"


class ChatResponse(Value, frozen=True, gc=False, kw_only=True):
    """One answer of a model, whole.

    ``provider_data`` is what the provider wants to see again, keyed by codec. ``failure`` is there where the provider
    itself reported an error (``finish_reason`` is ``error`` then).

    Raises:
        InvalidMessageError: The calls do not fit into one message.
        NotJsonError: ``provider_data`` is not a JSON object.
    """

    text: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    invalid_tool_calls: tuple[InvalidToolCall, ...] = ()
    finish_reason: FinishReason = "stop"
    usage: Usage = Usage()
    model: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    provider_data: JsonObject | None = None
    failure: Failure | None = None

    def __post_init__(self) -> None:
        for field in ("tool_calls", "invalid_tool_calls"):
            calls: Iterable[object] = getattr(self, field)
            if calls.__class__ is not tuple:
                force_setattr(self, field, tuple(calls))
        if self.provider_data is not None:
            force_setattr(self, "provider_data", freeze_object(self.provider_data))

    @property
    def tool_invocation(self) -> ToolCall | None:
        """The first call, if there is one that can be run."""
        return self.tool_calls[0] if self.tool_calls else None

    def to_message(self) -> ChatMessage:
        """Return the answer as a message for the history.

        Invalid calls are part of it. Where there is neither text nor call, its content is the refusal, or empty.
        """
        text = self.text
        if text is None and not self.tool_calls and not self.invalid_tool_calls:
            text = self.refusal or ""
        return ChatMessage.assistant(text, self.tool_calls, self.invalid_tool_calls, provider_data=self.provider_data)

    def __hash__(self) -> int:
        return hash((self.text, self.tool_calls, self.invalid_tool_calls, self.finish_reason))

    def __repr__(self) -> str:
        parts = [f"finish_reason={self.finish_reason!r}"]
        for field in ("text", "reasoning", "refusal"):
            value = getattr(self, field)
            if value is not None:
                parts.append(f"{field}=<{len(value)} chars>")
        if self.tool_calls:
            parts.append(f"tool_calls=[{', '.join(call.name for call in self.tool_calls)}]")
        if self.invalid_tool_calls:
            parts.append(f"invalid_tool_calls=<{len(self.invalid_tool_calls)} calls>")
        if self.model is not None:
            parts.append(f"model={self.model!r}")
        return f"ChatResponse({', '.join(parts)})"


class TextDelta(msgspec.Struct, frozen=True, gc=False):
    """A piece of the answer's text, as it arrives."""

    text: str

    def __repr__(self) -> str:
        return f"TextDelta(<{len(self.text)} chars>)"


class ReasoningDelta(msgspec.Struct, frozen=True, gc=False):
    """A piece of what the model thinks before it answers, as it arrives."""

    text: str

    def __repr__(self) -> str:
        return f"ReasoningDelta(<{len(self.text)} chars>)"


class Completed(msgspec.Struct, frozen=True, gc=False):
    """The last event of a stream: the whole answer."""

    response: ChatResponse


StreamEvent: TypeAlias = TextDelta | ReasoningDelta | ToolCallDelta | Completed
"""What a stream is made of."""


ToolMode: TypeAlias = Literal["native", "prompted"]
"""How a model is told of tools: by its API, or in words."""


class ChatOptions(TypedDict, total=False):
    """What may be asked of a model besides an answer; what is left out is left to the provider.

    ``tool_choice`` is ``auto``, ``required``, ``none`` or the name of a tool; ``response_schema`` asks for an answer of
    that form; ``extra_body`` is merged into the request as it is, and wins. ``tool_mode`` and ``text_calls`` say how a
    model is told of tools, and how calls in its texts are written. These two are the provider's, ``timeout`` and
    ``extra_headers`` the transport's: codecs take them and have no use for them. ``model`` and ``stream`` are set by
    the provider.
    """

    model: str | None
    stream: bool
    tool_choice: str | None
    parallel_tool_calls: bool | None
    temperature: float | None
    max_tokens: int | None
    stop: str | Sequence[str] | None
    response_schema: Schema | Mapping[str, Any] | None
    extra_body: Mapping[str, Any] | None
    timeout: float | None
    extra_headers: Mapping[str, str] | None
    tool_mode: ToolMode | None
    text_calls: str | None


class StreamDecoder(Protocol):
    """Reads one streamed answer, in whatever pieces it comes."""

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Take the next bytes and return what they brought; never ``Completed``."""
        ...

    def close(self) -> ChatResponse:
        """Say that no bytes follow, and return the answer.

        Where the stream ended without its end marker, ``finish_reason`` is ``error`` and what arrived is there.
        """
        ...


class AnswerReading(Protocol):
    """Reads an answer otherwise than its format alone would: calls that are written in its text, say."""

    def feed(self, event: StreamEvent) -> list[StreamEvent]:
        """Take an event, which is not ``Completed``, and return what is to be told instead."""
        ...

    def finish(self, response: ChatResponse) -> tuple[list[StreamEvent], ChatResponse]:
        """Take the whole answer; return the last events, and the answer as it reads now.

        Without any event before, it reads an answer that came whole.
        """
        ...


class Codec(Protocol):
    """One wire format, both ways, over bytes alone."""

    @property
    def name(self) -> str:
        """The name by which :func:`toolwright.providers.codecs.codec` finds it, and the key of its provider data."""
        ...

    def encode(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> dict[str, Any]:
        """Return the request body.

        Raises:
            ValueError: An option cannot be expressed in this format; the text says what to do.
            InvalidMessageError: What a message keeps for this provider is not what its codec kept.
        """
        ...

    def encode_bytes(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> bytes:
        """Return the request body as JSON.

        Raises:
            ValueError: An option cannot be expressed in this format; the text says what to do.
            InvalidMessageError: What a message keeps for this provider is not what its codec kept.
        """
        ...

    def encode_tools(self, definitions: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
        """Return the definitions as the provider takes them."""
        ...

    def decode(self, body: bytes) -> ChatResponse:
        """Read an answer that came whole.

        Raises:
            LLMError: The body is not JSON (``bad_response``). An error that the provider reports is no exception here.
        """
        ...

    def stream_decoder(self) -> StreamDecoder:
        """Return a decoder for one streamed answer."""
        ...

    def parse_messages(self, request: Mapping[str, Any]) -> tuple[tuple[ChatMessage, ...], tuple[ToolDefinition, ...]]:
        """Return the messages and tools of a request: the inverse of ``encode``.

        Raises:
            InvalidMessageError: Something in it cannot be a message.
            InvalidDefinitionError: Something in it cannot be a tool.
        """
        ...


class ChatProvider(Protocol):
    """A model that can be asked."""

    @property
    def model_name(self) -> str:
        """The model that is asked, as its provider names it."""
        ...

    async def chat(self, messages: Iterable[ChatMessage]) -> str:
        """Return the text of the answer, empty where there is none.

        Raises:
            LLMError: There is no answer; ``code`` says why.
        """
        ...

    async def chat_with_tools(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition], **options: Unpack[ChatOptions]
    ) -> ChatResponse:
        """Return the answer: a text, calls, or both. Without tools it behaves as :meth:`chat`.

        Raises:
            LLMError: There is no answer; ``code`` says why.
        """
        ...

    def stream(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> AsyncIterator[StreamEvent]:
        """Yield the answer as it arrives; the last event is ``Completed``.

        Raises:
            LLMError: There is no answer, or it broke off; ``code`` says why.
        """
        ...
