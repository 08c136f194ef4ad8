"""Calls written with a tag for each parameter: what stands between the tags is bare text.

``<function=f><parameter=p>text</parameter></function>`` and its relatives. The schema of a parameter says what its text
is; where a format marks it itself, that counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, NamedTuple, final

import msgspec

from toolwright.providers.text_calls.heads import BLANKS, Head, Run, first_match
from toolwright.providers.text_calls.readers import (
    BROKEN,
    CUT,
    Closing,
    Found,
    Step,
    Untyped,
    closing,
    overlap,
    prefixes,
)
from toolwright.values import decode

__all__ = ["TagReader", "Tags", "arg_tags", "function_tags", "invoke_tags"]

_KEY: Final = Run(r"^<>\"", 1, 256, "key")
_FLAG: Final = Run("a-z", 1, 8, "is_text")


class Tags(NamedTuple):
    """The tags of one format: how a parameter begins, how its text ends, and how the call does."""

    parameters: tuple[Head, ...]
    value_end: str
    end: Closing
    trims_lines: bool
    """Whether one line end after the opening tag, and one before the closing one, are part of the tags."""


def function_tags(*outer: str, stops: Iterable[str] = ()) -> Tags:
    """Return the tags of ``<function=f><parameter=p>``."""
    parameter = Head(BLANKS, "<parameter=", _KEY, ">")
    return Tags((parameter,), "</parameter>", closing("</function>", then=outer, stops=stops), trims_lines=True)


def invoke_tags(prefix: str, *outer: str, stops: Iterable[str] = ()) -> Tags:
    """Return the tags of ``<invoke name="f"><parameter name="p">``, with a prefix in each."""
    start = (BLANKS, f'<{prefix}parameter name="', _KEY, '"')
    parameters = (Head(*start, ">"), Head(*start, ' string="', _FLAG, '">'))
    end = closing(f"</{prefix}invoke>", then=outer, stops=stops)
    return Tags(parameters, f"</{prefix}parameter>", end, trims_lines=True)


def arg_tags(*outer: str, stops: Iterable[str] = ()) -> Tags:
    """Return the tags of ``<arg_key>p</arg_key><arg_value>text</arg_value>``."""
    parameter = Head(BLANKS, "<arg_key>", _KEY, "</arg_key>", BLANKS, "<arg_value>")
    return Tags((parameter,), "</arg_value>", closing("</tool_call>", then=outer, stops=stops), trims_lines=False)


@final
class TagReader:
    """Reads the parameters of one call, and its end."""

    def __init__(self, tags: Tags, name: str) -> None:
        self._tags = tags
        self._name = name
        self._key = ""
        self._is_text: bool | None = None
        self._pieces: list[str] = []
        self._values: dict[str, Any] = {}
        self._raw: list[str] = []
        self._problem = ""
        self._stage = self._between

    def read(self, text: str, at: int, *, last: bool) -> Step:
        """Read on from a place."""
        while True:
            stage = self._stage
            step = stage(text, at, last)
            self._raw.append(text[at : step.place])
            if step.state != "open" or self._stage == stage:
                return step
            at = step.place

    def _between(self, text: str, at: int, last: bool) -> Step:
        ended = self._tags.end.after(text, at, last=last)
        if ended is not None:
            return Step(ended, "done") if ended >= 0 else Step(at, "open")
        begun = first_match(self._tags.parameters, text, at, last=last)
        if begun == "wait":
            return Step(at, "open")
        if begun is None:
            self._problem = CUT if last and not text[at:].strip() else BROKEN
            self._stage = self._search
            return Step(at, "open")
        runs = begun[1].runs
        self._key = runs["key"].strip()
        self._is_text = runs["is_text"] == "true" if runs.get("is_text") else None
        self._pieces.clear()
        self._stage = self._value
        return Step(begun[1].end, "open")

    def _value(self, text: str, at: int, last: bool) -> Step:
        found = _pattern(self._tags.value_end).search(text, at)
        if found is not None:
            self._pieces.append(text[at : found.start()])
            self._take("".join(self._pieces))
            self._stage = self._between
            return Step(found.end(), "open")
        held = 0 if last else overlap(text, at, prefixes((self._tags.value_end,)))
        place = len(text) - held
        self._pieces.append(text[at:place])
        if last:
            self._problem = CUT
        return Step(place, "done" if last else "open")

    def _take(self, text: str) -> None:
        if self._tags.trims_lines:
            text = text.removeprefix("\r").removeprefix("\n").removesuffix("\n").removesuffix("\r")
        if self._key in self._values:
            self._problem = BROKEN  # which of the two was meant?
        if self._is_text is None:
            self._values[self._key] = Untyped(text)
        elif self._is_text:
            self._values[self._key] = text
        else:
            try:
                self._values[self._key] = decode(text)
            except (msgspec.DecodeError, ValueError, RecursionError):
                self._problem = BROKEN

    def _search(self, text: str, at: int, last: bool) -> Step:
        return self._tags.end.search(text, at, last=last)

    def found(self) -> tuple[Found, ...]:
        """Return the call."""
        if self._problem:
            return (Found(self._name, self._tags.end.cut_from("".join(self._raw)).strip(), problem=self._problem),)
        return (Found(self._name, self._values),)


@cache
def _pattern(word: str) -> re.Pattern[str]:
    return re.compile(re.escape(word))
