"""Ollama's ``/api/chat``."""

from toolwright.providers.codecs.ollama.codec import OllamaCodec

__all__ = ["CODEC", "OllamaCodec"]

CODEC = OllamaCodec
