"""What the values in a question say about the tool that is wanted.

``Shrink photo.jpg`` names no image and ``mail bob@example.com`` no address; the values themselves do. Each pattern
stands with the words that it hints at.

This module may not know any tool: text goes in, words come out.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["hints"]

_PLACES: Final = "in|from|to|near|at|around"
_DAYS: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTHS: Final = "january|february|march|april|june|july|august|september|october|november|december"

# In this order: an address of the web or of a person is not read as the name of a file as well. Each pattern takes time
# linear in the text.
_PATTERNS: Final = tuple(
    (re.compile(pattern, flags), words.split())
    for pattern, flags, words in (
        (r"https?://\S+|\bwww\.\S+", re.IGNORECASE, "url web page"),
        (r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.\w+", 0, "email address"),
        (r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b", 0, "ip host address"),
        (r"-?\d{1,3}\.\d+,\s?-?\d{1,3}\.\d+", 0, "latitude coordinate"),
        (r"(?<![\w./@~-])[\w./~-]{0,255}\w\.(?P<ending>[a-z]{1,5}\d?)\b", 0, "file path"),
        (r"(?<![\w./-])[\w.-]{1,255}/[\w./-]", 0, "path file"),
        (r"[$€£¥]\s?\d|\d\s?(?:dollars|euros|pounds|usd|eur|gbp|bucks)\b", re.IGNORECASE, "amount price"),
        (r"\b\d{1,2}(?::\d\d)?\s?[ap]m\b|\b\d{1,2}:\d\d\b", re.IGNORECASE, "time"),
        (
            rf"\b(?:{_DAYS}|{_MONTHS}|tomorrow|yesterday|tonight|\d{{4}}-\d\d-\d\d)\b",
            re.IGNORECASE,
            "date",
        ),
        (r"(?<!\S)#[a-z]\w*", 0, "channel"),
        (rf"\b(?:{_PLACES}) [A-Z][a-z]{{2,}}", 0, "city location country"),
        (r"\w\^\d", 0, "expression equation"),
        (r"\[\s?\[", 0, "matrix"),
        (r"\[\s?\d", 0, "list number"),
        (r"\bSELECT\b.*\bFROM\b", re.DOTALL, "sql query"),
        (r"\+?\d[\d -]{6,20}\d", 0, "phone number"),
    )
)

_ENDINGS: Final = {
    ending: words.split()
    for words, endings in (
        ("image", "jpg jpeg png gif bmp svg webp"),
        ("csv table", "csv tsv xlsx"),
        ("pdf document", "pdf"),
        ("document", "doc docx odt"),
        ("archive", "zip tar gz tgz"),
        ("audio", "mp3 wav ogg flac m4a"),
        ("video", "mp4 mov avi mkv"),
        ("code source", "py js ts java c cpp rs go rb sh"),
    )
    for ending in endings.split()
}


def hints(text: str) -> list[str]:
    """Return words for what the values in a text are: ``file``, ``email``, ``date`` ..., each once."""
    found: dict[str, None] = {}
    for pattern, words in _PATTERNS:
        match = pattern.search(text)
        if match:
            found.update(dict.fromkeys(words))
            if "ending" in pattern.groupindex:
                found.update(dict.fromkeys(_ENDINGS.get(match["ending"], ())))
            text = pattern.sub(" ", text) if words[0] in ("url", "email", "ip", "latitude") else text
    return list(found)
