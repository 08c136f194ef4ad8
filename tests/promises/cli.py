"""What cli.md promises of the commands."""

from __future__ import annotations

from tests.promises import Promise

PAGE = "cli.md"

PROMISES: dict[str, Promise] = {
    "cli.light": Promise(PAGE, "Heavy parts are imported when they are used: help loads no room, and no client."),
    "cli.json": Promise(PAGE, "Every command that prints data has --json: one object, or one per line for streams."),
    "cli.streams": Promise(PAGE, "Messages go to stderr and data to stdout."),
    "cli.pipes": Promise(PAGE, "In a pipe there are neither colours nor prompts."),
    "cli.no_color": Promise(PAGE, "NO_COLOR is honoured."),
    "cli.exit_codes": Promise(
        PAGE,
        "Exit codes: 0 fine, 1 the thing failed, 2 wrong use, 3 denied, 4 nothing configured, 130 interrupted.",
    ),
    "cli.errors": Promise(PAGE, "An error is one or two lines that say what to do; a traceback only with --debug."),
    "cli.chat_once": Promise(PAGE, "chat PROMPT gives one answer, and its text streams."),
    "cli.chat_talk": Promise(PAGE, "chat without a prompt is a conversation."),
    "cli.chat_calls": Promise(
        PAGE, "Calls appear as they happen, with arguments, progress bar, duration and a one-line result."
    ),
    "cli.approvals": Promise(
        PAGE, "Approvals show summary, risk in its colour and the diff for writes, and take y / n / always / edit."
    ),
    "cli.remembered": Promise(
        "execution.md", "A decision that is remembered for good is shown before it is written to a file."
    ),
    "cli.rules": Promise(PAGE, "--allow and --deny give rules, --yes RISK runs up to this risk without asking."),
    "cli.workspace": Promise(PAGE, "--workspace is the folder to work in, by default the current one."),
    "cli.max_turns": Promise(PAGE, "--max-turns bounds a run."),
    "cli.system": Promise(PAGE, "--system is what the model is told first."),
    "cli.continue": Promise(PAGE, "--continue goes on with the last conversation in this workspace."),
    "cli.piped_input": Promise(PAGE, "Piped input is appended to the prompt."),
    "cli.interrupt": Promise(PAGE, "Ctrl-C stops the answer; a second one leaves."),
    "cli.model": Promise(PAGE, "--model names the model; without it, the first that is found is asked, and named."),
    "cli.small_model": Promise(
        "providers.md",
        "The embedded model says that it is small: a tool's result is shown as it is, the sentence is labelled.",
    ),
    "cli.visible": Promise(PAGE, "What a model or a tool wrote moves no cursor and hides nothing at a terminal."),
    "cli.tools_list": Promise(PAGE, "tools list, show and search tell which tools there are."),
    "cli.tools_call": Promise(PAGE, "tools call makes options from the parameters; --args takes JSON, or - for stdin."),
    "cli.tools_check": Promise(PAGE, "tools check validates definition files and reports per provider dialect."),
    "cli.tools_add": Promise(PAGE, "tools add puts a definition into the user's folder, tools remove takes it out."),
    "cli.tools_export": Promise(PAGE, "tools export --format writes what a codec or MCP takes."),
    "cli.runs": Promise(PAGE, "runs list, show, resume and export look at what was asked and answered."),
    "cli.policy": Promise(PAGE, "policy explain says why a call would run, be asked about, or not run."),
    "cli.models": Promise(PAGE, "model list, pull, remove and verify handle the embedded model's weights."),
    "cli.doctor": Promise(PAGE, "doctor says what works on this machine, and what to do about the rest."),
    "cli.config": Promise(PAGE, "config show says where each value came from; config path where files are looked for."),
    "cli.completion": Promise(PAGE, "There is shell completion for bash, zsh and fish."),
    "cli.version": Promise(PAGE, "--version shows the version."),
    "cli.documented": Promise(PAGE, "Every command, exit code and configuration key is documented."),
}
