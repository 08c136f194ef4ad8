"""Families that write calls as JSON, each with words of its own around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from toolwright.providers.text_calls.blocks import BlockReader, Interpret
from toolwright.providers.text_calls.heads import BLANKS, BODY, NAME, Atom, Either, Head, Run
from toolwright.providers.text_calls.json_calls import arguments_of, keyed_calls, lone_calls, named_calls
from toolwright.providers.text_calls.openings import Begin, Opening, Place, opening
from toolwright.providers.text_calls.readers import NO_END, Closing, Reader, closing

__all__ = [
    "APERTUS",
    "COHERE_ACTION",
    "DEEPSEEK_JSON",
    "FUNCTIONARY_NAMES",
    "FUNCTION_CALL",
    "FUNCTION_TAG",
    "FUNCTOOLS",
    "GIGACHAT",
    "GLM_PLAIN",
    "HERMES",
    "INTERNLM",
    "KIMI",
    "LLAMA_TAG",
    "LONE_JSON",
    "LONGCAT",
    "MISTRAL",
    "NEMOTRON",
    "PHI",
    "PLAIN_JSON",
    "TOOL_CALLS",
    "Openings",
    "after_name",
]

Openings: TypeAlias = tuple[Opening, ...]

_VALUE: Final = Run(r"{\[", 1, 1)
_OBJECT: Final = Run("{", 1, 1)
_LANGUAGE: Final = Run("a-zA-Z_", 0, 16)
_ID: Final = Run(r"\w-", 1, 64, "id")
_FENCE: Final = "```"
_FUNCTIONS: Final = "functions."


def _wrapped(
    *atoms: Atom, end: Closing = NO_END, interpret: Interpret = named_calls, place: Place = "anywhere"
) -> Opening:
    """Return the opening of a block of JSON values, one or several in a row."""

    def begin(_: Mapping[str, str]) -> Reader:
        return BlockReader(interpret, end, several=True)

    return opening(*atoms, BLANKS, BODY, _VALUE, begin=begin, place=place)


def _fenced(*words: str, stops: Iterable[str] = ()) -> Closing:
    """Return an end whose words have the end of a block of code before them."""
    plain = closing(*words, stops=stops)
    return Closing((*(Head(BLANKS, _FENCE, BLANKS, word) for word in words), *plain.heads), plain.words, plain.stops)


def after_name(end: Closing) -> Begin:
    """Return what reads the arguments of a call whose name stands in its head."""

    def begin(runs: Mapping[str, str]) -> Reader:
        interpret = arguments_of(runs["name"].removeprefix(_FUNCTIONS), runs.get("id", ""))
        return BlockReader(interpret, end, seeks=True)

    return begin


# Named calls between words

_HERMES_END: Final = closing("</tool_call>", then=("</tool_calls>",), stops=("<tool_call>",))
HERMES: Final = (
    _wrapped("<tool_call>", end=_HERMES_END),
    _wrapped("<tool_call>", BLANKS, _FENCE, _LANGUAGE, end=_fenced("</tool_call>", stops=("<tool_call>",))),
    _wrapped("<tool_calls>", BLANKS, "<tool_call>", end=_HERMES_END),
)
TOOL_CALLS: Final = (_wrapped("<tool_calls>", end=closing("</tool_calls>", stops=("<tool_calls>",))),)
FUNCTION_CALL: Final = (_wrapped("<function_call>", end=closing("</function_call>", stops=("<function_call>",))),)
LONGCAT: Final = (_wrapped("<longcat_tool_call>", end=closing("</longcat_tool_call>", stops=("<longcat_tool_call>",))),)
NEMOTRON: Final = (_wrapped("<TOOLCALL>", end=closing("</TOOLCALL>", stops=("<TOOLCALL>",))),)
PHI: Final = (
    _wrapped("<|tool_call|>", end=closing("<|/tool_call|>", "</tool_call>", stops=("<|tool_call|>",))),
    _wrapped("<|tool_calls|>", end=closing("<|/tool_calls|>", stops=("<|tool_calls|>",))),
)
FUNCTOOLS: Final = (_wrapped("functools", place="line"),)
INTERNLM: Final = (
    _wrapped("<|action_start|>", BLANKS, "<|plugin|>", end=closing("<|action_end|>", stops=("<|action_start|>",))),
)
APERTUS: Final = (
    _wrapped("<|tools_prefix|>", end=closing("<|tools_suffix|>", stops=("<|tools_prefix|>",)), interpret=keyed_calls),
)
GIGACHAT: Final = (
    _wrapped("<|message_sep|>", BLANKS, "function call", "<|role_sep|>"),
    _wrapped("function call<|role_sep|>", place="line"),
)
COHERE_ACTION: Final = (
    _wrapped("<|START_ACTION|>", end=closing("<|END_ACTION|>", stops=("<|START_ACTION|>",))),
    _wrapped("Action:", BLANKS, _FENCE, _LANGUAGE, end=closing(_FENCE), place="line"),
)
LLAMA_TAG: Final = (_wrapped("<|python_tag|>", end=closing("<|eom_id|>", "<|eot_id|>", stops=("<|python_tag|>",))),)

# The name first, then the arguments

_MISTRAL_END: Final = closing("[/TOOL_CALLS]", stops=("[TOOL_CALLS]",))
_MISTRAL: Final = ("[TOOL_CALLS]", BLANKS, NAME)
MISTRAL: Final = (
    _wrapped("[TOOL_CALLS]", end=_MISTRAL_END),
    opening(*_MISTRAL, "[CALL_ID]", _ID, "[ARGS]", begin=after_name(_MISTRAL_END)),
    opening(*_MISTRAL, "[ARGS]", begin=after_name(_MISTRAL_END)),
    opening(*_MISTRAL, BLANKS, BODY, _OBJECT, begin=after_name(_MISTRAL_END)),
)

FUNCTION_TAG: Final = (
    opening(
        "<function=", NAME, ">", BLANKS, BODY, _OBJECT, begin=after_name(closing("</function>", stops=("<function=",)))
    ),
)

# The tokens have bars and gaps of their own; what has gone through other hands has those of the keyboard.
_BARS: Final = ("\uff5c", "|")
_GAPS: Final = ("\u2581", "_")


def _deepseek(bar: str, gap: str) -> Iterator[Opening]:
    calls, call, sep, end, ends = (
        f"<{bar}tool{gap}{word}{bar}>"
        for word in (f"calls{gap}begin", f"call{gap}begin", "sep", f"call{gap}end", f"calls{gap}end")
    )
    plain = closing(end, then=(ends,), stops=(call,))
    fenced = (Head(BLANKS, _FENCE, BLANKS, end, BLANKS, ends), Head(BLANKS, _FENCE, BLANKS, end))
    in_fence = Closing((*fenced, *plain.heads), plain.words, plain.stops)
    for before in ((calls, BLANKS, call), (call,)):
        old = (*before, "function", sep, NAME, BLANKS)
        yield opening(*old, _FENCE, _LANGUAGE, begin=after_name(in_fence))
        yield opening(*old, BODY, _OBJECT, begin=after_name(plain))
        yield opening(*before, NAME, BLANKS, sep, begin=after_name(plain))


DEEPSEEK_JSON: Final = tuple(each for bar in _BARS for gap in _GAPS for each in _deepseek(bar, gap))

_KIMI_CALLS: Final = "<|tool_calls_section_begin|>"
_KIMI_CALL: Final = "<|tool_call_begin|>"
_KIMI_END: Final = closing("<|tool_call_end|>", then=("<|tool_calls_section_end|>",), stops=(_KIMI_CALL,))


def _begin_kimi(runs: Mapping[str, str]) -> Reader:
    """Take the name out of an id such as ``functions.get_weather:0``."""
    id = runs["name"]
    name, numbered, _ = id.removeprefix(_FUNCTIONS).partition(":")
    return BlockReader(arguments_of(name, id if numbered else ""), _KIMI_END, seeks=True)


_KIMI: Final = (_KIMI_CALL, BLANKS, NAME, BLANKS, "<|tool_call_argument_begin|>")
KIMI: Final = (opening(*_KIMI, begin=_begin_kimi), opening(_KIMI_CALLS, BLANKS, *_KIMI, begin=_begin_kimi))

_FROM: Final = ("<|from|>", BLANKS, "assistant", BLANKS)
_TO: Final = ("<|recipient|>", BLANKS, NAME, BLANKS, "<|content|>")
_MESSAGE_END: Final = closing("<|stop|>", stops=("<|from|>",))
_NEW_LINE: Final = Run(r"\n", 1, 1)
_NAMED_LINE: Final = (NAME, _NEW_LINE, BLANKS, BODY, _OBJECT)
FUNCTIONARY_NAMES: Final = (
    opening(*_FROM, *_TO, begin=after_name(_MESSAGE_END)),
    opening(*_TO, begin=after_name(_MESSAGE_END)),
    opening(">>>", *_NAMED_LINE, begin=after_name(NO_END)),
)
GLM_PLAIN: Final = (opening(*_NAMED_LINE, begin=after_name(NO_END), place="start"),)
"""A line with the name and then the arguments, where the text begins."""

# JSON with no words around

_FIELD: Final = Either(("name", "arguments", "parameters", "type", "id", "function", "tool_name", "tool_call_id"))


def _unmarked(*before: Atom, end: Closing = NO_END, lone: bool) -> Iterator[Opening]:
    """Yield openings of JSON that begins like a call, or like a list of calls, where the text begins."""

    def begin(_: Mapping[str, str]) -> Reader:
        return BlockReader(lone_calls if lone else named_calls, end, several=not lone, lone=lone)

    for bracket in (("{",), ("[", BLANKS, "{")):
        yield opening(*before, BODY, *bracket, BLANKS, '"', _FIELD, '"', begin=begin, place="start", lone=lone)


PLAIN_JSON: Final = tuple(_unmarked(lone=False))
LONE_JSON: Final = (
    *_unmarked(lone=True),
    *_unmarked(_FENCE, _LANGUAGE, BLANKS, end=closing(_FENCE), lone=True),
)
