from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from tests.promises import keeps
from toolwright.levels import RiskLevel
from toolwright.schema import SchemaBuilder, ValidationIssue, ValidationReport
from toolwright.testing import tool_context
from toolwright.tools import Tool, ToolBase, ToolContext, ToolDefinition, ToolOutcome

COPY = ToolDefinition(
    "copy_file",
    "Copy a file.",
    SchemaBuilder().string("source", "From", required=True).integer("times", "How often", minimum=1, default=1).build(),
    risk="medium",
)


class CopyFile(ToolBase):
    definition = COPY

    async def run(self, context: ToolContext) -> Any:
        return dict(context.arguments)


class Raising(ToolBase):
    definition = ToolDefinition("raise_it", "Raise.")

    def __init__(self, error: BaseException, *, late: bool = False) -> None:
        self.error = error
        self.late = late

    async def run(self, context: ToolContext) -> Any:
        if self.late:
            await asyncio.sleep(0)
        raise self.error


@keeps("tools.protocol")
def test_a_subclass_has_the_shape_of_a_tool() -> None:
    assert isinstance(CopyFile(), Tool)
    assert not isinstance(object(), Tool)
    assert CopyFile().available
    assert repr(CopyFile()) == "<CopyFile copy_file>"


@keeps("tools.base")
async def test_the_arguments_are_validated_and_completed_before_anything_runs() -> None:
    assert (await CopyFile().execute(tool_context({"source": "a"}))).data == {"source": "a", "times": 1}
    outcome = await CopyFile().execute(tool_context({"times": 0}))
    assert outcome.error_code == "validation_failed"
    assert outcome.duration is not None
    assert "- source: is missing" in (outcome.error or "")
    assert "- times: must be at least 1" in (outcome.error or "")


@keeps("tools.base")
async def test_what_a_tool_raises_becomes_an_outcome_with_its_duration() -> None:
    error = ValueError("the disk is full")
    outcome = await Raising(error).execute(tool_context())
    assert (outcome.success, outcome.error, outcome.error_code) == (False, "the disk is full", "tool_error")
    assert outcome.exception is error
    assert outcome.duration is not None
    assert outcome.duration >= 0


class LibrarysOwn(BaseException):
    pass


@keeps("tools.cancelled_goes_on")
@pytest.mark.parametrize(
    "error",
    [
        LibrarysOwn("stop"),
        SystemExit(2),
        asyncio.CancelledError(),
        RecursionError(),
        MemoryError(),
        StopAsyncIteration(),
        BaseExceptionGroup("two", [LibrarysOwn(), ValueError()]),
        TimeoutError(),
    ],
)
async def test_nothing_that_a_tool_raises_by_itself_gets_out(error: BaseException) -> None:
    for late in (False, True):
        outcome = await Raising(error, late=late).execute(tool_context())
        assert not outcome.success
        assert outcome.error


@keeps("tools.cancelled_goes_on")
@pytest.mark.parametrize("error", [KeyboardInterrupt(), BaseExceptionGroup("x", [KeyboardInterrupt()])])
def test_the_users_wish_to_end_the_program_goes_on(error: BaseException) -> None:
    with pytest.raises((KeyboardInterrupt, BaseExceptionGroup)):
        asyncio.run(Raising(error).execute(tool_context()))


@keeps("tools.cancelled_goes_on")
async def test_cancelling_whoever_waits_for_a_tool_goes_on() -> None:
    class Waiting(CopyFile):
        async def run(self, context: ToolContext) -> Any:
            await asyncio.Event().wait()

    running = asyncio.ensure_future(Waiting().execute(tool_context({"source": "a"})))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await Waiting().execute(tool_context({"source": "a"}))


@keeps("tools.sync_in_thread", "tools.cancelled_flag")
async def test_a_sync_tool_runs_in_a_thread_and_hears_that_it_was_cancelled() -> None:
    started, heard = threading.Event(), threading.Event()
    threads: list[int] = []

    class Sync(ToolBase):
        definition = ToolDefinition("sync_tool", "Sync.")

        def run(self, context: ToolContext) -> Any:
            threads.append(threading.get_ident())
            started.set()
            while not context.cancelled:
                pass
            heard.set()

    running = asyncio.ensure_future(Sync().execute(tool_context()))
    await asyncio.to_thread(started.wait, 30)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await asyncio.to_thread(heard.wait, 30)
    assert threads != [threading.get_ident()]


