from __future__ import annotations

import asyncio
from datetime import timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from tests.providers.asked import Asking, HastyClock, asking, request
from tests.servers.unruly import OK, head, nobody, says, sends
from toolwright.errors import LLMError
from toolwright.providers.transport import Pools, Transport
from toolwright.providers.transport.retrying import own_wait

WHOLE = head(content_length=str(len(OK))) + OK


async def failing(asked: Asking, **fields: object) -> LLMError:
    """Ask in vain."""
    with pytest.raises(LLMError) as caught:
        await asked.fetch(**fields)  # type: ignore[arg-type]
    return caught.value


@keeps("transport.retries")
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529, 599])
async def test_a_status_that_passes_is_asked_again(status: int) -> None:
    async with asking(says(b"{}", status), says()) as asked:
        assert await asked.fetch() == OK
        assert len(asked.server.requests) == 2
        assert asked.server.requests[0].body == asked.server.requests[1].body == b'{"q":1}'


@keeps("transport.retries")
@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 410, 413, 422, 451])
async def test_a_status_that_stays_is_asked_once(status: int) -> None:
    async with asking(says(b"{}", status)) as asked:
        error = await failing(asked)
        assert (error.status, error.retryable, len(asked.server.requests)) == (status, False, 1)


@keeps("transport.retries")
async def test_a_quota_that_is_spent_is_not_asked_for_again() -> None:
    spent = b'{"error":{"message":"You exceeded your quota.","code":"insufficient_quota"}}'
    async with asking(says(spent, 429)) as asked:
        error = await failing(asked)
        assert (error.code, error.retryable, len(asked.server.requests)) == ("rate_limited", False, 1)


@keeps("transport.retries")
@pytest.mark.parametrize(
    "broken",
    [
        sends(then="close"),
        sends(then="reset"),
        sends(b"HTTP/1.1 200 OK\r\ncontent-", then="reset"),
        sends(WHOLE[:-4], then="close"),
        sends(WHOLE[:-4], then="reset"),
        sends(head(transfer_encoding="chunked"), b"4\r\n{}  \r\n", then="close"),
    ],
    ids=["closed", "reset", "reset in the head", "cut", "reset in the body", "cut between chunks"],
)
async def test_a_whole_answer_that_breaks_off_is_asked_for_again(broken: object) -> None:
    async with asking(broken, says()) as asked:  # type: ignore[arg-type]
        assert await asked.fetch() == OK
        assert len(asked.server.requests) == 2


@keeps("transport.retries", "transport.code.connection_failed")
async def test_a_port_where_nobody_listens_is_tried_again_and_then_given_up() -> None:
    clock = HastyClock()
    async with nobody() as url:
        exchange = Transport(clock=clock, chance=lambda: 0, pools=Pools()).exchange(request(url))
        with pytest.raises(LLMError, match="there is no connection to http://127.0.0.1.*refused") as caught:
            await exchange.fetch()
    error = caught.value
    assert (error.code, error.retryable, error.status) == ("connection_failed", True, None)
    assert isinstance(error.__cause__, OSError)
    assert (exchange.attempts, clock.waits) == (4, [0.5, 1.0, 2.0])


@keeps("transport.backoff")
@pytest.mark.parametrize(("chance", "waits"), [(0.0, [0.5, 1.0, 2.0, 4.0]), (1.0, [0.25, 0.5, 1.0, 2.0])])
async def test_each_wait_is_twice_the_last_less_what_chance_takes_off(chance: float, waits: list[float]) -> None:
    async with asking([says(b"{}", 503)] * 5, chance=chance, retries=4) as asked:
        assert (await failing(asked)).status == 503
        assert asked.clock.waits == waits


@keeps("transport.backoff")
@given(attempts=st.integers(1, 10_000), chance=st.floats(0, 1))
def test_no_wait_of_our_own_is_longer_than_half_a_minute(attempts: int, chance: float) -> None:
    assert 0.25 <= own_wait(attempts, chance) <= 30


@keeps("transport.retry_after")
@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "0"}, 0.0),
        ({"retry_after": " 1.5 "}, 1.5),
        ({"retry_after_ms": "250", "retry_after": "9"}, 0.25),
        ({"retry_after": "soon"}, 0.5),
        ({"retry_after": "-3"}, 0.5),
        ({"retry_after": "nan"}, 0.5),
        ({"retry_after": "Thu, 99 Foo 2026 99:99:99 GMT"}, 0.5),
        ({"retry_after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry_after": "9" * 400}, 0.5),
    ],
)
async def test_the_wait_that_a_server_asks_for_is_kept(headers: dict[str, str], wait: float) -> None:
    async with asking(says(b"{}", 429, **headers), says()) as asked:
        assert await asked.fetch() == OK
        assert asked.clock.waits == [wait]


