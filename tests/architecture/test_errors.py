"""The tree of exceptions is what errors.py draws."""

from __future__ import annotations

import builtins
import pickle
import re
from inspect import Parameter, signature

import pytest

from toolwright import errors

LINE = re.compile(r"^(?P<lead>[ │├└─]*)(?P<name>[A-Z]\w+)(?: +\((?P<builtin>\w+)\))?(?:  .*)?$")
PUBLIC: list[type[Exception]] = [getattr(errors, name) for name in errors.__all__]


def drawn() -> dict[str, tuple[str | None, str | None]]:
    """Read the drawing: each class with its parent and the builtin written beside it."""
    picture = (errors.__doc__ or "").partition("::")[2]
    above: dict[int, str] = {}
    found: dict[str, tuple[str | None, str | None]] = {}
    for match in filter(None, map(LINE.match, picture.splitlines())):
        depth = len(match["lead"])
        if match["name"] != "ToolwrightError" and not match["lead"].strip():
            continue
        parents = [name for level, name in sorted(above.items()) if level < depth]
        found[match["name"]] = (parents[-1] if parents else None, match["builtin"])
        above = {level: name for level, name in above.items() if level < depth} | {depth: match["name"]}
    return found


def parent(kind: type[Exception]) -> str | None:
    """Return the nearest public ancestor, leaving out the builtins and shared private bases."""
    return next((base.__name__ for base in kind.__mro__[1:] if base in PUBLIC), None)


def test_the_drawn_tree_is_the_tree_of_classes() -> None:
    assert {name: above for name, (above, _) in drawn().items()} == {kind.__name__: parent(kind) for kind in PUBLIC}


@pytest.mark.parametrize("kind", PUBLIC, ids=lambda kind: kind.__name__)
def test_each_exception_is_the_builtin_drawn_beside_it(kind: type[Exception]) -> None:
    word = drawn()[kind.__name__][1]
    assert issubclass(kind, errors.ToolwrightError)
    assert word is None or issubclass(kind, getattr(builtins, word))


@pytest.mark.parametrize("kind", PUBLIC, ids=lambda kind: kind.__name__)
def test_each_exception_survives_a_trip_to_another_process(kind: type[Exception]) -> None:
    options = {
        name: name for name, one in signature(kind.__init__).parameters.items() if one.kind is Parameter.KEYWORD_ONLY
    }
    error = kind("what was wrong", **options)
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301  (what multiprocessing does with our own exceptions)
    assert type(copy) is kind
    assert (str(copy), copy.args, vars(copy)) == (str(error), error.args, vars(error))
    assert "what was wrong" in str(error)
