"""Parameters one by one, as forms and files have them, and the schema that they add up to.

A :class:`ToolParameter` is a row. :func:`schema_of` makes a schema of rows and :func:`rows_of` gives the rows of any
schema: the two are inverse for whatever rows can express, and what goes beyond a row stays in its ``schema``.

This module may not know what a definition is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolwright.errors import InvalidSchemaError
from toolwright.schema import Schema, ValidationIssue
from toolwright.schema.definitions import Definitions
from toolwright.tools.rules import (
    Issues,
    Rule,
    any_text,
    flag,
    is_mapping,
    is_sequence,
    json_type,
    json_value,
    moved,
    optional,
    schema,
    sequence,
    text,
)
from toolwright.tools.written import Written
from toolwright.values import JsonArray, JsonValue, join_path, thaw

__all__ = ["PARAMETER_TYPES", "ToolParameter", "faults_of_parameters", "parameters_of", "rows_of", "schema_of"]

PARAMETER_TYPES: Final = ("string", "integer", "number", "boolean", "array", "object")
"""What a parameter may be, in JSON's own words."""

_SCALARS: Final = frozenset(PARAMETER_TYPES[:4])
_SNAKE_CASE: Final = re.compile(r"[a-z_][a-z0-9_]*")
_PARAMETER_NAME_LENGTH: Final = 64


def _type(value: Any, path: str, issues: Issues) -> str:
    kind = any_text(value, path, issues).lower()
    if isinstance(value, str) and kind not in PARAMETER_TYPES:
        issues.append(ValidationIssue.invalid_enum(path, PARAMETER_TYPES, provided=value))
    return kind


_FIELDS: Final[Mapping[str, Rule]] = {
    "name": text,
    "description": any_text,
    "type": _type,
    "required": flag,
    "default": json_value,
    "enum": optional(sequence(json_value)),
    "schema": optional(schema),
}


class ToolParameter(Written, frozen=True, gc=False):
    """One parameter of a tool, as a form or a file has it.

    A ``default`` or ``enum`` of None is none. ``schema`` says more than the other fields can; arrays and objects need
    one unless they have an ``enum``. The rules between fields hold where rows become a definition, so that a row may
    show what a foreign schema has.

    Raises:
        InvalidDefinitionError: A field has the wrong type; ``report`` says all that is wrong.
    """

    noun: ClassVar[str] = "The parameter"
    rules: ClassVar[Mapping[str, Rule]] = _FIELDS
    required_fields: ClassVar[tuple[str, ...]] = ("name", "description")
    always_written: ClassVar[frozenset[str]] = frozenset(["description", "type"])

    name: str
    description: str = ""
    type: str = "string"
    required: bool = False
    default: JsonValue = None
    enum: tuple[JsonValue, ...] | None = None
    schema: Schema | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            name: str,
            description: str = ...,
            type: str = ...,
            required: bool = ...,
            default: Any = ...,
            enum: Iterable[Any] | None = ...,
            schema: Schema | Mapping[str, Any] | None = ...,
        ) -> None: ...

    def __hash__(self) -> int:
        return hash((self.name, self.type, self.required))

    def __repr__(self) -> str:
        return f"ToolParameter(name={self.name!r}, type={self.type}, required={self.required})"


def parameters_of(value: Any, path: str, issues: Issues) -> Schema | dict[str, Any] | None:
    """Hold parameters written as a schema, or as rows, which become what a schema is made of; None is not valid."""
    if not is_sequence(value):
        return schema(value, path, issues)
    rows = [ToolParameter.read(row, join_path(path, index), issues) for index, row in enumerate(value)]
    known = [row for row in rows if row is not None]
    _check_names(value, path, issues)
    _check_rows(rows, path, issues, defaults_fit=_defaults_fit(known))
    return schema_of(known)


def _defaults_fit(rows: Sequence[ToolParameter]) -> bool:
    """Say whether all defaults are known to be valid: at one go, because each schema takes time to compile."""
    if not any(row.schema is not None and row.default is not None for row in rows):
        return False  # looking at each is quicker
    if len({row.name for row in rows}) < len(rows):
        return False  # one would hide the other
    document = schema_of(rows)
    document.pop("required", None)
    try:
        checked = Schema(document)
    except InvalidSchemaError:
        return False  # two dialects: each schema is valid by itself
    return checked.validate({row.name: row.default for row in rows if row.default is not None}).valid


