"""Families that write a tag for each parameter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolwright.providers.text_calls.heads import BLANKS, BODY, NAME, Atom
from toolwright.providers.text_calls.openings import Begin, Opening, opening
from toolwright.providers.text_calls.tagged import TagReader, Tags, arg_tags, function_tags, invoke_tags

__all__ = ["DEEPSEEK_TAGS", "GLM", "INVOKE", "MINIMAX", "QWEN_CODER", "SEED", "STEP"]


def _reading(tags: Tags) -> Begin:
    return lambda runs: TagReader(tags, runs["name"])


def _functions(outer: str, outer_end: str) -> Iterator[Opening]:
    """Yield openings of ``<function=f>``, inside of a tag."""
    begin = _reading(function_tags(outer_end, stops=("<function=",)))
    yield opening(outer, BLANKS, "<function=", NAME, ">", begin=begin)
    yield opening("<function=", NAME, ">", begin=begin)


def _invocations(*outer: tuple[str, str], prefix: str = "", before: tuple[Atom, ...] = ()) -> Iterator[Opening]:
    """Yield openings of ``<invoke name="f">``, inside of a tag or after another invocation."""
    call: tuple[Atom, ...] = (*before, f'<{prefix}invoke name="', NAME, '">')
    tags = invoke_tags(prefix, *(end for _, end in outer), stops=(f"<{prefix}invoke ",))
    for start, _ in outer:
        yield opening(start, BLANKS, *call, begin=_reading(tags))
    yield opening(*call, begin=_reading(tags))


QWEN_CODER: Final = tuple(_functions("<tool_call>", "</tool_call>"))
SEED: Final = tuple(_functions("<seed:tool_call>", "</seed:tool_call>"))

MINIMAX: Final = tuple(_invocations(("<minimax:tool_call>", "</minimax:tool_call>")))
INVOKE: Final = tuple(_invocations(("<function_calls>", "</function_calls>"), ("<tool_calls>", "</tool_calls>")))

_DSML: Final = "\uff5cDSML\uff5c"
DEEPSEEK_TAGS: Final = tuple(
    _invocations(
        *((f"<{_DSML}{word}>", f"</{_DSML}{word}>") for word in ("function_calls", "tool_calls")), prefix=_DSML
    )
)
STEP: Final = tuple(
    _invocations(
        ("<\uff5ctool_calls_begin\uff5c>", "<\uff5ctool_call_end\uff5c>"),
        prefix="steptml:",
        before=("<\uff5ctool_call_begin\uff5c>", "function", "<\uff5ctool_sep\uff5c>", BLANKS),
    )
)


def _glm(*before: Atom) -> Iterator[Opening]:
    begin = _reading(arg_tags("</tool_calls>", stops=("<tool_call>",)))
    named = (*before, "<tool_call>", BLANKS, NAME, BLANKS)
    for first in ("<arg_key>", "</tool_call>"):
        yield opening(*named, BODY, first, begin=begin)
    yield opening(*named, "<tool_sep>", begin=begin)


GLM: Final = (*_glm(), *_glm("<tool_calls>", BLANKS))
