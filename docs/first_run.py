"""The first run: a model is found or fetched, and asked about this folder; ``make run`` starts it.

With ``--record FILE`` the same is done at a terminal of its own, and what was on its screen is written into the page,
between the two comments that are there for it.
"""  # noqa: INP001  a program, and no package

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLWRIGHT = [sys.executable, "-c", "import sys; from toolwright.cli import main; sys.exit(main())"]
QUESTION = "What is in the examples folder?"

COLUMNS = "96"
ERASED = re.compile(r"[^\n]*\r\x1b\[K")  # what stood in the last line before it was written anew
STYLES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PLACE = re.compile(r"(?<=<!-- first run: written by `make recording` -->\n).*(?=<!-- end of first run -->)", re.DOTALL)

NO_MODEL = """
There is no model to ask yet, and the small one could not be fetched. What helps, whichever is easiest:
  - make run once more when the network is there: it goes on where it was
  - a key:      OPENAI_API_KEY=... make run     (or ANTHROPIC_API_KEY, GEMINI_API_KEY)
  - a server:   start Ollama, and make run finds it
  - a file:     TOOLWRIGHT_LOCAL_MODEL=/path/to/model.gguf make run
What needs no model works already: .venv/bin/toolwright tools list
"""
FAREWELL = """
That was one question. To talk, in any folder:

  .venv/bin/toolwright chat            it asks before anything that could do harm; Ctrl-D leaves
  .venv/bin/toolwright doctor          what works on this machine, and what to do about the rest
  .venv/bin/toolwright --help          everything else
"""


def say(text: str) -> None:
    """Write a message, in its place among those of the programs that are run."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def toolwright(*arguments: str) -> int:
    """Run a command where everybody can see it, and return its exit code."""
    return subprocess.run([*TOOLWRIGHT, *arguments], cwd=ROOT, check=False).returncode  # noqa: S603  our own program


def has_model() -> bool:
    """Say whether there is a model to ask: a key, a server on this machine, weights."""
    found = subprocess.run(  # noqa: S603  our own program
        [*TOOLWRIGHT, "doctor", "--json"], cwd=ROOT, check=False, capture_output=True, text=True
    )
    findings = json.loads(found.stdout)["findings"]
    return any(each["topic"] == "Model" and each["name"].endswith("(used)") for each in findings)


def run() -> int:
    """Find or fetch a model, ask it something, and say how to go on."""
    if not has_model():
        say("No key, no server and no weights were found: a small model is fetched once (half a gigabyte, Apache-2.0).")
        if toolwright("model", "pull") or not has_model():
            say(NO_MODEL)
            return 4
    say(f'$ toolwright chat "{QUESTION}"')
    code = toolwright("chat", QUESTION)
    say(FAREWELL if code == 0 else "\n'.venv/bin/toolwright doctor' shows what works here, and what to do about it.")
    return code


def record(page: Path) -> int:
    """Do the same at a terminal, and write what was left on the screen into a page; a run that failed is not shown."""
    chunks: list[bytes] = []

    def read(terminal: int) -> bytes:
        chunk = os.read(terminal, 65_536)
        chunks.append(chunk)
        return chunk

    os.environ |= {"COLUMNS": COLUMNS, "TERM": "xterm"}
    code = os.waitstatus_to_exitcode(pty.spawn([sys.executable, __file__], read))
    if code == 0:
        text = page.read_text(encoding="utf-8")
        shown = f"\n```text\n{on_screen(b''.join(chunks))}\n```\n\n"
        page.write_text(PLACE.sub(lambda _: shown, text), encoding="utf-8")
    return code


def on_screen(written: bytes) -> str:
    """Return the lines that were left of what was written to a terminal, without colours and whose home it was."""
    text = written.decode("utf-8", "replace").replace("\r\n", "\n").replace(str(Path.home()), "~")
    lines = [line.rstrip() for line in STYLES.sub("", ERASED.sub("", text)).split("\n")]
    return "\n".join(lines).strip()


if __name__ == "__main__":
    sys.exit(record(Path(sys.argv[2])) if sys.argv[1:2] == ["--record"] else run())
