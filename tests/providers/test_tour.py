"""The part of the tour that asks a model, as a user would write it, with a stand-in where Ollama usually listens."""

from __future__ import annotations

import pytest

import toolwright as tw
from tests.promises import keeps
from toolwright.testing import MockTool, ScriptedServer


@keeps("providers.tour")
async def test_the_tour_asks_a_model_as_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = tw.Registry([MockTool("count_lines")])
    with ScriptedServer(["Hello.", tw.ToolCall.new("count_lines"), "Hello again."], models=["qwen3"]) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)

        llm = tw.provider("ollama:qwen3")
        text = await llm.chat([tw.user("Hello")])
        response = await llm.chat_with_tools([tw.user("How long is README.md?")], registry.definitions())
        events = [event async for event in llm.stream([tw.user("Hello")])]

        assert text == "Hello."
        assert [call.name for call in response.tool_calls] == ["count_lines"]
        assert isinstance(events[-1], tw.Completed)
        assert events[-1].response.text == "Hello again."
        await llm.aclose()


@keeps("providers.tour")
@pytest.mark.parametrize("service", ["openai", "openai-chat", "anthropic", "gemini", "cohere", "ollama", "vllm"])
async def test_a_whole_run_of_an_agent_is_the_same_over_every_interface(service: str) -> None:
    echo = MockTool("echo", data={"value": 42})
    broken = tw.InvalidToolCall("call_2", "echo", '{"a": ', "The arguments are not valid JSON.")
    script: list[object] = [tw.ToolCall("call_1", "echo", {"a": 1}), [tw.ToolCall("call_3", "nobody")], "It is 42."]
    if service not in ("gemini", "ollama"):
        script.insert(1, [broken])
    with ScriptedServer(script) as server:
        llm = tw.provider(f"{service}:m", base_url=server.url, api_key="k")
        run = await tw.Agent(llm, tw.Registry([echo])).run("What is it?")
        assert (run.text, run.status) == ("It is 42.", "completed")
        assert [call.arguments for call in echo.calls] == [{"a": 1}]
        assert run.usage.input_tokens is not None
        assert run.usage.input_tokens > 0
        await llm.aclose()
