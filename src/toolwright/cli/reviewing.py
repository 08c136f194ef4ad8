"""Who is asked about a call: the person at the terminal, and nobody in a pipe.

What nobody can be asked about does not run; the answer says how to allow it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolwright.cli.invocation import Invocation
    from toolwright.cli.showing import Screen
    from toolwright.execution import Decision, Reviewer, ReviewRequest

__all__ = ["Nobody", "reviewer_of"]


class Nobody:
    """Denies, because there is no person; and says which option allows such a call."""

    async def review(self, request: ReviewRequest, /) -> Decision:
        """Deny a call."""
        from toolwright.execution import Decision

        how = (
            f"--yes {request.risk} or --allow {request.tool_name} allows it"
            if request.memorable
            else "it has to be confirmed"
        )
        return Decision.deny(f"nobody is at a terminal to be asked; {how}", by="toolwright")


class _WithScreen:
    """Has the screen to itself while a question stands there."""

    def __init__(self, reviewer: Reviewer, screen: Screen) -> None:
        self._reviewer = reviewer
        self._screen = screen

    async def review(self, request: ReviewRequest, /) -> Decision:
        """Ask the person."""
        with self._screen.paused():
            return await self._reviewer.review(request)


def reviewer_of(invocation: Invocation, *, as_json: bool = False, screen: Screen | None = None) -> Reviewer:
    """Return who is asked: a person, if there is one who reads and can answer."""
    from toolwright.execution import ConsoleReviewer

    if as_json or not invocation.console.is_person:
        return Nobody()
    reviewer = ConsoleReviewer(environment=invocation.environment)
    return reviewer if screen is None else _WithScreen(reviewer, screen)
