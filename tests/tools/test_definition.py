from __future__ import annotations

import copy
import json
import pickle
import re
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from tests.tools.definitions import definitions
from toolwright.errors import DefinitionDecodeError, InvalidDefinitionError
from toolwright.levels import RiskLevel, SandboxIsolationLevel, ToolCategory
from toolwright.schema import Schema, SchemaBuilder
from toolwright.tools.checking import check_definition
from toolwright.tools.constraints import ToolConstraints
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.permissions import KNOWN_PERMISSIONS

FULL: dict[str, Any] = {
    "name": "read_file",
    "description": "Read the contents of a file.",
    "parameters": {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The path"},
            "encoding": {"type": "string", "enum": ["utf-8", "ascii"], "default": "utf-8"},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    "title": "Read a text",
    "category": "file_system",
    "risk": "safe",
    "tags": ["files", "text"],
    "strict": False,
    "output_schema": {"type": "object", "properties": {"text": {"type": "string"}}},
    "constraints": {
        "max_execution_time": 30,
        "max_output_size": 1024,
        "side_effects": False,
        "idempotency_key": True,
        "resource": "file:{path}",
        "isolation": "standard",
    },
    "permissions": ["tool.filesystem.read"],
    "requires_confirmation": True,
    "version": "1.0.0",
    "metadata": {"author": {"name": "A"}, "n": [1]},
    "examples": [{"path": "a"}, {"path": "b", "encoding": "ascii"}],
}


def make(**fields: Any) -> ToolDefinition:
    return ToolDefinition(**{"name": "probe", "description": "Probe it.", **fields})


def faults(**fields: Any) -> dict[str, str]:
    """Return the faults of a definition, place and code, as the constructor and the check alike see them."""
    with pytest.raises(InvalidDefinitionError) as caught:
        make(**fields)
    report = caught.value.report
    assert report is not None
    assert report.errors == check_definition({"name": "probe", "description": "Probe it.", **fields}).errors
    return {issue.path: issue.code for issue in report.errors}


@keeps("definition.json", "definition.json_shape", "definition.function_form")
def test_every_field_survives_the_trip_through_json() -> None:
    definition = ToolDefinition.from_json(json.dumps(FULL))
    assert json.loads(definition.to_json()) == definition.to_dict() == FULL
    assert ToolDefinition.from_json(definition.to_json()) == ToolDefinition(**FULL) == definition
    assert check_definition(FULL, stored=True).valid


@keeps("definition.json_shape")
def test_what_is_at_its_default_is_left_out_of_the_json() -> None:
    empty = {"type": "object", "properties": {}, "additionalProperties": False}
    least = {"name": "probe", "description": "Probe it.", "parameters": empty}
    assert make().to_dict() == least
    assert list(make().to_dict()) == list(least)
    assert make(title="Probe", category="custom", risk="low", tags=[], strict=True, constraints=None).to_dict() == least


@keeps("definition.json", "definition.equality", "definition.digest")
@given(definitions)
def test_json_gives_back_an_equal_definition(definition: ToolDefinition) -> None:
    again = ToolDefinition.from_json(definition.to_json())
    assert again == definition
    assert hash(again) == hash(definition)
    assert again.digest == definition.digest
    assert check_definition(definition).valid
    assert check_definition(definition.to_dict()).valid


@keeps("definition.immutable")
@given(definitions)
def test_copies_and_other_processes_see_the_same_definition(definition: ToolDefinition) -> None:
    assert copy.copy(definition) is copy.deepcopy(definition) is definition
    assert pickle.loads(pickle.dumps(definition)) == definition  # noqa: S301


@keeps("definition.immutable")
def test_nothing_in_a_definition_can_be_changed() -> None:
    source = copy.deepcopy(FULL)
    definition = ToolDefinition(**source)
    before = definition.to_json()
    source["metadata"]["author"]["name"] = "B"
    source["examples"][0]["path"] = "c"
    source["parameters"]["properties"]["path"]["type"] = "integer"
    definition.to_dict()["metadata"]["n"].append(2)
    with pytest.raises(AttributeError):
        definition.name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        definition.examples[0]["path"] = "c"  # type: ignore[index]
    assert definition.to_json() == before


def test_a_changed_copy_follows_the_same_rules() -> None:
    definition = make(category="terminal")
    assert msgspec.structs.replace(definition, name="probe_again").name == "probe_again"
    with pytest.raises(InvalidDefinitionError):
        msgspec.structs.replace(definition, name="Probe")


@keeps("definition.equality")
def test_equality_is_by_what_json_tells_apart() -> None:
    assert make(metadata={"n": 1}) != make(metadata={"n": True})
    assert make(metadata={"n": 1}) != make(metadata={"n": 1.0})
    assert make(metadata={"a": 1, "b": 2}) == make(metadata={"b": 2, "a": 1})
    assert make() != "probe"


@keeps("definition.digest")
def test_the_digest_is_that_of_the_json_with_sorted_keys() -> None:
    text = json.dumps(FULL, sort_keys=True, separators=(",", ":"))
    assert ToolDefinition(**FULL).digest == sha256(text.encode()).hexdigest()


@keeps("definition.digest")
@given(definitions, st.randoms())
def test_the_order_of_keys_does_not_change_the_digest(definition: ToolDefinition, random: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, list):
            return [shuffled(item) for item in value]
        if not isinstance(value, dict):
            return value
        keys = list(value)
        random.shuffle(keys)
        return {key: shuffled(value[key]) for key in keys}

    assert ToolDefinition.from_dict(shuffled(definition.to_dict())).digest == definition.digest


@keeps("definition.digest")
def test_every_field_counts_in_the_digest() -> None:
    whole = ToolDefinition(**FULL)
    for name in set(FULL) - {"name", "description", "parameters"}:
        fields = {key: value for key, value in FULL.items() if key != name}
        assert ToolDefinition(**fields).digest != whole.digest, name


@keeps("definition.digest")
def test_the_defaults_are_part_of_the_format() -> None:
    """Pins are kept for years: what a definition leaves out must go on meaning the same."""
    assert make().digest == "94625b1c26ea9a613bbb272fe48c0d71780daff51af3216bde52838aae54bf30"


@keeps("definition.repr")
def test_a_repr_shows_names_and_sizes_only() -> None:
    text = repr(ToolDefinition(**FULL))
    assert text == (
        "ToolDefinition(name='read_file', description=<28 chars>, category=file_system, risk=safe, parameters=<2>)"
    )


@keeps("definition.name", "definition.invalid")
@pytest.mark.parametrize("name", ["ReadFile", "read file", "read-file", "123_tool", "", "a" * 65, "run", 5, None])
def test_an_illegal_name_is_refused(name: object) -> None:
    assert set(faults(name=name)) == {"name"}


@keeps("definition.description")
@pytest.mark.parametrize("description", ["", "  \n", None, 7])
def test_a_definition_without_description_is_refused(description: object) -> None:
    assert set(faults(description=description)) == {"description"}


@keeps("definition.title", "definition.category", "definition.risk")
def test_title_category_and_risk_have_defaults() -> None:
    assert (make().title, make().category, make().risk) == ("Probe", ToolCategory.CUSTOM, RiskLevel.LOW)
    for category in ToolCategory:
        assert make(category=category).risk is category.default_risk
        assert make(category=str(category), risk="CRITICAL").risk is RiskLevel.CRITICAL


@keeps("definition.category", "definition.risk")
def test_words_that_name_nothing_are_refused() -> None:
    assert faults(category="kitchen", risk=3) == {"category": "invalid_enum", "risk": "type_mismatch"}


@keeps("definition.tags", "definition.permissions")
def test_tags_and_permissions_are_tuples_of_words() -> None:
    definition = make(tags=["b", "a"], permissions={"tool.git.read", "app.orders.cancel"})
    assert definition.tags == ("b", "a")
    assert definition.permissions == ("app.orders.cancel", "tool.git.read")
    assert faults(tags="ab", permissions=["tool", "Tool.x", "tool.x.", 1]) == {
        "tags": "type_mismatch",
        "permissions[0]": "invalid_value",
        "permissions[1]": "invalid_value",
        "permissions[2]": "invalid_value",
        "permissions[3]": "type_mismatch",
    }


@keeps("definition.permissions")
def test_sixty_permissions_are_known_and_well_formed() -> None:
    assert len(KNOWN_PERMISSIONS) == 60
    assert {"tool.filesystem.read", "tool.git.send", "tool.code.execute", "tool.network.fetch"} <= KNOWN_PERMISSIONS
    assert make(permissions=KNOWN_PERMISSIONS).permissions == tuple(sorted(KNOWN_PERMISSIONS))


@keeps("definition.parameters")
def test_parameters_are_a_schema_for_an_object() -> None:
    schema = SchemaBuilder().string("path", "File path", required=True).build()
    assert make(parameters=schema).parameters is schema
    assert make(parameters=schema.to_dict()).parameters == schema
    assert make().parameters == make(parameters=None).parameters == make(parameters=[]).parameters == Schema.empty()
    assert faults(parameters={"type": "string"}) == {"parameters.type": "invalid_value"}
    assert faults(parameters={"properties": {}}) == {"parameters.type": "invalid_value"}
    assert faults(parameters={"type": "object", "properties": {"a": {"type": "text"}}}) == {
        "parameters.properties.a.type": "invalid_value"
    }
    assert faults(parameters=7) == {"parameters": "type_mismatch"}


@keeps("definition.output_schema")
def test_the_output_schema_may_be_of_any_type() -> None:
    assert make(output_schema={"type": "string"}).output_schema == Schema({"type": "string"})
    assert make().output_schema is None
    assert faults(output_schema={"type": "text"}) == {"output_schema.type": "invalid_value"}


@keeps("definition.version")
@pytest.mark.parametrize("version", ["1.0.0", "0.3.0-rc.1", "1.2.3+build.5", "10.20.30-a.0b+x"])
def test_a_semantic_version_is_accepted(version: str) -> None:
    assert make(version=version).version == version


@keeps("definition.version")
@pytest.mark.parametrize(
    "version", ["1", "1.0", "v1.0.0", "01.0.0", "1.0.0\n", "", "1.0.0-", "\N{ARABIC-INDIC DIGIT ONE}.0.0"]
)
def test_any_other_version_is_refused(version: str) -> None:
    assert faults(version=version) == {"version": "invalid_value"}


@keeps("definition.metadata")
def test_metadata_is_a_json_mapping() -> None:
    assert make(metadata={"a": [1]}).metadata == {"a": [1]}
    assert make().metadata is None
    assert faults(metadata=[1]) == {"metadata": "type_mismatch"}
    assert faults(metadata={"a": {"b": {1, 2}}}) == {"metadata.a.b": "invalid_value"}


@keeps("definition.examples")
def test_examples_are_held_against_the_parameters() -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    assert make(parameters=schema, examples=[{"path": "a"}]).examples == ({"path": "a"},)
    assert faults(parameters=schema, examples=[{"path": "a"}, {"path": 1}, {"x": 1, "path": "a"}, 5]) == {
        "examples[1].path": "type_mismatch",
        "examples[2].x": "additional_property",
        "examples[3].path": "required",
        "examples[3]": "type_mismatch",
    }


@keeps("definition.json")
@pytest.mark.parametrize("text", ["", "{", '{"name": ', b"\xff", "[" * 10_000])
def test_malformed_json_is_told_from_a_broken_rule(text: str | bytes) -> None:
    with pytest.raises(DefinitionDecodeError) as caught:
        ToolDefinition.from_json(text)
    assert caught.value.code == "malformed_json"


@keeps("definition.json")
def test_unknown_fields_of_a_later_version_are_ignored() -> None:
    later = {**FULL, "colour": "red", "constraints": {**FULL["constraints"], "memory": 5}}
    assert ToolDefinition.from_json(json.dumps(later)) == ToolDefinition(**FULL)


@keeps("definition.invalid")
@pytest.mark.parametrize("text", ["[]", "5", "null", '{"name": "a"}', '{"name": 1, "description": []}'])
def test_json_of_another_shape_breaks_a_rule(text: str) -> None:
    with pytest.raises(InvalidDefinitionError):
        ToolDefinition.from_json(text)


@keeps("definition.invalid")
def test_an_error_repeats_no_content() -> None:
    with pytest.raises(InvalidDefinitionError) as caught:
        make(metadata={"a": {"hunter2"}}, version="hunter2", permissions=["hunter2"], examples=[{"x": "hunter2"}])
    assert "hunter2" not in repr(caught.value) + str(caught.value)
    assert caught.value.__cause__ is None


@keeps("definition.isolation", "definition.constraint_defaults")
def test_what_is_not_said_is_resolved_in_one_place() -> None:
    plain = make()
    assert plain.constraints is None
    assert (plain.time_limit, plain.output_limit, plain.side_effects, plain.idempotency_key) == (
        60,
        10 * 1024 * 1024,
        True,
        False,
    )
    assert plain.isolation is SandboxIsolationLevel.NONE
    assert plain.least_isolation(kept_as_data=True) is SandboxIsolationLevel.STANDARD
    said = make(constraints=ToolConstraints(isolation="none", max_execution_time=5, side_effects=False))
    assert said.least_isolation(kept_as_data=True) is said.isolation is SandboxIsolationLevel.NONE
    assert (said.time_limit, said.side_effects) == (5, False)


@dataclass
class Options:
    depth: int = 3


@dataclass
class Write:
    path: str
    options: Options = field(default_factory=Options)
    labels: dict[str, Any] = field(default_factory=dict)


@keeps("definition.from_type")
def test_a_definition_takes_its_parameters_from_a_type() -> None:
    definition = ToolDefinition.from_type(Write, name="write_file", description="Write it.", risk="high")
    assert definition.risk is RiskLevel.HIGH
    assert definition.parameters.required == ("path",)
    assert definition.parameters.validate({"path": "a", "labels": {"any": [1]}, "options": {"depth": 1}}).valid
    assert not definition.parameters.validate({"path": "a", "options": {"dept": 1}}).valid


def test_the_definition_of_the_tour_holds_as_written() -> None:
    schema = SchemaBuilder().string("path", "File path", required=True).build()
    definition = ToolDefinition(
        name="deploy",
        description="Deploy a service.",
        risk="high",
        requires_confirmation=True,
        parameters=schema,
        constraints=ToolConstraints(max_execution_time=30, isolation="strict"),
    )
    assert definition.isolation is SandboxIsolationLevel.STRICT
    assert re.fullmatch("[0-9a-f]{64}", definition.digest)
