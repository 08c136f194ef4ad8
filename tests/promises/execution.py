"""What execution.md promises of carrying calls out."""

from __future__ import annotations

from tests.promises import Promise

PAGE = "execution.md"

PROMISES: dict[str, Promise] = {
    # One call.
    "execution.gate": Promise(
        "README.md", "Nothing runs that was not allowed, and every call gets exactly one answer."
    ),
    "execution.chaos": Promise(
        "README.md", "A crash, an expiry or a cut at any place leaves one known outcome, and nothing taken."
    ),
    "execution.page": Promise("README.md", "The docs hold all codes and events."),
    "execution.one_answer": Promise(PAGE, "One call in, one Execution out, whatever happens."),
    "execution.misuse": Promise(
        PAGE, "It never raises for what a model or a tool did wrong, only for misuse by the programmer."
    ),
    "execution.status": Promise(PAGE, "The status follows from the outcome and its code."),
    "execution.invalid_call": Promise(PAGE, "An InvalidToolCall is answered validation_failed with its reason."),
    "execution.options": Promise(
        PAGE, "What a call brings replaces the executor's own, but the shortest time limit holds."
    ),
    "execution.services": Promise(PAGE, "Services are a mapping from type to object, or anything with get(type)."),
    "execution.approved_caller": Promise(
        PAGE, "approved=True answers every ask, requires_confirmation too, never a deny."
    ),
    "execution.look": Promise(PAGE, "validate, summarize and effective_risk run nothing, also for an unknown name."),
    "execution.explain": Promise(PAGE, "executor.explain(call) tells which rule decided."),
    "execution.sync": Promise(PAGE, "execute_sync is for code without an event loop, from any thread."),
    # The steps.
    "execution.find": Promise(PAGE, "A tool is found among those available: what is not offered cannot be called."),
    "execution.validate": Promise(
        PAGE, "The schema is held against the arguments, defaults are filled in, then the tool's check is asked."
    ),
    "execution.validate.repair": Promise(PAGE, "What fails is repaired, unless the policy says no."),
    "execution.paths": Promise(
        PAGE, "Path arguments, nested ones too, lie in the workspace; must-exist ones exist; a Path arrives resolved."
    ),
    "execution.permit": Promise(PAGE, "Permissions, tier, policy rules and limits end a call with permission_denied."),
    "execution.permit.broken": Promise("README.md", "A crash of a part that decides means that nothing is run."),
    "execution.limits": Promise(PAGE, "Of 20 calls at once under a limit of 10 exactly 10 run."),
    "execution.approve": Promise(PAGE, "Where the policy asks, a reviewer approves, or denies with a reason."),
    "execution.approve.nobody": Promise(PAGE, "With nobody there to ask the answer is deny, and says how to allow."),
    "execution.approve.anything_else": Promise(PAGE, "Anything else that a reviewer gives or raises is a deny."),
    "execution.approve.deadline": Promise(
        PAGE, "A reviewer is awaited with a deadline; what comes later does not count."
    ),
    "execution.approve.changes": Promise(PAGE, "Changed arguments go back to step 2, at most three times."),
    "execution.approve.request": Promise(
        PAGE, "Whoever is asked sees summary, arguments, warnings, risk, reason and diff."
    ),
    "execution.approve.inbox": Promise(
        "store.md", "Of two who decide a waiting call one wins, and the call has one decision."
    ),
    "execution.remember": Promise(
        PAGE, "A decision can be remembered for the exact call, the tool, the session or the project, and be revoked."
    ),
    "execution.admit": Promise(
        PAGE, "Slots: a global, a per-tool and a per-session limit, fair, first come first served."
    ),
    "execution.record.first": Promise(
        PAGE, "The start goes to the sink first; what has side effects does not run if that fails."
    ),
    "execution.record.failing": Promise(PAGE, "A failing sink is logged and never loses the outcome."),
    "execution.tool_error": Promise(
        PAGE, "What a tool raises is answered tool_error; a tool may give a word of its own instead."
    ),
    "execution.output_schema": Promise(
        PAGE, "A result that does not fit the output schema is answered output_invalid."
    ),
    "execution.bound": Promise(
        PAGE, "Results are held to their size; what is longer is cut in the middle, and says so."
    ),
    "execution.bound.more": Promise(PAGE, "What was cut is kept for the session and can be read on with read_more."),
    # Deadlines and cancellation.
    "execution.deadline": Promise("README.md", "A deadline ends the work, not only the waiting."),
    "execution.deadline.ignored": Promise(
        PAGE, "A tool that ignores cancellation is abandoned after a grace period; the caller gets its answer on time."
    ),
    "execution.deadline.thread": Promise(PAGE, "A sync in-process tool that overruns is reported timed_out on time."),
    "execution.deadline.leaks": Promise(PAGE, "Timeouts leave no thread, no task and no slot behind."),
    "execution.abandoned": Promise(
        PAGE, "Threads that were left behind are counted, limited (then resource_limit) and visible."
    ),
    "execution.cancellation": Promise(
        PAGE, "Cancelling whoever awaits records the call as cancelled and lets CancelledError go on."
    ),
    "execution.cancellation.own": Promise(
        "tools.md", "Cancellation is the event loop's own: timeouts and task groups inside of a tool work."
    ),
    # Told and kept.
    "execution.events": Promise(PAGE, "Events are typed, immutable and in order for one execution."),
    "execution.events.order": Promise(
        PAGE, "ApprovalRequested, ApprovalDecided, ExecutionStarted and ExecutionCompleted come in this order."
    ),
    "execution.events.definitions": Promise(
        PAGE, "There are DefinitionValidated, DefinitionCreated, DefinitionUpdated and DefinitionDeleted."
    ),
    "execution.events.subscribe": Promise(PAGE, "events.subscribe(callback), sync or async, returns what ends it."),
    "execution.events.listen": Promise(PAGE, "Events can be iterated over with async for."),
    "execution.events.bounded": Promise(PAGE, "Queues are bounded, drops are counted, and progress is dropped first."),
    "execution.events.harmless": Promise(PAGE, "A slow or failing subscriber neither slows nor fails an execution."),
    "execution.progress": Promise(
        PAGE, "ExecutionProgress tells what a running tool reports, from any thread, before its end."
    ),
    "execution.audit": Promise(PAGE, "Each call is written down before it runs and when it has ended."),
    "execution.audit.chain": Promise(
        PAGE, "An edit, a removal, another order and missing lines are found in the record."
    ),
    "execution.audit.content": Promise(
        PAGE, "Content is written down only where that was switched on, and through the redactor."
    ),
    "execution.logs.switched": Promise(
        PAGE, "Arguments and results are logged only where that was switched on, and through the redactor."
    ),
    "telemetry.logs": Promise(
        "observability.md",
        "Each end of a call, its start, and asking and deciding have one event name each in the log.",
    ),
    "telemetry.metrics": Promise(
        "observability.md", "Executions are counted by code and measured; active, queued and abandoned are gauges."
    ),
    "telemetry.definitions": Promise(
        "observability.md", "Checks of definitions are told and measured: what failed, where, and which limit."
    ),
    "telemetry.spans": Promise(
        "observability.md", "There is one execute_tool span for each call, linked to those around it."
    ),
    "telemetry.content": Promise("observability.md", "Spans hold content only where that was switched on."),
    "telemetry.genai": Promise(
        "observability.md", "Model calls are measured and traced after the GenAI semantic conventions."
    ),
    "telemetry.off": Promise(
        "observability.md",
        "Without OpenTelemetry, or where nobody has set it up, nothing is needed and nothing happens.",
    ),
    # Where tools run.
    "sandbox.exact": Promise(
        "sandbox.md",
        "A tool runs in the isolation that it asks for, or is refused: never weaker, nor stronger in silence.",
    ),
    "sandbox.custom": Promise("sandbox.md", "Definitions kept as data run in a process of their own, or not at all."),
    "sandbox.access": Promise(
        "sandbox.md",
        "What a call may touch is its workspace, only to be read without side effects, and what was configured.",
    ),
    "sandbox.probe": Promise(
        "sandbox.md", "A probe says of each level whether it can be had, and if not, why and what to do."
    ),
    "sandbox.runner": Promise(
        "sandbox.md",
        "A runner runs a tool once, at a level that it has, and ends it when whoever awaits it is cancelled.",
    ),
    # Several calls at once.
    "execution.many.side_by_side": Promise(
        PAGE, "Calls without side effects run side by side; results come in the order of the calls."
    ),
    "execution.many.order": Promise(
        PAGE, "One with side effects waits for all before it, and those after wait for it."
    ),
    "execution.many.resource": Promise(
        PAGE, "Where definitions name resources, only calls that share a resource wait for each other."
    ),
    "execution.many.isolated": Promise(
        PAGE, "One answer each, whatever happens to the others, BaseExceptions of libraries included."
    ),
    "execution.many.told": Promise(PAGE, "Each answer is there once, and is told as soon as it is there."),
    "execution.many.cancelled": Promise(
        "README.md", "What was done when several calls were cancelled is kept, and each has its one answer."
    ),
    "execution.cancel": Promise(PAGE, "executor.cancel ends calls, and their execute returns what is cancelled."),
}
