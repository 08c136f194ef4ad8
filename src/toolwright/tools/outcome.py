"""What a tool gives: one value for every way in which a call can end.

An outcome is made once and never changes. Whatever a tool returned has become JSON in it; what a model reads of it
comes from :meth:`ToolOutcome.for_model`, which shows neither stack traces nor secrets nor paths of this machine.

This room decides nothing: who runs a tool, and whether, is not known here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any, Final, Self, cast

import msgspec
from msgspec.structs import force_setattr

from toolwright.errors import MessageDecodeError, NotJsonError, PathOutsideWorkspaceError
from toolwright.schema.report import ValidationReport
from toolwright.tools.artifacts import Artifact, refuse_other_types
from toolwright.tools.codes import meaning_of
from toolwright.tools.excerpt import shorten
from toolwright.tools.model_view import view
from toolwright.tools.plain import to_json_value
from toolwright.values import JsonObject, JsonValue, Value, convert, decode, encode, freeze_object

__all__ = ["ToolOutcome"]

# What copies a Struct field by field and checks nothing again; Value itself copies as what it is.
_copy: Final[Callable[[Any], Any]] = attrgetter("__copy__")(msgspec.Struct)
_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_IMMUTABLE: Final = frozenset([str, bool, type(None)])  # of a number it has to be seen whether JSON can express it
_SMALL: Final = 2**53  # whole numbers up to here are so everywhere
_NOTHING: Final[JsonObject] = freeze_object({})
_MOST_HELD: Final = 5


class ToolOutcome(Value, frozen=True, kw_only=True, gc=True):
    """How a call ended.

    ``data`` may be given as anything that has a JSON form and is immutable JSON from then on; what has none makes the
    outcome a failure that says so (``output_invalid``). ``exception`` is for programs in this process: it is in no
    JSON. ``duration`` is in seconds. ``max_chars`` is the tool's own limit for :meth:`for_model`. ``more`` names what
    was cut off, where it can be read on.

    Raises:
        TypeError: A field holds what it may not, such as an exception for ``error``: ``from_exception`` takes those.
        ValueError: A success with an error or a code, or a code that is no snake_case word.
        NotJsonError: ``metadata`` is not a JSON object.
    """

    success: bool
    data: JsonValue = None
    message: str | None = None
    error: str | None = None
    error_code: str | None = None
    exception: BaseException | None = None
    artifacts: tuple[Artifact, ...] = ()
    suggestions: tuple[str, ...] = ()
    duration: float | None = None
    truncated: bool = False
    max_chars: int | None = None
    metadata: JsonObject = _NOTHING
    more: str | None = None

    def __post_init__(self) -> None:
        kind = self.data.__class__
        if kind not in _IMMUTABLE and not (kind is int and -_SMALL < self.data < _SMALL):
            self._freeze_data()
        if self.metadata is not _NOTHING:
            force_setattr(self, "metadata", freeze_object(self.metadata or {}))
        if self.artifacts.__class__ is not tuple:
            force_setattr(self, "artifacts", tuple(self.artifacts))
        if self.suggestions.__class__ is not tuple:
            force_setattr(self, "suggestions", _several(self.suggestions))
        if (
            self.success is True
            and self.error is self.error_code is self.message is self.more is None
            and self.max_chars is None
            and not self.artifacts
            and not self.suggestions
            and (self.duration is None or self.duration.__class__ is float)
        ):
            return  # the usual case, in the way of every call
        refuse_other_types(self, _FIELDS)
        _refuse_others_in(self.artifacts, Artifact, "artifacts")
        _refuse_others_in(self.suggestions, str, "suggestions")
        if not self.success:
            self._name_failure(self.error_code or "tool_error")
        elif self.error is not None or self.error_code is not None:
            raise ValueError("a success has neither an error nor an error code")

    def _freeze_data(self) -> None:
        try:
            force_setattr(self, "data", to_json_value(self.data))
        except NotJsonError as error:
            place = (
                f"data{error.path}" if error.path.startswith("[") else f"data.{error.path}" if error.path else "data"
            )
            force_setattr(self, "data", None)
            if self.success:
                force_setattr(self, "success", False)
                force_setattr(self, "error", f"The tool's result cannot be given as JSON: {place} {error.problem}.")
                force_setattr(self, "error_code", "output_invalid")

    def _name_failure(self, code: str) -> None:
        if _CODE.fullmatch(code) is None:
            raise ValueError("an error code is a snake_case word of at most 64 characters")
        force_setattr(self, "error_code", code)
        if self.error is None:
            force_setattr(self, "error", self.message or meaning_of(code))

    @classmethod
    def ok(
        cls,
        data: object = None,
        *,
        message: str | None = None,
        artifacts: Iterable[Artifact] = (),
        suggestions: Iterable[str] = (),
        max_chars: int | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Self:
        """The tool did what it was asked to do; ``message`` says so to people in one line."""
        return cls(
            success=True,
            data=data,  # made JSON on construction
            message=message,
            artifacts=tuple(artifacts),
            suggestions=_several(suggestions),
            max_chars=max_chars,
            metadata=_NOTHING if metadata is None else metadata,
        )

    @classmethod
    def failed(
        cls,
        error: str,
        *,
        code: str = "tool_error",
        partial: object = None,
        message: str | None = None,
        exception: BaseException | None = None,
        artifacts: Iterable[Artifact] = (),
        suggestions: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> Self:
        """The tool could not do it; ``partial`` is what it has nevertheless.

        Say in ``error`` what was wrong and what to do about it: a model reads it. ``code`` is a documented code or a
        snake_case word of the tool's own.
        """
        return cls(
            success=False,
            data=partial,  # made JSON on construction
            message=message,
            error=error,
            error_code=code,
            exception=exception,
            artifacts=tuple(artifacts),
            suggestions=_several(suggestions),
            metadata=_NOTHING if metadata is None else metadata,
        )

    @classmethod
    def from_exception(cls, exception: BaseException, *, context: str | None = None) -> Self:
        """The tool raised; ``context`` says what it was doing (``Reading the index``)."""
        code = "path_outside_workspace" if isinstance(exception, PathOutsideWorkspaceError) else "tool_error"
        words = _words_of(exception)
        held = _held_by(exception)
        if held:  # a group itself says no more than how many there are
            words += ": " + "; ".join(map(_words_of, held))
        return cls.failed(f"{context}: {words}" if context else words, code=code, exception=exception)

    @classmethod
    def cancelled(cls, reason: str | None = None) -> Self:
        """The call was stopped."""
        return cls.failed(reason or meaning_of("cancelled"), code="cancelled")

    @classmethod
    def denied(cls, reason: str | None = None) -> Self:
        """Somebody, or a rule, refused the call."""
        return cls.failed(f"The call was denied: {reason}" if reason else meaning_of("denied"), code="denied")

    @classmethod
    def invalid(cls, report: ValidationReport) -> Self:
        """The arguments are wrong; the report says where and how."""
        text = report.message
        return cls.failed(
            f"The arguments are not valid:\n{text}" if text else meaning_of("validation_failed"),
            code="validation_failed",
        )

    @classmethod
    def timed_out(cls, seconds: float) -> Self:
        """The call was stopped after its time limit."""
        return cls.failed(f"The call was stopped after its time limit of {seconds:g} s.", code="timed_out")

    @classmethod
    def not_found(cls, name: str, suggestions: Iterable[str] = ()) -> Self:
        """There is no tool of that name; ``suggestions`` are the nearest ones."""
        near = _several(suggestions)
        hint = f" Did you mean {' or '.join(repr(word) for word in near[:3])}?" if near else ""
        return cls.failed(
            f"There is no tool named {shorten(name, 80)!r}.{hint}", code="tool_not_found", suggestions=near
        )

    def for_model(self, max_chars: int = 50_000, *, workspace: str | os.PathLike[str] | None = None) -> str:
        """Return what the model reads: the data, or what went wrong and what to try; then artifacts and suggestions.

        Never longer than ``max_chars``, nor than the tool's own limit: what is too long is cut in the middle, and a
        line says how much was left out and how to get it. Secrets of known shapes, stack traces and paths outside the
        ``workspace`` are not shown.
        """
        room = max_chars if self.max_chars is None else min(max_chars, self.max_chars)
        return view(self, max(0, room), None if workspace is None else os.path.realpath(workspace))

    def took(self, seconds: float) -> Self:
        """Return the same outcome with its duration; the data, already immutable, is neither copied nor looked at."""
        copy: Self = _copy(self)
        force_setattr(copy, "duration", seconds)
        return copy

    def to_json(self) -> bytes:
        """Return the canonical JSON. The exception is not in it."""
        return encode(self._without_exception())

    def __reduce__(self) -> tuple[Any, ...]:
        return super(ToolOutcome, self._without_exception()).__reduce__()

    def _without_exception(self) -> Self:
        """Return what may leave this process: an exception is for programs here, and may hold anything."""
        if self.exception is None:
            return self
        copy: Self = _copy(self)
        force_setattr(copy, "exception", None)
        return copy

    @classmethod
    def from_json(cls, text: bytes | str) -> Self:
        """Read the JSON form; unknown fields are ignored.

        Raises:
            MessageDecodeError: The JSON is malformed, or of another shape.
        """
        try:
            fields: object = decode(text)
            if isinstance(fields, dict):
                cast("dict[str, Any]", fields).pop("exception", None)
            return convert(fields, cls)
        except (msgspec.DecodeError, msgspec.ValidationError, ValueError, TypeError, RecursionError):
            pass
        raise MessageDecodeError("the JSON is not that of a tool's outcome", code="wrong_shape")

    def __hash__(self) -> int:
        return hash((self.success, self.error, self.error_code, self.message))

    def __repr__(self) -> str:
        code = "" if self.success else f", error_code={self.error_code!r}"
        return f"ToolOutcome(success={self.success}{code}, data=<{type(self.data).__name__}>, duration={self.duration})"


_FIELDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "success": bool,
    "message": str,
    "error": str,
    "error_code": str,
    "exception": BaseException,
    "duration": (int, float),
    "truncated": bool,
    "max_chars": int,
    "more": str,
}


def _refuse_others_in(items: tuple[object, ...], kind: type, field: str) -> None:
    for index, item in enumerate(items):
        if not isinstance(item, kind):
            raise TypeError(f"{field}[{index}]: must be {_ITEMS[field]}, not a {type(item).__name__}")


_ITEMS: Final = {"artifacts": "an Artifact", "suggestions": "text"}


def _several(texts: Iterable[str]) -> tuple[str, ...]:
    """Return texts; one text alone is one of them, not as many as it has letters."""
    return (texts,) if isinstance(texts, str) else tuple(texts)


def _words_of(exception: BaseException) -> str:
    """Return what an exception says, and its type where it says nothing, or too little."""
    name = type(exception).__name__
    try:
        words = str(exception) or name
    except Exception:  # noqa: BLE001  an exception of somebody else's, whose text may be one more fault
        return name
    return f"KeyError: {words}" if isinstance(exception, KeyError) else words  # its text is the bare key


def _held_by(exception: BaseException) -> list[BaseException]:
    """Return the first few exceptions that a group holds, also in groups within it; none of what is no group."""
    found: list[BaseException] = []
    waiting: list[BaseException] = [exception] if isinstance(exception, BaseExceptionGroup) else []
    while waiting and len(found) < _MOST_HELD:
        first = waiting.pop(0)
        if isinstance(first, BaseExceptionGroup):
            waiting[:0] = cast("BaseExceptionGroup[BaseException]", first).exceptions
        else:
            found.append(first)
    return found