def _check_names(rows: Sequence[Any], path: str, issues: Issues) -> None:
    """Note names that are not legal or not unique, also those of rows that are no parameters for another reason."""
    names: set[str] = set()
    for index, row in enumerate(rows):
        name = row.name if isinstance(row, ToolParameter) else row.get("name") if is_mapping(row) else None
        if not isinstance(name, str) or not name or name.isspace():
            continue  # noted by its rule
        place = join_path(join_path(path, index), "name")
        if len(name) > _PARAMETER_NAME_LENGTH or not _SNAKE_CASE.fullmatch(name):
            problem = f"must be snake_case, at most {_PARAMETER_NAME_LENGTH} characters: a-z, 0-9 and _, no digit first"
            issues.append(ValidationIssue.invalid_value(place, problem, provided=name))
        elif name in names:
            issues.append(ValidationIssue.invalid_value(place, "is the name of an earlier parameter"))
        names.add(name)


def _check_rows(rows: Sequence[ToolParameter | None], path: str, issues: Issues, *, defaults_fit: bool) -> None:
    dialects: set[str | None] = set()
    for index, row in enumerate(rows):
        if row is None:
            continue
        place = join_path(path, index)
        dialect = _dialect(row)
        if dialect is not None and dialects - {dialect}:
            issues.append(
                ValidationIssue.invalid_value(join_path(place, "schema"), "is in another dialect than others")
            )
        dialects |= {dialect} - {None}
        issues += [moved(issue, place) for issue in _faults_between_fields(row, default_fits=defaults_fit)]


def _dialect(row: ToolParameter) -> str | None:
    return row.schema.to_dict().get("$schema") if row.schema is not None else None


def _faults_between_fields(row: ToolParameter, *, default_fits: bool = False) -> Issues:
    found: Issues = []
    if row.required and row.default is not None:
        found.append(ValidationIssue.invalid_value("default", "is never used, because the parameter is required"))
    if row.schema is None and row.enum is None and row.type not in _SCALARS:
        found.append(ValidationIssue.required("schema"))
    if row.enum is not None and not row.enum:
        found.append(ValidationIssue.out_of_range("enum", minimum=1, counted="values"))
    if row.schema is not None and not _admits(row.schema.to_dict().get("type"), row.type):
        found.append(ValidationIssue.invalid_value("schema.type", f"is not the type of the parameter, {row.type}"))
    for index, choice in enumerate(row.enum or ()):
        found += _misfits(row, choice, join_path("enum", index))
    if row.default is not None and not default_fits:
        found += _misfits(row, row.default, "default")
        if row.enum and row.default not in row.enum:
            found.append(ValidationIssue.invalid_enum("default", map(thaw, row.enum), provided=row.default))
    return found


def faults_of_parameters(parameters: Schema) -> Issues:
    """Return where a schema breaks the rules that hold between the fields of a row."""
    found: Issues = []
    for row in rows_of(parameters, only=_may_break_rules):
        place = join_path("parameters.properties", row.name)
        found += [moved(issue, place) for issue in _faults_between_fields(row)]
    return found


def _may_break_rules(node: Mapping[str, Any]) -> bool:
    """Say whether rules hold between what a property says: most are of one plain type, and need no second look."""
    kind = node.get("type")
    return "default" in node or "enum" in node or not isinstance(kind, str) or kind not in _SCALARS


def _admits(types: Any, type: str) -> bool:
    return types is None or types == type or (isinstance(types, list) and type in types)


def _misfits(row: ToolParameter, value: JsonValue, path: str) -> Issues:
    """Return what is wrong with a value of an enum, or a default."""
    schema = row.schema
    if schema is not None and not _SPEAKS_OF_TYPE.isdisjoint(schema.to_dict()):
        return [moved(issue, path) for issue in schema.validate(value).errors]
    actual = json_type(value)
    whole = isinstance(value, float) and value.is_integer()  # JSON Schema calls 1.0 an integer, too
    if actual == row.type or (row.type == "number" and actual == "integer") or (row.type == "integer" and whole):
        return [moved(issue, path) for issue in schema.validate(value).errors] if schema is not None else []
    return [ValidationIssue.type_mismatch(path, row.type, actual, provided=value)]


_SPEAKS_OF_TYPE: Final = frozenset(
    ["$dynamicRef", "$ref", "allOf", "anyOf", "const", "enum", "if", "not", "oneOf", "type"]
)
_ANYTHING: Final = [*PARAMETER_TYPES, "null"]
_LATEST: Final = "https://json-schema.org/draft/2020-12/schema"


