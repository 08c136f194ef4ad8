"""Tool calls and their answers.

A model asks with a :class:`ToolCall`; what it wrote so badly that it cannot be one is kept as an
:class:`InvalidToolCall`, which no runner takes; what goes back for either is a :class:`ToolResult`.
"""

from __future__ import annotations

from binascii import b2a_base64
from os import urandom
from typing import Any, Final, TypeVar, overload

import msgspec
from msgspec.structs import force_setattr

from toolwright.errors import InvalidMessageError, NotJsonError
from toolwright.messages.decoding import MessageValue, argument_as, fitted, frozen_object, not_json, plain_text
from toolwright.values import JsonObject, decode, freeze_decoded, freeze_object

__all__ = ["InvalidToolCall", "ToolCall", "ToolResult"]

T = TypeVar("T")
D = TypeVar("D")

_NO_ARGUMENTS: Final[JsonObject] = freeze_object({})
_NAME_LENGTH: Final = 64


class _Frozen(msgspec.Struct, frozen=True, gc=False):
    """Arguments that are known to be immutable: those that this module has read from a text itself."""

    value: JsonObject


def _no_arguments() -> JsonObject:
    return _NO_ARGUMENTS


def _is_legal_name(name: str) -> bool:
    return len(name) <= _NAME_LENGTH and name.isascii() and (name.isidentifier() or name.replace("_", "0").isalnum())


_NAME_RULE: Final = "must be 1 to 64 characters of A-Z, a-z, 0-9 and _"


class ToolCall(MessageValue, frozen=True, gc=False):
    """A model's request to run a tool.

    ``id`` need only be unique within its message: servers reuse them. ``name`` is 1 to 64 characters of
    ``[A-Za-z0-9_]``. ``arguments`` is a JSON object, read-only at every level. ``provider_data`` is what the provider
    that made the call wants to see again, keyed by codec.

    Raises:
        InvalidMessageError: ``empty_id``, ``invalid_name``, ``arguments_not_object``, ``not_json_value`` or
            ``wrong_shape``.
    """

    id: str
    name: str
    arguments: JsonObject = msgspec.field(default_factory=_no_arguments)
    provider_data: JsonObject | None = None

    def __post_init__(self) -> None:
        if type(self.id) is not str or not self.id:
            _set_id(self)
        name = self.name
        # isidentifier() is the quickest test of the alphabet; it only lacks the names that begin with a digit.
        if type(name) is not str or not (name.isidentifier() and name.isascii() and len(name) <= _NAME_LENGTH):
            _set_name(self)
        arguments: Any = self.arguments
        if type(arguments) is _Frozen:
            force_setattr(self, "arguments", arguments.value)
        elif arguments is not _NO_ARGUMENTS:
            try:
                force_setattr(self, "arguments", freeze_object(arguments))
            except NotJsonError as error:
                raise not_json(error, "arguments", no_object="arguments_not_object") from None
        if self.provider_data is not None:
            force_setattr(self, "provider_data", frozen_object(self.provider_data, "provider_data"))

    @staticmethod
    def new(name: str, /, **arguments: Any) -> ToolCall:
        """Make a call with a fresh unique id: ``ToolCall.new("read_file", path="README.md")``."""
        unique = b2a_base64(urandom(18), newline=False).translate(_URL_SAFE).decode("ascii")
        return ToolCall(f"call_{unique}", name, arguments)

    @staticmethod
    def parse(
        id: str, name: str, arguments_text: str | None, *, provider_data: JsonObject | None = None
    ) -> ToolCall | InvalidToolCall:
        """Read a call whose arguments are the text that a model sent.

        No text (none, empty, blank or ``null``) means no arguments. What is not a JSON object, or names no legal
        tool, gives an :class:`InvalidToolCall` whose ``reason`` a model can mend its call from.

        Raises:
            InvalidMessageError: The id is empty, or one of the three is not text; that is the caller's fault, not the
                model's.
        """
        if type(name) is not str:
            name = plain_text(name, "name")
        text = "" if arguments_text is None else arguments_text
        if type(text) is not str:
            text = plain_text(text, "arguments_text")
        if not _is_legal_name(name):
            reason = f"The tool name is not legal: it {_NAME_RULE}."
            return InvalidToolCall(id, name, text, reason, provider_data)
        arguments = _read_arguments(text)
        if isinstance(arguments, str):
            return InvalidToolCall(id, name, text, arguments, provider_data)
        return ToolCall(id, name, _Frozen(arguments), provider_data)  # type: ignore[arg-type]

    def has_argument(self, key: str) -> bool:
        """Say whether the model gave this argument."""
        return key in self.arguments

    @overload
    def get_argument(self, key: str, type: type[T], default: None = None) -> T | None: ...

    @overload
    def get_argument(self, key: str, type: type[T], default: D) -> T | D: ...

    def get_argument(self, key: str, type: type[T], default: D | None = None) -> T | D | None:
        """Return one argument as ``type``, or ``default`` where the model gave none.

        Raises:
            InvalidMessageError: It is there and does not fit (``argument_mismatch``).
        """
        return argument_as(self.arguments, key, type, default)

    def arguments_as(self, type: type[T]) -> T:
        """Return all arguments as a dataclass, msgspec Struct, TypedDict, attrs or pydantic class.

        Raises:
            InvalidMessageError: They do not fit (``argument_mismatch``).
        """
        return fitted(self.arguments, type, "arguments")

    def __hash__(self) -> int:
        return hash((self.id, self.name))

    def __repr__(self) -> str:
        return f"ToolCall(id={self.id!r}, name={self.name!r}, arguments=<{len(self.arguments)} keys>)"


