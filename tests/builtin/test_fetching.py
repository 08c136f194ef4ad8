from __future__ import annotations

import asyncio
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import toolwright as tw
from tests.builtin.calls import call, data_of
from tests.promises import keeps
from tests.providers.bare import run_bare
from tests.servers.unruly import client_tls, compressed, endless, head, nobody, says, sends, unruly
from toolwright.testing import assert_valid_tool

HERE = tw.builtin.fetch_tool(networks=["127.0.0.1"])
TRUSTING = tw.builtin.fetch_tool(networks=["127.0.0.1"], tls=client_tls())
MOST = 5 * 1024 * 1024
CHUNKED = head(content_type="text/plain", transfer_encoding="chunked")


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


@keeps("builtin.fetch_limits", "builtin.fetch_readable")
async def test_it_gets_a_page_and_gives_its_text() -> None:
    page = b"<title>T</title><body><h1>One</h1><p>Two <a href='x'>three</a></p>"
    async with unruly(says(page, content_type="text/html; charset=utf-8")) as server:
        url = f"{server.url}/dir/?q=1"
        outcome = await call(HERE, url=f"{url}#part")
    text = f"# One\n\nTwo [three]({server.url}/dir/x)"
    assert data_of(outcome) == {
        "url": url,
        "status": 200,
        "content_type": "text/html; charset=utf-8",
        "title": "T",
        "text": text,
        "characters": len(text),
    }
    assert outcome.message == f"{len(text)} characters from {url}"
    (request,) = server.requests
    assert (request.method, request.path, request.body) == ("GET", "/dir/?q=1", b"")
    assert request.headers["host"] == server.url.removeprefix("http://")
    assert not {"cookie", "authorization", "referer"} & request.headers.keys()


async def test_html_is_given_as_it_is_where_that_is_wanted() -> None:
    async with unruly(says(b"<p>x</p>", content_type="text/html")) as server:
        assert data_of(await call(HERE, url=server.url, raw=True))["text"] == "<p>x</p>"


@keeps("builtin.paged")
async def test_a_long_text_is_given_in_pages() -> None:
    async with unruly([says(bytes(range(97, 123)), content_type="text/plain")] * 3) as server:
        first = await call(HERE, url=server.url, limit=10)
        assert data_of(first)["text"] == "abcdefghij"
        assert first.suggestions == ("Not on this page: 16 more characters. Go on with offset=10.",)
        last = await call(HERE, url=server.url, limit=10, offset=20)
        assert (data_of(last)["text"], last.suggestions) == ("uvwxyz", ())
        assert data_of(await call(HERE, url=server.url, offset=100))["text"] == ""


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("é€".encode(), "text/plain", "é€"),
        ("é€".encode("cp1252"), "text/plain", "é€"),
        ("é€".encode("cp1252"), "text/plain; charset=ISO-8859-1", "é€"),
        ("привет".encode("koi8-r"), "text/plain; charset=KOI8-R", "привет"),
        ("日本".encode("shift_jis"), "text/plain; charset=Shift_JIS", "日本"),
        ("é".encode("utf-16"), "text/plain; charset=latin-1", "é"),
        ("é".encode("utf-16-le"), "text/plain; charset=utf-16le", "é"),
        (b'<meta charset="windows-1251">' + "да".encode("cp1251"), "text/html", "да"),
        (b"<meta http-equiv=x content='text/html; charset=euc-jp'>" + "日".encode("euc_jp"), "text/html", "日"),
        (b"<meta charset=utf-16>" + "é".encode(), "text/html", "é"),
        ("é".encode(), "text/plain; charset=no-such-thing", "é"),
        ("é".encode(), "text/plain; charset*=utf-8''%ff; charset*0=x; charset*1*=%zz", "é"),
        ("é".encode("cp1252"), "  TEXT/Plain ;a=b; Charset = 'latin-1'", "é"),
        ("é".encode(), "\xff(" * 200, "é"),
        (b"a+AOk-b", "text/plain; charset=utf-7", "a+AOk-b"),
        (b"x-9ca", "text/plain; charset=punycode", "x-9ca"),
        (b"aGk=", "text/plain; charset=base64", "aGk="),
        (b"text", "", "text"),
        (b'{"a":1}', "application/json", '{"a":1}'),
        (b"<svg>x</svg>", "image/svg+xml", "<svg>x</svg>"),
        (b"", "text/html", ""),
        (b"\xff\xfe", "text/plain; charset=utf-8", ""),
    ],
)
async def test_every_charset_of_the_web_is_read(body: bytes, content_type: str, text: str) -> None:
    async with unruly(says(body, content_type=content_type)) as server:
        assert data_of(await call(HERE, url=server.url))["text"] == text


