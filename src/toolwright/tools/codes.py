"""Why a call failed: the closed table of codes, what each means, and what a model can do about it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args

import msgspec

__all__ = ["CODES", "CodeMeaning", "OutcomeCode", "advice_for", "count_as", "meaning_of"]

OutcomeCode: TypeAlias = Literal[
    "tool_not_found",
    "validation_failed",
    "permission_denied",
    "denied",
    "approval_expired",
    "cancelled",
    "timed_out",
    "output_invalid",
    "isolation_unavailable",
    "resource_limit",
    "record_failed",
    "unknown_outcome",
    "tool_error",
]
"""Why a call failed. A tool may give a snake_case word of its own instead of ``tool_error``."""


class CodeMeaning(msgspec.Struct, frozen=True):
    """What a code says, for people, and what a model can do about it."""

    meaning: str
    advice: str


CODES: Final[Mapping[OutcomeCode, CodeMeaning]] = MappingProxyType({
    "tool_not_found": CodeMeaning("There is no such tool here.", "Use one of the tools that are offered."),
    "validation_failed": CodeMeaning(
        "The arguments are not what the tool takes.", "Correct the arguments and call the tool again."
    ),
    "permission_denied": CodeMeaning(
        "The caller may not do this.", "Do not repeat the call. Use another tool, or say what permission is missing."
    ),
    "denied": CodeMeaning(
        "The call was looked at and refused.", "Do not repeat the call. Mind the reason, or ask what to do."
    ),
    "approval_expired": CodeMeaning(
        "Nobody decided in time whether the call may run.", "It was not run. Ask before you call it again."
    ),
    "cancelled": CodeMeaning("The call was stopped before it was done.", "Repeat it only if you are asked to."),
    "timed_out": CodeMeaning(
        "The call took longer than it may.", "Part of it may be done. Check, and then ask for less at once."
    ),
    "output_invalid": CodeMeaning(
        "The tool ran, and gave what it may not give.", "The call may have had effects. Do not simply repeat it."
    ),
    "isolation_unavailable": CodeMeaning(
        "The isolation that the tool needs is not to be had on this machine.", "It was not run. Use another tool."
    ),
    "resource_limit": CodeMeaning("The call needed more than it may use.", "Ask for less at once, or try again later."),
    "record_failed": CodeMeaning(
        "The call could not be put on record, so it was not run.", "Nothing happened. Try again later."
    ),
    "unknown_outcome": CodeMeaning(
        "Nobody knows whether the call took effect.", "Check whether it did before you call it again."
    ),
    "tool_error": CodeMeaning("The tool failed.", "Change what the error speaks of, or try another way."),
})  # fmt: skip

_KNOWN_CODES: Final = frozenset(get_args(OutcomeCode))


def count_as(code: str | None) -> OutcomeCode | None:
    """Return the documented code that a metric counts: a tool's own word is a ``tool_error``."""
    return None if code is None else code if code in _KNOWN_CODES else "tool_error"  # type: ignore[return-value]


def meaning_of(code: str) -> str:
    """Return what a code says to people; of a tool's own word, that the tool failed."""
    return CODES[count_as(code) or "tool_error"].meaning


def advice_for(code: str) -> str:
    """Return what a model can do about a failure of this code."""
    return CODES[count_as(code) or "tool_error"].advice
