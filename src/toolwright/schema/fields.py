"""Which fields a class has: dataclasses, msgspec Structs, attrs classes, TypedDicts and NamedTuples, read alike.

Each kind is told by the attributes it carries, so that nothing optional is imported. What the types of fields mean
in JSON is not known here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, Final, get_args, get_origin

import msgspec

from toolwright.errors import UnsupportedTypeError
from toolwright.schema.hints import Hint, class_hints

__all__ = ["Field", "Shape", "is_qualifier", "reader_of"]

_FRESH: tuple[Callable[[], Any], ...] = (list, dict, set, frozenset, tuple, str, int, float, bool, bytes)
# Factories that are safe to call for the default they make; others may read a clock, or cost something.

_QUALIFIERS: Final = ("Required", "NotRequired", "ReadOnly", "Final", "ClassVar", "InitVar")


class Field(msgspec.Struct, frozen=True):
    """One field: ``name`` in JSON, ``attribute`` in Python; ``default`` is ``UNSET`` where there is none to show."""

    name: str
    attribute: str
    hint: Hint
    required: bool
    default: Any = msgspec.UNSET
    computed: bool = False


class Shape(msgspec.Struct, frozen=True):
    """How a class looks in JSON: an object with these fields, or an array of them in order.

    ``tag`` is the name and value of the property that tells members of a union apart; ``extra`` the type of further
    properties, or None where there are none.
    """

    fields: tuple[Field, ...]
    as_array: bool = False
    tag: tuple[str, str | int] | None = None
    extra: Hint = None


def is_qualifier(hint: Hint) -> bool:
    """Tell whether a type is wrapped in a word about the field rather than the value, such as ``Required``."""
    origin: object = get_origin(hint)
    return origin is not None and getattr(origin, "_name", None) in _QUALIFIERS


def reader_of(kind: Any) -> Callable[[Hint, str], Shape] | None:
    """Return what reads the fields of a class, or None where it is of no kind that declares them.

    The reader takes the class or parametrised class and its place, and raises ``UnsupportedTypeError`` where the
    annotation of a field cannot be evaluated, or a field cannot be given in JSON.
    """
    if not isinstance(kind, type):
        return None
    read = next((read for mark, read in _READERS if hasattr(kind, mark)), None)
    return None if read is None else lambda hint, where: read(kind, class_hints(hint, where=where), where)


def _struct(kind: Any, hints: dict[str, Hint], _where: str) -> Shape:
    config = kind.__struct_config__
    names: tuple[str, ...] = kind.__struct_fields__
    defaults: tuple[Any, ...] = kind.__struct_defaults__
    given = (*([msgspec.NODEFAULT] * (len(names) - len(defaults))), *defaults)
    fields = (
        _field(name, attribute, hints[attribute], default, _factory(default))
        for name, attribute, default in zip(kind.__struct_encode_fields__, names, given, strict=True)
    )
    tag = (config.tag_field, config.tag) if config.tag is not None else None
    return Shape(tuple(fields), as_array=config.array_like, tag=tag)


def _dataclass(kind: Any, hints: dict[str, Hint], where: str) -> Shape:
    taken = {field.name for field in dataclasses.fields(kind)}
    for name, hint in hints.items():
        if name not in taken and name in kind.__dataclass_fields__ and isinstance(hint, dataclasses.InitVar):
            raise UnsupportedTypeError("is an InitVar, which cannot be filled from JSON", path=f"{where}.{name}")
    return Shape(
        tuple(
            _field(field.name, field.name, hints[field.name], field.default, field.default_factory, init=field.init)
            for field in dataclasses.fields(kind)
        )
    )


def _attrs(kind: Any, hints: dict[str, Hint], _where: str) -> Shape:
    return Shape(
        tuple(
            _field(
                field.name, field.name, hints.get(field.name, field.type), field.default,
                _factory(field.default), init=field.init,
            )
            for field in kind.__attrs_attrs__
        )
    )  # fmt: skip


def _typed_dict(kind: Any, hints: dict[str, Hint], _where: str) -> Shape:
    extra: Hint = getattr(kind, "__extra_items__", None)
    return Shape(
        tuple(_dict_item(name, hint, required=name in kind.__required_keys__) for name, hint in hints.items()),
        extra=None if "NoExtraItems" in repr(extra) or getattr(extra, "__name__", "") == "Never" else extra,
    )


def _dict_item(name: str, hint: Hint, *, required: bool) -> Field:
    # Where annotations are text, the class itself could not see these words.
    words = set(_qualifiers(hint))
    required = "Required" in words or (required and "NotRequired" not in words)
    return Field(name, name, hint, required)


def _qualifiers(hint: Hint) -> Iterator[str]:
    while is_qualifier(hint):
        yield str(getattr(get_origin(hint), "_name", ""))  # typing's special forms have no public name
        hint = get_args(hint)[0]


def _named_tuple(kind: Any, hints: dict[str, Hint], _where: str) -> Shape:
    defaults = kind._field_defaults
    return Shape(
        tuple(
            Field(name, name, hints.get(name, Any), name not in defaults, defaults.get(name, msgspec.UNSET))
            for name in kind._fields
        ),
        as_array=True,
    )


_READERS: Final[tuple[tuple[str, Callable[[Any, dict[str, Hint], str], Shape]], ...]] = (
    ("__struct_fields__", _struct),
    ("__dataclass_fields__", _dataclass),
    ("__attrs_attrs__", _attrs),
    ("__required_keys__", _typed_dict),
    ("_field_defaults", _named_tuple),
)


def _is_given(default: object) -> bool:
    missing = default is msgspec.NODEFAULT or default is dataclasses.MISSING or type(default).__name__ == "_Nothing"
    return not missing


def _factory(default: Any) -> Any:
    """Return the factory in the mark that Structs and attrs classes keep instead of a default."""
    return default.factory if type(default).__name__ == "Factory" else dataclasses.MISSING


def _field(name: str, attribute: str, hint: Hint, default: Any, factory: Any, *, init: bool = True) -> Field:
    made = _is_given(factory)
    optional = made or _is_given(default)
    shown: Any = default if optional and not made else msgspec.UNSET
    if made:
        shown = next((fresh() for fresh in _FRESH if fresh is factory), msgspec.UNSET)
    return Field(name, attribute, hint, required=init and not optional, default=shown, computed=not init)
