"""Metrics and spans, looked at with OpenTelemetry's own kit: real providers, set up in programs of their own.

OpenTelemetry's providers are set once for a whole program, so each test that needs some runs one.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from typing import Any

from opentelemetry import metrics, trace

from tests.promises import keeps
from toolwright.telemetry import telemetry

LOADED = (metrics, trace)  # in this program, and set up by nobody

SETUP = """
    import asyncio, json
    from opentelemetry import metrics, trace
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    reader, spans = InMemoryMetricReader(), InMemorySpanExporter()
    metrics.set_meter_provider(MeterProvider([reader]))
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)

    from toolwright.execution import Decision, Executor
    from toolwright.messages import InvalidToolCall, ToolCall
    from toolwright.registry import Registry
    from toolwright.telemetry import telemetry
    from toolwright.testing import FakeReviewer, MockTool
    from toolwright.tools import check_definition

    def measured():
        found = {}
        for resource in json.loads(reader.get_metrics_data().to_json())["resource_metrics"]:
            for scope in resource["scope_metrics"]:
                found |= {each["name"]: each for each in scope["metrics"]}
        return {
            name: [[each["attributes"], each.get("value", each.get("count"))] for each in metric["data"]["data_points"]]
            for name, metric in found.items()
        }

    def traced():
        return [
            {"name": each.name, "attributes": dict(each.attributes), "status": each.status.status_code.name,
             "parent": None if each.parent is None else each.parent.span_id, "id": each.context.span_id,
             "kind": each.kind.name, "events": len(each.events)}
            for each in spans.get_finished_spans()
        ]
