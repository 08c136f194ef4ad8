"""A reviewer that answers from a script, and remembers what it was asked."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from inspect import isawaitable
from typing import TypeAlias

from toolwright.execution.reviewers import Decision, ReviewRequest

__all__ = ["Answer", "FakeReviewer"]

Answer: TypeAlias = object
"""A :class:`Decision`, an exception, a function of the request, None for no answer ever, or anything wrong."""


class FakeReviewer:
    """Gives each answer once, in order: ``FakeReviewer(Decision.approve(), Decision.deny("no"))``.

    An exception is raised, a function is called with the request (sync or async), None waits until it is cancelled, and
    anything else is returned as it is. ``requests`` grows with each question; ``cancelled`` counts those that nobody
    waited for to the end. More questions than answers are an ``AssertionError``.
    """

    def __init__(self, *answers: Answer) -> None:
        self.requests: list[ReviewRequest] = []
        self.cancelled = 0
        self._answers = deque(answers)
        self._usual: Callable[[], Answer] | None = None

    @classmethod
    def always(cls, answer: Answer) -> FakeReviewer:
        """Return a reviewer that gives the same answer to every question."""
        reviewer = cls()
        reviewer._usual = lambda: answer
        return reviewer

    async def review(self, request: ReviewRequest, /) -> Decision:
        """Give the next answer."""
        self.requests.append(request)
        if self._usual is None and not self._answers:
            raise AssertionError(f"the script has run out: nobody expected question {len(self.requests)}")
        answer = self._answers.popleft() if self._usual is None else self._usual()
        try:
            return await _given(answer, request)  # type: ignore[return-value]  # whatever a test wants
        except asyncio.CancelledError:
            self.cancelled += 1
            raise

    def assert_done(self) -> None:
        """Check that every answer was given.

        Raises:
            AssertionError: Some are left.
        """
        if self._answers:
            raise AssertionError(f"{len(self._answers)} answers were not asked for")


async def _given(answer: Answer, request: ReviewRequest) -> object:
    if answer is None:
        await asyncio.get_running_loop().create_future()
    if isinstance(answer, BaseException):
        raise answer
    if callable(answer) and not isinstance(answer, type):
        said: object = answer(request)
        return await said if isawaitable(said) else said
    return answer
