"""Answers that a provider might give, drawn by Hypothesis, and what two readers make of them.

A :class:`Plan` says what a model answers; each oracle test writes it down in one wire format, has the official client
read the bytes, and compares that with what the codec reads from the same bytes, cut anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from hypothesis import strategies as st

import toolwright as tw
from toolwright.providers import ChatResponse, codec

__all__ = ["Call", "Plan", "Reading", "cuts", "events", "never_run_empty", "ours", "plans", "rows"]

_LINE_ENDS = "\x85\u2028\u2029"

Finish = Literal["stop", "length", "content_filter"]

texts = st.text(st.characters(codec="utf-8"), max_size=24) | st.sampled_from(
    ["Grüße, 世界 👩🏽‍🚀", '"quoted" \\ and \n new\r\nlines', "data: [DONE]\n\n", "\u2028\u2029\x85\x00\x7f", "{}", " "]
)
ids = st.from_regex(r"(call|toolu|fc)_[A-Za-z0-9]{1,12}", fullmatch=True)
names = st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True) | st.sampled_from(["get-weather", "a", "X9_"])
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9, allow_nan=False) | texts
values: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)


@dataclass(frozen=True)
class Call:
    """One call of a plan; ``pieces`` are the JSON of its arguments as a stream brings them.

    To a ``custom`` call that JSON is a text like any other.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    pieces: tuple[str, ...]
    custom: bool = False

    @property
    def text(self) -> str:
        """The JSON of the arguments."""
        return "".join(self.pieces)


@dataclass(frozen=True)
class Plan:
    """What a model answers: thoughts, then text, then calls; and how it ends."""

    thoughts: tuple[str, ...]
    texts: tuple[str, ...]
    calls: tuple[Call, ...]
    finish: Finish
    model: str
    used: tuple[int, int, int, int]  # read, written, of what was read from a cache, of what was written thoughts
    ascii: bool  # whether the server escapes all that is not ASCII

    def dumps(self, value: Any) -> str:
        """Write JSON as this server does."""
        return json.dumps(value, ensure_ascii=self.ascii)

    def on_one_line(self, value: Any) -> str:
        """Write JSON without what some clients take for the end of a line, which ours do not."""
        escaped = self.dumps(value)
        for mark in _LINE_ENDS:
            escaped = escaped.replace(mark, f"\\u{ord(mark):04x}")
        return escaped


@st.composite
def pieces(draw: st.DrawFn, text: str) -> tuple[str, ...]:
    """The text, cut at up to five places."""
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=5)))
    return tuple(text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True))


@st.composite
def plan_calls(draw: st.DrawFn, *, customs: bool) -> Call:
    arguments = draw(st.dictionaries(texts, values, max_size=3))
    indent = draw(st.sampled_from([None, None, 1]))
    text = json.dumps(arguments, ensure_ascii=draw(st.booleans()), indent=indent)
    custom = customs and draw(st.booleans())
    return Call(draw(ids), draw(names), {"input": text} if custom else arguments, draw(pieces(text)), custom)


@st.composite
def plans(draw: st.DrawFn, *, thinking: bool = True, customs: bool = False) -> Plan:
    """Answers of every shape that the documents describe."""
    said = tuple(draw(st.lists(texts.filter(bool), max_size=4)))
    if said and said[0][:1] in "<[ \n\r\t":  # what may be reasoning in tags has tests of its own
        said = ("So: ", *said)
    calls = tuple(draw(st.lists(plan_calls(customs=customs), max_size=3, unique_by=lambda call: call.id)))
    thoughts = tuple(draw(st.lists(texts.filter(bool), max_size=2))) if thinking else ()
    read, written = draw(st.integers(1, 10**6)), draw(st.integers(1, 10**6))
    used = (read, written, draw(st.integers(0, read)), draw(st.integers(0, written)))
    finishes: list[Finish] = ["stop", "stop", "length", "content_filter"]
    finish = draw(st.sampled_from(finishes))
    model = draw(st.sampled_from(["m", "model-2026-01-01", "org/model:free"]))
    return Plan(thoughts, said, calls, finish, model, used, draw(st.booleans()))


