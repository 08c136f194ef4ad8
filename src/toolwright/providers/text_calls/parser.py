"""Finds the calls in a text that comes in any pieces.

Text goes through as it comes, and is held back only where markup may have begun. A block is read to its end and is
then calls or, unchanged, text. Nothing is read twice but the one block that a text may begin with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, NamedTuple, TypeAlias, final

from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.providers.codecs.calls import parted
from toolwright.providers.codecs.ids import UnusedIds
from toolwright.providers.text_calls.heads import Match
from toolwright.providers.text_calls.offered import Offered
from toolwright.providers.text_calls.openings import Format, Opening, Passage, Place
from toolwright.providers.text_calls.quoting import Quoting
from toolwright.providers.text_calls.readers import CUT, Found, Reader, overlap, prefixes
from toolwright.providers.text_calls.told import Told
from toolwright.providers.types import StreamEvent

__all__ = ["TextCalls"]

_Stage: TypeAlias = Callable[[bool], bool]
"""Reads on, told whether more text may come; says whether another stage is to go on with what is there."""


class _Block(NamedTuple):
    """A block that is being read: how it began, what reads it, and all of it as it stands there."""

    opening: Opening
    reader: Reader
    raw: list[str]


_MARKUP: Final = "<["
_PIECE: Final = 4_096  # characters that are looked at together: what follows a block is copied
_NO_PASSAGE: Final = Passage("answer")


@final
class TextCalls:
    """Reads one answer: its text, and the calls that are written in it.

    A call is told as soon as its block has ended, in one delta. ``reasoning`` is what formats with channels of their
    own set apart from the text.
    """

    def __init__(self, format: Format, offered: Offered, ids: UnusedIds | None = None) -> None:
        self._format = format
        self._offered = offered
        self._ids = ids or UnusedIds()
        self._told = Told()
        self._quoting = Quoting()
        self._text = ""  # what has come and is not decided, from _at on
        self._at = 0
        self._stage: _Stage = self._begin
        self._after_call = False
        self._block: _Block | None = None
        self._passage = _NO_PASSAGE
        self._is_closed = False

    @property
    def reasoning(self) -> str:
        """What the answer holds of reasoning, apart from its text."""
        return "".join(self._told.reasoning)

    def feed(self, text: str) -> list[StreamEvent]:
        """Take the next piece of the text and return what it brought."""
        for start in range(0, len(text), _PIECE):
            self._text = self._text[self._at :] + text[start : start + _PIECE]
            self._at = 0
            self._run(last=False)
        return self._told.take_events()

    def end(self) -> list[StreamEvent]:
        """Say that no text follows, and return what had been held back."""
        if not self._is_closed:
            self._is_closed = True
            self._run(last=True)
            self._told.end()
        return self._told.take_events()

    def close(self) -> tuple[str, tuple[ToolCall, ...], tuple[InvalidToolCall, ...]]:
        """Say that no text follows; return the text without its calls, the calls, and those that cannot be run."""
        self.end()
        return ("".join(self._told.texts), *parted(self._told.calls))

    def _run(self, *, last: bool) -> None:
        while self._stage(last):
            pass

    def _plain(self, end: int) -> None:
        """Pass on what stands before a place: it is text."""
        text = self._text[self._at : end]
        self._at = end
        self._pass_on(text)

    def _pass_on(self, text: str) -> None:
        if text:
            self._after_call = self._after_call and text.isspace()
            self._quoting.take(text)
            self._told.add_text(text)

    # Where something may begin

    def _begin(self, last: bool) -> bool:
        """Look whether the text begins with a block that counts nowhere else."""
        place = self._at
        while place < len(self._text) and self._text[place].isspace():
            place += 1
        self._plain(place)
        if place == len(self._text):
            return False
        found = self._format.at_start(self._text, place, last=last)
        if found == "wait":
            return False
        self._stage = self._scan
        if found is not None:
            self._open(*found)
        return True

    def _scan(self, last: bool) -> bool:
        """Pass text on, up to where something begins."""
        while (trigger := self._format.search(self._text, self._at)) is not None:
            self._plain(trigger.start())
            if not self._quoting.is_quoted():
                found = self._format.at_trigger(trigger[0], self._places(), self._text, self._at, last=last)
                if found == "wait":
                    return False
                if found is not None:
                    self._open(*found)
                    return True
                if last and self._is_cut(trigger[0]):
                    cut, self._at = self._text[self._at :], len(self._text)
                    self._take([Found("", cut, problem=CUT)], cut, lone=False)
                    return False
            self._plain(self._at + 1)
        held = 0 if last else overlap(self._text, self._at, self._format.beginnings)
        self._plain(len(self._text) - held)
        return False

    def _is_cut(self, trigger: str) -> bool:
        """Say whether the text ends in the middle of a head, of markup that is nothing else."""
        if trigger[0] not in _MARKUP:
            return False
        return self._format.at_trigger(trigger, self._places(), self._text, self._at, last=False) == "wait"

    def _places(self) -> set[Place]:
        places: set[Place] = {"anywhere"}
        if self._quoting.line_is_blank:
            places.add("line")
        if self._after_call:
            places.add("after")
        return places

    def _open(self, opening: Opening, match: Match) -> None:
        began = opening.begin(match.runs)
        head = self._text[self._at : match.body]
        self._at = match.body
        if isinstance(began, Passage):
            self._enter(began, head)
            return
        self._block = _Block(opening, began, [head])
        self._stage = self._read

    # Blocks of calls

    def _read(self, last: bool) -> bool:
        """Read on in a block, and decide at its end what it was."""
        block = self._block
        if block is None:
            return False
        step = block.reader.read(self._text, self._at, last=last)
        place = max(self._at, step.place)
        back = place - step.place  # the block may have ended before what was just read
        block.raw.append(self._text[self._at : place])
        self._at = place
        if step.state == "open":
            return False
        raw = "".join(block.raw)
        kept = 0 if step.state == "refused" else len(raw) - back
        self._text, self._at = raw[kept:] + self._text[self._at :], 0
        self._block, self._stage = None, self._scan
        if step.state == "done":
            found = block.reader.found()
            if block.opening.place == "start":  # nothing but a name says that it is a call
                found = tuple([each for each in found if each.name])
            self._take(found, raw[:kept], lone=block.opening.lone)
        return True

    def _take(self, found: Sequence[Found], raw: str, *, lone: bool) -> None:
        """Tell the calls of a block, or the block itself where it holds none."""
        calls = self._offered.accept(found, self._ids, fitting=lone)
        if not calls:
            self._pass_on(raw)
            return
        self._told.leave_out()
        self._after_call = True
        for call in calls:
            self._told.add_call(call)

    # Passages

    def _enter(self, passage: Passage, head: str) -> None:
        if passage.kind == "thought":
            self._told.add_text(head)
        else:
            self._told.leave_out()
        if passage.ends or passage.stops:
            self._after_call = False
            self._passage = passage
            self._stage = self._pass

    def _pass(self, last: bool) -> bool:
        """Tell what a passage holds, up to its end."""
        passage = self._passage
        found = _either(passage.ends + passage.stops).search(self._text, self._at)
        held = 0 if last or found else overlap(self._text, self._at, prefixes(passage.ends + passage.stops))
        place = found.start() if found else len(self._text) - held
        content, self._at = self._text[self._at : place], place
        if passage.kind == "reasoning":
            self._told.add_reasoning(content)
        else:
            self._told.add_text(content)
        if found is None:
            return False
        self._leave(passage, found[0])
        return True

    def _leave(self, passage: Passage, end: str) -> None:
        if end in passage.ends:
            self._at += len(end)
        if passage.kind == "thought":
            self._told.add_text(end)
            self._quoting = Quoting()
            self._stage = self._begin
        else:
            self._told.leave_out()
            self._stage = self._scan


@cache
def _either(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, words)))
