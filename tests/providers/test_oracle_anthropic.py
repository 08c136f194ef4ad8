"""What Anthropic's client reads from messages is what we read."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import httpx2
from anthropic import Anthropic
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from tests.providers.oracle import Plan, Reading, cuts, events, finish_of, never_run_empty, ours, places_in, plans

NAME = "anthropic"
WORDS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
FINISHES = {"max_tokens": "length", "refusal": "content_filter", "tool_use": "tool_calls"}
ASKED: Any = [{"role": "user", "content": "?"}]
SERVED: list[bytes] = []
PING: tuple[str, dict[str, Any]] = ("ping", {"type": "ping"})


@cache
def client() -> Anthropic:
    """Return the official client, before a server that answers with the bytes in ``SERVED``."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        kind = "text/event-stream" if json.loads(request.content).get("stream") else "application/json"
        return httpx2.Response(200, content=SERVED[-1], headers={"content-type": kind})

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    return Anthropic(api_key="none", base_url="http://test", max_retries=0, http_client=http)


def theirs(data: bytes, *, stream: bool) -> Reading:
    SERVED[:] = [data]
    message: Any
    if stream:
        with client().messages.stream(model="m", max_tokens=9, messages=ASKED) as live:
            message = live.get_final_message()
    else:
        message = client().messages.create(model="m", max_tokens=9, messages=ASKED)
    calls = [(block.id, block.name, block.input) for block in message.content if block.type == "tool_use"]
    finish = finish_of(message.stop_reason, bool(calls), FINISHES)
    usage = message.usage
    # By promise, what is read from a cache or put into it is among the input_tokens, as it is elsewhere.
    read = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
    return Reading(
        text="".join(block.text for block in message.content if block.type == "text"),
        calls=never_run_empty(calls, finish),
        finish=finish,
        model=message.model,
        used=(read, usage.output_tokens, usage.cache_read_input_tokens, None),
        reasoning="".join(block.thinking for block in message.content if block.type == "thinking"),
    )


def stop_word(plan: Plan) -> str:
    return "tool_use" if plan.calls and plan.finish == "stop" else WORDS[plan.finish]


def usage(plan: Plan, written: int) -> dict[str, Any]:
    cached = plan.used[2]
    counts = {"input_tokens": plan.used[0] - cached, "cache_read_input_tokens": cached, "output_tokens": written}
    return {**counts, "cache_creation_input_tokens": 7, "service_tier": "standard"}


def message(plan: Plan, blocks: list[dict[str, Any]], stop: str | None, written: int) -> dict[str, Any]:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": plan.model}
    return {**head, "content": blocks, "stop_reason": stop, "stop_sequence": None, "usage": usage(plan, written)}


def body(plan: Plan) -> bytes:
    """Write an answer that comes whole."""
    blocks: list[dict[str, Any]] = []
    if plan.thoughts:
        blocks.append({"type": "thinking", "thinking": "".join(plan.thoughts), "signature": "c2ln"})
    blocks += [{"type": "text", "text": piece, "citations": None} for piece in plan.texts]
    blocks += [{"type": "tool_use", "id": one.id, "name": one.name, "input": one.arguments} for one in plan.calls]
    return plan.dumps(message(plan, blocks, stop_word(plan), plan.used[1])).encode()


def block(index: int, start: dict[str, Any], deltas: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of one block."""
    return [
        ("content_block_start", {"type": "content_block_start", "index": index, "content_block": start}),
        *[("content_block_delta", {"type": "content_block_delta", "index": index, "delta": one}) for one in deltas],
        ("content_block_stop", {"type": "content_block_stop", "index": index}),
    ]


def stream_of(plan: Plan) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of an answer that is streamed."""
    listed: list[tuple[str, dict[str, Any]]] = [
        ("message_start", {"type": "message_start", "message": message(plan, [], None, 1)}),
        PING,
    ]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if plan.thoughts:
        thinking = [{"type": "thinking_delta", "thinking": piece} for piece in plan.thoughts]
        signed = {"type": "signature_delta", "signature": "c2ln"}
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, [*thinking, signed]))
    if plan.texts:
        pieces = [{"type": "text_delta", "text": piece} for piece in plan.texts]
        blocks.append(({"type": "text", "text": ""}, pieces))
    for one in plan.calls:
        start = {"type": "tool_use", "id": one.id, "name": one.name, "input": {}}
        # Without arguments there is one delta, and it is empty.
        text = one.pieces if one.arguments else ("",)
        blocks.append((start, [{"type": "input_json_delta", "partial_json": piece} for piece in text]))
    for index, (start, deltas) in enumerate(blocks):
        listed += [*block(index, start, deltas), PING]
    ending = {"stop_reason": stop_word(plan), "stop_sequence": None}
    totals = usage(plan, plan.used[1])
    listed.append(("message_delta", {"type": "message_delta", "delta": ending, "usage": totals}))
    return [*listed, ("message_stop", {"type": "message_stop"})]


@keeps("codecs.oracle")
@given(plan=plans())
def test_a_whole_message_is_read_as_the_official_client_reads_it(plan: Plan) -> None:
    data = body(plan)
    assert ours(NAME, data, None) == theirs(data, stream=False)


@keeps("codecs.oracle", "codecs.any_cut")
@given(plan=plans(), data=st.data(), places=cuts())
def test_a_streamed_message_is_read_as_the_official_client_reads_it(
    plan: Plan, data: st.DataObject, places: list[int]
) -> None:
    listed = stream_of(plan)
    framed = events([plan.dumps(event) for _, event in listed], names=[name for name, _ in listed])
    stream = data.draw(framed)
    assert ours(NAME, stream, places_in(stream, places)) == theirs(stream, stream=True)
