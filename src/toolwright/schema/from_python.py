"""JSON Schemas of Python types.

A type becomes the schema that accepts what conversion to the type accepts, written so that a model reads it best: a
type that is used once stands where it is used; what is used more often, or contains itself, is a definition. Objects
are closed: nothing but their fields may be given.

This module knows types, and nothing of functions (from_signature.py), providers or validation.
"""

from __future__ import annotations

import types
from collections import abc
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Annotated, Any, Final, ForwardRef, Literal, NewType, TypeVar, Union, get_args, get_origin

import msgspec

from toolwright.errors import NotJsonError, UnsupportedTypeError
from toolwright.schema.class_docs import add_field_texts, class_summary
from toolwright.schema.definitions import Definitions
from toolwright.schema.fields import Field, Shape, is_qualifier, reader_of
from toolwright.schema.hints import Hint, alias_value, name_of
from toolwright.schema.metadata import apply_metadata, read_metadata
from toolwright.schema.pydantic_models import is_pydantic, model_document
from toolwright.schema.scalars import enumeration, is_enum, kind_of_value, literal_values, members_of, scalar
from toolwright.values import freeze, join_path, thaw

__all__ = ["Describer", "describe", "json_default"]

_Schema = dict[str, Any]

_ARRAYS: Final = (list, tuple, abc.Sequence, abc.MutableSequence, abc.Collection, abc.Iterable)
_SETS: Final = (set, frozenset, abc.Set, abc.MutableSet)
_MAPPINGS: Final = (dict, abc.Mapping, abc.MutableMapping)

_EVERY_KIND: Final = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})

_SHORT_ENUM: Final = 20
# Values that are written out wherever they are allowed: a reader need not look them up.

_USUAL_ADVICE: Final = "use a dataclass, a msgspec.Struct, a TypedDict or a pydantic model with annotated fields"
_ADVICE: Final[tuple[tuple[Any, str], ...]] = (
    (get_origin(Callable[[], None]), "take a name, and choose the function by it"),
    (type, "take a name, and choose the class by it"),
    (complex, "use two numbers"),
    (range, "use two integers"),
    (abc.Iterator, "use a list"),
    (abc.Generator, "use a list"),
    (abc.AsyncIterator, "use a list"),
    (abc.AsyncIterable, "use a list"),
)


def describe(hint: Hint) -> _Schema:
    """Return the JSON Schema of a type as a plain document; definitions are under ``$defs``.

    Raises:
        UnsupportedTypeError: The type, or one inside it, has no JSON Schema; the text names it and says what to use.
    """
    describer = Describer()
    try:
        return describer.finish(describer.schema(hint, name_of(hint)))
    except RecursionError:
        raise UnsupportedTypeError("is nested too deeply, or without end", path=name_of(hint)) from None


def json_default(value: object) -> Any:
    """Return a default as JSON, or ``UNSET`` where JSON cannot express it."""
    try:
        return thaw(freeze(msgspec.to_builtins(value, str_keys=True, order="deterministic", enc_hook=_default_part)))
    except (TypeError, ValueError, NotJsonError, RecursionError):
        return msgspec.UNSET


def _default_part(value: Any) -> Any:
    if isinstance(value, PurePath):
        return str(value)
    if hasattr(value, "model_dump"):  # pydantic's
        return value.model_dump(mode="json")
    raise TypeError


