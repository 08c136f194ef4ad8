"""What tests of executing are made of."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from toolwright.execution import Execution, Executor
from toolwright.messages import ToolCall
from toolwright.registry import Registry
from toolwright.tools import Tool

WITHIN = 20.0
"""Seconds that nothing here may take: what hangs fails instead of holding up the rest."""


class LibraryStop(BaseException):
    """What some libraries raise past every `except Exception`."""


def executor_of(*tools: Tool, **options: Any) -> Executor:
    return Executor(Registry(tools), **options)


async def run(tool: Tool, arguments: dict[str, Any] | None = None, **options: Any) -> Execution:
    """Execute one call of a tool, with an executor of its own; options of the call are among the others."""
    own = {name: options.pop(name) for name in list(options) if name in PER_CALL}
    async with asyncio.timeout(WITHIN):
        return await executor_of(tool, **options).execute(
            ToolCall.new(tool.definition.name, **(arguments or {})), **own
        )


PER_CALL = frozenset(["session", "workspace", "approved", "progress", "metadata", "attempt", "execution_id"])


async def settle(rounds: int = 20) -> None:
    """Let everything run that is ready to."""
    for _ in range(rounds):
        await asyncio.sleep(0)


async def until(condition: Callable[[], object], seconds: float = WITHIN) -> None:
    """Let others run until something is so."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  conditions of all kinds, most of which tell nobody
            await asyncio.sleep(0)


async def gathered(work: Iterable[Awaitable[Execution]]) -> list[Execution]:
    async with asyncio.timeout(WITHIN):
        return list(await asyncio.gather(*work))


def codes(executions: Iterable[Execution]) -> list[str]:
    return [each.outcome.error_code or "ok" for each in executions]
