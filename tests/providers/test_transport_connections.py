from __future__ import annotations

import asyncio
import ssl
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from tests.promises import keeps
from tests.providers.asked import Asking, asking, request
from tests.servers.two import two
from tests.servers.unruly import OK, client_tls, head, says, sends, unruly
from toolwright.errors import LLMError, MissingExtraError
from toolwright.providers.transport import Pools, Transport


@keeps("transport.pool")
async def test_all_who_ask_one_base_url_share_its_connections() -> None:
    async with unruly([says()] * 4) as server:
        pools = Pools()
        one, other = Transport(pools=pools), Transport(pools=pools)
        for transport in (one, other, one, other):
            assert await transport.exchange(request(server.url)).fetch() == OK
        assert server.connections == 1
        await one.aclose()
        assert server.open == 1, "the other one still uses it"
        await other.aclose()
        await server.until(lambda: server.open == 0)


@keeps("transport.pool")
async def test_requests_at_the_same_time_do_not_wait_for_each_other() -> None:
    async with asking([sends(head(), then="hang")] * 5, own_clock=False) as asked:
        tasks = [asyncio.create_task(asked.fetch()) for _ in range(5)]
        await asked.server.until(lambda: len(asked.server.requests) == 5)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@keeps("transport.http2")
async def test_whole_answers_share_one_connection_by_http2_where_it_is_offered() -> None:
    async with two(together=3) as server:
        transport = Transport(pools=Pools(), tls=client_tls())
        first = asyncio.create_task(transport.exchange(request(server.url)).fetch())
        others = [asyncio.create_task(transport.exchange(request(server.url)).fetch()) for _ in range(2)]
        assert await asyncio.gather(first, *others) == [OK] * 3
        assert server.connections == ["h2"]
        await transport.aclose()


@keeps("transport.http2")
async def test_a_stream_has_a_connection_for_itself() -> None:
    async with two() as server:
        transport = Transport(pools=Pools(), tls=client_tls())
        got = [chunk async for chunk in transport.exchange(request(server.url, streaming=True)).stream()]
        assert (b"".join(got), server.connections) == (OK, ["http/1.1"])
        await transport.aclose()


@keeps("transport.http2")
async def test_a_connection_on_which_somebody_stopped_waiting_takes_no_more_requests() -> None:
    async with two(together=2) as server:
        transport = Transport(pools=Pools(), tls=client_tls())
        task = asyncio.create_task(transport.exchange(request(server.url)).fetch())
        await server.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        server.waiting.clear()
        server.together = 1
        assert await transport.exchange(request(server.url)).fetch() == OK
        assert server.connections == ["h2", "h2"]
        await transport.aclose()


@keeps("transport.tls", "transport.code.connection_failed")
async def test_a_certificate_that_nobody_vouches_for_is_refused_at_once() -> None:
    async with asking(says(), tls=client_tls()) as asked:
        stranger = Transport(pools=Pools(), clock=asked.clock)
        with pytest.raises(LLMError, match="the certificate of https://127.0.0.1:.* cannot be verified") as caught:
            await stranger.exchange(request(asked.server.url)).fetch()
        await stranger.aclose()
        assert (caught.value.code, caught.value.retryable) == ("connection_failed", False)
        assert asked.server.requests == []


@keeps("transport.tls")
async def test_authorities_of_ones_own_are_believed() -> None:
    async with asking(says(), tls=client_tls()) as asked:
        assert await asked.fetch() == OK


@keeps("transport.tls")
def test_what_verifies_nothing_is_refused() -> None:
    careless = client_tls()
    careless.check_hostname = False
    careless.verify_mode = ssl.CERT_NONE
    with pytest.raises(ValueError, match="tls must verify certificates"):
        Transport(tls=careless)


@keeps("transport.no_leaks")
def test_connections_end_with_their_loop_even_when_nobody_closes_them() -> None:
    pools = Pools()
    transport = Transport(pools=pools)

    async def ask() -> None:
        async with unruly(says(), says()) as server:
            assert await transport.exchange(request(server.url)).fetch() == OK
            task = asyncio.create_task(transport.exchange(request(server.url)).fetch())
            await task
            loop = asyncio.get_running_loop()
            loop.call_soon(server.ended.set)
            await loop.shutdown_asyncgens()  # as at the end of asyncio.run
            await server.until(lambda: server.open == 0)

    asyncio.run(ask())
    asyncio.run(ask())


