"""An agent as a tool of another one: it gets a task in words, and gives its final answer.

Its own executor decides what it may do. It brings its own grants, none unless it is given some: what its caller may do,
it may not by that.

This module may not know how a run goes on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, TypeAlias

from toolwright.agent.run import Run
from toolwright.agent.usage import USAGE, usage_to
from toolwright.execution.steps.permit import checked_grants
from toolwright.schema import SchemaBuilder
from toolwright.tools import ToolBase, ToolConstraints, ToolContext, ToolDefinition, ToolOutcome

__all__ = ["AgentTool", "RunTask"]

RunTask: TypeAlias = Callable[..., Awaitable[Run]]
"""Runs an agent: :meth:`~toolwright.agent.Agent.run`."""

_LONGEST: Final = 600  # seconds: the most that a definition may ask for, as a run takes longer than an ordinary call
_DEEPEST: Final = 8  # agents within agents: an agent that finds itself among its tools would go on for ever
_DEPTH: Final = "agent_depth"


class AgentTool(ToolBase):
    """Runs an agent. What it reports on the way is the progress of its tools.

    ``delegates`` says to the executor that the work is done by other calls, which may be its own: this one takes no
    slot from them.
    """

    delegates: Final = True

    def __init__(
        self, run: RunTask, name: str, description: str, *, grants: Iterable[str], final: Any, **fields: Any
    ) -> None:
        task = SchemaBuilder().string("task", "What is to be done, and all that is to be known for it", required=True)
        known: dict[str, Any] = {
            "parameters": task.build(),
            "constraints": ToolConstraints(max_execution_time=_LONGEST),
            **fields,
        }
        self.definition = ToolDefinition(name, description, **known)
        self._run = run
        self._grants = checked_grants(grants)
        self._final = final

    async def run(self, context: ToolContext) -> ToolOutcome:
        """Run the agent with the task, and return its answer."""
        depth: Any = context.metadata.get(_DEPTH, 0)
        if depth >= _DEEPEST:
            return ToolOutcome.failed(f"Agents have called each other {_DEEPEST} levels deep. Do it without another.")
        run = await self._run(
            context.arguments["task"],
            final=self._final,
            session=context.session_id,
            workspace=context.workspace,
            grants=self._grants,
            progress=context.progress,
            metadata={**context.metadata, _DEPTH: depth + 1},
        )
        facts = {"run_id": run.id, "status": run.status, USAGE: usage_to(run.usage)}
        if run.status == "completed":
            return ToolOutcome.ok(run.text if self._final is None else run.value, metadata=facts)
        why = f" ({run.error})" if run.error is not None else ""
        return ToolOutcome.failed(
            f"The agent did not finish: {run.status}{why}", partial=run.text or None, metadata=facts
        )
