"""A script of answers: what may stand in one, and each given once, in order.

This module may not know who asks, nor how an answer is sent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TypeAlias, cast

import msgspec

from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.providers.types import ChatResponse

__all__ = ["Script", "ScriptedAnswer", "Spoken", "cut", "spoken"]

ScriptedAnswer: TypeAlias = object
"""A text, a call, a list of calls and texts (an exception at its end breaks the answer off there), a
:class:`ChatResponse`, an exception, a function that gives one of these (sync or async), or None for no answer ever."""


class Spoken(msgspec.Struct, frozen=True):
    """An answer as it is said: what there is of it, and the error with which it breaks off."""

    response: ChatResponse
    error: BaseException | None = None


class Script:
    """Answers in their order; ``unexpected`` counts the questions for which there was none.

    Raises:
        TypeError: Something in it is no answer.
    """

    def __init__(self, answers: Iterable[ScriptedAnswer] = ()) -> None:
        self._left: deque[ScriptedAnswer] = deque()
        self.unexpected = 0
        self.extend(answers)

    def extend(self, answers: Iterable[ScriptedAnswer]) -> None:
        """Add answers to the end.

        Raises:
            TypeError: One is no answer; a text alone is one answer, and belongs into a list.
        """
        if isinstance(answers, str):
            raise TypeError("a script is a list of answers: put the text into one")
        given = list(answers)
        for answer in given:
            _check(answer)
        self._left += given

    def next(self, number: int) -> ScriptedAnswer:
        """Return the next answer, for the request of that number.

        Raises:
            AssertionError: There is none.
        """
        if not self._left:
            self.unexpected += 1
            raise AssertionError(f"the script has run out: nobody expected request {number}")
        return self._left.popleft()

    def assert_done(self) -> None:
        """Check that every answer was asked for, and that nobody asked for more.

        Raises:
            AssertionError: Some are left, or some were missing.
        """
        if self.unexpected:
            raise AssertionError(f"the script has run out: {self.unexpected} more answers were asked for")
        if self._left:
            raise AssertionError(f"{len(self._left)} answers of the script were not asked for")

    def __len__(self) -> int:
        return len(self._left)


def spoken(answer: ScriptedAnswer) -> Spoken:
    """Return what an answer says: anything that may stand in a script, but a function and None.

    Raises:
        TypeError: It is no answer.
    """
    _check(answer)
    if isinstance(answer, ChatResponse):
        return Spoken(answer)
    parts = list(cast("Iterable[object]", answer)) if type(answer) in (list, tuple) else [answer]
    error = parts.pop() if parts and isinstance(parts[-1], BaseException) else None
    return Spoken(_response(parts), error if isinstance(error, BaseException) else None)


def cut(text: str, size: int) -> Iterator[str]:
    """Yield a text in pieces of so many characters."""
    return (text[start : start + size] for start in range(0, len(text), size))


def _check(answer: ScriptedAnswer) -> None:
    """Refuse what is no answer before anybody asks for it."""
    parts = list(cast("Iterable[object]", answer)) if type(answer) in (list, tuple) else [answer]
    said = parts[:-1] if parts and isinstance(parts[-1], BaseException) else parts
    if all(map(_is_part, said)) or answer is None or isinstance(answer, ChatResponse) or callable(answer):
        return
    kind = type(answer).__name__
    raise TypeError(
        f"a {kind} is no answer of a model: give a text, a ToolCall, a list of these, a ChatResponse, "
        "an exception, or a function of the messages"
    )


def _is_part(value: object) -> bool:
    return isinstance(value, (str, ToolCall, InvalidToolCall))


def _response(parts: list[object]) -> ChatResponse:
    texts = [part for part in parts if isinstance(part, str)]
    calls = [part for part in parts if isinstance(part, ToolCall)]
    invalid = [part for part in parts if isinstance(part, InvalidToolCall)]
    return ChatResponse(
        text="".join(texts) if texts else None,
        tool_calls=tuple(calls),
        invalid_tool_calls=tuple(invalid),
        finish_reason="tool_calls" if calls or invalid else "stop",
        model="scripted",
    )
