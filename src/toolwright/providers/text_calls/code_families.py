"""Families that write calls as Python has them, and Gemma's, which come near."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from toolwright.providers.text_calls.blocks import BlockReader
from toolwright.providers.text_calls.heads import BLANKS, BODY, NAME, Atom, Run
from toolwright.providers.text_calls.openings import Begin, Opening, Place, opening
from toolwright.providers.text_calls.python_calls import gemma_arguments_of, python_calls
from toolwright.providers.text_calls.readers import NO_END, Closing, Reader, closing

__all__ = ["GEMMA", "LFM", "LLAMA_CODE", "LONE_CODE", "OLMO", "PLAIN_CODE", "TOOL_CODE"]

_CALL: Final = (Run("A-Za-z_", 1, 1), Run(r"\w.-", 0, 127), "(")


def _reading(end: Closing, *, lone: bool = False) -> Begin:
    def begin(_: Mapping[str, str]) -> Reader:
        return BlockReader(python_calls, end, kind="python", several=not lone, lone=lone)

    return begin


def _between(start: str, *ends: str, more: tuple[Atom, ...] = (), place: Place = "anywhere") -> Iterator[Opening]:
    """Yield openings of calls, and of a list of calls, between words."""
    begin = _reading(closing(*ends, stops=(start,)))
    yield opening(start, *more, BLANKS, BODY, "[", BLANKS, *_CALL, begin=begin, place=place)
    yield opening(start, *more, BLANKS, BODY, *_CALL, begin=begin, place=place)


LLAMA_CODE: Final = (
    *_between("<|python_start|>", "<|python_end|>"),
    *_between("<|python_tag|>", "<|eom_id|>", "<|eot_id|>"),
)
OLMO: Final = tuple(_between("<function_calls>", "</function_calls>"))
LFM: Final = tuple(_between("<|tool_call_start|>", "<|tool_call_end|>"))
TOOL_CODE: Final = tuple(_between("```tool_code", "```", place="line"))

_LIST: Final[tuple[Atom, ...]] = (BODY, "[", BLANKS, *_CALL)
PLAIN_CODE: Final = (opening(*_LIST, begin=_reading(NO_END), place="start"),)
LONE_CODE: Final = (opening(*_LIST, begin=_reading(NO_END, lone=True), place="start", lone=True),)


def _gemma(start: str, end: str) -> Opening:
    closed = closing(end, stops=(start,))

    def begin(runs: Mapping[str, str]) -> Reader:
        return BlockReader(gemma_arguments_of(runs["name"]), closed, kind="gemma")

    return opening(start, BLANKS, "call:", NAME, BODY, "{", begin=begin)


GEMMA: Final = (
    _gemma("<start_function_call>", "<end_function_call>"),
    _gemma("<|tool_call>", "<tool_call|>"),
)
