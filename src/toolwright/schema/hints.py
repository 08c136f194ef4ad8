"""What annotations mean: evaluated, with type parameters filled in.

Annotations may be text (``from __future__ import annotations``), may name types that are local to a function that is
still running, and may mention the type parameters of generic classes.

This module knows typing, and nothing of schemas.
"""

from __future__ import annotations

import re
import sys
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from inspect import currentframe, get_annotations
from types import SimpleNamespace
from typing import Any, Final, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from toolwright.errors import UnsupportedTypeError

__all__ = ["Hint", "alias_value", "class_hints", "function_hints", "name_of", "substitute"]

Hint: TypeAlias = Any
"""Anything that may stand as an annotation."""

_MODULES: Final = re.compile(r"(?:[\w<>]+[.])+(?=\w)")
_Bindings: TypeAlias = dict[Any, Hint]


def name_of(hint: Hint) -> str:
    """Return how a person writes a type: ``list[int]``, ``Point``, ``Box[int]``."""
    if isinstance(hint, type) and not get_args(hint):
        return hint.__name__
    return _MODULES.sub("", hint if isinstance(hint, str) else str(hint))


def function_hints(function: Callable[..., Any], *, where: str) -> dict[str, Hint]:
    """Return the evaluated annotations of a plain function, those of its result under ``return``.

    Raises:
        UnsupportedTypeError: One cannot be evaluated.
    """
    code = getattr(function, "__code__", None)
    cells = zip(code.co_freevars, getattr(function, "__closure__", None) or (), strict=False) if code else ()
    return _evaluate(function, where, lambda: ChainMap({name: _cell(cell) for name, cell in cells}, *_frames(function)))


def class_hints(hint: Hint, *, where: str) -> dict[str, Hint]:
    """Return the evaluated annotations of a class or parametrised class, inherited ones and parameters filled in.

    Raises:
        UnsupportedTypeError: One cannot be evaluated.
    """
    origin = _origin(hint)
    hints = _evaluate(
        origin, where, lambda: ChainMap({origin.__name__: origin}, *_frames(origin), *_namespaces(origin))
    )
    if not (get_args(hint) or getattr(origin, "__orig_bases__", ())):
        return hints
    bindings = dict(_bindings(hint, {}))
    homes = [base for base in origin.__mro__ if base in bindings]
    # A TypedDict's ancestors are not in its __mro__, and it repeats their annotations: the eldest is the home.
    homes = list(reversed(bindings)) if hasattr(origin, "__required_keys__") else homes
    for name, value in hints.items():
        home = next((base for base in homes if name in get_annotations(base)), origin)
        hints[name] = substitute(value, bindings.get(home, {}))
    return hints


def alias_value(hint: Hint, *, where: str) -> Hint:
    """Return what an alias made by ``type X = ...`` stands for, its parameters filled in.

    Raises:
        UnsupportedTypeError: It names something that is not found.
    """
    alias = _origin(hint)
    bound = dict(zip(alias.__type_params__, get_args(hint), strict=False))
    names = ChainMap({alias.__name__: alias}, vars(sys.modules.get(alias.__module__, SimpleNamespace())))
    try:
        holder = SimpleNamespace(__annotations__={"value": alias.__value__})
        return substitute(get_type_hints(holder, localns=names, include_extras=True)["value"], bound)
    except NameError as error:
        raise UnsupportedTypeError(f"the alias names {error.name!r}, which is not found", path=where) from None


def substitute(hint: Hint, bound: Mapping[Any, Hint]) -> Hint:
    """Return the type with its type parameters replaced."""
    if not bound:
        return hint
    if isinstance(hint, TypeVar):
        return bound.get(hint, hint)
    parameters = getattr(hint, "__parameters__", ())
    plain_class = isinstance(hint, type) and not get_args(hint)
    if plain_class or not any(parameter in bound for parameter in parameters):
        return hint
    generic: Any = hint
    return generic[tuple(bound.get(parameter, parameter) for parameter in parameters)]


def _bindings(hint: Hint, bound: _Bindings) -> Iterator[tuple[Any, _Bindings]]:
    """Yield a class and its generic ancestors, each with what its own type parameters stand for."""
    origin = _origin(hint)
    arguments = [substitute(argument, bound) for argument in get_args(hint)]
    own: _Bindings = dict(zip(getattr(origin, "__parameters__", ()), arguments, strict=False))
    yield origin, own
    for base in origin.__dict__.get("__orig_bases__", ()):
        if getattr(_origin(base), "__name__", "") not in ("Generic", "Protocol", "TypedDict", "NamedTuple"):
            yield from _bindings(base, own)


def _origin(hint: Hint) -> Any:
    """Return the class or alias itself, where a type is it with arguments."""
    origin: Any = get_origin(hint)
    return hint if origin is None else origin


def _evaluate(owner: Any, where: str, scope: Callable[[], ChainMap[str, Any]]) -> dict[str, Hint]:
    try:
        try:
            return get_type_hints(owner, include_extras=True)
        except NameError:  # perhaps a type local to a function
            return get_type_hints(owner, localns=scope(), include_extras=True)
    except NameError as error:
        raise UnsupportedTypeError(
            f"an annotation names {error.name!r}, which is not found: import or define it where annotations are "
            "evaluated, at the top of the module",
            path=where,
        ) from None
    except (TypeError, SyntaxError, AttributeError, RecursionError):
        raise UnsupportedTypeError("has an annotation that cannot be evaluated as a type", path=where) from None


def _cell(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None


def _frames(owner: Any) -> Iterator[dict[str, Any]]:
    """Yield the local names of the running functions in which a class or function was defined."""
    within = f"{getattr(owner, '__qualname__', '')}."
    frame = currentframe() if "<locals>" in within else None
    while frame is not None:
        name = f"{frame.f_code.co_qualname}.<locals>."
        if within.startswith(name) and frame.f_globals.get("__name__") == owner.__module__:
            yield frame.f_locals
        frame = frame.f_back


def _namespaces(owner: type) -> Iterator[dict[str, Any]]:
    """Yield what names mean in the modules of a class and its ancestors, and then inside the class."""
    for base in owner.__mro__[:-1]:
        yield vars(sys.modules.get(base.__module__, SimpleNamespace()))
    yield dict(vars(owner))
