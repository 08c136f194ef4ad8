"""Which of the calls that were found are calls: those of offered tools, with arguments typed by their schemas.

Nothing is guessed. What names no offered tool was never a call; what names one and cannot be read is an invalid call,
which says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, final

from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.providers.codecs.calls import parse_call
from toolwright.providers.codecs.ids import UnusedIds
from toolwright.providers.codecs.names import legal_call_name
from toolwright.providers.text_calls.readers import CUT, Found, Untyped
from toolwright.values import encode

if TYPE_CHECKING:
    from toolwright.schema import Schema
    from toolwright.tools.definition import ToolDefinition

__all__ = ["Offered"]

_NOT_OFFERED: Final = "There is no tool of this name here."
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}  # as templates written for Python put them
_NULL: Final = "null"
_ID: Final = "text_call"  # of a call that has none; others are numbered


@final
class Offered:
    """The tools of one question; ``None`` stands for any."""

    def __init__(self, tools: Iterable[ToolDefinition] | None) -> None:
        self._tools = None if tools is None else {tool.name: tool for tool in tools}

    def accept(self, found: Sequence[Found], ids: UnusedIds, *, fitting: bool) -> list[ToolCall | InvalidToolCall]:
        """Return the calls that a block holds; none if it is text after all.

        Where one of them is a call of an offered tool all are calls, if only invalid ones. ``fitting`` wants all to
        be valid ones whose arguments fit: the block might be an answer in that form.
        """
        if not any(map(self._is_call, found)):
            return []
        if fitting and not all(map(self._fits, found)):
            return []
        return [self._read(call, ids.take(call.id or _ID)) for call in found]

    def _name(self, call: Found) -> str:
        return legal_call_name(call.name)

    def _is_call(self, call: Found) -> bool:
        if not call.name:
            return call.problem is CUT and self._tools != {}  # before its name had come
        return self._tools is None or self._name(call) in self._tools

    def _fits(self, found: Found) -> bool:
        call = self._read(found, _ID)
        if isinstance(call, InvalidToolCall):
            return False
        return self._tools is None or self._tools[call.name].parameters.repair(call.arguments)[1].valid

    def _read(self, call: Found, id: str) -> ToolCall | InvalidToolCall:
        name = self._name(call)
        given = call.arguments
        text = given if isinstance(given, str) else encode(self._typed(name, given)).decode()
        problem = call.problem if self._is_call(call) else call.problem or _NOT_OFFERED
        if problem:
            return InvalidToolCall(id, name, text, problem)
        return parse_call(id, name, text, codec="")

    def _typed(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        tool = self._tools.get(name) if self._tools else None
        schemas: Mapping[str, Schema] = tool.parameters.properties if tool else {}
        return {
            key: _typed(value.text, schemas.get(key)) if isinstance(value, Untyped) else value
            for key, value in arguments.items()
        }


def _typed(text: str, schema: Schema | None) -> Any:
    """Return what a bare text stands for; the text itself where its schema wants one, or there is none."""
    if schema is None:
        return text
    word = _WORDS.get(text.strip(), text.strip())
    if word == _NULL and schema.validate(None).valid:
        return None
    if schema.validate(text).valid:
        return text
    value, _ = schema.repair(word)
    return text if isinstance(value, str) and not schema.validate(value).valid else value
