"""Tools that any runner can run: importable by name, and free of what only this program has."""

from __future__ import annotations

import asyncio

from toolwright.tools import tool


@tool(risk="safe")
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(risk="safe")
def raises() -> None:
    """Fail."""
    raise ValueError("nothing to see")


@tool(risk="safe")
def big(count: int) -> str:
    """Return a long text."""
    return "x" * count


@tool(risk="safe")
async def sleeps() -> None:
    """Wait for ever."""
    await asyncio.get_running_loop().create_future()
