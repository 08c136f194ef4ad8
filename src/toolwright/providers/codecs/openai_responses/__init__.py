"""The responses format of OpenAI."""

from toolwright.providers.codecs.openai_responses.codec import OpenAIResponsesCodec

__all__ = ["CODEC", "OpenAIResponsesCodec"]

CODEC = OpenAIResponsesCodec
