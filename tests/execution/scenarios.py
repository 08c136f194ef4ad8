"""Scenarios of calls: any tools, under any policy, with any reviewer and any fault; and what has to hold of each."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.execution.calling import WITHIN, LibraryStop, settle
from toolwright.execution import (
    ApprovalDecided,
    ApprovalRequested,
    Decision,
    Execution,
    ExecutionCompleted,
    ExecutionProgress,
    ExecutionStarted,
    Executor,
    Intent,
    Limits,
    Policy,
    ReviewRequest,
    Rule,
)
from toolwright.levels import RiskLevel
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.registry import Registry
from toolwright.testing import MockTool
from toolwright.tools import ToolContext

SOON = 0.002
SESSION = "s"
TOOLS = ("alpha", "beta", "gamma")
MODES = ("a", "b")

PARAMETERS = {
    "type": "object",
    "properties": {"mode": {"type": "string", "enum": list(MODES)}, "count": {"type": "integer", "default": 1}},
    "required": ["mode"],
}


@dataclass(frozen=True)
class ToolPlan:
    """A tool, and what it does when it is run."""

    does: str
    risk: str
    side_effects: bool
    confirmation: bool
    permission: bool
    resource: bool
    output: str | None


@dataclass(frozen=True)
class CallPlan:
    """What a model sends."""

    name: str
    arguments: Mapping[str, Any] | None
    approved: bool
    granted: bool


@dataclass(frozen=True)
class RulePlan:
    """A rule, in words that the oracle understands as well."""

    effect: str
    tool: str
    mode: str | None
    risk: str | None


@dataclass(frozen=True)
class Scenario:
    """All that is drawn for one example."""

    tools: tuple[ToolPlan, ...]
    rules: tuple[RulePlan, ...]
    calls: tuple[CallPlan, ...]
    answers: tuple[str, ...]
    sink: str
    together: str
    limit: int | None
    repair: bool
    concurrency: int
    stop: tuple[str, int] | None


RISKS = st.sampled_from(["safe", "low", "medium", "high", "critical"])
DOES = st.sampled_from(
    [
        *("returns", "returns", "waits", "reports", "raises", "stops", "hangs", "returns late", "cancels itself"),
        *("long", "no json", "ends all"),
    ]
)
ANSWERS = st.sampled_from(
    [
        *("approve", "approve", "approve and remember", "deny", "deny and remember", "change", "change wrongly"),
        *("raise", "stop", "nonsense", "hang", "hang and approve", "approve later", "cancel"),
    ]
)

SCENARIOS = st.builds(
    Scenario,
    tools=st.tuples(
        *[
            st.builds(
                ToolPlan,
                does=DOES,
                risk=RISKS,
                side_effects=st.booleans(),
                confirmation=st.sampled_from([False, False, False, True]),
                permission=st.booleans(),
                resource=st.booleans(),
                output=st.sampled_from([None, None, "string"]),
            )
        ]
        * len(TOOLS)
    ),
    rules=st.lists(
        st.builds(
            RulePlan,
            effect=st.sampled_from(["allow", "ask", "ask", "deny"]),
            tool=st.sampled_from([*TOOLS, "*", "?eta", "[ag]*"]),
            mode=st.none() | st.sampled_from(MODES),
            risk=st.none() | RISKS,
        ),
        max_size=4,
    ).map(tuple),
    calls=st.lists(
        st.builds(
            CallPlan,
            name=st.sampled_from([*TOOLS * 3, "Alpha", "nobody"]),
            arguments=st.sampled_from(
                [{"mode": "a"}, {"mode": "b"}] * 3
                + [{"mode": "b", "count": 2}, {"mode": "a", "count": "3"}]
                + [{"mode": "a", "count": None}, {}, {"mode": "c"}, None]
            ),
            approved=st.sampled_from([False, False, False, True]),
            granted=st.sampled_from([True, True, True, False]),
        ),
        min_size=1,
        max_size=6,
    ).map(tuple),
    answers=st.lists(ANSWERS, max_size=8).map(tuple),
    sink=st.sampled_from(["none", "fine", "fine", "slow", "start fails", "start stops", "end fails", "end stops"]),
    together=st.sampled_from(["one by one", "at once", "many"]),
    limit=st.sampled_from([None, None, None, 0, 1, 2, 3]),
    repair=st.booleans(),
    concurrency=st.integers(1, 3),
    stop=st.none() | st.tuples(st.sampled_from(["session", "task"]), st.integers(0, 30)),
)


@dataclass
class Seen:
    """What was seen from outside while a scenario was played."""

    ran: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list[Any])
    approvals: list[tuple[str, str, Mapping[str, Any], str]] = field(default_factory=list[Any])
    intents: list[Intent] = field(default_factory=list[Intent])
    finished: list[Execution] = field(default_factory=list[Execution])
    answers: list[Execution] = field(default_factory=list[Execution])
    events: list[Any] = field(default_factory=list[Any])
    running: Counter[str] = field(default_factory=Counter[str])
    cancelled: bool = False


class Play:
    """Plays one scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.seen = Seen()
        self.left = list(scenario.answers)
        self.executor = self._executor()

    def _executor(self) -> Executor:
        scenario = self.scenario
        rules = [
            Rule(effect=rule.effect, tool=rule.tool, risk=rule.risk, when={"mode": rule.mode} if rule.mode else {})  # type: ignore[arg-type]
            for rule in scenario.rules
        ]
        return Executor(
            Registry([self._tool(name, plan) for name, plan in zip(TOOLS, scenario.tools, strict=True)]),
            policy=Policy(rules=rules, limits=Limits(calls=scenario.limit), repair=scenario.repair),
            reviewer=self.review if scenario.answers else None,
            audit=None if scenario.sink == "none" else self,
            concurrency=scenario.concurrency,
            review_timeout=SOON,
        )

    def _tool(self, name: str, plan: ToolPlan) -> MockTool:
        async def body(context: ToolContext) -> object:
            self.seen.ran.append((context.execution_id, name, context.arguments))
            self.seen.running[name] += 1
            assert self.executor.active <= self.scenario.concurrency
            try:
                return await does(plan.does, context)
            finally:
                self.seen.running[name] -= 1

        return MockTool(
            name,
            run=body,
            risk=plan.risk,
            parameters=PARAMETERS,
            requires_confirmation=plan.confirmation,
            permissions=["tool.git.read"] if plan.permission else [],
            output_schema=None if plan.output is None else {"type": plan.output},
            side_effects=plan.side_effects,
            resource="{mode}" if plan.resource else None,
            max_output_size=1024,
        )

    # The reviewer

    async def review(self, request: ReviewRequest) -> Any:
        answer = self.left.pop(0) if self.left else "deny"
        if "hang" in answer:
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                if answer == "hang and approve":
                    return Decision.approve()  # noqa: B012  which is too late, and does not count
        if answer == "approve later":
            await asyncio.sleep(0)
        said = self._said(answer)
        if isinstance(said, Decision):
            about = (request.execution_id, request.tool_name, request.arguments, answer)
            self.seen.approvals.append(about)
        return said

    @staticmethod
    def _said(answer: str) -> object:
        match answer:
            case "approve" | "approve later":
                return Decision.approve(by="ann")
            case "approve and remember":
                return Decision.approve(remember="tool")
            case "deny":
                return Decision.deny("no")
            case "deny and remember":
                return Decision.deny(remember="tool")
            case "change":
                return Decision.change({"mode": "b", "count": 7})
            case "change wrongly":
                return Decision.change({"mode": "x"})
            case "raise":
                raise OSError("the reviewer's phone is off")
            case "stop":
                raise LibraryStop
            case "cancel":
                raise asyncio.CancelledError
            case _:
                return "approve"

    # The sink

    def started(self, intent: Intent) -> Awaitable[object] | None:
        fault = {"start fails": OSError("full"), "start stops": LibraryStop()}.get(self.scenario.sink)
        if fault is not None:
            raise fault
        self.seen.intents.append(intent)
        return asyncio.sleep(0) if self.scenario.sink == "slow" else None

    def finished(self, execution: Execution) -> Awaitable[object] | None:
        self.seen.finished.append(execution)
        fault = {"end fails": OSError("full"), "end stops": LibraryStop()}.get(self.scenario.sink)
        if fault is not None:
            raise fault
        return asyncio.sleep(0) if self.scenario.sink == "slow" else None

    # The calls

    def _call(self, place: int, plan: CallPlan) -> ToolCall | InvalidToolCall:
        if plan.arguments is None:
            return InvalidToolCall(f"call_{place}", plan.name, "{", "cut off")
        return ToolCall(f"call_{place}", plan.name, plan.arguments)

    async def _one(self, place: int, plan: CallPlan) -> None:
        options: dict[str, Any] = {"approved": plan.approved, "grants": ["*"] if plan.granted else []}
        answer = await self.executor.execute(self._call(place, plan), session=SESSION, timeout=SOON, **options)
        self.seen.answers.append(answer)

    async def _all(self) -> None:
        calls = list(enumerate(self.scenario.calls))
        if self.scenario.together == "one by one":
            for place, plan in calls:
                await self._one(place, plan)
        elif self.scenario.together == "at once":
            await asyncio.gather(*(self._one(place, plan) for place, plan in calls))
        else:
            made = [self._call(place, plan) for place, plan in calls]
            self.seen.answers += await self.executor.execute_many(made, session=SESSION, timeout=SOON)

    async def play(self) -> Seen:
        before = asyncio.all_tasks()
        listening = self.executor.events.listen(limit=100_000)
        task = asyncio.create_task(self._all())
        if self.scenario.stop is not None:
            await settle(self.scenario.stop[1])
            if self.scenario.stop[0] == "session":
                self.executor.cancel(session=SESSION)
            else:
                task.cancel()
        async with asyncio.timeout(WITHIN):
            await asyncio.wait([task])
        self.seen.cancelled = task.cancelled()
        if not task.cancelled():
            task.result()
        await settle()  # what gather has left to end by itself
        self.seen.events = listening.heard()
        listening.close()
        assert asyncio.all_tasks() == before
        return self.seen


