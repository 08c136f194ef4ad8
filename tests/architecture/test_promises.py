"""Each promise has a test, each test that claims one is right, and tests are written as promises."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import ROOT, Function, tree
from tests.promises import ALL

TESTS = sorted((ROOT / "tests").rglob("*.py"))


def every_test() -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in TESTS:
        for node in ast.walk(tree(path)):
            if isinstance(node, Function) and node.name.startswith("test_") and path.stem.startswith("test_"):
                yield path, node


def kept(node: ast.AST) -> Iterator[str]:
    """Yield the ids in every ``keeps(...)`` below a node: above a test, or among the marks of a parameter."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "keeps":
            assert all(isinstance(id, ast.Constant) for id in call.args), f"line {call.lineno}: write ids as they are"
            yield from (str(ast.literal_eval(id)) for id in call.args)


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def test_every_promise_is_kept_by_a_test() -> None:
    assert set(ALL) - {id for _, node in every_test() for id in kept(node)} == set()


def test_every_test_keeps_promises_that_were_made() -> None:
    assert {(path.name, node.name, id) for path, node in every_test() for id in kept(node) if id not in ALL} == set()


def test_every_promise_names_its_page_and_is_a_sentence() -> None:
    for id, promise in ALL.items():
        assert "." in id
        assert promise.page.endswith(".md")
        assert promise.sentence.endswith(".")
        assert len(promise.sentence.split()) >= 3


def test_every_name_of_a_test_is_a_sentence() -> None:
    short = [f"{path.name}: {node.name}" for path, node in every_test() if len(node.name.split("_")) < 5]
    assert short == []


def test_nothing_is_patched_and_nothing_sleeps() -> None:
    faults = []
    for path in TESTS:
        for name, call in calls(path):
            patched = name.startswith(("mock.", "mocker.")) or name.endswith((".setattr", "patch", "patch.object"))
            yields = [ast.unparse(argument) for argument in call.args] == ["0"]  # lets other tasks run, takes no time
            if patched or (name.rpartition(".")[2] == "sleep" and not yields):
                faults.append(f"{path.name}:{call.lineno}: {name}")
    assert faults == []


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    words = ("mark.skip", "mark.xfail", "pytest.skip", "pytest.xfail", "skipif", "importorskip")
    me = Path(__file__)
    assert [path.name for path in TESTS if path != me and any(word in path.read_text() for word in words)] == []
