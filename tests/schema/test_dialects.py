"""What each provider is sent, and what is said of the losses."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.errors import InvalidSchemaError
from toolwright.schema import Dialected, Schema
from toolwright.schema.dialects import DIALECTS, Change, Translation, translate
from toolwright.values import thaw

STRICT_KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs",
    "description", "title", "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "minItems", "maxItems",
}  # fmt: skip
GEMINI_KEYWORDS = {
    "type", "format", "title", "description", "nullable", "enum", "items", "maxItems", "minItems", "properties",
    "required", "minProperties", "maxProperties", "minimum", "maximum", "minLength", "maxLength", "pattern", "anyOf",
    "default",
}  # fmt: skip
OLLAMA_KEYWORDS = {"type", "description", "enum", "required", "properties", "items", "anyOf"}


def closed(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    """Return the schema of an object with these properties only."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False, **more}


def one(schema: Any, dialect: str, *, required: bool = True) -> Any:
    """Return what becomes of the schema of a single property."""
    found = translate(closed({"x": schema}, *(["x"] if required else [])), dialect)
    return thaw(found.document)["properties"]["x"]


def subschemas(schema: Any) -> list[dict[str, Any]]:
    """Return a schema and all schemas in it, as the dialects write them."""
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ())]
    inner += [schema["items"]] if isinstance(schema.get("items"), Mapping) else []
    return [schema, *(found for part in inner for found in subschemas(part))]


def nested_arrays(levels: int) -> dict[str, Any]:
    """Return an array of arrays of arrays ..."""
    return {"type": "array", "items": nested_arrays(levels - 1)} if levels else {"type": "string"}


FINE = closed(
    {"a": {"type": "string", "description": "A."}, "b": {"type": ["integer", "null"], "minimum": 1}}, "a", "b"
)
FINE_EVERYWHERE = {"type": "object", "properties": {"a": {"type": "string", "enum": ["x", "y"]}}, "required": ["a"]}


@keeps("schema.dialects", "schema.dialect_changes")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_schema_that_is_fine_comes_back_equal_and_without_changes(dialect: str) -> None:
    fine = FINE if dialect not in ("gemini", "ollama") else FINE_EVERYWHERE
    found = translate(fine, dialect)
    assert (found.document, found.changes, found.strict) == (fine, (), dialect == "openai-strict")
    assert Schema(fine).for_provider(dialect) == Dialected(Schema(fine), found.changes, found.strict)


@keeps("schema.dialects")
def test_an_unknown_dialect_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="'cohere'; there are openai-strict, openai, anthropic, gemini, ollama, mcp"):
        Schema.empty().for_provider("cohere")


def test_what_is_not_json_is_refused_and_what_is_given_never_changed() -> None:
    with pytest.raises(InvalidSchemaError, match="type: is a object, which is not JSON"):
        translate({"type": object()}, "gemini")
    document = closed(
        {"x": {"allOf": [{"$ref": "#/$defs/A"}, {"minLength": 1}]}}, **{"$defs": {"A": {"type": "string"}}}
    )
    before = copy.deepcopy(document)
    for dialect in DIALECTS:
        found = translate(document, dialect)
        with pytest.raises(TypeError):
            found.document["type"] = "array"  # type: ignore[index]
    assert document == before


def test_a_change_reads_as_a_sentence() -> None:
    assert str(Change("tags[].name", "minLength", "left out")) == "tags[].name: minLength: left out"
    assert str(Change("", "anyOf", "left out")) == "the schema: anyOf: left out"
    assert Translation({}) == Translation({}, (), strict=False)


# OpenAI, strict


