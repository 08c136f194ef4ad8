"""Wire formats: how each API writes down messages, tools and answers.

Pure: bytes and values, no I/O, no clock. A folder here is a format, and does not know the others; a file is what they
share: ``framing`` (where a piece of a stream ends), ``bodies`` (answers that come whole), ``answer`` (one that is
arriving), ``calls`` and ``names``, ``faults`` (errors in all their spellings), ``settings`` (the options of a request),
``histories`` (what was written before is not written again).

A new format is a folder with a class of the shape :class:`~toolwright.providers.types.Codec`, which its ``__init__``
calls ``CODEC``. It is found by the folder's name, and nothing else has to know of it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolwright.providers.types import Codec

__all__ = ["CODECS", "codec"]

CODECS: Final[Mapping[str, str]] = MappingProxyType(
    {
        folder.name.replace("_", "-"): f"{__name__}.{folder.name}"
        for folder in sorted(iter_modules(__path__), key=lambda found: found.name)
        if folder.ispkg
    }
)
"""The names of the codecs, and the module of each."""


@cache
def codec(name: str) -> Codec:
    """Return the codec of that name; it is loaded when it is first asked for.

    Raises:
        ValueError: There is none; the text names those there are.
    """
    if name not in CODECS:
        raise ValueError(f"there is no codec {name!r}; there are {', '.join(CODECS)}")
    made: Codec = import_module(CODECS[name]).CODEC()
    return made
