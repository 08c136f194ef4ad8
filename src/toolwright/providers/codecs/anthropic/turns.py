"""How a conversation is written for Anthropic's Messages API, and how the user's side of one is read back.

The API wants turns of the user and of the assistant, one after the other; results of tools are content of the user's
turn, before anything else in it. It refuses texts without content, and ids that it has seen before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final, final

from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall
from toolwright.providers.codecs.fragments import array, merged
from toolwright.providers.codecs.ids import UnusedIds
from toolwright.providers.codecs.names import sendable_name
from toolwright.values import JsonObject, encode

__all__ = ["CODEC", "TurnWriter", "read_system", "read_user_turn"]

CODEC: Final = "anthropic"

_NOTHING: Final[Mapping[str, Any]] = {}
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_LEGAL_ID: Final = re.compile(r"[A-Za-z0-9_-]+")
_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_-]")
_SAID_NOTHING: Final = "(no message)"
# "content cannot be empty if is_error is true"

_Block = dict[str, Any]


@final
class TurnWriter:
    """Writes a history as turns.

    System messages go to the top of the request, wherever they stand. An answer that has nothing that may be sent is
    left out.
    """

    __slots__ = ("_blocks", "_ids", "_role", "_system", "_turns", "size")

    def __init__(self) -> None:
        self.size = 0
        self._system: list[_Block] = []
        self._turns: list[bytes] = []
        self._role = ""  # of the turn that may go on
        self._blocks: list[_Block] = []
        self._ids = _Ids()

    def copy(self) -> TurnWriter:
        """Return another one that goes on from here."""
        other = TurnWriter()
        other.size = self.size
        other._system, other._turns = [*self._system], merged(self._turns)
        other._role, other._blocks = self._role, [*self._blocks]
        other._ids = self._ids.copy()
        return other

    def add(self, message: ChatMessage) -> None:
        """Write the next message."""
        if message.role is MessageRole.SYSTEM:
            self._system += _spoken(message)
            return
        answered = message.role is MessageRole.ASSISTANT
        role = "assistant" if answered else "user"
        blocks = _answer(message, self._ids) if answered else _asked(message, self._ids)
        if blocks and role != self._role:
            ended = self._open_turn()
            self._turns += ended
            self.size += sum(map(len, ended))
            self._role, self._blocks = role, []
        self._blocks += blocks

    def _open_turn(self) -> list[bytes]:
        return [encode({"role": self._role, "content": _shortest(self._blocks)})] if self._blocks else []

    def system(self) -> str | list[_Block]:
        """Return what goes to the top of the request; empty where there is nothing."""
        return _shortest(self._system) if any(block.get("text") for block in self._system) else []

    def turns(self) -> bytes:
        """Return the turns, as a JSON array."""
        return array(merged(self._turns) + self._open_turn())


def _shortest(blocks: list[_Block]) -> str | list[_Block]:
    """Return blocks without empty texts, unless there is nothing else; a plain text alone as just that."""
    blocks = [block for block in blocks if not _is_blank(block)] or blocks[:1]
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"} and blocks[0]["type"] == "text":
        text: str = blocks[0]["text"]
        return text
    return blocks


def _is_blank(block: Mapping[str, Any]) -> bool:
    return block.get("type") == "text" and not str(block.get("text") or "").strip()


def _kept(owner: ChatMessage | ToolCall | InvalidToolCall) -> Mapping[str, Any]:
    """Return what was once kept for this provider with a message or a call."""
    kept: Any = owner.provider_data.get(CODEC) if owner.provider_data else None
    return kept if kept.__class__ is MappingProxyType else _NOTHING


def _asked(message: ChatMessage, ids: _Ids) -> list[_Block]:
    """Return the blocks of a user's message, or of a result."""
    if message.role is MessageRole.USER:
        return _spoken(message)
    content = _shortest(_spoken(message))
    if message.is_error and not content:
        content = _SAID_NOTHING
    block: _Block = {"type": "tool_result", "tool_use_id": ids.find(message.tool_call_id or "")}
    if content:
        block["content"] = content
    if message.is_error:
        block["is_error"] = True
    return [{**block, **_kept(message).get("fields", _NOTHING)}]


def _spoken(message: ChatMessage) -> list[_Block]:
    """Return the blocks of a text; those it was read from, unless somebody has changed the text since."""
    kept = _kept(message)
    if "content" in kept and kept.get("text") == message.content:
        return [dict(block) for block in kept["content"]]
    return [{"type": "text", "text": message.content}]


