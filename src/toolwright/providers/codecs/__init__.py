"""Wire formats: how each API writes down messages, tools and answers.

Pure: bytes and values, no I/O, no clock. A codec is one file and does not know the others; what they share is in files
of its own: ``framing`` (where a piece of a stream ends), ``answer`` (an answer that is arriving), ``arguments`` and
``names`` (calls), ``faults`` (errors in all their spellings), ``settings`` (the options of a request).

A new format is a file here with a class of the shape :class:`~toolwright.providers.types.Codec`, a row in ``CODECS``,
and bytes for its tests.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolwright.providers.types import Codec

__all__ = ["CODECS", "codec"]

CODECS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "openai-chat": "openai_chat:OpenAIChatCodec",
        "openai-responses": "openai_responses:OpenAIResponsesCodec",
        "anthropic": "anthropic:AnthropicCodec",
        "gemini": "gemini:GeminiCodec",
        "ollama": "ollama:OllamaCodec",
    }
)
"""The names of the codecs, and where each is: a module of this folder and a class in it."""


@cache
def codec(name: str) -> Codec:
    """Return the codec of that name; it is loaded when it is first asked for.

    Raises:
        ValueError: There is none; the text names those there are.
    """
    if name not in CODECS:
        raise ValueError(f"there is no codec {name!r}; there are {', '.join(CODECS)}")
    module, _, kind = CODECS[name].partition(":")
    made: Codec = getattr(import_module(f"{__name__}.{module}"), kind)()
    return made
