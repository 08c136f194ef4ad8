"""The repository as text and as syntax trees, for the tests of this folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "toolwright"
FRONT_DOOR = PACKAGE / "__init__.py"

Function = ast.FunctionDef | ast.AsyncFunctionDef
_MADE = {"__pycache__", "build", "dist", "bench-results"}


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a Python file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def modules() -> list[Path]:
    """Return the files of the package, the front door included."""
    return sorted(PACKAGE.rglob("*.py"))


def dotted(path: Path) -> str:
    """Return the name under which a file of the package is imported."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def inside(path: Path) -> str:
    """Return where a file lies in the package: ``schema/report.py``."""
    return path.relative_to(PACKAGE).as_posix()


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Yield what a file imports at run time, each with whether importing the file already does it."""
    yield from _imports(tree(path), early=True)


def _imports(node: ast.AST, *, early: bool) -> Iterator[tuple[str, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            for other in child.orelse:
                yield from _imports(other, early=early)
        elif isinstance(child, ast.Import):
            yield from ((alias.name, early) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield (child.module or "", early)
        else:
            yield from _imports(child, early=early and not isinstance(child, Function))


def written() -> Iterator[Path]:
    """Yield every file of the repository that somebody wrote."""
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        hidden = any(part.startswith(".") and part != ".ci" for part in parts[:-1])
        made = _MADE.intersection(parts) or parts[-1].startswith(".coverage") or parts[-1] == ".git"  # of a worktree
        if path.is_file() and not hidden and not made:
            yield path
