"""The one door to OpenTelemetry: metrics and spans where its API is installed, and nothing at all where it is not.

Logs are not here: each room has its own standard logger. :func:`telemetry` looks once; whoever gets None from it does
nothing more. Names and attributes go in, never content. The API is loaded as soon as anybody else in the program has
loaded it, which whoever sets it up has done; until then a call costs no more than a look, and a program that traces
nothing does not pay for loading it. What can be read when somebody asks (how many calls run) is not counted along.

This module may not know what a call or a provider is.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final, NamedTuple, Protocol
from weakref import WeakSet

__all__ = ["Api", "Load", "Shelf", "Span", "Telemetry", "telemetry"]

_NAME: Final = "toolwright"

# After the semantic conventions for GenAI: https://opentelemetry.io/docs/specs/semconv/gen-ai/
_OPERATION: Final = "gen_ai.operation.name"
_TOOL: Final = "gen_ai.tool.name"
_TOOL_TYPE: Final = "gen_ai.tool.type"
_CALL_ID: Final = "gen_ai.tool.call.id"
_CATEGORY: Final = "category"
_ERROR_TYPE: Final = "error.type"
_TOKEN_TYPE: Final = "gen_ai.token.type"

# Nobody sets anything up without one of these, or has it done by one of those.
_TRACE: Final = "opentelemetry.trace"
_METRICS: Final = "opentelemetry.metrics"
_SETS_UP: Final = ("OTEL_PYTHON_TRACER_PROVIDER", "OTEL_PYTHON_METER_PROVIDER")

# The buckets that the conventions want: doubling from 10 ms, and powers of four.
_SECONDS: Final = [0.01 * 2**step for step in range(14)]
_TOKENS: Final = [4.0**step for step in range(14)]

_MOST_NAMES: Final = 10_000  # pairs of tool and outcome whose attributes are kept made


class Load(Protocol):
    """Whoever carries calls out, and can say how many run, wait and were left behind."""

    @property
    def active(self) -> int:
        """How many calls run now."""
        ...

    @property
    def queued(self) -> int:
        """How many calls wait for a slot."""
        ...

    @property
    def abandoned(self) -> int:
        """How many functions still run in a thread although nobody waits for them."""
        ...


class Shelf(Protocol):
    """Whoever keeps definitions, and can say how many of each category there are."""

    def by_category(self) -> Mapping[str, int]:
        """Return how many definitions there are, by the word for their category."""
        ...


class Api(NamedTuple):
    """What is used of OpenTelemetry: a meter and a tracer of ours, and parts of its API."""

    meter: Any
    tracer: Any
    trace: Any
    context: Any
    propagate: Any
    observation: Any


@cache
def telemetry() -> Telemetry | None:
    """Return what records metrics and spans; None where OpenTelemetry is not installed."""
    return None if find_spec("opentelemetry") is None else Telemetry()


def _api() -> Api | None:
    try:
        from opentelemetry import context, metrics, propagate, trace  # optional (the extra `otel`)
    except ImportError:  # another package of that family is there, and the API is not
        return None
    return Api(metrics.get_meter(_NAME), trace.get_tracer(_NAME), trace, context, propagate, metrics.Observation)


class Telemetry:
    """Metrics and spans, through the API as it is loaded; or through one that is given."""

    def __init__(self, api: Api | None = None) -> None:
        # Environment variables have the API set itself up when it is loaded.
        self._at_once: Final = any(name in os.environ for name in _SETS_UP)
        self._loads: Final[WeakSet[Load]] = WeakSet()
        self._shelves: Final[WeakSet[Shelf]] = WeakSet()
        self._lock: Final = Lock()
        self._opening: Final = Lock()
        self._attributes: Final[dict[tuple[str | None, str], Mapping[str, str]]] = {}
        self._api: Api | None = None
        if api is not None:
            self._open(api)

    def _is_open(self) -> bool:
        """Say whether there is an API to speak to; it is opened here, by the first who asks after it was loaded."""
        if self._api is not None:
            return True
        if not (_TRACE in sys.modules or _METRICS in sys.modules or self._at_once):
            return False
        with self._opening:
            if self._api is None:  # nobody was faster
                api = _api()
                if api is not None:
                    self._open(api)
        return self._api is not None

    def _open(self, api: Api) -> None:
        meter = api.meter
        # Asking the API whether anybody traces costs as much as all else here; where this name is gone, it is asked.
        self._provided: Mapping[str, object] = vars(api.trace)
        self._metered: Mapping[str, object] = vars(sys.modules.get(f"{_METRICS}._internal", api.trace))
        self._duration = meter.create_histogram("tools.executions.duration", unit="s")
        self._outcomes = meter.create_counter("tools.executions.outcomes")
        self._approvals = meter.create_histogram("tools.approvals.wait", unit="s")
        self._asked = meter.create_histogram(
            "gen_ai.client.operation.duration", unit="s", explicit_bucket_boundaries_advisory=_SECONDS
        )
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage", unit="{token}", explicit_bucket_boundaries_advisory=_TOKENS
        )
        self._validation = meter.create_histogram("tools.definitions.validation.duration", unit="s")
        self._invalid = meter.create_counter("tools.definitions.validation.failures")
        self._created = meter.create_counter("tools.definitions.created")
        for name in ("active", "queued", "abandoned"):
            meter.create_observable_gauge(f"tools.executions.{name}", callbacks=[self._reading(name, api.observation)])
        meter.create_observable_gauge(
            "tools.definitions.by_category", callbacks=[self._reading_categories(api.observation)]
        )
        self._api = api  # last: whoever finds it finds all of the above

    # Metrics

    @property
    def measured(self) -> bool:
        """Whether anybody has set up where measurements go: else there is nothing to note them in."""
        return self._is_open() and self._metered.get("_METER_PROVIDER", self) is not None

    @property
    def _traced(self) -> bool:
        return self._is_open() and self._provided.get("_TRACER_PROVIDER", self) is not None

    def watch(self, load: Load) -> None:
        """Read there how many calls run, wait and were left behind, whenever metrics are collected and while it lives.

        All that are watched are added up.
        """
        with self._lock:
            self._loads.add(load)
        self._is_open()

    def _reading(self, name: str, observation: Any) -> Callable[[object], Iterable[Any]]:
        def read(_options: object) -> Iterable[Any]:
            with self._lock:
                loads = list(self._loads)
            return [observation(sum(getattr(load, name) for load in loads))]

        return read

    def watch_definitions(self, shelf: Shelf) -> None:
        """Read there how many definitions there are of each category, whenever metrics are collected."""
        with self._lock:
            self._shelves.add(shelf)
        self._is_open()

    def _reading_categories(self, observation: Any) -> Callable[[object], Iterable[Any]]:
        def read(_options: object) -> Iterable[Any]:
            with self._lock:
                shelves = list(self._shelves)
            counts: Counter[str] = Counter()
            for shelf in shelves:
                counts.update(shelf.by_category())
            return [observation(count, {_CATEGORY: category}) for category, count in sorted(counts.items())]

        return read

    def definition_validated(self, seconds: float, *, valid: bool) -> None:
        """Note how long it took to check a definition, and whether it passed."""
        if self._is_open():
            self._validation.record(seconds)
            if not valid:
                self._invalid.add(1)

    def definition_created(self, category: str) -> None:
        """Note that a definition of a category was stored."""
        if self._is_open():
            self._created.add(1, {_CATEGORY: category})

    def approval_waited(self, seconds: float, answer: str) -> None:
        """Note how long somebody took to decide, and what."""
        if self._is_open():
            self._approvals.record(seconds, {"answer": answer})

    def ended(self, tool: str | None, code: str, seconds: float) -> None:
        """Note how a call ended (``ok``, or a documented code) and how long it took.

        None is for a tool that there is not: what a model makes up is no name to count by, as there is no end to them.
        """
        if not self._is_open():
            return
        attributes = self._attributes.get((tool, code)) or self._named(tool, code)
        self._outcomes.add(1, attributes)
        self._duration.record(seconds, attributes)

    def _named(self, tool: str | None, code: str) -> Mapping[str, str]:
        if len(self._attributes) >= _MOST_NAMES:
            self._attributes.clear()
        made = self._attributes[tool, code] = {"outcome": code} if tool is None else {_TOOL: tool, "outcome": code}
        return made

    def model_asked(self, seconds: float, tokens: Mapping[str, int | None], attributes: Mapping[str, Any]) -> None:
        """Note how long a model took, and how many tokens of each type (``input``, ``output``) where that is known."""
        if not self._is_open():
            return
        self._asked.record(seconds, attributes)
        for kind, count in tokens.items():
            if count is not None:
                self._tokens.record(count, {**attributes, _TOKEN_TYPE: kind})

    # Spans

    def span(
        self, name: str, attributes: Mapping[str, Any], *, client: bool = False, current: bool = True
    ) -> Span | None:
        """Open a span, which is the current one until it is closed; None where nobody traces.

        ``client`` says that the work is done elsewhere, such as by a model's server. One that is not to be ``current``
        may be closed in another task than the one that opened it.
        """
        if not self._traced or self._api is None:
            return None
        trace, context = self._api.trace, self._api.context
        kind = trace.SpanKind.CLIENT if client else trace.SpanKind.INTERNAL
        opened = self._api.tracer.start_span(name, attributes=attributes, kind=kind)
        token = context.attach(trace.set_span_in_context(opened)) if current else None
        return Span(opened, token, context.detach, trace.StatusCode.ERROR)

    def tool_span(self, tool: str, call_id: str) -> Span | None:
        """Open the span of one call of a tool."""
        if not self._traced:
            return None
        attributes = {_OPERATION: "execute_tool", _TOOL: tool, _TOOL_TYPE: "function", _CALL_ID: call_id}
        return self.span(f"execute_tool {tool}", attributes)

    def carrier(self) -> dict[str, str]:
        """Return what another process needs to link its spans to the current one; empty where nobody traces."""
        carried: dict[str, str] = {}
        if self._is_open() and self._api is not None:
            self._api.propagate.inject(carried)
        return carried


class Span:
    """An open span. Close it in the task in which it was opened."""

    __slots__ = ("_detach", "_error", "_opened", "_token")

    def __init__(self, opened: Any, token: Any, detach: Callable[[Any], object], error: Any) -> None:
        self._opened = opened
        self._token = token
        self._detach = detach
        self._error = error

    @property
    def recording(self) -> bool:
        """Whether anybody keeps what is said of it; where not, it only leads to those around it."""
        return bool(self._opened.is_recording())

    def close(self, attributes: Mapping[str, Any] | None = None, *, name: str | None = None) -> None:
        """End the span, with what is known by now. An ``error.type`` among it says that the work failed."""
        try:
            if name is not None:
                self._opened.update_name(name)
            if attributes:
                self._opened.set_attributes(attributes)
                if _ERROR_TYPE in attributes:
                    self._opened.set_status(self._error)
        finally:
            if self._token is not None:
                self._detach(self._token)
            self._opened.end()
