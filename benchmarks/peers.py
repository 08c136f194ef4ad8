"""The same things with the libraries around us: import, describe a function, run one call, run one whole turn.

``python -m benchmarks --peers`` makes an environment of its own in ``build/peers``, installs them there in their newest
versions, and runs this file in it. What goes in and what comes out is the same; what happens in the middle is not: here
a call passes the policy, limits, events and the record, there it is read and the function is called.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import venv
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "peers"
PACKAGES = {
    "toolwright": "toolwright.tools.function, toolwright.execution.executor",
    "langchain-core": "langchain_core.tools",
    "openai-agents": "agents",
    "pydantic-ai-slim": "pydantic_ai",
    "fastmcp": "fastmcp",
}
TEXT = '{"a": 1, "b": 2}'
SAMPLES, RUNS = 7, 200
Works: TypeAlias = "tuple[Callable[[], object], *tuple[Callable[[], Awaitable[object]], ...]]"
"""Describing a function, calling it, and, where there is a loop, asking, calling and answering."""
UNITS = {"import": (1e6, "ms"), "describe": (1e3, "us"), "call": (1e3, "us"), "turn": (1e3, "us")}


async def add(a: int, b: int = 1) -> int:
    """Add two numbers.

    Args:
        a: The first of them.
        b: The second of them.
    """
    return a + b


def measure_peers() -> str:
    """Install the peers, measure them, and return a table."""
    python = FOLDER / "bin" / "python"
    if not python.exists():
        venv.create(FOLDER, with_pip=True)
    others = [name for name in PACKAGES if name != "toolwright"]
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
    subprocess.run([*install, "--editable", str(ROOT), *others], check=True)
    done = subprocess.run([str(python), "-P", __file__], check=True, capture_output=True, text=True)
    return table(json.loads(done.stdout))


def table(found: dict[str, dict[str, Any]]) -> str:
    """Return the figures as text, each with how many times ours it is."""
    titles = {"import": "import", "describe": "describe, cold", "call": "one call", "turn": "call and answer"}
    lines = [" " * 26 + "".join(f"{titles[key]:>24}" for key in UNITS)]
    for name, row in found.items():
        cells = [cell(row.get(key), found["toolwright"][key], *UNITS[key]) for key in UNITS]
        lines.append(f"{name + ' ' + row['version']:26}" + "".join(f"{each:>24}" for each in cells))
    return "\n".join(lines)


def cell(value: float | None, ours: float, size: float, unit: str) -> str:
    """Return one figure as text."""
    return "" if value is None else f"{value / size:,.1f} {unit} ({value / ours:.1f}x)"


# What runs in the peers' own environment


def toolwright() -> Works:
    import toolwright as tw
    from toolwright.testing import ScriptedProvider

    executor = tw.Executor(tw.Registry([tw.tool(add, risk="safe")]))

    async def call() -> str:
        return (await executor.execute(tw.ToolCall.parse("c", "add", TEXT))).to_result().result

    async def turn() -> str:
        model = ScriptedProvider([tw.ToolCall("c", "add", {"a": 1, "b": 2}), "3"])
        return (await tw.Agent(model, executor.registry, executor=executor).run("Add one and two.")).text

    return lambda: tw.tool(add, risk="safe"), call, turn


def langchain_core() -> Works:
    from langchain_core.tools import tool
    from langchain_core.utils.function_calling import convert_to_openai_tool

    made: Any = tool(add)

    async def call() -> str:
        wanted = {"name": "add", "args": json.loads(TEXT), "id": "c", "type": "tool_call"}
        return str((await made.ainvoke(wanted)).content)

    return lambda: convert_to_openai_tool(tool(add)), call


def openai_agents() -> Works:
    from agents import function_tool  # type: ignore[import-not-found]  # in an environment of its own
    from agents.tool_context import ToolContext  # type: ignore[import-not-found]

    made = function_tool(add)

    async def call() -> str:
        context = ToolContext(None, tool_name="add", tool_call_id="c", tool_arguments=TEXT)
        return str(await made.on_invoke_tool(context, TEXT))

    return lambda: function_tool(add).params_json_schema, call


def pydantic_ai_slim() -> Works:
    from pydantic_ai import Agent, FunctionToolset, RunContext, Tool
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.usage import RunUsage

    toolset: Any = FunctionToolset([add])
    context: Any = RunContext(deps=None, model=TestModel(), usage=RunUsage())

    async def call() -> str:
        tools = await toolset.get_tools(context)
        arguments = tools["add"].args_validator.validate_json(TEXT)
        return str(await toolset.call_tool("add", arguments, context, tools["add"]))

    async def turn() -> str:
        model = TestModel(custom_output_text="3")  # calls every tool, and then says this
        return (await Agent(model, toolsets=[toolset]).run("Add one and two.")).output

    return lambda: Tool(add).function_schema.json_schema, call, turn


def fastmcp() -> Works:
    from fastmcp.tools import Tool  # type: ignore[import-not-found]  # likewise

    made: Any = Tool.from_function(add)

    async def call() -> str:
        return str((await made.run(json.loads(TEXT))).content[0].text)

    return lambda: Tool.from_function(add).parameters, call


def import_time(module: str) -> float:
    """Return the CPU time in ns that importing a module takes, an interpreter's own start left out."""
    code = "import time; t = time.process_time_ns(); import {}; print(time.process_time_ns() - t)"
    runs = [
        subprocess.run([sys.executable, "-c", code.format(module)], check=True, capture_output=True, text=True)
        for _ in range(SAMPLES)
    ]
    return min(float(run.stdout) for run in runs)


def best(work: Callable[[], object]) -> float:
    """Return the CPU time in ns of one of many runs, the smallest of several samples."""
    samples = []
    for _ in range(SAMPLES):
        begun = time.process_time_ns()
        for _ in range(RUNS):
            work()
        samples.append((time.process_time_ns() - begun) / RUNS)
    return min(samples)


def best_call(call: Callable[[], Awaitable[object]]) -> float:
    """Return the same of an async call."""

    async def many() -> float:
        if await call() != "3":
            raise RuntimeError("the call gave something else")
        samples = []
        for _ in range(SAMPLES):
            begun = time.process_time_ns()
            for _ in range(RUNS):
                await call()
            samples.append((time.process_time_ns() - begun) / RUNS)
        return min(samples)

    return asyncio.run(many())


def main() -> None:
    found = {}
    for package, module in PACKAGES.items():
        describe, *calls = globals()[package.replace("-", "_")]()
        found[package] = {
            "version": version(package),
            "import": import_time(module),
            "describe": best(describe),
            **{key: best_call(call) for key, call in zip(("call", "turn"), calls, strict=False)},
        }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
