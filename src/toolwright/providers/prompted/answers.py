"""Reads answers that are one JSON object, either a text or a call.

The text is told as it comes out of the object, a call when it is whole. A server that does not hold the model to the
form may send something else: what can be read in only one way is, and everything else is text as it stands there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Final, final

import msgspec

from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.providers.codecs.documents import as_object
from toolwright.providers.codecs.ids import UnusedIds
from toolwright.providers.prompted.forms import ARGUMENTS, NEXT, TEXT, TOOL
from toolwright.providers.text_calls.answers import answer_with
from toolwright.providers.text_calls.heads import BLANKS, BODY, Atom, Head, Run, first_match
from toolwright.providers.text_calls.offered import Offered
from toolwright.providers.text_calls.readers import CUT, Found
from toolwright.providers.text_calls.told import Told
from toolwright.providers.types import ChatResponse, StreamEvent, TextDelta
from toolwright.values import decode, encode

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["PromptedReading"]

_COLON: Final = (BLANKS, ":", BLANKS)
_FENCE: Final = ("```", Run("a-z", 0, 8), BLANKS)
_WRAPPER: Final = ("{", BLANKS, f'"{NEXT}"', *_COLON)
_COMMA: Final = (BLANKS, ",", BLANKS)
_OBJECT_HEADS: Final = (Head(BLANKS, BODY, "{"), Head(BLANKS, *_FENCE, BODY, "{"))

# As much of a text that is still coming as can be decoded: all but half an escape, and half a surrogate pair.
_HEX: Final = "[0-9a-fA-F]"
_HIGH: Final = rf"\\u[dD][89abAB]{_HEX}{{2}}"
_LOW: Final = rf"\\u[dD][c-fC-F]{_HEX}{{2}}"
_NO_LOW: Final = rf"(?=[^\\]|\\[^u]|\\u(?:[^dD]|[dD](?:[^c-fC-F]|[c-fC-F](?:[^0-9a-fA-F]|{_HEX}[^0-9a-fA-F]))))"
_WHOLE: Final = re.compile(
    rf'(?:[^"\\]++|\\[^u]|(?!{_HIGH})\\u{_HEX}{{4}}|\\u(?={_HEX}{{0,3}}[^0-9a-fA-F])|{_HIGH}(?:{_LOW}|{_NO_LOW}))*+'
)
_ESCAPE: Final = re.compile(rf"({_HIGH}{_LOW})|\\u({_HEX}{{4}})|\\([^u])")
_ESCAPED: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "/": "/"}
_FENCED: Final = re.compile(r"\s*```[a-z]{0,8}\s*(.*?)\s*```\s*", re.DOTALL)
_NAMED: Final = re.compile(rf'"{TOOL}"\s*+:\s*+"(\w{{1,64}})"')
_WITH: Final = re.compile(rf'"{ARGUMENTS}"\s*+:\s*+')


@cache
def _reply_heads(reply: str) -> tuple[Head, ...]:
    """Return how an answer begins that is a text: with the object around it or without, in a block of code or not."""
    inner: tuple[Atom, ...] = ("{", BLANKS, f'"{TOOL}"', *_COLON, f'"{reply}"', *_COMMA, f'"{ARGUMENTS}"', *_COLON)
    said: tuple[Atom, ...] = (*inner, "{", BLANKS, f'"{TEXT}"', *_COLON, '"')
    return tuple([Head(BLANKS, *fence, *around, *said) for fence in ((), _FENCE) for around in (_WRAPPER, ())])


@final
class PromptedReading:
    """Reads one answer."""

    def __init__(self, tools: Iterable[ToolDefinition], reply: str) -> None:
        self._offered = Offered(tools)
        self._reply = reply
        self._seen = 0  # characters of what the model wrote
        self._held = ""
        self._pieces: list[str] = []  # of an object that is read when it is whole
        self._told = Told()
        self._read: Callable[[str], str] = self._begin

    def feed(self, event: StreamEvent) -> list[StreamEvent]:
        """Take an event and return what is to be told instead."""
        if not isinstance(event, TextDelta):
            return [event]
        self._seen += len(event.text)
        self._told.add_text(self._read(event.text))
        return self._told.take_events()

    def finish(self, response: ChatResponse) -> tuple[list[StreamEvent], ChatResponse]:
        """Take the whole answer; return the last events, and the answer as it is meant."""
        self._told.add_text(self._read((response.text or "")[self._seen :]))
        if self._read in (self._begin, self._wait):
            calls, text = self._understand("".join(self._pieces) + self._held, response)
            self._told.add_text(text)
            for call in calls:
                self._told.add_call(call)
        self._told.end()
        events = self._told.take_events()
        return events, answer_with(response, "".join(self._told.texts), self._told.calls)

    # What kind of answer it is

    def _begin(self, text: str) -> str:
        self._held += text
        found = first_match(_reply_heads(self._reply), self._held, 0, last=False)
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
        whole = _WHOLE.match(held)
        place = whole.end() if whole else 0
        self._held = held[place:]
        if self._held.startswith('"'):
            self._read = self._over
        return _ESCAPE.sub(_unescaped, held[:place])

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
            has_begun = self._read == self._begin and not whole.isspace()  # and was cut before it said anything
            return calls, "" if calls or has_begun else whole
        chosen = as_object(as_object(value).get(NEXT, value))
        said = as_object(chosen.get(ARGUMENTS)).get(TEXT)
        if chosen.get(TOOL) == self._reply and said.__class__ is str:
            return [], str(said)
        calls = self._offered.accept(_found(chosen), ids, fitting=False)
        return calls, "" if calls else whole

    def _broken(self, text: str, ids: UnusedIds) -> list[ToolCall | InvalidToolCall]:
        name = _NAMED.search(text)
        if name is None:
            return []
        given = _WITH.search(text, name.end())
        return self._offered.accept([Found(name[1], text[given.end() :] if given else "", "", CUT)], ids, fitting=False)


def _found(call: dict[str, Any]) -> tuple[Found, ...]:
    name, arguments = call.get(TOOL, call.get("name")), call.get(ARGUMENTS, call.get("parameters"))
    if not isinstance(name, str):
        return ()
    return (Found(name, arguments if isinstance(arguments, str) else encode(arguments).decode()),)


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        pair: str = decode(f'"{match[1]}"')
        return pair
    if match[2]:
        code = int(match[2], 16)
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)
    return _ESCAPED.get(match[3], match[0])
