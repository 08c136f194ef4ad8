"""An answer that is arriving, and the response that it makes in the end.

A codec puts in what it reads, piece by piece or all at once; how an answer ends, and what a cut means for its calls, is
decided here, once for all formats.
"""

from __future__ import annotations

from typing import Any, Final

from toolwright.providers.codecs.calls import Calls
from toolwright.providers.types import ChatResponse, Failure, FinishReason, ReasoningDelta, TextDelta, Usage

__all__ = ["Answer", "count"]

_WHOLE: Final = ("stop", "tool_calls")


def count(value: Any) -> int | None:
    """Return a number of tokens; ``None`` for whatever is none."""
    if value.__class__ is int or (value.__class__ is float and value.is_integer()):
        return int(value) if value >= 0 else None
    return None


class Answer:
    """What has come of an answer so far.

    ``finish`` is ``None`` until the provider says that the answer has ended; ``kept`` is what it wants to see again.
    """

    __slots__ = ("_codec", "calls", "failure", "finish", "kept", "model", "reasoning", "refusals", "texts", "usage")

    def __init__(self, codec: str) -> None:
        self._codec = codec
        self.texts: list[str] = []
        self.reasoning: list[str] = []
        self.refusals: list[str] = []
        self.calls = Calls(codec)
        self.finish: FinishReason | None = None
        self.usage = Usage()
        self.model: str | None = None
        self.failure: Failure | None = None
        self.kept: dict[str, Any] = {}

    def add_text(self, piece: str) -> TextDelta:
        """Take a piece of the text."""
        self.texts.append(piece)
        return TextDelta(piece)

    def add_reasoning(self, piece: str) -> ReasoningDelta:
        """Take a piece of the reasoning."""
        self.reasoning.append(piece)
        return ReasoningDelta(piece)

    def set_model(self, model: Any) -> None:
        """Take the model's name; the first that is said counts."""
        if self.model is None and model.__class__ is str and model:
            self.model = model

    def respond(self) -> ChatResponse:
        """Return the response. Without a ``finish`` the answer broke off, and is an error with what arrived."""
        finish = "error" if self.failure is not None else self.finish or "error"
        valid, invalid = self.calls.finish(cut=finish not in _WHOLE)
        if finish in _WHOLE:  # servers say "stop" although there are calls, and the other way round
            finish = "tool_calls" if valid or invalid else "stop"
        return ChatResponse(
            text="".join(self.texts) or None,
            tool_calls=valid,
            invalid_tool_calls=invalid,
            finish_reason=finish,
            usage=self.usage,
            model=self.model,
            reasoning="".join(self.reasoning) or None,
            refusal="".join(self.refusals) or None,
            provider_data={self._codec: self.kept} if self.kept else None,
            failure=self.failure,
        )
