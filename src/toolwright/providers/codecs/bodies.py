"""Answers that come whole: JSON mostly, and a stream from servers that stream although nobody asked them to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolwright.errors import LLMError
from toolwright.providers.codecs.documents import read_document
from toolwright.providers.types import ChatResponse, StreamDecoder

__all__ = ["read_body"]

_EVENT_STREAM: Final = (b"data:", b"event:", b":", b"id:", b"retry:")


def read_body(body: bytes, decoder: StreamDecoder, read: Callable[[Any], None]) -> ChatResponse:
    """Return the answer that a body is; ``read`` has the decoder take it where it is JSON.

    Raises:
        LLMError: It is neither JSON nor a stream (``bad_response``).
    """
    if body.lstrip().startswith(_EVENT_STREAM):
        decoder.feed(body)
        return decoder.close()
    try:
        value = read_document(body)
    except ValueError:
        raise LLMError("bad_response", "the provider's answer is not JSON") from None
    read(value)
    return decoder.close()
