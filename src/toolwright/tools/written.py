"""How definitions and their parts are written down as JSON, and read back.

This module may not know which parts there are: each brings a table of rules, one for each field.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import msgspec
from msgspec.structs import force_setattr

from toolwright.errors import DefinitionDecodeError, InvalidDefinitionError
from toolwright.schema import Schema
from toolwright.tools.rules import (
    Issues,
    Rule,
    is_mapping,
    is_sequence,
    mismatch,
    moved,
    note_keys,
    refuse,
    settled_fields,
)
from toolwright.values import Value, decode, encode, thaw

__all__ = ["Written", "plain"]


class Written(Value, frozen=True, gc=False):
    """A value of this room: checked by its rules however it is made, and equal where its JSON is.

    Equality is by JSON because Python holds more equal than JSON does: there, ``True`` is ``1``, and ``1`` is ``1.0``.
    """

    noun: ClassVar[str]
    """What the value is called in an error."""
    rules: ClassVar[Mapping[str, Rule]]
    """The rule of each field."""
    required_fields: ClassVar[tuple[str, ...]] = ()
    """The fields that must be given in a mapping."""
    always_written: ClassVar[frozenset[str]] = frozenset()
    """The fields that stand in the JSON also where they are at their default."""

    def __post_init__(self) -> None:
        issues: Issues = []
        for name, rule in self.rules.items():
            given = getattr(self, name)
            settled = rule(given, name, issues)
            if settled is not given:
                force_setattr(self, name, settled)
        if issues:
            raise refuse(self.noun, issues)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Read what ``to_dict`` wrote; unknown fields are ignored and missing optional ones are fine.

        Raises:
            InvalidDefinitionError: A rule is broken; ``report`` says all that is wrong.
        """
        issues: Issues = []
        source: object = fields
        if not is_mapping(source):
            mismatch(source, "", "object", issues)
            raise refuse(cls.noun, issues)
        known = {name: source[name] for name in cls.rules if name in source}
        made = cls.read(known, "", issues)
        if made is None:
            raise refuse(cls.noun, issues)
        return made

    @classmethod
    def read(cls, value: object, path: str, issues: Issues) -> Self | None:
        """Return the value, also if it is written as a mapping; what is wrong with it is noted."""
        if isinstance(value, cls):
            return value
        if not is_mapping(value):
            mismatch(value, path, "object", issues)
            return None
        note_keys(value, cls.rules, cls.required_fields, path, issues)
        known = {name: value[name] for name in cls.rules if name in value}
        if not all(name in known for name in cls.required_fields):
            settled_fields(known, cls.rules, path, issues)
            return None
        try:
            return cls(**known)
        except InvalidDefinitionError as error:
            issues += [moved(issue, path) for issue in (error.report.errors if error.report else ())]
        return None

    @classmethod
    def from_json(cls, text: bytes | str) -> Self:
        """Read the canonical JSON; unknown fields are ignored and missing optional ones are fine.

        Raises:
            DefinitionDecodeError: The JSON is malformed.
            InvalidDefinitionError: A rule is broken; ``report`` says all that is wrong.
        """
        try:
            fields: Any = decode(text)
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            fault = DefinitionDecodeError("the text is not valid JSON", code="malformed_json")
        else:
            return cls.from_dict(fields)
        raise fault  # outside the handler, so that no context leads to what it quotes

    def to_dict(self) -> dict[str, Any]:
        """Return the value as JSON has it, free to be changed; what is at its default is left out."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__}
        return {name: plain(value) for name, value in fields.items() if not self._is_left_out(name, value)}

    def _is_left_out(self, name: str, value: object) -> bool:
        defaults = dict(zip(reversed(self.__struct_fields__), reversed(self.__struct_defaults__), strict=False))
        return name not in self.always_written and name in defaults and value == defaults[name]

    def to_json(self) -> bytes:
        """Return the canonical JSON; what ``from_json`` reads back gives an equal value."""
        return encode(self.to_dict())

    def canonical(self) -> bytes:
        """Return the JSON with its keys in order, the same for equal values."""
        return encode(self.to_dict(), canonical=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, (self.to_dict(),)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return self.canonical() == other.canonical() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.canonical())


def plain(value: Any) -> Any:
    """Return the value of a field as JSON has it, free to be changed."""
    if isinstance(value, (Schema, Written)):
        return value.to_dict()
    if is_sequence(value):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, str) else thaw(value)