@pytest.mark.parametrize(
    ("body", "content_type"),
    [(b"\x89PNG\r\n", "image/png"), (b"%PDF-1.7 text", "application/pdf"), (b"a\0b", "application/octet-stream")],
)
async def test_what_is_no_text_is_told_and_not_given(body: bytes, content_type: str) -> None:
    async with unruly(says(body, content_type=content_type)) as server:
        outcome = await call(HERE, url=server.url)
    assert (outcome.success, outcome.error_code) == (False, "binary_file")
    partial: Any = outcome.data
    assert (partial["content_type"], partial["size"]) == (content_type, len(body))


async def test_an_answer_that_says_no_is_a_failure_with_what_it_says() -> None:
    async with unruly(says(b"<p>not here</p>", 404, content_type="text/html")) as server:
        outcome = await call(HERE, url=server.url)
    assert (outcome.error_code, outcome.error) == ("http_error", "The server answered with status 404.")
    partial: Any = outcome.data
    assert partial["text"] == "not here"


# Where it may not go


@keeps("builtin.fetch_private")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "0"])
async def test_this_machine_is_not_reached_by_any_of_its_names(host: str) -> None:
    async with unruly(says()) as server:
        port = server.url.rpartition(":")[2]
        outcome = await call(tw.builtin.fetch_url, url=f"http://{host}:{port}/")
    assert (outcome.success, outcome.error_code) == (False, "private_address")
    assert server.connections == 0


@keeps("builtin.fetch_private")
@pytest.mark.parametrize(
    "host", ["10.0.0.1", "169.254.169.254", "192.168.0.1", "100.64.0.1", "[fd00::1]", "[64:ff9b::7f00:1]", "[fe80::1]"]
)
async def test_private_networks_are_not_reached(host: str) -> None:
    outcome = await call(HERE, url=f"http://{host}/latest/meta-data")
    assert outcome.error_code == "private_address"


@keeps("builtin.fetch_redirects")
@pytest.mark.parametrize(
    "target", ["http://127.0.0.2:{port}/", "http://[::1]:{port}/", "//169.254.169.254/", "http://localhost:{port}/"]
)
async def test_a_redirect_leads_nowhere_that_was_not_asked_for(target: str) -> None:
    async with unruly(says()) as other:
        port = other.url.rpartition(":")[2]
        async with unruly(says(b"", 302, location=target.format(port=port))) as server:
            outcome = await call(HERE, url=server.url)
    assert (outcome.success, outcome.error_code) == (False, "redirected_elsewhere")
    assert "fetch http" in (outcome.error or "")
    assert other.connections == 0


@keeps("builtin.fetch_redirects")
async def test_redirects_on_the_same_host_are_followed_and_each_is_checked() -> None:
    async with unruly(says(b"there", content_type="text/plain")) as other, unruly() as server:
        server.behaviours += [
            says(b"", 301, location="/second?x=1#y"),
            says(b"", 303, location="third"),
            says(b"", 307, location=f"{other.url}/fourth"),
        ]
        outcome = await call(HERE, url=f"{server.url}/first")
    assert (data_of(outcome)["text"], data_of(outcome)["url"]) == ("there", f"{other.url}/fourth")
    assert [request.path for request in [*server.requests, *other.requests]] == [
        *("/first", "/second?x=1", "/third", "/fourth")
    ]
    assert {request.method for request in server.requests} == {"GET"}


@pytest.mark.parametrize(
    "location",
    [
        *("ftp://127.0.0.1/", "http://a b/", "http://[x", "http://u:p@127.0.0.1/"),
        *("http://127.0.0.1:0/", "http://127.0.0.1:99999/"),
    ],
)
async def test_a_redirect_to_no_url_is_not_followed(location: str) -> None:
    async with unruly(says(b"", 302, location=location)) as server:
        outcome = await call(HERE, url=server.url)
    assert not outcome.success
    assert outcome.error_code in ("bad_answer", "redirected_elsewhere", "no_such_host", "not_reached")
    assert "u:p" not in (outcome.error or "")


async def test_redirects_in_a_circle_end() -> None:
    async with unruly([says(b"", 302, location="/again")] * 20) as server:
        outcome = await call(HERE, url=server.url)
    assert (outcome.error_code, len(server.requests)) == ("bad_answer", 11)


async def test_a_redirect_away_from_tls_is_not_followed() -> None:
    async with unruly(says()) as plain, unruly(says(b"", 302, location=f"{plain.url}/"), tls=True) as server:
        outcome = await call(TRUSTING, url=server.url)
    assert (outcome.error_code, plain.connections) == ("redirected_elsewhere", 0)


async def test_a_redirect_without_a_place_is_an_answer() -> None:
    async with unruly(says(b"choose", 302, content_type="text/plain")) as server:
        assert data_of(await call(HERE, url=server.url))["text"] == "choose"


