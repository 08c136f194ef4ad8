"""What Ollama's client reads from rows is what we read."""

from __future__ import annotations

from functools import cache
from typing import Any

import httpx
import ollama
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from tests.providers.oracle import Plan, Reading, cuts, finish_of, ours, places_in, plans, rows

NAME = "ollama"
FINISHES = {"length": "length"}
ASKED: Any = [{"role": "user", "content": "?"}]
SERVED: list[bytes] = []


@cache
def client() -> ollama.Client:
    """Return the official client, before a server that answers with the bytes in ``SERVED``."""
    answer = httpx.MockTransport(lambda _: httpx.Response(200, content=SERVED[-1]))
    return ollama.Client(host="http://test", transport=answer)


def theirs(data: bytes, *, stream: bool) -> Reading:
    SERVED[:] = [data]
    answers: list[Any] = [*client().chat("m", ASKED, stream=True)] if stream else [client().chat("m", ASKED)]
    last = answers[-1]
    functions = [call.function for answer in answers for call in answer.message.tool_calls or ()]
    # The client has no ids; calls are told apart by their order.
    calls = [(f"call_{place}", function.name, dict(function.arguments)) for place, function in enumerate(functions)]
    return Reading(
        text="".join(answer.message.content or "" for answer in answers),
        calls=calls,
        finish=finish_of(last.done_reason, bool(calls), FINISHES),
        model=last.model,
        used=(last.prompt_eval_count, last.eval_count, None, None),
        reasoning="".join(answer.message.thinking or "" for answer in answers),
    )


def row(plan: Plan, **fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "", **fields}
    return {"model": plan.model, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": False}


def calls_of(plan: Plan) -> list[dict[str, Any]]:
    return [{"function": {"index": 0, "name": one.name, "arguments": one.arguments}} for one in plan.calls]


def ended(plan: Plan, last: dict[str, Any]) -> dict[str, Any]:
    reason = "length" if plan.finish == "length" else "stop"
    counts: dict[str, int] = {"eval_count": plan.used[1], "total_duration": 5, "eval_duration": 3}
    if plan.used[2]:  # missing where the whole prompt was read from the cache
        counts["prompt_eval_count"] = plan.used[0]
    return {**last, "done": True, "done_reason": reason, **counts}


def body(plan: Plan) -> bytes:
    """Write an answer that comes whole."""
    fields: dict[str, Any] = {"content": "".join(plan.texts)}
    if plan.thoughts:
        fields["thinking"] = "".join(plan.thoughts)
    if plan.calls:
        fields["tool_calls"] = calls_of(plan)
    return plan.on_one_line(ended(plan, row(plan, **fields))).encode()


def streamed(plan: Plan) -> list[str]:
    """Write the rows of an answer that is streamed: calls are whole, and come before the end."""
    listed = [row(plan, thinking=piece) for piece in plan.thoughts]
    listed += [row(plan, content=piece) for piece in plan.texts]
    listed += [row(plan, tool_calls=[call]) for call in calls_of(plan)]
    return [plan.on_one_line(one) for one in (*listed, ended(plan, row(plan)))]


@keeps("codecs.oracle", "quirk.42")
@given(plan=plans())
def test_a_whole_row_is_read_as_the_official_client_reads_it(plan: Plan) -> None:
    data = body(plan)
    assert ours(NAME, data, None) == theirs(data, stream=False)


@keeps("codecs.oracle", "codecs.any_cut", "quirk.41")
@given(plan=plans(), data=st.data(), places=cuts())
def test_streamed_rows_are_read_as_the_official_client_reads_them(
    plan: Plan, data: st.DataObject, places: list[int]
) -> None:
    stream = data.draw(rows(streamed(plan)))
    assert ours(NAME, stream, places_in(stream, places)) == theirs(stream, stream=True)
