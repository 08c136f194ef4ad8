"""A web page as text that can be read: headings, paragraphs, lists, tables, links; nothing that only draws.

It reads as a browser does: whatever it is given is a page, and each character is looked at once. What a server may
send at will, such as a million brackets that open and never close, takes no longer than a page of the same length.

HTML in, text out: this module knows no network.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple
from urllib.parse import urljoin

__all__ = ["Page", "readable"]

# What is repeated is possessive (`*+`): it gives nothing back, so nothing is looked at twice.
_START: Final = re.compile(r"<(?=(/?[a-zA-Z])|[!?]|/.)", re.DOTALL)  # of a tag, or of a remark; any other is text
_TAG: Final = re.compile(
    r"""<(/?)([a-zA-Z][^\s/>]*+)"""
    r"""((?:[\s/]++|[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+|(?=>)))?+)*+)>"""
)
_ATTRIBUTE: Final = re.compile(
    r"""([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+)|(?=>)))?+"""
)
_HUGE_REFERENCE: Final = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{8,});?")
_BLANKS: Final = re.compile(r"[ \t\r\n\f\xa0]+")

# What these hold is for machines, or is a title. In the first ones nothing is a tag but their own end, which there may
# not be; the others are read after all if they have none.
_RAW: Final = frozenset(["script", "style", "iframe", "textarea", "title", "xmp", "noembed", "noframes"])
_UNREAD: Final = frozenset(["template", "noscript", "svg", "math", "object"])
_ENDS: Final = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW | _UNREAD}
_BREAKS: Final = frozenset(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer "
    "form header hgroup main menu nav ol optgroup option p pre search section select summary table tbody tfoot thead "
    "tr ul".split()
)
_APART: Final = frozenset("article blockquote details dl fieldset figure form hr main p pre section table".split())
_HEADINGS: Final[Mapping[str, str]] = {f"h{level}": "#" * level for level in range(1, 7)}
_DEEPEST_LIST: Final = 20


class Page(NamedTuple):
    """What a page says: its title, and its text."""

    title: str
    text: str


class _Tag(NamedTuple):
    name: str
    closes: bool
    attributes: str


class _Title(NamedTuple):
    text: str


def readable(source: str, url: str) -> Page:
    """Return what there is to read of a page; where it marks its main part, only that. Links are made absolute."""
    title, inside_main = "", 0
    whole, main = _Writer(url), _Writer(url)
    for token in _tokens(source):
        if isinstance(token, _Title):
            title = title or _collapsed(token.text).strip()
            continue
        if isinstance(token, _Tag) and token.name == "main":
            inside_main = max(0, inside_main + (-1 if token.closes else 1))
        for writer in (whole, main) if inside_main else (whole,):
            writer.take(token)
    return Page(title, main.text() or whole.text())


def _tokens(source: str) -> Iterator[str | _Tag | _Title]:
    """Yield texts, tags and titles, without what is only for machines."""
    position, endless = 0, set[str]()
    while begins := _START.search(source, position):
        start = begins.start()
        if start > position:
            yield source[position:start]
        if begins[1] is None:
            position = _past_remark(source, start)
            continue
        found = _TAG.match(source, start)
        if found is None:  # a tag without an end: all that follows is in it
            return
        tag, position = _Tag(found[2].lower(), bool(found[1]), found[3]), found.end()
        if tag.closes or tag.name not in _ENDS or tag.name in endless:
            yield tag
            continue
        end = _ENDS[tag.name].search(source, position)
        if tag.name == "title":
            yield _Title(source[position : len(source) if end is None else end.start()])
        if end is not None:
            position = _past(">", source, end.end())
        elif tag.name in _RAW:
            return
        else:  # nobody looks for it again
            endless.add(tag.name)
    yield source[position:]


def _past_remark(source: str, start: int) -> int:
    return _past("-->", source, start + 2) if source.startswith("<!--", start) else _past(">", source, start)


def _past(mark: str, source: str, position: int) -> int:
    end = source.find(mark, position)
    return len(source) if end < 0 else end + len(mark)


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in _ATTRIBUTE.finditer(text):
        value = next((part for part in each.groups()[1:] if part is not None), "")
        found.setdefault(each[1].lower(), value)
    return found


def _plain(text: str) -> str:
    """Return what a text of a page stands for."""
    return html.unescape(_HUGE_REFERENCE.sub("\ufffd", text)) if "&" in text else text


def _collapsed(text: str) -> str:
    return _BLANKS.sub(" ", _plain(text))


class _Writer:
    """Puts text into lines, as the tags say."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lines: list[str] = []
        self._line: list[str] = []
        self._lists: list[int | None] = []  # how many items a numbered list has had; None of one without numbers
        self._link: tuple[int, str] | None = None
        self._kept_as_it_is = 0  # elements in which blanks and line ends count, within each other
        self._is_fresh = False  # right after the beginning of one a line end does not count

    def text(self) -> str:
        """Return all of it."""
        self._break()
        while self._lines and not self._lines[-1]:
            self._lines.pop()
        return "\n".join(self._lines)

    def take(self, token: str | _Tag) -> None:
        """Take in the next text or tag."""
        if isinstance(token, str):
            self._write(token)
        elif token.closes:
            self._close(token.name)
        else:
            self._open(token)

    def _write(self, text: str) -> None:
        if self._kept_as_it_is:
            text = _plain(text).replace("\r\n", "\n")
            first, *others = (text.removeprefix("\n") if self._is_fresh else text).split("\n")
            self._is_fresh = False
            self._line.append(first)
            for line in others:
                self._end_line()
                self._line.append(line)
            return
        text = _collapsed(text)
        if not self._line or self._line[-1].endswith(" "):
            text = text.removeprefix(" ")
        if text:
            self._line.append(text)

    def _open(self, tag: _Tag) -> None:
        name = tag.name
        if name == "a":
            self._link = len(self._line), _attributes(tag.attributes).get("href", "")
        elif name == "img":
            alternative = _collapsed(_attributes(tag.attributes).get("alt", "")).strip()
            if alternative:
                self._write(f"[{alternative}]")
        elif name == "br":
            self._end_line()
        elif name == "hr":
            self._paragraph()
            self._line.append("---")
            self._paragraph()
        elif name == "li":
            self._break()
            self._line.append(self._bullet())
        elif name in ("td", "th"):
            self._line.append(" | " if self._line else "")
        elif name in _HEADINGS:
            self._paragraph()
            self._line.append(f"{_HEADINGS[name]} ")
        elif name in _BREAKS:
            self._open_block(name)

    def _open_block(self, name: str) -> None:
        if name in ("ul", "ol", "menu"):
            self._lists.append(0 if name == "ol" else None)
        if name == "pre":
            self._paragraph()
            self._kept_as_it_is += 1
            self._is_fresh = True
        elif name in _APART:
            self._paragraph()
        else:
            self._break()

    def _bullet(self) -> str:
        depth = min(len(self._lists), _DEEPEST_LIST)
        count = self._lists[-1] if self._lists else None
        if count is None:
            return "  " * (depth - 1) + "- "
        self._lists[-1] = count + 1
        return "  " * (depth - 1) + f"{count + 1}. "

    def _close(self, name: str) -> None:
        if name == "a":
            self._end_link()
        elif name == "pre":
            self._kept_as_it_is = max(0, self._kept_as_it_is - 1)
            self._paragraph()
        elif name in ("ul", "ol", "menu"):
            if self._lists:
                self._lists.pop()
            self._paragraph() if not self._lists else self._break()
        elif name in _APART or name in _HEADINGS:
            self._paragraph()
        elif name in _BREAKS or name == "li":
            self._break()

    def _end_link(self) -> None:
        """Put the text of a link into brackets and its target behind it, unless it says nothing or leads nowhere."""
        if self._link is None:
            return
        start, target = self._link
        self._link = None
        words = "".join(self._line[start:])
        where = self._absolute(target)
        if words.strip() and where:
            before = words[: len(words) - len(words.lstrip())]
            after = words[len(words.rstrip()) :]
            self._line[start:] = [f"{before}[{words.strip()}]({where}){after}"]

    def _absolute(self, target: str) -> str:
        target = _plain(target).strip()
        if not target or target.startswith("#"):
            return ""
        try:
            where = urljoin(self._url, target)
        except ValueError:
            return ""
        return where if where.startswith(("https://", "http://")) and not _BLANKS.search(where) else ""

    def _end_line(self) -> None:
        self._link = None  # what goes over several lines stays without a target
        line = "".join(self._line)
        self._line.clear()
        self._lines.append(line if self._kept_as_it_is else line.rstrip())

    def _break(self) -> None:
        """Go on in a new line."""
        if "".join(self._line).strip():
            self._end_line()
        self._line.clear()

    def _paragraph(self) -> None:
        """Go on after an empty line."""
        self._break()
        if self._lines and self._lines[-1]:
            self._lines.append("")
