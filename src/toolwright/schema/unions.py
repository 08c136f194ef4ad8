"""Which alternative of a union a value was probably meant for.

``anyOf`` and ``oneOf`` fail as a whole; what helps is to hear what is missing from the alternative that came nearest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from toolwright.schema.plain import same_key

if TYPE_CHECKING:
    from toolwright.schema.editions import Place
    from toolwright.schema.faults import Fault

__all__ = ["nearest_faults"]


def nearest_faults(branches: Sequence[Sequence[Fault]], place: Place) -> Sequence[Fault]:
    """Return what is wrong by the alternative that came nearest; of what all of them refuse, all that is allowed."""
    fitting = [faults for faults in branches if not _names(faults, "type", place)]
    if not fitting:
        return _merged(branches, "type", place)
    literal = [faults for faults in fitting if _names(faults, "enum", place)]
    if len(literal) == len(fitting):
        return _merged(fitting, "enum", place)
    return _by_tag([faults for faults in fitting if not _names(faults, "enum", place)], place)


def _by_tag(branches: Sequence[Sequence[Fault]], place: Place) -> Sequence[Fault]:
    """Choose by the property that tells the alternatives apart, where there is one: its value is fixed in each."""
    tagged = [faults for faults in branches if not _tags(faults, place)]
    if tagged:
        # The fewer faults, the nearer; of equals the first.
        return min(tagged, key=len)
    for tag in (fault.place for fault in _tags(branches[0], place)):
        if all(_names(faults, "enum", tag) for faults in branches):
            return _merged(branches, "enum", tag)
    return min(branches, key=len)


def _names(faults: Iterable[Fault], keyword: str, place: Place) -> bool:
    return any(fault.keyword == keyword and fault.place == place for fault in faults)


def _tags(faults: Iterable[Fault], place: Place) -> list[Fault]:
    deeper = len(place) + 1
    return [
        fault
        for fault in faults
        if fault.keyword == "enum" and len(fault.place) == deeper and isinstance(fault.place[-1], str)
    ]


def _merged(branches: Sequence[Sequence[Fault]], keyword: str, place: Place) -> Sequence[Fault]:
    """Return one fault that lists what any of the alternatives would allow."""
    same = [fault for faults in branches for fault in faults if fault.keyword == keyword and fault.place == place]
    options = {same_key(option): option for fault in same for option in fault.argument}
    return [same[0]._replace(argument=list(options.values()))]
