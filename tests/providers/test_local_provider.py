from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path

import pytest

import toolwright as tw
from tests.promises import keeps
from tests.providers.bare import run_bare
from tests.providers.small_weights import CONTENT, model
from tests.providers.tiny_model import write_tiny_model
from toolwright.errors import LLMError
from toolwright.providers import ChatProvider, Completed, StreamEvent, TextDelta
from toolwright.providers.local import NOTE, LocalProvider, local_provider
from toolwright.providers.local.offering import MOST_TOOLS, small_offer
from toolwright.providers.local.places import VARIABLE

HELLO = [tw.user("Hello")]
WITHOUT_END = 300_000  # tokens: minutes of babble


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of one's own: a model that babbles."""
    path = write_tiny_model(tmp_path / "tiny.gguf", context=WITHOUT_END)
    monkeypatch.setenv(VARIABLE, str(path))
    return path


@pytest.fixture
async def llm(tiny: Path) -> AsyncIterator[LocalProvider]:
    async with local_provider(max_tokens=16, threads=1) as provider:
        yield provider


@pytest.fixture
async def babbler(tiny: Path) -> AsyncIterator[LocalProvider]:
    """It goes on for minutes, unless somebody ends it."""
    async with local_provider(context=WITHOUT_END, max_tokens=WITHOUT_END, threads=1) as provider:
        yield provider


async def texts(provider: ChatProvider) -> list[str]:
    """Ask by every way there is."""
    streamed, whole = "", None
    async for event in provider.stream(HELLO):
        if isinstance(event, TextDelta):
            streamed += event.text
        elif isinstance(event, Completed):
            whole = event.response.text
    assert streamed == whole
    return [streamed, await provider.chat(HELLO), (await provider.chat_with_tools(HELLO, ())).text or ""]


async def read(events: AsyncIterator[StreamEvent]) -> None:
    async for _ in events:
        pass


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def pid_of(provider: LocalProvider) -> int:
    assert provider.pid is not None
    return provider.pid


@keeps("local.own", "local.deterministic")
async def test_it_answers_as_any_model_does(llm: LocalProvider) -> None:
    streamed, *said = await texts(llm)
    assert streamed
    assert said[0] == said[1]
    assert said[0].startswith(streamed)  # a last character of which only a part is there is not streamed
    response = await llm.chat_with_tools(HELLO, ())
    assert (response.finish_reason, response.usage.output_tokens) == ("length", 16)
    assert llm.model_name == response.model == "tiny"


def test_it_is_the_model_of_that_name(tiny: Path) -> None:
    provider = tw.provider("local")
    assert isinstance(provider, LocalProvider)
    assert provider.model_name == "tiny"


@keeps("local.small")
def test_it_says_that_it_is_small(tiny: Path) -> None:
    assert local_provider().note == NOTE
    assert "small" in NOTE
    os.truncate(tiny, 5_000_000_000)  # a hole: it takes no room
    assert local_provider().note is None


