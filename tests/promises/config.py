"""What cli.md promises of configuration."""

from __future__ import annotations

from tests.promises import Promise

PAGE = "cli.md"

PROMISES: dict[str, Promise] = {
    "config.order": Promise(
        PAGE, "Defaults < the project's file < the user's file < environment < options: the later one wins."
    ),
    "config.upwards": Promise(PAGE, "The project's file is found upwards from the workspace."),
    "config.origins": Promise(PAGE, "Each value tells where it came from."),
    "config.unknown": Promise(PAGE, "An unknown key is an error naming the nearest one."),
    "config.tighten": Promise(
        PAGE, "A project's file can tighten but not loosen, unless the user has trusted that folder."
    ),
    "config.trust": Promise(PAGE, "Trust is the user's, about exactly one folder, and can be taken back."),
}