async def test_the_certificate_is_checked_for_the_name_although_the_address_is_called() -> None:
    async with unruly([says(b"safe", content_type="text/plain")] * 3, tls=True) as server:
        port = server.url.rpartition(":")[2]
        for host in ("localhost", "127.0.0.1"):
            assert data_of(await call(TRUSTING, url=f"https://{host}:{port}"))["text"] == "safe"
        assert server.requests[0].headers["host"] == f"localhost:{port}"
        other_name = await call(TRUSTING, url=f"https://127.1:{port}")
        nobody_trusts = await call(HERE, url=server.url)
    for outcome in (other_name, nobody_trusts):
        assert outcome.error_code == "not_reached"
        assert "certificate" in (outcome.error or "").lower()
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://example.org", "file:///etc/passwd", "http://", "https://user:pw@example.org", "http://a b.org/"),
        *(
            "http://example.org:99999",
            "//example.org",
            "example.org/x",
            "http://[::1",
            "http://a\\@b.org",
            "http://a/\n",
        ),
    ],
)
async def test_what_is_no_url_is_refused_before_anybody_is_asked(url: str) -> None:
    assert (await call(tw.builtin.fetch_url, url=url)).error_code == "validation_failed"


@pytest.mark.parametrize("host", ["no-such-host.invalid", "xn--a.invalid", "a..b.invalid", "x" * 70 + ".invalid"])
async def test_a_host_that_is_not_there_is_said(host: str) -> None:
    outcome = await call(tw.builtin.fetch_url, url=f"https://{host}/")
    assert outcome.error_code in ("no_such_host", "bad_url")


async def test_a_port_where_nobody_listens_is_said() -> None:
    async with nobody() as url:
        outcome = await call(HERE, url=url)
    assert outcome.error_code == "not_reached"
    assert (outcome.error or "").startswith("127.0.0.1 cannot be reached: ")


# Servers that misbehave


@keeps("builtin.fetch_limits")
async def test_of_an_endless_answer_only_so_much_is_taken() -> None:
    async with unruly(endless(CHUNKED, chunk(b"x" * 100_000))) as server:
        outcome = await call(HERE, url=server.url)
        await server.until(lambda: server.open == 0)
    assert data_of(outcome)["characters"] == MOST
    assert "larger than 5,242,880 bytes" in outcome.suggestions[1]
    assert server.written < 4 * MOST


@keeps("builtin.fetch_limits")
async def test_a_bomb_does_not_go_off() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    bomb = b"".join([*(packer.compress(b"x" * 1_000_000) for _ in range(200)), packer.flush()])
    async with unruly(says(bomb, content_type="text/plain", content_encoding="gzip")) as server:
        assert data_of(await call(HERE, url=server.url))["characters"] == MOST


async def test_a_compressed_answer_is_read() -> None:
    async with unruly(compressed(b"packed")) as server:
        assert data_of(await call(HERE, url=server.url))["text"] == "packed"


@keeps("builtin.fetch_limits")
@pytest.mark.parametrize("start", [b"", head(content_type="text/plain", content_length="5") + b"ab"])
async def test_a_server_that_never_comes_to_an_end_is_left(start: bytes) -> None:
    async with unruly(sends(start, then="hang")) as server:
        outcome = await call(HERE, url=server.url, seconds=0.3)
        await server.until(lambda: server.open == 0)
    assert (outcome.success, outcome.error_code) == (False, "timed_out")


@pytest.mark.parametrize(
    "answer",
    [
        sends(b"nonsense\r\n\r\n", then="close"),
        sends(then="reset"),
        sends(then="close"),
        sends(b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 50_000 + b"\r\n", then="close"),
        sends(head(content_length="10") + b"abc", then="close"),
        sends(CHUNKED + b"zz\r\n", then="close"),
        compressed(b"packed" * 1_000, cut=5),
        says(b"not gzip", content_encoding="gzip"),
        says(b"???", content_encoding="br"),
    ],
)
async def test_an_answer_that_cannot_be_read_is_said(answer: Any) -> None:
    async with unruly(answer) as server:
        outcome = await call(HERE, url=server.url)
    assert (outcome.success, outcome.error_code in ("bad_answer", "not_reached")) == (False, True)
    assert len(outcome.error or "") < 500


async def test_a_call_that_is_cancelled_closes_its_connection() -> None:
    async with unruly(sends(then="hang")) as server:
        task = asyncio.create_task(call(HERE, url=server.url))
        await server.until(lambda: len(server.requests) == 1)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await server.until(lambda: server.open == 0)


async def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with unruly(says(b"direct", content_type="text/plain")) as server, unruly() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert data_of(await call(HERE, url=server.url))["text"] == "direct"
    assert proxy.connections == 0


def test_without_the_extra_it_says_which_one(tmp_path: Path) -> None:
    program = (
        "import asyncio, toolwright as tw\n"
        "from toolwright.testing import tool_context\n"
        "context = tool_context({'url': 'https://example.org'})\n"
        "print(asyncio.run(tw.builtin.fetch_url.execute(context)).error)"
    )
    child = run_bare(tmp_path, program)
    assert "toolwright[http]" in child.stdout, child.stderr


def test_it_passes_what_every_tool_should() -> None:
    assert_valid_tool(HERE, [{"url": "http://127.0.0.1:1/"}])
    assert HERE.summarize({"url": "https://example.org/x"}) == "Fetch https://example.org/x"
