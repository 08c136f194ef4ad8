"""What a custom tool does that calls an HTTP interface: which request, and where it may go.

Arguments fill in path, query, headers and body, each escaped as its place demands; the host never comes from them. No
request is made here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final, NamedTuple
from urllib.parse import quote, urlsplit

from toolwright.schema import Schema
from toolwright.schema.report import ValidationIssue, ValidationReport
from toolwright.tools.arguments import UnfitArguments
from toolwright.tools.handlers import Handler, checker
from toolwright.tools.rules import (
    Issues,
    Rule,
    any_text,
    is_mapping,
    is_sequence,
    json_value,
    mismatch,
    optional,
    sequence,
)
from toolwright.tools.templates import fill, note_placeholders, placeholder, placeholders, text_of
from toolwright.values import JsonObject, JsonValue, encode, freeze_object, scrub, thaw

__all__ = ["HttpHandler", "HttpRequest"]

_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_OWN_HEADERS: Final = frozenset(
    ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"]
)
_HOST: Final = re.compile(
    r"(?:(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?"
)
_NO_NAMES: Final = ("", ".", "..")


class HttpRequest(NamedTuple):
    """One request, as it goes out."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None


def _method(value: Any, path: str, issues: Issues) -> str:
    method = any_text(value, path, issues).upper()
    if isinstance(value, str) and method not in _METHODS:
        issues.append(ValidationIssue.invalid_enum(path, _METHODS, provided=value))
    return method


def _url(value: Any, path: str, issues: Issues) -> str:
    url = any_text(value, path, issues)
    problem = _fault_of_url(url) if isinstance(value, str) else ""
    if problem:
        issues.append(ValidationIssue.invalid_value(path, problem))
    return url


def _fault_of_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is not a URL"
    if any(tuple(placeholders(part)) for part in (parts.scheme, parts.netloc)) or "{" in parts.netloc:
        return "may have placeholders in the path and the query only, never in the host"
    if parts.scheme not in ("http", "https") or not host:
        return "must be a whole URL that begins with https:// or http:// and a host"
    if "@" in parts.netloc:
        return "may not hold a user name or password: send a header"
    if not _HOST.fullmatch(parts.netloc) or any(char <= " " or char in '\\"<>' for char in url):
        return "holds characters that no URL has"
    if parts.fragment or url.endswith("#"):
        return "may not have a fragment, which is never sent"
    return ""


def _headers(value: Any, path: str, issues: Issues) -> JsonObject:
    if not is_mapping(value):
        mismatch(value, path, "object", issues)
        return freeze_object({})
    headers: dict[str, str] = {}
    for name, content in value.items():
        shown = name[:64] if isinstance(name, str) else type(name).__name__
        place = f"{path}.{shown}"
        if not isinstance(name, str) or not _HEADER.fullmatch(name):
            issues.append(ValidationIssue.invalid_value(place, "is not the name of a header"))
        elif name.lower() in _OWN_HEADERS:
            issues.append(ValidationIssue.invalid_value(place, "is set by whoever sends the request"))
        else:
            headers[name] = any_text(content, place, issues)
            if _has_break(headers[name]):
                issues.append(ValidationIssue.invalid_value(place, "holds a line break"))
    return freeze_object(headers)


def _host(value: Any, path: str, issues: Issues) -> str:
    host = any_text(value, path, issues).lower()
    if isinstance(value, str) and not _HOST.fullmatch(host):
        issues.append(ValidationIssue.invalid_value(path, "must be a host, such as api.example.com or *.example.com"))
    return host


_NO_HEADERS: Final[JsonObject] = freeze_object({})


