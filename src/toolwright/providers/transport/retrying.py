"""When a request is made again, and after how long: a table, an exponential wait with jitter, what the server asks for.

Pure: it is told the time and what chance says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

__all__ = ["asked_wait", "is_passing", "own_wait"]

_PASSING: Final = frozenset([408, 409, 429])
_FIRST: Final = 0.5  # seconds
_LONGEST: Final = 30.0
_DOUBLINGS: Final = 6  # more than the longest wait needs, fewer than a float overflows at


def is_passing(status: int) -> bool:
    """Say whether the same request may be answered later: 408, 409, 429 and whatever is the server's own fault."""
    return status in _PASSING or 500 <= status <= 599


def own_wait(attempts: int, chance: float) -> float:
    """Return the seconds to wait after so many attempts; ``chance``, from 0 to 1, takes off up to a half.

    Those who failed at the same moment do not come back at the same moment.
    """
    return min(_LONGEST, _FIRST * 2.0 ** min(attempts - 1, _DOUBLINGS)) * (1 - chance / 2)


def asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that a server asks to wait, by seconds or by a date; None where it does not say."""
    seconds = _number(headers.get("retry-after-ms"))
    if seconds is not None:
        return seconds / 1_000
    asked = headers.get("retry-after", "").strip()
    seconds = _number(asked)
    return seconds if seconds is not None else _until(asked, now)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(date: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
