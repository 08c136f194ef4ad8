"""The command line: ``toolwright``, short ``tw``.

================  ==================================================================================================
``front``         which commands there are, and the first page of help: known without loading any of them
``app``           the commands as a tree; a command's module is imported when it is run, and not before
``run``           from what a command raises to an exit code and one or two lines: one place
``console``       what is written where: data to stdout, messages to stderr, colours for a person only
``invocation``    what a command is given: a console, an environment, a folder
``compose``       from the settings to a registry, a policy, an executor, an agent: who gets what, in one place
``options``       what several commands take alike
one file each     the commands, by their groups
================  ==================================================================================================

This room stands above all others, and none may know it. It decides nothing that a library's user would have to decide
again: what may run is the policy's, what a setting means is the configuration's.

Only the files of commands, ``app``, ``run`` and ``options`` know click, which comes with an extra.
"""

from __future__ import annotations

import gc
import os
import sys

from toolwright.cli.front import ASKS_FOR_HELP, page

__all__ = ["main"]

_MISSING = "The command line needs {}, which comes with an extra: pip install 'toolwright[cli]'"


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code: what the scripts ``toolwright`` and ``tw`` call."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started the program: what is written there is for nobody
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115  open to the end
    given = sys.argv[1:] if arguments is None else arguments
    if tuple(given) in ASKS_FOR_HELP and not any(name.endswith("_COMPLETE") for name in os.environ):
        # Without click, whose import costs three times as much as the rest.
        try:
            sys.stdout.write(page())
            sys.stdout.flush()
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else closing at exit would complain once more
            if not isinstance(error, BrokenPipeError):
                sys.stderr.write(f"toolwright: {error.strerror}\n")
                return 1
        return 0
    if arguments is None:
        # What is loaded stays: looking through it for garbage over and over costs a twentieth of a short command.
        gc.set_threshold(100_000, 50, 50)
    try:
        import click
    except ImportError as error:
        sys.stderr.write(f"toolwright: {_MISSING.format(error.name)}\n")
        return 4
    del click
    from toolwright.cli.run import run

    return run(given)
