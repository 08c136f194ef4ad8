"""Whether a place in a text is quoted: in a block or span of code, in a quotation, between quotation marks.

What a model quotes it does not ask for, so nothing that is quoted is a call. The text is read in any pieces, line by
line as Markdown is; a span or a quotation that is left open ends with its line, a block of code with the text.
"""

from __future__ import annotations

import re
from typing import Final, final

__all__ = ["Quoting"]

_MARKS: Final = re.compile(r"\n|`+|~+|>+|[\"“”„«»']")
_RUNS: Final = ("`", "~")
_FENCE: Final = 3
_LONGEST: Final = 1_000  # of a run: so that its length costs nothing
_PAIRS: Final = {'"': '"', "“": "”", "„": "“", "«": "»", "»": "«"}
_MARKUP: Final = ("<", "[", "{")
_BEFORE_A_QUOTE: Final = frozenset(" \t([{:,;=-\u2013\u2014/*_>\n")
# After anything else it is an inch, or the end of a quotation.


@final
class Quoting:
    """Follows a text and knows whether what comes next is quoted.

    ``line_is_blank`` says that nothing stands on the line yet.
    """

    __slots__ = (
        "_apostrophe",
        "_before",
        "_begun",
        "_fence",
        "_fence_ends",
        "_quote",
        "_quoted_line",
        "_run",
        "_span",
        "line_is_blank",
    )

    def __init__(self) -> None:
        self._run = ""  # the ` or ~ that stand at the very end: more may follow
        self._fence = ""  # the run that opened the block of code we are in
        self._fence_ends = False  # whether this line closes it, if nothing follows
        self._begun = ""  # a run that opens a block, if no other ` follows on its line
        self._span = 0  # how many ` opened the span we are in
        self._quote = ""  # the mark that ends the quotation we are in
        self._apostrophe = False  # whether one stands at the very end that opens a quotation, if markup follows
        self._quoted_line = False
        self._before = "\n"  # the last character
        self.line_is_blank = True

    def is_quoted(self) -> bool:
        """Say whether what comes next, which is markup, is quoted."""
        self._end_run()
        return bool(self._fence or self._span or self._quote or self._quoted_line or self._apostrophe)

    def take(self, text: str) -> None:
        """Follow a piece of the text."""
        at = 0
        for found in _MARKS.finditer(text):
            self._take_words(text[at : found.start()])
            at = found.end()
            self._take_mark(found[0])
        self._take_words(text[at:])

    def _take_words(self, words: str) -> None:
        if not words:
            return
        self._end_run()
        if self._apostrophe and words.startswith(_MARKUP):
            self._quote = "'"
        self._apostrophe = False
        self._before = words[-1]
        if not words.isspace():
            self.line_is_blank = self._fence_ends = False

    def _take_mark(self, mark: str) -> None:
        if not self._run.startswith(mark[0]):
            self._end_run()
        if mark[0] in _RUNS:
            self._run = (self._run + mark)[:_LONGEST]
        elif mark == "\n":
            self._end_line()
        else:
            self._take_sign(mark)
            self.line_is_blank = self._fence_ends = False
        self._before = mark[-1]

    def _take_sign(self, sign: str) -> None:
        if self._fence or self._span:
            return
        if sign[0] == ">":
            self._quoted_line = self._quoted_line or self.line_is_blank
        elif self._quote:
            self._quote = "" if sign == self._quote else self._quote
        elif sign == "'":
            self._apostrophe = self._before in _BEFORE_A_QUOTE
        elif sign in _PAIRS and (sign != '"' or self._before in _BEFORE_A_QUOTE):
            self._quote = _PAIRS[sign]

    def _end_run(self) -> None:
        """Decide what a run of ` or ~ is, now that it is whole."""
        run, self._run = self._run, ""
        if not run:
            return
        begins_line, self.line_is_blank = self.line_is_blank, False
        if self._fence:
            self._fence_ends = begins_line and run.startswith(self._fence)
        elif run[0] == "~":
            self._fence = run if begins_line and len(run) >= _FENCE else ""
        elif self._span:
            self._begun = ""
            self._span = 0 if len(run) == self._span else self._span
        elif not self._quote:
            self._span = len(run)
            self._begun = run if len(run) >= _FENCE else ""

    def _end_line(self) -> None:
        if self._begun:
            self._fence = self._begun
        elif self._fence_ends:
            self._fence = ""
        self._begun = self._quote = ""
        self._span = 0
        self._fence_ends = self._quoted_line = self._apostrophe = False
        self.line_is_blank = True
