"""Schemas written by hand: one method for each kind of property, checked as it is written.

A property that contradicts itself (a minimum above the maximum, a default that does not fit) is refused at once, by
name, and not when the first call fails.

This module knows schemas, and nothing of types or tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Self, TypeAlias, Unpack, final, get_origin

from toolwright.errors import InvalidSchemaError, NotJsonError
from toolwright.schema.definitions import Definitions
from toolwright.schema.options import (
    ArrayOptions,
    ChoiceOptions,
    NumberOptions,
    ObjectOptions,
    PathOptions,
    PropertyOptions,
    StringOptions,
)
from toolwright.schema.scalars import kind_of_value
from toolwright.schema.schema import Schema
from toolwright.values import encode, freeze, thaw

__all__ = ["Items", "SchemaBuilder"]


_KEYWORDS: Final = {
    "examples": "examples", "deprecated": "deprecated", "title": "title", "pattern": "pattern", "format": "format",
    "min_length": "minLength", "max_length": "maxLength", "enum": "enum", "minimum": "minimum", "maximum": "maximum",
    "exclusive_minimum": "exclusiveMinimum", "exclusive_maximum": "exclusiveMaximum", "multiple_of": "multipleOf",
    "min_items": "minItems", "max_items": "maxItems", "unique": "uniqueItems", "min_properties": "minProperties",
    "max_properties": "maxProperties",
}  # fmt: skip
_OTHERS: Final = {"required", "default", "nullable"}
_RANGES: Final = (
    ("minLength", "maxLength", False), ("minItems", "maxItems", False), ("minProperties", "maxProperties", False),
    ("minimum", "maximum", False), ("exclusiveMinimum", "maximum", True), ("minimum", "exclusiveMaximum", True),
    ("exclusiveMinimum", "exclusiveMaximum", True),
)  # fmt: skip
_COUNTS: Final = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_FLAGS: Final = ("deprecated", "uniqueItems")


@final
class SchemaBuilder:
    """Builds the schema of an object, property by property; each method returns the builder.

    Only the properties named may be given, in nested objects too, unless :meth:`allow_additional` says otherwise.
    Every method raises :class:`~toolwright.errors.InvalidSchemaError` for a property that is there already, or that
    contradicts itself.
    """

    def __init__(self) -> None:
        self._description = ""
        self._properties: dict[str, dict[str, Any]] = {}
        self._required: list[str] = []
        self._additional: bool | dict[str, Any] = False
        self._definitions = Definitions()

    def describe(self, text: str) -> Self:
        """Say what the object as a whole is."""
        self._description = text
        return self

    def string(self, name: str, description: str = "", **options: Unpack[StringOptions]) -> Self:
        """Add text; the options are those of :class:`StringOptions`."""
        return self._add(name, {"type": "string"}, description, options, StringOptions)

    def integer(self, name: str, description: str = "", **options: Unpack[NumberOptions]) -> Self:
        """Add a whole number; the options are those of :class:`NumberOptions`."""
        return self._add(name, {"type": "integer"}, description, options, NumberOptions)

    def number(self, name: str, description: str = "", **options: Unpack[NumberOptions]) -> Self:
        """Add a number; the options are those of :class:`NumberOptions`."""
        return self._add(name, {"type": "number"}, description, options, NumberOptions)

    def boolean(self, name: str, description: str = "", **options: Unpack[PropertyOptions]) -> Self:
        """Add true or false; the options are those of :class:`PropertyOptions`."""
        return self._add(name, {"type": "boolean"}, description, options, PropertyOptions)

    def enum(self, name: str, description: str, values: Iterable[Any], **options: Unpack[ChoiceOptions]) -> Self:
        """Add one of a few values, of any type; the options are those of :class:`ChoiceOptions`."""
        choices = _choices(values, name)
        kinds = list(dict.fromkeys(map(kind_of_value, choices)))
        simple = "object" not in kinds
        kind = {"type": kinds[0] if len(kinds) == 1 else kinds} if simple else {}
        return self._add(name, {**kind, "enum": choices}, description, options, ChoiceOptions)

    def path(
        self, name: str, description: str = "", *, must_exist: bool = False, **options: Unpack[PathOptions]
    ) -> Self:
        """Add the path of a file or folder, which is resolved in the workspace before the tool sees it.

        With ``must_exist`` the call is refused where nothing is there. The options are those of :class:`PathOptions`.
        """
        schema: dict[str, Any] = {"type": "string", "format": "path"}
        if must_exist:
            schema["x-must-exist"] = True
            description = f"{description} (must exist)".lstrip()
        return self._add(name, schema, description, options, PathOptions)

    def string_array(self, name: str, description: str = "", **options: Unpack[ArrayOptions]) -> Self:
        """Add a list of texts; the options are those of :class:`ArrayOptions`."""
        return self._add(name, {"type": "array", "items": {"type": "string"}}, description, options, ArrayOptions)

    def array(
        self, name: str, description: str = "", *, items: Items | None = None, **options: Unpack[ArrayOptions]
    ) -> Self:
        """Add a list; the options are those of :class:`ArrayOptions`.

        ``items`` is a schema, a mapping that is one, a type that has one, or a function that is handed a builder for
        items that are objects.
        """
        schema: dict[str, Any] = {"type": "array"}
        if items is not None:
            schema["items"] = self._item(items, name)
        return self._add(name, schema, description, options, ArrayOptions)

    def object(
        self, name: str, description: str, configure: Callable[[SchemaBuilder], Any], **options: Unpack[ObjectOptions]
    ) -> Self:
        """Add an object whose properties ``configure`` adds to the builder it is handed.

        The options are those of :class:`ObjectOptions`.
        """
        if _is_type(configure) or not callable(configure):
            raise TypeError(f"{name}: a function belongs here that adds properties to the builder it is handed")
        return self._add(name, self._nested(configure), description, options, ObjectOptions)

    def allow_additional(self, allowed: bool | Schema | Mapping[str, Any] = True) -> Self:
        """Allow properties that are not named here: any, or with a schema those that fit it."""
        self._additional = allowed if isinstance(allowed, bool) else self._item(allowed, "allow_additional")
        return self

    def build(self) -> Schema:
        """Return the schema as it is now; what the builder does afterwards does not change it."""
        document = self._document()
        return Schema({**document, **self._definitions.used_in(document)})

    def _document(self) -> dict[str, Any]:
        return {
            "type": "object",
            **({"description": self._description} if self._description else {}),
            "properties": dict(self._properties),
            **({"required": list(self._required)} if self._required else {}),
            "additionalProperties": self._additional,
        }

    def _nested(self, configure: Callable[[SchemaBuilder], Any]) -> dict[str, Any]:
        inner = SchemaBuilder()
        inner._definitions = self._definitions
        configure(inner)
        return inner._document()

    def _item(self, items: Items, name: str) -> dict[str, Any]:
        if callable(items) and not _is_type(items):
            return self._nested(items)
        try:
            described: Any = Schema.of(items) if _is_type(items) else items
            document = (described if isinstance(described, Schema) else Schema(described)).to_dict()
        except InvalidSchemaError as error:
            raise _fault(name, f"items: {error}") from None
        if "2020-12" in document.get("$schema", ""):
            del document["$schema"]  # it is the dialect of the whole; any other may not stand inside, and is refused
        return self._definitions.adopt(document, name=name)

    def _add(self, name: str, schema: dict[str, Any], description: str, options: Mapping[str, Any], known: Any) -> Self:
        unknown = options.keys() - (known.__required_keys__ | known.__optional_keys__)
        if unknown:
            raise TypeError(f"{name}: there is no option {min(unknown)!r} for this kind of property")
        if not name:
            raise _fault("", "the name of a property has at least one character")
        if name in self._properties:
            raise _fault(name, "is there already: every property has a name of its own")
        finished = _finish(name, schema, description, options)
        _check_values(name, finished, self._definitions.used_in(finished))
        self._properties[name] = finished
        if options.get("required"):
            self._required.append(name)
        return self


Items: TypeAlias = Schema | Mapping[str, Any] | type[Any] | Callable[[SchemaBuilder], Any]
"""What may describe the items of an array: a schema, a mapping or a type that has one, or what fills a builder."""


def _is_type(value: object) -> bool:
    """Say whether this is a type, which can be called as well, but not to fill a builder: ``str`` takes anything."""
    return isinstance(value, type) or get_origin(value) is not None


def _fault(name: str, problem: str) -> InvalidSchemaError:
    return InvalidSchemaError(problem, code="invalid_schema", path=name)


def _choices(values: Iterable[Any], name: str) -> list[Any]:
    """Return the values of an enum as JSON: at least one, and none twice."""
    choices: list[Any] = _as_json(list(values), name, "enum")
    if not choices:
        raise _fault(name, "enum: needs at least one value")
    if len({encode(choice, canonical=True) for choice in choices}) < len(choices):
        raise _fault(name, "enum: has a value twice")
    return choices


def _as_json(value: Any, name: str, keyword: str) -> Any:
    try:
        return thaw(freeze(value))
    except NotJsonError as error:
        raise _fault(name, f"{keyword}: {error.problem}") from None


def _finish(name: str, schema: dict[str, Any], description: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a property with all that is said of it, or refuse what contradicts itself."""
    keywords = {
        _KEYWORDS[option]: value
        for option, value in options.items()
        if option in _KEYWORDS and value is not None and value is not False
    }
    for keyword in ("enum", "examples"):
        if keyword in keywords:
            keywords[keyword] = _choices(keywords[keyword], name) if keyword == "enum" else list(keywords[keyword])
    schema = {**schema, **({"description": description} if description else {}), **keywords}
    _check_bounds(name, schema)
    if options.get("nullable"):
        _allow_null(schema)
    if "default" in options:
        if options.get("required"):
            raise _fault(name, "is required, so it cannot have a default")
        schema["default"] = options["default"]
    for keyword in ("default", "examples"):
        if keyword in schema:
            schema[keyword] = _as_json(schema[keyword], name, keyword)
    return schema


