"""Every provider has the shape of one, to every type checker; and options are checked by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_type

import toolwright as tw
from toolwright.testing import ScriptedProvider, record, replay


def every_provider_is_one() -> Sequence[tw.ChatProvider]:
    llm = tw.provider("ollama:qwen3", timeout=5.0)
    return llm, ScriptedProvider(["a"]), record(llm, "file.json"), replay("file.json")


async def asking_gives_what_it_says(llm: tw.ChatProvider) -> None:
    assert_type(await llm.chat([tw.user("Hi")]), str)
    assert_type(await llm.chat_with_tools([tw.user("Hi")], [], tool_choice="auto"), tw.ChatResponse)
    async for event in llm.stream([tw.user("Hi")], text_calls="auto", tool_mode="prompted"):
        assert_type(event, tw.TextDelta | tw.ReasoningDelta | tw.ToolCallDelta | tw.Completed)


def without_a_loop() -> None:
    llm = tw.provider()
    assert_type(llm.sync.chat([tw.user("Hi")]), str)
    assert_type(llm.sync.chat_with_tools([tw.user("Hi")]).text, str | None)


async def a_misspelt_option_is_an_error(llm: tw.ChatProvider) -> None:
    await llm.chat_with_tools([], [], temprature=0.5)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    tw.provider("ollama:a", base="http://host")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
