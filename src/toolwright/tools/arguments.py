"""Arguments as the types that a function is annotated with.

A reader is made once for a function and used for each call. It builds dataclasses, dates, paths and models of libraries
out of JSON, and fills in the function's own defaults. Whether arguments are valid is for the schema to say; a reader
refuses only what it cannot build.

This module knows types and JSON, and nothing of tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import partial
from pathlib import Path, PurePath
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    LiteralString,
    NamedTuple,
    NewType,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

import msgspec

from toolwright.errors import PathOutsideWorkspaceError, UnsupportedTypeError
from toolwright.schema.hints import Hint, name_of
from toolwright.schema.report import ValidationIssue, ValidationReport
from toolwright.values import thaw

__all__ = ["REQUIRED", "ArgumentReader", "Field", "UnfitArguments"]

REQUIRED: Final = msgspec.NODEFAULT
"""Stands for the default of an argument that has to be given."""

_Resolve = Callable[[PurePath], Path]
_Build = Callable[[type, Any], Any]
_SCALARS: Final[frozenset[type]] = frozenset([str, int, float, bool, type(None)])


class Field(NamedTuple):
    """One parameter of a function: its name, its type, and the default that Python has for it."""

    name: str
    hint: Hint
    default: Any = REQUIRED


class UnfitArguments(Exception):  # noqa: N818  a signal inside this room: the report goes into the outcome
    """The arguments cannot be made what the function takes."""

    def __init__(self, report: ValidationReport) -> None:
        super().__init__()
        self.report = report


class _Slot(NamedTuple):
    """How one argument is made: values of these classes are taken as they are, others become ``kind``."""

    plain: frozenset[type]
    kind: Hint
    hint: Hint


class ArgumentReader:
    """Makes a function's keyword arguments out of JSON.

    ``rest`` lets further arguments through, as they are. Paths go through ``resolve`` where the call has one.

    Raises:
        UnsupportedTypeError: No value of a type can be built from JSON; the text says what to use.
    """

    def __init__(self, fields: Iterable[Field], *, where: str, rest: bool = False) -> None:
        fields = tuple(fields)
        self._slots = {
            field.name: _Slot(_plain_classes(field.hint), _buildable(field.hint, where, field.name), field.hint)
            for field in fields
        }
        # A default is shared by all calls, as Python does.
        self._defaults = {field.name: field.default for field in fields if field.default is not REQUIRED}
        self._rest = rest

    def read(self, arguments: Mapping[str, Any], resolve: _Resolve | None = None) -> dict[str, Any]:
        """Return the keyword arguments for one call.

        Raises:
            UnfitArguments: A value does not fit its type, one is missing, or one is not known.
        """
        named = self._defaults.copy()
        for name, value in arguments.items():
            slot = self._slots.get(name)
            if slot is None:
                named[name] = self._further(name, value)
            elif value.__class__ in slot.plain:
                named[name] = value
            else:
                named[name] = _built(name, value, slot, resolve)
        if len(named) < len(self._slots):
            missing = (ValidationIssue.required(name) for name in self._slots if name not in named)
            raise UnfitArguments(ValidationReport.invalid(*missing))
        return named

    def _further(self, name: str, value: Any) -> Any:
        if not self._rest:
            raise UnfitArguments(ValidationReport.invalid(ValidationIssue.additional_property(name)))
        return thaw(value)


def _built(name: str, value: Any, slot: _Slot, resolve: _Resolve | None) -> Any:
    build: _Build = _build if resolve is None else partial(_build_within, resolve)
    plain = thaw(value)
    try:
        return msgspec.convert(plain, slot.kind, dec_hook=build, str_keys=True)
    except msgspec.ValidationError:
        pass
    try:  # with 5.0 read as 5: to JSON Schema it is an integer as well
        return msgspec.convert(_whole(plain), slot.kind, dec_hook=build, str_keys=True)
    except msgspec.ValidationError as error:
        path, leads_out = name + _place(str(error)), isinstance(error.__cause__, PathOutsideWorkspaceError)
    if leads_out:
        raise UnfitArguments(ValidationReport.invalid(ValidationIssue.path_outside_workspace(path)))
    raise UnfitArguments(
        ValidationReport.invalid(ValidationIssue.invalid_value(path, f"does not fit {name_of(slot.hint)}"))
    )


def _plain_classes(hint: Hint) -> frozenset[type]:
    """Return the classes whose values are taken as they are: those that JSON has, and that are not looked into."""
    origin: Any = get_origin(hint)
    if origin is Annotated:
        return _plain_classes(get_args(hint)[0])  # what is said about it, the schema has checked
    if origin is Union or origin is UnionType:
        members = [_plain_classes(member) for member in get_args(hint)]
        found = {kind for classes in members for kind in classes}
        # Beside a type that is written as text, a text says nothing about which of them is meant.
        return frozenset(found if all(members) else found & {type(None)})
    if hint in (Any, object):
        return _SCALARS
    return frozenset([hint]) if hint in _SCALARS else frozenset()


def _place(error: str) -> str:
    """Return where a value did not fit. Nothing else of the text is used: it may quote the value."""
    _, found, place = error.rpartition(" - at `$")
    return place.rstrip("`") if found else ""


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def _build(kind: Any, value: Any) -> Any:
    """Build what msgspec does not know: paths, models of pydantic, and one of several alternatives."""
    if _is_path(kind) and isinstance(value, str):
        return kind(value)
    return _build_other(kind, value, _build)


def _build_within(resolve: _Resolve, kind: Any, value: Any) -> Any:
    if _is_path(kind) and isinstance(value, str):
        return kind(resolve(kind(value)))
    return _build_other(kind, value, partial(_build_within, resolve))


def _is_path(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, PurePath)


def _build_other(kind: Any, value: Any, build: _Build) -> Any:
    if kind is object:  # which says no more than Any
        return value
    if kind is Iterable or get_origin(kind) is Iterable:
        array: Any = list
        return msgspec.convert(value, array[get_args(kind) or Any], dec_hook=build, str_keys=True)
    if issubclass(kind, _OneOf):
        return kind.choose(value, build)
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)
    raise ValueError("cannot be built from JSON")


class _Anything(type):
    """The type of classes that everything is an instance of: msgspec looks at what it was given for one."""

    def __instancecheck__(cls, instance: object) -> bool:
        return True


class _OneOf(metaclass=_Anything):
    """Stands for a union whose members msgspec cannot tell apart: they are tried, the particular ones first."""

    members: ClassVar[tuple[Hint, ...]] = ()

    @classmethod
    def choose(cls, value: Any, build: _Build) -> Any:
        names = set(cast("dict[str, Any]", value)) if isinstance(value, dict) else set[str]()
        for member in sorted(cls.members, key=lambda member: not names <= _field_names(member, names)):
            try:
                return msgspec.convert(value, member, dec_hook=build, str_keys=True)
            except (msgspec.ValidationError, ValueError, TypeError):
                continue
        raise ValueError("fits none of the alternatives")


class _MemberOf(_OneOf):
    """Stands for an enumeration whose values are of several kinds, or fractions: msgspec builds none."""

    @classmethod
    def choose(cls, value: Any, build: _Build) -> Any:
        del build
        [kind] = cls.members
        return kind(value)


def _field_names(member: Hint, otherwise: set[str]) -> set[str]:
    """Return the names of a class's fields; of what is no such class, what lets it pass."""
    origin: Any = get_origin(member)
    kind = member if origin is None else origin
    for attribute in ("__struct_encode_fields__", "__dataclass_fields__", "model_fields", "__annotations__"):
        found = getattr(kind, attribute, None)
        if found is not None:
            return set(found)
    return otherwise


