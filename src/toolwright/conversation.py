"""The ordered, thread-safe history of one chat.

A conversation cannot be brought into an order that a provider would refuse: each message is checked as it is added,
against what came before it and in constant time. A refused message leaves the conversation as it was.

This module knows messages and nothing else: no transcript, no provider, no tool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from threading import RLock
from typing import Final, overload

from toolwright.errors import ConversationOrderError
from toolwright.messages import ChatMessage, InvalidToolCall, MessageRole, ToolCall
from toolwright.messages.decoding import read
from toolwright.values import encode

__all__ = ["Conversation"]


class _Order:
    """What the next message has to fit: all that the rules need to know of the messages so far."""

    __slots__ = ("asked", "last", "pending", "require_system")

    def __init__(self, require_system: bool) -> None:
        self.require_system = require_system
        self.last: MessageRole | None = None
        self.asked: frozenset[str] = frozenset()  # the ids of the calls of the last assistant message
        self.pending: dict[str, ToolCall | InvalidToolCall] = {}  # those of them that have no answer yet

    def copy(self) -> _Order:
        twin = _Order(self.require_system)
        twin.last, twin.asked, twin.pending = self.last, self.asked, dict(self.pending)
        return twin

    def take(self, message: ChatMessage) -> None:
        """Check a message against every rule for its role, and move on.

        Raises:
            ConversationOrderError: It may not stand here; nothing has changed.
        """
        role = message.role
        for rule in _RULES[role]:
            rule(self, message)
        self.last = role
        if role is MessageRole.TOOL:
            del self.pending[message.tool_call_id]  # type: ignore[arg-type]  # its rules have found it there
        elif message.tool_calls or message.invalid_tool_calls:
            calls: tuple[ToolCall | InvalidToolCall, ...] = (*message.tool_calls, *message.invalid_tool_calls)
            self.pending = {call.id: call for call in calls}
            self.asked = frozenset(self.pending)
        else:
            self.asked = _NOTHING_ASKED


_NOTHING_ASKED: Final[frozenset[str]] = frozenset()


def _refuse(problem: str, code: str = "wrong_order") -> None:
    raise ConversationOrderError(problem, code=code)


def _system_comes_first(order: _Order, message: ChatMessage) -> None:
    if order.last is None and order.require_system:
        _refuse("the first message must be the system message")


def _system_comes_once(order: _Order, message: ChatMessage) -> None:
    if order.last is not None:
        _refuse("the conversation has already begun: a system message stands first, and there is at most one")


def _speakers_alternate(order: _Order, message: ChatMessage) -> None:
    follows_itself = order.last is message.role
    answers_nobody = message.role is MessageRole.ASSISTANT and order.last in _NOBODY_ASKED
    if follows_itself or answers_nobody:
        _refuse("user and assistant messages alternate, beginning with a user message")


_NOBODY_ASKED: Final = (None, MessageRole.SYSTEM)


def _calls_are_answered(order: _Order, message: ChatMessage) -> None:
    if order.pending:
        _refuse(_unanswered(order), "calls_unanswered")


def _unanswered(order: _Order) -> str:
    ids = ", ".join(repr(id[:64]) for id in list(order.pending)[:10])
    return f"{len(order.pending)} calls must be answered first, each by a tool message with its tool_call_id: {ids}"


def _tool_follows_calls(order: _Order, message: ChatMessage) -> None:
    if not order.asked:
        _refuse("a tool message must follow an assistant message that made tool_calls")


def _tool_answers_once(order: _Order, message: ChatMessage) -> None:
    if message.tool_call_id not in order.pending:
        answered = message.tool_call_id in order.asked
        problem = "that call is answered already" if answered else "the last assistant message made no such call"
        _refuse(f"a tool message answers one call by its tool_call_id: {problem}")


_Rule = Callable[[_Order, ChatMessage], None]
_SPOKEN: Final[tuple[_Rule, ...]] = (_system_comes_first, _calls_are_answered, _speakers_alternate)
_RULES: Final[dict[MessageRole, tuple[_Rule, ...]]] = {
    MessageRole.SYSTEM: (_system_comes_once,),
    MessageRole.USER: _SPOKEN,
    MessageRole.ASSISTANT: _SPOKEN,
    MessageRole.TOOL: (_system_comes_first, _tool_follows_calls, _tool_answers_once),
}


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
        with self._lock:
            self._order.take(_message(message))
            self._messages.append(message)
            self._snapshot = None

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
        with self._lock:
            if self._order.pending:
                _refuse(_unanswered(self._order), "calls_unanswered")

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
        return self.messages[index]

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
