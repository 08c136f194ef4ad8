"""What a parser tells: events as they come, and in the end the text and the calls.

Blanks that stand between calls, or between a call and an end of the text, belong to the calls and are left out. All
other text stays as it is, to the last blank.
"""

from __future__ import annotations

from typing import final

from toolwright.messages import InvalidToolCall, ToolCall, ToolCallDelta
from toolwright.providers.types import ReasoningDelta, StreamEvent, TextDelta
from toolwright.values import encode

__all__ = ["Told"]


@final
class Told:
    """Collects what was found."""

    __slots__ = ("_blanks", "_events", "_had_markup", "_is_blank", "_pieces", "calls", "reasoning", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.reasoning: list[str] = []
        self.calls: list[ToolCall | InvalidToolCall] = []
        self._events: list[StreamEvent] = []
        self._pieces: list[str] = []  # of the text that is told next
        self._blanks: list[str] = []  # all that stands behind the last markup, so far
        self._is_blank = True
        self._had_markup = False

    def add_text(self, text: str) -> None:
        """Tell a piece of the text."""
        if self._is_blank and (not text or text.isspace()):
            self._blanks.append(text)
            return
        if self._is_blank:
            self._pieces += self._blanks
            self._blanks.clear()
            self._is_blank = False
        self._pieces.append(text)

    def leave_out(self) -> None:
        """Take note that markup stood here."""
        self._had_markup = self._is_blank = True
        self._blanks.clear()

    def add_reasoning(self, text: str) -> None:
        """Tell a piece of the reasoning."""
        if text:
            self._tell_text()
            self.reasoning.append(text)
            self._events.append(ReasoningDelta(text))

    def add_call(self, call: ToolCall | InvalidToolCall) -> None:
        """Tell a call, whole."""
        self._tell_text()
        arguments = call.arguments_text if isinstance(call, InvalidToolCall) else encode(call.arguments).decode()
        self._events.append(ToolCallDelta(len(self.calls), call.id, call.name, arguments))
        self.calls.append(call)

    def end(self) -> None:
        """Tell what was held back."""
        if not self._had_markup:
            self._pieces += self._blanks
        self._blanks.clear()

    def take_events(self) -> list[StreamEvent]:
        """Return the events since the last time."""
        self._tell_text()
        events, self._events = self._events, []
        return events

    def _tell_text(self) -> None:
        text = "".join(self._pieces)
        self._pieces.clear()
        if text:
            self.texts.append(text)
            self._events.append(TextDelta(text))
