from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from tests.promises import keeps
from toolwright.errors import InvalidMessageError
from toolwright.messages import ToolCall
from toolwright.testing import tool_context
from toolwright.tools import Services, ToolContext, ToolProgress, tool
from toolwright.values import freeze_object


@dataclass
class WriteArgs:
    path: Path
    depth: int = 3


def test_a_context_tells_what_is_known_of_the_call() -> None:
    call = ToolCall("call_1", "write", {"path": "a"})
    context = ToolContext(execution_id="ex_1", call=call, arguments=call.arguments)
    assert context.tool_name == "write"
    assert context.call is call
    assert (context.attempt, context.approved, context.session_id, context.workspace) == (1, False, None, None)
    assert context.started_at.tzinfo is UTC
    assert context.metadata == {}
    assert "call_1" not in repr(context)
    with pytest.raises(AttributeError):
        context.approved = True  # type: ignore[misc]


@keeps("tools.context_arguments")
def test_arguments_are_those_that_hold_and_can_be_read_as_types() -> None:
    sent = ToolCall("call_1", "write", {"path": "a"})
    context = ToolContext(execution_id="1", call=sent, arguments=freeze_object({"path": "b", "depth": 5}))
    assert context.get_argument("path", str) == "b"
    assert context.get_argument("path", Path) == Path("b")
    assert context.get_argument("missing", int) is None
    assert context.get_argument("missing", int, 7) == 7
    assert context.has_argument("depth")
    assert not sent.has_argument("depth")
    assert context.arguments_as(WriteArgs) == WriteArgs(Path("b"), 5)
    for read in (lambda: context.get_argument("path", int), lambda: context.arguments_as(list)):
        with pytest.raises(InvalidMessageError) as caught:
            read()
        assert caught.value.code == "argument_mismatch"
        assert caught.value.__cause__ is None


@keeps("tools.context_arguments")
async def test_a_tool_that_is_run_directly_finds_its_defaults_filled_in() -> None:
    @tool
    async def count(depth: int = 4, *, context: ToolContext) -> dict[str, Any]:
        """Count."""
        return dict(context.arguments)

    outcome = await count.execute(tool_context())
    assert outcome.data == {"depth": 4}


class Clock:
    pass


@keeps("tools.context_services")
def test_services_are_found_by_type_in_a_mapping_or_a_container() -> None:
    class Container:
        def get(self, kind: type) -> object:
            return kind() if kind is Clock else None

    clock = Clock()
    for services in (Services({Clock: clock}), Services(Container()), tool_context(services={Clock: clock}).services):
        assert isinstance(services[Clock], Clock)
        assert isinstance(services.get(Clock), Clock)
        assert Clock in services
        assert dict not in services
        assert services.get(dict) is None
        assert services.get(dict, {}) == {}
        with pytest.raises(LookupError, match="no service of type Path was given"):
            services[Path]
    assert Services().get(Clock) is None
    assert "Clock" not in repr(Services({Clock: clock}))


@keeps("tools.progress")
def test_progress_knows_how_much_is_left_if_anybody_does() -> None:
    assert ToolProgress("working").indeterminate
    assert not ToolProgress("working", percent=0).indeterminate
    assert not ToolProgress("working", total=0).indeterminate
    half = ToolProgress("copying", items=50, total=100, operation="copy", remaining=2.5)
    assert (half.percent, half.indeterminate, half.remaining) == (50, False, 2.5)
    assert ToolProgress("x", percent=10, items=1, total=2).percent == 10
    assert ToolProgress("x", items=1, total=0).percent is None
    assert ToolProgress("x", items=5).indeterminate
    assert "copying" not in repr(half)


@keeps("tools.progress")
@pytest.mark.parametrize(
    ("given", "percent"), [(-5, 0), (250, 100), (float("inf"), None), (float("nan"), None), (33, 33.0)]
)
def test_a_number_that_cannot_be_is_put_right_and_never_refused(given: float, percent: float | None) -> None:
    assert ToolProgress("x", percent=given).percent == percent
    assert ToolProgress("x", remaining=-1).remaining is None
    assert ToolProgress("x", remaining=float("nan")).remaining is None


@keeps("tools.progress")
@pytest.mark.parametrize("wrong", [-1, float("nan"), float("inf"), 10**400, "3", [3]])
def test_a_count_that_cannot_be_is_left_out_and_never_refused(wrong: Any) -> None:
    whole = ToolProgress("x", percent=10, items=wrong, total=wrong, remaining=wrong)
    assert whole == ToolProgress("x", percent=10)
    assert ToolProgress("x", percent=wrong).percent in (None, 0.0)
    assert ToolProgress("x", items=3, total=wrong) == ToolProgress("x", items=3)
    assert ToolProgress("x", items=0, total=0) != ToolProgress("x")


@keeps("tools.progress", "tools.progress_free")
def test_reports_reach_whoever_listens_and_cost_nothing_otherwise() -> None:
    heard: list[ToolProgress] = []
    listened = tool_context(progress=heard.append)
    listened.report("reading", 25)
    listened.report("reading", items=3, total=4, operation="open", remaining=1)
    assert heard == [
        ToolProgress("reading", 25),
        ToolProgress("reading", operation="open", items=3, total=4, remaining=1),
    ]
    assert heard[1].percent == 75
    tool_context().report(object())  # type: ignore[arg-type]  # not even looked at


def test_what_a_tool_logs_carries_the_ids_of_its_call(caplog: pytest.LogCaptureFixture) -> None:
    context = tool_context(name="count", session_id="s_1")
    with caplog.at_level(logging.INFO, "toolwright"):
        context.log.info("half done", extra={"lines": 3})
    record = caplog.records[-1]
    assert record.name == "toolwright.tool.count"
    assert vars(record)["execution_id"] == context.execution_id
    assert vars(record)["session_id"] == "s_1"
    assert vars(record)["lines"] == 3


@keeps("tools.cancelled_flag")
def test_a_context_says_when_its_call_is_no_longer_wanted() -> None:
    context = tool_context()
    assert not context.cancelled
    context.cancellation.cancel()
    assert context.cancelled
    assert not tool_context().cancelled
