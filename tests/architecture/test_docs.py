"""What the pages say is so: examples run, lists are complete, public names are explained."""

from __future__ import annotations

import ast
import asyncio
import inspect
import logging
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from tests.architecture.sources import FRONT_DOOR, PACKAGE, ROOT, Function, inside, modules, tree
from tests.promises import keeps
from toolwright import errors

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^(?P<indent> *)```python\n(?P<code>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")
DECISIONS = ROOT / "docs" / "decisions"
SECTIONS = ["Context", "Choice", "Refused", "What would change our mind"]


def examples(page: Path) -> Iterator[CodeType]:
    """Compile the Python blocks of a page, so that a traceback shows the page's own line numbers."""
    text = page.read_text(encoding="utf-8")
    for block in FENCE.finditer(text):
        lines_before = text.count("\n", 0, block.start("code"))
        code = "\n" * lines_before + textwrap.dedent(block["code"])
        yield compile(code, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


@pytest.fixture
def log_as_it_was() -> Iterator[None]:
    """Give the logger back as it was: the examples of a page may listen to it."""
    log = logging.getLogger("toolwright")
    level, handlers = log.level, log.handlers.copy()
    yield
    log.setLevel(level)
    log.handlers[:] = handlers


@keeps("house.examples")
@pytest.mark.usefixtures("log_as_it_was")
@pytest.mark.parametrize("page", [page for page in PAGES if FENCE.search(page.read_text())], ids=lambda page: page.name)
def test_the_examples_of_a_page_run_as_written(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    with asyncio.Runner() as runner:
        for code in examples(page):
            # Only code that awaits gives something to await.
            waiting = eval(code, names)  # noqa: S307  (our own pages)
            if inspect.iscoroutine(waiting):
                runner.run(waiting)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("page", [*sorted(ROOT.glob("*.md")), *PAGES[1:]], ids=lambda page: page.name)
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    assert [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()] == []


def public_definitions(body: list[ast.stmt]) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in body:
        if isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_"):
            decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
            if not any(name == "overload" or name.endswith(".setter") for name in decorators):
                yield node
            if isinstance(node, ast.ClassDef):
                yield from public_definitions(node.body)


@keeps("house.docstrings")
@pytest.mark.parametrize("path", modules(), ids=inside)
def test_every_public_name_has_a_docstring(path: Path) -> None:
    assert [node.name for node in public_definitions(tree(path).body) if not ast.get_docstring(node)] == []


def test_the_architecture_lists_exactly_the_rooms_that_exist() -> None:
    section = (ROOT / "ARCHITECTURE.md").read_text().partition("## The rooms")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `([\w/.]+)` \|", section, re.MULTILINE)
    files = {path.name for path in PACKAGE.glob("*.py") if path != FRONT_DOOR}
    folders = {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(listed) == sorted(files | folders)


def test_every_decision_is_indexed_and_answers_the_same_four_questions() -> None:
    index = (DECISIONS / "README.md").read_text()
    records = sorted(path for path in DECISIONS.glob("*.md") if path.name != "README.md")
    assert [path.name[:4] for path in records] == [f"{number:04}" for number in range(1, len(records) + 1)]
    for path in records:
        assert f"({path.name})" in index
        assert re.findall(r"^## (.+)$", path.read_text(), re.MULTILINE) == SECTIONS, path.name


def test_every_exception_and_every_code_is_explained() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    tree_of_errors = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    assert [name for name in errors.__all__ if f"`{name}`" not in tree_of_errors] == []
    given = {
        keyword.value.value
        for path in modules()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "code" and isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str)
    }
    assert sorted(code for code in given if code and f"`{code}`" not in pages) == []