def schema_of(rows: Iterable[ToolParameter]) -> dict[str, Any]:
    """Return the schema of an object with a property for each row.

    What the schemas of rows define for themselves is defined for all, under names that do not clash. Where one is
    written in an older dialect, the whole is; two dialects do not go together.
    """
    definitions = Definitions()
    known = [(row, row.schema.to_dict() if row.schema is not None else {}) for row in rows]
    dialect = next((written["$schema"] for _, written in known if "$schema" in written), _LATEST)
    for _, written in known:
        if written.get("$schema") == dialect:
            del written["$schema"]
    document: dict[str, Any] = {} if dialect == _LATEST else {"$schema": dialect}
    document["type"] = "object"
    document["properties"] = {row.name: _property_of(row, written, definitions) for row, written in known}
    required = [row.name for row, _ in known if row.required]
    if required:
        document["required"] = required
    return {**document, **definitions.used_in(document)} if definitions.bodies else document


def _property_of(row: ToolParameter, written: dict[str, Any], definitions: Definitions) -> dict[str, Any]:
    node = definitions.adopt(written, name=row.name) if written else {}
    if _SPEAKS_OF_TYPE.isdisjoint(node):
        node = {"type": row.type, **node}
    if row.description:
        node["description"] = row.description
    if row.enum is not None:
        node["enum"] = thaw(JsonArray(row.enum))
    if row.default is not None:
        node["default"] = thaw(row.default)
    return node


def rows_of(
    parameters: Schema, *, only: Callable[[Mapping[str, Any]], bool] | None = None
) -> tuple[ToolParameter, ...]:
    """Return the parameters of a schema as rows, whatever the schema is; ``only`` chooses among their schemas.

    A parameter that is of no single type, or of none that a row knows, is given with the nearest; its ``schema`` says
    exactly what it is.
    """
    document = parameters.to_dict()
    dialect = document.pop("$schema", _LATEST)
    properties = {name: part.to_dict() for name, part in parameters.properties.items()}
    document["properties"] = properties
    definitions = Definitions()
    definitions.adopt(document, name="parameters")
    required = frozenset(parameters.required)

    def row(name: str, node: dict[str, Any]) -> ToolParameter:
        lifted = _lift(node)
        type = _nearest_type(node, lifted, definitions)
        plain = node == {"type": type} and (type in _SCALARS or "enum" in lifted)
        dialected = {} if dialect == _LATEST else {"$schema": dialect}
        beyond = None if plain else {**dialected, **node, **definitions.used_in(node)}
        return ToolParameter(name, type=type, required=name in required, schema=beyond, **lifted)

    # Copied, because what other properties refer to stays whole.
    return tuple([row(name, dict(node)) for name, node in properties.items() if only is None or only(node)])


def _lift(node: dict[str, Any]) -> dict[str, Any]:
    """Take out of a property what has a field of its own in a row."""
    lifted: dict[str, Any] = {}
    if isinstance(node.get("description"), str):
        lifted["description"] = node.pop("description")
    if node.get("enum"):
        lifted["enum"] = node.pop("enum")
    if node.get("default") is not None:
        lifted["default"] = node.pop("default")
    if _SPEAKS_OF_TYPE.isdisjoint(node):
        node["type"] = _ANYTHING  # said, because a row always has a type
        if "properties" not in node:
            node.setdefault("additionalProperties", {})  # so that it is not closed as one that describes an object
    return lifted


def _nearest_type(node: dict[str, Any], lifted: dict[str, Any], definitions: Definitions) -> str:
    choices: list[Any] = [node, *(choice for word in ("anyOf", "oneOf", "allOf") for choice in node.get(word, ()))]
    referred = [definitions.target(choice) for choice in choices if choice.__class__ is dict and "$ref" in choice]
    for choice in (*choices, *(definitions.bodies.get(name, {}) for name in referred)):
        types: Any = choice.get("type", ()) if choice.__class__ is dict else ()
        for type in [types] if isinstance(types, str) else types:
            if type in PARAMETER_TYPES:
                return str(type)
    values = [*lifted.get("enum", ()), *([node["const"]] if "const" in node else ())]
    return next((type for type in map(json_type, values) if type in PARAMETER_TYPES), "string")
