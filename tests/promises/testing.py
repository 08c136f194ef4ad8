"""What the page on the testing kit promises of tools."""

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
}