class Describer:
    """Describes types that go into one document: :meth:`schema` for each, then :meth:`finish` for the whole."""

    def __init__(self) -> None:
        self._definitions = Definitions()
        self._names: dict[Any, str] = {}

    def finish(self, root: _Schema) -> _Schema:
        """Return the document of a schema: what is used once is put in place, the rest becomes definitions."""
        return self._definitions.settle(root)

    def schema(self, hint: Hint, where: str) -> _Schema:
        """Return the schema of a type, which may refer to definitions that :meth:`finish` adds.

        Raises:
            UnsupportedTypeError: It has none.
        """
        simple = scalar(hint)
        if simple is not None:
            return simple
        origin: Any = get_origin(hint)
        if origin is Annotated:
            schema = self.schema(hint.__origin__, where)
            self.annotate(schema, read_metadata(hint.__metadata__), where)
            return schema
        if origin is Union or origin is types.UnionType:
            return self._union(get_args(hint), where)
        if origin is Literal:
            return enumeration(literal_values(hint, where))
        if isinstance(hint, NewType):
            return self.schema(hint.__supertype__, where)
        if isinstance(hint, TypeVar):
            return self._parameter(hint, where)
        if is_qualifier(hint):
            return self.schema(get_args(hint)[0], where)
        if hasattr(origin or hint, "__value__"):  # what ``type X = ...`` makes
            return self._named(hint, lambda: self.schema(alias_value(hint, where=where), where))
        return self._class(hint, origin or hint, where)

    def _class(self, hint: Hint, kind: Any, where: str) -> _Schema:
        if kind in _ARRAYS or kind in _SETS:
            return self._array(hint, kind, where)
        if kind in _MAPPINGS:
            return self._mapping(get_args(hint), where)
        if is_enum(kind):
            schema = _summarized(members_of(kind, where), kind)
            return schema if len(schema.get("enum", ())) <= _SHORT_ENUM else self._named(kind, lambda: schema)
        if is_pydantic(kind):
            return self._named(kind, lambda: self._model(kind, self._names[kind], where))
        read = reader_of(kind)
        if read is not None:
            return self._named(hint, lambda: self._fields(kind, read(hint, where), where))
        name = name_of(hint)
        raise UnsupportedTypeError(f"{name} {_advice(kind)}", path=where if where != name else "")

    def annotate(self, schema: _Schema, found: Mapping[str, Any], where: str) -> None:
        """Add what was found beside a type to its schema.

        Raises:
            UnsupportedTypeError: A constraint has no meaning for the type.
        """
        if found:
            apply_metadata(schema, found, kinds=self.kinds(schema), where=where)

    def show_default(self, schema: _Schema, value: object) -> None:
        """Add a default, where JSON can express it; an unfitting None merely means that nothing was given."""
        shown = msgspec.UNSET if value is msgspec.UNSET else json_default(value)
        if shown is not msgspec.UNSET and (shown is not None or "null" in self.kinds(schema)):
            schema["default"] = shown

    def kinds(self, schema: _Schema) -> set[str]:
        """Return the JSON types that a schema allows."""
        if "$ref" in schema:
            body = self._definitions.bodies.get(self._definitions.target(schema))
            return self.kinds(body) if body else {"object"}  # what is not finished yet is a class
        if "anyOf" in schema:
            return set[str]().union(*map(self.kinds, schema["anyOf"]))
        if "type" in schema:
            return {schema["type"]} if isinstance(schema["type"], str) else set(schema["type"])
        values = schema.get("enum", [schema["const"]] if "const" in schema else None)
        return set(_EVERY_KIND) if values is None else set(map(kind_of_value, values))

    def _union(self, members: tuple[Hint, ...], where: str) -> _Schema:
        schemas: list[_Schema] = []
        for member in members:
            schema = self.schema(member, where) if member is not msgspec.UnsetType else None
            if schema is not None and schema not in schemas:
                schemas.append(schema)
        return _any_of(schemas)

    def _parameter(self, hint: Any, where: str) -> _Schema:
        if hint.__bound__ is not None:
            return self.schema(hint.__bound__, where)
        if hint.__constraints__:
            return self._union(hint.__constraints__, where)
        raise UnsupportedTypeError(
            f"the type parameter {hint.__name__} stands for nothing here: give it a type, as in Box[int], or a bound",
            path=where,
        )

    def _array(self, hint: Hint, kind: Any, where: str) -> _Schema:
        items = get_args(hint)
        if kind is tuple and hasattr(hint, "__args__") and items[-1:] != (Ellipsis,):
            return _fixed([self.schema(item, f"{where}[{index}]") for index, item in enumerate(items)], len(items))
        schema = self.schema(items[0], f"{where}[]") if items else {}
        unique: _Schema = {"uniqueItems": True} if kind in _SETS else {}
        return {"type": "array", **({"items": schema} if schema else {}), **unique}

    def _mapping(self, arguments: tuple[Hint, ...], where: str) -> _Schema:
        key, value = arguments or (Any, Any)
        names = self._property_names(key, where)
        limit: _Schema = {"propertyNames": names} if names else {}
        return {"type": "object", **limit, "additionalProperties": self.schema(value, f"{where}[]")}

    def _property_names(self, key: Hint, where: str) -> _Schema:
        """Return the schema of a mapping's keys, which in JSON are always text."""
        schema = self.schema(key, where)
        kinds = self.kinds(schema)
        if not schema or kinds == {"string"}:
            return {} if schema == {"type": "string"} else schema
        if schema == {"type": "integer"}:
            return {"pattern": "^(0|-?[1-9][0-9]*)$"}
        values = self._definitions.bodies.get(self._definitions.target(schema), {}) if "$ref" in schema else schema
        if kinds <= {"string", "integer"} and "enum" in values:
            return {"enum": [str(value) for value in values["enum"]]}
        raise UnsupportedTypeError(f"{name_of(key)} cannot be a key: the keys of JSON objects are text", path=where)

    def _fields(self, kind: Any, shape: Shape, where: str) -> _Schema:
        schemas = {field.attribute: self._field(field, join_path(where, field.attribute)) for field in shape.fields}
        add_field_texts(kind, schemas)
        tag: _Schema = {shape.tag[0]: {"const": shape.tag[1]}} if shape.tag else {}
        required = [*tag, *(field.name for field in shape.fields if field.required)]
        if shape.as_array:
            return _summarized(_fixed([*tag.values(), *schemas.values()], len(required)), kind)
        extra = shape.extra is not None and self.schema(shape.extra, f"{where}[]")
        return _summarized(
            {
                "type": "object",
                "properties": tag | {field.name: schemas[field.attribute] for field in shape.fields},
                **({"required": required} if required else {}),
                "additionalProperties": extra,
            },
            kind,
        )

    def _field(self, field: Field, where: str) -> _Schema:
        schema = self.schema(field.hint, where)
        self.show_default(schema, field.default)
        if field.computed:
            schema["readOnly"] = True
        return schema

    def _model(self, kind: Any, name: str, where: str) -> _Schema:
        document = model_document(kind, add_field_texts, where=where)
        return self._definitions.adopt(document, name=name, reserved=True)

    def _named(self, hint: Hint, build: Callable[[], _Schema]) -> _Schema:
        """Return a reference to the definition of a type, which is made when the type is first met."""
        key = _key(hint)
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = self._definitions.reserve(name_of(hint))
            self._definitions.bodies[name] = build()
        return self._definitions.refer(name)


