"""What OpenAI's client reads from chat completions is what we read."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import httpx2
from hypothesis import given, settings
from hypothesis import strategies as st
from openai import OpenAI

from tests.promises import keeps
from tests.providers.oracle import (
    Plan,
    Reading,
    arguments_of,
    cuts,
    events,
    finish_of,
    ours,
    places_in,
    plans,
)

NAME = "openai-chat"
FINISHES = {"length": "length", "content_filter": "content_filter", "tool_calls": "tool_calls"}
ASKED: Any = [{"role": "user", "content": "?"}]
SERVED: list[bytes] = []


@cache
def client() -> OpenAI:
    """Return the official client, before a server that answers with the bytes in ``SERVED``."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        kind = "text/event-stream" if json.loads(request.content).get("stream") else "application/json"
        return httpx2.Response(200, content=SERVED[-1], headers={"content-type": kind})

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    return OpenAI(api_key="none", base_url="http://test/v1", max_retries=0, http_client=http)


def theirs(data: bytes, *, stream: bool) -> Reading:
    SERVED[:] = [data]
    completion: Any
    if stream:
        with client().chat.completions.stream(model="m", messages=ASKED) as live:
            for _ in live:
                pass
            completion = live.current_completion_snapshot
    else:
        completion = client().chat.completions.create(model="m", messages=ASKED)
    choice = completion.choices[0]
    calls = [
        (one.id, one.custom.name, {"input": one.custom.input})
        if one.type == "custom"
        else (one.id, one.function.name, arguments_of(one.function.arguments))
        for one in choice.message.tool_calls or ()
    ]
    usage = completion.usage
    return Reading(
        text=choice.message.content or "",
        calls=calls,
        finish=finish_of(choice.finish_reason, bool(calls), FINISHES),
        model=completion.model,
        used=(
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.prompt_tokens_details.cached_tokens,
            usage.completion_tokens_details.reasoning_tokens,
        ),
    )


def finish_word(plan: Plan) -> str:
    return "tool_calls" if plan.calls and plan.finish == "stop" else plan.finish


def usage(plan: Plan) -> dict[str, Any]:
    read, written, cached, thought = plan.used
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": thought},
    }


def body(plan: Plan) -> bytes:
    """Write an answer that comes whole."""
    calls = [
        {"id": one.id, "type": "custom", "custom": {"name": one.name, "input": one.text}}
        if one.custom
        else {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": one.text}}
        for one in plan.calls
    ]
    message: dict[str, Any] = {
        "role": "assistant",
        "content": "".join(plan.texts) or None,
        "refusal": None,
        "annotations": [],
    }
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_word(plan)}
    whole = {"id": "c", "object": "chat.completion", "created": 1, "model": plan.model, "choices": [choice]}
    return plan.dumps({**whole, "usage": usage(plan), "service_tier": "default"}).encode()


def chunks(plan: Plan, *, usage_apart: bool, in_turns: bool) -> list[str]:
    """Write the events of an answer that is streamed."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": plan.model, "obfuscation": "x7"}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "", "refusal": None}]
    deltas += [{"content": piece} for piece in plan.texts]
    begun = [
        {"index": place, "id": one.id, "type": "function", "function": {"name": one.name, "arguments": ""}}
        for place, one in enumerate(plan.calls)
    ]
    grown = [
        [{"index": place, "function": {"arguments": piece}} for piece in one.pieces]
        for place, one in enumerate(plan.calls)
    ]
    if in_turns:
        longest = max(map(len, grown), default=0)
        turns = [[pieces[turn] for pieces in grown if turn < len(pieces)] for turn in range(longest)]
        listed = [[one] for one in begun] + [turn for turn in turns if turn]
    else:
        listed = [[one] for start, pieces in zip(begun, grown, strict=True) for one in (start, *pieces)]
    deltas += [{"tool_calls": calls} for calls in listed]
    written = [
        {**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}]} for delta in deltas
    ]
    end = {**head, "choices": [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": finish_word(plan)}]}
    last = {**head, "choices": [], "usage": usage(plan)}
    written += [end, last] if usage_apart else [{**end, "usage": usage(plan)}]
    return [plan.dumps(one) for one in written]


@keeps("codecs.oracle")
@given(plan=plans(thinking=False, customs=True))
def test_a_whole_completion_is_read_as_the_official_client_reads_it(plan: Plan) -> None:
    data = body(plan)
    reference = theirs(data, stream=False)
    if plan.calls and plan.calls[-1].custom and plan.finish != "stop":
        # By promise: nothing tells whether a text is complete, so one that may have been cut is an invalid call.
        id, name, arguments = reference.calls[-1]
        reference.calls[-1] = (id, name, json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))[:-2])
    assert ours(NAME, data, None) == reference


@keeps("codecs.oracle", "codecs.any_cut")
@given(plan=plans(thinking=False), apart=st.booleans(), turns=st.booleans(), data=st.data(), places=cuts())
def test_a_streamed_completion_is_read_as_the_official_client_reads_it(
    plan: Plan, apart: bool, turns: bool, data: st.DataObject, places: list[int]
) -> None:
    stream = data.draw(events(chunks(plan, usage_apart=apart, in_turns=turns), done=True))
    assert ours(NAME, stream, places_in(stream, places)) == theirs(stream, stream=True)


@keeps("codecs.oracle", "formats.cut")
@given(plan=plans(thinking=False).filter(lambda plan: bool(plan.calls)), data=st.data())
@settings(max_examples=50)
def test_calls_that_were_cut_by_the_length_are_those_that_the_client_has_no_json_for(
    plan: Plan, data: st.DataObject
) -> None:
    """Where the client has JSON that is not an object, or none at all, ours is an invalid call as well."""
    last = plan.calls[-1]
    end = data.draw(st.integers(0, len(last.text) - 1))
    cut = type(last)(last.id, last.name, {}, (last.text[:end],))
    broken = type(plan)(plan.thoughts, plan.texts, (*plan.calls[:-1], cut), "length", plan.model, plan.used, plan.ascii)
    mine, reference = ours(NAME, body(broken), None), theirs(body(broken), stream=False)
    assert mine.calls[:-1] == reference.calls[:-1]
    assert mine.calls[-1] == (last.id, last.name, cut.text)
    assert mine.finish == reference.finish == "length"