@keeps("schema.dialect_strict")
@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"type": "string", "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"enum": ["a", 1]}, {"type": ["string", "integer", "null"], "enum": ["a", 1, None]}),
        ({"const": 1}, {"type": ["integer", "null"], "enum": [1, None]}),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]},
         {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"$ref": "#/$defs/D"}, {"anyOf": [{"$ref": "#/$defs/D"}, {"type": "null"}]}),
        ({"$ref": "#/$defs/N"}, {"$ref": "#/$defs/N"}),
        ({"type": "array", "items": closed({"y": {"type": "boolean"}})},
         {"type": ["array", "null"], "items": closed({"y": {"type": ["boolean", "null"]}}, "y")}),
    ],
)  # fmt: skip
def test_what_is_optional_becomes_required_and_may_be_null(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    definitions = {"D": {"type": "string"}, "N": {"type": ["string", "null"]}}
    found = translate(closed({"x": schema}, **{"$defs": definitions}), "openai-strict")
    assert found.strict
    assert found.document["required"] == ["x"]
    assert thaw(found.document)["properties"]["x"] == expected
    assert found.changes == ()


@keeps("schema.dialect_words", "schema.dialect_changes")
@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string", "minLength": 1, "maxLength": 5}, "(at least 1 character; at most 5 characters)"),
        ({"type": "string", "description": "Name.", "default": "a"}, 'Name. (default: "a")'),
        ({"type": "string", "format": "path", "x-must-exist": True}, "(the path of a file or folder)"),
        ({"type": "string", "pattern": "^(?!a)"}, "(matches ^(?!a))"),
        ({"type": "string", "examples": ["a", "b"], "deprecated": True}, '(for example "a", "b"; deprecated)'),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, "(no item twice)"),
        (closed({"a": {"type": "string"}}, "a", minProperties=1, propertyNames={"maxLength": 3}),
         '(at least 1 property; each name fits {"maxLength":3})'),
        ({"type": "string", "contentEncoding": "base64"}, "(encoded as base64)"),
    ],
)  # fmt: skip
def test_what_strict_does_not_know_is_said_in_words(schema: dict[str, Any], words: str) -> None:
    found = translate(closed({"x": schema}, "x"), "openai-strict")
    assert found.strict
    assert thaw(found.document)["properties"]["x"]["description"] == words
    lost = set(schema) - STRICT_KEYWORDS | ({"pattern"} if "(?!" in str(schema) else set())
    lost |= {"format"} if schema.get("format") == "path" else set()
    assert {change.keyword for change in found.changes} == lost
    assert {change.path for change in found.changes} == {"x"}


@keeps("schema.dialect_strict")
def test_constraints_that_strict_knows_are_kept() -> None:
    for schema in (
        {"type": "string", "pattern": "^a+$", "format": "email"},
        {"type": "number", "minimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.1},
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
        {"type": "string", "const": "a", "title": "T"},
    ):
        assert one(schema, "openai-strict") == schema


@keeps("schema.dialect_strict")
def test_words_beside_a_reference_move_around_it() -> None:
    document = closed({"x": {"$ref": "#/$defs/D", "description": "Here.", "default": "a"}}, "x",
                      **{"$defs": {"D": {"type": "string"}}})  # fmt: skip
    found = thaw(translate(document, "openai-strict").document)["properties"]["x"]
    assert found == {"anyOf": [{"$ref": "#/$defs/D"}], "description": 'Here. (default: "a")'}


@keeps("schema.dialect_strict")
def test_recursion_stays_and_every_reference_leads_to_a_definition() -> None:
    tree = closed(
        {"kids": {"type": "array", "items": {"$ref": "#"}}, "next": {"$ref": "#/definitions/N"},
         "again": {"$ref": "#/properties/kids"}},
        "kids", "next", "again",
        definitions={"N": {"type": ["object", "null"], "properties": {"n": {"$ref": "#/definitions/N"}},
                           "required": ["n"], "additionalProperties": False}},
    )  # fmt: skip
    found = translate(tree, "openai-strict")
    assert found.strict
    assert Schema(found.document).validate({"kids": [], "next": {"n": {"n": None}}, "again": []}).valid
    assert set(found.document["$defs"]) == {"N", "kids"}


@keeps("schema.dialect_strict")
def test_schemas_that_must_all_hold_become_one() -> None:
    both = {"allOf": [{"$ref": "#/$defs/A"}, {"properties": {"b": {"type": "integer"}}, "required": ["b"]}]}
    definitions = {"A": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}}
    found = translate(closed({"x": both}, "x", **{"$defs": definitions}), "openai-strict")
    assert thaw(found.document)["properties"]["x"] == closed(
        {"a": {"type": "string"}, "b": {"type": "integer"}}, "a", "b"
    )
    assert [change.keyword for change in found.changes] == ["additionalProperties"]


