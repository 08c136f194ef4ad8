"""What is traced of a run, looked at with OpenTelemetry's own kit in a program of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from types import SimpleNamespace
from typing import Any

import pytest
from opentelemetry import context, metrics, propagate, trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.agent.running import within
from tests.promises import keeps
from toolwright.agent.beginning import first_position
from toolwright.agent.limits import RunLimits
from toolwright.agent.loop import Means, RunLoop
from toolwright.agent.offer import Offer
from toolwright.errors import LLMError
from toolwright.execution import Executor
from toolwright.registry import Registry
from toolwright.telemetry import Api, Telemetry
from toolwright.testing import ScriptedProvider

PROGRAM = """
    import asyncio, json
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)

    from toolwright.agent import Agent
    from toolwright.errors import LLMError
    from toolwright.messages import ToolCall
    from toolwright.providers import ChatResponse, Usage
    from toolwright.registry import Registry
    from toolwright.testing import MockTool, ScriptedProvider

    async def main():
        inner = Agent(ScriptedProvider(["Found."]), Registry())
        registry = Registry([MockTool("echo"), inner.as_tool("research", "Look.")])
        calls = [ToolCall("call_0", "echo", {}), ToolCall("call_1", "research", {"task": "Find a secret."})]
        done = ChatResponse(text="Done.", usage=Usage(input_tokens=5, output_tokens=2))
        agent = Agent(ScriptedProvider([calls, done, LLMError("rate_limited", "slow down"), RuntimeError()]), registry)
        async for _event in agent.stream("Go.", run_id="r"):
            pass
        await agent.run("Go.")
        await agent.run("Go.")

    asyncio.run(main())
    print(json.dumps([
        {"name": each.name, "attributes": dict(each.attributes), "status": each.status.status_code.name,
         "parent": None if each.parent is None else each.parent.span_id, "id": each.context.span_id}
        for each in spans.get_finished_spans()
    ]))
"""


@keeps("agent.span")
def test_a_run_has_one_span_around_those_of_its_calls_and_sub_agents() -> None:
    arguments = [sys.executable, "-c", textwrap.dedent(PROGRAM)]
    child = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=True)
    spans: list[dict[str, Any]] = json.loads(child.stdout)
    runs = [span for span in spans if span["name"] == "invoke_agent"]
    inner, whole, refused, broken = runs
    tools = {span["name"]: span for span in spans if span["name"].startswith("execute_tool")}
    assert {span["parent"] for span in tools.values()} == {whole["id"]}
    assert inner["parent"] == tools["execute_tool research"]["id"]
    assert whole["parent"] is None
    assert whole["attributes"] == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.request.model": "scripted",
        "gen_ai.conversation.id": "r",
        "gen_ai.usage.input_tokens": 5,
        "gen_ai.usage.output_tokens": 2,
        "toolwright.status": "completed",
    }
    assert (refused["status"], refused["attributes"]["error.type"]) == ("ERROR", "rate_limited")
    assert (broken["status"], broken["attributes"]["error.type"]) == ("ERROR", "RuntimeError")
    assert "secret" not in child.stdout


async def traced(answer: object) -> ReadableSpan:
    """Run with a model that gives one answer, and return the span of the run."""
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    api = SimpleNamespace(
        _TRACER_PROVIDER=provider,
        SpanKind=trace.SpanKind,
        StatusCode=trace.StatusCode,
        set_span_in_context=trace.set_span_in_context,
    )
    meter, tracer = metrics.get_meter("test"), provider.get_tracer("test")
    executor = Executor(Registry())
    means = Means(
        id="r",
        provider=ScriptedProvider([answer]),
        executor=executor,
        limits=RunLimits(),
        offer=Offer(executor, None, None, None),
        options={},
        telemetry=Telemetry(Api(meter, tracer, api, context, propagate, metrics.Observation)),
    )
    await within(RunLoop(means, first_position("Go.", None, None, "r", None)).run())
    (span,) = spans.get_finished_spans()
    return span


@pytest.mark.parametrize(
    ("answer", "status", "kind"),
    [
        ("Hi.", "completed", None),
        (LLMError("rate_limited", "slow down"), "provider_error", "rate_limited"),
        (ValueError("broken"), "failed", "ValueError"),
    ],
)
async def test_the_span_of_a_run_says_how_it_ended(answer: object, status: str, kind: str | None) -> None:
    span = await traced(answer)
    assert span.attributes is not None
    assert span.attributes["toolwright.status"] == status
    assert span.attributes.get("error.type") == kind
    assert span.status.is_ok != (kind is not None)
