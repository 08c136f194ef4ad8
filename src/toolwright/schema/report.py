"""What validation found, in words that a person and a model can act on.

A :class:`ValidationIssue` says what is wrong, where, and what to do; a :class:`ValidationReport` gathers them. The
value that was given is kept for programs in ``provided`` and goes nowhere else: not into a message, a repr or JSON.

This module knows no schema: a tool's own checks make the same issues.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Literal

import msgspec

from toolwright.values import encode

__all__ = ["ErrorCode", "ValidationIssue", "ValidationReport", "WarningCode", "listed", "number_range", "of_type"]

ErrorCode = Literal[
    "required",
    "type_mismatch",
    "invalid_enum",
    "out_of_range",
    "pattern_mismatch",
    "additional_property",
    "path_not_found",
    "path_outside_workspace",
    "invalid_value",
]
"""What an error is about."""

WarningCode = Literal["deprecated", "large_value", "slow_operation", "coerced"]
"""What a warning is about."""

_ONE_OF = {"characters": "character", "items": "item", "properties": "property"}

_MOST_LISTED = 20
_LONGEST_WORD = 80


@lru_cache(maxsize=256)
def of_type(types: str) -> str:
    """Return JSON type names as they stand in a sentence: ``a string``, ``an integer or null``."""
    return " or ".join(_ARTICLES.get(name, name) for name in types.split(" or "))


_ARTICLES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "object": "an object",
    "array": "an array",
}


def listed(values: Iterable[object], count: int) -> str:
    """Return allowed values as they stand in a sentence: ``'a', 'b'``. Of very many, the first are listed."""
    words: list[str] = []
    for value in values:
        if len(words) == _MOST_LISTED:
            return f"{', '.join(words)} and {count - _MOST_LISTED:,} more"
        words.append(_word(value))
    return ", ".join(words)


def _word(value: object) -> str:
    text = f"'{value}'" if isinstance(value, str) else encode(value).decode()
    return _cut(text, _LONGEST_WORD)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}..."


@lru_cache(maxsize=256, typed=True)  # 1 and 1.0 are written differently
def number_range(
    minimum: float | None = None,
    maximum: float | None = None,
    *,
    above: float | None = None,
    below: float | None = None,
) -> str:
    """Return a range as it stands in a sentence: ``at least 1``, ``between 1 and 10``, ``more than 0``."""
    if minimum is not None and maximum is not None and above is None and below is None:
        return f"between {minimum} and {maximum}"
    bounds = (("at least", minimum), ("more than", above), ("at most", maximum), ("less than", below))
    return " and ".join(f"{words} {bound}" for words, bound in bounds if bound is not None)


class ValidationIssue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, dict=True):
    """One thing that is wrong with a value, or worth knowing about it.

    There is one factory per code, which words the message: ``ValidationIssue.required("options.depth")``.
    """

    path: str
    """Where: ``options.depth``, ``tags[2]``; empty for the value as a whole."""
    code: str
    """An :data:`ErrorCode` or a :data:`WarningCode`."""
    message: str
    """What is wrong and what to do, to be read after the path. Never quotes the value."""
    expected: str | None = None
    """What would have been right, in a few words."""

    @property
    def parameter(self) -> str:
        """The parameter that the issue is about: the first part of the path."""
        return self.path.split("[", 1)[0].split(".", 1)[0]

    @property
    def provided(self) -> Any:
        """What was given, for programs; ``None`` where nothing was kept."""
        # Beside the fields, not among them: so it is in no repr, comparison, JSON or pickle.
        return vars(self).get("provided")

    # Errors

    @classmethod
    def required(cls, path: str, *, because_of: str | None = None) -> ValidationIssue:
        """Something that must be given is missing; ``because_of`` is what makes it necessary."""
        message = "is missing" if because_of is None else f"is missing; it must be given with '{because_of}'"
        return cls(path=path, code="required", message=message)

    @classmethod
    def type_mismatch(cls, path: str, expected: str, actual: str, *, provided: Any = None) -> ValidationIssue:
        """The value has another JSON type than ``expected`` (``"integer"``, ``"string or null"``)."""
        message = f"must be {of_type(expected)}, not {of_type(actual)}"
        return _keep(cls(path=path, code="type_mismatch", message=message, expected=expected), provided)

    @classmethod
    def invalid_enum(cls, path: str, allowed: Iterable[object], *, provided: Any = None) -> ValidationIssue:
        """The value is none of those that are allowed."""
        values = list(allowed)
        words = listed(values, len(values))
        message = f"must be {words}" if len(values) == 1 else f"must be one of {words}"
        return _keep(cls(path=path, code="invalid_enum", message=message, expected=words), provided)

    @classmethod
    def out_of_range(
        cls,
        path: str,
        provided: Any = None,
        *,
        minimum: float | None = None,
        maximum: float | None = None,
        above: float | None = None,
        below: float | None = None,
        multiple_of: float | None = None,
        counted: str | None = None,
    ) -> ValidationIssue:
        """A number is too small or too large; or, with ``counted="items"``, there are too few or too many of them."""
        if multiple_of is not None:
            bounds = f"a multiple of {multiple_of}"
        else:
            bounds = number_range(minimum, maximum, above=above, below=below)
        message = f"must be {bounds}"
        if counted is not None:
            bounds = f"{bounds} {_ONE_OF.get(counted, counted) if bounds.endswith(' 1') else counted}"
            message = f"must have {bounds}"
        return _keep(cls(path=path, code="out_of_range", message=message, expected=bounds), provided)

    @classmethod
    def pattern_mismatch(
        cls, path: str, pattern: str | None = None, *, format: str | None = None, provided: Any = None
    ) -> ValidationIssue:
        """A text does not match a regular expression, or has not the ``format`` that it must have (``"date-time"``)."""
        expected = _cut(pattern if pattern is not None else f"{format}", 300)
        message = f"must match the pattern {expected}" if format is None else f"must be a valid {expected}"
        return _keep(cls(path=path, code="pattern_mismatch", message=message, expected=expected), provided)

    @classmethod
    def additional_property(cls, path: str, nearest: str | None = None, *, provided: Any = None) -> ValidationIssue:
        """The object has a property that is not defined; ``nearest`` is the one that was probably meant."""
        message = "is not defined here; leave it out"
        if nearest is not None:
            message = f"is not defined here; did you mean '{nearest}'?"
        return _keep(cls(path=path, code="additional_property", message=message, expected=nearest), provided)

    @classmethod
    def path_not_found(cls, path: str, *, provided: Any = None) -> ValidationIssue:
        """The parameter names a file or folder that does not exist."""
        message = "names a file or folder that does not exist"
        return _keep(cls(path=path, code="path_not_found", message=message), provided)

    @classmethod
    def path_outside_workspace(cls, path: str, *, provided: Any = None) -> ValidationIssue:
        """The parameter names a file or folder outside the workspace."""
        message = "names a file or folder outside the workspace; use a path inside it"
        return _keep(cls(path=path, code="path_outside_workspace", message=message), provided)

    @classmethod
    def invalid_value(cls, path: str, message: str, *, provided: Any = None) -> ValidationIssue:
        """The value is wrong in a way that no other code names; ``message`` says how, and may not quote it."""
        return _keep(cls(path=path, code="invalid_value", message=message), provided)

    # Warnings

    @classmethod
    def deprecated(cls, path: str, *, use: str | None = None) -> ValidationIssue:
        """A property that should no longer be given was; ``use`` is what to give instead."""
        message = "is deprecated" if use is None else f"is deprecated; use '{use}' instead"
        return cls(path=path, code="deprecated", message=message, expected=use)

    @classmethod
    def large_value(cls, path: str, details: str) -> ValidationIssue:
        """The value is unusually large; ``details`` says how large (``"250,000 characters"``)."""
        return cls(path=path, code="large_value", message=f"is unusually large: {details}")

    @classmethod
    def slow_operation(cls, path: str, reason: str) -> ValidationIssue:
        """The call will take long, because of this parameter."""
        return cls(path=path, code="slow_operation", message=f"may make this slow: {reason}")

    @classmethod
    def coerced(cls, path: str, change: str) -> ValidationIssue:
        """The value was converted; ``change`` says how (``"read the text as an integer"``)."""
        return cls(path=path, code="coerced", message=change)


def _keep(issue: ValidationIssue, provided: Any) -> ValidationIssue:
    if provided is not None:
        vars(issue)["provided"] = provided
    return issue


class ValidationReport(msgspec.Struct, frozen=True):
    """What validation found: the errors that stand in the way, and warnings that do not."""

    errors: tuple[ValidationIssue, ...] = ()
    warnings: tuple[ValidationIssue, ...] = ()

    @classmethod
    def ok(cls, *warnings: ValidationIssue) -> ValidationReport:
        """Nothing stands in the way; there may be something worth knowing.

        Raises:
            TypeError: A warning is no ``ValidationIssue``.
        """
        _refuse_others(warnings)
        return cls(warnings=warnings)

    @classmethod
    def invalid(cls, *errors: ValidationIssue) -> ValidationReport:
        """Something is wrong.

        Raises:
            ValueError: No error was given: a report without any is a valid one.
            TypeError: An error is no ``ValidationIssue``.
        """
        if not errors:
            raise ValueError("an invalid report needs at least one error; use ValidationReport.ok()")
        _refuse_others(errors)
        return cls(errors=errors)

    @classmethod
    def combine(cls, *reports: ValidationReport) -> ValidationReport:
        """Return everything that several reports say, each thing once and in order."""
        errors = dict.fromkeys(issue for report in reports for issue in report.errors)
        warnings = dict.fromkeys(issue for report in reports for issue in report.warnings)
        return cls(tuple(errors), tuple(warnings))

    @property
    def valid(self) -> bool:
        """Whether there are no errors. Warnings never block."""
        return not self.errors

    @property
    def message(self) -> str:
        """The errors as a list, one ``- path: what is wrong`` a line; empty when valid."""
        return "\n".join(
            f"- {issue.path}: {issue.message}" if issue.path else f"- {issue.message}" for issue in self.errors
        )


def _refuse_others(issues: tuple[object, ...]) -> None:
    """Refuse what is no issue where it is put into a report, not where somebody reads it."""
    for issue in issues:
        if not isinstance(issue, ValidationIssue):
            kind = type(issue).__name__
            raise TypeError(f"a ValidationIssue belongs here, such as invalid_value(path, message) makes, not a {kind}")
