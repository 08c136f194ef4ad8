"""Whoever is asked about a call: what is asked, what may be answered, and two who always say the same.

A reviewer is anything with ``async review(request) -> Decision``, or an async function that does the same. Whether
what it says counts is not decided here: a late answer, an exception, anything but a :class:`Decision` is a denial.

This module does no I/O, and may not know what a policy is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from inspect import iscoroutinefunction
from typing import Any, Literal, Protocol, Self, TypeAlias, TypeVar, runtime_checkable

import msgspec
from msgspec.structs import force_setattr

from toolwright.errors import MessageDecodeError, NotJsonError
from toolwright.execution.remembered import Remember
from toolwright.levels import RiskLevel
from toolwright.messages import ToolCall
from toolwright.values import JsonObject, Value, decode, freeze_object

__all__ = [
    "Decision",
    "Review",
    "ReviewRequest",
    "Reviewer",
    "approve_all",
    "deny_all",
    "patience_of",
    "read_json",
    "review_of",
]

T = TypeVar("T")


class ReviewRequest(Value, frozen=True, kw_only=True, gc=True):
    """What a person is asked: may this call run?

    ``arguments`` are those it would run with; ``call`` is what the model sent. ``risk`` is the effective one, with its
    colour, and ``reason`` is why a person is asked. ``diff`` shows what would be written. ``definition`` is the digest
    of the tool's definition. Where ``memorable`` is false, remembering the answer would change nothing: the tool wants
    each call confirmed.
    """

    execution_id: str
    tool_name: str
    call: ToolCall
    summary: str
    arguments: JsonObject
    risk: RiskLevel
    reason: str
    warnings: tuple[str, ...] = ()
    diff: str | None = None
    expires_at: datetime | None = None
    session: str | None = None
    workspace: str | None = None
    definition: str = ""
    memorable: bool = True

    def __post_init__(self) -> None:
        force_setattr(self, "arguments", freeze_object(self.arguments))

    @classmethod
    def from_json(cls, text: bytes | str) -> Self:
        """Read what ``to_json`` wrote.

        Raises:
            MessageDecodeError: It is not the JSON of a request.
        """
        return read_json(text, cls)

    def __repr__(self) -> str:
        return f"ReviewRequest(tool_name={self.tool_name!r}, risk={self.risk}, execution_id={self.execution_id!r})"


class Decision(Value, frozen=True, kw_only=True, gc=True):
    """What a reviewer says; made by :meth:`approve`, :meth:`deny` and :meth:`change`.

    ``remember`` is a :class:`~toolwright.execution.remembered.Remember` or one of its words. ``by`` is who decided, if
    not the reviewer itself.

    Raises:
        ValueError: Only a change has arguments, and it has some.
        NotJsonError: The arguments are not a JSON object.
        PolicyError: ``remember`` is none of the words for it.
    """

    answer: Literal["approve", "deny", "change"]
    reason: str | None = None
    arguments: JsonObject | None = None
    remember: Remember | None = None
    by: str | None = None

    def __post_init__(self) -> None:
        if self.answer not in ("approve", "deny", "change"):
            raise ValueError("the answer is approve, deny or change")
        if (self.answer == "change") != (self.arguments is not None):
            raise ValueError("a change has arguments, and nothing else has")
        if self.arguments is not None:
            force_setattr(self, "arguments", freeze_object(self.arguments))
        force_setattr(self, "remember", Remember.of(self.remember))

    @classmethod
    def approve(cls, *, remember: Remember | str | None = None, by: str | None = None) -> Self:
        """The call may run as it is."""
        return cls(answer="approve", remember=Remember.of(remember), by=by)

    @classmethod
    def deny(cls, reason: str | None = None, *, remember: Remember | str | None = None, by: str | None = None) -> Self:
        """The call may not run; the model reads the reason."""
        return cls(answer="deny", reason=reason or None, remember=Remember.of(remember), by=by)

    @classmethod
    def change(
        cls, arguments: Mapping[str, Any], *, remember: Remember | str | None = None, by: str | None = None
    ) -> Self:
        """The call may run with these arguments instead, if they are valid and the policy lets it."""
        return cls(answer="change", arguments=arguments, remember=Remember.of(remember), by=by)

    @classmethod
    def from_json(cls, text: bytes | str) -> Self:
        """Read what ``to_json`` wrote.

        Raises:
            MessageDecodeError: It is not the JSON of a decision.
        """
        return read_json(text, cls)

    def __repr__(self) -> str:
        return f"Decision(answer={self.answer!r}, by={self.by!r})"


def read_json(text: bytes | str, kind: type[T]) -> T:
    """Return a value of this kind from its JSON.

    Raises:
        MessageDecodeError: It is not the JSON of such a value; nothing of it is quoted.
    """
    try:
        return decode(text, msgspec.json.Decoder(kind).decode)
    except (msgspec.DecodeError, NotJsonError, RecursionError):
        pass
    raise MessageDecodeError(f"the JSON is not that of a {kind.__name__}", code="wrong_shape")


@runtime_checkable
class Reviewer(Protocol):
    """Whoever decides about calls that the policy wants a person asked about.

    One that has an ``expires_after``, in seconds, is given that time instead of the executor's ``review_timeout``.
    """

    async def review(self, request: ReviewRequest, /) -> Decision:
        """Return what is decided; awaited with a deadline, and cancelled when that has passed.

        Raises:
            TimeoutError: Nobody decided in time: the approval has expired. Any other exception is a denial.
        """
        ...


Review: TypeAlias = Callable[[ReviewRequest], Awaitable[object]]
"""A reviewer as it is called. What it gives may be anything, and only a :class:`Decision` counts."""


async def approve_all(request: ReviewRequest) -> Decision:
    """Approve whatever is asked: for programs that are trusted with all that their tools can do."""
    del request
    return Decision.approve(by="approve_all")


async def deny_all(request: ReviewRequest) -> Decision:
    """Deny whatever is asked, and say how it could be allowed."""
    return Decision.deny(
        f"nobody is there to ask; a rule of the policy can allow calls of {request.tool_name}", by="deny_all"
    )


def patience_of(reviewer: Reviewer | Review, otherwise: float) -> float:
    """Return how many seconds a reviewer is given: its own ``expires_after``, if it has one."""
    own: object = getattr(reviewer, "expires_after", None)
    return float(own) if isinstance(own, (int, float)) and not isinstance(own, bool) and own > 0 else otherwise


def review_of(reviewer: Reviewer | Review) -> Review:
    """Return how to ask a reviewer, whichever of the two forms it has.

    Raises:
        TypeError: It is neither a reviewer nor an async function.
    """
    given: Any = reviewer  # whoever has no type checker gives anything
    if not isinstance(given, type):
        review: Any = getattr(given, "review", None)
        if callable(review):
            return review  # type: ignore[no-any-return]
        if iscoroutinefunction(given) or iscoroutinefunction(getattr(given, "__call__", None)):  # noqa: B004
            return given  # type: ignore[no-any-return]
    raise TypeError("a reviewer has an async method review(request), or is an async function of the request")