@keeps("transport.no_leaks")
async def test_many_answers_of_every_kind_leave_no_task_and_no_connection() -> None:
    kinds = [says(), says(b"{}", 500), sends(then="reset"), sends(head(content_length="9"), b"x", then="close")]
    async with asking(kinds * 10, retries=0) as asked:
        for _ in range(40):
            with suppress(LLMError):
                await asked.fetch()
        assert asyncio.all_tasks() - {asyncio.current_task()} <= {
            task for task in asyncio.all_tasks() if "Unruly.talk" in repr(task.get_coro())
        }
        await asked.transport.aclose()
        await asked.server.until(lambda: asked.server.open == 0)


@keeps("transport.code.cancelled")
@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
async def test_who_is_asking_while_the_provider_is_closed_is_told_so(streaming: bool) -> None:
    async with asking(sends(head(content_length="9"), then="hang"), own_clock=False) as asked:
        exchange = asked.exchange(streaming=streaming)

        async def ask() -> None:
            if streaming:
                async for _ in exchange.stream():
                    pass
            else:
                await exchange.fetch()

        task = asyncio.create_task(ask())
        await asked.server.until(lambda: len(asked.server.requests) == 1)
        for _ in range(50):
            await asyncio.sleep(0)
        await asked.transport.aclose()
        with pytest.raises(LLMError, match="was closed while it was asked") as caught:
            await task
        assert (caught.value.code, caught.value.retryable) == ("cancelled", False)


async def test_asking_after_closing_opens_new_connections() -> None:
    async with asking(says(), says()) as asked:
        assert await asked.fetch() == OK
        await asked.transport.aclose()
        assert await asked.fetch() == OK
        assert asked.server.connections == 2


async def test_no_proxy_stands_between_this_machine_and_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with asking(says()) as asked:
        assert await asked.fetch() == OK


async def test_a_proxy_that_refuses_is_named_as_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    async with asking(says(b"", 403)) as asked:
        monkeypatch.setenv("HTTPS_PROXY", asked.server.url)
        transport = Transport(pools=Pools(), retries=0)
        with pytest.raises(LLMError, match="the proxy on the way to https://models.invalid refused") as caught:
            await transport.exchange(request("https://models.invalid")).fetch()
        assert caught.value.code == "connection_failed"
        assert asked.server.requests[0].method == "CONNECT"
        assert "authorization" not in asked.server.requests[0].headers
        await transport.aclose()


async def test_cookies_are_not_kept_between_requests() -> None:
    async with asking(says(set_cookie="session=1"), says()) as asked:
        await asked.fetch()
        await asked.fetch()
        assert "cookie" not in asked.said()[1]


@keeps("transport.extra")
def test_without_the_http_library_the_error_names_the_extra() -> None:
    script = """
import sys, asyncio
sys.modules["httpx2"] = None
import toolwright as tw
llm = tw.provider("ollama:qwen3")
try:
    asyncio.run(llm.chat([tw.user("Hello")]))
except tw.MissingExtraError as error:
    print(error.extra, "|", error)
"""
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("http | ")
    assert "pip install 'toolwright[http]'" in done.stdout
    assert issubclass(MissingExtraError, ImportError)


async def test_several_threads_with_loops_of_their_own_may_share_a_transport() -> None:
    async with asking([says()] * 8) as asked:
        loop, answers = asyncio.get_running_loop(), list[bytes]()
        done = asyncio.Event()

        def work(shared: Asking) -> None:
            answers.append(asyncio.run(shared.fetch()))
            if len(answers) == 8:
                loop.call_soon_threadsafe(done.set)

        for _ in range(8):
            threading.Thread(target=work, args=(asked,), daemon=True).start()
        async with asyncio.timeout(20):
            await done.wait()
        assert answers == [OK] * 8


@pytest.mark.parametrize("settings", [{"retries": -1}, {"max_bytes": 0}])
def test_numbers_out_of_range_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="may be"):
        Transport(**settings)  # type: ignore[arg-type]


@keeps("transport.no_leaks")
def test_a_program_that_closes_nothing_ends_without_a_word() -> None:
    script = """
import toolwright as tw
from toolwright.testing import ScriptedServer
with ScriptedServer(["one", "two"]) as server:
    llm = tw.provider("ollama:m", base_url=server.url)
    print(llm.sync.chat([tw.user("Hi")]), llm.sync.chat([tw.user("Hi")]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", script], check=True, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("one two\n", "")
