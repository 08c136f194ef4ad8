"""The language, keyword by keyword: what is valid and what is not, in draft 2020-12 and draft 7."""

from __future__ import annotations

from typing import Any

import pytest

from tests.promises import keeps
from toolwright.schema import Schema
from toolwright.schema.document import Document
from toolwright.schema.evaluate import Evaluation

D7 = "http://json-schema.org/draft-07/schema#"
D2019 = "https://json-schema.org/draft/2019-09/schema"
D2020 = "https://json-schema.org/draft/2020-12/schema"
D4 = "http://json-schema.org/draft-04/schema#"

# Each: a schema, values that are valid by it, values that are not.
Case = tuple[Any, list[Any], list[Any]]

EVERYWHERE: list[Case] = [
    # boolean and empty schemas
    (True, [None, 1, "a", [], {}], []),
    (False, [], [None, 1, "a", [], {}]),
    ({}, [None, 1, "a", [], {}], []),
    ({"unknown": 3, "x-anything": {}}, [None, 1], []),
    # type
    ({"type": "integer"}, [0, -1, 1.0, 10**30], [1.5, "1", True, None, [], {}]),
    ({"type": "number"}, [0, 1.5, 10**30], ["1", True, None]),
    ({"type": "string"}, ["", "a", "\U0001f600"], [1, None, ["a"]]),
    ({"type": "boolean"}, [True, False], [0, 1, "true", None]),
    ({"type": "null"}, [None], [0, False, "", [], {}]),
    ({"type": "array"}, [[], [1]], [{}, "[]", None]),
    ({"type": "object"}, [{}, {"a": 1}], [[], "{}", None]),
    ({"type": ["integer", "null"]}, [1, None], ["1", 1.5, True]),
    ({"type": ["object", "array"]}, [{}, []], ["", 1]),
    # enum and const
    ({"enum": [1, "a", None]}, [1, 1.0, "a", None], [True, "1", 0, "A"]),
    ({"enum": [[1, {"a": 1}]]}, [[1, {"a": 1}], [1.0, {"a": 1}]], [[True, {"a": 1}], [1], [{"a": 1}, 1]]),
    ({"enum": [False]}, [False], [0, None, [False]]),
    ({"enum": [[False]]}, [[False]], [[0], False]),
    ({"enum": [True]}, [True], [1, 1.0]),
    ({"enum": [0]}, [0, 0.0, -0.0], [False, None]),
    ({"const": 1}, [1, 1.0], [True, "1", 2]),
    ({"const": False}, [False], [0, 0.0, None]),
    ({"const": {"a": [1, True]}}, [{"a": [1, True]}], [{"a": [True, 1]}, {"a": [1, True], "b": 1}]),
    ({"const": None}, [None], [0, False, "null"]),
    ({"const": 9007199254740992}, [9007199254740992, 9007199254740992.0], [9007199254740991]),
    # numbers
    ({"minimum": 1}, [1, 1.0, 2, "0", None], [0, 0.99, -1]),
    ({"minimum": -2}, [-2, -1.5, 0], [-2.0001, -3]),
    ({"maximum": 300}, [300, 300.0, -1], [300.5, 301]),
    ({"exclusiveMinimum": 0}, [0.0001, 1], [0, 0.0, -1]),
    ({"exclusiveMaximum": 3.0}, [2.9, -3], [3, 3.0, 3.5]),
    ({"minimum": 1, "maximum": 10}, [1, 5, 10], [0, 11]),
    ({"maximum": 18446744073709551615}, [18446744073709551600], [18446744073709551616]),
    ({"minimum": -(10**30)}, [-(10**30)], [-(10**30) - 1]),
    ({"multipleOf": 2}, [0, 10, -4, 4.0, "7"], [7, 0.5]),
    ({"multipleOf": 1.5}, [0, 4.5, 3], [35]),
    ({"multipleOf": 0.01}, [19.99, 0.07, 1.1, 4.02], [0.001, 19.995]),
    ({"multipleOf": 0.0001}, [0.0075], [0.00751]),
    ({"type": "integer", "multipleOf": 0.5}, [1, 10**20], [1.25]),
    # texts
    ({"minLength": 2}, ["ab", "\U0001f600\U0001f600", 1], ["", "a", "\U0001f600"]),
    ({"maxLength": 2}, ["ab", "", "\U0001f600\U0001f600", 100], ["abc", "e\u0301\u0302"]),
    ({"minLength": 2.0, "maxLength": 2.0}, ["ab"], ["a", "abc"]),
    ({"pattern": "^a*$"}, ["", "aa", 1, None], ["ab", "b"]),
    ({"pattern": "a+"}, ["xaay", "a"], ["", "b"]),
    ({"pattern": r"^\d+$"}, ["42"], ["", "4 2", "\u0968"]),
    ({"pattern": r"^\w$"}, ["a", "_", "7"], ["\u00e9", "-"]),
    ({"pattern": r"^\s$"}, [" ", "\t", "\u00a0", "\ufeff"], ["a", ""]),
    ({"pattern": r"^\S$"}, ["a"], ["\u2003"]),
    ({"pattern": r"^\p{Lu}$"}, ["A", "\u00c9"], ["a", "1"]),
    ({"pattern": r"^\p{Letter}+$"}, ["Ab\u00e9"], ["1", "a1"]),
    ({"pattern": r"^\cJ$"}, ["\n"], ["J"]),
    ({"pattern": "^a$"}, ["a"], ["a\n", "ab"]),
    ({"pattern": "^(?=.*[0-9]).{3,}$"}, ["ab1"], ["abc", "1"]),
    ({"pattern": "^(?!admin).*$"}, ["user"], ["administrator"]),
    ({"pattern": r"^(a|b)\1$"}, ["aa", "bb"], ["ab"]),
    ({"pattern": "^\U0001f432*$"}, ["\U0001f432\U0001f432"], ["\U0001f409"]),
    # arrays
    ({"items": {"type": "integer"}}, [[], [1, 2], {}, "a"], [[1, "a"], [None]]),
    ({"items": False}, [[], {}], [[1]]),
    ({"items": True}, [[], [1, "a"]], []),
    ({"minItems": 1}, [[1], "", {}], [[]]),
    ({"maxItems": 2.0}, [[], [1, 2], "aaaa"], [[1, 2, 3]]),
    (
        {"uniqueItems": True},
        [[], [1, 2], [1, True], [0, False], [[1], [True]], [{"a": 1}, {"a": 2}], ["1", 1]],
        [[1, 1], [1, 1.0], [{"a": 1, "b": 2}, {"b": 2, "a": 1}], [[[1]], [[1]]], ["a", "a"], [10**30, 10**30]],
    ),
    ({"uniqueItems": True, "items": {"uniqueItems": True}}, [[[1, 2], [2, 1]]], [[[1, 1]], [[1], [1]]]),
    ({"uniqueItems": False}, [[1, 1]], []),
    ({"contains": {"minimum": 5}}, [[1, 5], [6], {}, "a"], [[], [1, 2]]),
    ({"contains": True}, [["a"]], [[]]),
    ({"contains": False}, [{}], [[], [1]]),
    # objects
    ({"required": ["a", "b"]}, [{"a": 1, "b": None}, [], "a"], [{}, {"a": 1}]),
    ({"required": []}, [{}], []),
    ({"required": ["__proto__", "toString"]}, [{"__proto__": 1, "toString": 2}], [{}]),
    ({"properties": {"a": {"type": "integer"}}}, [{}, {"a": 1}, {"b": "x"}, [], "a"], [{"a": "1"}, {"a": None}]),
    ({"properties": {"a": False}}, [{}, {"b": 1}], [{"a": 1}]),
    ({"properties": {"a\nb": {"type": "integer"}, 'q"': {"type": "null"}}}, [{"a\nb": 1, 'q"': None}], [{"a\nb": "x"}]),
    ({"properties": {"$ref": {"type": "string"}}}, [{"$ref": "a"}], [{"$ref": 2}]),
    ({"patternProperties": {"^x-": {"type": "integer"}}}, [{}, {"x-a": 1, "y": "a"}], [{"x-a": "1"}]),
    ({"patternProperties": {"a": {"minimum": 3}, "b": {"maximum": 5}}}, [{"ab": 4}], [{"ab": 2}, {"ab": 6}]),
    ({"patternProperties": {"^a$": False}}, [{"aa": 1}], [{"a": 1}]),
    ({"properties": {"a": {}}, "additionalProperties": False}, [{}, {"a": 1}, []], [{"b": 1}, {"a": 1, "b": 2}]),
    (
        {"properties": {"a": {}}, "patternProperties": {"^v": {}}, "additionalProperties": False},
        [{"a": 1, "vroom": 2}],
        [{"quux": 1}],
    ),
    ({"additionalProperties": {"type": "boolean"}}, [{}, {"a": True}], [{"a": 1}]),
    ({"properties": {"a": {}}, "additionalProperties": {"type": "boolean"}}, [{"a": 1, "b": True}], [{"a": 1, "b": 1}]),
    ({"allOf": [{"properties": {"a": {}}}], "additionalProperties": {"type": "boolean"}}, [{"a": True}], [{"a": 1}]),
    ({"minProperties": 1}, [{"a": 1}, []], [{}]),
    ({"maxProperties": 1}, [{}, {"a": 1}, [1, 2]], [{"a": 1, "b": 2}]),
    ({"propertyNames": {"maxLength": 3}}, [{}, {"abc": 1}, []], [{"abcd": 1}]),
    ({"propertyNames": {"pattern": "^a"}}, [{"a": 1}], [{"b": 1}]),
    ({"propertyNames": {"enum": ["a", "b"]}}, [{"a": 1}], [{"c": 1}]),
    ({"propertyNames": False}, [{}], [{"a": 1}]),
    ({"dependencies": {"a": ["b"]}}, [{}, {"b": 1}, {"a": 1, "b": 2}], [{"a": 1}]),
    (
        {"dependencies": {"a": {"properties": {"b": {"type": "integer"}}}}},
        [{"a": 1, "b": 2}, {"b": "x"}],
        [{"a": 1, "b": "x"}],
    ),
    ({"dependencies": {"a": False}}, [{}, {"b": 1}], [{"a": 1}]),
    # combinations
    ({"allOf": [{"minimum": 1}, {"maximum": 3}]}, [2, "a"], [0, 4]),
    ({"allOf": [True, False]}, [], [1, {}]),
    ({"anyOf": [{"type": "integer"}, {"minimum": 2}]}, [1, 2.5, 3, "a"], [1.5]),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, ["", None], [1, []]),
    ({"anyOf": [False, False]}, [], [1]),
    ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, [1, 2.5], [3, 1.5]),
    ({"oneOf": [True, True]}, [], [1]),
    ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, [{"a": 1}, {"b": 1}], [{}, {"a": 1, "b": 2}]),
    ({"not": {"type": "integer"}}, ["a", 1.5], [1, 1.0]),
    ({"not": {"not": {"type": "null"}}}, [None], [1]),
    ({"not": True}, [], [1, None]),
    ({"not": False}, [1, None], []),
    ({"properties": {"a": {"not": {}}}}, [{"b": 1}], [{"a": 1}]),
    ({"if": {"exclusiveMaximum": 0}, "then": {"minimum": -10}, "else": {"multipleOf": 2}}, [-1, -10, 4], [-100, 3]),
    ({"if": {"const": 0}, "then": {"type": "string"}}, [1, "a"], [0]),
    ({"if": {"const": 0}, "else": {"const": 1}}, [0, 1], [2]),
    ({"if": {"const": 0}}, [0, 1], []),
    ({"then": {"const": 0}, "else": {"const": 1}}, [7], []),
    ({"if": True, "then": {"const": 1}, "else": {"const": 2}}, [1], [2]),
    # references
    ({"properties": {"a": {"$ref": "#"}}, "additionalProperties": False}, [{"a": {"a": {}}}], [{"a": {"b": 1}}]),
    ({"properties": {"a": {"type": "integer"}, "b": {"$ref": "#/properties/a"}}}, [{"b": 3}], [{"b": "3"}]),
    (
        {"definitions": {"a": {"type": "integer"}}, "properties": {"x": {"$ref": "#/definitions/a"}}},
        [{"x": 1}],
        [{"x": "1"}],
    ),
    (
        {
            "definitions": {"t~f": {"const": 1}, "s/f": {"const": 2}, "p%f": {"const": 3}},
            "properties": {
                "t": {"$ref": "#/definitions/t~0f"},
                "s": {"$ref": "#/definitions/s~1f"},
                "p": {"$ref": "#/definitions/p%25f"},
            },
        },
        [{"t": 1, "s": 2, "p": 3}],
        [{"t": 2}, {"s": 1}, {"p": 1}],
    ),
    ({"allOf": [{"$ref": "#/definitions/a"}, {"minimum": 2}], "definitions": {"a": {"maximum": 5}}}, [3], [1, 6]),
    (
        {
            "definitions": {
                "a": {"type": "integer"},
                "b": {"$ref": "#/definitions/a"},
                "c": {"$ref": "#/definitions/b"},
            },
            "allOf": [{"$ref": "#/definitions/c"}],
        },
        [5],
        ["a"],
    ),
    (
        {"properties": {"": {"definitions": {"x": {"const": 1}}}}, "allOf": [{"$ref": "#/properties//definitions/x"}]},
        [1],
        [2],
    ),
    ({"allOf": [{"$ref": "#/definitions/yes"}], "definitions": {"yes": True}}, [1], []),
    ({"allOf": [{"$ref": "#/definitions/no"}], "definitions": {"no": False}}, [], [1]),
    ({"items": [{"type": "integer"}], "$schema": D7}, [[1, "a"]], [["a"]]),
    (
        {"properties": {"children": {"items": {"$ref": "#"}}, "v": {"type": "integer"}}, "required": ["v"]},
        [{"v": 1, "children": [{"v": 2, "children": []}]}],
        [{"v": 1, "children": [{"v": "2"}]}, {"v": 1, "children": [{}]}],
    ),
    # references to the meta-schemas are not remote: everybody has them
    (
        {"properties": {"s": {"$ref": "http://json-schema.org/draft-07/schema#"}}},
        [{"s": {"minLength": 1}}],
        [{"s": {"minLength": -1}}],
    ),
    # names
    (
        {
            "$id": "http://x.example/root.json",
            "definitions": {"a": {"$id": "a.json", "type": "integer"}},
            "properties": {"p": {"$ref": "a.json"}, "q": {"$ref": "http://x.example/a.json"}},
        },
        [{"p": 1, "q": 2}],
        [{"p": "1"}, {"q": "2"}],
    ),
    (
        {
            "$id": "http://x.example/root.json",
            "definitions": {
                "in": {
                    "$id": "nested/",
                    "definitions": {"a": {"const": 1}},
                    "properties": {"p": {"$ref": "#/definitions/a"}},
                }
            },
            "allOf": [{"$ref": "nested/"}],
        },
        [{"p": 1}],
        [{"p": 2}],
    ),
    (
        {
            "$id": "urn:example:root",
            "definitions": {"a": {"const": 1}},
            "properties": {"p": {"$ref": "urn:example:root#/definitions/a"}},
        },
        [{"p": 1}],
        [{"p": 2}],
    ),
    (
        {
            "enum": [{"$id": "http://x.example/e", "type": "null"}],
            "definitions": {"e": {"$id": "http://x.example/f", "const": 1}},
        },
        [{"$id": "http://x.example/e", "type": "null"}],
        [1, None],
    ),
    # annotations
    (
        {"title": "t", "description": "d", "default": 5, "examples": [1], "$comment": "c", "readOnly": True},
        [1, "a"],
        [],
    ),
    ({"default": "not a number", "type": "integer"}, [1], ["a"]),
    ({"contentMediaType": "application/json", "contentEncoding": "base64"}, ["{:}", "%"], []),
    ({"format": "path"}, ["anything at all \\ / ?", 1], []),
]