def _answer(message: ChatMessage, ids: _Ids) -> list[_Block]:
    """Return the blocks of an answer: in the order in which they came, all that is not text or a call unchanged."""
    asked: tuple[ToolCall | InvalidToolCall, ...] = message.tool_calls
    calls = {call.id: call for call in (*asked, *message.invalid_tool_calls)}
    ids.begin(calls)
    entries: Sequence[Mapping[str, Any]] = _kept(message).get("content", ())
    lengths = [entry["length"] for entry in entries if entry["type"] == "text"]
    texts = iter(_pieces(message.content or "", lengths))
    blocks: list[_Block] = []
    if not lengths:
        # Nothing says where the text stood: after the thinking, which has to come first, and before all else.
        first = next((place for place, entry in enumerate(entries) if entry["type"] not in _THINKING), len(entries))
        entries = [*entries[:first], {"type": "text"}, *entries[first:]]
    for entry in entries:
        if entry["type"] == "text":
            extras = {key: value for key, value in entry.items() if key != "length"}
            blocks.append({**extras, "text": next(texts, "")})
        elif entry["type"] != "tool_use":
            blocks.append(dict(entry))
        elif entry["id"] in calls:
            blocks.append(_call(calls.pop(entry["id"]), ids))
    blocks += [_call(call, ids) for call in calls.values()]
    return _sendable(blocks)


def _sendable(blocks: list[_Block]) -> list[_Block]:
    """Return an answer's blocks without empty texts, nor thinking at the end: the API refuses both."""
    blocks = [block for block in blocks if not _is_blank(block)]
    while blocks and blocks[-1].get("type") in _THINKING:
        blocks.pop()
    return blocks


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


def _call(call: ToolCall | InvalidToolCall, ids: _Ids) -> _Block:
    kept = _kept(call)
    if isinstance(call, ToolCall):
        name, arguments = call.name, call.arguments
    else:
        name, arguments = sendable_name(call.name), _NOTHING  # only an object is taken, so the text stays here
    extras = {key: value for key, value in kept.items() if key != "name"}
    return {"type": "tool_use", "id": ids.find(call.id), "name": kept.get("name", name), "input": arguments, **extras}


class _Ids:
    """Ids as the API takes them: of its own alphabet, and each for one call of the request only."""

    def __init__(self) -> None:
        self._unused = UnusedIds()
        self._current: dict[str, str] = {}

    def copy(self) -> _Ids:
        """Return another one that goes on from here."""
        other = _Ids()
        other._unused, other._current = self._unused.copy(), self._current
        return other

    def begin(self, ids: Iterable[str]) -> None:
        """Find ids for the calls of one answer; results that follow are for these."""
        self._current = {id: self._unused.take(_legal_id(id)) for id in ids}

    def find(self, id: str) -> str:
        """Return what a call of the last answer is called in the request."""
        return self._current.get(id) or _legal_id(id)


def _legal_id(id: str) -> str:
    if _LEGAL_ID.fullmatch(id):
        return id
    digest = sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[:8]  # two ids do not become one
    return f"{_FOREIGN.sub('_', id)[:40]}_{digest}"


def read_system(content: Any) -> list[ChatMessage]:
    """Return the system message of a request, if it has one."""
    if not content:
        return []
    text, kept = _read_content(content)
    return [ChatMessage(MessageRole.SYSTEM, text, provider_data=_data(kept))]


def read_user_turn(content: Any) -> list[ChatMessage]:
    """Return the messages of a user's turn: results of tools first, then what the user said."""
    blocks = content if content.__class__ is list else [{"type": "text", "text": content or ""}]
    results = [_read_result(block) for block in blocks if block.get("type") == "tool_result"]
    said = [block for block in blocks if block.get("type") != "tool_result"]
    if not said and results:
        return results
    text, kept = _read_content(said)
    return [*results, ChatMessage(MessageRole.USER, text, provider_data=_data(kept))]


_OF_A_RESULT: Final = frozenset({"type", "tool_use_id", "content", "is_error"})


def _read_result(block: Mapping[str, Any]) -> ChatMessage:
    text, kept = _read_content(block.get("content") or "")
    failed = bool(block.get("is_error"))
    if failed and text == _SAID_NOTHING:
        text = ""
    fields = {key: value for key, value in block.items() if key not in _OF_A_RESULT and value is not None}
    if fields:
        kept["fields"] = fields
    id = block.get("tool_use_id")
    return ChatMessage(MessageRole.TOOL, text, tool_call_id=id, is_error=failed, provider_data=_data(kept))


def _data(kept: dict[str, Any]) -> JsonObject | None:
    return {CODEC: kept} if kept else None


def _read_content(content: Any) -> tuple[str, dict[str, Any]]:
    """Return a content as text, and what has to be kept of it because it is more than that."""
    if content.__class__ is not list:
        return content, {}
    # A word in brackets for what is no text, so that no reader takes it for nothing.
    texts = [str(block["text"]) if block["type"] == "text" else f"[{block['type']}]" for block in content]
    text = "\n".join(texts)
    if len(content) == 1 and content[0].keys() == {"type", "text"}:
        return text, {}
    return text, {"content": content, "text": text}