def _allow_null(schema: dict[str, Any]) -> None:
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and "null" not in kinds:
        schema["type"] = [*kinds, "null"]
    if "enum" in schema and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]


def _check_bounds(name: str, schema: Mapping[str, Any]) -> None:
    for keyword in _COUNTS:
        count = schema.get(keyword, 0)
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise _fault(name, f"{keyword}: must be a whole number, not below 0")
    for keyword in _BOUNDS:
        bound = schema.get(keyword, 0)
        if isinstance(bound, bool) or not isinstance(bound, (int, float)):
            raise _fault(name, f"{keyword}: must be a number")
    for low, high, excluded in _RANGES:
        if low in schema and high in schema and (schema[low], 1 if excluded else 0) > (schema[high], 0):
            raise _fault(name, f"{low} is above {high}: nothing fits")
    for keyword in _FLAGS:
        if schema.get(keyword, True) is not True:
            raise _fault(name, f"{keyword}: must be true or false")


def _check_values(name: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> None:
    """Refuse a property that is no schema (a bad pattern), or whose own default or examples do not fit it."""
    plain = {keyword: value for keyword, value in schema.items() if keyword not in ("default", "examples")}
    try:
        checked = Schema({**plain, **definitions})
    except InvalidSchemaError as error:
        raise _fault(name, f"{error.path}: {error.problem}" if error.path else error.problem) from None
    values = {"default": schema["default"]} if "default" in schema else {}
    values |= {f"examples[{index}]": value for index, value in enumerate(schema.get("examples", ()))}
    for place, value in values.items():
        report = checked.validate(value)
        if not report.valid:
            raise _fault(name, f"{place}: does not fit the property ({report.errors[0].code})")
