"""Providers: any model, the same meaning.

Two halves. The codecs know wire formats and do no I/O: bytes go in, values come out, and the other way round. The rest
of the room fetches and sends those bytes.

=================  ============================================================================
``types``          answers, events, options, and the shapes of a provider, a codec and a decoder
``codecs``         one file for each wire format, and what they share                       (pure)
``text_calls``     calls that models write into their texts                                 (pure)
``prompted``       tools told in words, and answers that are held to a form                 (pure)
``base``           what every provider of ours has beside its questions and answers
``asking``         one question: what is sent, and what reads the answer                    (pure)
``endpoints``      where each API takes questions, and how it is shown the key              (pure)
``services``       where models are, by the word before the colon of their names            (pure)
``models``         lists of models, and which is meant where nobody named one               (pure)
``quoting``        errors without what they repeat of the question                          (pure)
``transport``      bytes to a server and back
``watching``       what is told of each question: a log, a span, metrics
``http_provider``  a model behind HTTP, whatever its format
``sync_provider``  the same calls for code without an event loop
``local``          the embedded model
``choose``         which model is asked
=================  ============================================================================

Files, sockets and processes are opened when a model is asked something, and not before.
"""

from toolwright.providers.choose import Candidate, candidates, provider
from toolwright.providers.codecs import CODECS, codec
from toolwright.providers.text_calls import text_calls
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
    "Candidate",
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
    "candidates",
    "codec",
    "provider",
    "text_calls",
]
