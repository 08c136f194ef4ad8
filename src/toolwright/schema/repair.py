"""Putting right what was plainly meant.

Models send ``"5"`` for 5, objects as JSON text, one item for a list. Where a value of the wanted type can be read from
what was sent in exactly one way, it is; everything else stays an error. A round converts where the evaluator found
faults and evaluates again, until nothing more can be done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from toolwright.errors import NotJsonError
from toolwright.schema.editions import Place
from toolwright.schema.faults import Fault, Unanswerable
from toolwright.schema.plain import make_plain
from toolwright.schema.report import ValidationIssue, ValidationReport, of_type
from toolwright.schema.validate import Validator
from toolwright.schema.wording import to_path
from toolwright.values import decode

if TYPE_CHECKING:
    from toolwright.schema.schema import Schema

__all__ = ["repair"]

_MOST_ROUNDS: Final = 20
# Each round mends at least one thing; JSON text inside JSON text is opened a level a round.

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?")
_LONGEST_NUMBER: Final = 400
_NOTHING: Final = object()


class _Change(NamedTuple):
    place: Place
    value: Any
    """What to put there; ``_NOTHING`` takes the property away."""
    note: str


def repair(schema: Schema, validator: Validator, value: Any) -> tuple[Any, ValidationReport]:
    """Return a value with what was plainly meant put right, and the report on it with a warning for each change."""
    report = schema.validate(value)
    if report.valid:
        return value, report
    try:
        mended, changes = _mend(validator, make_plain(value))
    except (NotJsonError, Unanswerable, RecursionError):
        return value, report
    if not changes:
        return value, report
    coerced = [ValidationIssue.coerced(to_path(change.place), change.note) for change in changes]
    return mended, ValidationReport.combine(schema.validate(mended), ValidationReport.ok(*coerced))


def _mend(validator: Validator, value: Any) -> tuple[Any, list[_Change]]:
    made: list[_Change] = []
    faults = validator.faults(value)
    for _ in range(_MOST_ROUNDS):
        count = len(made)
        for suggest in (_readings, _omissions, _wrappings):
            value, faults, kept = _try(validator, value, faults, suggest)
            made += kept
        if len(made) == count or not faults:
            break
    return value, made


_Suggest = Callable[[Any, Sequence[Fault]], Iterable[_Change]]


def _try(
    validator: Validator, value: Any, faults: Sequence[Fault], suggest: _Suggest
) -> tuple[Any, Sequence[Fault], list[_Change]]:
    """Make the changes suggested, and take back those after which something is still, or newly, missing there."""
    changes = _outermost(suggest(value, faults))
    if not changes:
        return value, faults, []
    after = validator.faults(_changed(value, changes))
    kept = [change for change in changes if suggest is _readings or not _is_refused(change, after)]
    if len(kept) < len(changes):
        after = validator.faults(_changed(value, kept)) if kept else faults
    return (_changed(value, kept), after, kept) if kept else (value, faults, [])


def _outermost(changes: Iterable[_Change]) -> list[_Change]:
    """Return the changes that are not inside of what another one replaces, one for each place."""
    by_place = {change.place: change for change in changes}
    return [
        change for place, change in by_place.items() if not any(place[:end] in by_place for end in range(len(place)))
    ]


def _is_refused(change: _Change, faults: Sequence[Fault]) -> bool:
    depth = len(change.place)
    return any(fault.place[:depth] == change.place for fault in faults)


def _changed(value: Any, changes: Iterable[_Change]) -> Any:
    """Return a copy with the changes made: only what leads to one is copied."""
    here: dict[int, Any] = {}  # what has been copied already, by id, and so may be written to
    holder = [value]
    for change in changes:
        around: Any = holder
        for key in (0, *change.place[:-1]) if change.place else ():
            inner = around[key]
            if id(inner) not in here:
                inner = around[key] = inner.copy()
                here[id(inner)] = inner
            around = inner
        key = change.place[-1] if change.place else 0
        if change.value is _NOTHING:
            del around[key]
        else:
            around[key] = change.value
    return holder[0]


# Null for a property that may be left out


def _omissions(value: Any, faults: Sequence[Fault]) -> Iterable[_Change]:
    """Suggest to leave out what is null and may not be; where it then turns out to be required it is put back."""
    for fault in faults:
        if fault.value is None and fault.keyword not in _NOT_THERE and fault.place and isinstance(fault.place[-1], str):
            yield _Change(fault.place, _NOTHING, "left out the null, which means: not given")


_NOT_THERE: Final = frozenset(["required", "undefined", "propertyNames"])


# Text that is read as what is wanted


def _readings(value: Any, faults: Sequence[Fault]) -> Iterable[_Change]:
    for fault in faults:
        if fault.keyword == "type" and isinstance(fault.value, str):
            for name in _ORDER:
                if name in fault.argument:
                    read = _READERS[name](fault.value)
                    if read is not _NOTHING:
                        yield _Change(fault.place, read, f"read the text as {of_type(name)}")
                        break


def _integer(text: str) -> Any:
    match = len(text) <= _LONGEST_NUMBER and re.fullmatch(r"0|-?[1-9][0-9]*", text)
    return int(text) if match else _NOTHING


def _number(text: str) -> Any:
    """Read a number written as JSON writes it, if a float holds exactly that."""
    whole = _integer(text)
    if whole is not _NOTHING:
        return whole
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return _NOTHING
    number = float(text)
    exact = isfinite(number) and Decimal(repr(number)) == Decimal(text)
    return number if exact else _NOTHING


def _boolean(text: str) -> Any:
    return {"true": True, "false": False}.get(text, _NOTHING)


def _container(kind: type) -> Callable[[str], Any]:
    opening = "{" if kind is dict else "["

    def read(text: str) -> Any:
        if not text.lstrip().startswith(opening):
            return _NOTHING
        try:
            found = make_plain(decode(text))
        except (msgspec.DecodeError, NotJsonError, RecursionError):
            return _NOTHING
        return found if found.__class__ is kind else _NOTHING

    return read


# An integer is a number too: what can be read as one is. No other text can be read in two ways.
_ORDER: Final = ("integer", "number", "boolean", "object", "array")
_READERS: Final[dict[str, Callable[[str], Any]]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "object": _container(dict),
    "array": _container(list),
}


# A single item where an array is wanted


def _wrappings(value: Any, faults: Sequence[Fault]) -> Iterable[_Change]:
    for fault in faults:
        # A null is not one item but none; and where something else is allowed too, that may have been meant.
        if fault.keyword == "type" and fault.argument in (["array"], ["array", "null"], ["null", "array"]):
            item = fault.value
            if item is not None and item.__class__ is not list:
                yield _Change(fault.place, [item], "put the single item into an array")