async def test_a_sync_run_may_hand_back_something_to_await() -> None:
    class Handing(ToolBase):
        definition = ToolDefinition("hand_back", "Hand back.")

        def run(self, context: ToolContext) -> Any:
            async def later() -> str:
                return "later"

            return later()

    assert (await Handing().execute(tool_context())).data == "later"


class Careful(CopyFile):
    def __init__(self, said: object = None) -> None:
        self.said = said
        self.asked = 0

    def check(self, arguments: Mapping[str, Any]) -> ValidationReport:
        self.asked += 1
        if isinstance(self.said, Exception):
            raise self.said
        return self.said  # type: ignore[return-value]  # also what is wrong


@keeps("tools.check_adds")
def test_a_tools_own_check_adds_to_the_schema_and_cannot_replace_it() -> None:
    lenient = Careful(ValidationReport.ok(ValidationIssue.slow_operation("source", "it is large")))
    assert [issue.code for issue in lenient.check({}).errors] == ["required"]
    assert lenient.asked == 0, "what is not valid by the schema is not shown to it"
    fine = lenient.check({"source": "a"})
    assert fine.valid
    assert [issue.code for issue in fine.warnings] == ["slow_operation"]
    strict = Careful(ValidationReport.invalid(ValidationIssue.invalid_value("source", "is the target")))
    assert [issue.path for issue in strict.check({"source": "a"}).errors] == ["source"]
    assert Careful(None).check({"source": "a"}).valid


@keeps("tools.check_adds")
def test_a_check_from_a_mixin_or_through_super_does_not_get_around_the_schema() -> None:
    class Anything:
        def check(self, arguments: Mapping[str, Any]) -> ValidationReport:
            return ValidationReport.ok()

    class Mixed(Anything, CopyFile):
        pass

    class Asking(CopyFile):
        def check(self, arguments: Mapping[str, Any]) -> ValidationReport:
            return super().check(arguments)

    for tool in (Mixed(), Asking()):
        assert len(tool.check({"times": 0}).errors) == 2
        assert tool.check({"source": "a"}).valid


@keeps("tools.check_adds")
@pytest.mark.parametrize("said", [RuntimeError("secret"), "fine", True])
async def test_what_could_not_be_checked_is_not_valid(said: object) -> None:
    tool = Careful(said)
    report = tool.check({"source": "a"})
    assert not report.valid
    assert "could not be checked" in report.message
    assert "secret" not in report.message
    assert (await tool.execute(tool_context({"source": "a"}))).error_code == "validation_failed"


class Risky(CopyFile):
    def __init__(self, risk: object) -> None:
        self.risk = risk

    def effective_risk(self, arguments: Mapping[str, Any]) -> RiskLevel:
        if isinstance(self.risk, Exception):
            raise self.risk
        return self.risk  # type: ignore[return-value]


@keeps("tools.risk_never_below")
@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("safe", "medium"),
        (RiskLevel.LOW, "medium"),
        ("high", "high"),
        (RiskLevel.CRITICAL, "critical"),
        (ValueError("no"), "critical"),
        ("unheard of", "critical"),
        (None, "critical"),
    ],
)
def test_the_effective_risk_is_never_below_the_definitions(said: object, held: str) -> None:
    assert Risky(said).effective_risk({}) is RiskLevel(held)
    assert CopyFile().effective_risk({}) is RiskLevel.MEDIUM


@keeps("tools.summary")
def test_the_summary_is_the_tools_own_or_names_its_title() -> None:
    class Telling(CopyFile):
        def summarize(self, arguments: Mapping[str, Any]) -> str:
            return f"Copy {arguments['source']!r}"

    assert CopyFile().summarize({}) == "Execute Copy File"
    assert Telling().summarize({"source": "a"}) == "Copy 'a'"
    assert Telling().summarize({}) == "Execute Copy File"


async def test_an_outcome_that_a_tool_gives_is_the_outcome() -> None:
    given = ToolOutcome.failed("half done", code="half_done")

    class Giving(CopyFile):
        async def run(self, context: ToolContext) -> Any:
            return given

    outcome = await Giving().execute(tool_context({"source": "a"}))
    assert outcome.error_code == "half_done"
    assert outcome.duration is not None
    assert given.duration is None


async def test_a_class_without_a_run_says_so() -> None:
    class Empty(ToolBase):
        definition = ToolDefinition("empty_tool", "Empty.")

    assert "has no run" in ((await Empty().execute(tool_context())).error or "")
