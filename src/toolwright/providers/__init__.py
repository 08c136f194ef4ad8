"""Providers: any model, the same meaning.

Two halves. The codecs know wire formats and do no I/O: bytes go in, values come out, and the other way round. The rest
of the room fetches and sends those bytes.

==========  ===================================================================================
``types``   answers, events, options, and the shapes of a provider, a codec and a decoder
``codecs``  one file for each wire format, and what they share
==========  ===================================================================================
"""

from toolwright.providers.codecs import CODECS, codec
from toolwright.providers.types import (
    ChatOptions,
    ChatProvider,
    ChatResponse,
    Codec,
    Completed,
    Failure,
    ReasoningDelta,
    StreamDecoder,
    StreamEvent,
    TextDelta,
    Usage,
)

__all__ = [
    "CODECS",
    "ChatOptions",
    "ChatProvider",
    "ChatResponse",
    "Codec",
    "Completed",
    "Failure",
    "ReasoningDelta",
    "StreamDecoder",
    "StreamEvent",
    "TextDelta",
    "Usage",
    "codec",
]
