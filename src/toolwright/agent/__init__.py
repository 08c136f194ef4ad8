"""The loop: ask a model, let it call tools, run them, answer back, until there is a final answer.

===============  ===================================================================================================
``agent``        what a run needs, put together once, and every way of starting one; ``sub_agent`` one as a tool
``parts``        what it is put together from, refused where it cannot work
``turn``         what comes next (pure); ``limits``, ``repetition``; ``position`` where a run stands
``loop``         does it; ``asking`` the model, ``offer`` what it is shown, ``final`` the form of its answer
``journal``      what happened, as records; ``run`` what comes out; ``streaming`` tells of it meanwhile
``runs``         the port to whoever keeps runs, and runs in memory; ``run_files`` in a folder
``saving``       writes a run down while it goes on; ``resuming`` takes it up again, ``doubts`` calls that were cut off
``stopping``     ends a run early, and waits for what has to come to its end
===============  ===================================================================================================

This room may not know a wire format, nor how a call is carried out.
"""

from __future__ import annotations

from toolwright.agent.agent import Agent, AgentEvent
from toolwright.agent.doubts import Decided, Unknown
from toolwright.agent.limits import RunLimits
from toolwright.agent.loop import Prepare
from toolwright.agent.run import Run, RunCompleted
from toolwright.agent.run_files import JsonLinesRuns
from toolwright.agent.runs import MemoryRuns, RunHead, RunState, RunStore, StoredRun, new_run_id
from toolwright.agent.turn import RunStatus

__all__ = [
    "Agent",
    "AgentEvent",
    "Decided",
    "JsonLinesRuns",
    "MemoryRuns",
    "Prepare",
    "Run",
    "RunCompleted",
    "RunHead",
    "RunLimits",
    "RunState",
    "RunStatus",
    "RunStore",
    "StoredRun",
    "Unknown",
    "new_run_id",
]
