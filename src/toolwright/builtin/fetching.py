"""Fetch a page of the public web, as text."""

from __future__ import annotations

import asyncio
import codecs
import re
import ssl
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Final, NamedTuple
from urllib.parse import urlsplit

from msgspec import Meta

from toolwright.builtin.hosts import Network, networks_of
from toolwright.builtin.paging import counted
from toolwright.builtin.requesting import Answer, NotFetched, get
from toolwright.builtin.texts import LOOK, encoding_of
from toolwright.builtin.webpages import readable
from toolwright.schema import ValidationIssue, ValidationReport
from toolwright.tools import FunctionTool, ToolContext, ToolOutcome, tool

__all__ = ["fetch_tool", "fetch_url"]

_MOST: Final = 5 * 1024 * 1024  # bytes of a body, unpacked
_SHAPE: Final = re.compile(r"https?://[^\s\x00-\x1f\x7f\\]+", re.IGNORECASE)
_TYPE: Final = re.compile(r"\s*+([\w.+-]++/[\w.+-]++)")
_CHARSET: Final = re.compile(r";\s*+charset\s*+=\s*+[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_HTML: Final = frozenset(["text/html", "application/xhtml+xml"])
_NO_TEXT: Final = ("image/", "audio/", "video/", "font/", "application/pdf", "application/zip")
_META: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([a-zA-Z0-9_:.-]{1,40})", re.IGNORECASE)
_META_WITHIN: Final = 1_024  # where the standard wants it
# What servers may call their encoding, by Python's names: those that the web has. Others do more than decode.
_CODECS: Final = frozenset(
    "ascii big5 big5hkscs cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp866 cp874 cp932 cp949 "
    "euc_jp euc_kr gb18030 gb2312 gbk iso2022_jp iso8859-1 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 "
    "iso8859-8 iso8859-9 iso8859-10 iso8859-11 iso8859-13 iso8859-14 iso8859-15 iso8859-16 koi8-r koi8-u mac-roman "
    "shift_jis tis-620 utf-8 utf-8-sig utf-16 utf-16-be utf-16-le utf-32".split()
)


def _check(arguments: Mapping[str, Any]) -> ValidationReport:
    problem = _fault_of(arguments["url"])
    return ValidationReport.invalid(ValidationIssue.invalid_value("url", problem)) if problem else ValidationReport.ok()


def _fault_of(url: str) -> str:
    """Say what is wrong with a URL on the face of it, before anybody is asked to allow it."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is not a URL"
    if not _SHAPE.fullmatch(url) or not host:
        return "must begin with https:// or http:// and a host, and have no blanks in it"
    return "may not hold a user name or password" if "@" in parts.netloc else ""


class _Way(NamedTuple):
    """What an operator has said about the web: what may be reached beside it, and who is trusted there."""

    networks: tuple[Network, ...] = ()
    tls: ssl.SSLContext | None = None


async def _fetch(
    way: _Way, url: str, context: ToolContext, *, offset: int, limit: int, raw: bool, seconds: float
) -> ToolOutcome:
    try:
        async with asyncio.timeout(seconds):
            answer = await get(url, most=_MOST, threads=context.threads, networks=way.networks, tls=way.tls)
            page = await context.threads.run(_page, answer, raw=raw)
    except NotFetched as problem:
        return ToolOutcome.failed(str(problem), code=problem.code)
    except TimeoutError:
        return ToolOutcome.failed(f"There was no whole answer within {seconds:g} s.", code="timed_out")
    return _outcome(answer, page, offset, limit)


class _Page(NamedTuple):
    title: str
    text: str | None


def fetch_tool(*, networks: Collection[str] = (), tls: ssl.SSLContext | None = None) -> FunctionTool[..., Any]:
    """Return ``fetch_url`` for an operator who lets it reach more than the public internet.

    ``networks`` are addresses and networks, such as ``10.1.0.0/16``; ``tls`` says whom to trust instead of the usual
    authorities.

    Raises:
        ValueError: One of the networks is none.
    """
    way = _Way(networks_of(networks), tls)

    async def fetch_url(
        url: Annotated[str, Meta(min_length=8, max_length=8_000, description="Whole, with https:// or http://")],
        offset: Annotated[int, Meta(ge=0, le=_MOST, description="How many characters of the text to leave out")] = 0,
        limit: Annotated[int, Meta(ge=1, le=200_000, description="How many characters to give")] = 30_000,
        raw: Annotated[bool, Meta(description="Give HTML as it is, not as text to read")] = False,
        seconds: Annotated[float, Meta(gt=0, le=120, description="The longest that it may take")] = 30,
        *,
        context: ToolContext,
    ) -> ToolOutcome:
        """Fetch a page or a file from the public web (GET) and give its text; HTML is made readable."""
        return await _fetch(way, url, context, offset=offset, limit=limit, raw=raw, seconds=seconds)

    return tool(
        fetch_url,
        category="network",
        risk="medium",
        side_effects=False,
        max_execution_time=150,
        permissions=["tool.network.fetch"],
        check=_check,
        summarize=lambda arguments: f"Fetch {arguments['url']}",
    )


fetch_url: Final = fetch_tool()


def _page(answer: Answer, *, raw: bool) -> _Page:
    """Return an answer as text; without one where it is none."""
    media, charset = _media_of(answer.content_type)
    if media.startswith(_NO_TEXT) and media != "image/svg+xml":
        return _Page("", None)
    text = _decoded(answer, charset, is_html=media in _HTML)
    if text is None or raw or media not in _HTML:
        return _Page("", text)
    page = readable(text, answer.url)
    return _Page(page.title, page.text)


def _media_of(content_type: str) -> tuple[str, str]:
    """Return type and charset of a ``Content-Type`` header."""
    media, charset = _TYPE.match(content_type), _CHARSET.search(content_type)
    return media[1].lower() if media else "", charset[1] if charset else ""


def _decoded(answer: Answer, charset: str, *, is_html: bool) -> str | None:
    """Return a body as text: by its mark, by what the server or the page says, or by what it looks like."""
    body = answer.body
    seen = encoding_of(body[:LOOK])
    if seen is not None and seen.mark:
        return body[len(seen.mark) :].decode(seen.codec, "replace")
    named = _META.search(body[:_META_WITHIN]) if is_html and not charset else None
    codec = _codec_of(charset or (named[1].decode("ascii") if named else ""))
    if named and codec.startswith(("utf-16", "utf-32")):  # what says so in single bytes is not
        codec = "utf-8"
    if codec:
        return body.decode(codec, "replace")
    if seen is None:
        return None
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(body, final=answer.is_whole)
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def _codec_of(name: str) -> str:
    """Return the codec of a name that the web knows; what it calls Latin-1 is Windows' own."""
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    return "" if found not in _CODECS else "cp1252" if found in ("iso8859-1", "ascii") else found


def _outcome(answer: Answer, page: _Page, offset: int, limit: int) -> ToolOutcome:
    data: dict[str, Any] = {"url": answer.url, "status": answer.status, "content_type": answer.content_type[:200]}
    if page.text is None:
        error = "This is no text, so there is nothing to read."
        return ToolOutcome.failed(error, code="binary_file", partial={**data, "size": len(answer.body)})
    if page.title:
        data["title"] = page.title[:500]
    part = page.text[offset : offset + limit]
    data |= {"text": part, "characters": len(page.text)}
    if answer.status >= 400:
        return ToolOutcome.failed(f"The server answered with status {answer.status}.", code="http_error", partial=data)
    message = f"{counted(len(page.text), 'character')} from {answer.url}"
    return ToolOutcome.ok(data, message=message, suggestions=_hints(answer, page.text, offset, part))


def _hints(answer: Answer, text: str, offset: int, part: str) -> list[str]:
    hints: list[str] = []
    after = offset + len(part)
    if after < len(text):
        hints.append(f"Not on this page: {counted(len(text) - after, 'more character')}. Go on with offset={after}.")
    if not answer.is_whole:
        hints.append(f"The answer is larger than {_MOST:,} bytes; what goes beyond them was not fetched.")
    return hints
