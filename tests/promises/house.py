"""What is promised about the project as a whole."""

from __future__ import annotations

from tests.promises import Promise

PROMISES: dict[str, Promise] = {
    "house.docstrings": Promise("README.md", "Every public name has a docstring."),
    "house.examples": Promise("README.md", "The examples of the pages run as tests."),
    "house.names": Promise("tour.md", "`import toolwright as tw` gives all names used."),
    "house.light": Promise("README.md", "Importing toolwright loads no room and no third-party module."),
    "house.validator-on-first-use": Promise("performance.md", "The schema validator is imported on first use."),
    "house.few-distributions": Promise("performance.md", "A core install has at most six distributions."),
    "house.pure-core": Promise("messages.md", "Nothing that opens a file or a socket is imported by the pure rooms."),
}
