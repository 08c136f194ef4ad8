"""Definitions and their parts, for Hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.messages.strategies import json_objects, json_values, texts
from toolwright.levels import RiskLevel, SandboxIsolationLevel, ToolCategory
from toolwright.tools.constraints import ToolConstraints
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.names import RESERVED_NAMES
from toolwright.tools.parameters import ToolParameter
from toolwright.tools.permissions import KNOWN_PERMISSIONS

__all__ = ["constraints", "definitions", "drafts", "names", "rows", "schemas"]

names = st.from_regex(r"[a-z][a-z0-9_]{0,63}", fullmatch=True).filter(lambda name: name not in RESERVED_NAMES)
words = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
sentences = texts.filter(lambda text: bool(text.strip()))

_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "string": texts,
    "integer": st.integers(-(2**40), 2**40),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "array": st.lists(st.integers(0, 9), max_size=3),
    "object": st.dictionaries(words, st.integers(0, 9), max_size=3),
}
_SCHEMAS: dict[str, list[dict[str, Any] | None]] = {
    "string": [None, {"type": "string", "maxLength": 400}],
    "integer": [None, {"type": "integer", "maximum": 2**41}],
    "number": [None],
    "boolean": [None],
    "array": [{"type": "array", "items": {"type": "integer"}}],
    "object": [{"type": "object", "additionalProperties": {"type": "integer"}}],
}


@st.composite
def _row(draw: st.DrawFn, name: str) -> ToolParameter:
    kind = draw(st.sampled_from(sorted(_VALUES)))
    enum = draw(st.none() | st.lists(_VALUES[kind], min_size=1, max_size=3))
    required = draw(st.booleans())
    default = draw(st.none() | (st.sampled_from(enum) if enum else _VALUES[kind])) if not required else None
    return ToolParameter(
        name,
        draw(texts),
        kind,
        required=required,
        default=default,
        enum=enum,
        schema=draw(st.sampled_from(_SCHEMAS[kind])),
    )


rows: st.SearchStrategy[list[ToolParameter]] = st.lists(words, max_size=5, unique=True).flatmap(
    lambda names: st.tuples(*(_row(name) for name in names)).map(list)
)

constraints = st.builds(
    ToolConstraints,
    max_execution_time=st.integers(1, 600) | st.floats(1, 600),
    max_output_size=st.integers(1024, 100 * 1024 * 1024),
    side_effects=st.booleans(),
    idempotency_key=st.booleans(),
    resource=st.none() | st.just("queue"),
    isolation=st.none() | st.sampled_from(SandboxIsolationLevel),
)

definitions = st.builds(
    ToolDefinition,
    name=names,
    description=sentences,
    parameters=rows,
    title=st.none() | sentences,
    category=st.sampled_from(ToolCategory),
    risk=st.none() | st.sampled_from(RiskLevel),
    tags=st.lists(words, max_size=3),
    strict=st.booleans(),
    output_schema=st.none() | st.just({"type": "object", "properties": {"n": {"type": "integer"}}}),
    constraints=st.none() | constraints,
    permissions=st.lists(st.sampled_from(sorted(KNOWN_PERMISSIONS)), max_size=3),
    requires_confirmation=st.booleans(),
    version=st.none() | st.sampled_from(["1.0.0", "0.3.0-rc.1+build"]),
    metadata=st.none() | json_objects,
)

schemas: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.sampled_from(
        [
            {"type": "integer"},
            {"type": ["string", "null"], "default": None},
            {"type": "object", "description": "An object"},
            {"enum": [1, "a", None]},
            {"type": "string", "enum": ["a"], "default": "a"},
            {"const": 5},
            {"enum": [], "not": {}},
            {},
        ]
    ),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3).map(
            lambda found: {"type": "object", "properties": found}
        ),
        inner.map(lambda item: {"type": "array", "items": item}),
        inner.map(lambda item: {"type": "object", "additionalProperties": item}),
        st.tuples(st.sampled_from(["anyOf", "allOf", "oneOf"]), st.lists(inner, min_size=1, max_size=2)).map(
            lambda pair: {pair[0]: pair[1]}
        ),
        st.tuples(inner, inner).map(lambda pair: {**pair[0], "if": pair[1]}),
    ),
    max_leaves=6,
)
"""Schemas of every shape that closing and listing have to deal with."""

# Anything at all below the names of fields: what a model, a form or a half-written file may hand in.
drafts: st.SearchStrategy[Any] = (
    st.dictionaries(
        st.sampled_from([*ToolDefinition.rules, "handler", "titel", "x"]) | texts,
        json_values
        | st.lists(st.dictionaries(st.sampled_from([*ToolParameter.rules, "typ"]), json_values), max_size=3)
        | st.dictionaries(st.sampled_from([*ToolConstraints.rules, "type", "properties"]), json_values),
        max_size=6,
    )
    | json_values
)
