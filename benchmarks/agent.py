"""What a run costs on top of the model and the tools: turn by turn, and when it gets long.

The floor is the least code that does the same: a list of messages, arguments decoded into a dict and checked with a
compiled JSON Schema, the function awaited, its result encoded.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from typing import Any, Unpack

import msgspec

from benchmarks.execution import TEXT, add
from benchmarks.harness import Figure, Pair, measure, workload
from toolwright.agent import Agent
from toolwright.messages import ChatMessage, ToolCall
from toolwright.providers import ChatOptions, ChatResponse, StreamEvent
from toolwright.registry import Registry
from toolwright.tools import ToolDefinition

RUNS = 200
ANSWER = ChatResponse(text="It is 42.")


class InProcessModel:
    """Calls ``add`` so many times in a row, then answers."""

    model_name = "in-process"

    def __init__(self, turns: int) -> None:
        self.turns = turns
        self.asked = 0

    async def chat(self, messages: Iterable[ChatMessage]) -> str:
        """Is not asked."""
        raise AssertionError

    async def chat_with_tools(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition], **options: Unpack[ChatOptions]
    ) -> ChatResponse:
        """Give the next call, or the answer."""
        self.asked += 1
        if self.asked > self.turns:
            self.asked = 0
            return ANSWER
        # What differs from turn to turn, as calls do: the same one again and again would be told so.
        call = ToolCall.parse("call_1", "add", f'{{"a": 20, "b": {self.asked}}}')
        assert isinstance(call, ToolCall)
        return ChatResponse(tool_calls=(call,), finish_reason="tool_calls")

    def stream(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> AsyncIterator[StreamEvent]:
        """Is not asked."""
        raise AssertionError


class Message(msgspec.Struct):
    """The least that a message may be."""

    role: str
    content: str


def floor_of_a_run(turns: int) -> Callable[[], Coroutine[Any, Any, object]]:
    import jsonschema_rs

    decode = msgspec.json.Decoder(dict[str, Any]).decode
    encode = msgspec.json.Encoder().encode
    is_valid = jsonschema_rs.validator_for(add.definition.parameters.to_dict()).is_valid
    function = add.function

    async def model(messages: list[Message], turn: int) -> str | None:
        return None if turn == turns else TEXT

    async def run() -> object:
        messages = [Message("user", "What is 20 + 22?")]
        for turn in range(turns + 1):
            text = await model(messages, turn)
            if text is None:
                messages.append(Message("assistant", "It is 42."))
                return messages
            messages.append(Message("assistant", text))
            arguments = decode(text)
            if not is_valid(arguments):
                raise ValueError
            messages.append(Message("tool", encode(await function(**arguments)).decode()))
        return messages

    return run


def many(make: Callable[[], Coroutine[Any, Any, object]], count: int) -> Callable[[], None]:
    """Return what runs a coroutine so many times in one loop."""
    runner = asyncio.Runner()

    async def all_of_them() -> None:
        for _ in range(count):
            await make()

    return lambda: runner.run(all_of_them())


def agent_of(turns: int) -> Agent:
    return Agent(InProcessModel(turns), Registry([add]), max_turns=10**6, max_tool_calls=10**6)


@workload("W6", "user, call, result, text", goal=20, per=RUNS)
def one_run() -> Pair:
    agent = agent_of(1)
    return many(lambda: agent.run("What is 20 + 22?"), RUNS), many(floor_of_a_run(1), RUNS)


@workload("W6", "a turn of 200, beside a turn of 10")
def long_runs() -> list[Figure]:
    short, long = agent_of(10), agent_of(200)
    works = many(lambda: long.run("Add."), 5), many(lambda: short.run("Add."), 100)
    spent_long, spent_short = measure(*works)
    return [Figure("one turn in a run of 200, beside one of 10", spent_long / 1000, spent_short / 1000, goal=1.2)]
