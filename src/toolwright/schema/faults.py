"""What evaluation finds: facts about a value, not yet in words."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from toolwright.schema.editions import Node, Place

__all__ = ["MOST_FAULTS", "Fault", "NotPlainError", "Unanswerable"]

MOST_FAULTS: Final = 1_000
"""When this many faults are found at one place and below, the search there ends."""


class Fault(NamedTuple):
    """A keyword that a value does not satisfy.

    ``argument`` is what the sentence about it needs: mostly the keyword's own argument.
    """

    place: Place
    keyword: str
    argument: Any
    value: Any
    node: Node


class NotPlainError(Exception):
    """A value turned out not to be plain JSON: it must be made so first. A signal inside this room."""


class Unanswerable(Exception):  # noqa: N818  a signal inside this room, not an error
    """A question that cannot be answered within limits, such as an expression that backtracks too long."""

    def __init__(self, place: Place, problem: str) -> None:
        super().__init__(problem)
        self.place = place
        self.problem = problem
