"""The types that are one value in JSON: the table of simple types, enums and literals.

This module knows no containers and no classes with fields.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import types
import typing
import uuid
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any, Final, get_args

from toolwright.errors import UnsupportedTypeError
from toolwright.schema.hints import Hint, name_of
from toolwright.values import thaw

__all__ = ["enumeration", "is_enum", "kind_of_value", "literal_values", "members_of", "scalar", "set_timezone"]

_BASE64: Final = {
    "type": "string",
    "contentEncoding": "base64",
    "pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
}
_CLOCK: Final = "[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?"
_SCALARS: Final[dict[Hint, dict[str, Any]]] = {
    str: {"type": "string"},
    typing.LiteralString: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    None: {"type": "null"},
    types.NoneType: {"type": "null"},
    datetime.datetime: {"type": "string", "format": "date-time"},
    datetime.date: {"type": "string", "format": "date"},
    # The standard's formats want an offset of every time of day, and know no fractions or signs of durations.
    datetime.time: {"type": "string", "pattern": f"^{_CLOCK}(Z|[+-][0-9]{{2}}:[0-9]{{2}})?$", "examples": ["14:30:00"]},
    datetime.timedelta: {
        "type": "string",
        "pattern": "^[+-]?P([0-9]+([.][0-9]+)?D)?(T([0-9]+([.][0-9]+)?[HMS])+)?$",
        "examples": ["PT1H30M"],
    },
    uuid.UUID: {"type": "string", "format": "uuid"},
    decimal.Decimal: {
        "type": ["string", "number"],
        "format": "decimal",
        "pattern": "^[+-]?[0-9]*[.]?[0-9]+([eE][+-]?[0-9]+)?$",
    },
    bytes: _BASE64,
    bytearray: _BASE64,
    memoryview: _BASE64,
    Any: {},
    object: {},
}

_ZONED: Final[dict[tuple[Hint, bool], dict[str, Any]]] = {
    (datetime.datetime, True): {"type": "string", "format": "date-time"},
    (datetime.datetime, False): {
        "type": "string",
        "pattern": f"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T{_CLOCK}$",
        "examples": ["2030-01-31T14:30:00"],
    },
    (datetime.time, True): {"type": "string", "format": "time"},
    (datetime.time, False): {"type": "string", "pattern": f"^{_CLOCK}$", "examples": ["14:30:00"]},
}  # fmt: skip

_KINDS: Final = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (types.NoneType, "null"))


def scalar(hint: Hint) -> dict[str, Any] | None:
    """Return the schema of a simple type, or None for any other."""
    try:
        found = _SCALARS.get(hint)
    except TypeError:  # it cannot be hashed, so it is not in the table
        return None
    if found is None and isinstance(hint, type) and issubclass(hint, PurePath):
        return {"type": "string", "format": "path"}
    return None if found is None else thaw(found)


def set_timezone(schema: dict[str, Any], *, aware: bool) -> None:
    """Make the schema of a point in time one that wants an offset, or one that wants none."""
    kind = next((kind for kind in (datetime.datetime, datetime.time) if schema == _SCALARS[kind]), None)
    if kind is not None:
        schema.clear()
        schema |= thaw(_ZONED[kind, aware])


def kind_of_value(value: object) -> str:
    """Return the JSON type of a simple value."""
    return next((word for kind, word in _KINDS if isinstance(value, kind)), "object")


def enumeration(values: Iterable[Any]) -> dict[str, Any]:
    """Return the schema of one of these values."""
    values = list(values)
    kinds = list(dict.fromkeys(map(kind_of_value, values)))
    limit = {"const": values[0]} if len(values) == 1 else {"enum": values}
    return {"type": kinds[0] if len(kinds) == 1 else kinds, **limit}


def literal_values(hint: Hint, where: str) -> list[Any]:
    """Return the values of a ``Literal``, those of enum members included.

    Raises:
        UnsupportedTypeError: One of them is not a JSON value.
    """
    values = [value.value if isinstance(value, enum.Enum) else value for value in get_args(hint)]
    return _all_simple(values, hint, where)


def is_enum(kind: Any) -> bool:
    """Tell whether something is an enum class."""
    return isinstance(kind, type) and issubclass(kind, enum.Enum)


def members_of(kind: type[enum.Enum], where: str) -> dict[str, Any]:
    """Return the schema of an enum: one of its values, or any combination of flags.

    Raises:
        UnsupportedTypeError: A member's value is neither text nor a number.
    """
    values = [member.value for member in kind]
    if issubclass(kind, enum.Flag):
        return {"type": "integer", "minimum": 0, "maximum": sum(values)}
    if not values:
        raise UnsupportedTypeError(f"{name_of(kind)} has no members", path=where)
    return enumeration(_all_simple(values, kind, where))


def _all_simple(values: list[Any], hint: Hint, where: str) -> list[Any]:
    if all(isinstance(value, (str, int, float, types.NoneType)) for value in values):
        return [value.value if isinstance(value, enum.Enum) else value for value in values]
    raise UnsupportedTypeError(
        f"{name_of(hint)} has a value that is neither text nor a number: give it one that is", path=where
    )
