"""What an interface of a provider is to the server: how its requests are told, checked and answered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from toolwright.errors import LLMError
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.providers.types import ChatResponse
from toolwright.testing.servers.http import ServerRequest
from toolwright.values import encode

__all__ = ["Interface", "Turn", "arguments_text", "calls_of", "event", "line", "status_of"]

_STATUSES: Final[Mapping[str, int]] = {
    "authentication_failed": 401,
    "rate_limited": 429,
    "context_length_exceeded": 400,
    "model_not_found": 404,
    "content_filtered": 400,
    "timeout": 504,
    "cancelled": 499,
}


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One answer to be given: its place in the script, the model that was asked, and the size of pieces."""

    number: int
    model: str
    answer: ChatResponse
    request: ServerRequest
    size: int

    @property
    def asked_tokens(self) -> int:
        """As many as the answer says; else one for every four characters of the request, as a rule of thumb."""
        said = self.answer.usage.input_tokens
        return max(1, len(encode(self.request.body)) // 4) if said is None else said

    @property
    def answered_tokens(self) -> int:
        """Likewise of the answer."""
        said = self.answer.usage.output_tokens
        texts = [self.answer.text or "", *map(arguments_text, calls_of(self.answer))]
        return max(1, sum(map(len, texts)) // 4) if said is None else said


class Interface(ABC):
    """One provider's interface, pure: requests and answers come in, bytes go out. Most are alike in the first few."""

    kind = "text/event-stream"
    """The content type of a stream."""

    def lists(self, request: ServerRequest) -> bool:
        """Say whether a request asks which models there are; where several have one list, only one says so."""
        del request
        return False

    def streams(self, request: ServerRequest) -> bool:
        """Say whether the answer is wanted as it arises."""
        return request.body.get("stream") is True

    def model(self, request: ServerRequest) -> str:
        """Return the model that is asked."""
        return str(request.body.get("model", ""))

    def key(self, request: ServerRequest) -> str:
        """Return the key that is shown, empty where there is none."""
        return request.headers.get("authorization", "").removeprefix("Bearer ")

    @abstractmethod
    def takes(self, request: ServerRequest) -> bool:
        """Say whether a request asks for an answer of a model here."""

    @abstractmethod
    def faults(self, request: ServerRequest) -> Iterable[str]:
        """Return what the real one would refuse."""

    @abstractmethod
    def whole(self, turn: Turn) -> dict[str, Any]:
        """Return the answer in one piece."""

    @abstractmethod
    def stream(self, turn: Turn, error: LLMError | None) -> Iterator[bytes]:
        """Yield the answer in pieces; where there is an error, it comes instead of the end."""

    @abstractmethod
    def error(self, error: LLMError, status: int) -> dict[str, Any]:
        """Return the body that says what went wrong."""

    @abstractmethod
    def models(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the list of models."""


def status_of(error: LLMError) -> int:
    """Return the status of an answer with an error."""
    return error.status or _STATUSES.get(error.code, 500)


def calls_of(answer: ChatResponse) -> tuple[ToolCall | InvalidToolCall, ...]:
    """Return all calls of an answer, those that cannot be run last."""
    return (*answer.tool_calls, *answer.invalid_tool_calls)


def arguments_text(call: ToolCall | InvalidToolCall) -> str:
    """Return the arguments as the model wrote them."""
    return encode(call.arguments).decode() if isinstance(call, ToolCall) else call.arguments_text


def event(content: Mapping[str, Any], name: str = "") -> bytes:
    """Return a server-sent event."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + encode(content) + b"\n\n"


def line(content: Mapping[str, Any]) -> bytes:
    """Return a line of JSON."""
    return encode(content) + b"\n"
