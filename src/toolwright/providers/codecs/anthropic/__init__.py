"""Anthropic's Messages API."""

from toolwright.providers.codecs.anthropic.codec import AnthropicCodec

__all__ = ["CODEC", "AnthropicCodec"]

CODEC = AnthropicCodec
