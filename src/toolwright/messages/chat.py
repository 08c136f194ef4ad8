"""Chat messages, their four roles, and the short ways to write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from operator import attrgetter
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import force_setattr

from toolwright.errors import InvalidMessageError
from toolwright.messages.calls import InvalidToolCall, ToolCall, ToolResult
from toolwright.messages.decoding import MessageValue, frozen_object, plain_text
from toolwright.values import JsonObject

__all__ = ["ChatMessage", "MessageRole", "assistant", "system", "tool_result", "user"]

T = TypeVar("T")


class MessageRole(StrEnum):
    """Who speaks. In JSON it is the lower-case word."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"

    __hash__ = str.__hash__  # the one of enums is written in Python, and this is a key in every hot path

    @property
    def number(self) -> int:
        """The role's fixed integer, for storage: 0, 1, 2, 3."""
        return _NUMBERS[self]

    @classmethod
    def parse(cls, text: str) -> MessageRole:
        """Read a role in any case, also by the words that other formats use for the same four.

        Raises:
            InvalidMessageError: The word is none of them (``unknown_role``).
        """
        word = str(text).strip().lower()
        role = _WORDS.get(word)
        if role is None:
            raise InvalidMessageError("is not one of system, user, assistant, tool", code="unknown_role", path="role")
        return role

    @classmethod
    def _missing_(cls, value: object) -> MessageRole | None:
        try:
            return cls.parse(value) if isinstance(value, str) else None
        except InvalidMessageError:
            return None


_NUMBERS: Final = {role: number for number, role in enumerate(MessageRole)}
_SYSTEM: Final = MessageRole.SYSTEM
_USER: Final = MessageRole.USER
_ASSISTANT: Final = MessageRole.ASSISTANT
_TOOL: Final = MessageRole.TOOL

_WORDS: Final = {
    **{role.value: role for role in MessageRole},
    "tool_result": _TOOL,
    "function": _TOOL,
    "developer": _SYSTEM,
    "model": _ASSISTANT,
}


class ChatMessage(MessageValue, frozen=True, gc=False):
    """One message of a conversation.

    ==============  ==================================  ==================================  ============
    role            content                             calls, valid and invalid            tool_call_id
    ==============  ==================================  ==================================  ============
    system, user    required                            none                                none
    assistant       required unless there are calls     any; ids unique in the message      none
    tool            required                            none                                required
    ==============  ==================================  ==================================  ============

    Empty content is content. ``is_error`` is for tool messages. ``provider_data`` is what one provider needs to see
    again and nobody else understands, keyed by codec. ``repr`` shows sizes and names, never the content.

    Raises:
        InvalidMessageError: A rule is broken; ``code`` and ``path`` say which.
    """

    role: MessageRole
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    invalid_tool_calls: tuple[InvalidToolCall, ...] = ()
    tool_call_id: str | None = None
    is_error: bool = False
    provider_data: JsonObject | None = None

    def __post_init__(self) -> None:
        role = self.role
        # The usual shapes are let through here, in few steps; whatever else there is takes the long way.
        if self.invalid_tool_calls is _NO_CALLS and self.provider_data is None:
            id = self.tool_call_id
            if self.tool_calls is _NO_CALLS:
                if type(self.content) is str:
                    if id is None:
                        if (role is _USER or role is _ASSISTANT or role is _SYSTEM) and self.is_error is False:
                            return
                    elif role is _TOOL and type(id) is str and id and type(self.is_error) is bool:
                        return
            elif (
                role is _ASSISTANT
                and (self.content is None or type(self.content) is str)
                and id is None
                and self.is_error is False
                and _are_calls(self.tool_calls)
            ):
                return
        _bring_into_shape(self)
        _RULES[self.role](self)

    @staticmethod
    def system(text: str) -> ChatMessage:
        """Make the system message: how the model is to behave."""
        return ChatMessage(_SYSTEM, text)

    @staticmethod
    def user(text: str) -> ChatMessage:
        """Make a user message."""
        if type(text) is not str:
            return ChatMessage(_USER, text)
        message = _copy(_USER_FORM)
        force_setattr(message, "content", text)
        return message

    @staticmethod
    def assistant(
        text: str | None = None,
        tool_calls: Iterable[ToolCall] | None = (),
        invalid_tool_calls: Iterable[InvalidToolCall] | None = (),
        *,
        provider_data: JsonObject | None = None,
    ) -> ChatMessage:
        """Make what a model answered: a text, calls, or both."""
        return ChatMessage(
            _ASSISTANT, text, tuple(tool_calls or ()), tuple(invalid_tool_calls or ()), provider_data=provider_data
        )

    @staticmethod
    def tool(tool_call_id: str, result: str, is_error: bool = False) -> ChatMessage:
        """Make the answer to the call ``tool_call_id``."""
        return ChatMessage(_TOOL, result, (), (), tool_call_id, is_error)

    @staticmethod
    def from_result(result: ToolResult) -> ChatMessage:
        """Make the tool message that carries a result."""
        return ChatMessage(_TOOL, result.result, (), (), result.tool_call_id, result.is_error)

    def __hash__(self) -> int:
        return hash((self.role, self.content, self.tool_call_id, self.tool_calls, self.invalid_tool_calls))

    def __repr__(self) -> str:
        content = "None" if self.content is None else f"<{len(self.content)} chars>"
        parts = [f"role={self.role.value}", f"content={content}"]
        if self.tool_calls:
            parts.append(f"tool_calls=[{', '.join(call.name for call in self.tool_calls)}]")
        if self.invalid_tool_calls:
            parts.append(f"invalid_tool_calls=<{len(self.invalid_tool_calls)} calls>")
        if self.tool_call_id is not None:
            parts.append(f"tool_call_id={self.tool_call_id!r}")
        if self.is_error:
            parts.append("is_error=True")
        return f"ChatMessage({', '.join(parts)})"


