"""Tools of other libraries, as tools of ours: what they do stays theirs, what they say is read once.

An object is known by its shape; nothing is imported that whoever made the object has not imported already.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from toolwright.schema import Schema
from toolwright.tools.base import ToolBase
from toolwright.tools.constraints import LONGEST_EXECUTION, gather_limits
from toolwright.tools.context import ToolContext
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.strictness import without_true
from toolwright.values import thaw

__all__ = ["tool_from_langchain", "tool_from_pydantic_ai"]


def tool_from_langchain(obj: Any, **fields: Any) -> ToolBase:
    """Make a tool of a LangChain one (``BaseTool``, ``@tool``).

    Its name becomes legal here; the original stays in ``metadata``. ``fields`` are those of the definition that it
    lacks, and of its constraints: LangChain says nothing of risk or side effects, so say it here (``risk="safe",
    side_effects=False``), or the defaults hold.

    Raises:
        TypeError: It is no LangChain tool.
        InvalidDefinitionError: What it says of itself is no valid definition, even so.
    """
    if not all(hasattr(obj, name) for name in ("name", "description", "ainvoke", "tool_call_schema")):
        raise TypeError(f"a {type(obj).__name__} is no LangChain tool: pass what langchain_core.tools makes")
    return _LangchainTool(obj, _define(obj.name, obj.description, _parameters_of(obj), fields))


def tool_from_pydantic_ai(obj: Any, *, deps: object = None, **fields: Any) -> ToolBase:
    """Make a tool of a Pydantic AI one (``Tool``); ``deps`` is what its functions find as ``ctx.deps``.

    Its name becomes legal here; the original stays in ``metadata``. ``requires_approval`` becomes
    ``requires_confirmation``. ``fields`` are those of the definition that it lacks and of its constraints, and take
    precedence.

    Raises:
        TypeError: It is no Pydantic AI tool.
        InvalidDefinitionError: What it says of itself is no valid definition, even so.
    """
    told: Any = getattr(obj, "tool_def", None)
    if not hasattr(told, "parameters_json_schema") or not hasattr(getattr(obj, "function_schema", None), "call"):
        raise TypeError(f"a {type(obj).__name__} is no Pydantic AI tool: pass what pydantic_ai.Tool makes")
    read: dict[str, Any] = {"requires_confirmation": bool(getattr(obj, "requires_approval", False))}
    timeout = getattr(obj, "timeout", None)
    if timeout is not None:
        read["max_execution_time"] = min(max(1, timeout), LONGEST_EXECUTION)
    return _PydanticAiTool(obj, _define(told.name, told.description, told.parameters_json_schema, read | fields), deps)


def _define(
    name: str, description: str | None, parameters: Mapping[str, Any], fields: Mapping[str, Any]
) -> ToolDefinition:
    schema = without_true(Schema(parameters)).to_dict()
    read = {"name": name, "description": description or f"Call {name}.", "parameters": schema}
    given: dict[str, Any] = {"strict": True, **gather_limits(fields)}
    return ToolDefinition.from_openai(read, **given)


def _parameters_of(obj: Any) -> dict[str, Any]:
    """Return the schema of a LangChain tool, which has a pydantic class of either generation, or JSON Schema."""
    if getattr(obj, "args_schema", None) is None and set(getattr(obj, "args", ())) == {"tool_input"}:
        # The oldest kind takes one text, and describes its own machinery instead.
        return {"type": "object", "properties": dict(obj.args), "required": ["tool_input"]}
    schema: Any = obj.tool_call_schema
    if isinstance(schema, type):
        written: Any = getattr(schema, "model_json_schema", None) or getattr(schema, "schema")  # noqa: B009
        return dict(written())
    return dict(schema)


class _LangchainTool(ToolBase):
    def __init__(self, obj: Any, definition: ToolDefinition) -> None:
        self._obj = obj
        self.definition = definition

    async def run(self, context: ToolContext) -> Any:
        """Call the tool as LangChain does; a sync one runs in a thread of LangChain's."""
        return await self._obj.ainvoke(thaw(context.arguments))


class _PydanticAiTool(ToolBase):
    def __init__(self, obj: Any, definition: ToolDefinition, deps: object) -> None:
        self._obj = obj
        self._deps = deps
        self.definition = definition

    async def run(self, context: ToolContext) -> Any:
        """Call the function as an agent of Pydantic AI does; a sync one runs in a thread of its."""
        how: Any = self._obj.function_schema
        arguments = how.validator.validate_python(thaw(context.arguments))
        value = await how.call(arguments, _run_context(context, self._deps) if self._obj.takes_ctx else None)
        return getattr(value, "return_value", value)  # a ToolReturn has more, for the agent that we are not


def _run_context(context: ToolContext, deps: object) -> Any:
    """Return what a function of Pydantic AI gets: what there is of it without an agent."""
    # By name, as it need not be installed where this is checked; whoever made the tool has it.
    context_type: Any = import_module("pydantic_ai").RunContext
    told: dict[str, Any] = {
        "deps": deps,
        "model": None,
        "usage": import_module("pydantic_ai.usage").RunUsage(),
        "tool_name": context.tool_name,
        "tool_call_id": context.call.id,
        "tool_call_approved": context.approved,
        "retry": context.attempt - 1,
        "run_id": context.execution_id,
    }
    known = {field.name for field in dataclasses.fields(context_type)}
    return context_type(**{name: value for name, value in told.items() if name in known})
