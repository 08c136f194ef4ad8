"""What the page on built-in tools promises."""

from tests.promises import Promise

_PAGE = "builtin.md"

PROMISES = {
    "builtin.registry": Promise(_PAGE, "builtin.registry(workspace) is a Registry of the built-in tools."),
    "builtin.registry_without_workspace": Promise(_PAGE, "Without a workspace those that need files are left out."),
    "builtin.own_names": Promise(_PAGE, "builtin.read_file is the tool, not a module."),
    "builtin.permissions": Promise(_PAGE, "They declare permissions, so that a narrower caller can be kept from them."),
    "builtin.paged": Promise(_PAGE, "Results are structured with a one-line message; large ones are paged."),
    "builtin.table": Promise(_PAGE, "Each has the category and the risk that the table names."),
    "builtin.read_file": Promise(
        _PAGE, "read_file reads text with line numbers on request, offset and limit, and detects the encoding."
    ),
    "builtin.read_file_binary": Promise(_PAGE, "read_file says when a file is binary."),
    "builtin.write_file": Promise(
        _PAGE, "write_file is atomic, keeps the mode, makes folders and reports created or changed."
    ),
    "builtin.write_file_diff": Promise(_PAGE, "write_file shows a diff in the approval."),
    "builtin.expected_sha256": Promise(_PAGE, "expected_sha256 guards against lost updates."),
    "builtin.list_directory": Promise(
        _PAGE, "list_directory tells sizes, kinds and depth, and honours .gitignore on request."
    ),
    "builtin.glob": Promise(
        _PAGE,
        "glob has ** and braces, honours .gitignore, and gives the newest first or by name, with a count of the rest.",
    ),
    "builtin.glob_links": Promise(_PAGE, "glob does not follow links out of the workspace."),
    "builtin.gitignore": Promise(_PAGE, "What .gitignore leaves out is what git leaves out."),
    "builtin.search_text": Promise(
        _PAGE, "search_text takes a regex or plain text and gives context lines and counts per file."
    ),
    "builtin.search_linear": Promise(_PAGE, "search_text uses a linear-time regex engine."),
    "builtin.search_ripgrep": Promise(_PAGE, "search_text uses ripgrep where it is installed."),
    "builtin.run_command": Promise(_PAGE, "run_command runs an argument vector without a shell."),
    "builtin.run_command_shell": Promise(
        _PAGE, "A shell text makes run_command critical, and no rule about command fits it."
    ),
    "builtin.run_command_streams": Promise(_PAGE, "The output of run_command is streamed as progress."),
    "builtin.run_command_isolation": Promise(
        _PAGE, "run_command asks for strict isolation and is not available where there is none."
    ),
    "builtin.run_command_lowered": Promise(
        _PAGE, "Where the operator lowers the isolation, run_command is critical and its description says so."
    ),
    "builtin.run_command_tree": Promise(
        "README.md", "A deadline ends the work, not only the waiting: the whole tree of a command goes with it."
    ),
    "builtin.fetch_limits": Promise(_PAGE, "fetch_url is a GET with size and time limits."),
    "builtin.fetch_private": Promise(_PAGE, "fetch_url refuses private and loopback addresses after DNS resolution."),
    "builtin.fetch_redirects": Promise(_PAGE, "fetch_url refuses private addresses on each redirect."),
    "builtin.fetch_readable": Promise(_PAGE, "fetch_url makes of HTML a readable text."),
    "builtin.run_python": Promise(_PAGE, "run_python returns stdout and the last value."),
    "builtin.run_python_isolation": Promise(
        _PAGE, "run_python asks for restricted isolation and is not available where there is none."
    ),
    "builtin.tiers": Promise(_PAGE, "The first five are the core tier's."),
    "builtin.toolsets": Promise(_PAGE, "edit_file and git tools come as toolsets on top, which no tier counts."),
    "builtin.edit_file": Promise(_PAGE, "edit_file replaces exactly, and the text must match once."),
    "builtin.git": Promise(_PAGE, "The git tools tell status, differences and history, and commit."),
}