@dataclass(frozen=True)
class Reading:
    """What somebody read from an answer; calls are id, name and arguments, or their text where they are no object."""

    text: str
    calls: list[tuple[str, str, Any]]
    finish: str
    model: str | None
    used: tuple[int | None, ...]
    reasoning: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


def arguments_of(text: str | None) -> Any:
    """Return arguments as the caller of an official client has to read them: an object, or else the text."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return text
    return value if isinstance(value, dict) else text


def ours(name: str, data: bytes, places: Iterable[int] | None) -> Reading:
    """Read bytes with a codec: whole, or as a stream that comes in pieces."""
    if places is None:
        response = codec(name).decode(data)
    else:
        decoder = codec(name).stream_decoder()
        start = 0
        for place in (*sorted(places), len(data)):
            decoder.feed(data[start:place])
            start = place
        response = decoder.close()
    return as_reading(name, response)


def as_reading(name: str, response: ChatResponse) -> Reading:
    """Return a response in the terms of the comparison, names as they stood on the wire."""
    calls: list[tuple[str, str, Any]] = []
    both: list[tw.ToolCall | tw.InvalidToolCall] = [*response.tool_calls, *response.invalid_tool_calls]
    for call in both:
        kept = (call.provider_data or {}).get(name, {})
        arguments = dict(call.arguments) if isinstance(call, tw.ToolCall) else call.arguments_text
        calls.append((call.id, kept.get("name", call.name), arguments))
    usage = response.usage
    return Reading(
        text=response.text or "",
        calls=calls,
        finish=response.finish_reason,
        model=response.model,
        used=(usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens),
        reasoning=response.reasoning or "",
    )


def finish_of(word: str | None, called: bool, table: dict[str, str]) -> str:
    """Return the one word for an end that the client names in the provider's words."""
    finish = table.get(word or "", "stop")
    return "tool_calls" if called and finish in ("stop", "tool_calls") else "stop" if finish == "tool_calls" else finish


def never_run_empty(calls: list[tuple[str, str, Any]], finish: str) -> list[tuple[str, str, Any]]:
    """Return the calls with a last one as an invalid one that has no arguments, where the answer was cut off.

    By promise: they may have been on their way, and clients and servers make ``{}`` of that.
    """
    if finish in ("stop", "tool_calls") or not calls or calls[-1][2] != {}:
        return calls
    return [*calls[:-1], (*calls[-1][:2], "")]


def cuts() -> st.SearchStrategy[list[int]]:
    """Places at which a stream is cut, as parts of a thousand of its length."""
    return st.lists(st.integers(0, 1000), max_size=6)


@st.composite
def events(
    draw: st.DrawFn, written: list[str], *, names: list[str] | None = None, done: bool = False, plain: bool = False
) -> bytes:
    """Server-sent events as one server or another frames them: comments, CRLF, with or without names.

    ``plain`` ones are those that a client can read which knows one way only.
    """
    end = draw(st.sampled_from(["\n", "\r\n"]))
    gap = ": " if plain else draw(st.sampled_from([":", ": "]))
    comment = "" if plain else draw(st.sampled_from(["", f": keep-alive{end}{end}"]))
    lines: list[str] = [comment]
    for place, row in enumerate(written):
        lead = f"event: {names[place]}{end}" if names else ""
        lines.append(f"{lead}data{gap}{row}{end}{end}{comment if place % 3 == 0 else ''}")
    if done:
        lines.append(f"data{gap}[DONE]{end}{end}")
    return "".join(lines).encode()


@st.composite
def rows(draw: st.DrawFn, written: list[str]) -> bytes:
    """Rows of JSON; the last may lack its end."""
    return ("\n".join(written) + draw(st.sampled_from(["", "\n"]))).encode()


def places_in(data: bytes, thousandths: list[int]) -> list[int]:
    """Turn parts of a thousand into places."""
    return [len(data) * part // 1000 for part in thousandths]
