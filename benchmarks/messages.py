"""Messages, conversations and streams against structs that check nothing and know no rules."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Sequence
from threading import RLock
from typing import Any

import msgspec

from benchmarks.harness import Figure, Work, measure, workload
from toolwright.conversation import Conversation
from toolwright.messages import ChatMessage, ToolCall, ToolCallAssembler, ToolCallDelta, assistant, tool_result, user

MESSAGES = 100_000
TEXT = "How long is the README of this project, and who wrote it?"
ARGUMENTS = {"path": "README.md", "content": "A first line."}


class BareCall(msgspec.Struct, frozen=True, gc=False):
    """A call as thin as msgspec makes one."""

    id: str
    name: str
    arguments: dict[str, Any]


class BareMessage(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A message as thin as msgspec makes one."""

    role: str
    content: str | None = None
    tool_calls: tuple[BareCall, ...] = ()
    tool_call_id: str | None = None
    is_error: bool = False


@workload("W1", "construct a user message", goal=2.5, limit=1e-6)
def user_message() -> tuple[Work, Work]:
    return lambda: user(TEXT), lambda: BareMessage("user", TEXT)


@workload("W1", "construct a tool result", goal=2.5, limit=1e-6)
def result_message() -> tuple[Work, Work]:
    return lambda: tool_result("call_1", TEXT), lambda: BareMessage("tool", TEXT, tool_call_id="call_1")


@workload(
    "W1", "construct an assistant message with 2 calls (the floor copies and checks nothing)", goal=2.5, limit=1e-6
)
def assistant_message() -> tuple[Work, Work]:
    def ours() -> object:
        first = ToolCall("call_1", "write_file", ARGUMENTS)
        return assistant(None, (first, ToolCall("call_2", "write_file", ARGUMENTS)))

    def floor() -> object:
        first = BareCall("call_1", "write_file", ARGUMENTS)
        return BareMessage("assistant", None, (first, BareCall("call_2", "write_file", ARGUMENTS)))

    return ours, floor


def history() -> list[ChatMessage]:
    """Return 50 messages with 10 calls."""
    messages = []
    for turn in range(10):
        call = ToolCall(f"call_{turn}", "write_file", ARGUMENTS)
        messages += [user(TEXT), assistant(None, [call]), tool_result(call.id, "A line.\n" * 5)]
        messages += [assistant(TEXT), user(TEXT)]
    return messages


@workload("W2", "decode 50 messages with 10 calls, canonical JSON", goal=1.8)
def decode() -> tuple[Work, Work]:
    text = msgspec.json.encode([msgspec.Raw(message.to_json()) for message in history()])
    ours = msgspec.json.Decoder(list[ChatMessage])
    bare = msgspec.json.Decoder(list[BareMessage])
    return lambda: ours.decode(text), lambda: bare.decode(text)


@workload("W2", "encode 50 messages with 10 calls, canonical JSON", goal=2)
def encode() -> tuple[Work, Work]:
    from toolwright.values import encode as to_json

    messages = history()
    bare = msgspec.json.decode(to_json(messages), type=list[BareMessage])
    encoder = msgspec.json.Encoder()
    return lambda: to_json(messages), lambda: encoder.encode(bare)


def pieces(count: int, calls: int = 1) -> list[tuple[int, str]]:
    """Return the fragments of ``calls`` interleaved calls, ``count`` each."""
    inner = ["some text "] * (count - 2)
    return [(index, piece) for piece in ['{"content":"', *inner, '"}'] for index in range(calls)]


def _assembling(count: int, calls: int) -> Callable[[], tuple[Work, Work]]:
    fragments = pieces(count, calls)

    def ours() -> object:
        assembler = ToolCallAssembler()
        for index in range(calls):
            assembler.add(ToolCallDelta(index, f"call_{index}", "write_file"))
        for index, piece in fragments:
            assembler.add(ToolCallDelta(index, None, None, piece))
        return assembler.finish()

    def floor() -> object:
        parts: list[list[str]] = [[] for _ in range(calls)]
        for index, piece in fragments:
            parts[index].append(piece)
        return [BareCall("call", "write_file", msgspec.json.decode("".join(texts))) for texts in parts]

    return lambda: (ours, floor)


for _count, _calls in ((500, 1), (2_000, 1), (8_000, 1), (500, 8)):
    workload("W7", f"assemble {_calls} call(s) from {_count:,} deltas each", goal=8)(_assembling(_count, _calls))


def appended(count: int) -> Conversation:
    """Return a conversation of ``count`` messages without a system message."""
    conversation = Conversation(require_system=False)
    for _ in range(count // 2):
        conversation.add(user(TEXT))
        conversation.add(assistant(TEXT))
    return conversation


def bare(count: int) -> list[BareMessage]:
    """Return a list of as many bare messages, appended behind a lock."""
    messages: list[BareMessage] = []
    lock = RLock()

    def add(message: BareMessage) -> None:
        lock.acquire()
        try:
            messages.append(message)
        finally:
            lock.release()

    for _ in range(count // 2):
        add(BareMessage("user", TEXT))
        add(BareMessage("assistant", TEXT))
    return messages


def memory(make: Callable[[int], object]) -> float:
    """Return the bytes that each of many messages takes."""
    gc.collect()
    tracemalloc.start()
    kept = make(MESSAGES)
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del kept
    return size / MESSAGES


@workload("W9", "append messages")
def appending() -> Sequence[Figure]:
    small, large = (measure(lambda n=n: appended(n), lambda n=n: bare(n)) for n in (MESSAGES // 100, MESSAGES))  # type: ignore[misc]
    ours, floor = large[0] / MESSAGES, large[1] / MESSAGES
    return [
        Figure(f"construct and append, of {MESSAGES:,}: time each", ours, floor, goal=5),
        Figure("the same, against that of 1,000 (flat)", ours, small[0] / (MESSAGES // 100), goal=1.2),
        Figure(f"of {MESSAGES:,}: memory each, texts apart", memory(appended), memory(bare), unit="B", limit=160),
    ]
