"""As much of HTTP as a server for tests needs: one request read, one answer written, whole or in chunks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

import msgspec

from toolwright.redact import MASK, is_secret_key

__all__ = ["ServerRequest", "read_request", "write_chunks", "write_whole"]

_MOST_BYTES: Final = 64 * 1024 * 1024
_KEYS: Final = frozenset(["authorization", "x-api-key", "x-goog-api-key"])


class ServerRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a server was asked: ``body`` is its JSON, empty where there is none.

    Names of headers are in lower case; keys are there, and not in its ``repr``.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = {}
    body: Mapping[str, Any] = {}

    def __repr__(self) -> str:
        hidden = {name: MASK if name in _KEYS or is_secret_key(name) else text for name, text in self.headers.items()}
        return f"ServerRequest({self.method} {self.path}, headers={hidden}, body={sorted(self.body)})"


async def read_request(reader: asyncio.StreamReader) -> ServerRequest:
    """Read the next request of a connection.

    Raises:
        asyncio.IncompleteReadError: There is none.
        ValueError: It is not HTTP, its body is no JSON object, or it is too large.
    """
    text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    start, *lines = text[:-4].split("\r\n")
    method, target, _ = start.split(" ")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await _read_body(reader, headers)
    path, _, query = target.partition("?")
    read: Any = msgspec.json.decode(body) if body else {}
    if not isinstance(read, dict):
        raise ValueError("the body is no object")  # noqa: TRY004  a server answers it like any other wrong body
    asked = cast("dict[str, Any]", read)
    return ServerRequest(method=method, path=path, query=query, headers=headers, body=asked)


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        size = int(headers.get("content-length", "0"))
        if not 0 <= size <= _MOST_BYTES:
            raise ValueError("the body is too large")
        return await reader.readexactly(size)
    body = bytearray()
    while size := int(await reader.readline(), 16):
        if size + len(body) > _MOST_BYTES:
            raise ValueError("the body is too large")
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return bytes(body)


async def write_whole(writer: asyncio.StreamWriter, status: int, body: bytes, kind: str = "application/json") -> None:
    """Answer with a body that is there."""
    writer.write(_head(status, kind, f"content-length: {len(body)}") + body)
    await writer.drain()


async def write_chunks(writer: asyncio.StreamWriter, kind: str, pieces: Iterable[bytes], *, end: bool) -> None:
    """Answer with a body in pieces, each as soon as the last one is taken; without its ``end`` it is broken off."""
    writer.write(_head(200, kind, "transfer-encoding: chunked"))
    for piece in pieces:
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        await writer.drain()
    if end:
        writer.write(b"0\r\n\r\n")
        await writer.drain()


def _head(status: int, kind: str, *lines: str) -> bytes:
    start = f"HTTP/1.1 {status} {'OK' if status == 200 else 'Error'}"
    return "\r\n".join([start, f"content-type: {kind}", *lines, "", ""]).encode()
