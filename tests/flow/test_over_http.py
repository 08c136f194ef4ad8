"""Whole runs over real connections: what a run leaves behind is taken by every provider's interface."""

from __future__ import annotations

from typing import Any

import pytest

import toolwright as tw
from tests.agent.running import check, within
from tests.promises import keeps
from tests.providers.services import SERVICES, serving
from toolwright.testing import MockTool


def tools() -> tw.Registry:
    reading: Any = {"side_effects": False}
    return tw.Registry(
        [MockTool("look", {"seen": 1}, constraints=reading), MockTool.throwing("boom", ValueError("hot"))]
    )


@keeps("agent.stream", "agent.ends.transcript")
@pytest.mark.parametrize("service", SERVICES)
async def test_a_streamed_run_with_every_kind_of_result_is_taken_by_every_interface(service: str) -> None:
    script: list[object] = [
        [
            "Let me see. ",
            tw.ToolCall("a", "look", {"q": 1}),
            tw.ToolCall("b", "boom", {}),
            tw.ToolCall("c", "ghost", {}),
        ],
        [tw.ToolCall("d", "look", {"q": 2})],
        "Done.",
        "And again.",
    ]
    with serving(service, script) as (llm, _server):
        agent = tw.Agent(llm, tools(), system="Be brief.")
        events = [event async for event in agent.stream("Go.")]
        assert isinstance(events[-1], tw.RunCompleted)
        run = events[-1].run
        assert (run.status, run.text) == ("completed", "Done.")
        assert [execution.status for execution in run.executions] == ["completed", "failed", "failed", "completed"]
        assert "".join(event.text for event in events if isinstance(event, tw.TextDelta)) == "Let me see. Done."
        again = await within(agent.run("Go on.", conversation=run.conversation))
        assert again.text == "And again."
        check(run)
        check(again)
        await llm.aclose()


@keeps("agent.final", "agent.ends.max_tool_calls")
@pytest.mark.parametrize("service", SERVICES)
async def test_a_run_that_was_cut_short_can_be_gone_on_with_over_every_interface(service: str) -> None:
    calls = [tw.ToolCall(f"call_{number}", "look", {"q": number}) for number in range(4)]
    with serving(service, [calls, "Not JSON.", '{"value": 4}']) as (llm, _server):
        agent = tw.Agent(llm, tools(), max_tool_calls=2)
        cut = await within(agent.run("Go."))
        assert (cut.status, len(cut.executions)) == ("max_tool_calls", 2)
        run = await within(agent.run("How many?", conversation=cut.conversation, final=int))
        assert (run.status, run.value) == ("completed", 4)
        check(run)
        await llm.aclose()
