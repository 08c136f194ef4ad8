from __future__ import annotations

import asyncio
import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from tests.providers.asked import asking
from tests.servers.unruly import OK, Behaviour, compressed, endless, gated, head, says, sends
from toolwright.errors import LLMError
from toolwright.providers.transport.inflating import NotInflated, inflater

MB = 1024 * 1024


@keeps("transport.whole")
async def test_what_was_asked_arrives_and_the_answer_comes_whole() -> None:
    async with asking(says(b"\xff\x00 any bytes", content_type="text/plain")) as asked:
        assert await asked.fetch("/ask?x=1", headers={"x-more": "yes"}) == b"\xff\x00 any bytes"
        (got,) = asked.server.requests
        assert (got.method, got.path, got.body, got.headers["x-more"]) == ("POST", "/ask?x=1", b'{"q":1}', "yes")


@keeps("transport.whole")
async def test_a_request_without_a_body_only_gets() -> None:
    async with asking(says()) as asked:
        assert await asked.fetch("/models", body=None) == OK
        assert asked.server.requests[0].method == "GET"


@keeps("transport.stream")
async def test_a_stream_is_passed_on_as_it_arrives() -> None:
    pieces = [b"data: one\n\n", b"data: two\n\n", b"data: three\n\n"]
    async with asking(gated(head(), *pieces)) as asked:
        asked.server.gate.release()
        stream = asked.exchange(streaming=True).stream()
        for piece in pieces:  # the next one is sent when this one was read
            asked.server.gate.release()
            assert await anext(stream) == piece
        assert [rest async for rest in stream] == []


@keeps("transport.stream")
async def test_a_reader_who_does_not_read_holds_the_server_back() -> None:
    async with asking(endless(head(), b"x" * 65536)) as asked:
        stream = asked.exchange(streaming=True).stream()
        await anext(stream)
        for _ in range(2000):
            await asyncio.sleep(0)
        held = asked.server.written
        assert held < 64 * MB, "what is not read stays in the buffers of two sockets"
        for _ in range(200):
            await asyncio.sleep(0)
        assert asked.server.written == held
        await stream.aclose()


@keeps("transport.stream")
async def test_closing_a_stream_closes_its_connection() -> None:
    async with asking(endless(head(), b"data: x\n")) as asked:
        stream = asked.exchange(streaming=True).stream()
        await anext(stream)
        await stream.aclose()
        await asked.server.until(lambda: asked.server.open == 0)
        assert asyncio.all_tasks() == {asyncio.current_task()}


@keeps("transport.cancelled")
@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
async def test_cancelling_who_asks_closes_the_connection_and_leaves_nothing_behind(streaming: bool) -> None:
    async with asking(sends(head(), b"data: x\n", then="hang"), says()) as asked:

        async def ask() -> None:
            async for _ in asked.exchange(streaming=streaming).stream():
                pass

        task = asyncio.create_task(ask())
        await asked.server.until(lambda: len(asked.server.requests) == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asked.server.until(lambda: asked.server.open == 0)
        assert await asked.fetch() == OK, "and the transport goes on"


@keeps("transport.size")
@pytest.mark.parametrize(
    "large",
    [
        says(b"x" * 2 * MB),
        endless(head(), b"x" * 65536),
        endless(head(transfer_encoding="chunked"), b"10000\r\n" + b"x" * 65536 + b"\r\n"),
        compressed(b"\0" * 20 * MB),
        compressed(b"x" * (MB + 1)),
    ],
    ids=["large", "endless", "endless in chunks", "a bomb", "one byte too many"],
)
async def test_an_answer_that_is_too_large_is_refused_before_it_is_whole(large: Behaviour) -> None:
    async with asking(large, max_bytes=MB) as asked:
        with pytest.raises(LLMError, match="larger than 1,048,576 bytes") as caught:
            await asked.fetch()
        assert (caught.value.code, caught.value.retryable) == ("bad_response", False)
        assert len(asked.server.requests) == 1
        assert asked.server.written < 32 * MB


@keeps("transport.size")
async def test_a_stream_that_never_ends_is_ended_at_the_same_size() -> None:
    async with asking(endless(head(), b"x" * 65536), max_bytes=MB) as asked:
        read: list[bytes] = []
        with pytest.raises(LLMError, match="larger than"):
            await asked.read_into(read)
        assert 0 < len(b"".join(read)) <= MB


@keeps("transport.size")
async def test_an_error_whose_text_never_ends_is_read_so_far_as_to_know_it() -> None:
    async with asking(endless(head(400), b"x" * 65536)) as asked:
        with pytest.raises(LLMError) as caught:
            await asked.fetch()
        assert (caught.value.status, caught.value.message) == (400, "x" * 500)


@keeps("transport.inflating")
async def test_a_compressed_answer_is_read_and_only_what_can_be_read_is_asked_for() -> None:
    deflated, raw = zlib.compress(OK), zlib.compress(OK)[2:-4]
    packed = [compressed(OK), says(deflated, content_encoding="deflate"), says(raw, content_encoding="deflate")]
    async with asking(*packed, says(OK, content_encoding="identity")) as asked:
        assert [await asked.fetch() for _ in range(4)] == [OK] * 4
        assert {each["accept-encoding"] for each in asked.said()} == {"gzip, deflate"}


@keeps("transport.inflating")
async def test_several_members_and_padding_behind_them_are_read_as_one_body() -> None:
    members = gzip.compress(b"one, ") + gzip.compress(b"two")
    async with asking(*(says(members + end, content_encoding="gzip") for end in (b"", b"\0" * 512))) as asked:
        assert [await asked.fetch(), await asked.fetch()] == [b"one, two"] * 2
    async with asking(says(members + b"junk", content_encoding="x-gzip"), says(b"", content_encoding="gzip")) as asked:
        with pytest.raises(LLMError, match="cannot be read"):
            await asked.fetch()


@keeps("transport.errors")
async def test_an_error_whose_text_cannot_be_read_is_known_by_its_status() -> None:
    broken = says(b"not gzip", 404, content_encoding="gzip")
    async with asking(broken, sends(head(403, content_length="9"), b"{", then="reset")) as asked:
        with pytest.raises(LLMError, match="the server answered 404 Not Found") as caught:
            await asked.fetch()
        assert caught.value.code == "api_call_failed"
        with pytest.raises(LLMError) as caught:
            await asked.fetch()
        assert (caught.value.code, caught.value.status) == ("authentication_failed", 403)


@keeps("transport.inflating", "transport.code.bad_response")
@pytest.mark.parametrize(
    "broken",
    [
        says(OK, content_encoding="gzip"),
        says(OK, content_encoding="br"),
        compressed(OK, cut=9),
        says(b"\x1f", content_encoding="gzip"),
    ],
    ids=["not compressed", "another way", "cut", "one byte"],
)
async def test_an_answer_that_cannot_be_unpacked_is_a_bad_one(broken: Behaviour) -> None:
    async with asking(broken) as asked:
        with pytest.raises(LLMError, match="the answer cannot be read") as caught:
            await asked.fetch()
        assert (caught.value.code, len(asked.server.requests)) == ("bad_response", 1)


@keeps("transport.code.bad_response")
@pytest.mark.parametrize(
    "garbage",
    [b"SSH-2.0-OpenSSH_9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 9, b"HTTP/9.9 nine\r\n\r\n"],
    ids=["another protocol", "bytes", "no status"],
)
async def test_what_is_not_http_is_a_bad_answer(garbage: bytes) -> None:
    async with asking(sends(garbage, then="close")) as asked:
        with pytest.raises(LLMError, match="does not speak HTTP") as caught:
            await asked.fetch()
        assert (caught.value.code, caught.value.__context__) == ("bad_response", None)


@keeps("transport.errors")
@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "api_call_failed"),
        (401, "authentication_failed"),
        (402, "api_call_failed"),
        (403, "authentication_failed"),
        (404, "api_call_failed"),
        (408, "timeout"),
        (409, "api_call_failed"),
        (418, "api_call_failed"),
        (429, "rate_limited"),
        (500, "api_call_failed"),
        (503, "api_call_failed"),
        (504, "timeout"),
        (799, "api_call_failed"),
    ],
)
async def test_every_status_has_its_code_whatever_the_body_is(status: int, code: str) -> None:
    bodies = [b"", b"\xff\xfe", b"[]", b'{"error": null}', b"<html><title>Oops</title>", b'{"error":{"message":"No."}}']
    async with asking([says(body, status, x_request_id="r1") for body in bodies], retries=0) as asked:
        for body in bodies:
            with pytest.raises(LLMError) as caught:
                await asked.fetch()
            error = caught.value
            assert (error.status, error.code, error.request_id) == (status, code, "r1"), body
            assert error.message
            assert "<" not in error.message


