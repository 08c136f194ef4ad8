from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator

import pytest

from tests.promises import keeps
from tests.providers.asked import KEY, asking, request
from tests.servers.unruly import OK, says, sends, unruly
from toolwright.errors import LLMError
from toolwright.providers.transport import Address
from toolwright.providers.transport.addresses import redirected


@keeps("transport.base_url")
@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("https://user:secret-word@host/v1", "user name or password"),
        ("https://secret-word@host", "user name or password"),
        ("https://host/v1?api_key=secret-word", "may not hold a key"),
        ("https://host/v1?Access_Token=secret-word", "may not hold a key"),
        ("https://host/v1?key=secret-word", "may not hold a key"),
        ("https://host/v1?version=1&Sig=secret-word", "may not hold a key"),
        ("https://host:0/secret-word", "names port 0"),
        ("ftp://host/secret-word", "must begin with https:// or http://"),
        ("host/secret-word", "must begin with"),
        ("https:///secret-word", "must begin with"),
        ("", "must begin with"),
        ("https://host:99999/secret-word", "is not a URL"),
        ("https://[::1/secret-word", "is not a URL"),
        ("https://host/secret-word#part", "fragment"),
        ("https://host/#", "fragment"),
        ("https://host/secret word", "characters"),
        ("https://host/secret\nword", "characters"),
        ("https://host\\secret-word", "characters"),
        ("https://höst/secret-word", "characters"),
    ],
)
def test_a_base_url_that_may_not_be_asked_is_refused_without_being_quoted(url: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as caught:
        Address.of(url)
    assert "secret" not in str(caught.value)


@keeps("transport.base_url")
def test_a_base_url_is_taken_apart_and_joined_with_the_queries_of_both() -> None:
    address = Address.of("https://HOST:8443/v1/?version=2")
    assert (address.origin, str(address)) == ("https://host:8443", "https://host:8443/v1")
    assert address.join("/chat?stream=1") == "https://host:8443/v1/chat?version=2&stream=1"
    assert Address.of("http://[::1]:80").origin == "http://[::1]"
    loopback = ["http://127.0.0.1", "http://[::1]:9", "http://localhost", "http://a.localhost"]
    assert [Address.of(url).is_loopback for url in [*loopback, "http://10.0.0.1", "http://host"]] == [True] * 4 + [
        False
    ] * 2


@keeps("transport.redirects")
@pytest.mark.parametrize("status", [307, 308])
async def test_a_redirect_within_one_server_is_followed_with_body_and_key(status: int) -> None:
    async with asking(says(b"", status, location="/elsewhere?a=1"), says()) as asked:
        assert await asked.fetch() == OK
        second = asked.server.requests[1]
        assert (second.path, second.body, second.headers["authorization"]) == (
            "/elsewhere?a=1", b'{"q":1}', f"Bearer {KEY}",
        )  # fmt: skip


@keeps("transport.redirects")
async def test_a_redirect_to_another_host_does_not_carry_the_key() -> None:
    async with unruly(says()) as other:
        async with asking(says(b"", 307, location=f"{other.url}/taken")) as asked:
            assert await asked.fetch(headers={"accept": "application/json"}) == OK
        (got,) = other.requests
        assert got.headers["accept"] == "application/json"
        assert KEY not in repr(got)


@keeps("transport.redirects")
async def test_a_key_that_was_left_behind_does_not_come_back_with_another_redirect() -> None:
    async with unruly() as other, asking(says(b"", 307, location=f"{other.url}/a"), says()) as asked:
        other.behaviours.append(says(b"", 307, location=f"{asked.server.url}/back"))
        assert await asked.fetch() == OK
        assert "authorization" not in asked.server.requests[1].headers


@keeps("transport.redirects", "transport.code.bad_response")
@pytest.mark.parametrize(
    ("status", "location", "problem"),
    [
        (301, "https://elsewhere.invalid/v1", "has to be set as base_url"),
        (302, "/login", "has to be set as base_url"),
        (303, "/result", "has to be set as base_url"),
        (307, "http://user:secret-word@127.0.0.1/", "is not followed"),
        (307, "file:///etc/passwd", "is not followed"),
        (308, "https://[", "is not followed"),
    ],
)
async def test_a_redirect_that_may_not_be_followed_is_told(status: int, location: str, problem: str) -> None:
    async with asking(says(b"", status, location=location)) as asked:
        with pytest.raises(LLMError, match=problem) as caught:
            await asked.fetch()
        assert (caught.value.code, len(asked.server.requests)) == ("bad_response", 1)
        assert "secret-word" not in str(caught.value)


@keeps("transport.redirects")
async def test_redirects_in_a_circle_end() -> None:
    async with asking([says(b"", 307, location="/again")] * 9) as asked:
        with pytest.raises(LLMError, match="in a circle"):
            await asked.fetch()
        assert len(asked.server.requests) == 6


@keeps("transport.redirects")
def test_no_redirect_leads_from_tls_to_none() -> None:
    assert (
        redirected("https://host/a", 307, "http://host/a")
        == "redirects to an address without TLS, which is not followed"
    )
    assert redirected("https://host/a?x=1", 308, "/b#g") == ("https://host/b", True)
    assert redirected("https://host/a", 308, "//other/b") == ("https://other/b", False)
    assert redirected("https://host/a", 308, "https://host:444/a") == ("https://host:444/a", False)


@keeps("transport.key")
async def test_the_key_is_asked_for_before_every_attempt() -> None:
    keys: Iterator[str] = iter(["first", "second"])
    async with asking(says(b"{}", 503), says()) as asked:
        await asked.fetch(private=lambda: {"authorization": next(keys)})
        assert [each["authorization"] for each in asked.said()] == ["first", "second"]


@keeps("transport.key_hidden")
@pytest.mark.parametrize(
    "behaviour",
    [
        says(f'{{"error":{{"message":"The key {KEY} is not valid."}}}}'.encode(), 401),
        says(f"Bearer {KEY}?".encode(), 500),
        sends(f"HTTP/1.1 {KEY}\r\n\r\n".encode(), then="close"),
        says(b"", 307, location=f"https://[{KEY}"),
    ],
    ids=["in the error", "in a text", "in the status line", "in the redirect"],
)
async def test_the_key_is_in_no_error_no_trace_and_no_log(behaviour: object, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with asking(behaviour, retries=0) as asked:  # type: ignore[arg-type]
        exchange = asked.exchange()
        with pytest.raises(LLMError) as caught:
            await exchange.fetch()
        seen = "".join(traceback.format_exception(caught.value))
        seen += repr([caught.value, caught.value.args, exchange, asked.transport, request(asked.server.url)])
        ours = [record for record in caplog.records if record.name.startswith("toolwright")]
        assert KEY not in seen + "".join(f"{record.getMessage()}{vars(record)}" for record in ours)


@keeps("transport.key_hidden")
async def test_nobody_logs_the_key_that_is_sent(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with asking(says(b"{}", 503), says()) as asked:
        await asked.fetch()
        assert KEY not in "".join(f"{record.getMessage()}{vars(record)}" for record in caplog.records)
        assert [each["authorization"] for each in asked.said()] == [f"Bearer {KEY}"] * 2


@keeps("transport.key_hidden")
async def test_a_key_that_no_header_may_hold_is_refused_without_being_quoted() -> None:
    async with asking(says()) as asked:
        for key in (f"{KEY}\r\nx-evil: 1", f"{KEY}\x00", f"{KEY}é"):
            with pytest.raises(ValueError, match="the header 'authorization' holds what no header may") as caught:
                await asked.fetch(private=lambda key=key: {"authorization": key})
            assert KEY not in str(caught.value)
        for name in ("x y", "x\r\ny", "", "ü"):
            with pytest.raises(ValueError, match="is not the name of a header"):
                await asked.fetch(private=lambda name=name: {name: "1"})
        for name in ("Content-Length", "host", "transfer-encoding"):
            with pytest.raises(ValueError, match="is set by whoever sends the request"):
                await asked.fetch(private=lambda name=name: {name: "1"})
        with pytest.raises(ValueError, match="give printable ASCII"):
            await asked.fetch(private=lambda: {"x-count": 5})
        assert asked.server.requests == []