async def test_a_proxy_is_not_asked_for_the_way_to_this_machine(
    llm: LocalProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert await llm.chat(HELLO)


@keeps("local.anywhere")
async def test_threads_with_loops_of_their_own_ask_one_process(llm: LocalProvider) -> None:
    with ThreadPoolExecutor(3) as threads:
        asked = [threads.submit(asyncio.run, llm.chat(HELLO)) for _ in range(3)]
        said = await asyncio.gather(*map(asyncio.wrap_future, asked), llm.chat(HELLO), llm.chat(HELLO))
    assert len(set(said)) == 1
    first = pid_of(llm)
    assert await llm.chat(HELLO) == said[0]
    assert pid_of(llm) == first


@keeps("local.anywhere")
def test_code_without_a_loop_asks_it_too(tiny: Path) -> None:
    provider = local_provider(max_tokens=8, threads=1)
    assert provider.sync.chat(HELLO) == provider.sync.chat(HELLO)
    running = pid_of(provider)
    provider.sync.close()
    assert not is_running(running)


@keeps("local.ends", "local.lazy")
async def test_closing_ends_the_process_and_asking_starts_another(llm: LocalProvider) -> None:
    assert llm.pid is None
    await llm.chat(HELLO)
    first = pid_of(llm)
    await llm.aclose()
    await llm.aclose()
    assert not is_running(first)
    assert await llm.chat(HELLO)
    assert pid_of(llm) != first


@keeps("local.given_up")
async def test_an_answer_that_nobody_reads_on_is_ended(babbler: LocalProvider) -> None:
    async with aclosing(babbler.stream(HELLO)) as events:
        assert isinstance(await anext(events), TextDelta)
    async with asyncio.timeout(60):  # there is one slot: who asks now waits for whatever is in it
        assert (await babbler.chat_with_tools(HELLO, (), max_tokens=1)).usage.output_tokens == 1


@keeps("local.given_up")
async def test_an_answer_that_is_cancelled_or_late_is_ended(babbler: LocalProvider) -> None:
    await babbler.chat(HELLO, max_tokens=1)
    with pytest.raises(LLMError) as caught:
        await babbler.chat(HELLO, timeout=0.5)
    assert caught.value.code == "timeout"
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await babbler.chat(HELLO)
    async with asyncio.timeout(60):
        assert (await babbler.chat_with_tools(HELLO, (), max_tokens=1)).usage.output_tokens == 1


@keeps("local.ends")
async def test_closing_does_not_wait_for_an_answer(babbler: LocalProvider) -> None:
    events = babbler.stream(HELLO)
    await anext(events)
    running = pid_of(babbler)
    async with asyncio.timeout(60):
        await babbler.aclose()
    assert not is_running(running)
    with pytest.raises(LLMError) as caught:
        await read(events)
    assert caught.value.code == "cancelled"


@keeps("local.crash")
async def test_a_model_that_dies_in_the_middle_is_an_error_and_answers_again(babbler: LocalProvider) -> None:
    events = babbler.stream(HELLO)
    await anext(events)
    running = pid_of(babbler)
    os.kill(running, signal.SIGKILL)
    await asyncio.to_thread(os.waitid, os.P_PID, running, os.WEXITED | os.WNOWAIT)
    with pytest.raises(LLMError, match="the process of the local model ended; asking again starts it") as caught:
        await read(events)
    assert (caught.value.code, caught.value.retryable) == ("connection_failed", True)
    assert await babbler.chat(HELLO, max_tokens=4)


async def test_a_wrong_option_is_said_as_such(llm: LocalProvider) -> None:
    with pytest.raises(LLMError) as caught:
        await llm.chat(HELLO, extra_body={"n_probs": "many"})
    assert caught.value.code == "api_call_failed"


@keeps("local.told")
def test_where_nothing_was_pulled_it_is_said_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(LLMError, match=r"toolwright model pull fetches it once \(491 MB\)") as caught:
        local_provider(folder=tmp_path)
    assert caught.value.code == "model_not_found"


@keeps("local.digest")
async def test_weights_with_another_digest_are_never_started(tmp_path: Path) -> None:
    (tmp_path / "small.gguf").write_bytes(CONTENT[:-1] + b"!")
    async with local_provider(model(), folder=tmp_path) as provider:
        with pytest.raises(LLMError, match="is not A small model: toolwright model pull fetches it again") as caught:
            await provider.chat(HELLO)
        assert provider.pid is None
    assert caught.value.code == "model_not_found"


@keeps("local.digest")
async def test_a_file_of_ones_own_that_is_named_later_opens_no_other_unchecked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small.gguf").write_bytes(CONTENT[:-1] + b"!")
    async with local_provider(model(), folder=tmp_path) as provider:
        monkeypatch.setenv(VARIABLE, str(write_tiny_model(tmp_path / "tiny.gguf")))
        with pytest.raises(LLMError, match="is not A small model"):
            await provider.chat(HELLO)


@keeps("local.extra")
def test_without_its_runtime_the_error_names_the_extra(tmp_path: Path) -> None:
    program = "from toolwright.providers.local import local_provider; local_provider()"
    ended = run_bare(tmp_path, program)
    assert ended.stderr.endswith(
        "MissingExtraError: Running the local model needs an extra that is not installed: "
        "pip install 'toolwright[local]'\n"
    )


@keeps("local.few")
def test_it_is_shown_few_tools_and_none_that_changes_anything(tmp_path: Path) -> None:
    @tw.tool(risk="safe", side_effects=False)
    def look(where: str) -> str:
        """Look somewhere."""
        return where

    @tw.tool(risk="medium")
    def change(where: str) -> str:
        """Change something."""
        return where

    more = [tw.tool(risk="safe", side_effects=False, name=f"look_{number}")(look.function) for number in range(9)]
    registry = tw.Registry([change, look, *more])
    shown = [each.name for each in small_offer(registry).definitions()]
    assert len(shown) == MOST_TOOLS
    assert "change" not in shown
    assert [each.name for each in small_offer(registry, most=1).definitions()] == shown[:1]
