"""What a function's signature says: the schema of its arguments, and of its result.

Types, defaults and ``Annotated`` come first; docstrings fill in the descriptions that are missing. A source file is
never read for a function.

This module knows functions and the schemas of types, and nothing of tools.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias, final, get_args, get_origin

import msgspec

from toolwright.errors import UnsupportedTypeError
from toolwright.schema import docstrings
from toolwright.schema.from_python import Describer, describe
from toolwright.schema.hints import Hint, function_hints
from toolwright.schema.metadata import read_metadata
from toolwright.schema.parts import children

__all__ = ["Described", "Skip", "describe_signature"]

Skip: TypeAlias = Callable[[inspect.Parameter, Hint], bool]
"""What says of a parameter and its evaluated annotation that the model is not to see it."""

_LISTS: Final = {
    inspect.Parameter.VAR_POSITIONAL: ("*", "a list: items: list[int]"),
    inspect.Parameter.VAR_KEYWORD: ("**", "a dictionary: options: dict[str, str]"),
}
_AWAITED: Final = ("Awaitable", "Coroutine")


@final
class Described(msgspec.Struct, frozen=True):
    """What a signature says.

    ``parameters`` is the JSON Schema of the arguments as one object, ``description`` the docstring without its
    sections, ``returns`` the schema of the result or None where nothing is promised, and ``hints`` the evaluated
    annotation of every parameter, skipped ones included, and of the result under ``return``.
    """

    parameters: dict[str, Any]
    description: str
    returns: dict[str, Any] | None
    hints: dict[str, Hint]


def _shows_all(_parameter: inspect.Parameter, _hint: Hint) -> bool:
    return False


def describe_signature(function: Callable[..., Any], *, skip: Skip = _shows_all) -> Described:
    """Return what a function's signature says; parameters for which ``skip`` is true are not shown to the model.

    Bound methods, partials, wrapped functions and objects with ``__call__`` are read as what they call. Parameters that
    can only be given by position are described like the others; whoever calls has to keep the order.

    Raises:
        UnsupportedTypeError: A parameter has no annotation, no JSON Schema for it, or stands for any number of
            arguments; the text says what to write instead.
    """
    plain, name = _plain(function), _name(function)
    hints = function_hints(plain, where=name)
    docs = docstrings.parse(_doc(function, plain))
    describer = Describer()
    try:
        root = _arguments(function, name, hints, docs, describer, skip)
        return Described(describer.finish(root), docs.description, _result(hints.get("return"), docs.returns), hints)
    except RecursionError:
        raise UnsupportedTypeError("has a type that is nested too deeply, or without end", path=name) from None


def _arguments(
    function: Callable[..., Any],
    name: str,
    hints: dict[str, Hint],
    docs: docstrings.Docstring,
    describer: Describer,
    skip: Skip,
) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in _signature(function, name).parameters.values():
        hint = hints.get(parameter.name, parameter.annotation)
        if skip(parameter, hint):
            continue
        _refuse_what_cannot_be_named(parameter, hint, name)
        schema = describer.schema(hint, parameter.name)
        if _add_default(describer, schema, parameter):
            required.append(parameter.name)
        if "description" not in schema and (text := docs.parameters.get(parameter.name)):
            schema["description"] = text
        properties[parameter.name] = schema
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _add_default(describer: Describer, schema: dict[str, Any], parameter: inspect.Parameter) -> bool:
    """Show the default of a parameter, and tell whether it has to be given."""
    default = parameter.default
    if type(default).__name__ == "FieldInfo":  # pydantic's Field(...), written where the default stands
        describer.annotate(schema, read_metadata([default]), parameter.name)
        required = bool(default.is_required())
        if default.default_factory is None and not required:
            describer.show_default(schema, default.default)
        return required
    if default is parameter.empty:
        return True
    describer.show_default(schema, default)
    return False


def _refuse_what_cannot_be_named(parameter: inspect.Parameter, hint: Hint, name: str) -> None:
    if parameter.kind in _LISTS:
        stars, instead = _LISTS[parameter.kind]
        raise UnsupportedTypeError(
            f"takes {stars}{parameter.name}, which has no JSON Schema: take {instead}", path=name
        )
    if hint is parameter.empty:
        raise UnsupportedTypeError(
            f"has no annotation: write {parameter.name}: str, or another type (Any for anything)",
            path=f"{name}({parameter.name})",
        )


def _result(hint: Hint, text: str) -> dict[str, Any] | None:
    """Return the schema of a result, or None where the annotation promises nothing that can be described."""
    while getattr(get_origin(hint), "__name__", "") in _AWAITED and get_args(hint):
        hint = get_args(hint)[-1]
    if hint is None or hint is types.NoneType:
        return None
    try:
        schema = describe(hint)
    except UnsupportedTypeError:
        return None
    if not schema:
        return None
    _allow_any_time(schema)
    return {**schema, "description": text} if text and "description" not in schema else schema


def _allow_any_time(schema: dict[str, Any]) -> None:
    # What comes in must say which time it means. What a tool gives back is as its author made it, often without an
    # offset, which the format does not allow.
    if schema.get("format") == "date-time":
        del schema["format"]
    for inner in children(schema):
        _allow_any_time(inner)


def _signature(function: Callable[..., Any], name: str) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        raise UnsupportedTypeError("has no signature that can be read: wrap it in a function", path=name) from None


def _plain(function: Any) -> Any:
    """Return the plain function in which annotations are written."""
    while True:
        if isinstance(function, partial):
            function = function.func
        elif inspect.ismethod(function):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif isinstance(function, type):
            function = inspect.getattr_static(function, "__init__")
        elif not inspect.isroutine(function):
            function = type(function).__call__
        else:
            return function


def _name(function: Any) -> str:
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def _doc(function: Any, plain: Any) -> str | None:
    """Return the docstring: of the object itself, if it has one of its own, or of what it calls."""
    while isinstance(function, partial):
        function = function.func
    own = inspect.getdoc(function) if inspect.isroutine(function) or "__doc__" in type(function).__dict__ else None
    return own or inspect.getdoc(plain)
