"""What the page on the testing kit promises."""

from tests.promises import Promise

_PAGE = "testing.md"

PROMISES = {
    "testing.mock_tool": Promise(_PAGE, "A MockTool has a configurable definition, result function and check."),
    "testing.mock_factories": Promise(
        _PAGE, "There are mock tools that succeed, fail, raise, take their time, and fail so many times."
    ),
    "testing.mock_records": Promise(_PAGE, "A MockTool records its calls, its contexts and how often it checked."),
    "testing.mock_risk": Promise(_PAGE, "A MockTool is safe unless told."),
    "testing.context": Promise(_PAGE, "The tool_context function gives a context to run a tool with directly."),
    "testing.valid_tool": Promise(
        _PAGE,
        "The checks every tool should pass: schema, examples, summary, cancelling, size of results, every dialect.",
    ),
    "testing.scripted.answers": Promise(
        _PAGE, "A ScriptedProvider answers from a script of texts, calls, responses, exceptions or functions."
    ),
    "testing.scripted.streams": Promise(_PAGE, "It streams its answers in configurable chunks."),
    "testing.scripted.records": Promise(_PAGE, "It records every request."),
    "testing.scripted.done": Promise(
        _PAGE,
        "It fails at once when the script has run out, and in assert_done or at the end of a with when some is left.",
    ),
    "testing.cassette.replays": Promise(
        _PAGE, "A run recorded once with a real model is a regression test for ever, without a model or a network."
    ),
    "testing.cassette.readable": Promise(_PAGE, "A cassette is readable and diffable."),
    "testing.cassette.secrets": Promise(_PAGE, "Secrets are redacted on a cassette."),
    "testing.cassette.changed": Promise(_PAGE, "A changed request fails with a diff."),
    "testing.plugin": Promise(_PAGE, "A pytest plugin has the fixtures registry, executor, workspace and scripted."),
    "testing.plugin.light": Promise(_PAGE, "The plugin is there by its entry point and loads nothing heavy."),
    "testing.server": Promise(
        _PAGE, "A ScriptedServer speaks the interface of every provider, as the providers' own clients understand it."
    ),
    "testing.server.refuses": Promise(_PAGE, "It refuses what the real interface would refuse."),
}
