"""The text below a field: attribute docstrings, which Python does not keep.

They are read from the source of the module that defines the class, once per module, and only for classes whose fields
have no description otherwise. Where there is no source there are none.

This module knows syntax trees, and nothing of types and schemas.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from inspect import cleandoc
from typing import Final

__all__ = ["attribute_docs"]

_NONE: Final[Mapping[str, Mapping[str, str]]] = {}


def attribute_docs(cls: type) -> dict[str, str]:
    """Return the docstring below each field of a class, by the name of the field; inherited ones are left out."""
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    return dict(_docs_of(file, cls.__module__).get(cls.__qualname__, {})) if isinstance(file, str) else {}


@lru_cache(maxsize=256)
def _docs_of(file: str, module: str) -> Mapping[str, Mapping[str, str]]:
    """Return the attribute docstrings of all classes of a file; a file that cannot be read or parsed has none."""
    names = vars(sys.modules[module]) if module in sys.modules else None
    try:
        tree = ast.parse("".join(linecache.getlines(file, names)))
        return {name: docs for name, node in _classes(tree, "") if (docs := _docs_in(node))}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _NONE


def _classes(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield f"{prefix}{child.name}", child
            yield from _classes(child, f"{prefix}{child.name}.")
        elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _classes(child, f"{prefix}{child.name}.<locals>.")
        elif not isinstance(child, ast.expr):
            yield from _classes(child, prefix)


def _docs_in(node: ast.ClassDef) -> dict[str, str]:
    found: dict[str, str] = {}
    for field, below in zip(node.body, node.body[1:], strict=False):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = " ".join(cleandoc(text).split())
            case _:
                pass
    return found
