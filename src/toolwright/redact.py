"""What looks like a secret, and how it is hidden: the one place for logs, outcomes and recordings.

Two questions are asked: does the *key* say that its value is a secret (``api_key``, ``dbPassword``), and does the
*text* have the shape of one (``sk-...``, a JSON Web Token, a private key). Whatever is hidden becomes :data:`MASK`.

The cost is linear in the length of the text, redacting twice is redacting once, and what has no secret in it comes back
as it was: commit hashes, UUIDs, numbers of tokens and cursors of pages stay readable.

Pure: this module knows no tool, no log and no provider, and does no I/O.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from toolwright.values import MAX_DEPTH

__all__ = ["MASK", "is_secret_key", "redact", "redact_text"]

MASK: Final = "[redacted]"
"""What stands where a secret was."""

_KEY_LENGTH: Final = 200  # what is longer is no name; its end decides

_NOUNS: Final = (
    "pass(?:word|wd|phrase|code)|(?:db|database|smtp|mail|ftp|user|root|admin|mysql|postgres|pg|redis|proxy)_pass|pwd|secret|credential|authorization|auth|cookie|jwt|bearer|otp|token|dsn|"
    "(?:api|access|secret|private|signing|encryption|master|account|shared|ssh|auth|service|license|subscription)_?key|"
    "(?:api|access|auth|refresh|id|session|security|private|personal|oauth|bot)_?tokens|connection_?string"
)
# The noun ends the name, up to words that do not change what it holds.
_SECRET_KEY: Final = re.compile(
    rf"(?:^|_)(?:\w{{0,40}}password|{_NOUNS}|passwords|secrets|credentials|cookies|(?:api|access|private)_?keys)"
    r"(?:_?\d{1,4}|_(?:value|text|string|hash|raw|b64|base64|pem|header)){0,3}$"
)
# Tokens of another kind: places in a list of pages, words of a vocabulary.
_OTHER_TOKEN: Final = re.compile(
    r"(?:^|_)(?:page|next|prev|previous|continuation|sync|stop|eos|bos|sep|cls|pad|unk|unknown|mask|first|last|start|end|"
    r"cursor|special|delta|per)_?token$"
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NO_LETTER: Final = re.compile(r"[^a-z0-9]+")

# How secrets begin, each with the characters that it goes on with. Every repetition is of one class of characters, so
# that no text makes the search slow; the last one takes what is left of the word, so that nothing is found behind a
# mask that was not found before.
_SHAPES: Final = re.compile(
    # Not inside a word; a line break written as in JSON, a percent escape and the end of a colour belong to no word.
    r"(?=[0-9ADGSadeghnprswxy])"  # how they all begin: most characters are passed over at once
    r"(?:(?<![A-Za-z0-9_-])|(?<=\\[bfnrt])|(?<=%[0-9A-Fa-f]{2})|(?<=[\[;][0-9]m)|(?<=[\[;][0-9]{2}m)|(?<=/bot))(?:"
    r"sk-(?:[A-Za-z0-9]{20}|[A-Za-z_-]{0,60}[0-9][A-Za-z0-9_-]{9}|[A-Za-z0-9_-]{32})"  # OpenAI, Anthropic, OpenRouter
    r"|[srp]k_(?:live|test)_[A-Za-z0-9]{10}|whsec_[A-Za-z0-9+/=]{20,}"  # Stripe
    r"|gh[pousr]_[A-Za-z0-9]{20}|github_pat_[A-Za-z0-9_]{20}|glpat-[A-Za-z0-9_-]{16}"
    r"|xox[a-z]-[A-Za-z0-9-]{10}|xapp-[0-9]-[A-Za-z0-9-]{10}"  # Slack
    r"|A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])"  # AWS
    r"|AIza[A-Za-z0-9_-]{30}|ya29\.[A-Za-z0-9_-]{20}|GOCSPX-[A-Za-z0-9_-]{20}"  # Google
    r"|hf_[A-Za-z0-9]{20}|npm_[A-Za-z0-9]{30}|pypi-[A-Za-z0-9_-]{40}|gsk_[A-Za-z0-9]{20}|xai-[A-Za-z0-9]{20}"
    r"|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16}|dop_v1_[a-f0-9]{40}|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"
    r"|hvs\.[A-Za-z0-9_-]{20}|r8_[A-Za-z0-9]{30}|AGE-SECRET-KEY-1[A-Z0-9]{20}|[0-9]{8,10}:AA[A-Za-z0-9_-]{30}"
    r"|hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/-]{20,}"
    r"|discord(?:app)?\.com/api/webhooks/[0-9]{6,20}/[A-Za-z0-9_-]{20}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\."  # JSON Web Tokens
    r")[A-Za-z0-9_-]*"
)
# Looked for first, as most texts hold neither so long a word nor one of these beginnings, which are found ten times as
# fast as patterns.
_LONG_WORD: Final = re.compile(r"[A-Za-z0-9_-]{12}")
_SHAPE_HINTS: Final = (
    "sk-", "k_live_", "k_test_", "whsec_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox",
    "xapp-", "AKIA", "ASIA", "ABIA", "ACCA", "AIza", "ya29.", "GOCSPX-", "hf_", "npm_", "pypi-", "gsk_", "xai-", "SG.",
    "dop_v1_", "shpat_", "shpca_", "shppa_", "shpss_", "hvs.", "r8_", "AGE-SECRET", ":AA", "eyJ",
    "hooks.slack.com", "/api/webhooks/",
)  # fmt: skip

_BEARER: Final = re.compile(
    r"(?<![A-Za-z])(bearer[ \t]{1,8})(?:[A-Za-z0-9._~+/=-]{16,}|[A-Za-z._~+/=-]{0,15}[0-9][A-Za-z0-9._~+/=-]{6,})",
    re.IGNORECASE,
)
_HEADER: Final = re.compile(
    r"(authorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:basic|token|digest|apikey)[ \t]{1,8})[^\s\"',;]{6,}",
    re.IGNORECASE,
)
# Up to the last @ before the path: some passwords hold one. What only stands for a password is none.
_URL_PASSWORD: Final = re.compile(
    r"(://[^\s/?#@:\"'<>]{0,200}:)(?!(?:\$?\{[^{}\s@]{1,80}\}|%s)@)[^\s/?#\"'<>]{1,500}(?=@)"
)
# The whole line, where the first cookie looks made up: there may be more behind it.
_COOKIES: Final = re.compile(
    r"(cookie[\"']?[ \t]{0,4}:[ \t]{0,4}[\"']?)(?=[\w.-]{1,100}=(?=[^\s\"';()]{8})[^\s\"';()0-9]{0,60}[0-9])"
    r"[^\r\n\"'\\]{1,8000}+",
    re.IGNORECASE,
)

# ``PASSWORD=hunter2``, ``"api_key": "a1b2..."``: the value must look made up, or source code would be torn apart.
_ASSIGNED: Final = re.compile(
    r"((?:password|passwd|passphrase|pwd|_pass|secret|(?<!page_)(?<!next_)(?<!sync_)token|(?:api|access|secret|private|account)[_-]?key)"
    r"(?:\\?[\"'])?[ \t]{0,3}[:=][ \t]{0,3}(?:\\?[\"'])?)([A-Za-z0-9_+/=.~!@#$%^*-]{6,})(?![(\[\w])",
    re.IGNORECASE,
)
_ASSIGNED_HINTS: Final = ("passw", "passphrase", "_pass", "pwd", "secret", "token", "key")

_PEM_MARK: Final = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-:,. \t\r\n\\")


def redact_text(text: str) -> str:
    """Return a text with what has the shape of a secret hidden: keys of known services, tokens, passwords in URLs."""
    if len(text) < 8:  # no secret is as short as that
        return text
    if "PRIVATE KEY" in text:
        text = _without_private_keys(text)
    if _LONG_WORD.search(text) and any(hint in text for hint in _SHAPE_HINTS):
        text = _SHAPES.sub(MASK, text)
    if "://" in text:
        text = _URL_PASSWORD.sub(rf"\1{MASK}", text)
    lower = text.lower()
    if ("=" in lower or ":" in lower) and any(hint in lower for hint in _ASSIGNED_HINTS):
        text = _ASSIGNED.sub(_hide_made_up, text)
    if "bearer" in lower:
        text = _BEARER.sub(rf"\1{MASK}", text)
    if "cookie" in lower:
        text = _COOKIES.sub(rf"\1{MASK}", text)
    return _HEADER.sub(rf"\1{MASK}", text) if "authorization" in lower else text


def redact(value: Any, *, text: Callable[[str], str] = redact_text) -> Any:
    """Return a copy of a JSON value with its secrets hidden: by key, and by the shape of its texts.

    Everything under a key that names a secret is hidden, nested values too; null, true and false stay. What is nested
    deeper than JSON may be here is hidden as a whole. ``text`` is what happens to each text that no key has hidden, and
    to the keys.
    """
    return _redact(value, text, secret=False, room=MAX_DEPTH + 1)


def _redact(value: Any, text: Callable[[str], str], *, secret: bool, room: int) -> Any:
    if value is None or value is True or value is False or value == "":
        return value
    if isinstance(value, str):
        return MASK if secret else text(value)
    if room <= 0:
        return MASK
    if isinstance(value, Mapping):
        return _redact_object(value, text, secret=secret, room=room)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, (list, tuple)):
        return [_redact(item, text, secret=secret, room=room - 1) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return MASK if secret else value


def _redact_object(value: Mapping[Any, Any], text: Callable[[str], str], *, secret: bool, room: int) -> dict[Any, Any]:
    seen: dict[Any, Any] = {}
    numbers: dict[str, int] = {}
    for key, item in value.items():
        shown, below = key, secret
        if isinstance(key, str):
            shown, below = text(key), secret or is_secret_key(key)
            whole = shown
            while shown != key and (shown in seen or shown in value):  # nothing is lost because two keys were hidden
                numbers[whole] = numbers.get(whole, 1) + 1
                shown = f"{whole} ({numbers[whole]})"
        seen[shown] = _redact(item, text, secret=below, room=room - 1)
    return seen


def is_secret_key(key: str) -> bool:
    """Say whether a key names a secret, however it is spelt: ``api_key``, ``X-Api-Key``, ``dbPassword2``."""
    return _names_secret(key[-_KEY_LENGTH:])


@lru_cache(maxsize=4096)
def _names_secret(key: str) -> bool:
    words = _NO_LETTER.sub("_", _CAMEL.sub("_", key).lower()).strip("_")
    return _SECRET_KEY.search(words) is not None and _OTHER_TOKEN.search(words) is None


def _hide_made_up(match: re.Match[str]) -> str:
    """Hide a value that was assigned, unless it is a word, a number or a name in a program."""
    value = match[2]
    made_up = any(map(str.isdigit, value)) and (any(map(str.isalpha, value)) or match[1][:1] in "pP")
    name = value.replace(".", "_").isidentifier() and ("." in value or is_secret_key(value))
    return match[1] + MASK if made_up and not name else match[0]


def _without_private_keys(text: str) -> str:
    """Hide private keys in PEM form, also those whose beginning or end was cut off."""
    kept: list[str] = []
    done, begun = 0, -1
    for mark in _PEM_MARK.finditer(text):
        if mark[1] == "BEGIN":
            begun = begun if begun >= 0 else mark.start()
            continue
        start = begun if begun >= 0 else _body_start(text, mark.start(), done)
        kept += (text[done:start], MASK)
        done, begun = mark.end(), -1
    if begun >= 0:
        head = _PEM_MARK.match(text, begun)
        end = start = head.end() if head else begun
        while end < len(text) and text[end] in _PEM_BODY:
            end += 1
        if text[start:end].strip():
            kept += (text[done:begun], MASK)
            done = end
    return "".join((*kept, text[done:]))


def _body_start(text: str, end: int, limit: int) -> int:
    while end > limit and text[end - 1] in _PEM_BODY:
        end -= 1
    return end
