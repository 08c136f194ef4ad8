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
from typing import Any, Final, Self, TypeAlias, TypeVar, final

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

_HUGE: Final = 10**4000
# The interpreter refuses to write integers of more than 4,300 digits; one that cannot be written must not get in.


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
    if value.__class__ is dict or value.__class__ is MappingProxyType:
        copy = value.copy()
    elif issubclass(value.__class__, Mapping):
        copy = dict(value)
    else:
        raise NotJsonError("must be an object (a mapping with text keys)", code="not_an_object")
    for key, item in copy.items():
        if key.__class__ is not str:
            return _with_plain_keys(copy, room)
        if item.__class__ is not str:
            try:
                copy[key] = freeze(item, room - 1)
            except NotJsonError as error:
                raise _outside(error, key) from None
    return MappingProxyType(copy)


def freeze_decoded(value: dict[str, Any]) -> JsonObject:
    """Make an object that :func:`decode` gave, and nobody else holds, immutable without copying it.

    Raises:
        NotJsonError: It is nested too deeply.
    """
    for key, item in value.items():
        if item.__class__ is dict or item.__class__ is list:
            try:
                value[key] = freeze(item, MAX_DEPTH - 1)
            except NotJsonError as error:
                raise _outside(error, key) from None
    return MappingProxyType(value)


def _with_plain_keys(value: dict[Any, Any], room: int) -> JsonObject:
    """Freeze a mapping some of whose keys are not exactly ``str``: words of enums are, numbers are not text."""
    if not all(isinstance(key, str) for key in value):
        raise NotJsonError("has a key that is not text", code="key_not_text")
    return freeze_object({str.__str__(key): item for key, item in value.items()}, room)


def freeze(value: Any, room: int = MAX_DEPTH) -> JsonValue:
    """Return an immutable copy of a JSON value, which may be nested ``room`` levels deep.

    Raises:
        NotJsonError: It, or something in it, is not JSON; ``path`` says where.
    """
    # Subclasses (words of enums, numpy's floats) are reduced to the plain value that JSON has.
    if value is None or value.__class__ is bool:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        if not -_HUGE < value < _HUGE:
            raise NotJsonError("is a number with too many digits", code="number_too_long")
        return int(value)
    if isinstance(value, float):
        if not isfinite(value):
            raise NotJsonError("is not a finite number", code="not_finite")
        return float(value)
    if room <= 0:
        raise NotJsonError(f"is nested deeper than {MAX_DEPTH} levels", code="too_deep")
    if issubclass(value.__class__, (list, tuple)):
        return _freeze_array(value, room)
    if issubclass(value.__class__, Mapping):
        return freeze_object(value, room)
    raise NotJsonError(f"is a {type(value).__name__}, which is not JSON", code="not_json")


def _freeze_array(array: Iterable[Any], room: int) -> JsonArray:
    items: list[JsonValue] = []
    for index, item in enumerate(array):
        try:
            items.append(item if item.__class__ is str else freeze(item, room - 1))
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
    try:
        return read(text)
    except UnicodeEncodeError:
        return decode(scrub(text), read)
    except UnicodeDecodeError:
        mended = text
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        mended = _mend_escapes(text)
        if mended == text:
            raise
    if mended is text:
        raise msgspec.DecodeError("the bytes are not UTF-8")  # outside the handler: its error holds the bytes
    return read(mended)


# An escaped pair, a lone half, or any other escape: read in order, so that an escaped backslash before a "u" is
# never taken for the start of an escape.
_ESCAPES: Final = re.compile(
    r"\\(?:(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


def _mend_escapes(text: bytes | str) -> bytes | str:
    if isinstance(text, str):
        return _ESCAPES.sub(lambda match: "\\ufffd" if match[2] else match[0], text)
    return _ESCAPES.sub(lambda match: "\\ufffd" if match[2] else match[0], text.decode("latin-1")).encode("latin-1")


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
        return type(self), tuple(thaw(getattr(self, field)) for field in self.__struct_fields__)

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []  # rich would show every field with its content
