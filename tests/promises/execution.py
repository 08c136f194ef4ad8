"""What execution.md promises of carrying calls out."""

from __future__ import annotations

from tests.promises import Promise

PAGE = "execution.md"

PROMISES: dict[str, Promise] = {
    # Several calls at once.
    "execution.many.side_by_side": Promise(
        PAGE, "Calls without side effects run side by side; results come in the order of the calls."
    ),
    "execution.many.order": Promise(
        PAGE, "One with side effects waits for all before it, and those after wait for it."
    ),
    "execution.many.resource": Promise(
        PAGE, "Where definitions name resources, only calls that share a resource wait for each other."
    ),
    "execution.many.isolated": Promise(
        PAGE, "One answer each, whatever happens to the others, BaseExceptions of libraries included."
    ),
    "execution.many.told": Promise(PAGE, "Each answer is there once, and is told as soon as it is there."),
    "execution.many.cancelled": Promise(
        "README.md", "What was done when several calls were cancelled is kept, and each has its one answer."
    ),
    "execution.cancel": Promise(PAGE, "executor.cancel ends calls, and their execute returns what is cancelled."),
}
