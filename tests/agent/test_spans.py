"""What is traced of a run, looked at with OpenTelemetry's own kit in a program of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import Any

from tests.promises import keeps

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
