"""What a tool returns, as JSON.

Tools return what they have: dataclasses, dates, sets, models of libraries. Here it becomes JSON that nobody can change
any more, by the same rules for every tool; what has no JSON form is refused, with its place.

This module knows no outcome and no schema. It does no I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any, cast

import msgspec

from toolwright.errors import NotJsonError
from toolwright.values import MAX_DEPTH, JsonValue, encode, freeze, join_path

__all__ = ["to_json_value"]


def to_json_value(value: object) -> JsonValue:
    """Return an immutable JSON value for anything that has one.

    Dataclasses, Structs, attrs and pydantic objects become objects; sets become arrays in a fixed order; dates, times,
    UUIDs, decimals and paths become text, bytes base64.

    Raises:
        NotJsonError: It, or something in it, has no JSON form; ``path`` says where.
    """
    try:
        return freeze(value)
    except NotJsonError as error:
        if error.code not in ("not_json", "key_not_text"):
            raise
    return freeze(_plain(value, "", MAX_DEPTH))


def _plain(value: Any, place: str, room: int) -> Any:
    if value is None or (isinstance(value, (str, int, float)) and not isinstance(value, Enum)):
        return value
    if room <= 0:
        raise NotJsonError(f"is nested deeper than {MAX_DEPTH} levels", code="too_deep")
    if isinstance(value, Mapping):
        return _object(cast("Mapping[object, object]", value), place, room)
    if isinstance(value, (list, tuple)):
        parts = cast("list[object]", value)
        return [_plain(item, join_path(place, index), room - 1) for index, item in enumerate(parts)]
    if isinstance(value, AbstractSet):
        members = [_plain(item, place, room - 1) for item in cast("AbstractSet[object]", value)]
        return sorted(members, key=lambda member: encode(freeze(member), canonical=True))
    return _plain(_opened(value, place), place, room - 1)


def _object(value: Mapping[object, object], place: str, room: int) -> dict[str, Any]:
    plain = {(name := _key(key, place)): _plain(item, join_path(place, name), room - 1) for key, item in value.items()}
    if len(plain) < len(value):
        raise NotJsonError("has two keys that are the same as text", code="key_not_text", path=place)
    return plain


def _key(key: object, place: str) -> str:
    """Return a mapping's key as text, which is all that JSON has: numbers, words of enums and dates can be written."""
    plain = key.value if isinstance(key, Enum) else key
    if plain is None or isinstance(plain, (bool, int, float)):
        return encode(plain).decode()
    plain = str(plain) if isinstance(plain, (str, PurePath)) else _scalar(plain, place)
    if isinstance(plain, str):
        return plain
    raise NotJsonError("has a key that is not text", code="key_not_text", path=place)


def _opened(value: Any, place: str) -> Any:
    """Return an object one step nearer to JSON."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, msgspec.Struct):
        names = zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True)
        return {shown: item for name, shown in names if (item := getattr(value, name)) is not msgspec.UNSET}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    attributes: Any = getattr(cast("object", value), "__attrs_attrs__", None)
    if attributes is not None and not isinstance(value, type):
        return {attribute.name: getattr(value, attribute.name) for attribute in attributes}
    if callable(dump := getattr(value, "model_dump", None)) and not isinstance(value, type):  # pydantic
        return cast("Callable[..., Any]", dump)(mode="json")
    if callable(listed := getattr(value, "tolist", None)) and hasattr(value, "dtype"):  # numpy
        return cast("Callable[[], Any]", listed)()
    return _scalar(value, place)


def _scalar(value: object, place: str) -> Any:
    try:
        return msgspec.to_builtins(value, str_keys=True)
    except (TypeError, ValueError, OverflowError):
        kind = type(value).__name__
    raise NotJsonError(f"is a {kind}, which has no JSON form", code="not_json", path=place)
