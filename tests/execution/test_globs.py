from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.errors import PolicyError
from toolwright.execution.globs import Glob, text_of
from toolwright.values import freeze_object

LETTERS = st.text("ab *?[]-!é\n", max_size=12)
PATTERNS = st.lists(st.sampled_from(["a", "b", "ab", "*", "?", "[ab]", "[!a]", "[a-c]", "é", " "]), max_size=8)


def naive(pattern: str, text: str) -> bool:
    """Match the slow and obvious way."""
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(naive(pattern[1:], text[cut:]) for cut in range(len(text) + 1))
    if not text:
        return False
    if pattern[0] == "[":
        inside, _, rest = pattern[1:].partition("]")
        members = {"ab": "ab", "!a": "a", "a-c": "abc"}[inside]
        return (text[0] in members) != inside.startswith("!") and naive(rest, text[1:])
    return pattern[0] in ("?", text[0]) and naive(pattern[1:], text[1:])


@given(PATTERNS, LETTERS)
def test_a_glob_fits_what_the_slow_way_finds(parts: list[str], text: str) -> None:
    pattern = "".join(parts)
    visible = text.isprintable() or not any(special in pattern for special in "*?[")
    assert Glob(pattern).fits_strictly(text) == (naive(pattern, text) and visible)
    if naive(pattern, text):
        assert Glob(pattern).fits_widely(text)


@given(PATTERNS, LETTERS)
def test_what_fits_strictly_also_fits_widely(parts: list[str], text: str) -> None:
    glob = Glob("".join(parts))
    assert not glob.fits_strictly(text) or glob.fits_widely(text)


@keeps("policy.globs.seen")
@pytest.mark.parametrize(
    "text",
    [
        "git status\nrm -rf /",
        "git status\rrm -rf /",
        "git status\x00; rm",
        "git status\u2028rm -rf /",
        "git status \u202e txt.exe",
        "git status \u200b",
        "git status\x1b[2K",
        "git status \U000e0041",
        "git status \ud800",
        "GIT status",
        "git\u00a0status",
        "g\u0456t status",
        "\uff47\uff49\uff54 status",
        " git status",
    ],
)
def test_no_hidden_or_similar_character_passes_an_allowing_glob(text: str) -> None:
    assert not Glob("git status*").fits_strictly(text)


@keeps("policy.globs.seen")
@pytest.mark.parametrize(
    "text",
    [
        "rm -rf /",
        "RM -RF /",
        "rm  -rf /",
        "rm\t-rf /",
        " \nrm -rf /",
        "rm\n-rf\n/",
        "r\u200bm -rf /",
        "r\u00adm -rf\u2060 /",
        "rm\u00a0-rf /",
        "\uff52\uff4d \uff0d\uff52\uff46 /",
        "rm -rf /\nsecond line",
        "r\x00m -rf /",
        "\u202erm -rf /",
        "ʳm -rf /",
    ],
)
def test_no_spelling_slips_past_a_denying_glob(text: str) -> None:
    assert Glob("rm -rf *").fits_widely(text)


@given(st.text("abcXYZ ./-", max_size=20), st.data())
def test_case_width_and_invisible_characters_never_evade(text: str, data: st.DataObject) -> None:
    glob = Glob(f"*{text.replace('*', '')}*")
    disguise: dict[str, Callable[[str], str]] = {
        "upper": str.upper,
        "wide": lambda each: chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each,
        "hidden": lambda each: f"{each}\u200d",
        "plain": str,
    }
    ways = [data.draw(st.sampled_from(sorted(disguise))) for _ in text]
    disguised = "".join(disguise[way](each) for way, each in zip(ways, text, strict=True))
    assert glob.fits_widely(f"before {disguised} after") == glob.fits_widely(f"before {text} after")


def test_letters_of_other_scripts_are_other_letters() -> None:
    assert not Glob("rm*").fits_widely("\u0433m")
    assert not Glob("paypal.com").fits_widely("p\u0430ypal.com")
    assert Glob("evil.com").fits_widely("evil\u3002com")


@keeps("policy.globs.linear")
def test_no_text_makes_a_glob_slow() -> None:
    glob = Glob("*a*a*a*a*a*a*a*a*a*a*a*a*ab")
    long = "a" * 300_000
    assert not glob.fits_strictly(long)
    assert not glob.fits_widely(long)
    assert not Glob("*" + "a?" * 40 + "b").fits_widely("a" * 20_000)
    assert glob.fits_widely(f"{long}b")


def test_special_characters_stand_for_themselves_in_brackets() -> None:
    assert Glob("[*][?][[]]").fits_strictly("*?[]")
    assert not Glob("[*]").fits_strictly("a")
    assert Glob("a.c+").fits_strictly("a.c+")
    assert not Glob("a.c").fits_strictly("abc")


@pytest.mark.parametrize("pattern", ["[abc", "a[", "[!", "[z-a]", "*" * 1_001])
def test_a_broken_glob_is_refused(pattern: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Glob(pattern)
    assert caught.value.code == "invalid_rule"


def test_a_star_crosses_slashes_and_an_exact_glob_means_just_that() -> None:
    assert Glob("src/*.py").fits_strictly("src/a/b.py")
    assert Glob("two\nlines").fits_strictly("two\nlines")
    assert not Glob("a").fits_strictly("a\n")
    assert Glob("").fits_strictly("")
    assert not Glob("").fits_strictly("a")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("git push", "git push"),
        (["git", "push"], "git push"),
        ([], ""),
        (["a", 1, True, None, 2.0, ["b", "c"]], "a 1 true null 2 b c"),
        (3, "3"),
        (3.0, "3"),
        (2.5, "2.5"),
        (True, "true"),
        (None, None),
        ({"b": 1, "a": [2]}, '{"a":[2],"b":1}'),
    ],
)
def test_arguments_are_seen_as_text(value: object, text: str | None) -> None:
    assert text_of(freeze_object({"value": value})["value"]) == text


def test_globs_are_equal_where_their_patterns_are() -> None:
    assert Glob("a*") == Glob("a*")
    assert len({Glob("a*"), Glob("a*"), Glob("b")}) == 2
    assert Glob("a*") != "a*"
    assert repr(Glob("a*")) == "Glob('a*')"
