"""The process that holds the model: started when it is first asked for, ended with whoever asked.

Knows how to start and end it, not what is said to it. Blocking, and safe to be called from several threads.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import subprocess
import sys
import tempfile
import threading
import weakref
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Final, cast

import msgspec

from toolwright.errors import LLMError, MissingExtraError
from toolwright.providers.local import serving

__all__ = ["Address", "LocalServer", "Wanted", "check_runtime"]

_START: Final = 120.0  # seconds to load; a second on a quick machine
_END: Final = 5.0
_TAIL: Final = 2_000


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be served: a file of weights under a name, with so much room and so many threads."""

    path: Path
    name: str
    context: int
    threads: int
    most_tokens: int


class Address(msgspec.Struct, frozen=True):
    """Where the server listens, and the key without which it answers nobody."""

    url: str
    key: str

    def __repr__(self) -> str:
        return f"Address(url={self.url!r})"


def check_runtime() -> None:
    """Look whether the runtime is there, without loading it.

    Raises:
        MissingExtraError: It is not.
    """
    if find_spec("xllamacpp") is None:
        raise MissingExtraError("Running the local model", extra="local")


class LocalServer:
    """One process with one model. It is started by the first :meth:`address`, and again where it has died since."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._lock = threading.Lock()
        self._running: tuple[subprocess.Popen[str], Address] | None = None
        self._ender: weakref.finalize[[subprocess.Popen[str], IO[bytes]], LocalServer] | None = None

    @property
    def pid(self) -> int | None:
        """The number of the process, while there is one."""
        running = self._running
        return running[0].pid if running is not None and running[0].poll() is None else None

    def address(self) -> Address:
        """Return where the model is served, after starting it if need be.

        Raises:
            LLMError: It does not start (``connection_failed``); the text holds what the runtime said.
        """
        with self._lock:
            if self._running is None or self._running[0].poll() is not None:
                self._end()
                self._running = self._start()
            return self._running[1]

    def stop(self) -> None:
        """End the process, and what it is generating; :meth:`address` starts another."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._ender is not None:
            self._ender()
        self._ender = self._running = None

    def _start(self) -> tuple[subprocess.Popen[str], Address]:
        key = secrets.token_urlsafe(24)
        order = msgspec.structs.asdict(self._wanted) | {"path": str(self._wanted.path), "key": key}
        said = tempfile.TemporaryFile()  # noqa: SIM115  closed with the process
        process = subprocess.Popen(  # noqa: S603  our own program; -P: nothing in the working directory is part of it
            [sys.executable, "-P", serving.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C in the terminal stops an answer, not the model
        )
        # At the end of the program too; should it be killed, the pipe closes, and the process ends itself.
        self._ender = weakref.finalize(self, _finish, process, said)
        answer = _exchange(process, order)
        if "address" not in answer:
            problem = _problem(answer, process, said)
            self._end()
            raise LLMError("connection_failed", f"the local model does not start: {problem}")
        return process, Address(answer["address"], key)


def _exchange(process: subprocess.Popen[str], order: dict[str, Any]) -> dict[str, Any]:
    """Give the order and wait for the one line of the answer; empty where none comes in time."""
    orders, answers = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
    late = threading.Timer(_START, process.kill)
    late.start()
    try:
        orders.write(json.dumps(order) + "\n")
        orders.flush()
        line = answers.readline()
    except OSError:  # it died before it read
        line = ""
    finally:
        late.cancel()
    answer: dict[str, Any] = json.loads(line) if line.endswith("\n") else {}
    return answer


def _problem(answer: dict[str, Any], process: subprocess.Popen[str], said: IO[bytes]) -> str:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_END)
    said.seek(0)
    written = said.read().decode("utf-8", "replace").strip()[-_TAIL:]
    ended = answer.get("error") or f"its process ended with {process.returncode}"
    return f"{ended}\n{written}" if written else ended


def _finish(process: subprocess.Popen[str], said: IO[bytes]) -> None:
    """End the process: by closing its input, and by force where that is not enough."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    try:
        process.wait(_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    said.close()