"""


def program(body: str) -> Any:
    """Run a program that sets OpenTelemetry up, and return what it prints as JSON."""
    return json.loads(printed(SETUP, body))


def printed(*parts: str, env: Mapping[str, str] | None = None) -> str:
    """Run a program, and return what it prints."""
    code = "".join(map(textwrap.dedent, parts))
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | (env or {}),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@keeps("telemetry.metrics")
def test_calls_are_counted_and_measured_by_tool_and_outcome() -> None:
    found = program("""
        async def main():
            gate = asyncio.Event()
            holds = MockTool("holds", run=lambda context: gate.wait())
            executor = Executor(
                Registry([holds, MockTool.failing("fails"), MockTool("asks", risk="high")]),
                concurrency=1, reviewer=FakeReviewer(Decision.deny()),
            )
            other = Executor(Registry())
            calls = [asyncio.create_task(executor.execute(ToolCall.new("holds"))) for _ in range(3)]
            while executor.queued < 2:
                await asyncio.sleep(0)
            during = measured()
            gate.set()
            await asyncio.gather(*calls)
            for name in ("fails", "asks", "made_up_by_a_model"):
                await executor.execute(ToolCall.new(name))
            await executor.execute(InvalidToolCall("call_1", "made_up_as_well", "{", "cut off"))
            print(json.dumps([during, measured()]))

        asyncio.run(main())
    """)
    during, after = found
    assert during["tools.executions.active"] == [[{}, 1]]
    assert during["tools.executions.queued"] == [[{}, 2]]
    assert during["tools.executions.abandoned"] == [[{}, 0]]
    assert after["tools.executions.active"] == after["tools.executions.queued"] == [[{}, 0]]
    counted = {
        (each.get("gen_ai.tool.name"), each["outcome"]): value for each, value in after["tools.executions.outcomes"]
    }
    assert counted == {
        ("holds", "ok"): 3,
        ("fails", "tool_error"): 1,
        ("asks", "denied"): 1,
        (None, "tool_not_found"): 1,
        (None, "validation_failed"): 1,
    }
    assert {
        (each.get("gen_ai.tool.name"), each["outcome"]): n for each, n in after["tools.executions.duration"]
    } == counted
    assert after["tools.approvals.wait"] == [[{"answer": "deny"}, 1]]


@keeps("telemetry.definitions")
def test_definitions_are_counted_and_their_checks_measured() -> None:
    found = program("""
        class Store:
            def __init__(self, **counts):
                self.counts = counts

            def by_category(self):
                return self.counts

        own = telemetry()
        stores = [Store(git=2, search=1), Store(git=1)]
        for store in stores:
            own.watch_definitions(store)
        check_definition({"name": "list_pages", "description": "List the pages."})
        check_definition({"name": "list pages"})
        own.definition_created("git")
        print(json.dumps(measured()))
    """)
    assert found["tools.definitions.validation.duration"] == [[{}, 2]]
    assert found["tools.definitions.validation.failures"] == [[{}, 1]]
    assert found["tools.definitions.created"] == [[{"category": "git"}, 1]]
    assert found["tools.definitions.by_category"] == [[{"category": "git"}, 3], [{"category": "search"}, 1]]


@keeps("telemetry.metrics")
def test_a_sync_tool_that_was_left_behind_is_seen_until_it_comes_back() -> None:
    during, after = program("""
        import threading
        from toolwright.tools import tool

        gate = threading.Event()

        @tool(risk="safe")
        def blocks() -> None:
            "Wait in a thread."
            gate.wait(60)

        async def main():
            executor = Executor(Registry([blocks]))
            await executor.execute(ToolCall.new("blocks"), timeout=0.01)
            during = measured()["tools.executions.abandoned"]
            gate.set()
            while executor.abandoned:
                await asyncio.sleep(0)
            print(json.dumps([during, measured()["tools.executions.abandoned"]]))

        asyncio.run(main())
    """)
    assert (during, after) == ([[{}, 1]], [[{}, 0]])


@keeps("telemetry.spans", "telemetry.content")
def test_each_call_has_a_span_that_lies_in_the_caller_s_and_holds_no_content_unless_switched_on() -> None:
    found = program("""
        tracer = trace.get_tracer("application")
        tools = [MockTool("good", {"token": "abc", "note": "fine"}), MockTool.throwing("bad", ValueError("secret"))]

        async def inside(context):
            with tracer.start_as_current_span("inside"):
                return None

        tools.append(MockTool("nests", run=inside))

        async def main():
            executor = Executor(Registry(tools))
            with tracer.start_as_current_span("caller"):
                calls = [ToolCall("call_1", "good", {"password": "hunter2"}), ToolCall("call_2", "bad", {})]
                await executor.execute_many(calls)
                await executor.execute(ToolCall("call_3", "nests", {}))
                await executor.execute(InvalidToolCall("call_4", "good", "{", "cut off"))
            loud = Executor(Registry(tools), log_arguments=True, log_results=True)
            await loud.execute(ToolCall("call_5", "good", {"password": "hunter2", "path": "a"}))
            print(json.dumps(traced()))

        asyncio.run(main())
    """)
    by_id = {each["attributes"].get("gen_ai.tool.call.id", each["name"]): each for each in found}
    good, bad, nests, invalid, loud = (by_id[f"call_{number}"] for number in range(1, 6))
    caller = by_id["caller"]["id"]
    assert [each["parent"] for each in (good, bad, nests, invalid, loud)] == [caller] * 4 + [None]
    assert by_id["inside"]["parent"] == nests["id"]
    assert (good["name"], good["kind"], good["status"]) == ("execute_tool good", "INTERNAL", "UNSET")
    assert {
        key: good["attributes"][key] for key in ("gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.type")
    } == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "good",
        "gen_ai.tool.type": "function",
    }
    assert (bad["status"], bad["attributes"]["error.type"], bad["events"]) == ("ERROR", "tool_error", 0)
    assert (invalid["name"], invalid["attributes"]["error.type"]) == ("execute_tool invalid", "validation_failed")
    assert "hunter2" not in json.dumps(found)
    assert "secret" not in json.dumps(found)
    assert "gen_ai.tool.call.arguments" not in good["attributes"]
    assert json.loads(loud["attributes"]["gen_ai.tool.call.arguments"]) == {"password": "[redacted]", "path": "a"}
    assert json.loads(loud["attributes"]["gen_ai.tool.call.result"]) == {"token": "[redacted]", "note": "fine"}


@keeps("telemetry.genai")
def test_whoever_asks_a_model_can_measure_and_trace_it_after_the_same_conventions() -> None:
    found = program("""
        own = telemetry()
        own.model_asked(0.5, {"input": 10, "output": None}, {"gen_ai.request.model": "m"})
        span = own.span("chat m", {"gen_ai.request.model": "m"}, client=True)
        carried = own.carrier()
        inner = own.span("inner", {}, current=False)
        inner.close({"a": 1})
        assert span.recording
        span.close({"error.type": "rate_limited"}, name="chat m2")
        print(json.dumps([measured(), traced(), carried, own.carrier()]))
    """)
    metrics, spans, carried, afterwards = found
    assert metrics["gen_ai.client.operation.duration"] == [[{"gen_ai.request.model": "m"}, 1]]
    assert metrics["gen_ai.client.token.usage"] == [[{"gen_ai.request.model": "m", "gen_ai.token.type": "input"}, 1]]
    inner, chat = spans
    assert (chat["name"], chat["kind"], chat["status"]) == ("chat m2", "CLIENT", "ERROR")
    assert inner["parent"] == chat["id"]
    assert f"{chat['id']:016x}" in carried["traceparent"]
    assert afterwards == {}


@keeps("telemetry.off")
def test_where_nobody_has_set_it_up_nothing_is_traced() -> None:
    own = telemetry()
    assert own is not None
    assert own is telemetry()
    assert own.tool_span("a", "call_1") is None
    assert own.span("a", {}) is None
    assert own.carrier() == {}
    own.ended("a", "ok", 0.1)
    own.approval_waited(0.1, "approve")


def test_names_of_tools_that_come_and_go_are_not_kept_for_ever() -> None:
    own = telemetry()
    assert own is not None
    names = [f"tool_{number}" for number in range(10_050)]
    before = len(gc.get_objects())
    for name in names * 3:
        own.ended(name, "ok", 0.1)
    assert len(gc.get_objects()) - before < 2 * 10_050


@keeps("telemetry.off")
def test_a_program_that_traces_nothing_does_not_load_the_api() -> None:
    code = """
    import asyncio, sys
    from toolwright.execution import Executor
    from toolwright.messages import ToolCall
    from toolwright.registry import Registry
    from toolwright.telemetry import telemetry
    from toolwright.testing import MockTool

    asyncio.run(Executor(Registry([MockTool("a")])).execute(ToolCall.new("a")))
    own = telemetry()
    own.ended("a", "ok", 0.1)
    own.approval_waited(0.1, "approve")
    own.model_asked(0.1, {"input": 1}, {})
    own.definition_validated(0.1, valid=False)
    own.definition_created("git")
    assert own.span("a", {}) is None and own.carrier() == {} and not own.measured
    print([name for name in sys.modules if name.startswith("opentelemetry.")])
    """
    assert printed(code) == "[]\n"


@keeps("telemetry.off")
def test_environment_variables_set_it_up_although_nobody_has_loaded_it() -> None:
    code = """
    from toolwright.telemetry import telemetry

    print(telemetry().tool_span("a", "call_1") is not None, telemetry().measured)
    """
    providers = {
        "OTEL_PYTHON_TRACER_PROVIDER": "sdk_tracer_provider",
        "OTEL_PYTHON_METER_PROVIDER": "sdk_meter_provider",
    }
    assert printed(code, env=providers) == "True True\n"


@keeps("telemetry.metrics", "telemetry.spans")
def test_what_is_set_up_after_an_executor_was_made_sees_its_calls() -> None:
    early = """
        from toolwright.execution import Executor
        from toolwright.registry import Registry
        from toolwright.testing import MockTool

        executor = Executor(Registry([MockTool("a")]))
    """
    late = """
        asyncio.run(executor.execute(ToolCall.new("a")))
        print(json.dumps([sorted(measured()), [each["name"] for each in traced()]]))
    """
    metrics, spans = json.loads(printed(early, SETUP, late))
    assert {"tools.executions.outcomes", "tools.executions.active"} <= set(metrics)
    assert spans == ["execute_tool a"]


@keeps("telemetry.off")
def test_without_opentelemetry_calls_run_as_ever() -> None:
    code = """
    import sys
    sys.modules["opentelemetry"] = None
    import asyncio
    from toolwright.execution import Decision, Executor
    from toolwright.messages import ToolCall
    from toolwright.registry import Registry
    from toolwright.telemetry import telemetry
    from toolwright.testing import FakeReviewer, MockTool

    assert telemetry() is None
    executor = Executor(Registry([MockTool("a", 1, risk="high")]), reviewer=FakeReviewer(Decision.approve()))
    print(asyncio.run(executor.execute(ToolCall.new("a"))).outcome.data)
    """
    assert printed(code) == "1\n"


def test_a_span_that_nobody_records_still_leads_to_those_around_it() -> None:
    found = program("""
        from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
        provider.sampler = ALWAYS_OFF
        seen = []

        async def main():
            def look(context):
                seen.append(trace.get_current_span().get_span_context().is_valid)

            executor = Executor(Registry([MockTool("look", run=look)]))
            await executor.execute(ToolCall.new("look"))
            print(json.dumps([seen, traced(), trace.get_current_span().get_span_context().is_valid]))

        asyncio.run(main())
    """)
    assert found == [[True], [], False]
