"""Which commands there are, and the first page of help.

Everything here is a table and text: it is shown before anything is loaded, and ``app`` makes the tree of commands from
the same rows. A command that is not listed is not there.
"""

from __future__ import annotations

__all__ = ["ASKS_FOR_HELP", "ELSEWHERE", "GROUPS", "page"]

ASKS_FOR_HELP = (("--help",), ("-h",))
"""The arguments that are answered with the first page."""

GROUPS = {
    "Work with a model": {
        "chat": ("chat:chat", "Ask a model that may use tools; without a prompt, talk with it"),
        "runs": ("runs:runs", "What was asked and answered: list, show, resume, export"),
    },
    "Tools and what they may do": {
        "tools": ("tools:tools", "The tools there are: list, show, search, check, add, remove, call, export"),
        "policy": ("policy:policy", "Why a call would run, be asked about, or not run: explain"),
    },
    "This machine": {
        "model": ("model:model", "The local model: list, pull, verify, remove"),
        "config": ("config:config", "The settings: show, path, trust"),
        "doctor": ("doctor:doctor", "What works here, and what to do about the rest"),
        "completion": ("completion:completion", "A script that completes commands in bash, zsh or fish"),
    },
}
"""The commands by what they are for: where each is (a module of this room, and a name in it), and a line of help."""

ELSEWHERE = {
    "approvals": "Questions are asked at the terminal where the call is waiting; there is no inbox in this version.",
    "db": "There is no database in this version: runs are files, see 'toolwright config path'.",
    "serve": "There is no server in this version. The library is one: see Agent.stream and Executor.events.",
    "mcp": "There is no MCP server in this version; 'toolwright tools export --format mcp' prints the tools for one.",
    "worker": "There are no workers in this version: a run is resumed by 'toolwright runs resume'.",
}
"""Commands that people look for and this version does not have: what there is instead."""

_HEAD = """\
Usage: toolwright [OPTIONS] COMMAND [ARGUMENTS]...

  The tool layer for LLM agents: every call valid, permitted, bounded, isolated,
  recorded and answered.
"""

_TAIL = """\
Options:
  --debug     Show tracebacks and logs.
  --version   Show the version.
  -h, --help  Show this page; after a command, that command's.

Every command that prints data takes --json. Exit codes: 0 fine, 1 failed,
2 wrong use, 3 denied, 4 nothing configured, 130 interrupted.
"""


def page() -> str:
    """Return the first page of help."""
    width = max(len(name) for rows in GROUPS.values() for name in rows)
    parts = [_HEAD]
    for title, rows in GROUPS.items():
        lines = [f"  {name:<{width}}  {line}" for name, (_, line) in rows.items()]
        parts.append("\n".join([f"{title}:", *lines, ""]))
    return "\n".join([*parts, _TAIL])
