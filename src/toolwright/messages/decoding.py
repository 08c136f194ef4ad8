"""How JSON becomes a message value, and what is said when it cannot.

The decoder quotes what it found in its errors; nothing of that may get out. So each of its errors is turned into one
of ours that keeps the place and drops the text.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any, Final, Self, TypeVar, cast

import msgspec

from toolwright.errors import InvalidMessageError, MessageDecodeError, NotJsonError
from toolwright.values import MAX_DEPTH, JsonObject, Value, convert, decode, freeze_object

__all__ = ["MessageValue", "argument_as", "fitted", "frozen_object", "not_json", "plain_text", "read"]

T = TypeVar("T")
D = TypeVar("D")


class MessageValue(Value, frozen=True, gc=False):
    """A value of this room: its ``from_json`` speaks of messages when it refuses."""

    @classmethod
    def from_json(cls, text: bytes | str) -> Self:
        """Read the canonical JSON; unknown fields are ignored and missing optional ones are fine.

        Raises:
            MessageDecodeError: The JSON is malformed, or its types are wrong.
            InvalidMessageError: The JSON is well formed and breaks a rule.
        """
        return read(cls, text)


@cache
def _decoder(type: Hashable) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(type)


def read(type: type[T], text: bytes | str) -> T:
    """Return JSON as ``type``, which is made of message values.

    Raises:
        MessageDecodeError: The JSON is malformed, or its types are wrong.
        InvalidMessageError: The JSON is well formed and breaks a rule.
    """
    fault: MessageDecodeError | InvalidMessageError
    try:
        result: T = decode(text, _decoder(cast("Hashable", type)).decode)
    except msgspec.ValidationError as error:
        fault = _translate(error)
    except msgspec.DecodeError:
        fault = MessageDecodeError("the text is not valid JSON", code="malformed_json")
    except RecursionError:
        fault = MessageDecodeError("the JSON is nested too deeply to be read", code="malformed_json")
    else:
        return result
    raise fault  # outside the handlers, so that no context leads to what they quote


_PLACE: Final = re.compile(r" - at `\$\.?([^`]*)`$")


def _translate(error: msgspec.ValidationError) -> MessageDecodeError | InvalidMessageError:
    text = str(error)
    found = _PLACE.search(text)
    place = found[1] if found else ""
    cause = error.__cause__
    if isinstance(cause, InvalidMessageError):
        inner = f".{cause.path}" if place and cause.path and not cause.path.startswith("[") else cause.path
        return type(cause)(cause.problem, code=cause.code, path=place + inner)
    if text.startswith("Invalid enum value") and place.endswith("role"):
        return InvalidMessageError("is not one of system, user, assistant, tool", code="unknown_role", path=place)
    return MessageDecodeError("the JSON has another shape than this value", code="wrong_shape", path=place)


def frozen_object(value: object, path: str, room: int = MAX_DEPTH) -> JsonObject:
    """Return an immutable copy of a field that holds a JSON object, which may be nested ``room`` levels deep.

    Raises:
        InvalidMessageError: It is not an object, or something in it is not JSON.
    """
    try:
        return freeze_object(value, room)
    except NotJsonError as error:
        raise not_json(error, path) from None


def not_json(error: NotJsonError, path: str, *, no_object: str = "not_json_value") -> InvalidMessageError:
    """Return the fault of a field; ``no_object`` is the code where the whole of it is no object."""
    inside = f"{path}.{error.path}" if error.path and not error.path.startswith("[") else path + error.path
    whole = not error.path and error.code == "not_an_object"
    return InvalidMessageError(error.problem, code=no_object if whole else "not_json_value", path=inside)


def plain_text(value: Any, path: str) -> str:
    """Return a text field as exactly ``str``.

    Raises:
        InvalidMessageError: It is not text (``wrong_shape``).
    """
    if not issubclass(type(value), str):  # isinstance() believes what an object says of its class
        raise InvalidMessageError("must be text", code="wrong_shape", path=path)
    return str.__str__(value)


def argument_as(arguments: Mapping[str, Any], key: str, type: type[T], default: D) -> T | D:
    """Return one argument of a call as ``type``, or ``default`` where there is none.

    Raises:
        InvalidMessageError: It is there and does not fit (``argument_mismatch``).
    """
    if key not in arguments:
        return default
    value = arguments[key]
    if value.__class__ is type and value.__class__ in (str, int, bool, float):
        return value
    return fitted(value, type, f"arguments.{key}")


def fitted(value: Any, type: type[T], path: str) -> T:
    """Return a JSON value as ``type``.

    Raises:
        InvalidMessageError: It does not fit (``argument_mismatch``).
    """
    try:
        return convert(value, type)
    except (msgspec.ValidationError, ValueError, TypeError):
        wanted = getattr(type, "__name__", str(type))
    raise InvalidMessageError(f"does not fit {wanted}", code="argument_mismatch", path=path)