@keeps("transport.retry_after")
@pytest.mark.parametrize("zone", [True, False], ids=["GMT", "no zone"])
async def test_the_wait_may_be_said_as_a_date(zone: bool) -> None:
    date = format_datetime(HastyClock().now() + timedelta(seconds=12))
    async with asking(says(b"{}", 503, retry_after=date if zone else date.replace("+0000", "-0000")), says()) as asked:
        assert await asked.fetch() == OK
        assert asked.clock.waits == [12.0]


@keeps("transport.deadline")
async def test_a_wait_that_ends_after_the_deadline_is_not_begun() -> None:
    async with asking(says(b'{"error":{"message":"Slow down."}}', 429, retry_after="3600")) as asked:
        error = await failing(asked)
        assert (error.code, error.message, error.retryable) == ("rate_limited", "Slow down.", True)
        assert asked.clock.waits == []


@keeps("transport.retry_after")
async def test_who_is_asked_to_come_back_tomorrow_is_told_so_and_does_not_wait() -> None:
    async with asking(says(b"{}", 503, retry_after="86400")) as asked:
        assert (await failing(asked, timeout=None)).status == 503
        assert asked.clock.waits == []


@keeps("transport.deadline", "transport.code.timeout")
async def test_a_server_that_never_answers_is_not_waited_for_beyond_the_deadline() -> None:
    async with asking(sends(then="hang"), own_clock=False) as asked:
        error = await failing(asked, timeout=0.1)
        assert (error.code, error.retryable, len(asked.server.requests)) == ("timeout", True, 1)
        await asked.server.until(lambda: asked.server.open == 0)


@keeps("transport.deadline")
@pytest.mark.parametrize(
    "sent", [head()[:9], head(), head(content_length="99") + b"{"], ids=["nothing", "head", "body"]
)
async def test_an_answer_that_stops_in_the_middle_ends_with_the_deadline(sent: bytes) -> None:
    async with asking(sends(sent, then="hang"), own_clock=False) as asked:
        assert (await failing(asked, timeout=0.1)).code == "timeout"
    async with asking(sends(sent, then="hang"), own_clock=False) as asked:
        with pytest.raises(LLMError, match="in time"):
            await asked.read_into([], timeout=0.1)


@keeps("transport.deadline")
async def test_all_attempts_and_waits_share_one_deadline() -> None:
    async with asking([says(b"{}", 503, retry_after="6")] * 9, retries=9) as asked:
        assert (await failing(asked, timeout=15.0)).status == 503
        assert asked.clock.waits == [6.0, 6.0]


@keeps("transport.first_byte")
async def test_a_stream_is_asked_for_again_until_its_first_byte_was_passed_on() -> None:
    late = sends(head(transfer_encoding="chunked"), then="reset"), sends(head() + b"data: 1\n", then="close")
    async with asking(says(b"{}", 503), *late) as asked:
        got = [chunk async for chunk in asked.exchange(streaming=True).stream()]
        assert b"".join(got) == b"data: 1\n"
        assert len(asked.server.requests) == 3


@keeps("transport.first_byte", "transport.code.connection_failed")
async def test_a_stream_that_breaks_off_after_its_first_byte_is_never_asked_for_again() -> None:
    chunked = head(transfer_encoding="chunked") + b"8\r\ndata: 1\n\r\n"
    async with asking(sends(chunked, then="reset"), says()) as asked:
        got: list[bytes] = []
        with pytest.raises(LLMError, match="in the middle of its answer") as caught:
            await asked.read_into(got)
        assert (caught.value.code, b"".join(got), len(asked.server.requests)) == ("connection_failed", b"data: 1\n", 1)


async def test_without_retries_nothing_is_asked_twice() -> None:
    async with asking(says(b"{}", 503), retries=0) as asked:
        await failing(asked)
        assert len(asked.server.requests) == 1


async def test_a_task_that_is_cancelled_while_it_waits_asks_no_more() -> None:
    async with asking(says(b"{}", 503, retry_after="10"), own_clock=False) as asked:
        task = asyncio.create_task(asked.fetch())
        await asked.server.until(lambda: len(asked.server.requests) == 1)
        for _ in range(50):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(asked.server.requests) == 1
