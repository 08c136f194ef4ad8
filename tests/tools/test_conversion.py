from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.promises import keeps
from tests.tools.definitions import definitions
from toolwright.errors import DefinitionDecodeError, InvalidDefinitionError
from toolwright.levels import RiskLevel, ToolCategory
from toolwright.tools.checking import check_definition
from toolwright.tools.definition import ToolDefinition

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
CLOSED = {**SCHEMA, "additionalProperties": False}
FUNCTION: dict[str, Any] = {"name": "read_file", "description": "Read it.", "parameters": SCHEMA}


class Model:
    """What the packages of providers hand out: an object that can be dumped."""

    def __init__(self, **fields: Any) -> None:
        self._fields = fields

    def model_dump(self, *, by_alias: bool, exclude_none: bool) -> dict[str, Any]:
        assert by_alias
        return {key: value for key, value in self._fields.items() if not (exclude_none and value is None)}


@keeps("definition.function_form")
@pytest.mark.parametrize(
    "tool",
    [
        FUNCTION,
        {"type": "function", "function": FUNCTION},
        {"type": "function", **FUNCTION, "strict": False},
        Model(type="function", function=FUNCTION, strict=None),
    ],
)
def test_a_function_is_read_in_every_shape_that_openai_has(tool: object) -> None:
    definition = ToolDefinition.from_openai(tool)
    assert (definition.name, definition.description) == ("read_file", "Read it.")
    assert definition.parameters.to_dict() == SCHEMA
    assert definition.strict is False
    assert definition.metadata is None


@keeps("definition.function_form")
@given(definitions)
def test_the_json_of_a_definition_is_a_function(definition: ToolDefinition) -> None:
    read = ToolDefinition.from_openai(definition.to_dict())
    assert read.name == definition.name
    assert read.description == definition.description
    assert read.parameters == definition.parameters


def test_functions_are_written_as_both_interfaces_have_them() -> None:
    definition = ToolDefinition(**FUNCTION)
    function = {"name": "read_file", "description": "Read it.", "parameters": CLOSED}
    assert definition.to_openai() == {"type": "function", "function": function}
    assert definition.to_openai(responses=True) == {"type": "function", **function, "strict": False}


@given(definitions)
def test_there_and_back_again_by_openai(definition: ToolDefinition) -> None:
    for tool in (definition.to_openai(), definition.to_openai(responses=True)):
        read = ToolDefinition.from_openai(tool)
        assert read.to_openai() == definition.to_openai()
        assert read.strict or not definition.strict


@given(definitions)
def test_there_and_back_again_by_anthropic(definition: ToolDefinition) -> None:
    read = ToolDefinition.from_anthropic(definition.to_anthropic())
    assert read.to_anthropic() == definition.to_anthropic()
    assert read.strict or not definition.strict


@given(definitions)
def test_there_and_back_again_by_mcp(definition: ToolDefinition) -> None:
    read = ToolDefinition.from_mcp(definition.to_mcp(), category=definition.category)
    assert read.to_mcp() == definition.to_mcp()
    assert read.side_effects == definition.side_effects


def test_examples_go_to_anthropic_and_come_back() -> None:
    definition = ToolDefinition(**FUNCTION, examples=[{"path": "a"}])
    tool = definition.to_anthropic()
    assert tool["input_examples"] == [{"path": "a"}]
    assert ToolDefinition.from_anthropic(tool) == definition


def test_the_hints_of_a_server_become_risk_and_side_effects() -> None:
    def read(**annotations: Any) -> tuple[str, bool]:
        tool = {"name": "a", "inputSchema": SCHEMA, **({"annotations": annotations} if annotations else {})}
        definition = ToolDefinition.from_mcp(tool)
        return str(definition.risk), definition.side_effects

    assert read() == read(title="A") == ("medium", True)
    assert read(readOnlyHint=True) == ("medium", False)
    assert read(destructiveHint=True) == ("high", True)
    assert read(readOnlyHint=True, destructiveHint=True) == ("high", True)
    assert read(readOnlyHint="yes", destructiveHint=1) == ("medium", True)