def test_one_of_is_any_of_and_a_loss_only_where_two_may_fit() -> None:
    tagged = {"oneOf": [closed({"t": {"const": "a"}}, "t"), closed({"t": {"const": "b"}}, "t")]}
    loose = {"oneOf": [{"type": "number"}, {"type": "integer"}]}
    for schema, losses in ((tagged, []), (loose, ["oneOf"])):
        found = translate(closed({"x": schema}, "x"), "openai-strict")
        assert len(found.document["properties"]["x"]["anyOf"]) == 2
        assert [change.keyword for change in found.changes] == losses


def test_a_tuple_becomes_a_list_whose_order_is_in_the_description() -> None:
    schema = {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2}
    assert one(schema, "openai-strict") == {
        "type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "minItems": 2, "maxItems": 2,
        "description": "(in this order: integer, string)",
    }  # fmt: skip


@keeps("schema.dialect_fallback")
@pytest.mark.parametrize(
    ("document", "path", "keyword"),
    [
        (closed({"x": {"type": "object", "additionalProperties": {"type": "integer"}}}), "x", "additionalProperties"),
        (closed({"x": {"type": "object"}}), "x", "additionalProperties"),
        (closed({"x": {"type": "object", "patternProperties": {"^a": {}}}}), "x", "patternProperties"),
        (closed({"x": {}}), "x", "type"),
        (closed({"x": True}), "x", "type"),
        (closed({"x": {"type": "array"}}), "x[]", "type"),
        (closed({"x": {"type": "string", "not": {"const": "a"}}}), "x", "not"),
        (closed({"x": {"type": "string", "if": {"const": "a"}, "then": {"minLength": 1}}}), "x", "if"),
        (closed({"x": {"type": "array", "items": {"enum": [[1]]}}}), "x[]", "enum"),
        (closed({"x": {"allOf": [{"anyOf": [{"type": "string"}]}, {"anyOf": [{"type": "integer"}]}]}}), "x", "allOf"),
        (closed({}, "gone"), "", "required"),
        (closed({"x": {"anyOf": [False]}}), "x", "anyOf"),
        (closed({"x": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": {"$ref": "#/$defs/A", "minLength": 1}}}), "x", "$ref"),
        (closed({"x": {"$ref": "#/$defs/A", "pattern": "a"}}, **{"$defs": {"A": {"pattern": "b"}}}), "x", "$ref"),
        (closed({"x": nested_arrays(45)}), f"x{'[]' * 40}", "type"),
        (closed({"a": {"type": "string"}}, dependentRequired={"a": ["a"]}), "", "dependentRequired"),
        ({"anyOf": [closed({}), closed({})]}, "", "anyOf"),
        ({"type": "string"}, "", "type"),
        (closed({"x": {"$ref": "#/nowhere"}}), "x", "type"),
        (closed({f"p{n}": {"type": "string"} for n in range(5_001)}), "", "properties"),
        (closed({"x": {"enum": [f"v{n}" for n in range(1_001)]}}), "", "properties"),
        (closed({"x": {"enum": ["v" * 100 + str(n) for n in range(300)]}}), "", "enum"),
    ],
)
def test_without_a_strict_form_the_other_is_taken_and_the_reason_said(
    document: dict[str, Any], path: str, keyword: str
) -> None:
    found = translate(document, "openai-strict")
    assert not found.strict
    assert found.document == translate(document, "openai").document
    assert (found.changes[0].path, found.changes[0].keyword) == (path, keyword)
    assert found.changes[0].note.endswith("; the function is sent as one that is not strict")


@keeps("schema.dialect_fallback")
def test_ten_levels_of_objects_are_strict_and_eleven_are_not() -> None:
    def nested(levels: int) -> dict[str, Any]:
        return closed({"x": nested(levels - 1)} if levels > 1 else {}, *(["x"] if levels > 1 else []))

    assert translate(nested(10), "openai-strict").strict
    assert not translate(nested(11), "openai-strict").strict


# OpenAI, Anthropic, MCP: the outermost schema


def test_openai_wants_properties_and_items_to_be_there() -> None:
    found = translate({"type": "object"}, "openai")
    assert (found.document, found.changes) == ({"type": "object", "properties": {}}, ())
    assert one({"type": ["array", "null"]}, "openai") == {"type": ["array", "null"], "items": {}}
    assert one({"type": "array"}, "anthropic") == {"type": "array"}


ALTERNATIVES = {
    "anyOf": [
        closed({"a": {"type": "string"}, "c": {"type": "string"}}, "a", "c"),
        closed({"b": {"type": "string"}, "c": {"type": "integer"}}, "b", "c"),
    ]
}


@pytest.mark.parametrize("dialect", ["openai", "anthropic", "gemini", "ollama"])
def test_alternatives_at_the_top_become_one_object_that_says_what_belongs_together(dialect: str) -> None:
    found = translate(ALTERNATIVES, dialect)
    either = {"anyOf": [{"type": "string"}, {"type": "integer"}]}
    assert thaw(found.document)["properties"] == {"a": {"type": "string"}, "b": {"type": "string"}, "c": either}
    assert found.document["required"] == ["c"]
    assert found.document["description"] == "(either a and c, or b and c)"
    assert found.document["type"] == "object"
    assert "anyOf" in {change.keyword for change in found.changes}


def test_a_server_lists_alternatives_as_they_are() -> None:
    found = translate(ALTERNATIVES | {"$schema": "http://json-schema.org/draft-07/schema#"}, "mcp")
    assert found.document["anyOf"] == ALTERNATIVES["anyOf"]
    assert found.document["type"] == "object"
    assert found.document["$schema"].endswith("draft-07/schema#")


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_needing_one_of_two_properties_is_said_in_the_description(dialect: str) -> None:
    document = closed(
        {"a": {"type": "string"}, "b": {"type": "string"}}, anyOf=[{"required": ["a"]}, {"required": ["b"]}]
    )
    found = translate(document, dialect)
    assert found.document["description"] == "(either a, or b)"
    assert "anyOf" not in found.document
    assert set(found.document["properties"]) == {"a", "b"}


@pytest.mark.parametrize("dialect", [dialect for dialect in DIALECTS if dialect != "openai-strict"])
def test_what_the_top_refers_to_takes_its_place(dialect: str) -> None:
    inner = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    document = {"$ref": "#/$defs/Top", "$defs": {"Top": {"$ref": "#/$defs/Inner"}, "Inner": inner}}
    found = translate(document, dialect)
    assert {key: found.document[key] for key in inner} == inner
    assert translate(document, "openai-strict").strict
    assert translate({"$ref": "#"}, dialect).document["type"] == "object"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_nested_beyond_reason_is_cut_with_a_note(dialect: str) -> None:
    found = translate(closed({"x": nested_arrays(60)}), dialect)
    assert [change.path.count("[]") for change in found.changes] in ([], [40], [39], [39, 39])
    assert found.document["properties"]["x"]["type"] in ("array", ["array", "null"])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_top_that_is_no_object_is_reported(dialect: str) -> None:
    found = translate({"type": "string"}, dialect)
    assert found.changes[-1].keyword == "type"


def test_anthropic_takes_only_certain_names_of_properties() -> None:
    document = {"type": "object", "properties": {"$top": {"type": "string"}, "fine.name-1": {}, "über": {}}}
    found = translate(document | {"required": ["$top"]}, "anthropic")
    assert list(found.document["properties"]) == ["$top", "fine.name-1"]
    assert [(change.path, change.note.rpartition("; ")[2]) for change in found.changes] == [
        ("$top", "will be refused: rename it"), ("über", "left out"),
    ]  # fmt: skip


def test_older_drafts_become_the_newest_but_for_servers() -> None:
    document = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "t": {"type": "array", "items": [{"type": "string"}], "additionalItems": False},
            "n": {"type": "number", "minimum": 1, "exclusiveMinimum": True},
            "r": {"$ref": "#/definitions/R", "minLength": 5, "description": "Kept."},
        },
        "dependencies": {"t": ["n"], "n": {"required": ["r"]}},
        "definitions": {"R": {"type": "string"}},
    }
    found = thaw(translate(document, "anthropic").document)
    assert "$schema" not in found
    assert found["properties"] == {
        "t": {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
        "n": {"type": "number", "exclusiveMinimum": 1},
        "r": {"$ref": "#/definitions/R", "description": "Kept."},
    }
    assert found["dependentRequired"] == {"t": ["n"]}
    assert found["dependentSchemas"] == {"n": {"required": ["r"]}}
    assert translate(document, "mcp").document == document


# Gemini


@keeps("schema.dialect_gemini")
@pytest.mark.parametrize(
    ("schema", "expected", "losses"),
    [
        ({"$ref": "#/$defs/D", "description": "Here."}, {"type": "string", "minLength": 1, "description": "Here."}, []),
        ({"const": "a"}, {"type": "string", "enum": ["a"]}, []),
        ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}, []),
        ({"enum": ["a", None]}, {"type": "string", "enum": ["a"], "nullable": True}, []),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "description": "(one of 1, 2)"}, ["enum"]),
        ({"enum": [1, "a"]},
         {"anyOf": [{"type": "integer", "description": "(one of 1)"}, {"type": "string", "enum": ["a"]}]}, ["enum"]),
        ({"type": ["string", "null"], "minLength": 1}, {"type": "string", "minLength": 1, "nullable": True}, []),
        ({"type": ["string", "integer", "null"], "minLength": 1, "minimum": 2},
         {"anyOf": [{"type": "string", "minLength": 1, "nullable": True}, {"type": "integer", "minimum": 2}]}, []),
        ({"oneOf": [{"type": "string"}, {"type": "boolean"}], "description": "D"},
         {"anyOf": [{"type": "string", "description": "D"}, {"type": "boolean", "description": "D"}]}, []),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "D"},
         {"type": "string", "nullable": True, "description": "D"}, []),
        ({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9.5},
         {"type": "integer", "minimum": 1, "maximum": 9}, []),
        ({"type": "number", "exclusiveMinimum": 0}, {"type": "number", "description": "(more than 0)"},
         ["exclusiveMinimum"]),
        ({"type": "integer", "multipleOf": 2}, {"type": "integer", "description": "(a multiple of 2)"}, ["multipleOf"]),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}, []),
        ({"type": "string", "format": "uuid"}, {"type": "string", "description": "(format: uuid)"}, ["format"]),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True},
         {"type": "array", "items": {"type": "string"}, "description": "(no item twice)"}, ["uniqueItems"]),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "maxItems": 2},
         {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "maxItems": 2,
          "description": "(in this order: integer, string)"}, ["prefixItems"]),
        (closed({}), {"type": "object"}, []),
        ({"type": "object", "additionalProperties": {"type": "integer"}},
         {"type": "object", "description": '(any further properties, each fitting {"type":"integer"})'},
         ["additionalProperties"]),
        ({"type": "null"}, {"type": "null"}, []),
        ({"not": {"type": "string"}},
         {"anyOf": [{"type": "string", "nullable": True}, {"type": "number"}, {"type": "boolean"}]}, ["type"]),
        ({}, {"anyOf": [{"type": "string", "nullable": True}, {"type": "number"}, {"type": "boolean"}]}, ["type"]),
        ({"allOf": [{"type": "string"}, {"maxLength": 3}]}, {"type": "string", "maxLength": 3}, []),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, {"type": "string"}, ["allOf"]),
    ],
)  # fmt: skip
def test_gemini_is_sent_its_own_subset(schema: dict[str, Any], expected: dict[str, Any], losses: list[str]) -> None:
    document = closed({"x": schema}, "x", **{"$defs": {"D": {"type": "string", "minLength": 1}}})
    found = translate(document, "gemini")
    assert thaw(found.document) == {"type": "object", "properties": {"x": expected}, "required": ["x"]}
    assert [change.keyword for change in found.changes] == losses


