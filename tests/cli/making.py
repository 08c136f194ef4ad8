"""A user with a home of his own, a workspace, and the program: in this process, in another one, and at a terminal."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from codecs import getincrementaldecoder
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import pytest

from toolwright.cli import main
from toolwright.config import Places

PROGRAM = [sys.executable, "-c", "import sys; from toolwright.cli import main; sys.exit(main())"]
# The terminal that it was given becomes its own: only then is Ctrl-C in it sent to the program.
AT_TERMINAL = [
    *PROGRAM[:-1],
    f"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); {PROGRAM[-1]}",
]
PATIENCE = 60.0  # seconds that a program is given; it needs a fraction of one

DEFINITION = """\
name = "greet"
description = "Greet somebody."
category = "custom"
[parameters]
type = "object"
required = ["who"]
[parameters.properties.who]
type = "string"
description = "Whom to greet"
[handler]
kind = "command"
command = ["echo", "hello", "{who}"]
"""

COUNT = """
import asyncio, pathlib, toolwright as tw
@tw.tool(risk="safe", side_effects=False)
async def count(*, context: tw.ToolContext) -> str:
    "Count."
    context.report("counting", items=3, total=4)
    while not pathlib.Path("go").exists():
        await asyncio.sleep(0.02)
    return "counted"
"""


class Said(NamedTuple):
    """How a program ended: its exit code, its data, its messages."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The data, as one JSON value."""
        return json.loads(self.out)


class Home:
    """A user's folders and a workspace, and the program run in them."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.workspace = root / "work"
        self.workspace.mkdir()
        self._capsys = capsys
        for name in [name for name in os.environ if name.startswith("TOOLWRIGHT_") or name.endswith("_API_KEY")]:
            monkeypatch.delenv(name)
        for name in ("CONFIG", "DATA", "CACHE"):
            monkeypatch.setenv(f"XDG_{name}_HOME", str(root / name.lower()))
        monkeypatch.setenv("HOME", str(root))
        monkeypatch.setenv("COLUMNS", "100")
        monkeypatch.chdir(self.workspace)
        self.places = Places.of_user()

    def run(self, *arguments: str) -> Said:
        """Run the program in this process: nobody is at a terminal, and nothing is piped in."""
        self._capsys.readouterr()
        before = sys.stdin
        with open(os.devnull, encoding="utf-8") as nothing:  # noqa: PTH123  the stream that a daemon is given
            sys.stdin = nothing
            try:
                code = main(list(arguments))
            finally:
                sys.stdin = before
        captured = self._capsys.readouterr()
        return Said(code, captured.out, captured.err)

    def spawn(self, *arguments: str, given: str | bytes | None = None, env: Mapping[str, str] | None = None) -> Said:
        """Run the program in a process of its own, in pipes."""
        found = subprocess.run(
            [*PROGRAM, *arguments],
            input=given.encode() if isinstance(given, str) else given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            env={**os.environ, **(env or {})},
        )
        return Said(found.returncode, found.stdout.decode(), found.stderr.decode())

    def writes(self, name: str, text: str) -> Path:
        """Write a file of the workspace."""
        file = self.workspace / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def waits_for(self, name: str) -> None:
        """Wait until a file is in the workspace."""
        end = time.monotonic() + PATIENCE
        while not (self.workspace / name).exists():
            assert time.monotonic() < end, f"{name} never came"

    def installs(self, code: str, tool: str) -> dict[str, str]:
        """Install a package with a tool, and return the environment in which it is found."""
        self.writes("site/some_tools.py", f"from __future__ import annotations\n{code}")
        self.writes("site/some-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: some\nVersion: 1.0\n")
        self.writes("site/some-1.0.dist-info/entry_points.txt", f"[toolwright.tools]\nsome = some_tools:{tool}\n")
        return {"PYTHONPATH": str(self.workspace / "site")}

    def user_writes(self, text: str) -> Path:
        """Write the user's file."""
        self.places.config.mkdir(parents=True, exist_ok=True)
        self.places.user_file.write_text(text, encoding="utf-8")
        return self.places.user_file


class Person:
    """Somebody at a terminal: reads what the program writes, and types."""

    def __init__(self, *arguments: str, env: Mapping[str, str] | None = None) -> None:
        self._terminal, other = pty.openpty()
        environment = {**os.environ, "TERM": "xterm-256color", **(env or {})}
        self.process = subprocess.Popen(
            [*AT_TERMINAL, *arguments],
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            env=environment,
        )
        os.close(other)
        self.seen = ""
        self.all = ""
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        os.close(self._terminal)

    def reads(self, text: str) -> str:
        """Wait until a text has been written, and return everything before it that was not returned yet."""
        while text not in self.seen:
            if not self._more():
                raise AssertionError(f"the program ended without {text!r}; it wrote:\n{self.seen}")
        before, _, self.seen = self.seen.partition(text)
        return before

    def types(self, text: str) -> None:
        """Type a line."""
        os.write(self._terminal, f"{text}\n".encode())

    def presses(self, key: str) -> None:
        r"""Press a key: Ctrl-C is ``\x03``, and the terminal makes a signal of it."""
        os.write(self._terminal, key.encode())

    def leaves(self) -> int:
        """Read to the end, and return the exit code."""
        while self._more():
            pass
        return self.process.wait(PATIENCE)

    def _more(self) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], PATIENCE)
        if not ready:
            raise AssertionError(f"nothing was written for {PATIENCE:g} s; before that:\n{self.seen}")
        try:
            chunk = os.read(self._terminal, 65_536)
        except OSError:  # the other end is closed
            return False
        text = self._decoder.decode(chunk).replace("\r\n", "\n")
        self.seen += text
        self.all += text
        return bool(chunk)
