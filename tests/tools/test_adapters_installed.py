"""Tools made with LangChain and Pydantic AI themselves, as users bring them along."""

from __future__ import annotations

from typing import Annotated

import pytest
from langchain_core.tools import BaseTool, InjectedToolArg
from langchain_core.tools import tool as langchain_tool
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai import Tool as PydanticAiTool

from toolwright.errors import InvalidDefinitionError
from toolwright.execution import Executor
from toolwright.messages import ToolCall
from toolwright.registry import Registry
from toolwright.testing import assert_valid_tool, tool_context
from toolwright.tools import tool_from_langchain, tool_from_pydantic_ai


@langchain_tool
def multiply(a: int, b: int = 2) -> int:
    """Multiply two numbers."""
    if a == 13:
        raise ValueError("thirteen is not multiplied")
    return a * b


@langchain_tool(response_format="content_and_artifact")
async def chart(points: list[int]) -> tuple[str, dict[str, int]]:
    """Draw a chart."""
    return f"{len(points)} points", {"largest": max(points)}


@langchain_tool
def whoami(question: str, user: Annotated[str, InjectedToolArg] = "nobody") -> str:
    """Say who asks."""
    return f"{user}: {question}"


class Shout(BaseTool):
    name: str = "shoutIt"
    description: str = "Say it loudly."

    def _run(self, text: str) -> str:
        return text.upper()


async def test_a_function_decorated_for_langchain_is_a_tool_here() -> None:
    made = tool_from_langchain(multiply, risk="safe", side_effects=False)
    assert made.definition.description == "Multiply two numbers."
    assert made.definition.parameters.required == ("a",)
    assert not made.definition.parameters.validate({"a": 1, "c": 2}).valid
    executor = Executor(Registry([made]))
    assert (await executor.execute(ToolCall.new("multiply", a=3))).outcome.data == 6
    wrong = await executor.execute(ToolCall.new("multiply", a="three"))
    assert wrong.outcome.error_code == "validation_failed"
    failed = await executor.execute(ToolCall.new("multiply", a=13))
    assert (failed.outcome.error_code, failed.outcome.error) == ("tool_error", "thirteen is not multiplied")
    assert_valid_tool(made, [{"a": 3}])


async def test_an_async_tool_of_langchains_gives_its_content() -> None:
    made = tool_from_langchain(chart)
    assert (await made.execute(tool_context({"points": [1, 5]}))).data == "2 points"


async def test_what_langchain_injects_is_not_shown_to_the_model() -> None:
    made = tool_from_langchain(whoami)
    assert list(made.definition.parameters.properties) == ["question"]
    assert (await made.execute(tool_context({"question": "why?"}))).data == "nobody: why?"


async def test_a_class_of_langchains_keeps_its_own_name_beside_the_legal_one() -> None:
    made = tool_from_langchain(Shout())
    assert (made.definition.name, made.definition.metadata) == ("shout_it", {"original_name": "shoutIt"})
    assert (await made.execute(tool_context({"text": "hush"}))).data == "HUSH"


def greet(ctx: RunContext[str], name: str, loudly: bool = False) -> str:
    """Greet somebody.

    Args:
        ctx: What the agent lends.
        name: Who is greeted.
        loudly: Whether the neighbours hear it.
    """
    said = f"{ctx.deps}, {name} ({ctx.tool_name})"
    return said.upper() if loudly else said


async def guess(number: int) -> int:
    """Guess a number."""
    if number != 7:
        raise ModelRetry("guess again, a little higher")
    return number


async def test_a_function_of_pydantic_ais_gets_its_context_and_its_deps() -> None:
    made = tool_from_pydantic_ai(PydanticAiTool(greet), deps="Good day")
    name = made.definition.parameters.property("name")
    assert name is not None
    assert name.description == "Who is greeted."
    assert (await made.execute(tool_context({"name": "Ada"}, name="greet"))).data == "Good day, Ada (greet)"
    loud = await made.execute(tool_context({"name": "Ada", "loudly": True}, name="greet"))
    assert loud.data == "GOOD DAY, ADA (GREET)"


async def test_a_retry_that_pydantic_ai_asks_for_is_told_to_the_model() -> None:
    made = tool_from_pydantic_ai(PydanticAiTool(guess), side_effects=False)
    assert (await made.execute(tool_context({"number": 7}))).data == 7
    assert (await made.execute(tool_context({"number": 1}))).error == "guess again, a little higher"


def test_an_approval_that_pydantic_ai_asks_for_is_asked_for_here() -> None:
    made = tool_from_pydantic_ai(PydanticAiTool(guess, requires_approval=True, timeout=5))
    assert made.definition.requires_confirmation
    assert made.definition.time_limit == 5


def test_fields_that_make_no_valid_definition_are_refused() -> None:
    for field, value in (("category", "nonsense"), ("max_execution_time", 0.1)):
        with pytest.raises(InvalidDefinitionError) as caught:
            tool_from_langchain(multiply, **{field: value})
        assert caught.value.report is not None
