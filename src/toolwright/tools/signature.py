"""What a function takes: from the model, from the context, from the application.

A function's parameters are sorted once. Those that a model fills in are described to it and read from JSON; a parameter
annotated ``ToolContext`` is filled with the context, one annotated ``Annotated[T, Service]`` with a service.

This module knows functions, and nothing of definitions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Final, NamedTuple, Union, get_args, get_origin

from toolwright.errors import UnsupportedTypeError
from toolwright.schema.from_signature import Described, describe_signature
from toolwright.schema.hints import Hint, function_hints
from toolwright.tools.arguments import REQUIRED, ArgumentReader, Field
from toolwright.tools.context import ToolContext
from toolwright.tools.outcome import ToolOutcome
from toolwright.tools.services import Service

__all__ = ["Lent", "Plan", "name_from", "plan_described", "plan_given"]

_Parameters = Mapping[str, inspect.Parameter]
_STARRED: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class Lent(NamedTuple):
    """A parameter that a service fills: its name, the type that is asked for, and the default where it is missing."""

    name: str
    kind: Any
    default: Any = REQUIRED


class Plan(NamedTuple):
    """How a function is called."""

    reader: ArgumentReader
    contexts: tuple[str, ...]
    services: tuple[Lent, ...]
    positional: tuple[str, ...]
    takes_self: bool
    is_async: bool


def plan_described(function: Callable[..., Any]) -> tuple[Plan, Described]:
    """Return how a function is called, and what its signature tells a model.

    Raises:
        UnsupportedTypeError: It cannot be described; the text says what to change.
    """
    _refuse_generators(function)
    takes_self = _takes_self(function)

    def skip(parameter: inspect.Parameter, hint: Hint) -> bool:
        return _is_context(hint) or _service(hint) is not None or (takes_self and parameter.name in _SELF)

    described = describe_signature(function, skip=skip)
    if _mentions(described.hints.get("return"), ToolOutcome):
        described = Described(described.parameters, described.description, None, described.hints)
    parameters = inspect.signature(function).parameters
    shown = [parameters[name] for name in described.parameters["properties"]]
    return _plan(function, parameters, described.hints, shown, takes_self=takes_self), described


def plan_given(function: Callable[..., Any], properties: Iterable[str], *, open_ended: bool) -> Plan:
    """Return how a function is called whose arguments a definition describes already.

    What has no annotation is handed over as JSON. ``open_ended`` says that the definition allows further properties.

    Raises:
        UnsupportedTypeError: Function and definition do not fit together.
    """
    _refuse_generators(function)
    takes_self = _takes_self(function)
    name = name_from(function)
    hints = function_hints(_plain(function), where=name)
    parameters = inspect.signature(function).parameters
    shown = [
        parameter
        for parameter in parameters.values()
        if not (_is_context(_hint(parameter, hints)) or _service(_hint(parameter, hints)) is not None)
        and not (takes_self and parameter.name in _SELF)
    ]
    _refuse_misfits(name, shown, set(properties), open_ended=open_ended)
    return _plan(function, parameters, hints, shown, takes_self=takes_self)


def name_from(function: Callable[..., Any]) -> str:
    """Return what a function is called."""
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def _plan(
    function: Callable[..., Any],
    parameters: _Parameters,
    hints: Mapping[str, Hint],
    shown: list[inspect.Parameter],
    *,
    takes_self: bool,
) -> Plan:
    named = [parameter for parameter in shown if parameter.kind not in _STARRED]
    fields = [Field(parameter.name, _hint(parameter, hints), _default(parameter)) for parameter in named]
    return Plan(
        reader=ArgumentReader(fields, where=name_from(function), rest=len(named) < len(shown)),
        contexts=tuple(name for name, parameter in parameters.items() if _is_context(_hint(parameter, hints))),
        services=tuple(_lent(parameters, hints)),
        positional=_positional(parameters, takes_self=takes_self),
        takes_self=takes_self,
        is_async=_is_async(function),
    )


def _hint(parameter: inspect.Parameter, hints: Mapping[str, Hint]) -> Hint:
    return hints.get(parameter.name, Any if parameter.annotation is parameter.empty else parameter.annotation)


def _default(parameter: inspect.Parameter) -> Any:
    default = parameter.default
    if default is parameter.empty:
        return REQUIRED
    if type(default).__name__ == "FieldInfo":  # pydantic's Field(...), written where the default stands
        return REQUIRED if default.is_required() else default.get_default(call_default_factory=True)
    return default


def _lent(parameters: _Parameters, hints: Mapping[str, Hint]) -> Iterator[Lent]:
    for name, parameter in parameters.items():
        kind = _service(_hint(parameter, hints))
        if kind is None:
            continue
        members = [member for member in get_args(kind) if member is not NoneType] if _is_union(kind) else [kind]
        optional = _is_union(kind) and NoneType in get_args(kind)
        yield Lent(name, members[0], None if optional and parameter.default is parameter.empty else _default(parameter))


def _positional(parameters: _Parameters, *, takes_self: bool) -> tuple[str, ...]:
    kind = inspect.Parameter.POSITIONAL_ONLY
    names = [name for name, parameter in parameters.items() if parameter.kind is kind]
    return tuple(names[1:] if takes_self and names else names)


def _is_context(hint: Hint) -> bool:
    if _is_annotated(hint):
        return _is_context(get_args(hint)[0])
    if _is_union(hint):
        return any(_is_context(member) for member in get_args(hint))
    return isinstance(hint, type) and issubclass(hint, ToolContext)


def _service(hint: Hint) -> Hint | None:
    """Return the type of the service that is asked for, if one is."""
    if _is_annotated(hint):
        kind, *marks = get_args(hint)
        return kind if any(mark is Service or isinstance(mark, Service) for mark in marks) else None
    if _is_union(hint):
        found = [_service(member) for member in get_args(hint) if member is not NoneType]
        return Union[found[0], None] if len(found) == 1 and found[0] is not None else None  # noqa: UP007  at run time
    return None


def _is_annotated(hint: Hint) -> bool:
    origin: Any = get_origin(hint)
    return origin is Annotated


def _is_union(hint: Hint) -> bool:
    origin: Any = get_origin(hint)
    return origin is Union or origin is UnionType


def _mentions(hint: Hint, kind: type) -> bool:
    return hint is kind or any(_mentions(part, kind) for part in get_args(hint))


_SELF: Final = ("self", "cls")


def _takes_self(function: Callable[..., Any]) -> bool:
    """Say whether this is a function in the body of a class, decorated before there is anything to bind it to."""
    home = str(getattr(function, "__qualname__", "")).rpartition(".")[0]
    if not inspect.isfunction(function) or not home or home.endswith("<locals>"):
        return False
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return first is not None and first.name in _SELF and first.annotation is first.empty


def _is_async(function: Any) -> bool:
    if inspect.iscoroutinefunction(function):  # looks into partials and bound methods
        return True
    return not inspect.isroutine(function) and inspect.iscoroutinefunction(type(function).__call__)


def _plain(function: Any) -> Any:
    function = inspect.unwrap(function)
    while isinstance(function, partial):
        function = inspect.unwrap(function.func)
    if inspect.ismethod(function):
        return function.__func__
    return function if inspect.isroutine(function) or isinstance(function, type) else type(function).__call__


def _refuse_generators(function: Callable[..., Any]) -> None:
    plain = _plain(function)
    if inspect.isgeneratorfunction(plain) or inspect.isasyncgenfunction(plain):
        raise UnsupportedTypeError(
            "is a generator: return a list, and say how far it is with context.report(...)", path=name_from(function)
        )


def _refuse_misfits(name: str, shown: list[inspect.Parameter], properties: set[str], *, open_ended: bool) -> None:
    """Refuse a function that could not be called with what the definition allows."""
    for parameter in shown:
        if parameter.kind is parameter.VAR_POSITIONAL:
            raise UnsupportedTypeError(f"takes *{parameter.name}, but arguments come by name: remove it", path=name)
    names = {parameter.name for parameter in shown if parameter.kind not in _STARRED}
    takes_rest = any(parameter.kind is parameter.VAR_KEYWORD for parameter in shown)
    missing = sorted(properties - names)
    if missing and not takes_rest:
        raise UnsupportedTypeError(f"has no parameter {missing[0]}, which the definition describes", path=name)
    if open_ended and not takes_rest:
        raise UnsupportedTypeError("needs **rest, because the definition allows further properties", path=name)
    for parameter in shown:
        required = parameter.default is parameter.empty and parameter.kind not in _STARRED
        if required and parameter.name not in properties:
            raise UnsupportedTypeError(
                f"needs {parameter.name}, which the definition does not describe: add it there, or give it a default",
                path=name,
            )
