"""What it costs to read and write the chat format: a conversation, a run that grows, and calls that are streamed.

The floors are thin msgspec: typed structs that fit these bytes exactly, and no others.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from operator import is_
from time import perf_counter

import msgspec

import toolwright as tw
from benchmarks.harness import Figure, Pair, workload
from toolwright.providers import CODECS, Codec, codec
from toolwright.providers.codecs.openai_chat import OpenAIChatCodec

CALLS = 10
MESSAGES = 50
SAMPLES = 300


class Function(msgspec.Struct):
    """What is called."""

    name: str | None = None
    arguments: str | None = None


class Call(msgspec.Struct):
    """One call, or a piece of one."""

    function: Function
    index: int = 0
    id: str | None = None
    type: str | None = None


class Message(msgspec.Struct, omit_defaults=True):
    """One message, or a piece of one."""

    role: str | None = None
    content: str | None = None
    tool_calls: list[Call] | None = None
    tool_call_id: str | None = None


class Request(msgspec.Struct):
    """A conversation."""

    messages: list[Message]


class Choice(msgspec.Struct):
    """What a chunk brought."""

    delta: Message


class Chunk(msgspec.Struct):
    """One event of a stream."""

    choices: list[Choice]


read_any = msgspec.json.Decoder().decode
read_request = msgspec.json.Decoder(Request).decode
read_chunk = msgspec.json.Decoder(Chunk).decode
read_arguments = msgspec.json.Decoder(dict[str, object]).decode
write = msgspec.json.Encoder().encode


def request() -> bytes:
    """Return a conversation of fifty messages, ten of which make a call, as JSON."""
    messages: list[dict[str, object]] = [{"role": "system", "content": "You are a careful assistant."}]
    for turn in range(MESSAGES):
        messages.append({"role": "user", "content": f"Please look at file number {turn} and tell me what it says."})
        if turn < CALLS:
            function = {"name": "read_file", "arguments": f'{{"path":"src/file_{turn}.py","limit":100}}'}
            call = {"id": f"call_{turn:03}", "type": "function", "function": function}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": f"call_{turn:03}", "content": "def f():\n    return 1\n"})
        messages.append({"role": "assistant", "content": "It defines a function that returns one."})
    return write({"messages": messages[:MESSAGES]})


@workload("W2", "read a 50-message conversation with 10 calls from the chat format", goal=1.8)
def reading() -> Pair:
    text = request()
    chat = codec("openai-chat")

    def floor() -> None:
        for message in read_request(text).messages:
            for call in message.tool_calls or ():
                read_arguments(call.function.arguments or "")

    return lambda: chat.parse_messages(read_any(text)), floor


@workload("W2", "write it again, as every turn of a run does", goal=2)
def writing() -> Pair:
    text = request()
    chat = codec("openai-chat")
    messages, _ = chat.parse_messages(read_any(text))
    typed = read_request(text)
    return lambda: chat.encode_bytes(messages), lambda: write(typed)


@workload("W2", "write it for the first time")
def writing_anew() -> Pair:
    text = request()
    messages, _ = codec("openai-chat").parse_messages(read_any(text))
    typed = read_request(text)
    return lambda: OpenAIChatCodec().encode_bytes(messages), lambda: write(typed)


def run_of(turns: int) -> list[tw.ChatMessage]:
    """Return what a run has sent and received after so many turns."""
    messages = [tw.system("You are a careful assistant."), tw.user("Go on until you are done.")]
    for turn in range(turns):
        messages.append(tw.assistant(None, [tw.ToolCall(f"call_{turn}", "read_file", {"path": f"src/{turn}.py"})]))
        messages.append(tw.tool_result(f"call_{turn}", "def f():\n    return 1\n" * 5))
    return messages


def cost_of_turn(name: str, number: int) -> tuple[float, float]:
    """Return the seconds that one turn of a run takes to write, and those that grow with any history.

    These are copying its bytes, into the array of messages and into the body, and seeing that each of its messages is
    the one that it was.
    """
    messages = run_of(number)
    same = tuple(messages[:-2])
    best, growing = float("inf"), float("inf")
    for _ in range(SAMPLES):
        codec_of_run: Codec = import_module(CODECS[name]).CODEC()
        codec_of_run.encode_bytes(messages[:-2])
        start = perf_counter()
        written = codec_of_run.encode_bytes(messages)
        best = min(best, perf_counter() - start)
        start = perf_counter()
        b"".join((b"[", written))
        b"".join((b"{", written))
        all(map(is_, same, tuple(messages)))
        growing = min(growing, perf_counter() - start)
    return best, growing


@workload("W2", "write turn 200 of a run (floor: turn 10)")
def growing() -> Sequence[Figure]:
    figures: list[Figure] = []
    for name in CODECS:
        (late, late_growing), (early, early_growing) = cost_of_turn(name, 200), cost_of_turn(name, 10)
        figures.append(Figure(f"write turn 200 of a run for {name} (floor: turn 10)", late, early))
        what = "... less what copying the bytes and knowing the messages costs"
        figures.append(Figure(what, late - late_growing, early - early_growing, goal=1.2))
    return figures


def stream(calls: int, deltas: int) -> list[bytes]:
    """Return the events of calls whose arguments come in so many deltas, in turns."""
    first = '{"index":%d,"id":"call_%d","type":"function","function":{"name":"write_file","arguments":""}}'
    rows = [first % (index, index) for index in range(calls)]
    for number in range(deltas):
        piece = json.dumps('{"text":"' if number == 0 else '"}' if number == deltas - 1 else "word ")
        rows += [f'{{"index":{index},"function":{{"arguments":{piece}}}}}' for index in range(calls)]
    head = '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"m","choices":[{"index":0,'
    events = [f'data: {head}"delta":{{"tool_calls":[{row}]}},"finish_reason":null}}]}}\n\n' for row in rows]
    events.append(f'data: {head}"delta":{{}},"finish_reason":"tool_calls"}}]}}\n\n')
    return [event.encode() for event in [*events, "data: [DONE]\n\n"]]


def streaming(calls: int, deltas: int) -> Pair:
    """Return what reads the calls of a stream, event by event, and the floor."""
    events = stream(calls, deltas)
    chat = codec("openai-chat")

    def ours() -> None:
        decoder = chat.stream_decoder()
        for event in events:
            decoder.feed(event)
        decoder.close()

    def floor() -> None:
        pieces: list[list[str]] = [[] for _ in range(calls)]
        for event in events[:-1]:
            for call in read_chunk(event[6:-2]).choices[0].delta.tool_calls or ():
                pieces[call.index].append(call.function.arguments or "")
        for texts in pieces:
            read_arguments("".join(texts))

    return ours, floor


@workload("W7", "a streamed call of 500 deltas, through the codec", goal=8)
def streaming_500() -> Pair:
    return streaming(1, 500)


@workload("W7", "a streamed call of 2,000 deltas, through the codec", goal=8)
def streaming_2000() -> Pair:
    return streaming(1, 2_000)


@workload("W7", "a streamed call of 8,000 deltas, through the codec", goal=8)
def streaming_8000() -> Pair:
    return streaming(1, 8_000)


@workload("W7", "eight interleaved calls of 500 deltas, through the codec", goal=8)
def streaming_interleaved() -> Pair:
    return streaming(8, 500)
