"""What a tool may be called, and how the names of others become legal.

Names are legal everywhere by construction: every provider takes what :func:`is_legal_name` takes. So nothing further
out has to rename a tool for one provider and back again.

This module may not know what a definition or a registry is: text goes in and text comes out.
"""

from __future__ import annotations

import re
from collections.abc import Container
from hashlib import sha256
from typing import Final

__all__ = [
    "NAME_LENGTH",
    "RESERVED_NAMES",
    "is_legal_name",
    "legal_name",
    "letters_of",
    "normalize_name",
    "title_of",
]

NAME_LENGTH: Final = 64
"""How long a name may be: the least that any provider allows."""

RESERVED_NAMES: Final = frozenset({"execute", "run", "call", "invoke"})
"""Words that no tool is called, because they name what is done with every tool."""

_LEGAL: Final = re.compile(r"[a-z][a-z0-9_]*")
_HUMPS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_]")

_NAMELESS: Final = "tool"  # stands in where nothing legal is left of a name
_HASH_LENGTH: Final = 8  # 32 bits: tells the long names of one server apart, and still leaves room for the name


def is_legal_name(name: str) -> bool:
    """Say whether a tool may have this name."""
    return len(name) <= NAME_LENGTH and _LEGAL.fullmatch(name) is not None and name not in RESERVED_NAMES


def normalize_name(text: str) -> str:
    """Return the spelling under which a name is looked up: ``readFile``, ``Read-File`` and ``read.file`` are one.

    camelCase is split, letters become lower case, and every character but ASCII letters and digits becomes ``_``. A
    legal name is left as it is; the result for another text need not be legal (:func:`legal_name` is for that).
    """
    # Foreign characters go first: some, such as the Kelvin sign, have an ASCII letter as their lower case.
    return _HUMPS.sub("_", _FOREIGN.sub("_", text)).lower()


def legal_name(text: str, taken: Container[str] = ()) -> str:
    """Return a legal name for a foreign one, other than all that are ``taken``.

    The same text and the same ``taken`` give the same name. A letter goes before a leading digit, a number after a
    clash or a reserved word, and a short hash of the whole text ends a name that was too long; the hash also stands
    for a text of which nothing is left.
    """
    name = normalize_name(text).lstrip("_")
    if not name.strip("_"):
        name = f"{_NAMELESS}_{_digest(text)}" if text else _NAMELESS
    elif name[0].isdigit():
        name = f"t{name}"
    if len(name) > NAME_LENGTH:
        name = f"{name[: NAME_LENGTH - _HASH_LENGTH - 1]}_{_digest(text)}"
    return _untaken(name, taken)


def letters_of(name: str) -> str:
    """Return a name without its underscores: what all spellings of it have in common."""
    return name.replace("_", "")


def title_of(name: str) -> str:
    """Return a name as people read it: ``Read File`` for ``read_file``."""
    return " ".join(word.capitalize() for word in name.split("_") if word)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]


def _untaken(name: str, taken: Container[str]) -> str:
    candidate, number = name, 1
    while candidate in taken or candidate in RESERVED_NAMES:
        number += 1
        suffix = f"_{number}"
        candidate = name[: NAME_LENGTH - len(suffix)] + suffix
    return candidate
