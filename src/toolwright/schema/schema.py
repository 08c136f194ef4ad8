"""The schema: what may be given, as an immutable value.

Made from JSON Schema of any edition since draft 4. It is held against its meta-schema and found safe when it is made,
and compiled when the first value is validated. Everything it tells about itself and about values goes through here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self, final

import msgspec

from toolwright.errors import InvalidSchemaError, NotJsonError
from toolwright.schema import engine
from toolwright.schema.defaults import fill_defaults, flat_defaults
from toolwright.schema.document import Document
from toolwright.schema.editions import Node, Place, dialect_of, fault
from toolwright.schema.faults import Unanswerable
from toolwright.schema.paths import PathInValue, find_paths, names_paths
from toolwright.schema.plain import make_plain
from toolwright.schema.repair import repair
from toolwright.schema.report import ValidationReport
from toolwright.schema.validate import OK, Validator
from toolwright.schema.wording import schema_problem
from toolwright.values import JsonArray, JsonObject, JsonValue, decode, encode, scrub, thaw

if TYPE_CHECKING:
    from toolwright.schema.dialects import Dialected

__all__ = ["Schema"]

_FROZEN: Final = frozenset([MappingProxyType, JsonArray])
_UNKNOWN: Final[Mapping[str, Any]] = MappingProxyType({})  # what nobody has asked for yet
_ODD: Final = (ValueError, TypeError, OverflowError, RecursionError)
# What the engine raises for values that are not JSON, or not quite: they are looked at closely then.


@final
class Schema:
    """A JSON Schema: the full language, draft 2020-12 unless ``$schema`` names another.

    Two schemas are equal when they say the same, in whatever order their keys stand. ``True`` allows every value,
    ``False`` none. A ``format`` is checked, unless the schema names its dialect: then the standard makes it a note.

    Raises:
        InvalidSchemaError: It is not a valid schema; ``path`` says where.
    """

    __slots__ = ("_dialected", "_document", "_flat", "_key", "_node", "_ordinary", "_properties", "_validator")

    def __init__(self, source: Mapping[str, Any] | bool) -> None:
        document = Document(_read(source), _check)
        for pattern, place in document.patterns.items():
            if engine.find_matcher(pattern, engine.expression_room(document)) is None:
                raise fault("is not a regular expression, or too large a one", place, "invalid_pattern")
        if document.has_resources:
            engine.compile_schema(document, document.root)  # it knows best which URIs are legal
        self._stand_for(document, document.root)

    def _stand_for(self, document: Document, node: Node) -> None:
        self._document = document
        self._node = node
        self._validator = Validator(document, node)
        self._ordinary: Callable[[Any], bool] | None = None
        self._properties: Mapping[str, Schema] | None = None
        self._key: tuple[bytes, ...] | None = None
        self._dialected: dict[str, Dialected] = {}
        self._flat: Mapping[str, Any] | None = _UNKNOWN

    @classmethod
    def from_json(cls, text: bytes | str) -> Self:
        """Return the schema that a JSON text holds.

        Raises:
            InvalidSchemaError: It is not JSON, or not a valid schema.
        """
        try:
            source: Any = decode(text)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            raise InvalidSchemaError("is not JSON, or nested too deeply", code="malformed_json") from None
        return cls(source)

    @classmethod
    def of(cls, type: Any) -> Self:
        """Return the schema of a Python type: a dataclass, Struct, TypedDict, attrs or pydantic class, ``list[int]``...

        Raises:
            UnsupportedTypeError: No schema describes such a type.
        """
        # That room is large, and is not needed by those who bring their schemas along.
        from toolwright.schema.from_python import describe

        return cls(describe(type))

    @classmethod
    def empty(cls) -> Self:
        """Return the schema of a call without parameters."""
        return cls({"type": "object", "properties": {}, "additionalProperties": False})

    @classmethod
    def _part(cls, document: Document, node: Node) -> Self:
        part = cls.__new__(cls)
        part._stand_for(document, node)  # noqa: SLF001  the same class, made without its constructor
        return part

    # What it says about itself

    def to_dict(self) -> dict[str, Any]:
        """Return a fresh plain copy, the caller's to change.

        A property's schema is returned as it is written: what it refers to stays where it is.
        """
        if isinstance(self._node, bool):
            return {} if self._node else {"not": {}}
        copy: dict[str, Any] = thaw(self._node)
        return copy

    def to_json(self) -> bytes:
        """Return the schema as JSON, its keys in the order in which they were given."""
        return encode(self._node)

    @property
    def title(self) -> str | None:
        """The title, if there is one."""
        return self._text("title")

    @property
    def description(self) -> str | None:
        """The description, if there is one."""
        return self._text("description")

    def _text(self, keyword: str) -> str | None:
        texts = (part.get(keyword) for part in self._document.certain(self._node))
        return next((text for text in texts if isinstance(text, str)), None)

    @property
    def properties(self) -> Mapping[str, Schema]:
        """The properties that are defined, by name; those of what the schema refers to (``$ref``, ``allOf``) too."""
        if self._properties is None:
            found: dict[str, Schema] = {}
            for part in self._document.certain(self._node):
                for name, node in part.get("properties", {}).items():
                    found.setdefault(name, Schema._part(self._document, node))
            self._properties = MappingProxyType(found)
        return self._properties

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the properties that must be given."""
        parts = self._document.certain(self._node)
        return tuple(dict.fromkeys(name for part in parts for name in part.get("required", ())))

    @property
    def optional(self) -> tuple[str, ...]:
        """The names of the properties that are defined and may be left out."""
        required = self.required
        return tuple(name for name in self.properties if name not in required)

    @property
    def has_paths(self) -> bool:
        """Whether it says of anything that it is a path (``format: path``)."""
        return names_paths(self._document)

    def property(self, name: str) -> Schema | None:
        """Return the schema of one property, or ``None`` if it is not defined."""
        return self.properties.get(name)

    def is_required(self, name: str) -> bool:
        """Tell whether a property must be given."""
        return name in self.required

    # What it says about values

    def validate(self, value: object) -> ValidationReport:
        """Return everything that is wrong with a value or worth knowing about it; no value makes it raise."""
        if value.__class__ in _FROZEN:
            value = _thawed(value)
        try:
            if (self._ordinary or self._prepare())(value):
                return OK
        except _ODD:
            return self._validator.validate(value)
        return self._validator.explain(value)

    def _prepare(self) -> Callable[[Any], bool]:
        self._ordinary = self._validator.ordinary()
        return self._ordinary

    def repair(self, value: JsonValue) -> tuple[Any, ValidationReport]:
        """Return a value with what was plainly meant put right, and the report on it.

        Only conversions that cannot change a meaning are made, each with a ``coerced`` warning: the text of a number or
        a boolean where one is wanted, JSON text where an object or array is wanted, a single item where an array of it
        is wanted, ``null`` for a property that may be left out. Nothing is guessed. A valid value is returned as it
        is; the argument is never changed.
        """
        return repair(self, self._validator, value)

    def with_defaults(self, value: JsonObject) -> JsonObject:
        """Return a value with the schema's defaults for properties that are missing, inside its objects too.

        The argument is never changed; where nothing is missing it is returned as it is.
        """
        if value.__class__ is MappingProxyType:
            if self._flat is _UNKNOWN:
                self._flat = flat_defaults(self._node)
            if self._flat is not None:
                missing = {name: default for name, default in self._flat.items() if name not in value}
                return MappingProxyType({**value, **missing}) if missing else value
        filled: JsonObject = fill_defaults(self._document, self._node, value)
        return filled

    def paths_in(self, value: JsonObject) -> tuple[PathInValue, ...]:
        """Return the texts in a valid value that it says are paths, wherever they stand, in order.

        Raises:
            NotJsonError: The value is not JSON.
            ValueError: Where they are cannot be told within limits.
        """
        try:
            return tuple(find_paths(self._document, self._node, value))
        except (Unanswerable, RecursionError):
            raise ValueError("where the paths are cannot be told within limits") from None

    def for_provider(self, dialect: str) -> Dialected:
        """Return the schema as a provider takes it, and what was lost on the way; worked out once for each dialect.

        Raises:
            ValueError: There is no such dialect.
        """
        # Most programs speak to one provider, many to none: loaded by those who do.
        from toolwright.schema.dialects import Dialected, translate

        known = self._dialected.get(dialect)
        if known is None:
            found = translate(self.to_dict(), dialect)
            known = self._dialected[dialect] = Dialected(Schema(found.document), found.changes, found.strict)
        return known

    # What makes it a value

    def _identity(self) -> tuple[bytes, ...]:
        if self._key is None:
            document = self._document
            key = encode(self._node, canonical=True)
            if self._node is document.root:
                self._key = (key,)
            else:
                # What it refers to is part of what it says; a name that merely looks like a reference does no harm.
                refers = any(word in key for word in (b'"$ref"', b'"$dynamicRef"', b'"$recursiveRef"'))
                around = encode(document.root, canonical=True) if refers else b""
                dialect = str(document.dialect.number).encode() if document.names_dialect else b""
                self._key = (key, dialect, around) if dialect or around else (key,)
        return self._key

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, Schema) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        if isinstance(self._node, bool):
            return f"Schema({self._node})"
        return f"Schema(type={self._node.get('type', 'any')}, properties=<{len(self.properties)}>)"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[..., Schema], tuple[Any, ...]]:
        if self._node is self._document.root or isinstance(self._node, bool):
            return Schema, (self._node,)
        index = next(index for index, node in enumerate(self._document.schemas) if node is self._node)
        return Schema._restore, (self._document.root, index)

    @classmethod
    def _restore(cls, root: Mapping[str, Any], index: int) -> Self:
        """Return a part of a schema again: the one that was met at this point of the walk."""
        document = cls(root)._document  # noqa: SLF001  its own class
        return cls._part(document, list(document.schemas)[index])


def _thawed(value: Any) -> Any:
    """Return a frozen value as plain JSON; of the members of an object only those that need it are looked into."""
    if value.__class__ is not MappingProxyType:
        return thaw(value)
    plain = value.copy()
    for key, item in plain.items():
        if item.__class__ in _FROZEN:
            plain[key] = thaw(item)
    return plain


def _read(source: object) -> Node:
    try:
        plain: Node = make_plain(source)
    except NotJsonError as error:
        raise InvalidSchemaError(error.problem, code=error.code, path=error.path) from None
    if plain.__class__ is not dict and plain.__class__ is not bool:
        raise InvalidSchemaError("must be an object or a boolean", code="invalid_schema")
    try:
        msgspec.json.encode(plain)
    except UnicodeEncodeError:  # half a surrogate pair, which is U+FFFD wherever the schema is sent
        plain = scrub(plain)
    return plain


def _check(node: Node, place: Place) -> None:
    """Hold a schema against its meta-schema.

    Raises:
        InvalidSchemaError: It is not valid by it.
    """
    dialect_of(node)
    wrong = engine.check_schema(node)
    if wrong is not None:
        raise fault(schema_problem(wrong.keyword, wrong.argument), (*place, *wrong.place), "invalid_schema")
