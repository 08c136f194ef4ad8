"""The shapes of two libraries' tools, with nothing of theirs installed."""

from __future__ import annotations

from typing import Any

import pydantic
import pytest

from toolwright.errors import InvalidDefinitionError
from toolwright.levels import RiskLevel
from toolwright.testing import assert_valid_tool, tool_context
from toolwright.tools import tool_from_langchain, tool_from_pydantic_ai


class Multiply(pydantic.BaseModel):
    """Multiply two numbers."""

    a: int
    b: int = 2


class LangchainShaped:
    def __init__(self, name: str, schema: Any = Multiply, args: Any = None) -> None:
        self.name = name
        self.description = "Multiply two numbers."
        self.args_schema = schema
        self.tool_call_schema = schema
        self.args = args

    async def ainvoke(self, arguments: dict[str, Any]) -> Any:
        if arguments.get("a") == 13:
            raise ValueError("thirteen is not multiplied")
        return arguments.get("tool_input") or arguments["a"] * arguments.get("b", 1)


async def test_a_tool_of_langchains_shape_is_described_and_called_as_there() -> None:
    made = tool_from_langchain(LangchainShaped("multiplyNumbers"), risk="high")
    assert made.definition.name == "multiply_numbers"
    assert made.definition.metadata == {"original_name": "multiplyNumbers"}
    assert made.definition.risk is RiskLevel.HIGH
    assert made.definition.parameters.required == ("a",)
    assert (await made.execute(tool_context({"a": 3}))).data == 6
    assert (await made.execute(tool_context({"a": "3"}))).error_code == "validation_failed"
    assert (await made.execute(tool_context({"a": 13}))).error == "thirteen is not multiplied"
    assert_valid_tool(made, [{"a": 1}])


async def test_json_schema_and_the_oldest_kind_with_one_text_work_too() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": True}
    made = tool_from_langchain(LangchainShaped("plain", schema))
    assert (await made.execute(tool_context({"a": 4}))).data == 4
    oldest = LangchainShaped("oldest", None, {"tool_input": {"type": "string"}})
    assert (await tool_from_langchain(oldest).execute(tool_context({"tool_input": "x"}))).data == "x"


class Told(pydantic.BaseModel):
    name: str = "findPages"
    description: str | None = None
    parameters_json_schema: dict[str, Any] = {
        "type": "object",
        "properties": {"q": {"type": "string"}},
        "required": ["q"],
        "additionalProperties": False,
    }


class Returned:
    def __init__(self, value: Any) -> None:
        self.return_value = value


class Validator:
    def validate_python(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments


class How:
    validator = Validator()

    async def call(self, arguments: dict[str, Any], context: object) -> Any:
        assert context is None
        return Returned([arguments["q"]]) if arguments["q"] == "wrapped" else arguments["q"]


class PydanticAiShaped:
    tool_def = Told()
    function_schema = How()
    takes_ctx = False
    requires_approval = True
    timeout = 5000


async def test_a_tool_of_pydantic_ais_shape_is_described_and_called_as_there() -> None:
    made = tool_from_pydantic_ai(PydanticAiShaped(), category="search")
    assert made.definition.name == "find_pages"
    assert made.definition.description == "Call findPages."
    assert made.definition.requires_confirmation
    assert made.definition.time_limit == 600
    assert made.definition.risk is RiskLevel.SAFE
    assert (await made.execute(tool_context({"q": "x"}))).data == "x"
    assert (await made.execute(tool_context({"q": "wrapped"}))).data == ["wrapped"]
    assert (await made.execute(tool_context({}))).error_code == "validation_failed"


def test_what_is_no_tool_of_theirs_is_refused() -> None:
    with pytest.raises(TypeError, match="a int is no LangChain tool"):
        tool_from_langchain(3)
    with pytest.raises(TypeError, match="a function is no Pydantic AI tool"):
        tool_from_pydantic_ai(test_what_is_no_tool_of_theirs_is_refused)
    with pytest.raises(InvalidDefinitionError):
        tool_from_langchain(LangchainShaped("x"), risk="extreme")
