"""A structured answer: the form that is asked for, and what is read from what the model wrote.

Pure: what does not fit is a text for the model, never an exception.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import msgspec

from toolwright.errors import InvalidMessageError, NotJsonError
from toolwright.messages.decoding import fitted
from toolwright.schema import Schema
from toolwright.values import decode, encode, freeze, thaw

__all__ = ["FinalAnswer", "Reading"]

# Blanks are given back to nobody (`*+`): whatever a model repeats is looked at once.
_FENCED: Final = re.compile(r"```(?:json)?[^\S\n]*+\n(.*?)```", re.DOTALL)
_INSIDE: Final = "value"  # the key of an answer that is no object: providers want one


class Reading(NamedTuple):
    """What a text says in the form that was asked for: a value, or what is wrong with it and what the model is told."""

    value: Any = None
    problem: str | None = None
    correction: str = ""


class FinalAnswer:
    """Knows the form of the answer that is wanted.

    Raises:
        UnsupportedTypeError: No schema describes such a type.
    """

    def __init__(self, type: Any) -> None:
        self._type = type
        own = Schema.of(type)
        self._wrapped = own.to_dict().get("type") != "object"
        self.schema: Final = _around(own) if self._wrapped else own

    def read(self, text: str) -> Reading:
        """Return what an answer says; small slips are put right where no doubt is left."""
        try:
            given: Any = freeze(decode(_json_in(text)))
        except (msgspec.DecodeError, NotJsonError, RecursionError):
            return self._misfit("it is not valid JSON")
        repaired, report = self.schema.repair(given)
        if not report.valid:
            return self._misfit(report.message)
        value: Any = thaw(repaired)
        try:
            return Reading(fitted(value[_INSIDE] if self._wrapped else value, self._type, "answer"))
        except InvalidMessageError as error:
            return self._misfit(str(error))

    def _misfit(self, problem: str) -> Reading:
        schema = encode(self.schema.to_dict()).decode()
        correction = (
            f"Your answer does not have the form that is needed: {problem}\n"
            f"Answer again with JSON alone, which fits this schema:\n{schema}"
        )
        return Reading(None, problem, correction)


def _around(schema: Schema) -> Schema:
    inner = schema.to_dict()
    shared: dict[str, Any] = {name: inner.pop(name) for name in ("$defs", "$schema") if name in inner}
    whole = {"type": "object", "properties": {_INSIDE: inner}, "required": [_INSIDE], "additionalProperties": False}
    return Schema({**shared, **whole})


def _json_in(text: str) -> str:
    """Return the JSON in an answer, which may stand in a fence or between words."""
    fenced = _FENCED.search(text)
    if fenced:
        return fenced[1]
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text
