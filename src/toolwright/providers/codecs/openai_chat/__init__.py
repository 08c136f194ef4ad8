"""The chat completions format."""

from toolwright.providers.codecs.openai_chat.codec import OpenAIChatCodec

__all__ = ["CODEC", "OpenAIChatCodec"]

CODEC = OpenAIChatCodec
