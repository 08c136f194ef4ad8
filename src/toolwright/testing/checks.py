"""What every tool should pass, whoever wrote it."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from toolwright.schema.dialects import DIALECTS
from toolwright.testing.contexts import tool_context
from toolwright.tools.base import Tool
from toolwright.tools.checking import check_definition
from toolwright.tools.context import ToolContext
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.outcome import ToolOutcome
from toolwright.tools.services import ServiceSource
from toolwright.tools.threads import Threads
from toolwright.values import encode

__all__ = ["assert_valid_tool"]


def assert_valid_tool(
    tool: object,
    arguments: Iterable[Mapping[str, Any]] | None = None,
    *,
    workspace: str | os.PathLike[str] | None = None,
    services: ServiceSource | None = None,
    cancels_within: float = 1.0,
) -> None:
    """Check what every tool should pass; one assertion at the end tells all that is wrong.

    The definition is valid, survives JSON and fits every provider's dialect; its examples pass the tool's own check;
    the summary is one line, and the risk never below the definition's. Then the tool is run, and run again to be
    cancelled: with ``arguments``, or, if it says that it has no side effects, with its examples. A run may fail, but it
    must give an outcome, within the size that the definition allows and the output schema, and must end within
    ``cancels_within`` seconds of being cancelled, also in its thread.

    May be called with or without a running event loop; the tool runs in a loop of its own.

    Raises:
        AssertionError: Something is wrong.
    """
    assert isinstance(tool, Tool), f"a {type(tool).__name__} has not the shape of a Tool"  # noqa: S101
    faults = list(_faults_of_definition(tool.definition))
    examples: tuple[Mapping[str, Any], ...] = tool.definition.examples
    nothing: Mapping[str, Any] = {}
    faults += [fault for given in (*examples, nothing) for fault in _faults_of_words(tool, given)]
    faults += [
        f"example {index} does not pass the tool's check:\n{report.message}"
        for index, report in enumerate(map(tool.check, examples))
        if not report.valid
    ]
    runs = tuple(arguments) if arguments is not None else () if tool.definition.side_effects else examples
    contexts = [tool_context(given, workspace, services, name=tool.definition.name) for given in runs]
    for context in contexts:
        faults += _in_a_loop_of_its_own(tool, context, cancels_within)
    if faults:
        raise AssertionError(
            f"{tool.definition.name} is not a valid tool:\n" + "\n".join(f"- {fault}" for fault in faults)
        )


def _faults_of_definition(definition: ToolDefinition) -> Iterator[str]:
    report = check_definition(definition)
    if not report.valid:
        yield f"its definition is not valid:\n{report.message}"
    if ToolDefinition.from_json(definition.to_json()) != definition:
        yield "its definition is another one when it comes back from JSON"
    for dialect in DIALECTS:
        try:
            definition.parameters.for_provider(dialect)
        except Exception as error:  # noqa: BLE001  every fault is one to be told
            yield f"its parameters cannot be said in the dialect {dialect}: {error}"


def _faults_of_words(tool: Tool, arguments: Mapping[str, Any]) -> Iterator[str]:
    try:
        summary: Any = tool.summarize(arguments)
        risk = tool.effective_risk(arguments)
    except Exception as error:  # noqa: BLE001  every fault is one to be told
        yield f"its summary or effective risk raises {type(error).__name__}, with arguments {sorted(arguments)}"
        return
    if not isinstance(summary, str) or not summary.strip() or "\n" in summary:
        yield "its summary is not one line of text"
    if risk < tool.definition.risk:
        yield f"its effective risk {risk} is below the definition's {tool.definition.risk}"


def _in_a_loop_of_its_own(tool: Tool, context: ToolContext, seconds: float) -> list[str]:
    found: list[str] = []
    blocked = ["a run blocks the event loop: it neither ends nor awaits anything"]

    def work() -> None:
        loop = asyncio.new_event_loop()
        # Not asyncio.run, which would wait for a tool that takes no notice of being cancelled.
        found.extend(loop.run_until_complete(_faults_of_runs(tool, context, seconds)))
        loop.close()
        blocked.clear()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(tool.definition.time_limit + 2 * seconds + 1)
    return found + blocked


async def _faults_of_runs(tool: Tool, context: ToolContext, seconds: float) -> list[str]:
    faults: list[str] = []
    try:
        async with asyncio.timeout(tool.definition.time_limit):
            outcome: Any = await tool.execute(context)
    except TimeoutError:
        return [f"a run takes longer than its own limit of {tool.definition.time_limit:g} s"]
    except BaseException as error:  # noqa: BLE001  every fault is one to be told
        return [f"execute raises {type(error).__name__} instead of giving an outcome"]
    if isinstance(outcome, ToolOutcome):
        faults += _faults_of_outcome(tool.definition, outcome)
    else:
        faults.append(f"execute gives a {type(outcome).__name__} instead of a ToolOutcome")
    return faults + await _faults_of_cancelling(tool, context, seconds)


def _faults_of_outcome(definition: ToolDefinition, outcome: ToolOutcome) -> Iterator[str]:
    size = len(encode(outcome.data))
    if size > definition.output_limit:
        yield f"a result has {size:,} bytes, and the definition allows {definition.output_limit:,}"
    if outcome.error_code == "output_invalid":
        yield f"a result cannot be used: {outcome.error}"
    if outcome.success and definition.output_schema is not None:
        report = definition.output_schema.validate(outcome.data)
        if not report.valid:
            yield f"a result does not fit the output schema:\n{report.message}"


async def _faults_of_cancelling(tool: Tool, context: ToolContext, seconds: float) -> list[str]:
    threads = Threads()
    context = replace(context, threads=threads, cancellation=type(context.cancellation)())
    running = asyncio.ensure_future(tool.execute(context))
    await asyncio.sleep(0)
    running.cancel()
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    await asyncio.wait([running], timeout=seconds)
    while running.done() and threads.abandoned and loop.time() < end:  # noqa: ASYNC110  a thread tells nobody
        await asyncio.sleep(0.01)
    if running.done() and not threads.abandoned:
        return []
    return [f"a cancelled run has not ended after {seconds:g} s: let it await, or look at context.cancelled"]
