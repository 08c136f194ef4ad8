"""The one door to OpenTelemetry: metrics and spans where its API is installed, and nothing at all where it is not.

Logs are not here: each room has its own standard logger. :func:`telemetry` looks once; whoever gets None from it does
nothing more. Names and attributes go in, never content.

This module may not know what a call or a provider is.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

__all__ = ["Telemetry", "telemetry"]

_NAME: Final = "toolwright"

# After the semantic conventions for GenAI: https://opentelemetry.io/docs/specs/semconv/gen-ai/
_OPERATION: Final = "gen_ai.operation.name"
_TOOL: Final = "gen_ai.tool.name"
_CALL_ID: Final = "gen_ai.tool.call.id"


@cache
def telemetry() -> Telemetry | None:
    """Return what records metrics and spans; None where OpenTelemetry is not installed."""
    try:
        from opentelemetry import metrics, trace  # optional (the extra `otel`), and asked for once
    except ImportError:
        return None
    return Telemetry(metrics.get_meter(_NAME), trace.get_tracer(_NAME), trace)


class Telemetry:
    """Metrics and spans of executions. ``meter`` and ``tracer`` are OpenTelemetry's, ``trace`` is its module."""

    def __init__(self, meter: Any, tracer: Any, trace: Any) -> None:
        self._tracer = tracer
        self._trace = trace
        self._duration = meter.create_histogram("tools.executions.duration", unit="s")
        self._outcomes = meter.create_counter("tools.executions.outcomes")
        self._active = meter.create_up_down_counter("tools.executions.active")
        self._queued = meter.create_up_down_counter("tools.executions.queued")
        self._abandoned = meter.create_up_down_counter("tools.executions.abandoned")
        self._approvals = meter.create_histogram("tools.approvals.wait", unit="s")

    def active(self, change: int) -> None:
        """Count calls that run."""
        self._active.add(change)

    def queued(self, change: int) -> None:
        """Count calls that wait for a slot."""
        self._queued.add(change)

    def abandoned(self, change: int) -> None:
        """Count functions that still run in a thread although nobody waits for them."""
        self._abandoned.add(change)

    def approval_waited(self, seconds: float, answer: str) -> None:
        """Note how long somebody took to decide, and what."""
        self._approvals.record(seconds, {"answer": answer})

    def ended(self, tool: str, code: str, seconds: float) -> None:
        """Note how a call ended (``ok``, or a documented code) and how long it took."""
        attributes = {_TOOL: tool, "outcome": code}
        self._outcomes.add(1, attributes)
        self._duration.record(seconds, attributes)

    @contextmanager
    def tool_span(self, tool: str, call_id: str) -> Generator[dict[str, Any]]:
        """Open the span of one call; what is put into the mapping before it closes becomes its attributes."""
        found: dict[str, Any] = {}
        attributes = {_OPERATION: "execute_tool", _TOOL: tool, _CALL_ID: call_id}
        with self._tracer.start_as_current_span(
            f"execute_tool {tool}", attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield found
            finally:
                for name, value in found.items():
                    span.set_attribute(name, value)
                if "error.type" in found:
                    span.set_status(self._trace.StatusCode.ERROR)