@keeps("schema.dialect_gemini", "schema.dialect_bounded")
@pytest.mark.parametrize("dialect", ["gemini", "ollama"])
def test_a_type_that_contains_itself_is_written_out_a_few_times(dialect: str) -> None:
    tree = closed({"v": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#"}}}, "v")
    found = translate(tree, dialect)
    first = found.document["properties"]["kids"]["items"]
    last = first["properties"]["kids"]["items"]["properties"]["kids"]["items"]
    assert last == {"type": "object", "description": "(nested further as above)"}
    assert [change.path for change in found.changes if change.keyword == "$ref"] == ["kids[].kids[].kids[]"]


# Ollama


def test_ollama_is_sent_what_it_reads_and_the_rest_in_words() -> None:
    schema = {
        "type": ["string", "null"], "minLength": 2, "default": None, "format": "path", "description": "Where.",
        "x-must-exist": True,
    }  # fmt: skip
    definitions = {"A": {"type": "array", "items": {"oneOf": [{"type": "string"}]}}}
    document = closed({"x": schema, "c": {"const": 3}, "a": {"$ref": "#/$defs/A"}}, **{"$defs": definitions})
    found = translate(document, "ollama")
    assert thaw(found.document)["properties"] == {
        "x": {
            "type": ["string", "null"],
            "description": "Where. (at least 2 characters; the path of a file or folder)",
        },
        "c": {"type": "integer", "enum": [3]},
        "a": {"type": "array", "items": {"anyOf": [{"type": "string"}]}},
    }
    assert {change.keyword for change in found.changes} == {"minLength", "format", "x-must-exist"}


# Laws

names = st.sampled_from(["a", "b", "c"])
texts = st.sampled_from(["", "x", "1", "yes"])


def objects(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    def make(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
        return closed(properties, *(name for name in dict.fromkeys(required) if name in properties))

    return st.builds(make, st.dictionaries(names, inner, max_size=3), st.lists(names))


simple: st.SearchStrategy[dict[str, Any]] = st.sampled_from([
    {"type": "string"},
    {"type": "string", "minLength": 1, "default": "x"},
    {"type": "string", "enum": ["x", "1"]},
    {"type": "string", "pattern": "^(?!y)"},
    {"type": "integer", "minimum": 0, "exclusiveMaximum": 3},
    {"type": ["number", "null"]},
    {"type": "boolean"},
    {"const": 1},
    {"enum": ["x", 1, None]},
    {"type": "null"},
    {"$ref": "#/$defs/Leaf"},
    {"$ref": "#/$defs/Tree", "description": "D"},
])  # fmt: skip
closed_schemas = st.recursive(
    simple,
    lambda inner: (
        objects(inner)
        | st.builds(lambda items: {"type": "array", "items": items, "uniqueItems": True}, inner)
        | st.builds(lambda first, second: {"anyOf": [first, second]}, inner, inner)
        | st.builds(
            lambda first, second: {"type": "array", "prefixItems": [first, second], "maxItems": 2}, inner, inner
        )
    ),
    max_leaves=8,
)
DEFINITIONS = {
    "Leaf": {"type": ["string", "null"], "maxLength": 3},
    "Tree": closed({"kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}, "v": {"type": "integer"}}, "v"),
}


def valid_values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that fit a schema of those above."""
    if "$ref" in schema:
        leaf = schema["$ref"].endswith("Leaf")
        return valid_values(DEFINITIONS["Leaf"]) if leaf else st.sampled_from([{"v": 1}, {"v": 2, "kids": [{"v": 3}]}])
    if "anyOf" in schema:
        return st.one_of(*map(valid_values, schema["anyOf"]))
    if schema.get("type") == "object":
        properties = {name: valid_values(inner) for name, inner in schema["properties"].items()}
        required = schema.get("required", [])
        return st.fixed_dictionaries(
            {name: properties[name] for name in required},
            optional={name: inner for name, inner in properties.items() if name not in required},
        )
    if "prefixItems" in schema:
        return st.tuples(*map(valid_values, schema["prefixItems"])).map(list)
    if "items" in schema:
        return st.lists(valid_values(schema["items"]), max_size=1)
    candidates = ("", "x", "1", "yes", 0, 1, 2, 1.5, True, None)
    return st.sampled_from([value for value in candidates if Schema(schema).validate(value).valid])


def with_nulls(schema: dict[str, Any], value: Any) -> Any:
    """Return a value as a strict function is given it: null for every optional property that is missing."""
    if "$ref" in schema:
        return with_nulls(DEFINITIONS[schema["$ref"].rpartition("/")[2]], value)
    if "anyOf" in schema:
        fitting = (one for one in schema["anyOf"] if Schema({**one, "$defs": DEFINITIONS}).validate(value).valid)
        return with_nulls(next(fitting), value)
    if isinstance(value, dict):
        return {
            name: with_nulls(inner, value[name]) if name in value else None
            for name, inner in schema["properties"].items()
        }
    if isinstance(value, list):
        prefix = schema.get("prefixItems", [])
        return [with_nulls(prefix[n] if prefix else schema["items"], item) for n, item in enumerate(value)]
    return value


@keeps("schema.dialect_strict")
@given(st.data())
def test_a_valid_value_with_null_for_what_is_absent_fits_the_strict_form(data: st.DataObject) -> None:
    schema = data.draw(objects(closed_schemas)) | {"$defs": DEFINITIONS}
    value = data.draw(valid_values(schema))
    assert Schema(schema).validate(value).valid
    found = translate(schema, "openai-strict")
    assert found.strict
    assert Schema(found.document).validate(with_nulls(schema, value)).valid


@keeps("schema.dialect_null")
def test_a_null_for_what_is_optional_is_read_as_not_given() -> None:
    schema = Schema(closed({"a": {"type": "string"}, "o": closed({"b": {"type": "integer"}})}, "o"))
    assert schema.for_provider("openai-strict").schema.validate({"a": None, "o": {"b": None}}).valid
    back, _ = schema.repair({"a": None, "o": {"b": None}})
    assert back == {"o": {}}


anything = st.recursive(
    st.booleans()
    | st.sampled_from([
        {}, {"type": "string", "format": "path"}, {"type": ["object", "array"], "minItems": 1}, {"type": "null"},
        {"enum": [1, "a", [2], None]},
        {"const": {"a": 1}}, {"$ref": "#"}, {"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}, {"$ref": "#/nowhere"},
        {"required": ["a"]}, {"minimum": 1, "multipleOf": 2}, {"type": "array", "items": False},
        {"$ref": "#/$defs/A", "minLength": 2}, {"type": "object", "properties": {"a": False}, "required": ["a"]},
    ]),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", "string", ["object", "null"], ["integer", "string"]]),
            "properties": st.dictionaries(names, inner, max_size=2),
            "additionalProperties": inner,
            "patternProperties": st.dictionaries(st.just("^a"), inner, max_size=1),
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            "if": inner,
            "then": inner,
            "description": texts,
            "required": st.lists(names, unique=True),
            "dependentSchemas": st.dictionaries(names, inner, max_size=1),
        },
    ),
    max_leaves=12,
)  # fmt: skip


def is_sound(found: Translation, keywords: set[str]) -> None:
    for schema in subschemas(found.document):
        assert set(schema) <= keywords
    if keywords is STRICT_KEYWORDS:
        for schema in subschemas(found.document):
            if "object" in schema.get("type", ()):
                assert schema["additionalProperties"] is False
                assert list(schema["properties"]) == schema["required"]


@keeps("schema.dialect_bounded")
@given(anything.filter(lambda schema: isinstance(schema, dict)), anything, anything)
def test_whatever_the_schema_every_dialect_gives_a_valid_one(document: Any, one: Any, other: Any) -> None:
    document = {**document, "$defs": {"A": one, "B": other}}
    before = copy.deepcopy(document)
    for dialect in DIALECTS:
        found = translate(document, dialect)
        if "nowhere" not in str(document) or dialect in ("gemini", "ollama") or found.strict:
            check_meta(found.document)
        allowed = {"gemini": GEMINI_KEYWORDS, "ollama": OLLAMA_KEYWORDS}.get(dialect)
        allowed = STRICT_KEYWORDS if found.strict else allowed
        if allowed is not None:
            is_sound(found, allowed)
    assert document == before


def check_meta(document: Mapping[str, Any]) -> None:
    """Hold a document against the meta-schema, circles of references left aside."""
    meta = Schema({"$ref": "https://json-schema.org/draft/2020-12/schema"})
    assert meta.validate(thaw(document)).valid


@keeps("schema.dialect_bounded")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_short_schema_that_doubles_itself_stays_bounded(dialect: str) -> None:
    definitions: dict[str, Any] = {
        f"D{n}": closed({"l": {"$ref": f"#/$defs/D{n + 1}"}, "r": {"$ref": f"#/$defs/D{n + 1}"}}) for n in range(30)
    }
    definitions["D30"] = {"type": "string"}
    document = closed({"x": {"$ref": "#/$defs/D0"}}, **{"$defs": definitions})
    found = translate(document, dialect)
    assert len(subschemas(found.document)) < 60_000
    assert len(found.changes) <= 1_001
    if dialect in ("gemini", "ollama"):
        assert any(change.keyword == "$ref" for change in found.changes)


def referring(definitions: dict[str, Any]) -> dict[str, Any]:
    """Return a document whose one property refers to a definition A."""
    return closed({"x": {"$ref": "#/$defs/A"}}, **{"$defs": definitions})


CHAIN: dict[str, Any] = {
    f"D{n}": {"type": "array", "items": {"$ref": f"#/$defs/D{n + 1}"} if n < 2_000 else {"type": "null"}}
    for n in range(2_001)
}


@keeps("schema.dialect_bounded")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "document",
    [
        referring({"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}),
        referring({"A": {"allOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}}),
        referring({"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}}),
        referring({"A": {"anyOf": [{"$ref": "#/$defs/A"}] * 9, "properties": {"a": {"$ref": "#/$defs/A"}}}}),
        referring({"A": {"anyOf": [{"required": ["a"]}, {}] * 900, "properties": {f"p{n}": {} for n in range(900)}}}),
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}},
        {"allOf": [{"$ref": "#"}], "type": "object"},
        referring({"A": {"type": "array", "items": {"$ref": "#/$defs/D0"}}} | CHAIN),
        referring({"A": {"$ref": "#/$defs/D0"}} | {name: inner["items"] for name, inner in CHAIN.items()}),
    ],
    ids=["circle", "allOf", "anyOf", "many", "product", "root", "root allOf", "chain", "long chain"],
)  # fmt: skip
def test_circles_and_long_chains_of_references_come_to_an_end(document: dict[str, Any], dialect: str) -> None:
    found = translate(document, dialect)
    assert found.document["type"] == "object"
