"""Arguments that Gemini streams value by value: places in the object, and what stands there.

On request, Gemini sends the arguments of a call as a list of ``partialArgs``. Each names a place by a JSON path and has
a value for it; a text may come in pieces, one after the other. This module puts them together, and knows nothing of
calls, parts or streams.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

import msgspec

from toolwright.errors import NotJsonError
from toolwright.values import MAX_DEPTH, decode, encode, freeze_object, thaw

__all__ = ["StreamedArguments"]

# A member after a dot, a member in brackets and either kind of quotes, or an index: RFC 9535 without its selectors.
_STEP: Final = re.compile(r"""\.([^.\[\]'"]+)|\["((?:[^"\\]|\\.)*+)"\]|\['((?:[^'\\]|\\.)*+)'\]|\[(\d{1,9})\]""")
_KINDS: Final[dict[str, type | tuple[type, ...]]] = {
    "stringValue": str,
    "numberValue": (int, float),  # those that JSON lacks come as texts, "NaN"
    "boolValue": bool,
}
_MISSING: Final = object()
_UNREADABLE: Final = object()
_GAPS: Final = 1000
# So many items may be missing from arrays in all: enough for places that come out of order, and too few for a path
# such as $.x[999999999] to fill the memory.


class _Text:
    """A text that may grow."""

    __slots__ = ("ended", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.ended = False


class StreamedArguments:
    """Collects partial values; the cost is linear in what is received.

    ``broken`` says that something could not be read, or contradicts what came before: then nothing is guessed.
    """

    def __init__(self) -> None:
        self.broken = False
        self._root: dict[str, Any] = {}
        self._gaps = _GAPS

    def start_with(self, arguments: dict[str, Any]) -> None:
        """Take arguments that are complete; partial ones may follow."""
        try:
            self._root.update(thaw(freeze_object(arguments)))
        except NotJsonError:
            self.broken = True

    def add(self, partials: list[Any]) -> None:
        """Take the values of one fragment, in their order."""
        for partial in partials:
            path: Any = partial.get("jsonPath") if partial.__class__ is dict else None
            steps = _steps(path) if path.__class__ is str else None
            value = _value(partial) if steps else _UNREADABLE
            if not steps or value is _UNREADABLE:
                self.broken = True
            elif value is not _MISSING:
                self._put(steps, value, grows=partial.get("willContinue") is True)

    def text(self, *, cut: bool) -> str:
        """Return the arguments as JSON; where they were ``cut``, or are broken, without the end."""
        text = encode(_joined(self._root)).decode()
        if not cut and not self.broken:
            return text
        return text[:-1] if self._root else ""

    def _put(self, steps: list[str | int], value: Any, *, grows: bool) -> None:
        holder: Any = self._root
        for step, following in pairwise(steps):
            if not self._has_room(holder, step):
                return
            if _get(holder, step) is None:
                holder[step] = [] if isinstance(following, int) else {}
            holder = holder[step]
        last = steps[-1]
        if not self._has_room(holder, last):
            return
        if not isinstance(value, str):
            holder[last] = value
            return
        text = _get(holder, last)
        if not isinstance(text, _Text) or text.ended:
            text = holder[last] = _Text()
        text.pieces.append(value)
        text.ended = not grows

    def _has_room(self, holder: Any, step: str | int) -> bool:
        """Say whether ``holder`` can have something at ``step``; an array grows as far as it is needed."""
        kind: type = holder.__class__
        if kind is not (dict if isinstance(step, str) else list):
            self.broken = True
            return False
        if isinstance(step, int) and step >= len(holder):
            lacking = step - len(holder)
            self._gaps -= lacking
            if self._gaps < 0:
                self.broken = True
                return False
            holder.extend([None] * (lacking + 1))
        return True


def _steps(path: str) -> list[str | int] | None:
    """Return the steps of a path below its root, or nothing where it cannot be read."""
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    position = 1
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None or len(steps) == MAX_DEPTH:
            return None
        member, double, single, index = match.groups()
        if index is not None:
            steps.append(int(index))
        elif member is not None:
            steps.append(member)
        else:
            quoted = double if double is not None else single.replace('"', '\\"').replace("\\'", "'")
            name = _unquoted(quoted)
            if name is None:
                return None
            steps.append(name)
        position = match.end()
    return steps if steps and isinstance(steps[0], str) else None


def _unquoted(text: str) -> str | None:
    if "\\" not in text:
        return text
    try:
        name: Any = decode(f'"{text}"')
    except msgspec.DecodeError:
        return None
    return str(name)


def _value(partial: dict[str, Any]) -> Any:
    for field, kind in _KINDS.items():
        if field in partial:
            return partial[field] if isinstance(partial[field], kind) else _UNREADABLE
    return None if "nullValue" in partial else _MISSING


def _get(holder: Any, step: str | int) -> Any:
    return holder.get(step) if isinstance(step, str) else holder[step]


def _joined(value: Any) -> Any:
    if isinstance(value, _Text):
        return "".join(value.pieces)
    if value.__class__ is dict:
        return {key: _joined(item) for key, item in value.items()}
    if value.__class__ is list:
        return [_joined(item) for item in value]
    return value
