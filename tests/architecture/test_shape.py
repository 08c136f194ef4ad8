"""Files can be read in one sitting, and functions at a glance."""

from __future__ import annotations

import ast

from tests.architecture.sources import Function, inside, modules, tree

MOST_LINES_OF_A_MODULE = 450
MOST_LINES_OF_A_FUNCTION = 60

# A module that is long for one reason: which, and the reason.
TABLES = {"registry/thesaurus.py": "a table of words that mean the same, one line for each group"}
# A function that is long for one reason, at one level: which, and the reason.
LONG: dict[str, str] = {}


def lengths() -> dict[str, int]:
    """Return the length of every function, its signature and docstring left out."""
    found: dict[str, int] = {}
    for path in modules():
        for node in ast.walk(tree(path)):
            if isinstance(node, Function):
                first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
                found[f"{inside(path)}:{node.name}"] = (node.end_lineno or first.lineno) - first.lineno + 1
    return found


def test_every_module_can_be_read_in_one_sitting() -> None:
    sizes = {inside(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    assert {path for path, size in sizes.items() if size > MOST_LINES_OF_A_MODULE} == set(TABLES)


def test_no_function_is_long_without_a_reason() -> None:
    long = {name for name, size in lengths().items() if size > MOST_LINES_OF_A_FUNCTION}
    assert long == set(LONG)


def test_a_call_becomes_runnable_in_exactly_one_file() -> None:
    """Only an ``Approved`` can be run, so whoever makes one decides: that is to be seen in one place."""
    makers = {
        inside(path)
        for path in modules()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "Approved"
    }
    assert makers == {"execution/steps/approve.py"}


def test_every_module_says_what_it_is_for() -> None:
    assert [inside(path) for path in modules() if not ast.get_docstring(tree(path))] == []
