"""What OpenAI's client reads from responses is what we read."""

from __future__ import annotations

import json
from functools import cache
from itertools import count
from typing import Any

import httpx2
from hypothesis import given
from hypothesis import strategies as st
from openai import OpenAI

from tests.promises import keeps
from tests.providers.oracle import Plan, Reading, arguments_of, cuts, events, finish_of, ours, places_in, plans

NAME = "openai-responses"
FINISHES = {"max_output_tokens": "length", "content_filter": "content_filter"}
SERVED: list[bytes] = []

Object = dict[str, Any]


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
    answer: Any
    if stream:
        with client().responses.stream(model="m", input="?") as live:
            answer = next(
                event.response for event in live if event.type in ("response.completed", "response.incomplete")
            )
    else:
        answer = client().responses.create(model="m", input="?")
    calls = [
        (one.call_id, one.name, arguments_of(one.arguments) if one.type == "function_call" else {"input": one.input})
        for one in answer.output
        if one.type in ("function_call", "custom_tool_call")
    ]
    thoughts = [part.text for item in answer.output if item.type == "reasoning" for part in item.summary]
    usage = answer.usage
    details = answer.incomplete_details
    return Reading(
        text=answer.output_text,
        calls=calls,
        finish=finish_of(details and details.reason, bool(calls), FINISHES),
        model=answer.model,
        used=(
            usage.input_tokens,
            usage.output_tokens,
            usage.input_tokens_details.cached_tokens,
            usage.output_tokens_details.reasoning_tokens,
        ),
        reasoning="\n\n".join(thoughts),
    )


def items_of(plan: Plan) -> list[Object]:
    """Return the items of an answer: reasoning, then a message for each text, then the calls."""
    items: list[Object] = []
    if plan.thoughts:
        summary = [{"type": "summary_text", "text": piece} for piece in plan.thoughts]
        items.append({"id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": "Z0FB"})
    for place, piece in enumerate(plan.texts):
        part = {"type": "output_text", "text": piece, "annotations": [], "logprobs": []}
        said = {"id": f"msg_{place}", "type": "message", "status": "completed", "role": "assistant"}
        items.append({**said, "content": [part]})
    for place, one in enumerate(plan.calls):
        kind, field = ("custom_tool_call", "input") if one.custom else ("function_call", "arguments")
        call = {"id": f"fc_{place}", "type": kind, "status": "completed", "call_id": one.id}
        items.append({**call, "name": one.name, field: one.text})
    return items


def response(plan: Plan, *, ended: bool) -> Object:
    read, written, cached, thought = plan.used
    reasons = {"length": "max_output_tokens", "content_filter": "content_filter"}
    cut = ended and plan.finish in reasons
    counts = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    details = {
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens_details": {"reasoning_tokens": thought},
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "incomplete" if cut else "completed" if ended else "in_progress",
        "error": None,
        "incomplete_details": {"reason": reasons[plan.finish]} if cut else None,
        "model": plan.model,
        "output": items_of(plan) if ended else [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {**counts, **details} if ended else None,
    }


def pieces_of(plan: Plan, item: Object, index: int) -> list[Object]:
    """Return the events between the beginning and the end of an item."""
    at: Object = {"item_id": item["id"], "output_index": index}
    match item["type"]:
        case "reasoning":
            kind = "response.reasoning_summary_text.delta"
            parts = enumerate(item["summary"])
            return [{"type": kind, **at, "summary_index": place, "delta": part["text"]} for place, part in parts]
        case "message":
            text = item["content"][0]["text"]
            half = len(text) // 2
            inside = {**at, "content_index": 0}
            empty = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
            delta = {"type": "response.output_text.delta", **inside, "logprobs": []}
            return [
                {"type": "response.content_part.added", **inside, "part": empty},
                *[{**delta, "delta": piece} for piece in (text[:half], text[half:])],
                {"type": "response.output_text.done", **inside, "text": text, "logprobs": []},
                {"type": "response.content_part.done", **inside, "part": item["content"][0]},
            ]
        case _:
            one = next(one for one in plan.calls if one.id == item["call_id"])
            kind = "response.custom_tool_call_input" if one.custom else "response.function_call_arguments"
            end = {"input": one.text} if one.custom else {"name": one.name, "arguments": one.text}
            pieces = [{"type": f"{kind}.delta", **at, "delta": piece} for piece in one.pieces]
            return [*pieces, {"type": f"{kind}.done", **at, **end}]


def begun(item: Object) -> Object:
    """Return an item as it is when it has just begun."""
    empty: dict[str, Object] = {
        "reasoning": {"summary": []},
        "message": {"content": []},
        "function_call": {"arguments": ""},
        "custom_tool_call": {"input": ""},
    }
    return {**item, **empty[item["type"]]}


def stream_of(plan: Plan) -> list[Object]:
    """Return the events of an answer that is streamed."""
    numbers = count()
    listed: list[Object] = [
        {"type": kind, "response": response(plan, ended=False)} for kind in ("response.created", "response.in_progress")
    ]
    for index, item in enumerate(items_of(plan)):
        listed.append({"type": "response.output_item.added", "output_index": index, "item": begun(item)})
        listed += pieces_of(plan, item, index)
        listed.append({"type": "response.output_item.done", "output_index": index, "item": item})
    whole = response(plan, ended=True)
    listed.append({"type": f"response.{whole['status']}", "response": whole})
    return [{**event, "sequence_number": next(numbers)} for event in listed]


@keeps("codecs.oracle")
@given(plan=plans(customs=True))
def test_a_whole_response_is_read_as_the_official_client_reads_it(plan: Plan) -> None:
    data = plan.dumps(response(plan, ended=True)).encode()
    assert ours(NAME, data, None) == theirs(data, stream=False)


@keeps("codecs.oracle", "codecs.any_cut")
@given(plan=plans(customs=True), data=st.data(), places=cuts(), done=st.booleans())
def test_a_streamed_response_is_read_as_the_official_client_reads_it(
    plan: Plan, data: st.DataObject, places: list[int], done: bool
) -> None:
    listed = stream_of(plan)
    framed = events([plan.dumps(event) for event in listed], names=[event["type"] for event in listed], done=done)
    stream = data.draw(framed)
    assert ours(NAME, stream, places_in(stream, places)) == theirs(stream, stream=True)


@keeps("codecs.oracle", "quirk.21")
@given(plan=plans(customs=True))
def test_a_last_event_without_its_items_is_read_as_one_that_has_them(plan: Plan) -> None:
    """Here the client reads an empty answer; by promise, ours has what was streamed."""
    listed = stream_of(plan)
    without = [*listed[:-1], {**listed[-1], "response": {**listed[-1]["response"], "output": []}}]
    one, other = ("".join(f"data: {plan.dumps(event)}\n\n" for event in each).encode() for each in (listed, without))
    assert ours(NAME, other, []) == ours(NAME, one, [])