class InvalidToolCall(MessageValue, frozen=True, gc=False):
    """A call that a model wrote and nobody can run: kept in the history, and answered with an error like any other.

    ``name`` and ``arguments_text`` are what the model sent, whatever that was; ``reason`` says what is wrong with it.

    Raises:
        InvalidMessageError: ``empty_id``, ``not_json_value`` or ``wrong_shape``.
    """

    id: str
    name: str
    arguments_text: str
    reason: str
    provider_data: JsonObject | None = None

    def __post_init__(self) -> None:
        if type(self.id) is not str or not self.id:
            _set_id(self)
        for field in ("name", "arguments_text", "reason"):
            force_setattr(self, field, plain_text(getattr(self, field), field))
        if self.provider_data is not None:
            force_setattr(self, "provider_data", frozen_object(self.provider_data, "provider_data"))

    def __hash__(self) -> int:
        return hash((self.id, self.name, self.arguments_text))

    def __repr__(self) -> str:
        return (
            f"InvalidToolCall(id={self.id!r}, name={self.name[:_NAME_LENGTH]!r}, "
            f"arguments_text=<{len(self.arguments_text)} chars>, reason={self.reason!r})"
        )


class ToolResult(MessageValue, frozen=True, gc=False):
    """What goes back to the model for one call.

    Raises:
        InvalidMessageError: ``tool_call_id_missing`` or ``wrong_shape``.
    """

    tool_call_id: str
    result: str
    is_error: bool = False

    def __post_init__(self) -> None:
        if type(self.tool_call_id) is not str or type(self.result) is not str:
            for field in ("tool_call_id", "result"):
                force_setattr(self, field, plain_text(getattr(self, field), field))
        if not self.tool_call_id:
            raise InvalidMessageError("must name the call", code="tool_call_id_missing", path="tool_call_id")
        if type(self.is_error) is not bool:
            raise InvalidMessageError("must be true or false", code="wrong_shape", path="is_error")

    @staticmethod
    def success(id: str, text: str) -> ToolResult:
        """Answer the call ``id`` with what the tool gave; an empty text is fine."""
        return ToolResult(id, text)

    @staticmethod
    def error(id: str, text: str) -> ToolResult:
        """Answer the call ``id`` with what went wrong, in words that the model can act on."""
        return ToolResult(id, text, is_error=True)

    def __repr__(self) -> str:
        return (
            f"ToolResult(tool_call_id={self.tool_call_id!r}, result=<{len(self.result)} chars>, "
            f"is_error={self.is_error})"
        )


_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")


def _set_id(call: ToolCall | InvalidToolCall) -> None:
    id = plain_text(call.id, "id")
    if not id:
        raise InvalidMessageError("must not be empty", code="empty_id", path="id")
    force_setattr(call, "id", id)


def _set_name(call: ToolCall) -> None:
    name = plain_text(call.name, "name")
    if not _is_legal_name(name):
        raise InvalidMessageError(_NAME_RULE, code="invalid_name", path="name")
    force_setattr(call, "name", name)


def _read_arguments(text: str) -> JsonObject | str:
    """Return the arguments, or the reason why there are none, in words for the model."""
    try:
        value = decode(text) if text else None
        if value is None:
            return _NO_ARGUMENTS
        if value.__class__ is dict:
            return freeze_decoded(value)
    except NotJsonError as error:
        return f"The arguments cannot be used: {error}."
    except msgspec.ValidationError:
        return "The arguments hold a number that is out of range."
    except msgspec.DecodeError as error:
        if text.isspace():
            return _NO_ARGUMENTS
        return f"The arguments are not valid JSON: {error}. Send one complete JSON object."
    except RecursionError:
        return "The arguments are nested too deeply."
    return "The arguments are not a JSON object: send one object with a key for each argument."