_NO_CALLS: Final[tuple[()]] = ()

# The most frequent message is a filled-in copy of a checked one: that costs less than checking what cannot be wrong.
_copy: Final[Callable[[ChatMessage], ChatMessage]] = getattr(msgspec.Struct, "__copy__")  # noqa: B009  its stub lacks it
_USER_FORM: Final = ChatMessage(_USER, "")

system = ChatMessage.system
user = ChatMessage.user
assistant = ChatMessage.assistant
tool_result = ChatMessage.tool


def _are_calls(calls: tuple[ToolCall, ...]) -> bool:
    """Say whether these are exactly what they should be: calls with ids of their own."""
    if type(calls) is not tuple:
        return False
    if len(calls) == 1:
        return type(calls[0]) is ToolCall
    ids: set[str] = set()
    for call in calls:
        if type(call) is not ToolCall or call.id in ids:
            return False
        ids.add(call.id)
    return True


def _bring_into_shape(message: ChatMessage) -> None:
    """Give every field its exact type, or refuse it."""
    if type(message.role) is not MessageRole:
        force_setattr(message, "role", MessageRole.parse(message.role))
    if message.content is not None and type(message.content) is not str:
        force_setattr(message, "content", plain_text(message.content, "content"))
    if message.tool_calls is not _NO_CALLS:
        force_setattr(message, "tool_calls", _calls(message.tool_calls, ToolCall, "tool_calls"))
    if message.invalid_tool_calls is not _NO_CALLS:
        invalid = _calls(message.invalid_tool_calls, InvalidToolCall, "invalid_tool_calls")
        force_setattr(message, "invalid_tool_calls", invalid)
    if message.tool_call_id is not None:
        force_setattr(message, "tool_call_id", plain_text(message.tool_call_id, "tool_call_id") or None)
    if type(message.is_error) is not bool:
        raise InvalidMessageError("must be true or false", code="wrong_shape", path="is_error")
    if message.provider_data is not None:
        force_setattr(message, "provider_data", frozen_object(message.provider_data, "provider_data"))


def _calls(calls: Any, wanted: type[T], path: str) -> tuple[T, ...]:
    if type(calls) not in (tuple, list):
        raise InvalidMessageError("must be a sequence of calls", code="wrong_shape", path=path)
    given = tuple(calls)
    for index, call in enumerate(given):
        if type(call) is not wanted:
            where = f"{path}[{index}]"
            raise InvalidMessageError(f"must be a {wanted.__name__}", code="wrong_shape", path=where)
    return given


def _refuse(problem: str, code: str, path: str) -> None:
    raise InvalidMessageError(problem, code=code, path=path)


def _check_text(message: ChatMessage) -> None:
    if message.content is None:
        _refuse(f"a {message.role.value} message needs content; empty text will do", "content_missing", "content")
    if message.tool_calls or message.invalid_tool_calls:
        path = "tool_calls" if message.tool_calls else "invalid_tool_calls"
        _refuse(f"a {message.role.value} message makes no calls; an assistant's does", "tool_calls_not_allowed", path)


def _check_not_tool(message: ChatMessage) -> None:
    if message.tool_call_id is not None:
        _refuse("only a tool message answers a call", "tool_call_id_not_allowed", "tool_call_id")
    if message.is_error:
        _refuse("only a tool message can be an error", "is_error_not_allowed", "is_error")


def _check_spoken(message: ChatMessage) -> None:
    _check_text(message)
    _check_not_tool(message)


def _check_tool(message: ChatMessage) -> None:
    _check_text(message)
    if message.tool_call_id is None:
        _refuse("a tool message names the call that it answers", "tool_call_id_missing", "tool_call_id")


_id_of: Final = attrgetter("id")


def _check_assistant(message: ChatMessage) -> None:
    _check_not_tool(message)
    calls: tuple[ToolCall | InvalidToolCall, ...] = message.tool_calls
    if message.invalid_tool_calls:
        calls = (*calls, *message.invalid_tool_calls)
    if not calls and message.content is None:
        _refuse("an assistant message needs content or calls", "content_missing", "content")
    if len(calls) > 1 and len({*map(_id_of, calls)}) < len(calls):
        _refuse("two calls of one message have the same id", "duplicate_call_id", "tool_calls")


_RULES: Final = {_SYSTEM: _check_spoken, _USER: _check_spoken, _ASSISTANT: _check_assistant, _TOOL: _check_tool}
