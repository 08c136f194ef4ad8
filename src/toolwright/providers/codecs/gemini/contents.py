"""How a conversation is written for Gemini.

The API wants contents of the user and of the model, one after the other. Results of tools name the tool, and stand in
the order of the calls, for most calls have no id. A signature belongs to the very part that it came with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, final

from toolwright.errors import ConversationOrderError
from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall
from toolwright.providers.codecs.fragments import array, merged
from toolwright.providers.codecs.names import sendable_name
from toolwright.values import encode

__all__ = ["CODEC", "ContentWriter", "kept_by_gemini"]

CODEC: Final = "gemini"

_NOTHING: Final[Mapping[str, Any]] = {}
_UNSIGNED: Final = "skip_thought_signature_validator"
# What the documents of thought signatures say to send with calls that another model made: newer models refuse to go on
# after a call without any signature.

_Part = dict[str, Any]


@final
class ContentWriter:
    """Writes a history as contents.

    System messages go to the system instruction, wherever they stand. An answer without any content is left out.
    """

    __slots__ = ("_asked", "_contents", "_parts", "_results", "_role", "_system", "size")

    def __init__(self) -> None:
        self.size = 0
        self._system: list[_Part] = []
        self._contents: list[bytes] = []
        self._role = ""  # of the content that may go on
        self._results: list[tuple[int, _Part]] = []  # with the place of the call
        self._parts: list[_Part] = []
        self._asked: Mapping[str, tuple[int, _Part]] = {}  # by id: the place of a call, and its id and name on the wire

    def copy(self) -> ContentWriter:
        """Return another one that goes on from here."""
        other = ContentWriter()
        other.size, other._role, other._asked = self.size, self._role, self._asked
        other._system, other._contents = [*self._system], merged(self._contents)
        other._results, other._parts = [*self._results], [*self._parts]
        return other

    def add(self, message: ChatMessage) -> None:
        """Write the next message.

        Raises:
            ConversationOrderError: It is the result of a call that is not there.
        """
        match message.role:
            case MessageRole.SYSTEM:
                self._system += _spoken(message)
            case MessageRole.USER:
                self._go_on("user")
                self._parts += _spoken(message)
            case MessageRole.TOOL:
                self._go_on("user")
                self._results.append(self._result(message))
            case MessageRole.ASSISTANT:
                calls: tuple[ToolCall | InvalidToolCall, ...] = message.tool_calls
                written = {call.id: _call(call) for call in (*calls, *message.invalid_tool_calls)}
                parts = _answer(message, written)
                if parts:
                    self._go_on("model")
                    self._parts += parts
                    # By identity: two calls may well be equal.
                    places = {id(part.get("functionCall")): place for place, part in enumerate(parts)}
                    self._asked = {
                        call: (places[id(part["functionCall"])], _address(part)) for call, part in written.items()
                    }

    def _go_on(self, role: str) -> None:
        if role != self._role:
            ended = self._open_content()
            self._contents += ended
            self.size += sum(map(len, ended))
            self._role, self._results, self._parts = role, [], []

    def _open_content(self) -> list[bytes]:
        parts = [part for _, part in sorted(self._results, key=_place)] + self._parts
        return [encode({"role": self._role, "parts": parts})] if parts else []

    def _result(self, message: ChatMessage) -> tuple[int, _Part]:
        kept = kept_by_gemini(message)
        place, address = self._asked.get(message.tool_call_id or "", (len(self._asked), kept.get("address")))
        if address is None:
            raise ConversationOrderError(
                "a result needs its call before it: Gemini wants the name of the tool", code="wrong_order", path="tool"
            )
        response = {"error" if message.is_error else "output": message.content}
        if kept.get("text") == message.content and kept["is_error"] is message.is_error:
            response = kept["response"]
        function = {**address, "response": response, **kept.get("fields", _NOTHING)}
        return place, {"functionResponse": function, **kept.get("part", _NOTHING)}

    def system(self) -> _Part | None:
        """Return the system instruction, if there is one."""
        return {"parts": self._system} if any(part.get("text") != "" for part in self._system) else None

    def contents(self) -> bytes:
        """Return the contents, as a JSON array."""
        return array(merged(self._contents) + self._open_content())


def _place(result: tuple[int, _Part]) -> int:
    return result[0]


def kept_by_gemini(owner: ChatMessage | ToolCall | InvalidToolCall) -> Mapping[str, Any]:
    """Return what was once kept for this provider with a message or a call."""
    kept: Any = owner.provider_data.get(CODEC) if owner.provider_data else None
    return kept if kept.__class__ is MappingProxyType else _NOTHING


def _spoken(message: ChatMessage) -> list[_Part]:
    """Return the parts of a text; those it was read from, unless somebody has changed the text since."""
    kept = kept_by_gemini(message)
    if "parts" in kept and kept.get("text") == message.content:
        return [dict(part) for part in kept["parts"]]
    return [{"text": message.content}]


def _call(call: ToolCall | InvalidToolCall) -> _Part:
    kept = kept_by_gemini(call)
    if isinstance(call, ToolCall):
        name, arguments = call.name, call.arguments
    else:
        name, arguments = sendable_name(call.name), _NOTHING  # only an object is taken, so the text stays here
    function = {"name": kept.get("name", name), "args": arguments, **kept.get("fields", _NOTHING)}
    if "id" in kept:  # ids of others are not sent: not every endpoint takes them
        function = {"id": kept["id"], **function}
    return {"functionCall": function, **kept.get("part", _NOTHING)}


def _address(part: _Part) -> _Part:
    """Return what a result says about the call that it is for."""
    return {key: part["functionCall"][key] for key in ("id", "name") if key in part["functionCall"]}


def _answer(message: ChatMessage, calls: Mapping[str, _Part]) -> list[_Part]:
    """Return the parts of an answer: in the order in which they came, all that is not text or a call unchanged."""
    kept = kept_by_gemini(message)
    entries: Sequence[Mapping[str, Any]] = kept.get("parts", ())
    waiting = dict(calls)
    lengths = [entry["length"] for entry in entries if "length" in entry]
    texts = iter(_pieces(message.content or "", lengths))
    parts: list[_Part] = [] if lengths else [{"text": next(texts, "")}]
    for entry in entries:
        if "length" in entry:
            parts.append({"text": next(texts, ""), **entry.get("part", _NOTHING)})
        elif "call" not in entry:
            parts.append(dict(entry["part"]))
        elif entry["call"] in waiting:
            parts.append(waiting.pop(entry["call"]))
    parts += waiting.values()
    if calls and not kept and not any("thoughtSignature" in part for part in parts):
        first = next(place for place, part in enumerate(parts) if "functionCall" in part)
        parts[first] = {**parts[first], "thoughtSignature": _UNSIGNED}
    return [part for part in parts if part != {"text": ""}]


def _pieces(text: str, lengths: list[int]) -> list[str]:
    """Cut a text as it was cut before; where somebody has changed it since, leave it in one."""
    if sum(lengths) != len(text):
        return [text]
    pieces: list[str] = []
    start = 0
    for length in lengths:
        pieces.append(text[start : start + length])
        start += length
    return pieces