def _key(hint: Hint) -> Any:
    try:
        hash(hint)
    except TypeError:  # annotated with something that cannot be hashed
        return id(hint)
    return hint


def _advice(kind: Any) -> str:
    if isinstance(kind, (str, ForwardRef)):
        return "is text: write the type itself, for text is read only in annotations"
    return f"has no JSON Schema: {next((advice for known, advice in _ADVICE if known is kind), _USUAL_ADVICE)}"


def _summarized(schema: _Schema, kind: type) -> _Schema:
    summary = class_summary(kind)
    return {"type": schema.pop("type"), "description": summary, **schema} if summary and "type" in schema else schema


def _fixed(items: list[_Schema], least: int) -> _Schema:
    """Return the schema of an array with these items, of which the first ``least`` are needed."""
    schema: _Schema = {"type": "array"}
    if items:
        alike = all(item == items[0] for item in items)
        schema |= {"items": items[0]} if alike else {"prefixItems": items}
    return {**schema, "minItems": least, "maxItems": len(items)}


def _any_of(schemas: list[_Schema]) -> _Schema:
    """Return the schema of a union in its shortest form: a list of types where that says it all."""
    if {} in schemas:
        return {}
    if len(schemas) == 1:
        return schemas[0]
    if all(schema.keys() == {"type"} and isinstance(schema["type"], str) for schema in schemas):
        return {"type": [schema["type"] for schema in schemas]}
    rest = [schema for schema in schemas if schema != {"type": "null"}]
    if len(rest) == 1 < len(schemas) and rest[0].keys().isdisjoint({"$ref", "anyOf", "const"}):
        return _nullable(rest[0])
    return {"anyOf": schemas}


def _nullable(schema: _Schema) -> _Schema:
    kinds = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    allowed: _Schema = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, **({"type": [*kinds, "null"]} if kinds else {}), **allowed}
