"""The ordered, thread-safe history of one chat.

A conversation cannot be brought into an order that a provider would refuse: each message is checked as it is added,
against what came before it and in constant time. A refused message leaves the conversation as it was.

This module knows messages and nothing else: no transcript, no provider, no tool.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from threading import RLock
from typing import Final, TypeAlias, overload

from toolwright.errors import ConversationOrderError
from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall
from toolwright.messages.decoding import read
from toolwright.values import encode

__all__ = ["Conversation"]


_FIRST: Final = "the first message must be the system message"
_ALREADY: Final = "the conversation has already begun: a system message stands first, and there is at most one"
_ALTERNATE: Final = "user and assistant messages alternate, beginning with a user message"
_NO_CALLS: Final = "a tool message must follow an assistant message that made tool_calls"
_UNANSWERED: Final = "calls must be answered first, each by a tool message with its tool_call_id"
_ONCE: Final = "a tool message answers one call of the last assistant message by its tool_call_id, and each call once"

# Where a conversation stands, as what may not come next and why. A tool message that may come must also fit a call.
_Stand: TypeAlias = Mapping[MessageRole, str]
_SYSTEM, _USER, _ASSISTANT, _TOOL = MessageRole
_EMPTY: Final[_Stand] = {_USER: _FIRST, _ASSISTANT: _FIRST, _TOOL: _FIRST}
_EMPTY_WITHOUT_SYSTEM: Final[_Stand] = {_ASSISTANT: _ALTERNATE, _TOOL: _NO_CALLS}
_AFTER_SYSTEM: Final[_Stand] = {_SYSTEM: _ALREADY, _ASSISTANT: _ALTERNATE, _TOOL: _NO_CALLS}
_AFTER_USER: Final[_Stand] = {_SYSTEM: _ALREADY, _USER: _ALTERNATE, _TOOL: _NO_CALLS}
_AFTER_ANSWER: Final[_Stand] = {_SYSTEM: _ALREADY, _ASSISTANT: _ALTERNATE, _TOOL: _NO_CALLS}
_AFTER_CALLS: Final[_Stand] = {_SYSTEM: _ALREADY, _USER: _UNANSWERED, _ASSISTANT: _UNANSWERED}
_AFTER_RESULTS: Final[_Stand] = {_SYSTEM: _ALREADY}

_IDS_SHOWN: Final = 10
_ID_SHOWN: Final = 64

_Pending: TypeAlias = "dict[str, ToolCall | InvalidToolCall]"


class _Order:
    """What the next message has to fit: all that need be known of the messages so far."""

    __slots__ = ("pending", "require_system", "stand")

    def __init__(self, require_system: bool) -> None:
        self.require_system = require_system
        self.stand = _EMPTY if require_system else _EMPTY_WITHOUT_SYSTEM
        self.pending: _Pending = {}  # the calls that have no answer yet

    def copy(self) -> _Order:
        twin = _Order(self.require_system)
        twin.stand, twin.pending = self.stand, dict(self.pending)
        return twin

    def take(self, message: ChatMessage) -> None:
        """Check that a message may come next, and move on.

        Raises:
            ConversationOrderError: It may not; nothing has changed.
        """
        role = message.role
        broken = self.stand.get(role)
        if broken is not None:
            raise ConversationOrderError(broken, code="calls_unanswered" if broken is _UNANSWERED else "wrong_order")
        if role is _USER:
            self.stand = _AFTER_USER
        elif role is _ASSISTANT:
            self.stand = self._take_answer(message)
        elif role is _TOOL:
            self.stand = self._take_result(message.tool_call_id or "")
        else:
            self.stand = _AFTER_SYSTEM

    def _take_answer(self, message: ChatMessage) -> _Stand:
        calls: tuple[ToolCall | InvalidToolCall, ...] = message.tool_calls
        if message.invalid_tool_calls:
            calls = (*calls, *message.invalid_tool_calls)
        if not calls:
            return _AFTER_ANSWER
        self.pending = {call.id: call for call in calls}
        return _AFTER_CALLS

    def _take_result(self, tool_call_id: str) -> _Stand:
        if tool_call_id not in self.pending:
            raise ConversationOrderError(_ONCE, code="wrong_order")
        del self.pending[tool_call_id]
        return _AFTER_CALLS if self.pending else _AFTER_RESULTS


class Conversation:
    """The messages of one chat, in an order that every provider takes.

    The system message comes first (``require_system=False`` does without one), there is at most one; user and
    assistant alternate, beginning with the user; the calls of an assistant message are each answered once, in any
    order, before anything else follows.

    Threads may share it: a reader sees a whole state, and what one ``extend`` adds stays together.

    Raises:
        ConversationOrderError: ``messages`` break a rule.
    """

    def __init__(self, messages: Iterable[ChatMessage] = (), *, require_system: bool = True) -> None:
        self._lock = RLock()
        self._messages: list[ChatMessage] = []
        self._snapshot: tuple[ChatMessage, ...] | None = ()
        self._order = _Order(require_system)
        self.extend(messages)

    @property
    def require_system(self) -> bool:
        """Whether the first message must be the system message."""
        return self._order.require_system

    def add(self, message: ChatMessage) -> None:
        """Append one message.

        Raises:
            ConversationOrderError: It may not stand here; the text names the rule, and nothing has changed.
            TypeError: It is not a message.
        """
        self._lock.acquire()  # half the cost of `with`, in the one place where that shows
        try:
            self._order.take(message if message.__class__ is ChatMessage else _message(message))
            self._messages.append(message)
            self._snapshot = None
        finally:
            self._lock.release()

    def extend(self, messages: Iterable[ChatMessage]) -> None:
        """Append messages, all of them or none.

        Raises:
            ConversationOrderError: One may not stand where it is (``path`` says which); nothing has changed.
            TypeError: One is not a message.
        """
        added = list(messages)
        with self._lock:
            order = self._order.copy()
            for index, message in enumerate(added):
                try:
                    order.take(_message(message))
                except ConversationOrderError as error:
                    raise ConversationOrderError(error.problem, code=error.code, path=f"[{index}]") from None
            self._order = order
            self._messages += added
            self._snapshot = None

    def clear(self) -> None:
        """Forget every message; the next one is a first one again."""
        with self._lock:
            self._order = _Order(self._order.require_system)
            self._messages = []
            self._snapshot = ()

    def fork(self) -> Conversation:
        """Return an independent copy."""
        with self._lock:
            twin = Conversation(require_system=self.require_system)
            twin._messages = self._messages.copy()
            twin._snapshot = self._snapshot
            twin._order = self._order.copy()
        return twin

    def validate(self) -> None:
        """Check that the conversation is complete: every call has its answer.

        Raises:
            ConversationOrderError: Calls are unanswered (``calls_unanswered``).
        """
        waiting = ", ".join(repr(call.id[:_ID_SHOWN]) for call in self.pending_calls[:_IDS_SHOWN])
        if waiting:
            raise ConversationOrderError(f"{_UNANSWERED}: {waiting}", code="calls_unanswered")

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """The messages as they are now; the tuple never changes."""
        with self._lock:
            if self._snapshot is None:
                self._snapshot = tuple(self._messages)
            return self._snapshot

    @property
    def last(self) -> ChatMessage | None:
        """The latest message, or None while there is none."""
        with self._lock:
            return self._messages[-1] if self._messages else None

    @property
    def pending_calls(self) -> tuple[ToolCall | InvalidToolCall, ...]:
        """The calls that have no answer yet, in the order in which they were made."""
        with self._lock:
            return tuple(self._order.pending.values())

    def to_json(self) -> bytes:
        """Return the messages as a JSON array of their canonical forms."""
        return encode(self.messages)

    @classmethod
    def from_json(cls, text: bytes | str, *, require_system: bool = True) -> Conversation:
        """Read what ``to_json`` wrote; the rules hold here too.

        Raises:
            MessageDecodeError: The JSON is malformed, or its types are wrong.
            InvalidMessageError: A message breaks a rule, or (``ConversationOrderError``) stands where it may not.
        """
        return cls(read(tuple[ChatMessage, ...], text), require_system=require_system)

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[ChatMessage]:
        return iter(self.messages)

    @overload
    def __getitem__(self, index: int) -> ChatMessage: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[ChatMessage, ...]: ...

    def __getitem__(self, index: int | slice) -> ChatMessage | tuple[ChatMessage, ...]:
        with self._lock:
            found = self._messages[index]
        return tuple(found) if isinstance(found, list) else found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Conversation):
            return NotImplemented
        return self.require_system == other.require_system and self.messages == other.messages

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __copy__(self) -> Conversation:
        return self.fork()

    def __deepcopy__(self, memo: object) -> Conversation:
        return self.fork()

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.messages, self.require_system)

    def __repr__(self) -> str:
        return f"Conversation(<{len(self)} messages>, pending_calls=<{len(self._order.pending)}>)"


def _restore(messages: tuple[ChatMessage, ...], require_system: bool) -> Conversation:
    return Conversation(messages, require_system=require_system)


def _message(message: object) -> ChatMessage:
    if not isinstance(message, ChatMessage):
        raise TypeError(f"a conversation takes a ChatMessage, not a {type(message).__name__}; tw.user(text) makes one")
    return message
