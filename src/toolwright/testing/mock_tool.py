"""A tool that does as it is told, and remembers how it was called."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from inspect import isawaitable
from typing import Any, TypeAlias

from toolwright.messages import ToolCall
from toolwright.schema.report import ValidationReport
from toolwright.tools.base import ToolBase, combined_check, complete
from toolwright.tools.constraints import gather_limits
from toolwright.tools.context import ToolContext
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.outcome import ToolOutcome

__all__ = ["MockTool"]

_Run: TypeAlias = Callable[[ToolContext], Any]
_Check: TypeAlias = Callable[[Mapping[str, Any]], ValidationReport | None]

_ANYTHING = {"type": "object", "additionalProperties": True}


class MockTool(ToolBase):
    """A tool for tests: ``MockTool("search", data=["a", "b"])``, or with ``run(context)``, sync or async.

    Further keywords are fields of the definition and of its constraints. Unless they say otherwise the tool takes
    any arguments, and is safe.
    What ``check`` says is added to what the schema says. ``calls`` and ``contexts`` grow with each run, in order;
    ``check_count`` counts how often arguments were checked.

    Raises:
        InvalidDefinitionError: The fields make no valid definition.
    """

    def __init__(
        self,
        name: str = "mock_tool",
        data: object = None,
        *,
        definition: ToolDefinition | None = None,
        run: _Run | None = None,
        check: _Check | None = None,
        available: bool = True,
        **fields: Any,
    ) -> None:
        self.definition = definition or _define(name, fields)
        self.calls: list[ToolCall] = []
        self.contexts: list[ToolContext] = []
        self.check_count = 0
        self._available = available
        self._data = data
        self._run = run
        self._check = check

    @classmethod
    def succeeding(cls, name: str = "mock_tool", data: object = None, **fields: Any) -> MockTool:
        """Return a tool that gives ``data``."""
        return cls(name, data, **fields)

    @classmethod
    def failing(cls, name: str = "mock_tool", error: str = "The mock tool failed.", **fields: Any) -> MockTool:
        """Return a tool whose every call fails with ``error``."""
        return cls(name, run=lambda _context: ToolOutcome.failed(error), **fields)

    @classmethod
    def throwing(cls, name: str = "mock_tool", exception: BaseException | None = None, **fields: Any) -> MockTool:
        """Return a tool that raises."""
        raised = exception or RuntimeError("The mock tool raised this.")

        def run(_context: ToolContext) -> Any:
            raise raised

        return cls(name, run=run, **fields)

    @classmethod
    def delayed(cls, name: str = "mock_tool", seconds: float = 0.1, data: object = None, **fields: Any) -> MockTool:
        """Return a tool that gives ``data`` after a time; it can be cancelled meanwhile."""

        async def run(_context: ToolContext) -> Any:
            await asyncio.sleep(seconds)
            return data

        return cls(name, run=run, **fields)

    @classmethod
    def flaky(cls, name: str = "mock_tool", fail_times: int = 1, data: object = None, **fields: Any) -> MockTool:
        """Return a tool that fails so many times, and then gives ``data``."""
        left = fail_times

        def run(_context: ToolContext) -> Any:
            nonlocal left
            if left <= 0:
                return data
            left -= 1
            return ToolOutcome.failed("The mock tool failed, as it was told to. Try again.")

        return cls(name, run=run, **fields)

    @property
    def available(self) -> bool:
        """Whether the tool can be offered: as it was made, or as a test has set it since."""
        return self._available

    @available.setter
    def available(self, available: bool) -> None:
        self._available = available

    @complete
    def check(self, arguments: Mapping[str, Any]) -> ValidationReport:
        """Say what is wrong with arguments: by the schema, and by the check that was given."""
        self.check_count += 1
        if self._check is None:
            return self.definition.parameters.validate(arguments)
        return combined_check(self.definition, self._check, arguments)

    async def run(self, context: ToolContext) -> Any:
        """Remember the call, and do what was asked for."""
        self.calls.append(context.call)
        self.contexts.append(context)
        value = self._data if self._run is None else self._run(context)
        return await value if isawaitable(value) else value


def _define(name: str, fields: dict[str, Any]) -> ToolDefinition:
    usual: dict[str, Any] = {"description": "A tool for tests.", "risk": "safe"}
    if "parameters" not in fields:
        usual |= {"parameters": _ANYTHING, "strict": False}
    return ToolDefinition(name, **gather_limits(usual | fields))
