"""Cohere's chat, in its second version."""

from toolwright.providers.codecs.cohere.codec import CohereCodec

__all__ = ["CODEC", "CohereCodec"]

CODEC = CohereCodec