def test_what_a_server_says_of_its_tool_is_kept() -> None:
    output = {"type": "object", "properties": {"n": {"type": "integer"}}}
    tool = Model(
        name="Files.Read",
        title="Read a file",
        description=None,
        inputSchema=SCHEMA,
        outputSchema=output,
        annotations={"title": "Older", "readOnlyHint": True},
    )
    definition = ToolDefinition.from_mcp(tool)
    assert (definition.title, definition.description) == ("Read a file", "Read a file.")
    assert definition.output_schema is not None
    assert definition.output_schema.to_dict() == output
    assert definition.metadata == {"original_name": "Files.Read"}


def test_hints_are_written_from_risk_and_category() -> None:
    def hints(**fields: Any) -> dict[str, bool]:
        annotations: dict[str, bool] = ToolDefinition(**FUNCTION, **fields).to_mcp()["annotations"]
        return annotations

    assert hints() == {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
    assert hints(category="terminal")["destructiveHint"]
    assert hints(constraints={"side_effects": False}) == {**hints(), "readOnlyHint": True}
    assert hints(category="network")["openWorldHint"]


@keeps("names.original", "names.legal")
def test_a_foreign_name_becomes_legal_and_is_remembered() -> None:
    definition = ToolDefinition.from_openai(
        {"name": "files.readFile"}, taken=["files_read_file"], metadata={"server": "files"}
    )
    assert definition.name == "files_read_file_2"
    assert definition.metadata == {"original_name": "files.readFile", "server": "files"}
    assert definition.description == "Files Read File."


def test_fields_that_a_format_lacks_can_be_given() -> None:
    definition = ToolDefinition.from_openai(FUNCTION, category="file_system", risk="safe", strict=True)
    assert (definition.category, definition.risk) == (ToolCategory.FILE_SYSTEM, RiskLevel.SAFE)
    assert definition.parameters.to_dict() == CLOSED


@pytest.mark.parametrize("schema", [None, {}, {"properties": {}}, {"type": "object"}])
def test_a_tool_without_parameters_is_read_in_every_spelling(schema: object) -> None:
    definition = ToolDefinition.from_openai({"name": "now", "parameters": schema})
    assert definition.parameters.to_dict()["type"] == "object"
    assert not definition.parameters.properties


def test_a_schema_that_others_left_open_is_not_closed() -> None:
    open_schema = {**SCHEMA, "additionalProperties": True}
    assert ToolDefinition.from_mcp({"name": "a", "inputSchema": open_schema}).parameters.to_dict() == open_schema
    assert ToolDefinition.from_openai({**FUNCTION, "strict": True}).parameters.to_dict() == CLOSED
    assert ToolDefinition.from_openai({**FUNCTION, "parameters": CLOSED}).strict is True


@pytest.mark.parametrize(
    "tool",
    [
        None,
        5,
        "name",
        [],
        {},
        {"name": ""},
        {"name": 5},
        {"type": "web_search"},
        {"function": 5},
        {"name": "a", "parameters": 5},
    ],
)
def test_what_is_no_function_is_refused(tool: object) -> None:
    with pytest.raises(DefinitionDecodeError) as caught:
        ToolDefinition.from_openai(tool)
    assert caught.value.code == "wrong_shape"


def test_tools_that_run_elsewhere_are_refused() -> None:
    with pytest.raises(DefinitionDecodeError):
        ToolDefinition.from_anthropic({"type": "web_search_20250305", "name": "web_search"})
    with pytest.raises(DefinitionDecodeError):
        ToolDefinition.from_mcp({"name": "a", "annotations": 5})


def test_a_foreign_schema_that_is_not_valid_is_reported_with_its_place() -> None:
    with pytest.raises(InvalidDefinitionError) as caught:
        ToolDefinition.from_mcp({"name": "a", "inputSchema": {"type": "object", "properties": {"x": {"type": "text"}}}})
    assert caught.value.report is not None
    assert [issue.path for issue in caught.value.report.errors] == ["parameters.properties.x.type"]


def test_required_parameters_with_defaults_are_mounted_as_they_are() -> None:
    tool = {"name": "a", "inputSchema": {**SCHEMA, "properties": {"path": {"type": "string", "default": "."}}}}
    assert check_definition(ToolDefinition.from_mcp(tool)).valid
