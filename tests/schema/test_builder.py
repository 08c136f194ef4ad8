"""Schemas written by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.promises import keeps
from toolwright.errors import InvalidSchemaError, ToolwrightError
from toolwright.schema import Schema, SchemaBuilder

Build = Callable[[SchemaBuilder], SchemaBuilder]


def written(build: Build) -> dict[str, Any]:
    """Return the one property that a builder was given."""
    (found,) = build(SchemaBuilder()).build().to_dict()["properties"].values()
    assert isinstance(found, dict)
    return found


@keeps("schema.builder_fluent", "schema.builder_kinds")
def test_a_schema_is_written_in_one_sentence() -> None:
    schema = (
        SchemaBuilder()
        .describe("What to do.")
        .string("name", "The name", required=True, min_length=1)
        .integer("count", "How many", minimum=0)
        .number("ratio", "How much")
        .boolean("enabled", "Whether", default=True)
        .enum("status", "Which", ["active", "inactive"])
        .path("file", "Where", must_exist=True)
        .string_array("tags", "Words", min_items=1, max_items=10, unique=True)
        .array("rows", "Rows", items={"type": "integer"})
        .object("options", "More", lambda inner: inner.boolean("recursive", "Deep"), required=False)
        .allow_additional(False)
        .build()
    )
    assert schema == Schema({
        "type": "object",
        "description": "What to do.",
        "properties": {
            "name": {"type": "string", "description": "The name", "minLength": 1},
            "count": {"type": "integer", "description": "How many", "minimum": 0},
            "ratio": {"type": "number", "description": "How much"},
            "enabled": {"type": "boolean", "description": "Whether", "default": True},
            "status": {"type": "string", "enum": ["active", "inactive"], "description": "Which"},
            "file": {"type": "string", "format": "path", "x-must-exist": True, "description": "Where (must exist)"},
            "tags": {
                "type": "array", "items": {"type": "string"}, "description": "Words", "minItems": 1, "maxItems": 10,
                "uniqueItems": True,
            },
            "rows": {"type": "array", "items": {"type": "integer"}, "description": "Rows"},
            "options": {
                "type": "object", "properties": {"recursive": {"type": "boolean", "description": "Deep"}},
                "additionalProperties": False, "description": "More",
            },
        },
        "required": ["name"],
        "additionalProperties": False,
    })  # fmt: skip


@keeps("schema.builder_keywords")
@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (
            lambda b: b.string("x", pattern="^a", format="email", min_length=0, examples=["a@b.c"]),
            {"type": "string", "pattern": "^a", "format": "email", "minLength": 0, "examples": ["a@b.c"]},
        ),
        (
            lambda b: b.string("x", enum=["a", "b"], title="X", max_length=9),
            {"type": "string", "enum": ["a", "b"], "title": "X", "maxLength": 9},
        ),
        (
            lambda b: b.integer("x", minimum=0, maximum=10, multiple_of=2, default=4, deprecated=True),
            {"type": "integer", "minimum": 0, "maximum": 10, "multipleOf": 2, "default": 4, "deprecated": True},
        ),
        (
            lambda b: b.number("x", exclusive_minimum=0, exclusive_maximum=1.5, examples=[0.5, 1]),
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5, "examples": [0.5, 1]},
        ),
        (lambda b: b.boolean("x", default=False), {"type": "boolean", "default": False}),
        (lambda b: b.enum("x", "", [1, "a", None]), {"type": ["integer", "string", "null"], "enum": [1, "a", None]}),
        (lambda b: b.enum("x", "", [1, True]), {"type": ["integer", "boolean"], "enum": [1, True]}),
        (lambda b: b.enum("x", "", [{"a": 1}], default={"a": 1}), {"enum": [{"a": 1}], "default": {"a": 1}}),
        (lambda b: b.enum("x", "", ["a"], nullable=True), {"type": ["string", "null"], "enum": ["a", None]}),
        (lambda b: b.string("x", nullable=True, default=None), {"type": ["string", "null"], "default": None}),
        (lambda b: b.path("x", default="a/b"), {"type": "string", "format": "path", "default": "a/b"}),
        (lambda b: b.array("x", max_items=2, default=["a"]), {"type": "array", "maxItems": 2, "default": ["a"]}),
        (lambda b: b.array("x", min_items=1, unique=False), {"type": "array", "minItems": 1}),
        (
            lambda b: b.object("x", "X", lambda o: o.integer("n", required=True), min_properties=1, default={"n": 1}),
            {
                "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"],
                "additionalProperties": False, "description": "X", "minProperties": 1, "default": {"n": 1},
            },
        ),
    ],
)  # fmt: skip
def test_every_keyword_is_an_argument_where_it_makes_sense(build: Build, expected: Mapping[str, Any]) -> None:
    assert written(build) == expected


@keeps("schema.builder_optional")
def test_a_property_is_optional_unless_required_is_said() -> None:
    schema = SchemaBuilder().string("a").string("b", required=True).string("c", required=False).build()
    assert (schema.required, schema.optional) == (("b",), ("a", "c"))


def test_a_default_of_none_is_not_the_same_as_none_given() -> None:
    assert "default" not in written(lambda b: b.string("x", nullable=True))
    assert written(lambda b: b.string("x", nullable=True, default=None))["default"] is None


@keeps("schema.builder_closed")
def test_only_what_is_named_may_be_given_unless_allowed() -> None:
    def nested(inner: SchemaBuilder) -> None:
        inner.string("a").object("deeper", "", lambda deeper: deeper.string("b"))

    schema = SchemaBuilder().object("o", "", nested).array("rows", items=nested).build()
    assert schema.validate({"o": {"a": "x", "deeper": {"b": "y"}}, "rows": [{"a": "x"}]}).valid
    for value in ({"z": 1}, {"o": {"z": 1}}, {"o": {"deeper": {"z": 1}}}, {"rows": [{"z": 1}]}):
        assert [issue.code for issue in schema.validate(value).errors] == ["additional_property"]
    assert SchemaBuilder().allow_additional().build().validate({"z": 1}).valid
    inside = SchemaBuilder().object("o", "", lambda b: b.allow_additional(True)).build()
    assert inside.validate({"o": {"z": 1}}).valid
    assert not inside.validate({"z": 1}).valid


def test_a_type_describes_the_items_of_an_array_and_is_no_function_for_an_object() -> None:
    assert written(lambda b: b.array("x", items=str))["items"] == {"type": "string"}
    assert written(lambda b: b.array("x", items=list[int]))["items"] == {"type": "array", "items": {"type": "integer"}}
    with pytest.raises(InvalidSchemaError, match=r"x: items: .*complex"):
        SchemaBuilder().array("x", items=complex)
    wrong: list[Any] = [str, dict[str, int], {"type": "object"}, Schema({"type": "object"})]
    for configure in wrong:
        with pytest.raises(TypeError, match="o: a function belongs here"):
            SchemaBuilder().object("o", "", configure)


def test_additional_properties_may_have_a_schema_of_their_own() -> None:
    schema = SchemaBuilder().string("a").allow_additional({"type": "integer"}).build()
    assert schema.validate({"a": "x", "b": 1}).valid
    assert not schema.validate({"b": "x"}).valid


@keeps("schema.builder_path")
def test_a_path_says_what_it_is_and_whether_it_must_exist() -> None:
    assert written(lambda b: b.path("x", "Where")) == {"type": "string", "format": "path", "description": "Where"}
    assert written(lambda b: b.path("x", must_exist=True)) == {
        "type": "string", "format": "path", "x-must-exist": True, "description": "(must exist)",
    }  # fmt: skip


@keeps("schema.builder_refuses")
@pytest.mark.parametrize(
    ("build", "problem"),
    [
        (lambda b: b.string("x").integer("x"), "x: is there already"),
        (lambda b: b.string(""), "at least one character"),
        (lambda b: b.string("x", min_length=3, max_length=2), "x: minLength is above maxLength"),
        (lambda b: b.string("x", min_length=-1), "x: minLength: must be a whole number, not below 0"),
        (lambda b: b.string("x", max_length=1.5), "x: maxLength: must be a whole number"),
        (lambda b: b.string("x", pattern="["), "x: pattern"),
        (lambda b: b.integer("x", minimum=2, maximum=1), "x: minimum is above maximum"),
        (lambda b: b.integer("x", exclusive_minimum=1, maximum=1), "x: exclusiveMinimum is above maximum"),
        (lambda b: b.integer("x", minimum=True), "x: minimum: must be a number"),
        (lambda b: b.integer("x", multiple_of=0), "x: multipleOf"),
        (lambda b: b.integer("x", default=1.5), "x: default: does not fit"),
        (lambda b: b.integer("x", default=None), "x: default: does not fit"),
        (lambda b: b.integer("x", maximum=1, examples=[1, 2]), r"x: examples\[1\]: does not fit"),
        (lambda b: b.string("x", required=True, default="a"), "x: is required, so it cannot have a default"),
        (lambda b: b.string("x", default=object()), "x: default: .*not JSON"),
        (lambda b: b.enum("x", "", []), "x: enum: needs at least one value"),
        (lambda b: b.enum("x", "", ["a", "a"]), "x: enum: has a value twice"),
        (lambda b: b.enum("x", "", ["a"], default="b"), "x: default: does not fit"),
        (lambda b: b.string_array("x", min_items=2, max_items=1), "x: minItems is above maxItems"),
        (lambda b: b.string_array("x", unique="no"), "x: uniqueItems: must be true or false"),
        (lambda b: b.array("x", items={"type": "nonsense"}), "x: items: type"),
        (lambda b: b.object("x", "", lambda o: o.string("y", min_length=2, max_length=1)), "y: minLength is above"),
    ],
)
def test_a_property_that_contradicts_itself_is_refused_at_once(build: Build, problem: str) -> None:
    with pytest.raises(InvalidSchemaError, match=problem) as caught:
        build(SchemaBuilder())
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ToolwrightError)


def test_a_default_that_does_not_fit_is_not_repeated_in_the_error() -> None:
    with pytest.raises(InvalidSchemaError) as caught:
        SchemaBuilder().integer("x", default="hunter2")
    assert "hunter2" not in str(caught.value)


def test_a_misspelt_option_is_an_error_like_any_unknown_argument() -> None:
    wrong: Any = {"minimum": 1}
    with pytest.raises(TypeError, match="x: there is no option 'minimum'"):
        SchemaBuilder().string("x", **wrong)


def test_a_refused_property_leaves_the_builder_as_it_was() -> None:
    builder = SchemaBuilder().string("a")
    before = builder.build()
    recursive = {"type": "array", "items": {"$ref": "#"}}
    with pytest.raises(InvalidSchemaError):
        builder.array("b", items=recursive, default="no array")
    assert builder.build() == before


def test_a_built_schema_does_not_change_with_its_builder() -> None:
    kept: list[SchemaBuilder] = []
    items: dict[str, Any] = {"type": "integer"}
    builder = SchemaBuilder().object("o", "", kept.append).array("rows", items=items)
    first = builder.build()
    assert builder.build() == first
    before = first.to_dict()
    builder.string("later").describe("Later.").allow_additional()
    kept[0].string("late")
    items["type"] = "string"
    assert first.to_dict() == before
    assert builder.build() != first


def test_the_definitions_of_items_come_along_and_stay_apart() -> None:
    tree = Schema({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}, "n": {"$ref": "#/$defs/N"}},
        "$defs": {"N": {"type": "integer"}}, "additionalProperties": False,
    })  # fmt: skip
    other = {"$ref": "#/$defs/N", "$defs": {"N": {"type": "string"}}}
    schema = SchemaBuilder().array("trees", items=tree).array("texts", items=other).build()
    assert schema.validate({"trees": [{"kids": [{"n": 1}], "n": 2}], "texts": ["a"]}).valid
    assert not schema.validate({"trees": [{"kids": [{"n": "a"}]}]}).valid
    assert not schema.validate({"texts": [1]}).valid
    nested = SchemaBuilder().object("o", "", lambda b: b.array("trees", items=tree)).build()
    assert nested.validate({"o": {"trees": [{"kids": [{"kids": []}]}]}}).valid
    assert not nested.validate({"o": {"trees": [{"kids": [7]}]}}).valid


def test_items_may_be_a_schema_a_mapping_or_a_function() -> None:
    schema = Schema({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False})
    forms = (schema, schema.to_dict(), lambda b: b.string("a"))
    built = [SchemaBuilder().array("rows", items=form).build() for form in forms]
    assert built[0] == built[1] == built[2]
