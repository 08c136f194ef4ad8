"""Tools for a model that has no calls of its own: told in words, and called by an answer that is held to a form.

Every answer is one JSON object that names what comes next: ``{"next": {"tool": ..., "arguments": {...}}}``. To say
something is a tool among the others, ``reply``, with the text as its argument: a small model that has to choose between
things of one kind chooses better than one that may also just talk. The history is written in the same form, so that it
sees how it is done.

Pure: it asks no model and knows no wire format. ``forms`` has the form of an answer, ``words`` what is said of the
tools, ``history`` what was said before, and ``answers`` reads an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, final

from toolwright.messages import ChatMessage, MessageRole
from toolwright.providers.prompted.answers import PromptedReading
from toolwright.providers.prompted.forms import answer_form
from toolwright.providers.prompted.history import history_in_words
from toolwright.providers.prompted.words import tools_in_words
from toolwright.schema import Schema

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["Prompted", "PromptedReading", "prompted"]

_REPLIES: Final = ("reply", "reply_to_user", "say_to_user")
_WORDS: Final = ("auto", "required", "none")


def prompted(tools: Sequence[ToolDefinition], tool_choice: str | None = None) -> Prompted:
    """Return how these tools are told to a model that has no calls of its own; worked out once for the same tools.

    Raises:
        ValueError: ``tool_choice`` names a tool that is not among them.
    """
    return _prompted(tuple(tools), tool_choice or "auto")


@lru_cache(maxsize=64)
def _prompted(tools: tuple[ToolDefinition, ...], tool_choice: str) -> Prompted:
    return Prompted(tools, tool_choice)


@final
class Prompted:
    """Tools in words: what is said of them, the form of an answer, and how it is read."""

    def __init__(self, tools: Sequence[ToolDefinition], tool_choice: str = "auto") -> None:
        named = [tool for tool in tools if tool.name == tool_choice]
        if tool_choice not in _WORDS and not named:
            raise ValueError(f"tool_choice names {tool_choice!r}, which is not among the tools")
        taken = {tool.name for tool in tools}
        self._reply = next((name for name in _REPLIES if name not in taken), _REPLIES[0] + "_")
        self._may_reply = tool_choice in ("auto", "none")
        self._tools = () if tool_choice == "none" else tuple(named or tools)
        reply = self._reply if self._may_reply else ""
        self._instructions = tools_in_words(self._tools, reply)
        self.response_schema = Schema(answer_form(self._tools, reply))

    def messages(self, history: Iterable[ChatMessage]) -> tuple[ChatMessage, ...]:
        """Return a history in which tools, calls and results are told in words."""
        rest = list(history)
        system = rest.pop(0).content if rest and rest[0].role is MessageRole.SYSTEM else None
        said = f"{system}\n\n{self._instructions}" if system else self._instructions
        return ChatMessage.system(said), *history_in_words(rest, self._reply, may_reply=self._may_reply)

    def reading(self) -> PromptedReading:
        """Return what reads one answer."""
        return PromptedReading(self._tools, self._reply)
