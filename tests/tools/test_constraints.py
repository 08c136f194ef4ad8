from __future__ import annotations

import math
import pickle
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from tests.tools.definitions import constraints
from toolwright.errors import InvalidDefinitionError
from toolwright.levels import SandboxIsolationLevel
from toolwright.tools.constraints import ToolConstraints
from toolwright.tools.definition import ToolDefinition

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "n": {"type": "integer"}}}


def faults(**fields: Any) -> dict[str, str]:
    with pytest.raises(InvalidDefinitionError) as caught:
        ToolConstraints(**fields)
    assert caught.value.report is not None
    return {issue.path: issue.code for issue in caught.value.report.errors}


@keeps("definition.constraint_defaults", "definition.time", "definition.output_size")
def test_without_a_word_the_systems_defaults_hold() -> None:
    plain = ToolConstraints()
    assert (plain.max_execution_time, plain.max_output_size) == (60, 10 * 1024 * 1024)
    assert (plain.side_effects, plain.idempotency_key, plain.resource, plain.isolation) == (True, False, None, None)
    assert plain.to_json() == b"{}"


@keeps("definition.time")
@pytest.mark.parametrize("seconds", [1, 1.5, 600])
def test_a_time_within_the_range_is_kept(seconds: float) -> None:
    assert ToolConstraints(max_execution_time=seconds).max_execution_time == seconds


@keeps("definition.time")
@pytest.mark.parametrize("seconds", [0, 0.99, 601, -1, math.inf, math.nan])
def test_a_time_outside_the_range_is_refused(seconds: float) -> None:
    assert faults(max_execution_time=seconds) == {"max_execution_time": "out_of_range"}


@keeps("definition.output_size")
@pytest.mark.parametrize("size", [1023, 0, 100 * 1024 * 1024 + 1])
def test_a_size_outside_the_range_is_refused(size: int) -> None:
    assert faults(max_output_size=size) == {"max_output_size": "out_of_range"}
    assert ToolConstraints(max_output_size=1024).max_output_size == 1024
    assert ToolConstraints(max_output_size=100 * 1024 * 1024).max_output_size == 100 * 1024 * 1024


def test_all_that_is_wrong_is_said_at_once() -> None:
    assert faults(
        max_execution_time="5", max_output_size=2048.5, side_effects=1, idempotency_key=None, resource=5, isolation="x"
    ) == {
        "max_execution_time": "type_mismatch",
        "max_output_size": "type_mismatch",
        "side_effects": "type_mismatch",
        "idempotency_key": "type_mismatch",
        "resource": "type_mismatch",
        "isolation": "invalid_enum",
    }


@given(constraints)
def test_constraints_survive_json_and_other_processes(value: ToolConstraints) -> None:
    assert ToolConstraints.from_json(value.to_json()) == value
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301
    assert hash(ToolConstraints.from_dict(value.to_dict())) == hash(value)


def test_a_changed_copy_of_constraints_follows_the_rules() -> None:
    strict = msgspec.structs.replace(ToolConstraints(), isolation="Strict")
    assert strict.isolation is SandboxIsolationLevel.STRICT
    with pytest.raises(InvalidDefinitionError):
        msgspec.structs.replace(strict, max_execution_time=0)


@keeps("definition.resource")
def test_a_resource_is_filled_in_from_the_arguments() -> None:
    template = ToolConstraints(resource="file:{path}#{n}{{}}")
    assert template.resource_for({"path": "a", "n": 2}) == "file:a#2{}"
    assert template.resource_for({"path": "{n}", "n": 2}) == "file:{n}#2{}"
    assert template.resource_for({"path": "a"}) == "file:a#null{}"
    assert ToolConstraints().resource_for({"path": "a"}) is None


@keeps("definition.resource")
@given(st.dictionaries(st.sampled_from(["path", "n"]), st.text() | st.integers() | st.lists(st.integers())))
def test_the_order_of_arguments_does_not_change_the_resource(arguments: dict[str, Any]) -> None:
    template = ToolConstraints(resource="{n}:{path}")
    backwards = dict(reversed(arguments.items()))
    assert template.resource_for(arguments) == template.resource_for(backwards)


@keeps("definition.resource")
@pytest.mark.parametrize("template", ["{", "a}", "{}", "{a{b}}", "", " "])
def test_a_template_with_a_stray_brace_is_refused(template: str) -> None:
    assert faults(resource=template) == {"resource": "invalid_value"}


@keeps("definition.resource")
def test_placeholders_name_parameters_of_the_definition() -> None:
    ToolDefinition("probe", "Probe it.", SCHEMA, constraints={"resource": "{path}:{n}"})
    with pytest.raises(InvalidDefinitionError) as caught:
        ToolDefinition("probe", "Probe it.", SCHEMA, constraints={"resource": "{path}:{pth}"})
    assert caught.value.report is not None
    assert [issue.path for issue in caught.value.report.errors] == ["constraints.resource"]
