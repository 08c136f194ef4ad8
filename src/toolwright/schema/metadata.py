"""What stands beside a type in ``Annotated[...]``: constraints and words, as keywords of a schema.

``msgspec.Meta``, ``annotated_types``, pydantic's ``Field`` and ``Doc`` (PEP 727) are read by their attributes, so none
of them needs to be installed; anything else is somebody else's, and left alone. Plain text is not a description.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any, Final

from toolwright.errors import UnsupportedTypeError
from toolwright.schema.scalars import set_timezone

__all__ = ["apply_metadata", "read_metadata"]

_KNOWN: Final = {"msgspec", "annotated_types", "pydantic", "typing_extensions", "typing", "warnings"}

_NUMBERS: Final = {
    "ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum", "multiple_of": "multipleOf",
}  # fmt: skip
_WORDS: Final = {"title": "title", "description": "description", "documentation": "description"}
_LENGTHS: Final = {
    "min_length": {"string": "minLength", "array": "minItems", "object": "minProperties"},
    "max_length": {"string": "maxLength", "array": "maxItems", "object": "maxProperties"},
}


def _is_known(item: object) -> bool:
    return any(kind.__module__.partition(".")[0] in _KNOWN for kind in type(item).__mro__)


def read_metadata(items: Iterable[Any]) -> dict[str, Any]:
    """Return what is said beside a type, by the names that ``Meta`` uses; what comes later wins."""
    found: dict[str, Any] = {}
    for item in items:
        if not _is_known(item):
            continue
        if getattr(item, "__is_annotated_types_grouped_metadata__", False):
            found |= read_metadata(item)
            continue
        for name in (*_NUMBERS, *_LENGTHS, *_WORDS, "pattern", "tz", "examples", "deprecated"):
            value = getattr(item, name, None)
            if value is not None:
                found[_WORDS.get(name, name)] = value
        if type(item).__name__ == "Timezone":  # annotated_types': None stands for no time zone
            found["tz"] = item.tz is not None
        found |= read_metadata(getattr(item, "metadata", ()))  # what pydantic's Field has gathered
        extra = getattr(item, "extra_json_schema", None) or getattr(item, "json_schema_extra", None)
        if isinstance(extra, Mapping):
            found["extra"] = found.get("extra", {}) | dict(extra)  # pyright: ignore[reportUnknownArgumentType]
    return found


def apply_metadata(schema: dict[str, Any], found: Mapping[str, Any], *, kinds: set[str], where: str) -> None:
    """Add what was said beside a type to its schema; ``kinds`` are the JSON types that the schema allows.

    Raises:
        UnsupportedTypeError: A constraint has no meaning for the type, or none that JSON Schema can express.
    """
    if found.keys() & _NUMBERS.keys() and schema.get("format") == "decimal":
        # Only a number can be compared: text is no longer accepted for a decimal with bounds.
        schema.pop("pattern")
        schema["type"] = "number"
    if "tz" in found:
        set_timezone(schema, aware=found["tz"])
    for name, value in found.items():
        if name in _NUMBERS:
            _need(kinds, {"integer", "number"}, name, where)
            schema[_NUMBERS[name]] = _number(value, name, where)
        elif name in _LENGTHS:
            _need(kinds, set(_LENGTHS[name]), name, where)
            for kind in kinds & _LENGTHS[name].keys():
                schema[_LENGTHS[name][kind]] = _encoded_length(schema, value)
        elif name == "pattern":
            _need(kinds, {"string"}, name, where)
            schema["pattern"] = value.pattern if isinstance(value, re.Pattern) else value  # pyright: ignore[reportUnknownMemberType]
        elif name == "deprecated":
            schema["deprecated"] = bool(value)
        elif name == "examples":
            schema["examples"] = list(value)
        elif name not in ("tz", "extra"):
            schema[name] = value
    schema.update(found.get("extra", {}))


def _need(kinds: set[str], fitting: set[str], name: str, where: str) -> None:
    if not kinds & fitting:
        raise UnsupportedTypeError(
            f"{name!r} has no meaning in JSON Schema for {' or '.join(sorted(kinds)) or 'this type'}: "
            "leave it out, and check it in the code",
            path=where,
        )


def _number(value: Any, name: str, where: str) -> int | float:
    if isinstance(value, (Decimal, Fraction)):
        value = int(value) if value == int(value) else float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise UnsupportedTypeError(f"the bound {name!r} is not a number that JSON has", path=where)
    return value


def _encoded_length(schema: Mapping[str, Any], length: int) -> int:
    """Return a length as it counts in JSON, where each three bytes become four letters."""
    return (length + 2) // 3 * 4 if schema.get("contentEncoding") == "base64" else length
