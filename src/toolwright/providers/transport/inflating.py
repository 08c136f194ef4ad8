"""Bodies that come compressed, a bounded piece at a time: a few bytes never become more than was asked for at once.

Pure. Only gzip and deflate are asked for, so only these are read.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final, Protocol, final

__all__ = ["ENCODINGS", "Inflater", "NotInflated", "inflater"]

ENCODINGS: Final = "gzip, deflate"
"""What a request says it can take."""

_PIECE: Final = 64 * 1024
_EITHER: Final = zlib.MAX_WBITS | 32  # gzip or zlib, as its first bytes say
_RAW: Final = -zlib.MAX_WBITS
_HEADER: Final = 2  # bytes by which they are told apart
_GZIP: Final = b"\x1f\x8b"


class NotInflated(ValueError):  # noqa: N818  a signal inside this room: the exchange makes an LLMError of it
    """A body is not compressed as it claims to be, or it is not whole."""


class Inflater(Protocol):
    """Makes of a body what it was before it was compressed."""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what the next bytes stand for, in pieces of a bounded size.

        Raises:
            NotInflated: They stand for nothing.
        """
        ...

    def close(self) -> None:
        """Say that no bytes follow.

        Raises:
            NotInflated: There should be more.
        """
        ...


def inflater(encoding: str) -> Inflater:
    """Return what reads bodies of that ``Content-Encoding``.

    Raises:
        NotInflated: It is not one that was asked for.
    """
    word = encoding.strip().lower()
    if word in ("", "identity"):
        return _Plain()
    if word in ("gzip", "x-gzip", "deflate"):
        return _Deflated()
    raise NotInflated("it is compressed in a way that was not asked for")


@final
class _Plain:
    def feed(self, chunk: bytes) -> Iterator[bytes]:
        if chunk:
            yield chunk

    def close(self) -> None:
        """Nothing can be missing."""


@final
class _Deflated:
    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_EITHER)
        self._head: bytes | None = b""  # until it is known what it is

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        if self._head is not None:
            chunk = self._head + chunk
            self._head = chunk if len(chunk) < _HEADER else None
            if self._head is not None:
                return
            self._stream = _stream_for(chunk)
        yield from self._inflate(chunk)

    def _inflate(self, chunk: bytes) -> Iterator[bytes]:
        full = False  # a full piece may have more behind it, even when all bytes were taken
        while chunk or full:
            if self._stream.eof:
                if not chunk.strip(b"\0"):  # padding after the end
                    return
                self._stream = zlib.decompressobj(_EITHER)  # gzip may have several members
            try:
                piece = self._stream.decompress(chunk, _PIECE)
            except zlib.error:
                piece = None
            if piece is None:
                raise NotInflated("it is not compressed as it says")
            full = len(piece) == _PIECE
            chunk = self._stream.unconsumed_tail or self._stream.unused_data
            if piece:
                yield piece

    def close(self) -> None:
        if self._head or (self._head is None and not self._stream.eof):
            raise NotInflated("it ends before its end")


def _stream_for(start: bytes) -> zlib._Decompress:  # pyright: ignore[reportPrivateUsage]  has no other name
    """Return what reads a body that starts like this: some servers send deflate without its header."""
    is_zlib = start[0] & 15 == zlib.DEFLATED and int.from_bytes(start[:2]) % 31 == 0
    return zlib.decompressobj(_EITHER if is_zlib or start.startswith(_GZIP) else _RAW)
