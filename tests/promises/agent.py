"""What the page on the loop promises, and what other pages say of runs."""

from tests.promises import Promise

_PAGE = "agent.md"

PROMISES = {
    "agent.tour": Promise("tour.md", "An agent with a scripted model calls a tool and answers: run.text, run.status."),
    "agent.executor": Promise(
        _PAGE, "Without executor it is Executor(registry); one over another registry is a ValueError."
    ),
    "agent.system": Promise(_PAGE, "A system message may be absent."),
    "agent.options": Promise(_PAGE, "Other keywords of run are as for Executor.execute."),
    "agent.options.timeout": Promise(_PAGE, "The timeout given to run is the run's."),
    "agent.conversation.kept": Promise(
        _PAGE, "A conversation that is handed in stays as it was and keeps its own system message."
    ),
    "agent.conversation.joined": Promise(
        _PAGE, "If the conversation ends with a user message, the new prompt is joined to it."
    ),
    "agent.stream": Promise(
        _PAGE,
        "agent.stream gives the provider's events (but for its Completed), the executor's, and last RunCompleted(run).",
    ),
    "agent.run_sync": Promise(_PAGE, "There is run_sync for code without an event loop."),
    # One turn
    "agent.turn.recorded_first": Promise(
        _PAGE, "The text and all calls of an answer are appended to the transcript together, before anything runs."
    ),
    "agent.turn.order": Promise(_PAGE, "The executor runs side-effect-free calls side by side, others in order."),
    "agent.turn.results": Promise(_PAGE, "Each result is appended as it arrives."),
    "agent.turn.follow_up": Promise(
        _PAGE, "The follow-up request carries the results in call order, whatever order they finished in."
    ),
    # Ends
    "agent.ends.completed": Promise(_PAGE, "A run that ends with a final text is completed."),
    "agent.ends.max_turns": Promise(_PAGE, "A run ends with max_turns after so many turns."),
    "agent.ends.max_tool_calls": Promise(
        _PAGE, "Of 20 calls with 10 left, the first 10 run, the others are answered with the reason."
    ),
    "agent.ends.timed_out": Promise(_PAGE, "A run whose time is over ends as timed_out."),
    "agent.ends.cancelled": Promise(_PAGE, "A run that was cancelled ends as cancelled."),
    "agent.ends.refused": Promise(_PAGE, "A run whose model refuses ends as refused."),
    "agent.ends.length": Promise(
        _PAGE, "A cut text ends the run as length; a cut tool call is never run, the model is told."
    ),
    "agent.ends.wrong_calls": Promise(_PAGE, "The same wrong call three times in a row ends the run as wrong_calls."),
    "agent.ends.provider_error": Promise(_PAGE, "A failing provider ends the run as provider_error, with run.error."),
    "agent.ends.failed": Promise(
        _PAGE, "A fault of the application's own code ends the run as failed, with run.error."
    ),
    "agent.ends.waiting": Promise(_PAGE, "A durable run that needs a person is waiting."),
    "agent.ends.transcript": Promise(
        _PAGE, "The transcript is complete and valid in every case; calls that did not run have a result that says so."
    ),
    "agent.wrong.told": Promise(
        _PAGE, "Wrong calls cost no exception: the model reads what was wrong and tries again."
    ),
    # What is offered, noticed, asked for and summed
    "agent.offer.first": Promise(_PAGE, "offer is what the model is shown at first; by default all that is available."),
    "agent.offer.found": Promise(_PAGE, "What a find_tools among them finds is offered from the next turn on."),
    "agent.offer.not_offered": Promise(_PAGE, "A tool that is not offered is not found."),
    "registry.find_tools.callable": Promise("registry.md", "What find_tools finds becomes callable in that run."),
    "agent.repetition": Promise(
        _PAGE, "The same call repeated without anything new in between is noticed and told to the model."
    ),
    "agent.final": Promise(_PAGE, "final asks for a structured answer and gives run.value, validated."),
    "agent.usage": Promise(_PAGE, "The usage of a run is summed."),
    "agent.prepare": Promise(
        _PAGE, "A hook prepare lets an application shorten what is sent without touching the transcript."
    ),
    "agent.cancelling": Promise(
        _PAGE, "Cancelling run cancels the provider call and every running tool, then records it."
    ),
    "agent.as_tool": Promise(_PAGE, "An agent can be a tool of another one, by as_tool(name, description)."),
    "agent.as_tool.grants": Promise(
        "execution.md", "Callers from outside, such as a sub-agent, bring their own grants, and none by default."
    ),
    # The transcript
    "messages.records.before_running": Promise(
        "messages.md", "The records of one model answer are appended together, before any of the calls runs."
    ),
    "messages.records.results_when_there": Promise("messages.md", "Each result is appended when it is there."),
    "messages.records.facts": Promise(
        "messages.md", "A tool_result holds the execution's facts: status, duration_ms, truncated, artifacts."
    ),
    # Durable runs
    "agent.resume": Promise(_PAGE, "With a store, a run survives the process: agent.resume(run_id)."),
    "agent.resume.records": Promise(
        "store.md", "A run that is taken up again rebuilds its position from the records alone."
    ),
    "agent.resume.safe_again": Promise(
        _PAGE, "A call without a result whose definition has no side effects is run again."
    ),
    "agent.resume.never_twice": Promise(_PAGE, "A call with side effects is never carried out twice in silence."),
    "agent.resume.reconcile": Promise(
        "store.md", "After a crash a tool with reconcile is asked: its answer is recorded, or the call is run."
    ),
    "agent.unknown.ask": Promise(_PAGE, "With unknown=ask, a person decides about a call with an unknown outcome."),
    "agent.unknown.tell": Promise(_PAGE, "With unknown=tell, the model is told of an unknown outcome."),
    "agent.unknown.rerun": Promise(_PAGE, "With unknown=rerun, a call with an unknown outcome is run again."),
    "agent.span": Promise("observability.md", "There is one span for the run, around those of its calls."),
}