@keeps("transport.errors")
@pytest.mark.parametrize(
    ("status", "body", "code", "message"),
    [
        (
            400,
            b'{"error":{"message":"Too long.","code":"context_length_exceeded"}}',
            "context_length_exceeded",
            "Too long.",
        ),
        (404, b'{"error":{"message":"The model x does not exist","code":"model_not_found"}}', "model_not_found", None),
        (400, b'{"error":{"message":"No.","code":"content_filter"}}', "content_filtered", "No."),
        (403, b'{"error":{"message":"No.","code":"model_not_found"}}', "authentication_failed", "No."),
        (500, b"<html><head><title>502 Bad Gateway</title></head></html>", "api_call_failed", "502 Bad Gateway"),
        (500, b"plain words\n\tof  an error", "api_call_failed", "plain words of an error"),
        (503, b"", "api_call_failed", "the server answered 503 Service Unavailable"),
    ],
)
async def test_the_text_of_an_error_is_what_the_provider_says(
    status: int, body: bytes, code: str, message: str | None
) -> None:
    async with asking(says(body, status, content_type="text/html" if b"<" in body else "a/b"), retries=0) as asked:
        with pytest.raises(LLMError) as caught:
            await asked.fetch()
        assert caught.value.code == code
        assert message in (None, caught.value.message)


@given(plain=st.binary(max_size=200_000), cuts=st.integers(1, 70_000), width=st.sampled_from([15, 31, -15]))
def test_what_was_compressed_comes_back_in_bounded_pieces_whatever_the_cuts(
    plain: bytes, cuts: int, width: int
) -> None:
    packer = zlib.compressobj(1, zlib.DEFLATED, width)
    packed = packer.compress(plain) + packer.flush()
    body = inflater("gzip")
    pieces = [piece for start in range(0, len(packed), cuts) for piece in body.feed(packed[start : start + cuts])]
    body.close()
    assert b"".join(pieces) == plain
    assert all(len(piece) <= 65536 for piece in pieces)


@given(junk=st.binary(max_size=300))
def test_no_bytes_make_unpacking_fail_in_any_other_way(junk: bytes) -> None:
    body = inflater("deflate")
    try:
        for _ in body.feed(junk):
            pass
        body.close()
    except NotInflated:
        pass


@keeps("transport.errors")
async def test_a_request_that_contradicts_itself_is_told_as_such() -> None:
    async with asking(says()) as asked:
        with pytest.raises(LLMError, match="the request cannot be sent as it is") as caught:
            await asked.fetch(headers={"content-length": "3"})
        assert (caught.value.code, caught.value.retryable, caught.value.__cause__) == ("api_call_failed", False, None)
