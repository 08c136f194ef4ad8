"""What Google's client reads from generated content is what we read."""

from __future__ import annotations

from functools import cache
from typing import Any

import httpx2
from google import genai
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from tests.providers.oracle import Plan, Reading, cuts, events, finish_of, never_run_empty, ours, places_in, plans

NAME = "gemini"
WORDS = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}
FINISHES = {"MAX_TOKENS": "length", "SAFETY": "content_filter"}
SERVED: list[tuple[bytes, str]] = []


@cache
def client() -> genai.Client:
    """Return the official client, before a server that answers with the bytes in ``SERVED``."""

    def answer(_: httpx2.Request) -> httpx2.Response:
        content, kind = SERVED[-1]
        return httpx2.Response(200, content=content, headers={"content-type": kind})

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    return genai.Client(api_key="none", http_options=types.HttpOptions(httpx_client=http))


def theirs(data: bytes, *, stream: bool) -> Reading:
    SERVED[:] = [(data, "text/event-stream" if stream else "application/json")]
    models = client().models
    chunks: list[Any] = (
        list(models.generate_content_stream(model="m", contents="?"))
        if stream
        else [models.generate_content(model="m", contents="?")]
    )
    parts: list[Any] = [part for chunk in chunks for part in chunk.candidates[0].content.parts or ()]
    functions: list[Any] = [part.function_call for part in parts if part.function_call]
    calls = [(one.id or f"call_{place}", one.name, one.args or {}) for place, one in enumerate(functions)]
    finish = finish_of(chunks[-1].candidates[0].finish_reason.value, bool(calls), FINISHES)
    usage = chunks[-1].usage_metadata
    thought = usage.thoughts_token_count
    # By promise, thoughts are among the output_tokens, as they are elsewhere.
    written = usage.candidates_token_count + (thought or 0)
    return Reading(
        text="".join(part.text for part in parts if part.text and not part.thought),
        calls=never_run_empty(calls, finish),
        finish=finish,
        model=chunks[-1].model_version,
        used=(usage.prompt_token_count, written, usage.cached_content_token_count, thought),
        reasoning="".join(part.text for part in parts if part.text and part.thought),
    )


def usage(plan: Plan) -> dict[str, int]:
    read, written, cached, thought = plan.used
    counts = {"promptTokenCount": read, "candidatesTokenCount": written - thought, "totalTokenCount": read + written}
    return {**counts, "cachedContentTokenCount": cached, "thoughtsTokenCount": thought}


def call_part(plan: Plan, place: int) -> dict[str, Any]:
    one = plan.calls[place]
    function: dict[str, Any] = {"name": one.name}
    if one.arguments:
        function["args"] = one.arguments
    if plan.ascii:  # ids come from some endpoints only
        function["id"] = one.id
    return {"functionCall": function, **({"thoughtSignature": "c2ln"} if place == 0 else {})}


def candidate(parts: list[dict[str, Any]], finish: str | None) -> dict[str, Any]:
    content = {"parts": parts, "role": "model"} if parts else {"role": "model"}
    return {"content": content, "index": 0, **({"finishReason": finish} if finish else {})}


def parts_of(plan: Plan) -> list[dict[str, Any]]:
    thoughts = [{"text": piece, "thought": True} for piece in plan.thoughts]
    said = [{"text": piece} for piece in plan.texts]
    return [*thoughts, *said, *[call_part(plan, place) for place in range(len(plan.calls))]]


def body(plan: Plan) -> bytes:
    """Write an answer that comes whole."""
    answer = {"candidates": [candidate(parts_of(plan), WORDS[plan.finish])], "usageMetadata": usage(plan)}
    return plan.dumps({**answer, "modelVersion": plan.model, "responseId": "r"}).encode()


def chunks_of(plan: Plan) -> list[str]:
    """Write the chunks of an answer that is streamed, one part in each; the last has only the end."""
    listed = [
        {
            "candidates": [candidate([part], None)],
            "usageMetadata": {"promptTokenCount": plan.used[0]},
            "modelVersion": plan.model,
        }
        for part in parts_of(plan)
    ]
    last = {"candidates": [candidate([{"text": ""}], WORDS[plan.finish])], "usageMetadata": usage(plan)}
    return [plan.on_one_line(one) for one in (*listed, {**last, "modelVersion": plan.model})]


@keeps("codecs.oracle")
@given(plan=plans())
def test_a_whole_content_is_read_as_the_official_client_reads_it(plan: Plan) -> None:
    data = body(plan)
    assert ours(NAME, data, None) == theirs(data, stream=False)


@keeps("codecs.oracle", "codecs.any_cut")
@given(plan=plans(), data=st.data(), places=cuts())
def test_a_streamed_content_is_read_as_the_official_client_reads_it(
    plan: Plan, data: st.DataObject, places: list[int]
) -> None:
    stream = data.draw(events(chunks_of(plan), plain=True))
    assert ours(NAME, stream, places_in(stream, places)) == theirs(stream, stream=True)


@keeps("codecs.any_cut", "quirk.40")
@given(plan=plans(), places=cuts())
def test_an_array_of_chunks_is_read_as_its_events_are(plan: Plan, places: list[int]) -> None:
    """The official client only reads events."""
    array = f"[{','.join(chunks_of(plan))}\n]".encode()
    stream = "".join(f"data: {chunk}\r\n\r\n" for chunk in chunks_of(plan)).encode()
    assert ours(NAME, array, places_in(array, places)) == ours(NAME, stream, []) == ours(NAME, array, None)
