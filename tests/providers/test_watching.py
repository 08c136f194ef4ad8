"""What is told of each question to a model: logs, spans, metrics; and that none of it holds what was said."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from tests.promises import keeps
from tests.providers.services import KEY, serving
from tests.telemetry.test_telemetry import program
from toolwright.errors import LLMError
from toolwright.messages import user
from toolwright.providers import ChatResponse, Usage
from toolwright.providers.transport import Address
from toolwright.providers.watching import Watch

QUESTION = "A question that nobody else may read."


def told(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [
        (vars(record)["event"], record.levelname) for record in caplog.records if record.name == "toolwright.providers"
    ]


@keeps("providers.logs")
async def test_each_question_each_attempt_and_each_error_is_told_in_logs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    script = [LLMError("rate_limited", "Slow down."), "An answer.", LLMError("authentication_failed", "No.")]
    with serving("anthropic", script) as (llm, server):
        assert await llm.chat([user(QUESTION)]) == "An answer."
        with pytest.raises(LLMError):
            await llm.chat([user(QUESTION)])
        await llm.aclose()
    assert told(caplog) == [
        ("provider.request", "INFO"),
        ("provider.retry", "WARNING"),
        ("provider.answer", "INFO"),
        ("provider.request", "INFO"),
        ("provider.error", "WARNING"),
    ]
    ours = [vars(record) for record in caplog.records if record.name == "toolwright.providers"]
    common = {"provider": "anthropic", "model": "a-model", "server": server.url}
    assert all(common.items() <= each.items() for each in ours)
    assert {"code": "rate_limited", "status": 429, "attempt": 1, "wait": 0.5}.items() <= ours[1].items()
    assert {"code": "authentication_failed", "status": 401, "request_id": None}.items() <= ours[4].items()
    for word in (QUESTION, "An answer.", KEY):
        assert word not in repr(ours)


@keeps("providers.logs")
async def test_a_reader_who_stops_early_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with serving("openai-chat", ["a long answer that nobody reads to its end"]) as (llm, _):
        stream = llm.stream([user(QUESTION)])
        await anext(stream)
        await stream.aclose()
        await llm.aclose()
    assert told(caplog) == [("provider.request", "INFO")]


@keeps("providers.logs")
async def test_a_question_that_is_cancelled_is_not_told_as_an_error_of_the_provider(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    with serving("ollama", [None]) as (llm, server):
        task = asyncio.create_task(llm.chat([user(QUESTION)]))
        async with asyncio.timeout(20):
            while not server.requests:  # noqa: ASYNC110  the server runs in a thread and tells nobody
                await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await llm.aclose()
    assert told(caplog) == [("provider.request", "INFO")]


@keeps("providers.telemetry")
def test_each_question_is_measured_and_traced_after_the_conventions() -> None:
    metrics, spans, text = program("""
        from toolwright.errors import LLMError
        from toolwright.messages import user
        from toolwright.providers import ChatResponse, Usage, provider as model
        from toolwright.testing import ScriptedServer

        async def main(server):
            answer = ChatResponse(text="secret words", usage=Usage(input_tokens=30, output_tokens=5, cached_tokens=9))
            server.extend([answer, answer, LLMError("authentication_failed", "secret words")])
            llm = model("anthropic:m", base_url=server.url, api_key="k")
            around = telemetry().span("around", {})
            await llm.chat_with_tools([user("secret words")], [], temperature=0.5, max_tokens=77)
            async for event in llm.stream([user("secret words")]):
                pass
            try:
                await llm.chat([user("secret words")])
            except LLMError:
                pass
            around.close()
            left = llm.stream([user("secret words")])
            server.extend(["left alone"])
            await anext(left)
            await left.aclose()
            await llm.aclose()

        with ScriptedServer() as server:
            asyncio.run(main(server))
            made = json.dumps([measured(), traced()])
        print(json.dumps([measured(), traced(), made]))
    """)
    first, second, failed, around, left = spans
    assert [span["name"] for span in (first, second, failed, left)] == ["chat m"] * 4
    assert {span["kind"] for span in (first, second, failed)} == {"CLIENT"}
    assert {span["parent"] for span in (first, second, failed)} == {around["id"]}
    attributes = first["attributes"]
    port = attributes.pop("server.port")
    assert attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "m",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.max_tokens": 77,
        "gen_ai.response.model": "m",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 30,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 9,
        "server.address": "127.0.0.1",
    }
    assert second["attributes"]["gen_ai.usage.output_tokens"] == 5
    assert (failed["status"], failed["attributes"]["error.type"]) == ("ERROR", "authentication_failed")
    assert (left["status"], "error.type" in left["attributes"]) == ("UNSET", False)
    asked: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "anthropic"}
    durations = metrics["gen_ai.client.operation.duration"]
    assert sum(count for _, count in durations) == 4
    assert all(asked.items() <= found.items() and found["server.port"] == port for found, _ in durations)
    assert sorted(found["gen_ai.token.type"] for found, _ in metrics["gen_ai.client.token.usage"]) == [
        "input",
        "output",
    ]
    assert "secret words" not in text


@keeps("providers.telemetry")
def test_what_is_not_known_of_an_answer_is_not_told() -> None:
    watch = Watch("ollama", "m", Address.of("http://127.0.0.1:5"), {"temperature": None})
    asked = watch.span_attributes
    assert asked == watch.found(None)
    assert watch.measured("timeout") == {**asked, "error.type": "timeout"}
    watch.response = ChatResponse(text="x", usage=Usage(output_tokens=3))
    assert watch.found(None) == {
        **asked,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.response.finish_reasons": ["stop"],
    }
    watch.response = ChatResponse(model="m-1")
    assert watch.measured(None) == {**asked, "gen_ai.response.model": "m-1"}
