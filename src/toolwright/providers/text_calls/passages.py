"""What is neither a call nor plain text: reasoning, and the channels of formats that put everything into one.

Nothing in it is a call. What a model thinks aloud in a text stays there, unless the format has a channel for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from toolwright.providers.text_calls.heads import BLANKS, NAME, Atom, Run
from toolwright.providers.text_calls.json_families import after_name
from toolwright.providers.text_calls.openings import Opening, Passage, opening
from toolwright.providers.text_calls.readers import closing

__all__ = ["COHERE_CHANNELS", "ENDS", "FUNCTIONARY_ALL", "FUNCTIONARY_START", "HARMONY", "RESPONSE", "THOUGHTS"]


def _passage(passage: Passage, _: Mapping[str, str]) -> Passage:
    return passage


def _between(start: str, passage: Passage) -> Opening:
    return opening(start, begin=partial(_passage, passage))


THOUGHTS: Final = tuple(
    opening(start, begin=partial(_passage, Passage("thought", (end,))), place="line")
    for start, end in {
        "<think>": "</think>",
        "<thinking>": "</thinking>",
        "<thought>": "</thought>",
        "<seed:think>": "</seed:think>",
        "[THINK]": "[/THINK]",
    }.items()
)
RESPONSE: Final = (_between("<response>", Passage("answer", ("</response>",))),)
COHERE_CHANNELS: Final = (
    _between("<|START_THINKING|>", Passage("reasoning", ("<|END_THINKING|>",))),
    _between("<|START_RESPONSE|>", Passage("answer", ("<|END_RESPONSE|>",))),
    _between("<|START_TEXT|>", Passage("answer", ("<|END_TEXT|>",))),
)

# Functionary: to whom a message goes; what goes to all is text.

_ALL: Final = Passage("answer", ("<|stop|>",), ("<|from|>",))
_CONTENT: Final = ("all", BLANKS, "<|content|>")
_NEW_LINE: Final = Run(r"\n", 1, 1)
FUNCTIONARY_ALL: Final = (
    opening("<|from|>", BLANKS, "assistant", BLANKS, "<|recipient|>", BLANKS, *_CONTENT, begin=partial(_passage, _ALL)),
    opening("<|recipient|>", BLANKS, *_CONTENT, begin=partial(_passage, _ALL)),
)
_NOTHING: Final = Passage("answer")
FUNCTIONARY_START: Final = (
    opening(">>>all", _NEW_LINE, begin=partial(_passage, _NOTHING), place="line"),
    opening(*_CONTENT, begin=partial(_passage, _ALL), place="start"),
    opening("all", _NEW_LINE, begin=partial(_passage, _NOTHING), place="start"),
    opening(NAME, BLANKS, "<|content|>", begin=after_name(closing("<|stop|>", stops=("<|from|>",))), place="start"),
)

# Harmony: every message has a channel, and a call a recipient.

_START: Final = ("<|start|>", "assistant")
_CHANNEL: Final = ("<|channel|>", BLANKS, Run("a-z", 1, 16, "channel"), BLANKS)
_RECIPIENT: Final = ("to=", NAME, BLANKS)
_MESSAGE: Final = "<|message|>"
_ENDS: Final = ("<|end|>", "<|call|>", "<|return|>")
_STOPS: Final = ("<|start|>", "<|channel|>")
_WORD: Final = Run("a-z", 0, 16)
_TAILS: Final[tuple[tuple[Atom, ...], ...]] = (
    (_WORD, BLANKS, _MESSAGE),
    (_WORD, BLANKS, "<|constrain|>", _WORD, BLANKS, _MESSAGE),
)
_BEGIN_CALL: Final = after_name(closing(*_ENDS, stops=_STOPS))


def _begin_message(runs: Mapping[str, str]) -> Passage:
    return Passage("reasoning" if runs["channel"] == "analysis" else "answer", _ENDS, _STOPS)


def _harmony() -> Iterator[Opening]:
    for tail in _TAILS:
        for before in ((), (*_START, BLANKS)):
            yield opening(*before, *_CHANNEL, *_RECIPIENT, *tail, begin=_BEGIN_CALL)
            yield opening(*before, *_CHANNEL, *tail, begin=_begin_message)
        yield opening(*_START, BLANKS, *_RECIPIENT, *_CHANNEL, *tail, begin=_BEGIN_CALL)
        yield opening(*_RECIPIENT, *_CHANNEL, *tail, begin=_BEGIN_CALL, place="start")


HARMONY: Final = tuple(_harmony())

# What may stand behind a call and means nothing any more.

ENDS: Final = tuple(
    opening(word, begin=partial(_passage, _NOTHING), place="after")
    for word in (
        *_ENDS,
        "<|stop|>",
        "<|im_end|>",
        "<|im_middle|>",
        "<|eot_id|>",
        "<|eom_id|>",
        "<|endoftext|>",
        "<|end_of_text|>",
        "<|observation|>",
        "<|user|>",
        "<|END_OF_TURN_TOKEN|>",
        "<|END_ACTION|>",
        "<|tool_call_end|>",
        "<|tool_calls_section_end|>",
        "<|tool_response>",
        "<start_function_response>",
        "<end_of_turn>",
        "<\uff5ctool\u2581calls\u2581end\uff5c>",
        "<\uff5ctool_calls_end\uff5c>",
        "<\uff5ctool_call_end\uff5c>",
        "<\uff5cend\u2581of\u2581sentence\uff5c>",
        "</s>",
        "</tool_call>",
        "</tool_calls>",
        "</function>",
        "</function_calls>",
        "</minimax:tool_call>",
        "</seed:tool_call>",
        "[/TOOL_CALLS]",
    )
)
