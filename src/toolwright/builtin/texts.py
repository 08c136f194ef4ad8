"""Bytes as text: which encoding a file is in, and whether it is text at all.

Bytes in, text out: this module knows no file.
"""

from __future__ import annotations

import codecs
from typing import Final, NamedTuple

__all__ = ["LOOK", "Encoding", "encoding_of", "is_whole", "shown"]

LOOK: Final = 8_192
"""How many bytes of a file tell text from anything else."""


class Encoding(NamedTuple):
    """How a text is written: its name, the codec of what stands after the mark, and the mark at its beginning."""

    name: str
    codec: str
    mark: bytes = b""

    def decode(self, content: bytes) -> str:
        """Return the text of a whole file.

        Raises:
            UnicodeDecodeError: It is not written that way throughout.
        """
        return content[len(self.mark) :].decode(self.codec)

    def encode(self, text: str) -> bytes:
        """Return the bytes of a whole file.

        Raises:
            UnicodeEncodeError: The encoding has no such character.
        """
        return self.mark + text.encode(self.codec)


# Longest first: the mark of UTF-16 is the beginning of that of UTF-32.
_MARKED: Final = (
    Encoding("utf-32", "utf-32-le", codecs.BOM_UTF32_LE),
    Encoding("utf-32", "utf-32-be", codecs.BOM_UTF32_BE),
    Encoding("utf-8-sig", "utf-8", codecs.BOM_UTF8),
    Encoding("utf-16", "utf-16-le", codecs.BOM_UTF16_LE),
    Encoding("utf-16", "utf-16-be", codecs.BOM_UTF16_BE),
)
_UTF8: Final = Encoding("utf-8", "utf-8")
_LATIN1: Final = Encoding("latin-1", "latin-1")


def encoding_of(beginning: bytes) -> Encoding | None:
    """Return the encoding that the beginning of a file is in, or None where it is not text."""
    for encoding in _MARKED:
        if beginning.startswith(encoding.mark):
            return encoding
    if b"\0" in beginning:
        return None
    try:
        # The look may have cut a character: only what is wrong before its end counts.
        codecs.getincrementaldecoder("utf-8")().decode(beginning, final=len(beginning) < LOOK)
    except UnicodeDecodeError:
        return _LATIN1
    return _UTF8


def is_whole(text: str) -> bool:
    """Say whether a text can be written: JSON can hold halves of characters, and nothing else can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(name: str) -> str:
    """Return a file's name as it can be written in JSON: bytes that are no characters are marked."""
    return name if is_whole(name) else name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
