"""What the page on tools promises of writing them, and of what they get and give."""

from tests.promises import Promise

_PAGE = "tools.md"

PROMISES = {
    # Writing a tool: from a function.
    "tools.from_signature": Promise(
        _PAGE, "Name, description, parameters and output schema come from the signature and its docstring."
    ),
    "tools.context_by_annotation": Promise(
        _PAGE, "The parameter annotated ToolContext is filled in and not shown to the model."
    ),
    "tools.services_by_type": Promise(_PAGE, "Services can be asked for by type, and are not shown to the model."),
    "tools.options": Promise(_PAGE, "The decorator takes every field of the definition and of its constraints."),
    "tools.hooks": Promise(
        _PAGE, "The decorator takes functions for available, check, summarize, effective_risk and reconcile."
    ),
    "tools.hand_written": Promise(_PAGE, "The decorator takes a definition written by hand."),
    "tools.sync_in_thread": Promise(_PAGE, "Sync functions run in a thread, async ones in the loop."),
    "tools.callable": Promise(_PAGE, "The decorated function stays callable as itself."),
    "tools.converted": Promise(_PAGE, "Arguments arrive converted to the annotated types."),
    "tools.refused": Promise(
        _PAGE,
        "A signature that cannot be described is refused when decorated, with a message that says what to change.",
    ),
    "tools.importable": Promise(
        _PAGE, "An isolation above none on what cannot be imported by name is refused when decorated."
    ),
    # As a class.
    "tools.protocol": Promise(_PAGE, "The Tool protocol is the interface of every tool."),
    "tools.base": Promise(_PAGE, "ToolBase validates, times, and turns exceptions into outcomes."),
    "tools.check_adds": Promise(_PAGE, "A tool's own check adds to the schema's, and never replaces it."),
    "tools.risk_never_below": Promise(_PAGE, "The effective risk is never below the definition's."),
    "tools.summary": Promise(_PAGE, "The summary is by default Execute and the title."),
    "tools.cancelled_goes_on": Promise(
        "execution.md", "Cancelling goes on; what a tool raises itself, BaseExceptions of libraries included, does not."
    ),
    # As data.
    "tools.custom_kinds": Promise(_PAGE, "A handler is of the kind python, command, http or entrypoint."),
    "tools.custom_python": Promise(_PAGE, "A python handler is source with a function run(arguments, context)."),
    "tools.custom_command": Promise(
        _PAGE, "A command is an argument vector with placeholders, and never a shell string."
    ),
    "tools.custom_http": Promise(
        _PAGE, "An http handler has a method, a URL template, headers, a body template and a list of allowed hosts."
    ),
    "tools.custom_entrypoint": Promise(_PAGE, "An entrypoint names a function as package.module:function."),
    "tools.custom_isolation": Promise(_PAGE, "What is kept as data has isolation standard at least."),
    "tools.custom_validator": Promise(
        "execution.md", "A custom validator is a function named by check in the handler."
    ),
    "tools.files": Promise(
        _PAGE, "Definition files are TOML or JSON, and an unknown key is an error naming the nearest."
    ),
    # What a tool gets.
    "tools.context_arguments": Promise(
        _PAGE, "The arguments of a context are validated, with defaults filled in, and can be read as types."
    ),
    "tools.context_services": Promise(_PAGE, "A missing service raises a LookupError, and get gives None."),
    "tools.resolve": Promise(
        _PAGE, "A resolved path is absolute, its symlinks followed, and checked to be inside the workspace."
    ),
    "tools.no_workspace": Promise(_PAGE, "Without a workspace a path raises PathOutsideWorkspaceError."),
    "tools.no_way_out": Promise(
        _PAGE, "A sibling whose name starts the same, .., and a symlink that points out do not get through."
    ),
    "tools.open": Promise(_PAGE, "A path that is swapped between check and use does not get through open either."),
    "tools.progress": Promise(
        _PAGE, "Progress is indeterminate with neither percent nor total; percent follows from items."
    ),
    "tools.progress_free": Promise(_PAGE, "Progress is free when nobody listens."),
    "tools.cancelled_flag": Promise(_PAGE, "Sync tools can look at context.cancelled."),
    # What a tool gives.
    "tools.any_value": Promise(
        _PAGE, "A tool may return any JSON-able value, a string, a dataclass, or a ToolOutcome."
    ),
    "tools.factories": Promise(_PAGE, "There is a factory for each way in which a call can end."),
    "tools.codes": Promise(_PAGE, "The codes are a closed list; a tool may give a snake_case word of its own."),
    "tools.exception_stays": Promise(_PAGE, "The exception of an outcome is never stored or sent."),
    "tools.for_model": Promise(
        _PAGE, "The model reads the data, or what went wrong and what to try; then artifacts and suggestions."
    ),
    "tools.for_model_cut": Promise(
        _PAGE, "What is too long is cut in the middle, with a line saying how much was left out and how to get it."
    ),
    "tools.for_model_clean": Promise(
        _PAGE, "The model reads no stack traces, no secrets of known shapes, no host paths outside the workspace."
    ),
    "tools.artifacts": Promise(_PAGE, "An artifact describes a file, directory, url or output, with size and hash."),
}
