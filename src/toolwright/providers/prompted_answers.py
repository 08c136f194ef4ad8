"""Reads answers that are one JSON object, either a text or a call.

The text is told as it comes out of the object, a call when it is whole. A server that does not hold the model to the
form may send something else: what can be read in only one way is, and everything else is text as it stands there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, final

import msgspec
from msgspec.structs import replace

from toolwright.messages import InvalidToolCall, ToolCall, ToolCallDelta
from toolwright.providers.codecs.ids import UnusedIds
from toolwright.providers.text_calls.heads import BLANKS, BODY, Head, Run, first_match
from toolwright.providers.text_calls.offered import Offered
from toolwright.providers.text_calls.readers import CUT, Found
from toolwright.providers.types import ChatResponse, StreamEvent, TextDelta
from toolwright.values import decode, encode

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["ANSWER", "ARGUMENTS", "TEXT", "TOOL", "PromptedReading"]

ANSWER: Final = "answer"
TEXT: Final = "text"
TOOL: Final = "tool"
ARGUMENTS: Final = "arguments"

_COLON: Final = (BLANKS, ":", BLANKS)
_FENCE: Final = ("```", Run("a-z", 0, 8), BLANKS)
_WRAPPER: Final = ("{", BLANKS, f'"{ANSWER}"', *_COLON)
_TEXT: Final = ("{", BLANKS, f'"{TEXT}"', *_COLON, '"')
_TEXT_HEADS: Final = (
    Head(BLANKS, *_WRAPPER, *_TEXT),
    Head(BLANKS, *_TEXT),
    Head(BLANKS, *_FENCE, *_WRAPPER, *_TEXT),
    Head(BLANKS, *_FENCE, *_TEXT),
)
_OBJECT_HEADS: Final = (Head(BLANKS, BODY, "{"), Head(BLANKS, *_FENCE, BODY, "{"))

# What can be decoded of a text that is still coming: all but half an escape, and half a surrogate pair.
_WHOLE: Final = re.compile(
    r'(?:[^"\\]++|\\[^u]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}'
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?=[^\\]|\\[^u]|\\u(?![dD][c-fC-F])[0-9a-fA-F]{4})))*+"
)
_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_FENCED: Final = re.compile(r"\s*```[a-z]{0,8}\s*(.*?)\s*```\s*", re.DOTALL)
_NAMED: Final = re.compile(rf'"{TOOL}"\s*+:\s*+"(\w{{1,64}})"')
_WITH: Final = re.compile(rf'"{ARGUMENTS}"\s*+:\s*+')


@final
class PromptedReading:
    """Reads one answer."""

    def __init__(self, tools: Iterable[ToolDefinition]) -> None:
        self._offered = Offered(tools)
        self._seen = 0  # characters of what the model wrote
        self._held = ""
        self._pieces: list[str] = []  # of an object that is read when it is whole
        self._told: list[str] = []
        self._read: Callable[[str], str] = self._begin

    def feed(self, event: StreamEvent) -> list[StreamEvent]:
        """Take an event and return what is to be told instead."""
        if not isinstance(event, TextDelta):
            return [event]
        self._seen += len(event.text)
        return self._tell(self._read(event.text))

    def finish(self, response: ChatResponse) -> tuple[list[StreamEvent], ChatResponse]:
        """Take the whole answer; return the last events, and the answer as it is meant."""
        events = self._tell(self._read((response.text or "")[self._seen :]))
        whole = "".join(self._pieces) + self._held
        if self._read not in (self._begin, self._wait):
            return events, _changed(response, "".join(self._told), ())
        calls, text = self._understand(whole, response)
        events += [_delta(index, call) for index, call in enumerate(calls)] + self._tell(text)
        return events, _changed(response, "".join(self._told), calls)

    def _tell(self, text: str) -> list[StreamEvent]:
        if not text:
            return []
        self._told.append(text)
        return [TextDelta(text)]

    # What kind of answer it is

    def _begin(self, text: str) -> str:
        self._held += text
        found = first_match(_TEXT_HEADS, self._held, 0, last=False)
        if found == "wait":
            return ""
        whole, self._held = self._held, ""
        if found is not None:
            self._read = self._text
            return self._text(whole[found[1].end :])
        if first_match(_OBJECT_HEADS, whole, 0, last=True) is not None:
            self._read = self._wait
            return self._wait(whole)
        self._read = self._as_it_is
        return whole

    def _wait(self, text: str) -> str:
        self._pieces.append(text)
        return ""

    def _as_it_is(self, text: str) -> str:
        return text

    def _text(self, text: str) -> str:
        """Decode what there is of the text."""
        held = self._held + text
        match = _WHOLE.match(held)
        place = match.end() if match else 0
        self._held = held[place:]
        if self._held.startswith('"'):
            self._held, self._read = "", self._over
        raw = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", held[:place])
        try:
            said: str = decode(f'"{raw}"')
        except msgspec.DecodeError:
            return raw  # an escape that there is not
        return said

    def _over(self, _: str) -> str:
        return ""

    # An object that is whole

    def _understand(self, whole: str, response: ChatResponse) -> tuple[list[ToolCall | InvalidToolCall], str]:
        ids = UnusedIds()
        native: tuple[ToolCall | InvalidToolCall, ...] = (*response.tool_calls, *response.invalid_tool_calls)
        for call in native:
            ids.take(call.id)
        fenced = _FENCED.fullmatch(whole)
        inner = fenced[1] if fenced else whole
        try:
            value: Any = decode(inner)
        except (msgspec.DecodeError, RecursionError):
            calls = self._broken(inner, ids)
            return calls, "" if calls or self._read == self._begin else whole  # nothing was said before it was cut
        answer = value.get(ANSWER, value) if isinstance(value, Mapping) else None
        if isinstance(answer, Mapping) and isinstance(answer.get(TEXT), str) and TOOL not in answer:
            return [], answer[TEXT]
        found = _found(answer) if isinstance(answer, Mapping) else ()
        calls = self._offered.accept(found, ids, fitting=False)
        return calls, "" if calls else whole

    def _broken(self, text: str, ids: UnusedIds) -> list[ToolCall | InvalidToolCall]:
        name = _NAMED.search(text)
        if name is None:
            return []
        given = _WITH.search(text, name.end())
        return self._offered.accept([Found(name[1], text[given.end() :] if given else "", "", CUT)], ids, fitting=False)


def _found(answer: Mapping[str, Any]) -> tuple[Found, ...]:
    name, arguments = answer.get(TOOL, answer.get("name")), answer.get(ARGUMENTS, answer.get("parameters"))
    if not isinstance(name, str):
        return ()
    return (Found(name, arguments if isinstance(arguments, str) else encode(arguments).decode()),)


def _delta(index: int, call: ToolCall | InvalidToolCall) -> StreamEvent:
    text = call.arguments_text if isinstance(call, InvalidToolCall) else encode(call.arguments).decode()
    return ToolCallDelta(index, call.id, call.name, text)


def _changed(response: ChatResponse, text: str, calls: Iterable[ToolCall | InvalidToolCall]) -> ChatResponse:
    valid = [call for call in calls if isinstance(call, ToolCall)]
    invalid = [call for call in calls if isinstance(call, InvalidToolCall)]
    found = valid or invalid
    return replace(
        response,
        text=text or None,
        tool_calls=(*response.tool_calls, *valid),
        invalid_tool_calls=(*response.invalid_tool_calls, *invalid),
        finish_reason="tool_calls" if found and response.finish_reason == "stop" else response.finish_reason,
    )