def _buildable(hint: Hint, where: str, name: str) -> Hint:
    """Return a type, or a stand-in for it, that msgspec can build.

    Raises:
        UnsupportedTypeError: There is none.
    """
    for candidate in (hint, _stand_in(hint)):
        try:
            msgspec.json.Decoder(candidate, dec_hook=_build)
        except (TypeError, ValueError, NameError, AttributeError, RecursionError):
            continue
        return candidate
    raise UnsupportedTypeError(
        f"cannot be built from JSON as {name_of(hint)}: inside a class, give a union one of each kind and an enum "
        "values of one kind; or take a dict",
        path=f"{where}({name})",
    )


def _stand_in(hint: Hint) -> Hint:
    """Return a type with its unions replaced by what tries their members one by one, and its enums likewise."""
    origin: Any = get_origin(hint)
    arguments = get_args(hint)
    if origin is Annotated:
        return _stand_in(arguments[0])  # what is said about it, the schema has checked
    if isinstance(hint, NewType):
        return _stand_in(hint.__supertype__)
    if hint is LiteralString:
        return str
    if isinstance(hint, TypeVar) and hint.__constraints__:
        return _stand_in(Union[hint.__constraints__])  # noqa: UP007  built at run time
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _Anything("MemberOf", (_MemberOf,), {"members": (hint,)})
    if origin is Union or origin is UnionType:
        members = tuple(_stand_in(member) for member in arguments if member is not type(None))
        members = tuple(sorted(members, key=_particular))
        choice: Any = _Anything("OneOf", (_OneOf,), {"members": members})
        return Union[choice, None] if len(members) < len(arguments) else choice  # noqa: UP007  built at run time
    if not arguments:
        return hint  # pyright: ignore[reportUnknownVariableType]
    try:
        return origin[tuple(argument if argument is ... else _stand_in(argument) for argument in arguments)]
    except TypeError:  # Literal and the like: their arguments are no types
        return hint  # pyright: ignore[reportUnknownVariableType]


def _particular(member: Hint) -> int:
    """Return where a member stands in the order of trying: text fits nearly everything, and anything fits all."""
    return 2 if member in (Any, object) else 1 if member is str else 0
