"""A block that is made of bracketed values: JSON, Python's calls, Gemma's.

The reader finds where each value and the block end; what the values mean is told by a function that is given their
texts. So every family of formats is a few words around this, and a way to read one value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, final

from toolwright.providers.text_calls.heads import BLANKS, BODY, Head, Run, first_match
from toolwright.providers.text_calls.nesting import Kind, Nesting
from toolwright.providers.text_calls.readers import BROKEN, CUT, NO_END, Closing, Found, Step

__all__ = ["BlockReader", "Interpret"]

Interpret: TypeAlias = Callable[[Sequence[str], str], tuple[Found, ...]]
"""Makes calls of the values of a block, or of its broken text and what is wrong with it."""

_VALUE: Final = Run(r"{\[", 1, 1)
_CALL: Final = (Run("A-Za-z_", 1, 1), Run(r"\w.-", 0, 127), "(")
_SEPARATOR: Final = Run(";,", 1, 1)
_NEXT: Final[dict[Kind, tuple[Head, ...]]] = {
    "json": (Head(BLANKS, BODY, _VALUE), Head(BLANKS, _SEPARATOR, BLANKS, BODY, _VALUE)),
    "python": (Head(BLANKS, BODY, *_CALL), Head(BLANKS, _SEPARATOR, BLANKS, BODY, *_CALL)),
    "gemma": (),
}
_LEFTOVER: Final = Head(BLANKS, Run(r"}\])\"',", 1, 1))


@final
class BlockReader:
    """Reads values up to the end of their block.

    ``several`` values may follow each other. A ``lone`` one is a call only if nothing but blanks comes after it. Where
    the head did not see the first bracket, the reader is told to look for it (``seeks``).
    """

    def __init__(
        self,
        interpret: Interpret,
        end: Closing = NO_END,
        *,
        kind: Kind = "json",
        several: bool = False,
        lone: bool = False,
        seeks: bool = False,
    ) -> None:
        self._interpret = interpret
        self._end = end
        self._kind: Kind = kind
        self._several, self._lone = several, lone
        self._nesting = Nesting(kind, end)
        self._values: list[str] = []
        self._pieces: list[str] = []
        self._problem = ""
        self._stage = self._seek if seeks else self._follow

    def read(self, text: str, at: int, *, last: bool) -> Step:
        """Read on from a place."""
        while True:
            stage = self._stage
            step = stage(text, at, last)
            if step.state != "open" or self._stage == stage:
                return step
            at = step.place

    def _seek(self, text: str, at: int, last: bool) -> Step:
        """Skip blanks; what does not begin with a bracket is broken."""
        place = at
        while place < len(text) and text[place].isspace():
            place += 1
        if place == len(text) and not last:
            return Step(place, "open")
        if text[place : place + 1] in ("{", "["):
            self._stage = self._follow
        else:
            self._problem = CUT if place == len(text) else BROKEN
            self._stage = self._search
        return Step(place, "open")

    def _follow(self, text: str, at: int, last: bool) -> Step:
        place, state = self._nesting.follow(text, at, last=last)
        self._pieces.append(text[at:place])
        if state == "whole":
            self._values.append("".join(self._pieces))
            self._pieces.clear()
            self._stage = self._after_value
        elif state == "broken" or last:
            return self._break_off(place, broken=state == "broken", last=last)
        return Step(place, "open")

    def _break_off(self, place: int, *, broken: bool, last: bool) -> Step:
        back = self._nesting.back
        self._problem = BROKEN if broken or back else CUT
        if back:
            self._pieces = ["".join(self._pieces)[:-back]]
        if self._lone:
            return Step(place, "refused")
        if back or (last and not broken):
            return Step(place - back, "done")
        self._stage = self._search
        return Step(place, "open")

    def _after_value(self, text: str, at: int, last: bool) -> Step:
        ended = self._end.after(text, at, last=last)
        if ended is not None:
            return self._ended(ended) if ended >= 0 else Step(at, "open")
        if self._several:
            following = first_match(_NEXT[self._kind], text, at, last=last)
            if following == "wait":
                return Step(at, "open")
            if following is not None:
                self._nesting = Nesting(self._kind, self._end)
                self._stage = self._follow
                return Step(following[1].body, "open")
        if self._end.words and self._lone:
            return Step(at, "refused")
        if self._end.words and _LEFTOVER.match(text, at, last=True) is not None:
            # A bracket too many, say: where the block ends must still be found, but it is no call.
            self._problem = BROKEN
            self._stage = self._search
            return Step(at, "open")
        return self._ended(at)

    def _ended(self, place: int) -> Step:
        if not self._lone:
            return Step(place, "done")
        self._stage = self._blanks
        return Step(place, "open")

    def _blanks(self, text: str, at: int, last: bool) -> Step:
        rest = text[at:]
        if rest and not rest.isspace():
            return Step(at, "refused")
        return Step(len(text), "done" if last else "open")

    def _search(self, text: str, at: int, last: bool) -> Step:
        if self._lone:
            return Step(at, "refused")
        step = self._end.search(text, at, last=last)
        self._pieces.append(text[at : step.place])
        return step

    def found(self) -> tuple[Found, ...]:
        """Return the calls."""
        if not self._problem:
            return self._interpret(self._values, "")
        whole = "".join((*self._values, *self._pieces))
        return self._interpret((self._end.cut_from(whole),), self._problem)
