"""From text to the stems that search compares: ``Resizing images`` and ``resizeImage`` are the same two.

Identifiers are split where their parts meet, words are reduced to stems, and scripts without spaces to pairs of
characters. Any text may come in: of any length, in any language, garbage too.

This module may not know what a tool or a query is.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

__all__ = ["STOP_WORDS", "stem", "stems", "words"]

# What a question says without asking for anything. Words that tools are named after ("get", "find") are not here: where
# they are common, their weight is small by itself.
STOP_WORDS: Final = frozenset(
    """
    a about after again ain all also am an and any anybody anyone anything are aren as at be because been before
    being both but by can cannot could couldn d did didn do does doesn doing don each either else etc every few for
    from had hadn has hasn have haven having he hello help her here hers hey hi him his how i if in into is isn it
    its itself just kindly know let like ll m many may maybe me might mine more most much must my myself need needs
    neither no nor not now of off oh ok okay on only or other our ours out over own perhaps please quite rather re
    really s same shall she should shouldn so some somebody someone something such sure t tell than thank thanks
    that the their theirs them then there these they thing things this those through to too under until up upon us
    use used using ve very via want wants was wasn we well were weren what whatever when where whether which while
    who whom whose why will with within without won would wouldn yeah yes yet you your yours
    """.split()
)

# What the rules of English do not reach: other past tenses and plurals.
_IRREGULAR: Final = {
    word: base
    for base, forms in {
        "analyze": "analysis analyses analytics",
        "begin": "began begun",
        "bring": "brought",
        "build": "built",
        "buy": "bought",
        "child": "children",
        "choose": "chose chosen",
        "convert": "conversion conversions",
        "draw": "drew drawn",
        "eat": "ate eaten",
        "find": "found",
        "fly": "flew flown",
        "forget": "forgot forgotten",
        "index": "indices indexes",
        "keep": "kept",
        "leave": "left",
        "make": "made making",
        "man": "men",
        "matrix": "matrices",
        "meet": "met",
        "mouse": "mice",
        "pay": "paid",
        "person": "people persons",
        "sell": "sold",
        "send": "sent",
        "show": "shown",
        "speak": "spoke spoken",
        "speed": "sped",
        "spend": "spent",
        "take": "took taken taking",
        "tell": "told",
        "think": "thought",
        "vertex": "vertices",
        "win": "won",
        "woman": "women",
        "write": "wrote written writing",
    }.items()
    for word in forms.split()
}

_WORD: Final = re.compile(r"[a-z0-9]+")
_HUMP: Final = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_HUMPED: Final = re.compile(r"[A-Za-z0-9]*[a-z][A-Z][A-Za-z0-9]*|[A-Z]{2,}[a-z]+[A-Za-z0-9]*")
_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LETTERS: Final = re.compile(r"[^\W_]+")
# Scripts that put no space between words: Thai to Khmer, kana, CJK. Any two neighbours count as a word there.
_UNSPACED: Final = re.compile(r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+)")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case; a word of several parts (``userName``) is followed by its parts."""
    humped: list[str] = _HUMPED.findall(text) if _HUMP.search(text) else []
    found: list[str] = _WORD.findall(text.lower()) if text.isascii() else _foreign_words(text)
    for word in humped:
        found += (part.lower() for part in _PARTS.findall(word))
    return found


def stems(text: str) -> list[str]:
    """Return the stem of each word of a text that means something, in order."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return what a lower-case word has in common with its inflections: ``resiz`` for ``resizing``.

    A form that is regular in neither spelling of English is looked up; the others follow Porter's algorithm of 1980.
    """
    word = _IRREGULAR.get(word, word)
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    word = _one_spelling(word)
    word = _plural(word)
    word = _IRREGULAR.get(word, word)
    word = _tense(word)
    if word[-1] == "y" and _shape(word)[-3:] in ("vcv", "ccv"):
        # Further than Porter goes: delivery and deliver are one.
        word = word[:-1] if word.endswith(("ery", "ory", "ary")) and _measure(word) > 1 else word[:-1] + "i"
    for endings in (_LONG, _MIDDLE):
        word = _shorten(word, endings)
    word = _residue(word)
    return _final(word)


def _foreign_words(text: str) -> list[str]:
    """Split text with letters beyond ASCII; accents are taken off."""
    folded = "".join(mark for mark in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(mark))
    found: list[str] = []
    for word in _LETTERS.findall(folded):
        for piece in _UNSPACED.split(word):
            if _UNSPACED.match(piece) and len(piece) > 1:
                found += (piece[at : at + 2] for at in range(len(piece) - 1))
            elif piece:
                found.append(piece)
    return found


def _one_spelling(word: str) -> str:
    """Write British endings the American way: ``colour``, ``organise``, ``analyse``. Other words may change alike."""
    if len(word) > 4:
        word = re.sub(r"(?<=.)our(?=s?$|ite|able|ing|ed$)", "or", word)
        word = re.sub(r"(?<=[^aeiou])is(?=e$|es$|ed$|ing$|ation)|(?<=al)ys(?=e|ing)", _with_z, word)
    return word


def _with_z(match: re.Match[str]) -> str:
    return match[0][:-1] + "z"


_VOWELS: Final = str.maketrans({**dict.fromkeys("bcdfghjklmnpqrstvwxz", "c"), **dict.fromkeys("aeiou", "v")})


def _shape(word: str) -> str:
    """Return the word as vowels and consonants: ``cvcvc`` for ``river``; a y after a consonant is a vowel."""
    shape = word.translate(_VOWELS)
    while "y" in shape:
        at = shape.index("y")
        shape = shape[:at] + ("v" if at and shape[at - 1] == "c" else "c") + shape[at + 1 :]
    return shape


def _measure(word: str) -> int:
    """Count the syllables that Porter's rules ask about: how often a consonant follows a vowel."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if len(word) < 4 or word.endswith(("ss", "us", "is", "news")) or word[-1] != "s":
        return word
    return word[:-2] if word.endswith(("uses", "sses", "xes", "ches", "shes", "ies")) else word[:-1]


def _tense(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            return _mend(base) if "v" in _shape(base) else word
    return word


def _mend(base: str) -> str:
    """Give back what an ending took: ``hop`` for ``hopp``, ``file`` for ``fil``."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-1] == base[-2:-1] and base[-1] not in "aeioulsz":
        return base[:-1]
    return base + "e" if _measure(base) == 1 and _ends_short(base) else base


_LONG: Final = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "abli": "able", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_MIDDLE: Final = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_RESIDUE: Final = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "sion", "tion", "ism", "ate", "iti", "ous", "ive",
    "ize", "al", "er", "ic", "ou",
)  # fmt: skip


def _shorten(word: str, endings: dict[str, str]) -> str:
    for ending, shorter in endings.items():
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base + shorter if _measure(base) else word
    return word


def _residue(word: str) -> str:
    for ending in _RESIDUE:
        if word.endswith(ending):
            base = word[: -len(ending) + 1] if ending in ("sion", "tion") else word[: -len(ending)]
            return base if _measure(base) > 1 else word
    return word


def _final(word: str) -> str:
    if word[-1] == "e":
        base, size = word[:-1], _measure(word[:-1])
        if size > 1 or (size == 1 and not _ends_short(base)):
            word = base
    return word[:-1] if word.endswith(("ll", "i")) and _measure(word) > 1 else word
