"""A conversation at a terminal: questions are typed, answers are shown, until somebody has had enough.

A line that ends with a backslash goes on in the next one. Words with a slash before them are for the program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from toolwright.cli.answering import how_it_ended
from toolwright.cli.chatting import Talk
from toolwright.cli.exits import ExitCode, Stop
from toolwright.cli.invocation import Invocation

__all__ = ["converse"]

_HELP: Final = """\
/new     begin anew: the model forgets what was said
/help    show this
/quit    leave, as Ctrl-D does
A line that ends with \\ goes on in the next one. Ctrl-C stops an answer; at this prompt it leaves."""


def converse(invocation: Invocation, talk: Talk) -> None:
    """Talk until the person leaves.

    Raises:
        Stop: The person left by Ctrl-C.
    """
    with suppress(ImportError):
        import readline  # not everywhere; makes lines editable and remembers them while the program runs

        del readline
    console = invocation.console
    console.say(f"{talk.title}; /help shows what can be typed", "dim")
    while (line := _read(invocation)) is not None:
        word = line.strip()
        if not word:
            continue
        if word.startswith("/"):
            if word in ("/quit", "/exit", "/q"):
                return
            _COMMANDS.get(word, _unknown)(invocation, talk)
            continue
        code, text = how_it_ended(talk.ask(line))
        if code is not ExitCode.FINE:
            console.say(text, "yellow" if code is ExitCode.INTERRUPTED else "red")


def _read(invocation: Invocation) -> str | None:
    """Return what is typed; None where the person leaves.

    Raises:
        Stop: By Ctrl-C.
    """
    lines: list[str] = []
    prompt = "\n> "
    try:
        while True:
            line = input(prompt)
            if not line.endswith("\\"):
                return "\n".join([*lines, line])
            lines.append(line[:-1])
            prompt = "  "
    except EOFError:
        invocation.console.say("")
        return None
    except KeyboardInterrupt:
        invocation.console.say("")
        raise Stop(code=ExitCode.INTERRUPTED) from None


def _new(invocation: Invocation, talk: Talk) -> None:
    talk.forget()
    invocation.console.say("A new conversation.", "dim")


def _help(invocation: Invocation, talk: Talk) -> None:
    del talk
    invocation.console.say(_HELP)


def _unknown(invocation: Invocation, talk: Talk) -> None:
    del talk
    invocation.console.say("There is no such command; /help shows those there are.", "yellow")


_COMMANDS: Final[Mapping[str, Callable[[Invocation, Talk], None]]] = {"/new": _new, "/help": _help}
