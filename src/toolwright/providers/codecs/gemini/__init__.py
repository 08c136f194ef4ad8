"""Gemini's ``generateContent``."""

from toolwright.providers.codecs.gemini.codec import GeminiCodec

__all__ = ["CODEC", "GeminiCodec"]

CODEC = GeminiCodec