ONLY_2020: list[Case] = [
    ({"prefixItems": [{"type": "integer"}, {"type": "string"}]}, [[], [1], [1, "a"], [1, "a", None]], [["a"], [1, 2]]),
    ({"prefixItems": [{"type": "integer"}], "items": {"type": "string"}}, [[1, "a"], []], [[1, 2], ["a"]]),
    ({"prefixItems": [{}, {}], "items": False}, [[1, 2], [1]], [[1, 2, 3]]),
    ({"contains": {"const": 1}, "minContains": 2}, [[1, 1], [1, 2, 1]], [[], [1], [2]]),
    ({"contains": {"const": 1}, "maxContains": 1}, [[1], [1, 2]], [[], [1, 1]]),
    ({"contains": {"const": 1}, "minContains": 0}, [[], [2]], []),
    ({"contains": {"const": 1}, "minContains": 0, "maxContains": 1}, [[], [1]], [[1, 1]]),
    ({"minContains": 2}, [[1]], []),
    ({"dependentRequired": {"a": ["b", "c"]}}, [{}, {"a": 1, "b": 1, "c": 1}, []], [{"a": 1}, {"a": 1, "b": 1}]),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, [{}, {"a": 1, "b": 1}, "a"], [{"a": 1}]),
    ({"dependentSchemas": {"a": False}}, [{}], [{"a": 1}]),
    ({"$ref": "#/$defs/a", "maximum": 5, "$defs": {"a": {"type": "integer"}}}, [3], [6, "a"]),
    ({"$defs": {"a": {"$anchor": "here", "const": 1}}, "$ref": "#here"}, [1], [2]),
    (
        {"$id": "http://x.example/r", "$defs": {"a": {"$id": "b", "$anchor": "here", "const": 1}}, "$ref": "b#here"},
        [1],
        [2],
    ),
    ({"unevaluatedProperties": False, "properties": {"a": {}}}, [{}, {"a": 1}], [{"b": 1}]),
    ({"unevaluatedProperties": {"type": "string"}, "properties": {"a": {}}}, [{"a": 1, "b": "x"}], [{"b": 1}]),
    ({"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False}, [{"a": 1}], [{"a": 1, "b": 1}]),
    (
        {
            "anyOf": [
                {"properties": {"a": {"const": 1}}, "required": ["a"]},
                {"properties": {"b": {}}, "required": ["b"]},
            ],
            "unevaluatedProperties": False,
        },
        [{"a": 1}, {"b": 2}, {"a": 1, "b": 2}],
        [{"a": 2, "b": 1}, {"a": 1, "c": 1}],
    ),
    (
        {
            "if": {"properties": {"k": {"const": 1}}, "required": ["k"]},
            "then": {"properties": {"x": {}}},
            "else": {"properties": {"y": {}}},
            "unevaluatedProperties": False,
        },
        [{"k": 1, "x": 1}, {"y": 1}],
        [{"k": 1, "y": 1}, {"x": 1}],
    ),
    (
        {
            "$ref": "#/$defs/base",
            "properties": {"b": {}},
            "unevaluatedProperties": False,
            "$defs": {"base": {"properties": {"a": {}}}},
        },
        [{"a": 1, "b": 1}],
        [{"c": 1}],
    ),
    ({"not": {"not": {"properties": {"a": {}}}}, "unevaluatedProperties": False}, [{}], [{"a": 1}]),
    (
        {"dependentSchemas": {"a": {"properties": {"b": {}}}}, "properties": {"a": {}}, "unevaluatedProperties": False},
        [{"a": 1, "b": 1}],
        [{"b": 1}],
    ),
    ({"patternProperties": {"^x": {}}, "unevaluatedProperties": False}, [{"xa": 1}], [{"a": 1}]),
    ({"allOf": [{"unevaluatedProperties": True}], "unevaluatedProperties": False}, [{"a": 1}], []),
    ({"prefixItems": [{}], "unevaluatedItems": False}, [[], [1]], [[1, 2]]),
    ({"allOf": [{"prefixItems": [{}, {}]}], "unevaluatedItems": False}, [[1, 2]], [[1, 2, 3]]),
    ({"contains": {"type": "string"}, "unevaluatedItems": False}, [["a"]], [["a", 1]]),
    (
        {"anyOf": [{"prefixItems": [{"const": 1}]}, {"prefixItems": [{}, {"const": 2}]}], "unevaluatedItems": False},
        [[1], [5, 2]],
        [[1, 3]],
    ),
    ({"items": {}, "unevaluatedItems": False}, [[1, 2]], []),
    ({"unevaluatedItems": {"type": "integer"}, "prefixItems": [{}]}, [["a", 1]], [["a", "b"]]),
    ({"$dynamicRef": "#node", "$defs": {"n": {"$dynamicAnchor": "node", "type": "integer"}}}, [1], ["a"]),
    (
        {
            "$id": "http://x.example/tree",
            "$dynamicAnchor": "node",
            "type": "object",
            "properties": {"children": {"type": "array", "items": {"$dynamicRef": "#node"}}},
        },
        [{"children": [{}]}],
        [{"children": [1]}],
    ),
    # a list of integers made from a list of anything: the reference means what stands outermost
    (
        {
            "$id": "http://x.example/ints",
            "$ref": "list",
            "$defs": {
                "item": {"$dynamicAnchor": "item", "type": "integer"},
                "list": {
                    "$id": "list",
                    "items": {"$dynamicRef": "#item"},
                    "$defs": {"any": {"$dynamicAnchor": "item"}},
                },
            },
        },
        [[1]],
        [["a"]],
    ),
    ({"additionalItems": False, "prefixItems": [{}]}, [[1, 2]], []),
    ({"$recursiveRef": "#", "type": "integer"}, [1], ["a"]),
    ({"contentSchema": {"type": "integer"}, "contentMediaType": "application/json"}, ['"a"'], []),
]

ONLY_7: list[Case] = [
    ({"items": [{"type": "integer"}, {"type": "string"}]}, [[], [1], [1, "a"], [1, "a", None]], [["a"], [1, 2]]),
    ({"items": [{}], "additionalItems": {"type": "string"}}, [[1, "a"]], [[1, 2]]),
    ({"items": [{}], "additionalItems": False}, [[1]], [[1, 2]]),
    ({"items": {}, "additionalItems": False}, [[1, 2]], []),
    ({"additionalItems": False}, [[1, 2]], []),
    # up to draft 7 a reference hides its neighbours
    (
        {"properties": {"a": {"$ref": "#/definitions/i", "maximum": 5}}, "definitions": {"i": {"type": "integer"}}},
        [{"a": 6}],
        [{"a": "x"}],
    ),
    ({"definitions": {"a": {"$id": "#here", "const": 1}}, "allOf": [{"$ref": "#here"}]}, [1], [2]),
    (
        {
            "definitions": {"i": {"type": "integer"}},
            "properties": {"a": {"$id": "http://x.example/z", "$ref": "#/definitions/i"}},
        },
        [{"a": 1}],
        [{"a": "x"}],
    ),
    # keywords that came later mean nothing yet
    ({"prefixItems": [{"type": "integer"}]}, [["a"]], []),
    ({"dependentRequired": {"a": ["b"]}}, [{"a": 1}], []),
    ({"dependentSchemas": {"a": False}}, [{"a": 1}], []),
    ({"unevaluatedProperties": False, "unevaluatedItems": False}, [{"a": 1}, [1]], []),
    ({"contains": {"const": 1}, "minContains": 2}, [[1]], []),
    ({"$dynamicRef": "#nowhere", "$recursiveRef": "#nowhere"}, [1], []),
]

OTHERS: list[Case] = [
    ({"$schema": D4, "minimum": 1, "exclusiveMinimum": True}, [2], [1, 0]),
    ({"$schema": D4, "maximum": 1, "exclusiveMaximum": False}, [1], [2]),
    ({"$schema": D4, "maximum": 1, "exclusiveMaximum": True}, [0], [1]),
    ({"$schema": D4, "type": "integer"}, [1], [1.0]),
    (
        {
            "$schema": D4,
            "id": "http://x.example/r",
            "definitions": {"a": {"id": "a", "type": "null"}},
            "properties": {"p": {"$ref": "a"}},
        },
        [{"p": None}],
        [{"p": 1}],
    ),
    (
        {"$schema": D4, "const": 1, "contains": {}, "if": True, "then": False, "propertyNames": False},
        [2, [], {"a": 1}],
        [],
    ),
    ({"$schema": "http://json-schema.org/draft-06/schema#", "const": 1}, [1], [2]),
    ({"$schema": "http://json-schema.org/draft-06/schema#", "if": True, "then": False}, [1], []),
    ({"$schema": D2019, "items": [{"type": "integer"}], "additionalItems": False}, [[1]], [["a"], [1, 2]]),
    ({"$schema": D2019, "items": [{}], "unevaluatedItems": False}, [[1]], [[1, 2]]),
    ({"$schema": D2019, "items": [{}], "additionalItems": {}, "unevaluatedItems": False}, [[1, 2]], []),
    (
        {
            "$schema": D2019,
            "$recursiveAnchor": True,
            "properties": {"a": {"$recursiveRef": "#"}},
            "additionalProperties": False,
        },
        [{"a": {"a": {}}}],
        [{"a": {"b": 1}}],
    ),
    (
        {
            "$schema": D2019,
            "$id": "http://x.example/ext",
            "$recursiveAnchor": True,
            "$ref": "tree",
            "required": ["v"],
            "$defs": {"tree": {"$id": "tree", "$recursiveAnchor": True, "properties": {"c": {"$recursiveRef": "#"}}}},
        },
        [{"v": 1, "c": {"v": 1}}],
        [{"v": 1, "c": {}}],
    ),
    (
        {
            "$schema": D2019,
            "$id": "http://x.example/ext",
            "$ref": "tree",
            "required": ["v"],
            "$defs": {"tree": {"$id": "tree", "properties": {"c": {"$recursiveRef": "#"}}}},
        },
        [{"v": 1, "c": {}}],
        [{}],
    ),
]


def named(schema: Any, dialect: str) -> Any:
    """Return a schema that names its dialect."""
    return schema if isinstance(schema, bool) else {"$schema": dialect, **schema}


def both_ways(cases: list[Case], *dialects: str | None) -> list[Any]:
    """Return one parameter for each schema, value and dialect."""
    return [
        pytest.param(schema if dialect is None else named(schema, dialect), value, valid)
        for schema, good, bad in cases
        for dialect in dialects
        for values, valid in ((good, True), (bad, False))
        for value in values
    ]


ALL = [
    *both_ways(EVERYWHERE, None, D2020, D7),
    *both_ways(ONLY_2020, None, D2020),
    *both_ways(ONLY_7, D7),
    *both_ways(OTHERS, None),
]


@keeps("schema.full_language", "schema.dialects_read", "schema.draft_7")
@pytest.mark.parametrize(("schema", "value", "valid"), ALL)
def test_a_value_is_valid_when_the_standard_says_so(schema: Any, value: Any, valid: bool) -> None:
    assert Schema(schema).validate(value).valid is valid


@pytest.mark.parametrize(("schema", "value", "valid"), ALL)
def test_the_evaluator_that_explains_says_the_same_as_the_engine(schema: Any, value: Any, valid: bool) -> None:
    document = Document(schema, lambda node, place: None)
    assert (not Evaluation(document).faults(document.root, value, ())) is valid


FORMATS = [
    ("date-time", "2024-02-29T12:00:00Z", "2023-02-29T12:00:00Z"),
    ("date", "2024-02-29", "2024-02-30"),
    ("time", "12:00:00Z", "25:00:00Z"),
    ("duration", "P1DT2H", "P"),
    ("email", "a@example.com", "a.example.com"),
    ("hostname", "example.com", "-bad-.com"),
    ("ipv4", "192.0.2.1", "192.0.2.256"),
    ("ipv6", "2001:db8::1", "2001:db8:::1"),
    ("uri", "https://example.com/a", "//example.com"),
    ("uri-reference", "/a", "\\a"),
    ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08"),
    ("json-pointer", "/a/b", "a"),
    ("regex", "^a+$", "("),
]


@keeps("schema.format")
@pytest.mark.parametrize(("name", "good", "bad"), FORMATS)
def test_a_format_is_checked_unless_the_schema_names_its_dialect(name: str, good: str, bad: str) -> None:
    schema = Schema({"format": name})
    assert schema.validate(good).valid
    (issue,) = schema.validate(bad).errors
    assert issue.code == "pattern_mismatch"
    assert schema.validate(5).valid
    assert Schema({"$schema": D2020, "format": name}).validate(bad).valid
    assert Schema({"$schema": D7, "format": name}).validate(bad).valid


def test_a_text_with_half_a_surrogate_pair_can_be_validated() -> None:
    assert Schema({"type": "string", "maxLength": 1, "pattern": "^.$"}).validate("\ud800").valid
    assert not Schema({"format": "date"}).validate("\ud800").valid
    assert Schema({"properties": {"\ud800": True}}).validate({"a": "\ud800"}).valid
