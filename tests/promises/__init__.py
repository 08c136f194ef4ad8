"""What the specification promises, sentence by sentence, and which test keeps each.

Each room has a module beside this one with ``PROMISES``, a dictionary from ``room.slug`` to :class:`Promise`. A test
that keeps one says ``@keeps("room.slug")``. tests/architecture/test_promises.py enforces both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, TypeVar, cast

import pytest

__all__ = ["ALL", "Promise", "keeps"]

Test = TypeVar("Test", bound=Callable[..., Any])


@dataclass(frozen=True)
class Promise:
    """One sentence that users may rely on, and the page of the specification that holds it."""

    page: str
    sentence: str


def keeps(*ids: str) -> Callable[[Test], Test]:
    """Mark a test as one that keeps these promises."""
    return cast("Callable[[Test], Test]", pytest.mark.keeps(*ids))


@cache
def _gather() -> Mapping[str, Promise]:
    promises: dict[str, Promise] = {}
    for module in iter_modules(__path__):
        room: dict[str, Promise] = import_module(f"{__name__}.{module.name}").PROMISES
        twice = promises.keys() & room.keys()
        if twice:
            raise ValueError(f"promised in two rooms: {sorted(twice)}")
        promises |= room
    return promises


if TYPE_CHECKING:
    ALL: Mapping[str, Promise]
else:

    def __getattr__(name: str) -> object:
        # Gathered when asked for: the rooms' modules import this one.
        if name == "ALL":
            return _gather()
        raise AttributeError(name)
