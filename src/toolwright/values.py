"""JSON values: frozen, thawed, read and written.

Everything that a model, a file or a caller hands in as JSON passes through here once, and is immutable from then on.
Objects become read-only mappings and arrays become :class:`JsonArray`, so nothing that holds one can be changed through
it, nor through the reference that the caller kept.

This module may not know what the values are for: no message, schema or tool is mentioned here. It does no I/O.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, Final, Self, TypeAlias, TypeVar, cast, final

import msgspec

from toolwright.errors import NotJsonError

JsonValue: TypeAlias = Any
"""None, a bool, a number, a text, a :class:`JsonArray` or a read-only mapping of these."""

JsonObject: TypeAlias = Mapping[str, Any]
"""A read-only mapping from texts to JSON values."""

__all__ = [
    "MAX_DEPTH",
    "JsonArray",
    "JsonObject",
    "JsonValue",
    "Value",
    "convert",
    "decode",
    "encode",
    "freeze",
    "freeze_decoded",
    "freeze_object",
    "join_path",
    "scrub",
    "thaw",
]

T = TypeVar("T")

MAX_DEPTH: Final = 200
"""How deep a value may be nested: far above what tools need, far below where the interpreter's stack gives out."""

_KEY_SHOWN: Final = 64  # characters of a key in an error; keys may come from a model

# The interpreter writes integers of 4,300 digits and no more, and the decoder counts the sign as one: what cannot be
# written and read again must not get in.
_MOST: Final = 10**4300 - 1
_LEAST: Final = 1 - 10**4299

_type_of: Final = cast("Callable[[Any], type[Any]]", type)  # for checkers: they call the type of an Any unknown


@final
class JsonArray(tuple[Any, ...]):
    """An array of a frozen value: a tuple that also equals the list of the same items."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return super().__eq__(tuple(_items(other)) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return super().__hash__()

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"


def _items(array: Any) -> Any:
    return array


def join_path(parent: str, key: str | int) -> str:
    """Return the place of ``key`` inside ``parent``: ``options.depth``, ``tags[2]``."""
    if isinstance(key, int):
        return f"{parent}[{key}]"
    return f"{parent}.{key}" if parent else key


def _outside(error: NotJsonError, key: str | int) -> NotJsonError:
    """Return the fault as it is seen one level further out."""
    if error.code == "too_deep":
        return error  # two hundred steps would tell nobody anything
    head = join_path("", key if isinstance(key, int) else key[:_KEY_SHOWN])
    path = f"{head}.{error.path}" if error.path and not error.path.startswith("[") else head + error.path
    return NotJsonError(error.problem, code=error.code, path=path)


def freeze_object(value: Any, room: int = MAX_DEPTH) -> JsonObject:
    """Return an immutable copy of a JSON object, which may be nested ``room`` levels deep.

    Raises:
        NotJsonError: Something in it is not JSON; ``path`` says where.
    """
    # What a type says of itself, in `__class__` or in a `copy` of its own, is not relied on: type() and dict() are.
    kind = _type_of(value)
    if kind is dict:
        copy = value.copy()
    elif kind is MappingProxyType or issubclass(kind, Mapping):
        copy = dict(value)
    else:
        raise NotJsonError("must be an object (a mapping with text keys)", code="not_an_object")
    for key, item in copy.items():
        if type(key) is not str:
            return _with_plain_keys(copy, room)
        if type(item) is not str:
            try:
                copy[key] = freeze(item, room - 1)
            except NotJsonError as error:
                raise _outside(error, key) from None
    return MappingProxyType(copy)


def freeze_decoded(value: dict[str, Any]) -> JsonObject:
    """Make an object that :func:`decode` gave, and nobody else holds, immutable without copying it.

    Raises:
        NotJsonError: It is nested too deeply, or holds an integer that cannot be written.
    """
    for key, item in value.items():
        kind = _type_of(item)
        if kind is dict or kind is list or (kind is int and not _LEAST <= item <= _MOST):
            try:
                value[key] = freeze(item, MAX_DEPTH - 1)
            except NotJsonError as error:
                raise _outside(error, key) from None
    return MappingProxyType(value)


def _with_plain_keys(value: dict[Any, Any], room: int) -> JsonObject:
    """Freeze a mapping some of whose keys are not exactly ``str``: words of enums are, numbers are not text."""
    if not all(issubclass(type(key), str) for key in value):
        raise NotJsonError("has a key that is not text", code="key_not_text")
    return freeze_object({str.__str__(key): item for key, item in value.items()}, room)


def freeze(value: Any, room: int = MAX_DEPTH) -> JsonValue:
    """Return an immutable copy of a JSON value, which may be nested ``room`` levels deep.

    Raises:
        NotJsonError: It, or something in it, is not JSON; ``path`` says where.
    """
    kind = _type_of(value)
    if value is None or kind is str or kind is bool:
        return value
    if kind is int or kind is float or issubclass(kind, (str, int, float)):
        return _freeze_scalar(value, kind)
    if room <= 0:
        raise NotJsonError(f"is nested deeper than {MAX_DEPTH} levels", code="too_deep")
    if issubclass(kind, (list, tuple)):
        return _freeze_array(value, room)
    if kind is dict or issubclass(kind, Mapping):
        return freeze_object(value, room)
    raise NotJsonError(f"is a {kind.__name__}, which is not JSON", code="not_json")


def _freeze_scalar(value: Any, kind: type[Any]) -> str | int | float:
    """Reduce a subclass (words of enums, numpy's floats) to the plain value, by methods that it cannot override."""
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, int):
        whole = int.__int__(value)
        if not _LEAST <= whole <= _MOST:
            raise NotJsonError("is a number with too many digits", code="number_too_long")
        return whole
    real = float.__float__(value)
    if not isfinite(real):
        raise NotJsonError("is not a finite number", code="not_finite")
    return real


