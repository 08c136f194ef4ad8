"""A real HTTP server on loopback that has one file, and every bad habit that a download can meet."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

UNSAID: Final = -1
"""An announced length that is none: the answer ends with its connection."""


class FileServer(ThreadingHTTPServer):
    """Serves ``content``; what it does wrong is set before it is asked.

    ``cut`` is after how many bytes a connection is dropped, for as many requests as ``cuts`` says; ``ranges`` is
    whether it honours them; ``announced`` is the length it claims. ``asked`` are the ranges of the requests, in order.
    """

    daemon_threads = True

    def __init__(self, content: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.content = content
        self.status = 200
        self.ranges = True
        self.shift = 0
        self.cut: int | None = None
        self.cuts = 0
        self.announced: int | None = None
        self.asked: list[str | None] = []
        self.gate = threading.Event()
        self.gate.set()

    @property
    def address(self) -> str:
        """Where the file is."""
        return f"http://127.0.0.1:{self.server_port}/model.gguf"


class _Handler(BaseHTTPRequestHandler):
    server: FileServer

    def do_GET(self) -> None:
        server = self.server
        asked = self.headers["Range"]
        server.asked.append(asked)
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and server.ranges else 0
        body = server.content[start:]
        if server.cuts > 0 and server.cut is not None:
            server.cuts -= 1
            cut: int | None = server.cut
        else:
            cut = None
        self.send_response(206 if start and server.status == 200 else server.status)
        if start:
            first = start + server.shift
            total = len(server.content) if server.announced is None else server.announced
            self.send_header("Content-Range", f"bytes {first}-{len(server.content) - 1}/{total}")
        if server.announced != UNSAID:
            self.send_header("Content-Length", str(len(body) if server.announced is None else server.announced))
        self.end_headers()
        assert server.gate.wait(30)
        self.wfile.write(body if cut is None else body[:cut])
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def served(content: bytes) -> Iterator[FileServer]:
    """Serve a file for the length of a test."""
    server = FileServer(content)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.gate.set()
        server.shutdown()
        thread.join(10)
        server.server_close()