class HttpHandler(Handler, frozen=True):
    """A request to an HTTP interface.

    ``url`` is whole and may have ``{placeholders}`` in path and query. ``body`` is a text or a JSON value whose texts
    may have them; a text that is one placeholder becomes the argument itself, of whatever type. ``hosts`` are those
    that the request may go to, redirects included: the URL's own where nothing is said.
    """

    kind: ClassVar[str] = "http"
    required_fields: ClassVar[tuple[str, ...]] = ("url",)
    rules: ClassVar[Mapping[str, Rule]] = {
        "url": _url,
        "method": _method,
        "headers": _headers,
        "body": json_value,
        "hosts": sequence(_host),
        "check": optional(checker),
    }

    url: str
    method: str = "GET"
    headers: JsonObject = _NO_HEADERS
    body: JsonValue = None
    hosts: tuple[str, ...] = ()
    check: str | None = None

    def note_faults(self, parameters: Schema, path: str, issues: Issues) -> None:
        """Note placeholders that name no parameter, and a URL whose host is not allowed."""
        note_placeholders(self.url, parameters.properties, f"{path}.url", issues)
        for name, content in self.headers.items():
            note_placeholders(str(content), parameters.properties, f"{path}.headers.{name}", issues)
        for template in _texts(self.body):
            note_placeholders(template, parameters.properties, f"{path}.body", issues)
        if self.body is not None and self.method in ("GET", "HEAD"):
            issues.append(ValidationIssue.invalid_value(f"{path}.body", f"is not sent with {self.method}"))
        host = urlsplit(self.url).netloc.lower()
        if self.hosts and not any(_allows(allowed, host) for allowed in self.hosts):
            issues.append(ValidationIssue.invalid_value(f"{path}.hosts", "must allow the host of the URL"))

    @property
    def allowed_hosts(self) -> tuple[str, ...]:
        """The hosts that the request may go to."""
        return self.hosts or (urlsplit(self.url).netloc.lower(),)

    def request(self, arguments: Mapping[str, Any]) -> HttpRequest:
        """Return the request for one call.

        Raises:
            UnfitArguments: An argument cannot stand where it is wanted.
        """
        path, mark, query = self.url.partition("?")
        url = fill(path, arguments, _in_path) + mark + fill(query, arguments, _in_query)
        headers = {name: fill(str(content), arguments, _in_header) for name, content in self.headers.items()}
        if self.body is None:
            return HttpRequest(self.method, url, headers, None)
        if isinstance(self.body, str):
            return HttpRequest(self.method, url, headers, scrub(_filled(self.body, arguments, whole=False)).encode())
        if not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = "application/json"
        return HttpRequest(self.method, url, headers, encode(_filled(thaw(self.body), arguments, whole=True)))

    def __repr__(self) -> str:
        return f"HttpHandler(method={self.method!r}, hosts={self.allowed_hosts!r})"


def _allows(pattern: str, host: str) -> bool:
    if pattern.startswith("*."):
        return host.endswith(pattern[1:])
    return host == pattern


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inside = list(value.values()) if is_mapping(value) else value if is_sequence(value) else ()
    return [text for item in inside for text in _texts(item)]


def _filled(template: Any, arguments: Mapping[str, Any], *, whole: bool) -> Any:
    if isinstance(template, str):
        name = placeholder(template) if whole else None
        if name is not None:
            return arguments.get(name)
        return fill(template, arguments, lambda _name, value: text_of(value))
    if is_mapping(template):
        return {key: _filled(item, arguments, whole=whole) for key, item in template.items()}
    if is_sequence(template):
        return [_filled(item, arguments, whole=whole) for item in template]
    return template


def _in_path(name: str, value: Any) -> str:
    if text_of(value) in _NO_NAMES:  # dots are taken for folders, also when escaped; without a name all are meant
        raise _unfit(name, "may not be empty, . or .. here")
    return _in_query(name, value)


def _in_query(_name: str, value: Any) -> str:
    return quote(scrub(text_of(value)), safe="")


def _in_header(name: str, value: Any) -> str:
    text = text_of(value)
    if _has_break(text):
        raise _unfit(name, "holds a line break, which no header may")
    return text


def _has_break(text: str) -> bool:
    return any(char in text for char in "\r\n\0")


def _unfit(name: str, problem: str) -> UnfitArguments:
    return UnfitArguments(ValidationReport.invalid(ValidationIssue.invalid_value(name, problem)))