def _freeze_array(array: Iterable[Any], room: int) -> JsonArray:
    items: list[JsonValue] = []
    for index, item in enumerate(array):
        try:
            items.append(item if type(item) is str else freeze(item, room - 1))
        except NotJsonError as error:
            raise _outside(error, index) from None
    return JsonArray(items)


def thaw(value: Any) -> Any:
    """Return a plain copy that may be changed: dictionaries and lists instead of what :func:`freeze` made."""
    if value.__class__ in (dict, MappingProxyType):
        return {key: item if item.__class__ is str else thaw(item) for key, item in value.items()}
    if value.__class__ in (list, JsonArray):
        return [thaw(item) for item in value]
    return value


def scrub(value: Any) -> Any:
    """Return the value with every lone surrogate in its texts replaced by U+FFFD, as it goes on the wire."""
    if value.__class__ is str:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if value.__class__ is dict:
        return {scrub(key): scrub(item) for key, item in value.items()}
    if value.__class__ in (list, tuple):
        return [scrub(item) for item in value]
    return value


def _plain(value: Any) -> Any:
    """Tell msgspec how to write what it does not know: the read-only mappings of frozen values."""
    if value.__class__ is MappingProxyType:
        return value.copy()
    if value.__class__ is msgspec.Raw:  # written already; only asked for where something beside it has to be mended
        return msgspec.json.decode(value)
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON")


_encoder: Final = msgspec.json.Encoder(enc_hook=_plain)
_sorting_encoder: Final = msgspec.json.Encoder(enc_hook=_plain, order="sorted")


def encode(value: Any, *, canonical: bool = False) -> bytes:
    """Return a value, or a struct that holds values, as compact JSON.

    ``canonical`` sorts the keys, for digests and comparisons. A lone surrogate is written as U+FFFD.
    """
    encoder = _sorting_encoder if canonical else _encoder
    try:
        return encoder.encode(value)
    except UnicodeEncodeError:
        return encoder.encode(scrub(msgspec.to_builtins(value, enc_hook=_plain)))


_decoder: Final = msgspec.json.Decoder()


def decode(text: bytes | str, read: Callable[[bytes | str], T] = _decoder.decode) -> T:
    """Return what ``read`` makes of JSON text; half a surrogate pair is read as U+FFFD.

    Raises:
        msgspec.DecodeError: The text is not JSON, or (``msgspec.ValidationError``) not of the type wanted.
        RecursionError: It is nested too deeply to be read.
    """
    if type(text) is not str and isinstance(text, str):
        text = str.__str__(text)
    while True:  # at most three times: a text may need both ways of mending
        try:
            return read(text)
        except UnicodeEncodeError:
            mended = scrub(text)
        except UnicodeDecodeError:
            break
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            mended = _mend_escapes(text)
            if mended == text:
                raise
        text = mended
    raise msgspec.DecodeError("the bytes are not UTF-8")  # outside the handler: its error holds the bytes


# An escaped pair, a lone half, or any other escape: read in order, so that an escaped backslash before a "u" is
# never taken for the start of an escape.
_ESCAPES: Final = re.compile(
    r"\\(?:(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


def _mend_escapes(text: bytes | str) -> bytes | str:
    if isinstance(text, str):
        return _mended(text)
    return _mended(bytes(text).decode("latin-1")).encode("latin-1")


def _mended(text: str) -> str:
    return _ESCAPES.sub(lambda match: "\\ufffd" if match[2] else match[0], text)


def convert(value: Any, type: type[T]) -> T:
    """Return a JSON value as a Python type: a dataclass, Struct, TypedDict, attrs or pydantic class, ``Path``, ...

    Raises:
        msgspec.ValidationError: It does not fit. Its text may quote the value: translate it, do not pass it on.
    """
    return msgspec.convert(thaw(value), type, dec_hook=_build, str_keys=True)


def _build(type: type[T], value: Any) -> T:
    """Tell msgspec how to make what it does not know."""
    validate: Callable[[Any], T] | None = getattr(type, "model_validate", None)  # what pydantic's models have
    if validate is not None:
        return validate(value)
    if issubclass(type, PurePath) and isinstance(value, str):
        return type(value)
    raise TypeError(f"cannot make a {type.__name__} from JSON")


class Value(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The common manner of Toolwright's values: immutable, equal by value, JSON without configuration.

    Fields at their default are left out of the JSON; a changed copy comes from ``msgspec.structs.replace``.
    """

    def to_json(self) -> bytes:
        """Return the canonical JSON; what ``from_json`` reads back gives an equal value."""
        return encode(self)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Read-only mappings cannot be pickled; plain ones are, and the constructor freezes them again.
        return _restored, (type(self), {field: thaw(getattr(self, field)) for field in self.__struct_fields__})

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []  # rich would show every field with its content


def _restored(kind: type[Value], fields: dict[str, Any]) -> Value:
    """Make a value that was pickled again: by name, as some take their fields in no other way."""
    return kind(**fields)
