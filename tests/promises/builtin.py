"""What the page on built-in tools promises, as far as they are there."""

from tests.promises import Promise

_PAGE = "builtin.md"

PROMISES = {
    "builtin.own_names": Promise(_PAGE, "builtin.read_file is the tool, not a module."),
    "builtin.permissions": Promise(_PAGE, "They declare permissions, so that a narrower caller can be kept from them."),
    "builtin.paged": Promise(_PAGE, "Results are structured with a one-line message; large ones are paged."),
    "builtin.read_file": Promise(
        _PAGE, "read_file reads text with line numbers on request, offset and limit, and detects the encoding."
    ),
    "builtin.read_file_binary": Promise(_PAGE, "read_file says when a file is binary."),
}