FAULTS: Mapping[str, BaseException] = {
    "raises": ValueError("broken"),
    "stops": LibraryStop(),
    "ends all": SystemExit(1),
    "cancels itself": asyncio.CancelledError(),
}


async def does(what: str, context: ToolContext) -> object:
    """Do what a tool was planned to do."""
    loop = asyncio.get_running_loop()
    if what in FAULTS:
        raise FAULTS[what]
    match what:
        case "waits":
            for _ in range(3):
                await asyncio.sleep(0)
        case "reports":
            context.report("half", percent=50)
            await asyncio.sleep(0)
        case "hangs":
            await loop.create_future()
        case "returns late":
            try:
                await loop.create_future()
            except asyncio.CancelledError:
                return "late"
        case "long":
            return "x" * 5_000
        case "no json":
            return object()
        case _:
            return 1
    return "done"


def verdict_of(scenario: Scenario, name: str, arguments: Mapping[str, Any]) -> str:
    """Decide as the pages say, without the policy's code: deny rules, confirmation, the first rule, the risk."""
    plan = scenario.tools[TOOLS.index(name)]
    risk = RiskLevel(plan.risk)
    names = {"*": TOOLS, "?eta": ("beta",), "[ag]*": ("alpha", "gamma")}

    def fits(rule: RulePlan) -> bool:
        if name not in names.get(rule.tool, (rule.tool,)):
            return False
        if rule.mode is not None and rule.mode != arguments["mode"]:
            return False
        if rule.risk is None:
            return True
        return risk <= RiskLevel(rule.risk) if rule.effect == "allow" else risk >= RiskLevel(rule.risk)

    fitting = [rule.effect for rule in scenario.rules if fits(rule)]
    if "deny" in fitting:
        return "deny"
    if plan.confirmation:
        return "confirm"
    if fitting:
        return fitting[0]
    return "ask" if risk >= RiskLevel.MEDIUM else "allow"


STORY: Mapping[str, Any] = {
    "requested": ApprovalRequested,
    "decided": ApprovalDecided,
    "started": ExecutionStarted,
    "progress": ExecutionProgress,
    "completed": ExecutionCompleted,
}


def story_of(events: list[Any], execution_id: str) -> str:
    own = [each for each in events if each.execution_id == execution_id]
    return " ".join(word for each in own for word, kind in STORY.items() if isinstance(each, kind))
