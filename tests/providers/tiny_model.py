"""A real file of weights, small enough to be written by a test: a model of 60 KB that babbles.

What it says is noise; that it says something, in the form that was asked for, through the real runtime, is what the
tests need. The format is GGUF: a header, typed facts, a table of tensors, and their numbers.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from pathlib import Path

_WIDTH, _HEADS, _INNER, _LAYERS = 32, 2, 64, 1
_UINT32, _INT32, _FLOAT32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9
_ALIGNMENT = 32

_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def write_tiny_model(path: Path, *, context: int = 4096) -> Path:
    """Write the model to a file, the same bytes each time, and return the path; ``context`` is what it was made for."""
    facts, tensors = list(_facts(context)), list(_tensors())
    header = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(facts))
    table, numbers = b"", b""
    for name, shape, content in tensors:
        table += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(numbers))
        numbers += _padded(content)
    path.write_bytes(_padded(header + b"".join(facts) + table) + numbers)
    return path


def _facts(context: int) -> Iterator[bytes]:
    vocabulary = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    kinds = [2, 3, 3] + [6] * 256
    for key, value in {
        "general.architecture": "llama",
        "general.name": "tiny",
        "tokenizer.ggml.model": "llama",
        "tokenizer.chat_template": _TEMPLATE,
    }.items():
        yield _text(key) + struct.pack("<I", _STRING) + _text(value)
    for key, number in {
        "llama.context_length": context,
        "llama.embedding_length": _WIDTH,
        "llama.block_count": _LAYERS,
        "llama.feed_forward_length": _INNER,
        "llama.attention.head_count": _HEADS,
        "llama.rope.dimension_count": _WIDTH // _HEADS,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
    }.items():
        yield _text(key) + struct.pack("<II", _UINT32, number)
    yield _text("llama.attention.layer_norm_rms_epsilon") + struct.pack("<If", _FLOAT32, 1e-5)
    yield _text("tokenizer.ggml.add_space_prefix") + struct.pack("<I?", _BOOL, False)
    count = len(vocabulary)
    words = b"".join(map(_text, vocabulary))
    yield _text("tokenizer.ggml.tokens") + struct.pack("<IIQ", _ARRAY, _STRING, count) + words
    scores = struct.pack(f"<{count}f", *[0.0] * count)
    yield _text("tokenizer.ggml.scores") + struct.pack("<IIQ", _ARRAY, _FLOAT32, count) + scores
    yield _text("tokenizer.ggml.token_type") + struct.pack(f"<IIQ{count}i", _ARRAY, _INT32, count, *kinds)


def _tensors() -> Iterator[tuple[str, tuple[int, ...], bytes]]:
    chance = random.Random(1)  # noqa: S311  noise, the same one each time

    def noise(name: str, *shape: int) -> tuple[str, tuple[int, ...], bytes]:
        count = shape[0] * shape[1]
        return name, shape, struct.pack(f"<{count}f", *(chance.gauss(0, 0.3) for _ in range(count)))

    def ones(name: str) -> tuple[str, tuple[int, ...], bytes]:
        return name, (_WIDTH,), struct.pack(f"<{_WIDTH}f", *[1.0] * _WIDTH)

    yield noise("token_embd.weight", _WIDTH, 259)
    yield noise("output.weight", _WIDTH, 259)
    yield ones("output_norm.weight")
    for layer in range(_LAYERS):
        block = f"blk.{layer}."
        yield ones(block + "attn_norm.weight")
        yield ones(block + "ffn_norm.weight")
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            yield noise(f"{block}{part}.weight", _WIDTH, _WIDTH)
        yield noise(block + "ffn_gate.weight", _WIDTH, _INNER)
        yield noise(block + "ffn_up.weight", _WIDTH, _INNER)
        yield noise(block + "ffn_down.weight", _INNER, _WIDTH)


def _text(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % _ALIGNMENT)
