"""A model behind a real server on loopback: it speaks OpenAI's chat format, and answers as it was told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.cli.making import PATIENCE

NAME = "tiny"


def calls(*wanted: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the deltas of an answer that makes these calls, the arguments of each in two pieces."""
    deltas: list[dict[str, Any]] = []
    for index, (name, arguments) in enumerate(wanted):
        text = json.dumps(arguments)
        half = len(text) // 2
        first = {"index": index, "id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": ""}}
        deltas.append({"tool_calls": [first]})
        pieces = (text[:half], text[half:])
        deltas += ({"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in pieces)
    return deltas


def says(*pieces: str) -> list[dict[str, Any]]:
    """Return the deltas of an answer that is a text, in these pieces."""
    return [{"content": piece} for piece in pieces]


class Model:
    """What the model will answer, and what it was asked.

    A piece that is ``None`` waits until the test lets it go on.
    """

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.requests: list[dict[str, Any]] = []
        self.go_on = threading.Event()
        self.url = ""

    @property
    def name(self) -> str:
        """What ``--model`` takes."""
        return f"vllm:{NAME}@{self.url}"

    @property
    def told(self) -> list[dict[str, Any]]:
        """The messages of the last request."""
        return list(self.requests[-1]["messages"])

    def will(self, *answers: Any) -> None:
        """Answer so: each is a list of deltas, or a status and a body."""
        self.answers += answers


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: Model

    def do_GET(self) -> None:
        self._send(200, json.dumps({"object": "list", "data": [{"id": NAME, "object": "model"}]}).encode())

    def do_POST(self) -> None:
        model = self.model
        model.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        answer = model.answers.pop(0) if model.answers else says("I have nothing more to say.")
        if isinstance(answer, tuple):
            self._send(answer[0], json.dumps(answer[1]).encode())
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            for delta in answer:
                if delta is None:
                    model.go_on.wait(PATIENCE)
                    continue
                self._event({"choices": [{"index": 0, "delta": delta}]})
            ending = "tool_calls" if any("tool_calls" in (each or {}) for each in answer) else "stop"
            usage = {"prompt_tokens": 1200, "completion_tokens": 34}
            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": ending}], "usage": usage})
            self._chunk(b"data: [DONE]\n\n")
            self._chunk(b"")
        except OSError:
            self.close_connection = True  # whoever asked has gone

    def _event(self, fields: dict[str, Any]) -> None:
        body = {"id": "x", "object": "chat.completion.chunk", "model": NAME, **fields}
        self._chunk(b"data: %s\n\n" % json.dumps(body).encode())

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.wfile.flush()

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[Model]:
    """Serve a model while the block runs."""
    model = Model()
    handler = type("Handler", (_Handler,), {"model": model})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield model
    finally:
        model.go_on.set()
        server.shutdown()
        thread.join(PATIENCE)
        server.server_close()
